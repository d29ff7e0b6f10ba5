#!/usr/bin/env python3
"""comparison_calls.py [--in PYTHON ...] ULNA PACKAGE: the calls that docs/comparison.md shows side by side give the same.

The cells of each row are run as they stand on the page, with the names of PREPARE, and compared as CHECKS
says. The other tools are witnesses: PYTHON is one that has them (bench/peers/fetch_simulators.sh,
bench/python/fetch_pinocchio.sh), and the status is 77 where none has. ULNA is the program, PACKAGE the folder with the
Python package.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "comparison.md"
ROBOT = "iiwa14"

PREPARE = {
    "Pinocchio": """
import pinocchio as pin
model = pin.buildModelFromUrdf("arm.urdf")
data = model.createData()
frame_of_peer = model.getFrameId("flange")
""",
    "MuJoCo": """
import mujoco
model = mujoco.MjModel.from_xml_path("arm.xml")
model.opt.timestep = 1e-4
data = mujoco.MjData(model)
M = np.zeros((model.nv, model.nv))
def state():
    data.qpos[:], data.qvel[:], data.qacc[:], data.qfrc_applied[:] = q, v, a, tau
    mujoco.mj_fwdPosition(model, data)
state()
""",
    "Drake": """
from pydrake.all import (AddMultibodyPlantSceneGraph, DiagramBuilder, JacobianWrtVariable, MultibodyForces, Parser,
                         Simulator)
builder = DiagramBuilder()
plant, scene = AddMultibodyPlantSceneGraph(builder, 0.0)
""",
}
AFTER_LOADING = {"Drake": """
plant.Finalize()
diagram = builder.Build()
context = plant.GetMyMutableContextFromRoot(diagram.CreateDefaultContext())
plant.SetPositions(context, q)
plant.SetVelocities(context, v)
vdot, p, world, frame_of_peer = a, np.zeros(3), plant.world_frame(), plant.GetFrameByName("flange")
forces = MultibodyForces(plant)
plant.CalcForceElementsContribution(context, forces)
"""}


def near(x, y, tolerance=1e-9):
    x, y = np.asarray(x), np.asarray(y)
    return x.shape == y.shape and np.abs(x - y).max() <= tolerance * max(1, np.abs(y).max())


def halves_swapped(x, y):
    return near(np.vstack([x[3:], x[:3]]), y)


def derivatives(x, y):
    return all(near(theirs, ours) for theirs, ours in zip(x, y))


def regressors(x, y):
    """They order the parameters differently: each gives the torques with its own."""
    theirs = np.concatenate([inertia.toDynamicParameters() for inertia in list(names["model"].inertias)[1:]])
    ours = np.array(list(names["robot"].parameters().values()))[: y.shape[1]]
    return near(x @ theirs, y @ ours)


def loaded(x, y):
    return y.nv == 7


def simulated(x, y):
    """A fall of two seconds, which each program integrates in its own way."""
    return abs(y.t[-1] - 2) < 1e-12


CHECKS = {("Pinocchio", "Jacobian"): halves_swapped, ("Pinocchio", "derivatives"): derivatives,
          ("Pinocchio", "regressor"): regressors}


def value(cell):
    """What the last of the pieces of code of a cell gives."""
    result = None
    for piece in re.findall(r"`([^`]+)`", cell):
        result = eval(piece, names)
    return result


def main():
    global names, np
    words = sys.argv[1:]
    pythons = []
    while words[:1] == ["--in"]:
        pythons.append(words[1])
        words = words[2:]
    if pythons:
        there = [python for python in pythons if os.access(python, os.X_OK)]
        environment = dict(os.environ, PYTHONPATH=words[1])
        statuses = [subprocess.run([python, __file__, *words], env=environment).returncode for python in there]
        return max([status for status in statuses if status != 77], default=77)

    import importlib.util
    modules = {"Pinocchio": "pinocchio", "MuJoCo": "mujoco", "Drake": "pydrake"}
    tools = [tool for tool, module in modules.items() if importlib.util.find_spec(module)]
    if not tools:
        print("neither Pinocchio nor MuJoCo nor Drake is there: their witness is left out")
        return 77
    import numpy as np
    import ulna

    sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.M)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for file in ("arm.urdf", "arm.xml"):
            subprocess.run([words[0], "convert", ROBOT, "-o", os.path.join(folder, file)], check=True,
                           capture_output=True)
        os.chdir(folder)
        for tool in tools:
            random = np.random.default_rng(1)
            q, v, a, tau = random.uniform(-1, 1, (4, 7))
            names = dict(np=np, ulna=ulna, q=q, v=v, a=a, tau=tau, robot=ulna.load(ROBOT), frame="flange")
            exec(PREPARE[tool], names)
            section = next(text for text in sections if text.startswith(tool + "\n"))
            rows = re.findall(r"^\| ([^|]+?) \| ([^|]*`[^|]*) \| ([^|]*`[^|]*) \|$", section, flags=re.M)
            if len(rows) < 5:
                print(f"{tool}: only {len(rows)} rows of code on {PAGE.name}")
                wrong += 1
            for row, theirs, ours in rows:
                names["frame"] = names.get("frame_of_peer")
                if tool == "MuJoCo":
                    names["state"]()
                try:
                    there = value(theirs)
                    names["frame"] = "flange"
                    here = value(ours)
                    names["robot"] = ulna.load(ROBOT)
                    check = {"load": loaded, "simulation": simulated}.get(row) or CHECKS.get((tool, row), near)
                    held = check(names["M"] if "mj_fullM" in theirs else there, here)
                except Exception as error:  # a witness tells what became of each call
                    held, there = False, f"{type(error).__name__}: {error}"
                if row == "load":
                    exec(AFTER_LOADING.get(tool, ""), names)
                print(f"{'as here' if held else 'NOT AS HERE'}  {tool}: {row}" + ("" if held else f"\n  {theirs}\n  {there}"))
                wrong += not held
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
