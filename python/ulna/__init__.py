"""Ulna: kinematics and dynamics of robots of every kind.

    import ulna
    robot = ulna.load("puma560")
    tau = robot.inverse_dynamics(q, v, a)       # (6,), or (N, 6) for a batch
    run = ulna.simulate(robot, 2.0, q=q)        # run.t, run.q, run["energy"], run.plot()

SI units, radians. Quaternions scalar first; twists and wrenches rotation first.
"""

from . import _interpreter

_interpreter.require_main()

from . import _editing, _logs, _recipes, _robot_text, _structure_sweeps  # noqa: E402

for _part in (_editing, _logs, _structure_sweeps, _recipes, _robot_text):
    _part.install()  # what the compiled classes have from Python

from . import homogeneous, motions, plot  # noqa: E402
from ._core import (  # noqa: E402
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
    decoupling,
    elastic_levels,
    fidelity,
    formulations,
    function_names,
    has_report_page,
    instruction_set,
    integrator_names,
    language_names,
    load,
    loads,
    low_passed,
    measured_motion,
    discretize,
    dlqr,
    frequency_response,
    gramians,
    kalman,
    lqr,
    materials,
    place_poles,
    read_log,
    robots,
    set_threads,
    synthesis_methods,
    synthesize,
    tip_study,
    threads,
)
from ._sweep import Optimum, Sweep, optimize, sweep  # noqa: E402
from ._notebook import reload_page  # noqa: E402
from .pose import pose, quaternion, rpy  # noqa: E402
from .results import Wrench  # noqa: E402
from .run import Run, load_run, simulate, write_fmu  # noqa: E402

__all__ = [
    "CompiledFunction",
    "ComputationError",
    "Dynamics",
    "Experiment",
    "InputError",
    "Motion",
    "Optimum",
    "Platform",
    "PoseMotion",
    "Robot",
    "RobotBuilder",
    "Run",
    "Sweep",
    "Trajectory",
    "Wrench",
    "__version__",
    "decoupling",
    "elastic_levels",
    "fidelity",
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
    "low_passed",
    "measured_motion",
    "discretize",
    "dlqr",
    "frequency_response",
    "gramians",
    "kalman",
    "lqr",
    "materials",
    "motions",
    "optimize",
    "place_poles",
    "plot",
    "pose",
    "quaternion",
    "read_log",
    "reload_page",
    "rpy",
    "robots",
    "set_threads",
    "simulate",
    "sweep",
    "synthesis_methods",
    "synthesize",
    "tip_study",
    "threads",
    "write_fmu",
]
