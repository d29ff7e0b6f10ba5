"""Right calls that make or change something, for the fuzz to spoil: of builders, experiments, robots like others, files, code.

What a call has made or changed is used afterwards (a builder builds, an experiment runs, a robot answers): what was taken in must not
break what comes later.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

import numpy as np

import ulna

ROOT = Path(__file__).resolve().parents[2]
STEEL = {"E": 2e11, "nu": 0.3, "density": 7800}
TUBE = {"tube": {"outer": 0.1, "inner": 0.08}}


class Used:
    """A call whose result, or whose object, is used at once. `make` gives the object, each time a new one."""

    def __init__(self, make, name, use):
        self.make, self.name, self.use = make, name, use
        self.owner = type(make())

    def __call__(self, **keywords):
        thing = self.make()
        return self.use(getattr(thing, self.name)(**keywords))


def name_of(function):
    """'Robot.fk', 'lqr', 'Motion.__call__': what a call is of."""
    if isinstance(function, Used):
        return f"{function.owner.__name__}.{function.name}"
    if isinstance(function, (ulna.Motion, ulna.CompiledFunction)):
        return f"{type(function).__name__}.__call__"
    owner = type(getattr(function, "__self__", None))
    return f"{owner.__name__}.{function.__name__}" if owner.__module__.startswith("ulna") else function.__name__


# A state that is no number has results that are none, as in NumPy: one of them in a batch does not spoil the others.
STATES = "q v a tau dv q0 q1 twist rates acceleration accelerations efforts wrench wrenches drives".split()
# Arguments of single functions, with the reason.
MAY_BE_NAN = {
    "out": "is overwritten",
    "Run.values": "a record of what was measured or computed",
    "Run.get.default": "is given back",
    "Run.get.name": "is no channel, so that the default is given back",
    "quaternion.X": "poses of states that are nan",
    "rpy.X": "poses of states that are nan",
    "plot_robot.q": "a state, which is then not drawn",
    "Robot.ik.target": "on_failure='nan' gives nan for it",
}


def may_be_nan(function, key):
    name = name_of(function)
    limits = name in ("Robot.minimum_time", "Robot.fastest_scale")  # of rates and efforts
    of_states = key in STATES and name.split(".")[0] in ("Robot", "Dynamics", "Platform", "CompiledFunction") and not limits
    return of_states or key in MAY_BE_NAN or f"{name}.{key}" in MAY_BE_NAN


def answers(robot):
    """A robot is asked for a few things."""
    q = robot.neutral()
    robot.fk(q), robot.mass_matrix(q), robot.to_yaml(), str(robot)
    return robot.gravity(q)


def built(builder):
    return answers(builder.build())


def runs(experiment):
    return ulna.simulate(experiment)


def evaluated(made):
    """A motion is asked for its values."""
    return made(0.1), made.rate([0.0, 0.2]), repr(made)


def of_builders(arm):
    def builder():
        b = arm.builder().body("sledge", 1.0, inertia=(0.1, 0.1, 0.1)).joint("slide", "prismatic", "world", "sledge", rotor_inertia=0.1)
        return b.body("rod", 0.5, inertia=(0.1, 0.1, 0.1)).joint("hinge", "revolute", "world", "rod").payload("tool", "rod", 0.1)

    def also_body():
        return builder().body("more", 1.0, inertia=(0.1, 0.1, 0.1))

    def held(b):
        return built(b.joint("holds", "revolute", "world", "more"))

    ends = {"body": "world", "point": [0, 0, 3.0]}
    calls = {
        "edit_body": {"name": "upper", "mass": 2.0, "centre": (0.1, 0, 0), "inertia": (0.1, 0.1, 0.1)},
        "edit_joint": {"name": "joint1", "axis": (0, 0, 1.0), "at": (0, 0, 1.0), "lower": -1.0, "upper": 1.0, "damping": 0.1, "friction": 0.2, "stiffness": 3.0, "rest": 0.1},
        "edit_frame": {"name": "hand", "body": "upper", "at": np.eye(4)},
        "edit_payload": {"name": "tool", "body": "upper", "mass": 1.0, "centre": (0, 0, 0.1), "inertia": (0.1, 0.1, 0.1), "at": (0, 0, 1.0)},
        "remove": {"kind": "payload", "name": "tool"},
        "element": {"name": "spring", "type": "spring-damper", "from_": "hand", "to": ends, "free_length": 0.5, "stiffness": 10.0, "damping": 1.0},
        "bushings": {"joint": "slide", "bushings": [{"at": 0, "stiffness": 2e7}]},
        "elastic_transmission": {"joint": "slide", "stiffness": 100.0, "hardening": 1.0, "backlash": 0.01, "damping": 0.1, "friction": 0.1},
        "elastic_drive": {"joint": "slide", "stiffness": 100.0},
        "distance": {"name": "bar", "parent": "upper", "child": "rod", "length": 1.0, "parent_point": (0, 0, 1.0), "child_point": (0, 0, 0)},
        "coupling": {"name": "gear", "terms": {"joint1": 1.0, "hinge": -2.0}, "offset": 0.0},
        "frame": {"name": "eye", "body": "upper", "at": (0, 0, 1.0)},
        "payload": {"name": "load", "body": "upper", "mass": 1.0, "centre": (0, 0, 0.1), "inertia": (0.1, 0.1, 0.1), "at": (0, 0, 1.0)},
        "geometry": {"body": "upper", "shape": "box", "size": (0.1, 0.1, 0.1), "at": (0, 0, 0.1), "colour": (0.1, 0.2, 0.3, 1.0)},
    }  # fmt: skip
    yield from ((Used(builder, name, built), keywords) for name, keywords in calls.items())
    yield Used(lambda: arm.builder().body("tube").joint("swing", "revolute", "world", "tube"), "beam", built), {"body": "tube", "length": 1.0, "material": STEEL, "section": TUBE, "elements": 2, "attached": [{"at": "end", "mass": 1.0}], "flexible": {"modes": {"bending_y": 1}}}  # fmt: skip
    yield Used(builder, "body", held), {"name": "more", "mass": 1.0, "centre": (0, 0, 0.1), "inertia": np.diag([0.1, 0.1, 0.1])}
    dh = {"convention": "standard", "theta": 0.0, "d": 0.1, "a": 0.2, "alpha": 0.3}
    yield Used(also_body, "joint", built), {"name": "last", "type": "spherical", "parent": "lower", "child": "more", "child_at": (0, 0, 0.1), "damping": [0.1] * 3, "velocity": 2.0, "effort": 3.0}  # fmt: skip
    yield Used(also_body, "joint", built), {"name": "last", "type": "revolute", "parent": "lower", "child": "more", "dh": dh, "rotor_inertia": 0.1, "gear_ratio": 5.0, "mimic": ("joint1", 2.0, 0.1)}  # fmt: skip
    yield Used(also_body, "joint", built), {"name": "last", "type": "screw", "parent": "lower", "child": "more", "axis": (0, 1.0, 0), "pitch": 0.1, "hardening": 0.1}  # fmt: skip


def of_experiments(arm):
    jack = arm.builder().element("jack", "actuator", "hand", {"body": "world", "point": [0, 0, 3.0]}).build()
    ball = ulna.RobotBuilder("ball").body("ball", 1.0, inertia=(0.1, 0.1, 0.1)).joint("base", "free", "world", "ball").build()
    hexapod = ulna.load("stewart-6-6")
    start = hexapod.assemble()

    def experiment():
        return ulna.Experiment(arm, 0.02, q=[0.1, 0.2])

    def moved():
        return ulna.Experiment(arm, 0.02).move("joint1", "0.1*t").move("joint2", "0.2*cycloid(t/0.02)")

    def lying():
        return ulna.Experiment(ball, 0.02, q=[1.0, 0, 0, 0, 0, 0, 0.1])

    def answer(_):
        return None

    sensors = [{"encoder": "all", "rate": 1000.0, "counts": 4096, "noise": 1e-4}]
    events = [{"when": "q.joint1", "above": 3.0, "do": ["stop", lambda t, q, v: None]}]
    calls = {
        "start": {"q": {"joint1": 0.3}, "v": [0.1, 0.2]},
        "move": {"joint": ["joint1"], "motion": lambda t: (0.1 + 0.1 * t, 0.1, 0.0)},
        "follow": {"trajectory": ulna.motions.joints(["0.1 + 0.1*t", "0.2 + 0.2*t"])},
        "effort": {"joint": "joint1", "effort": "-2*q.joint1 + sin(t)"},
        "efforts": {"t": np.linspace(0, 1, 5), "efforts": {"joint1": np.zeros(5)}, "interpolation": "cubic"},
        "lock": {"joint": "joint1"},
        "free": {"joint": "all"},
        "control": {"law": lambda t, q, v: [-q[0]], "joints": "joint1", "rate": 100.0, "reference": False},
        "wrench": {"body": "lower", "force": lambda t: (0.0, 0, 1.0), "moment": ("t", 0.0, 1.0), "point": (0.1, 0, 0), "expressed_in": "hand"},
        "contact": {"frame": "hand", "radius": 0.01, "plane": "world", "plane_point": (0, 0, -2.0), "normal": (0, 0, 1.0), "friction": 0.2, "restitution": 0.1, "static_friction": 0.3, "rest_speed": 1e-3},
        "impacts": {"law": "poisson"},
        "friction_at_rest": {"joint": "joint1", "effort": 1.0, "stribeck_speed": 0.1},
        "stop_when": {"channel": "q.joint1", "passes": 0.15, "name": "far", "go_on": False},
        "feel_limits": {"restitution": 0.1, "rest_speed": 1e-3},
        "integrator": {"method": "rk4", "step": 1e-3, "most_steps": 1000},
        "record": {"channels": ["q", "energy", "frame.hand"], "interval": 0.01, "interpolate": True},
        "elastic": {"level": "exact", "elements": 2, "shear": True},
        "method": {"method": "kane", "closing": None},
    }  # fmt: skip
    yield from ((Used(experiment, name, runs), keywords) for name, keywords in calls.items())
    yield from [
        (Used(experiment, "add", runs), {"controllers": [{"law": "pd", "joints": ["joint1"], "kp": 10.0, "kd": {"joint1": 1.0}, "sensors": "all"}], "sensors": sensors, "events": events}),
        (Used(moved, "timing", answer), {"kind": "minimum-time", "scale": 2.0, "rates": [1.0, 1.0], "efforts": [90.0, 90.0], "intervals": 30}),
        (Used(moved, "motion", answer), {"times": [0.0, 0.01]}),
        (Used(moved, "linearize", answer), {"times": [0.0, 0.01], "frame": "hand"}),
        (Used(moved, "influence_coefficients", answer), {"frame": "hand", "inputs": ["joint1", "joint2"], "point": (0, 0, 0.1), "interval": 0.01}),
        (Used(lambda: ulna.Experiment(jack, 0.02), "input", runs), {"name": "jack", "force": "10*q.joint1 + t"}),
        (Used(lambda: ulna.Experiment(jack, 0.02), "input", runs), {"name": "jack", "law": lambda t, q, v: 1.0}),
        (Used(lambda: ulna.Experiment(jack, 0.02).control("pd", kp=1.0), "input", runs), {"name": "jack", "delivers": "joint1"}),
        (Used(lying, "rolling", runs), {"frame": "ball", "radius": 0.1, "axis": (0, 1.0, 0), "point": (0, 0, 0), "plane": "world", "plane_point": (0, 0, 0), "normal": (0, 0, 1.0), "name": "rim"}),
        (Used(lying, "knife_edge", runs), {"frame": "ball", "directions": [(0, 1.0, 0)], "point": (0, 0, 0), "on": "world", "name": "blade"}),
        (Used(lambda: ulna.Experiment(hexapod, 0.01, q=start).lock("all"), "platform_path", answer), {"actuated": hexapod.platform().actuated, "body": hexapod.platform().body, "interval": 0.01}),
        (ulna.Experiment, {"robot": arm, "duration": 0.1, "q": {"joint1": 0.1}, "v": [0.1, 0.2], "name": "x"}),
        (ulna.Experiment.loads, {"text": "experiment: 1\nrobot: puma560\nduration: 0.1\n", "name": "x"}),
    ]  # fmt: skip


def of_robots(arm):
    """Robots like another one, and what is asked of a robot alone."""
    flexible, three = ulna.load("flexible-two-link"), ulna.load("t3r3-frame")
    q, v = np.array([0.1, 0.2]), np.array([0.3, -0.1])
    line = ulna.motions.line(arm.fk([0.3, 0.5], "hand"), arm.fk([0.4, 0.6], "hand")[:3, 3], 1.0)
    puma, four = ulna.load("puma560"), ulna.load("four-bar")
    yield from [
        (Used(lambda: arm, "with_parameters", answers), {"values": {"bodies.lower.mass": 1.5, "damping(joint2)": 0.2, "Iyy(upper)": 0.04}, "consistent": True}),
        (Used(lambda: arm, "replace", answers), {"name": "x", "gravity": (0, 0, -1.6), "bodies": {"lower": {"mass": 0.5}}, "joints": {"joint1": {"damping": 0.0}}, "frames": {"hand": {"at": (0, 0, 1.0)}}, "loop_tolerance": 1e-9, "consistent": True}),
        (Used(lambda: arm.builder().element("jack", "actuator", "hand", {"body": "world", "point": [0, 0, 3.0]}).build(), "with_actuator_forces", answers), {"forces": {"jack": 5.0}, "time": 0.2}),
        (Used(lambda: flexible, "with_bending_modes", answers), {"modes": 1}),
        (Used(lambda: flexible, "with_rigid_links", answers), {"bodies": "inboard"}),
        (Used(lambda: flexible, "with_geometrically_exact_links", answers), {"elements": 2, "shear": False}),
        (arm.parameter, {"path": "bodies.lower.mass"}),
        (arm.parameters, {"terms": ["damping"]}),
        (arm.base_parameters, {"method": "rank", "terms": ["friction"], "seed": 1}),
        (arm.excitation, {"period": 2.0, "samples": 40, "harmonics": 2, "candidates": 2, "velocity": 1.0, "acceleration": 3.0, "terms": ["friction"], "from_rest": True}),
        (arm.random, {"size": 3, "seed": 1}),
        (arm.centre_of_mass, {"q": q}),
        (arm.centroidal_momentum_matrix_rate, {"q": q, "v": v}),
        (arm.follow, {"motion": line, "frame": "hand", "start": [0.3, 0.5], "position_only": True, "within_velocity_limits": False}),
        (arm.equilibrium, {"start": q, "tau": np.zeros(2)}),
        (arm.generate, {"function": "gravity", "language": "python", "symbolic": ["inertias"], "precision": "double", "fixed_names": True, "snap": 1e-4}),
        (arm.compile, {"function": "gravity", "frame": "hand", "compiler": "", "cache": True}),
        (arm.compile("inverse_dynamics"), {"q": q, "v": v, "a": v}),
        (arm.verify, {"states": 2, "seed": 1}),
        (arm.view_html, {"q": q, "title": "x", "packages": {"a": "b"}}),
        (four.mobility, {"q": four.assemble()}),
        (ulna.load("unimate").posture, {"name": ulna.load("unimate").postures[0]}),
        (four.platform, {"actuated": None, "body": None}),
        (puma.ik_closed_form, {"target": puma.fk([0.1] * 6)}),
        (puma.posture_names, {"q": np.full(6, 0.1)}),
        (puma.arm_structure, {"frame": puma.tip}),
        (flexible.elastic_energy, {"q": flexible.neutral()}),
        (three.structure_matrices, {"q": three.neutral(), "locked": "all", "theory": "timoshenko", "mass": "lumped"}),
        (three.modes_map, {"ranges": {three.coordinates[1]: [0.0, 0.5], three.coordinates[2]: [-0.5]}, "q": three.neutral(), "locked": "all", "count": 1}),
        (ulna.Dynamics, {"robot": four, "method": "kane", "actuated": [four.speeds[0]], "weights": [1.0], "closing": "multipliers"}),
        (ulna.Dynamics(arm).mass_matrix, {"q": q}),
        (ulna.Dynamics(arm).energy, {"q": q, "v": v}),
        (ulna.Dynamics(arm).derivatives, {"q": q, "v": v, "a": v}),
    ]  # fmt: skip


def of_motions_alone():
    M = ulna.motions
    program = M.program("poly345", 0, 1, time=1.0)
    trajectory = M.joints([program, program])
    yield from [
        (Used(lambda: program, "delayed", evaluated), {"delay": 0.1}),
        (Used(lambda: program, "faster", evaluated), {"by": 2.0}),
        (program.jerk, {"t": [0.0, 0.1]}),
        (program.acceleration, {"t": 0.1}),
        (program, {"t": np.linspace(0, 1, 5)}),
        (program.peaks, {"begin": 0.0, "end": 1.0}),
        (trajectory.coordinate, {"k": 1}),
        (trajectory.faster, {"by": 2.0}),
        (M.line((0, 0, 0), (1, 0, 0), 1.0).at, {"t": 0.1}),
        (M.constant, {"value": 1.0}),
        (M.formula, {"text": "a*t", "constants": {"a": 2.0}, "duration": 1.0}),
        (M.spin_up, {"rate": 1.0, "time": 1.0, "begin": 0.1, "start": 0.1}),
        (M.line, {"begin": np.eye(4), "end": (1.0, 0, 0), "time": 1.0, "law": "cycloidal"}),
        (M.screw, {"begin": np.eye(4), "end": ulna.pose((1.0, 0, 0), rpy=(0.1, 0, 0)), "time": 1.0, "law": "poly345"}),
        (M.joints, {"parts": ["t", 1.0, program]}),
    ]


def of_points_and_lines():
    """What is left of ulna.homogeneous, and orientations of poses."""
    H = ulna.homogeneous
    a, b, c = (0.0, 0, 0), (1.0, 0, 0), (0, 1.0, 0)
    W, J, line, plane = H.velocity(np.arange(6.0)), H.inertia(2.0, (0.1, 0, 0), np.diag([0.1, 0.2, 0.2])), H.line_through(a, b), H.plane_through(a, b, c)
    pose = ulna.pose((0.1, 0.2, 0.3), rpy=(0.1, 0.2, 0.3))
    zyx = {"sequence": "zyx", "angles": (0.1, 0.2, 0.3)}
    yield from [
        (ulna.quaternion, {"X": pose}),
        (ulna.rpy, {"X": pose}),
        (H.extended_dh, {"theta": 0.1, "d": 0.2, "b": 0.3, "a": 0.4, "alpha": 0.5}),
        (H.velocity, {"twist": np.arange(6.0)}),
        (H.acceleration, {"twist": np.arange(6.0), "rate": np.arange(6.0)}),
        (H.gravity, {"g": (0, 0, -9.81)}),
        (H.action, {"wrench": np.arange(6.0)}),
        (H.twist, {"W": W}),
        (H.wrench, {"Phi": H.action(np.arange(6.0))}),
        (H.compose_acceleration, {"H_ij": W, "W_ij": W, "H_jk": W, "W_jk": W}),
        (H.pseudo_product, {"Phi": H.action(np.arange(6.0)), "W": W}),
        (H.potential_energy, {"Hg": H.gravity((0, 0, -9.81)), "J": J}),
        (H.screw, {"axis": (0, 0, 1.0), "point": a, "pitch": 0.1}),
        (H.slide, {"axis": (0, 0, 1.0)}),
        (H.screw_of_displacement, {"Q": pose}),
        (H.screw_of_velocity, {"W": W}),
        (H.unit_screw, {"W": W}),
        (H.orthonormalised, {"M": pose}),
        (H.line_through, {"a": a, "b": b}),
        (H.plane_through, {"a": a, "b": b, "c": c}),
        (H.plane_across, {"point": a, "normal": b}),
        (H.angle_between, {"a": b, "b": c}),
        (H.project_on_line, {"point": c, "line": line}),
        (H.project_on_plane, {"point": c, "plane": plane}),
        (H.distance_to_line, {"point": c, "line": line}),
        (H.distance_to_plane, {"point": c, "plane": plane}),
        (H.plane_cuts_plane, {"a": plane, "b": H.plane_across(a, b)}),
        (H.common_normal, {"a": line, "b": H.line_through(c, (0, 1.0, 1.0))}),
        (H.frame_from_points, {"origin": a, "a": b, "b": c}),
        (H.frame_from_vectors, {"origin": a, "first": b, "second": c}),
        (H.angle_rates, {**zyx, "w": (1.0, 0, 0)}),
        (H.angular_acceleration, {**zyx, "rates": (1.0, 0, 0), "accelerations": (0, 1.0, 0)}),
        (H.position_from_angles, {**zyx, "origin": (0, 0, 1.0)}),
    ]


def of_platforms_poses(platform):
    pose = platform.home
    drives = platform.drives(pose)
    closed = [(platform.basis_at, {"pose": pose}), (platform.leg_map, {"pose": pose}), (platform.equations, {"pose": pose, "twist": np.zeros(6)})]
    yield from closed if platform.closed_form else []
    yield from [
        (platform.nearest_singularity, {"pose": pose}),
        (platform.working_modes, {"pose": pose}),
        (platform.direct_all, {"drives": drives, "starts": 3, "seed": 1}),
        (platform.all_poses, {"drives": drives, "starts": 3, "seed": 1}),
        (platform.at_pose, {"pose": pose}),
        (platform.singularity, {"pose": pose}),
        (platform.check, {"pose": pose, "ball_angle": 1.0, "leg_radius": 0.01, "worst_condition": 1e6}),
        (platform.posture_rates, {"q": platform.posture(pose), "twist": np.zeros(6), "acceleration": np.zeros(6)}),
        (platform.pose, {"q": platform.posture(pose)}),
    ]


def of_files(arm):
    """Reading and writing (where the fuzz runs: a folder of its own), studies of files."""
    folder = Path(tempfile.mkdtemp(prefix="ulna-calls-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    yaml, csv, task = folder / "arm.yaml", folder / "log.csv", folder / "task.yaml"
    arm.write(yaml)
    run = ulna.simulate(arm, 0.01, output=folder / "run")
    t = np.linspace(0, 2, 100)
    table = np.column_stack([t, 0.3 * np.sin(3 * t), 0.3 * np.cos(5 * t), t, t])
    np.savetxt(csv, table, delimiter=",", header="t,q.joint1,q.joint2,tau.joint1,tau.joint2", comments="")
    shutil.copy(ROOT / "examples/flame-cutting/task.yaml", task)
    flexible = ulna.load("flexible-two-link")
    yield from [
        (ulna.load, {"robot": yaml, "strict": False, "packages": {"a": "b"}, "repair": None, "gravity": (0, 0, -1.0)}),
        (ulna.loads, {"text": yaml.read_text(), "name": "x", "strict": True}),
        (ulna.Experiment.read, {"path": ROOT / "examples/intelledex605.yaml"}),
        (ulna.load_run, {"directory": folder / "run"}),
        (ulna.read_log, {"robot": arm, "path": csv, "columns": {"tau.joint2": "tau.joint2*2"}, "cutoff": 8.0, "recorded_rates": False}),
        (arm.write, {"file": folder / "arm.urdf", "strict": False, "loops": "constraint"}),
        (ulna.synthesize, {"robot": ulna.load(ROOT / "examples/flame-cutting/torch.yaml"), "task": task, "method": "gauss-newton", "restarts": 1, "wanted": 1, "tolerance": 1e-3}),
        (ulna.fidelity, {"experiment": ulna.Experiment(flexible, 0.005).move("shoulder", "0.1*t^2"), "levels": ["exact", "ruthless"]}),
        (run.report_html, {"title": "x", "compare": run, "packages": {"a": "b"}}),
        (run.report, {"path": folder / "run.html", "title": "x", "compare": run}),
        (run.to_hdf5, {"path": folder / "run.h5"}),
        (run.plot, {"channels": ["q", "energy.total"]}),
        (run.get, {"name": "q", "default": None}),
        (ulna.pose, {"position": (0, 0, 1.0), "rpy": (0.1, 0.2, 0.3)}),
        (ulna.pose, {"position": (0, 0, 1.0), "axis": (0, 0, 1.0), "angle": 0.3}),
        (ulna.pose, {"quaternion": (1.0, 0, 0, 0)}),
        (ulna.plot.plot_robot, {"robot": arm, "q": [0.1, 0.2]}),
        (ulna.plot.plot_motion, {"motion": ulna.motions.program("poly345", 0, 1, 1.0)}),
    ]


def valid_changes(arm):
    """(function, keywords) of all of them; arm: as in valid_calls."""
    return [
        *of_builders(arm),
        *of_experiments(arm),
        *of_robots(arm),
        *of_motions_alone(),
        *of_points_and_lines(),
        *of_platforms_poses(ulna.load("stewart-6-6").platform()),
        *of_platforms_poses(ulna.load("four-bar").platform()),
        *of_files(arm),
    ]
