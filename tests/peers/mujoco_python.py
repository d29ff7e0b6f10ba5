"""Converted MuJoCo models in the MuJoCo of PyPI: efforts as Ulna computes them.

    mujoco_python.py [--in PYTHON] ULNA [ROBOT ...]

PYTHON is one that has the package mujoco. Status 77 where there is none: the witness is left out. (The tests
in C++ compare with the library of the distribution.)
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
    import mujoco
    import numpy as np
except ImportError:
    print("MuJoCo's Python package is out of reach: its witness is left out")
    sys.exit(77)


def ask(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def compare(ulna, robot, file):
    """The largest difference of efforts over five random states, relative to their size; None: not comparable."""
    lost = ask(ulna, "convert", robot, "-o", file, "--json")["lost"]
    own = ask(ulna, "info", file, "--json")
    moving = [joint for joint in own["joints"] if joint["dof"] > 0]
    if own.get("loops") or any(joint["dof"] > 1 for joint in moving):
        return None
    try:
        model = mujoco.MjModel.from_xml_path(str(file))
    except ValueError as error:  # what moves must have mass: the writer says so
        if any("MuJoCo itself refuses it" in str(note) for note in lost):
            return None
        raise SystemExit(f"{robot}: {error}")
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    at = [model.joint(joint["name"]).dofadr[0] for joint in moving]
    random = np.random.default_rng(3)
    worst = 0.0
    for _ in range(5):
        q, v, a = random.uniform(-1, 1, (3, len(moving)))
        words = [word for key, x in (("--q", q), ("--v", v), ("--a", a))
                 for word in (key, ",".join(map(repr, x.tolist())))]
        tau = np.array(ask(ulna, "inverse", file, "--json", *words)["tau"])
        data.qpos[at], data.qvel[at], data.qacc[at] = q, v, a
        mujoco.mj_inverse(model, data)
        theirs = data.qfrc_inverse[at] + model.dof_frictionloss[at] * np.sign(v)
        worst = max(worst, np.abs(tau - theirs).max() / max(1.0, np.abs(tau).max()))
    return worst


if __name__ == "__main__":
    ulna, robots = sys.argv[1], sys.argv[2:]
    if not robots:
        robots = [robot["name"] for robot in ask(ulna, "robots", "--json")["robots"]]
    failed, compared = False, 0
    with tempfile.TemporaryDirectory() as folder:
        for robot in robots:
            name = pathlib.Path(robot).stem
            difference = compare(ulna, robot, pathlib.Path(folder) / f"{name}.xml")
            if difference is None:
                continue
            compared += 1
            print(f"{name}: {difference:.2g}")
            failed |= not difference < 1e-6  # MuJoCo keeps inertias by principal axes, to about 1e-7
    print(f"{compared} of {len(robots)} robots compared; the others have loops, balls or massless bodies")
    sys.exit(1 if failed or compared == 0 else 0)
