#!/usr/bin/env python3
"""What Python costs on top of C++, and how it compares with Pinocchio's Python calls.

    bench/python/bench.py REFERENCE [--pinocchio PYTHON] [--json FILE] [--rounds N]

REFERENCE is the program ulna-python-reference; PYTHON an interpreter that can import pinocchio.
C++ and Python are timed in turns in short rounds, and the least of all is taken: on a busy machine
anything else measures the neighbours. Exit status 1 when a promise is not kept (--report only: never).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import timeit
from pathlib import Path

import numpy as np

import ulna

ROBOT = Path(__file__).with_name("arm7.urdf")
STATES = 100_000
PROMISED_OVERHEAD = 1200  # ns per call
PROMISED_SHARE = 0.85  # of the speed of the C++ batch
PROMISED_OVER_PINOCCHIO = 30

PINOCCHIO_LOOP = """
import sys, time, numpy as np, pinocchio as pin
model = pin.buildModelFromUrdf(sys.argv[1])
data = model.createData()
q, v, a, tau = np.load(sys.argv[2])
best = 1e30
out = np.empty_like(q)
for first in range(0, len(q), 100):  # the least of short rounds, as for Ulna
    begin = time.perf_counter()
    for k in range(first, first + 100):
        out[k] = pin.rnea(model, data, q[k], v[k], a[k])
    best = min(best, (time.perf_counter() - begin) / 100)
assert np.abs(out - tau).max() < 1e-9 * np.abs(tau).max(), np.abs(out - tau).max()
print(best * len(q) * 1e9)
"""




def bound(method, *args):
    """The call as one writes it in a loop: the method looked up, arguments by place."""
    names = {"f": method, **{f"a{k}": x for k, x in enumerate(args)}}
    text = f"f({', '.join(f'a{k}' for k in range(len(args)))})"
    return lambda number: timeit.timeit(text, globals=names, number=number) / number * 1e9


def measure(reference: str, rounds: int) -> dict[str, dict[str, float]]:
    robot = ulna.load(ROBOT)
    q = np.linspace(0.1, 0.9, robot.nv)
    singles = {
        "inverse_dynamics": bound(robot.inverse_dynamics, q, q, q),
        "forward_dynamics": bound(robot.forward_dynamics, q, q, q),
        "gravity": bound(robot.gravity, q),
        "mass_matrix": bound(robot.mass_matrix, q),
        "jacobian": bound(robot.jacobian, q),
        "fk": bound(robot.fk, q),
    }
    Q, V, A = np.random.default_rng(1).uniform(-1, 1, (3, STATES, robot.nv))
    cpp: dict[str, float] = {}
    python: dict[str, float] = {}
    for _ in range(rounds):
        found = json.loads(subprocess.run([reference, str(ROBOT), str(STATES)], check=True, capture_output=True).stdout)
        for name, value in found.items():
            cpp[name] = min(cpp.get(name, np.inf), value)
        for name, call in singles.items():
            python[name] = min([python.get(name, np.inf)] + [call(100) for _ in range(1000)])
        batch = bound(robot.inverse_dynamics, Q, V, A)
        python["batch"] = min([python.get("batch", np.inf)] + [batch(1) for _ in range(60)])
    return {name: {"cpp": cpp[name], "python": python[name]} for name in python}


def measure_compiled(rounds: int) -> dict[str, dict[str, float]]:
    """robot.compile against the general function, both in Python on one thread: ns a call, ns a state."""
    robot = ulna.load(ROBOT)
    compiled = robot.compile("inverse")
    if not compiled.compiled:
        return {}
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, 20_000, robot.nv))
    threads = ulna.threads()
    ulna.set_threads(1)
    best: dict[str, dict[str, float]] = {"one call": {}, "a state of a batch": {}}
    for _ in range(rounds):
        for name, function in (("general", robot.inverse_dynamics), ("compiled", compiled)):
            one, many = bound(function, q[0], v[0], a[0]), bound(function, q, v, a)
            for kind, times in (("one call", [one(100) for _ in range(500)]), ("a state of a batch", [many(1) / len(q) for _ in range(20)])):
                best[kind][name] = min([best[kind].get(name, np.inf), *times])
    ulna.set_threads(threads)
    return best


def pinocchio_loop(interpreter: str, folder: Path) -> float:
    """Nanoseconds for all states, one Python call each."""
    robot = ulna.load(ROBOT)
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, STATES, robot.nv))
    np.save(folder / "states.npy", np.stack([q, v, a, robot.inverse_dynamics(q, v, a)]))
    command = [interpreter, "-c", PINOCCHIO_LOOP, str(ROBOT), str(folder / "states.npy")]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reference")
    parser.add_argument("--pinocchio", metavar="PYTHON")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--report", action="store_true", help="exit status 0 whatever is found")
    options = parser.parse_args()
    results = measure(options.reference, options.rounds)
    print(f"{'one call, 7R arm':24}{'C++ ns':>10}{'Python ns':>12}{'above':>10}")
    kept = True
    for name, t in results.items():
        if name == "batch":
            continue
        above = t["python"] - t["cpp"]
        kept &= above < PROMISED_OVERHEAD
        print(f"{name:24}{t['cpp']:10.0f}{t['python']:12.0f}{above:10.0f}")
    batch = results["batch"]
    share = batch["cpp"] / batch["python"]
    kept &= share >= PROMISED_SHARE
    print(f"\nbatch of {STATES} inverse dynamics, {ulna.threads()} threads, kernels {ulna.instruction_set()}")
    print(f"  C++ {batch['cpp'] / STATES:.1f} ns a state, Python {batch['python'] / STATES:.1f}: {100 * share:.0f} % of its speed")
    for kind, t in measure_compiled(options.rounds).items():
        results[f"compiled, {kind}"] = t
        print(f"  inverse dynamics, {kind}, one thread: {t['general']:.1f} ns, compiled {t['compiled']:.1f}")
    if options.pinocchio:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            loop = pinocchio_loop(options.pinocchio, Path(folder))
        results["pinocchio_loop"] = {"python": loop}
        ratio = loop / batch["python"]
        kept &= ratio >= PROMISED_OVER_PINOCCHIO
        print(f"  a loop over Pinocchio's calls: {loop / STATES:.0f} ns a state, {ratio:.0f} times as long")
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=2) + "\n")
    print("\nall promises kept" if kept else "\na promise is NOT kept")
    return 0 if kept or options.report else 1


if __name__ == "__main__":
    sys.exit(main())
