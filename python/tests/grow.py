#!/usr/bin/env python3
"""No growth of memory over many loads, experiments and callbacks.

    PYTHONPATH=build/release/python python3 python/tests/grow.py [--count 100000]

Each of the kinds of use below is repeated `count` times; the resident memory after the first tenth, when pools are filled, and at
the end must differ by less than 32 bytes a time (and 4 MB in all: what the allocator keeps at hand).
"""

from __future__ import annotations

import argparse
import gc
import os
import pickle
import sys

import ulna

TEXT = """
ulna: 1
name: arm
bodies: [{name: upper, mass: 2, centre: [0.2, 0, 0], inertia: [0.01, 0.03, 0.03]}]
joints: [{name: joint1, type: revolute, parent: world, child: upper, axis: [0, 1, 0]}]
"""


class Owner:
    """Holds an experiment whose controller is a method of its own: a cycle through C++."""

    def __init__(self, robot):
        self.experiment = ulna.Experiment(robot, 0.001).control(self.law, ["joint1"])
        self.room = bytearray(1000)

    def law(self, t, q, v):
        return [0.0]


def uses(robot):
    """What is repeated, by name."""

    def refuse():
        try:
            robot.modes(count="six")
        except TypeError:
            pass

    again, function = ulna.Experiment(robot, 0.001).move("joint1", "t"), robot.compile("gravity")

    yield "loads", lambda: ulna.loads(TEXT)
    yield "experiments", lambda: ulna.Experiment(robot, 1.0, q={"joint1": 0.1}).move("joint1", "sin(t)").record("q")
    yield "callbacks in cycles", lambda: Owner(robot)
    yield "motions of functions", lambda: ulna.motions.sequence([lambda t: (0.0, 0.0, 0.0)]) + 1.0
    yield "pickles of experiments", lambda: pickle.loads(pickle.dumps(ulna.Experiment(robot, 1.0).move("joint1", "t")))
    yield "edited robots", lambda: robot.replace(bodies={"upper": {"mass": 3.0}})
    yield "one experiment, changed", lambda: again.start(q=[0.1], v={"joint1": 0.2}).effort("joint1", lambda t: 0.0).record("q").integrator("rk4", step=1e-3)
    yield "runs", lambda: ulna.simulate(again)
    yield "calls by name", lambda: function({"joint1": 0.1}, out=None)
    yield "refused arguments", refuse


def resident() -> int:
    if "ULNA_SANITIZED" in os.environ:
        return 0  # the address sanitizer keeps what was freed
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def growth(use, count) -> int:
    """Bytes from the first tenth to the end."""
    for _ in range(max(count // 10, 100)):
        use()
    gc.collect()
    before = resident()
    for _ in range(count):
        use()
    gc.collect()
    return resident() - before


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000)
    count = parser.parse_args().count
    robot, failed = ulna.loads(TEXT), False
    for name, use in uses(robot):
        more = growth(use, count)
        bad = more > 4_000_000 + 32 * count
        failed = failed or bad
        print(f"{name:25} {more / 1024:10.0f} KiB over {count} times{'  GROWS' if bad else ''}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
