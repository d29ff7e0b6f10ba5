"""Models in the MuJoCo of PyPI: mass matrices and efforts as Ulna computes them, of converted robots and of the models in
the folder mjcf, which cover the elements that are read.

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


def random_state(model, joints, random):
    """A state with the keys of published_mjcf.SameState; joints in Ulna's order, which is that of the file."""
    kinds = {0: "free", 1: "ball", 2: "slide", 3: "hinge"}
    ids = [model.joint(joint["name"]).id for joint in joints]
    assert ids == sorted(ids)
    q = []
    for k in ids:
        kind = kinds[model.jnt_type[k]]
        turn = random.normal(size=4)
        q += [*(random.uniform(-1, 1, 3) if kind == "free" else []),
              *(turn / np.linalg.norm(turn) if kind in ("free", "ball") else random.uniform(-1, 1, 1))]
    return dict(joints=[dict(type=kinds[model.jnt_type[k]]) for k in ids], qpos=q, qvel=random.uniform(-1, 1, model.nv))


def full_mass(model, data):
    M = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, data, M)
    except TypeError:  # before MuJoCo 3.4
        mujoco.mj_fullM(model, M, data.qM)
    return M


def compare_model(ulna, file):
    """Mass matrix and efforts of a tree, relative to their size."""
    from published_mjcf import SameState, text
    model = mujoco.MjModel.from_xml_path(str(file))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    joints = [joint for joint in ask(ulna, "info", file, "--json")["joints"] if joint["dof"] > 0]
    random, worst = np.random.default_rng(5), 0.0
    for _ in range(3):
        state = random_state(model, joints, random)
        same = SameState(state)
        a = random.uniform(-1, 1, model.nv)
        data.qpos[:], data.qvel[:], data.qacc[:] = state["qpos"], state["qvel"], same.T @ a + same.bias
        mujoco.mj_inverse(model, data)
        ours = (np.array(ask(ulna, "mass", file, "--q", text(same.q), "--json")["M"]),
                np.array(ask(ulna, "inverse", file, "--q", text(same.q), "--v", text(same.v), "--a", text(a),
                             "--json")["tau"]))
        friction = model.dof_frictionloss * np.sign(data.qvel)
        theirs = same.T.T @ full_mass(model, data) @ same.T, same.T.T @ (data.qfrc_inverse + friction)
        worst = max(worst, *(np.abs(x - y).max() / np.abs(y).max() for x, y in zip(ours, theirs)))
    return worst


if __name__ == "__main__":
    ulna, robots = sys.argv[1], sys.argv[2:]
    failed, compared = False, 0
    if not robots:
        robots = [robot["name"] for robot in ask(ulna, "robots", "--json")["robots"]]
        for name in ("tree", "compiler", "fromto", "included", "actuators", "hull", "classes", "flags", "surfaces",
                     "fitted", "attached"):
            difference = compare_model(ulna, pathlib.Path(__file__).parent / "mjcf" / f"{name}.xml")
            print(f"{name}.xml: {difference:.2g}")
            # MuJoCo searches principal axes to about 1e-11 and keeps corners of meshes in single precision.
            failed |= not difference < (1e-6 if name in ("hull", "fitted") else 1e-10)
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
