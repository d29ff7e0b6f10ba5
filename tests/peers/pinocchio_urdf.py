"""Converted URDF files in Pinocchio: mass and efforts as Ulna computes them.

    pinocchio_urdf.py [--in PYTHON] ULNA [ROBOT ...]

PYTHON is one that has Pinocchio (bench/python/fetch_pinocchio.sh DIRECTORY). Status 77 where there is none:
the witness is left out.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

if sys.argv[1:2] == ["--in"] and os.access(sys.argv[2], os.X_OK):
    os.execv(sys.argv[2], [sys.argv[2], sys.argv[0], *sys.argv[3:]])

try:
    import numpy as np
    import pinocchio
except ImportError:
    print("Pinocchio is out of reach: its witness is left out")
    sys.exit(77)


def ask(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def compare(ulna, robot, file):
    """The largest difference of efforts over three random states, relative to their size; None: not comparable, for the
    robot has joints of several degrees or joints that follow others (which Pinocchio lets move freely). Loops are opened:
    Pinocchio reads the tree only."""
    ask(ulna, "convert", robot, "-o", file, "--json")
    pinocchio.buildModelFromUrdf(str(file))
    ask(ulna, "convert", robot, "-o", file, "--loops", "none", "--json")
    model = pinocchio.buildModelFromUrdf(str(file))
    data = model.createData()
    own = ask(ulna, "info", file, "--json")
    moving = [joint for joint in own["joints"] if joint["dof"] > 0]
    names = [joint["name"] for joint in moving]
    if any(joint["dof"] > 1 for joint in moving) or sorted(names) != sorted(list(model.names)[1:]):
        return None
    model.gravity.linear = np.array(own.get("gravity", [0, 0, -9.81]), dtype=float)
    order = [names.index(name) for name in list(model.names)[1:]]
    random = np.random.default_rng(1)
    worst = 0.0
    for _ in range(3):
        q, v, a = random.uniform(-1, 1, (3, len(names)))
        tau = np.array(ask(ulna, "inverse", file, "--json",
                           *[word for key, x in (("--q", q), ("--v", v), ("--a", a))
                             for word in (key, ",".join(map(repr, x.tolist())))])["tau"])
        place = pinocchio.neutral(model)
        for k, joint in enumerate(order):
            at = model.joints[k + 1]
            if at.nq == 2:  # a continuous joint is a point of the circle
                place[at.idx_q:at.idx_q + 2] = np.cos(q[joint]), np.sin(q[joint])
            else:
                place[at.idx_q] = q[joint]
        theirs = pinocchio.rnea(model, data, place, v[order], a[order])
        theirs = theirs + model.damping * v[order] + model.friction * np.sign(v[order])
        worst = max(worst, np.abs(tau[order] - theirs).max() / max(1.0, np.abs(tau).max()))
    return worst


if __name__ == "__main__":
    robots = sys.argv[2:] or [robot["name"] for robot in ask(sys.argv[1], "robots", "--json")["robots"]]
    failed, compared = False, 0
    with tempfile.TemporaryDirectory() as folder:
        for robot in robots:
            name = pathlib.Path(robot).stem
            difference = compare(sys.argv[1], robot, pathlib.Path(folder) / f"{name}.urdf")
            if difference is None:
                continue
            compared += 1
            print(f"{name}: {difference:.2g}")
            failed |= not difference < 1e-12
    print(f"{compared} of {len(robots)} robots compared; the others have joints of several degrees or mimic joints")
    sys.exit(1 if failed or compared == 0 else 0)
