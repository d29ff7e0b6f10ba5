"""Models in the MuJoCo of PyPI: mass matrices and efforts as Ulna computes them, of converted robots, of the models in
the folder mjcf, which cover the elements that are read, and of those that MuJoCo's and other packages bring.

    mujoco_python.py [--in PYTHON] ULNA [ROBOT ...]

PYTHON is one that has the package mujoco (tests/peers/fetch_mujoco.sh). Status 77 where there is none: the
witness is left out. (The tests in C++ compare with the library of the distribution.)
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

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
    """As compare_model, of a converted robot as a tree: MuJoCo's mass matrix and bias are those of the tree, so the
    equalities that close loops are taken out. Bodies without mass that move get some, which both compilers add."""
    lost = ask(ulna, "convert", robot, "-o", file, "--json")["lost"]
    tree = xml.parse(file)
    for section in tree.getroot().findall("equality"):
        tree.getroot().remove(section)
    if any("MuJoCo itself refuses it" in str(note) for note in lost):
        compiler = tree.getroot().find("compiler")
        compiler.set("boundmass", "1e-3")
        compiler.set("boundinertia", "1e-3")
    else:
        mujoco.MjModel.from_xml_path(str(file))  # as it was written
    tree.write(file)
    return compare_model(ulna, file)


def random_state(model, joints, random):
    """A state with the keys of published_mjcf.SameState; joints stand in the order of the file, some without a name."""
    kinds = {0: "free", 1: "ball", 2: "slide", 3: "hinge"}
    ids = range(model.njnt)
    assert len(joints) == model.njnt, (len(joints), model.njnt)
    assert all(model.joint(k).name in ("", joints[k]["name"]) for k in ids)
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
        off = model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS
        friction = 0 * data.qvel if off else model.dof_frictionloss * np.sign(data.qvel)
        theirs = same.T.T @ full_mass(model, data) @ same.T, same.T.T @ (data.qfrc_inverse + friction)
        worst = max(worst, *(np.abs(x - y).max() / np.abs(y).max() for x, y in zip(ours, theirs)))
    return worst


# What is refused, with the reason, because it acts and has no counterpart; and scenes without a body.
REFUSED = ("a spring on a free joint", "armature on a spherical joint", "a weighted sum of several",
           "of a tendon is not read", "there is no <body>", "<composite>", "<flexcomp>", "of a <flex>", "<plugin> of a body")


def packaged_models():
    """Files of the packages beside MuJoCo's that it compiles, without parts of other models."""
    for package in ("mujoco/mjx/test_data", "mujoco/testdata", "dm_control", "gymnasium"):
        for file in sorted((pathlib.Path(mujoco.__file__).parents[1] / package).rglob("*.xml")):
            try:
                mujoco.MjModel.from_xml_path(str(file))
            except ValueError:
                continue
            yield file


def compare_packaged(ulna, file):
    """As compare_model, as a tree and without a fluid; None: it is refused for a reason of REFUSED, or nothing moves."""
    tree = xml.parse(file)
    root = tree.getroot()
    for section in root.findall("equality") + root.findall("keyframe"):
        root.remove(section)
    for option in root.iter("option"):
        for fluid in ("density", "viscosity"):
            option.attrib.pop(fluid, None)
    # Friction of a floating body acts along its own axes, which the report says.
    for joint in [*root.iter("joint"), *root.iter("freejoint")]:
        if joint.tag == "freejoint" or joint.get("type") == "free":
            joint.attrib.pop("frictionloss", None)
    copy = file.with_name("copy_of_the_witness.xml")  # beside it, for the files that it names
    try:
        tree.write(copy)
        if mujoco.MjModel.from_xml_path(str(copy)).nv == 0:
            return None
        if any("the mass of mesh" in str(note) for note in ask(ulna, "check", copy, "--json")["changed"]):
            return None  # a mesh in a form that is not read, which the report says
        return compare_model(ulna, copy)
    except SystemExit as error:
        if any(reason in str(error) for reason in REFUSED):
            return None
        raise
    finally:
        copy.unlink(missing_ok=True)


if __name__ == "__main__":
    ulna, robots = sys.argv[1], sys.argv[2:]
    failed, compared = False, 0
    if not robots:
        robots = [robot["name"] for robot in ask(ulna, "robots", "--json")["robots"]]
        for name in ("tree", "compiler", "fromto", "included", "actuators", "hull", "classes", "flags", "surfaces",
                     "fitted", "attached", "copies", "chain", "balls"):
            difference = compare_model(ulna, pathlib.Path(__file__).parent / "mjcf" / f"{name}.xml")
            print(f"{name}.xml: {difference:.2g}")
            # MuJoCo searches principal axes to about 1e-11 and keeps corners of meshes in single precision.
            failed |= not difference < (1e-6 if name in ("hull", "fitted") else 1e-10)
        for file in packaged_models():
            difference = compare_packaged(ulna, file)
            if difference is not None:
                print(f"{file.parent.name}/{file.name}: {difference:.2g}")
                failed |= not difference < 1e-6  # corners of meshes, in single precision
    with tempfile.TemporaryDirectory() as folder:
        for robot in robots:
            name = pathlib.Path(robot).stem
            difference = compare(ulna, robot, pathlib.Path(folder) / f"{name}.xml")
            compared += 1
            print(f"{name}: {difference:.2g}")
            failed |= not difference < 1e-6  # MuJoCo keeps inertias by principal axes, to about 1e-7
    print(f"{compared} robots compared")
    sys.exit(1 if failed or compared == 0 else 0)
