"""How much computed torque loses when it does not know the plant: a study of robustness.

    python examples/control/robustness.py [robustness.svg]

Runs examples/control/robustness.yaml with what is wrong added one by one, prints the tracking errors and, given a file name,
draws them.
"""

import pathlib
import sys

import numpy as np

import ulna

HERE = pathlib.Path(__file__).parent
PERIOD, GAINS = 1000.0, {"law": "computed-torque", "kp": 400, "kd": 40, "rate": 1000.0}
WRONG = {"model": {"inertial": 0.8}}
LATE = {"delay": 3e-3}
SEEN = {"sensors": "all"}
CASES = {
    "exact model": {},
    "inertias 20 % too small": WRONG,
    "3 ms late": LATE,
    "noisy encoders": SEEN,
    "all together": {**WRONG, **LATE, **SEEN},
}


def run(changes: dict) -> ulna.Run:
    """The experiment of the file with another controller."""
    text = (HERE / "robustness.yaml").read_text()
    before, after = text.split("controllers:")[0], "record:" + text.split("record:")[1]
    experiment = ulna.Experiment.loads(before.replace("drives: {all: controller}", "drives: {all: motion}") + after)
    return ulna.simulate(experiment.add(controllers=[{**GAINS, **changes}]))


def errors(result: ulna.Run) -> np.ndarray:
    """The norm of the errors of all joints, at the records."""
    joints = [name for name in result.channels if name.startswith("q.")]
    return np.sqrt(sum((result[n] - result["reference." + n[2:]]) ** 2 for n in joints))


def draw(t: np.ndarray, all_errors: dict, file: str) -> None:
    """Errors over time, in a logarithmic scale, as SVG."""
    width, height, left, top = 680, 320, 60, 20
    colours = ["#000000", "#E69F00", "#56B4E9", "#009E73", "#D55E00"]
    low, high = -6.0, 0.0
    x = left + (width - left - 20) * t / t[-1]
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + 40}" font-family="sans-serif" font-size="12">']
    lines.append(f'<rect width="{width}" height="{height + 40}" fill="white"/>')
    for decade in range(int(low), int(high) + 1, 2):
        y = top + (height - top) * (high - decade) / (high - low)
        lines.append(f'<path d="M{left} {y:.1f}H{width - 20}" stroke="#ddd"/>')
        lines.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">1e{decade}</text>')
    for k, (name, e) in enumerate(all_errors.items()):
        y = top + (height - top) * (high - np.clip(np.log10(np.maximum(e, 1e-12)), low, high)) / (high - low)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colours[k]}" stroke-width="1.5"/>')
        place = left + sum(7 * len(other) + 16 for other in list(all_errors)[:k])
        lines.append(f'<text x="{place}" y="{height + 32}" fill="{colours[k]}">{name}</text>')
    lines.append(f'<text x="{width - 20}" y="{height + 14}" text-anchor="end">t from 0 to {t[-1]:g} s; error of all joints, rad</text>')
    lines.append("</svg>")
    pathlib.Path(file).write_text("\n".join(lines) + "\n")


def main() -> None:
    results = {name: run(changes) for name, changes in CASES.items()}
    found = {name: errors(result) for name, result in results.items()}
    print(f"{'':28s}{'largest':>12s}{'rms':>12s}   rad")
    for name, e in found.items():
        print(f"{name:28s}{e.max():12.3e}{np.sqrt(np.mean(e**2)):12.3e}")
    if len(sys.argv) > 1:
        draw(results["exact model"].t, found, sys.argv[1])


if __name__ == "__main__":
    main()
