"""Ulna: kinematics and dynamics of robots of every kind.

    import ulna
    robot = ulna.load("puma560")
    tau = robot.inverse_dynamics(q, v, a)       # (6,), or (N, 6) for a batch
    run = ulna.simulate(robot, 2.0, q=q)        # run.t, run.q, run["energy"], run.plot()

SI units, radians. Quaternions scalar first; twists and wrenches rotation first.
"""

from . import _robot_text, homogeneous, motions, plot
from ._core import (
    CompiledFunction,
    ComputationError,
    Dynamics,
    Experiment,
    InputError,
    Motion,
    Platform,
    PoseMotion,
    Robot,
    RobotBuilder,
    Trajectory,
    __version__,
    elastic_levels,
    formulations,
    function_names,
    has_report_page,
    instruction_set,
    integrator_names,
    language_names,
    load,
    loads,
    lqr,
    materials,
    place_poles,
    robots,
    set_threads,
    threads,
)
from .pose import pose
from .results import Wrench
from .run import Run, load_run, simulate

_robot_text.install()

__all__ = [
    "CompiledFunction",
    "ComputationError",
    "Dynamics",
    "Experiment",
    "InputError",
    "Motion",
    "Platform",
    "PoseMotion",
    "Robot",
    "RobotBuilder",
    "Run",
    "Trajectory",
    "Wrench",
    "__version__",
    "elastic_levels",
    "formulations",
    "function_names",
    "has_report_page",
    "homogeneous",
    "instruction_set",
    "integrator_names",
    "language_names",
    "load",
    "load_run",
    "loads",
    "lqr",
    "materials",
    "motions",
    "place_poles",
    "plot",
    "pose",
    "robots",
    "set_threads",
    "simulate",
    "threads",
]
