"""Work against precision of the integrators: evaluations, seconds and the error at the end of a run.

    python3 bench/python/integrators.py build/release/apps/ulna/ulna [--write docs/benchmarks.md]

The tables of docs/benchmarks.md are made by it. Errors are those of the coordinates at the end, against the
same run by dop853 (stiff problems: radau5) at rtol 1e-13.
"""

import argparse
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


def cell(program, problem, exact, method, setting):
    """Evaluations and error of one run, as the table of the documentation has them."""
    found = run(program, problem, f"{{method: {method}, {setting}}}")
    if not found:
        return "fails", ["fails", "", "", ""]
    summary, end = found
    error = max(abs(a - b) for a, b in zip(end, exact))
    evaluations = number(summary, "evaluations")
    full = [f"{number(summary, 'steps')}", f"{evaluations}", f"{1e3 * summary.get('wall_seconds', 0):.1f}", f"{error:.1e}"]
    return f"{evaluations:,}: {error:.1e}", full


def tables(program, title, problem):
    """The tables of the documentation and that of all figures, for one problem."""
    exact = run(program, problem, f"{{method: {problem['reference']}, rtol: 1e-13}}")[1]
    short = []
    full = [f"| {title} | rtol or step | steps | evaluations | ms | error |", "|---|---|---|---|---|---|"]
    blocks = [(problem["methods"], "rtol", (1e-4, 1e-7, 1e-10), "rtol 1e-4 | 1e-7 | 1e-10")]
    if "fixed" in problem:
        blocks.append((problem["fixed"], "step", problem["steps"], "step 10 ms | 1 ms"))
    for methods, key, values, heads in blocks:
        short += ["", f"| {title} | {heads} |", "|---" * (len(values) + 1) + "|"]
        for method in methods:
            cells = []
            for value in values:
                text, figures = cell(program, problem, exact, method, f"{key}: {value:g}")
                cells.append(text)
                full.append("| " + " | ".join([method, f"{key}: {value:g}", *figures]) + " |")
            short.append(f"| {method} | " + " | ".join(cells) + " |")
    return short, ["", *full]


def write(page, lines):
    """Puts the tables between the two marks of a page."""
    text = page.read_text()
    begin, end = "<!-- integrators: begin -->\n", "<!-- integrators: end -->"
    first, last = text.index(begin) + len(begin), text.index(end)
    page.write_text(text[:first] + "\n".join(lines).strip() + "\n\n" + text[last:])


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("program", nargs="?", default="ulna")
    options.add_argument("--write", type=pathlib.Path, help="page whose tables are made anew: docs/benchmarks.md")
    given = options.parse_args()
    lines = []
    for title, problem in PROBLEMS.items():
        short, full = tables(given.program, title, problem)
        lines += short
        print("\n".join(full), flush=True)
    if given.write:
        write(given.write, lines)


if __name__ == "__main__":
    main()
