#!/usr/bin/env python3
"""How much faster two ranks are than one, by processor time.

    bench/study_ranks.py ULNA [--samples N] [--rounds R] [--study FILE]

One rank and two take turns. What would be the time by the clock on processors that nobody else uses is the processor time of
one rank, and the largest of the two: ranks do not wait for each other. Start and end of the program are part of it. Samples of
a tenth of a millisecond, a Puma 560 under PD control, another gain each.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

EXPERIMENT = """experiment: 1
name: hold
robot: puma560
duration: 20 ms
start: {q: {joint2: 0.02}}
motions: {joint1: 0.05*cycloid(t/0.02), joint2: 0, joint3: 0, joint4: 0, joint5: 0, joint6: 0}
drives: {joint1: controller, joint2: controller, joint3: controller, joint4: controller, joint5: controller, joint6: controller}
controllers: [{name: c, law: pd, kp: 20, kd: 4}]
record: {interval: 10 ms}
"""
STUDY = """study: 1
experiment: hold.yaml
parameters: [{path: controllers.c.kp, uniform: {from: 20, to: 22}}]
sampling: {count: %d}
run: simulate
measures: {peak: {take: largest, of: abs(tau.joint2)}}
"""
# The process of a rank: what it and its threads used.
RANK = """import os, resource, subprocess, sys
status = subprocess.call(sys.argv[2:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
open(sys.argv[1] + "." + os.environ.get("OMPI_COMM_WORLD_RANK", "0"), "w").write(str(used.ru_utime + used.ru_stime))
sys.exit(status)
"""


def used(ulna, folder, study, ranks):
    """The processor time of every rank, and what handing out cost rank 0."""
    words = [sys.executable, "rank.py", "used", ulna, "sweep", str(study), "-o", "out", "--threads", "1"]
    if ranks > 1:
        words = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] + words
    subprocess.run(words, cwd=folder, check=True, stderr=subprocess.DEVNULL)
    times = [float((folder / f"used.{k}").read_text()) for k in range(ranks)]
    summary = json.loads((folder / "out" / "summary.json").read_text())
    shutil.rmtree(folder / "out")
    return times, summary.get("hand_out")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ulna")
    parser.add_argument("--samples", type=int, default=100000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--study", help="another study than the one above")
    given = parser.parse_args()
    ulna = str(pathlib.Path(given.ulna).resolve())
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "rank.py").write_text(RANK)
        (folder / "hold.yaml").write_text(EXPERIMENT)
        study = pathlib.Path(given.study).resolve() if given.study else folder / "study.yaml"
        if not given.study:
            study.write_text(STUDY % given.samples)
        ratios = []
        for _ in range(given.rounds):
            (one,), _ = used(ulna, folder, study, 1)
            two, costs = used(ulna, folder, study, 2)
            ratios.append(one / max(two))
            print(
                f"one rank {one:.2f} s, two ranks {two[0]:.2f} and {two[1]:.2f} s: {ratios[-1]:.3f} times; by their sum "
                f"{2 * one / sum(two):.3f}; an answer {1e6 * costs['message_seconds'] / costs['messages']:.0f} us, "
                f"a row {1e6 * costs['row_seconds'] / max(1, costs['rows']):.2f} us",
                flush=True,
            )
        print(f"median {statistics.median(ratios):.3f}, from {min(ratios):.3f} to {max(ratios):.3f} (load {os.getloadavg()[0]:.1f})")


main()
