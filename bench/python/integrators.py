"""Work against precision of the integrators: evaluations, seconds and the error at the end of a run.

    python3 bench/python/integrators.py build/release/apps/ulna/ulna

The table is that of docs/benchmarks.md. Errors are those of the coordinates at the end, against the
same run by dop853 (stiff problems: radau5) at rtol 1e-13.
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile

STIFF_ARM = """
ulna: 1
name: stiff-arm
bodies:
  - {name: upper, mass: 2, centre: [0, 0, -0.3], inertia: [0.06, 0.06, 0.001]}
  - {name: lower, mass: 1, centre: [0, 0, -0.2], inertia: [0.02, 0.02, 0.001]}
joints:
  - {name: shoulder, type: revolute, parent: world, child: upper, axis: [0, 1, 0], damping: 2000}
  - {name: elbow, type: revolute, parent: upper, child: lower, axis: [0, 1, 0], at: [0, 0, -0.6]}
"""

PROBLEMS = {
    "Puma 560, free swing, 2 s": {
        "text": "robot: puma560\nduration: 2\nstart: {q: [0.1, 0.6, 0.2, 0.3, 0.4, 0.1]}\n",
        "duration": 2,
        "methods": ["dormand-prince", "dop853", "radau5", "sundials-erk", "sundials-bdf"],
        "reference": "dop853",
    },
    "pendulum from 86 degrees, 60 s": {
        "text": "robot: simple-pendulum\nduration: 60\nstart: {q: [1.5]}\n",
        "duration": 60,
        "methods": ["dormand-prince", "dop853", "radau5", "sundials-erk", "sundials-bdf"],
        "reference": "dop853",
        "steps": [1e-2, 1e-3],
        "fixed": ["symplectic", "semi-implicit", "rk4"],
    },
    "arm on a damper of 2000 N m s, 10 s": {
        "text": "robot: robot.yaml\nduration: 10\nstart: {q: {shoulder: 0.8, elbow: 0.5}}\n",
        "robot": STIFF_ARM,
        "duration": 10,
        "methods": ["automatic", "dormand-prince", "radau5", "sundials-bdf"],
        "reference": "radau5",
    },
    "crank-rocker, free swing, 5 s": {
        "text": "robot: crank-rocker\nduration: 5\n",
        "duration": 5,
        "methods": ["dormand-prince", "dop853", "radau5", "sundials-bdf", "ida"],
        "reference": "dop853",
    },
}


def run(program, problem, integrator):
    """Summary and final coordinates of one run; None where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        if "robot" in problem:
            (place / "robot.yaml").write_text(problem["robot"])
        (place / "run.yaml").write_text(
            "experiment: 1\n" + problem["text"] + f"integrator: {integrator}\n"
            f"record: {{interval: {problem['duration']}, channels: [q]}}\n"
        )
        done = subprocess.run(
            [program, "simulate", place / "run.yaml", "-o", place / "out", "--json"],
            capture_output=True,
            text=True,
            timeout=300,
        )
        if done.returncode != 0:
            return None
        summary = json.loads(done.stdout)
        with open(place / "out" / "run.csv") as file:
            rows = list(csv.DictReader(file))
        end = [float(v) for k, v in rows[-1].items() if k.startswith("q.")]
        return summary, end


def number(summary, key):
    return summary.get(key, summary.get("statistics", {}).get(key))


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "ulna"
    for title, problem in PROBLEMS.items():
        exact = run(program, problem, f"{{method: {problem['reference']}, rtol: 1e-13}}")[1]
        print(f"\n| {title} | rtol or step | steps | evaluations | ms | error |")
        print("|---|---|---|---|---|---|")
        cases = [(m, f"rtol: {r:g}") for m in problem["methods"] for r in (1e-4, 1e-7, 1e-10)]
        cases += [(m, f"step: {h:g}") for m in problem.get("fixed", []) for h in problem["steps"]]
        for method, setting in cases:
            found = run(program, problem, f"{{method: {method}, {setting}}}")
            if not found:
                print(f"| {method} | {setting} | fails | | | |")
                continue
            summary, end = found
            error = max(abs(a - b) for a, b in zip(end, exact))
            print(
                f"| {method} | {setting} | {number(summary, 'steps')} "
                f"| {number(summary, 'evaluations')} "
                f"| {1e3 * summary.get('wall_seconds', 0):.1f} | {error:.1e} |"
            )


if __name__ == "__main__":
    main()
