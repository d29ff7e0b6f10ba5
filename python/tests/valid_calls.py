"""Calls that are right, for the fuzz to spoil: every function of numbers, with arguments that it answers.

Arguments that are all wrong are refused by the first check of a function. One wrong argument among right ones (a matrix with a column
more, a batch of another length, one nan) gets as far as the computation.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile

import numpy as np

import ulna


def of_states(robot, q, tree):
    """Calls of the functions of one state, at an assembled posture at rest."""
    v, frame = np.zeros(robot.nv), robot.bodies[-1]
    state, motion = {"q": q, "v": v}, {"q": q, "v": v, "a": v}
    yield from [
        (robot.fk, {"q": q, "frame": frame}),
        (robot.fk, {"q": q, "frame": frame, "out": np.zeros((4, 4))}),
        (robot.poses, {"q": q}),
        (robot.velocity, {**state, "frame": frame, "relative_to": "world", "expressed_in": frame}),
        (robot.acceleration, {**motion, "frame": frame}),
        (robot.jacobian, {"q": q, "frame": frame, "point": (0.1, 0, 0), "out": np.zeros((6, robot.nv))}),
        (robot.jacobian_rate, {**state, "frame": frame}),
        (robot.inverse_dynamics, {**motion, "wrenches": {frame: (0, 0, 0, 1.0, 0, 0)}}),
        (robot.inverse_dynamics, {**motion, "out": np.zeros(robot.nv)}),
        (robot.forward_dynamics, {**state, "tau": v, "wrenches": {frame: (1.0, 0, 0)}}),
        (robot.forward_dynamics, {**state, "tau": v, "out": np.zeros(robot.nv)}),
        (robot.mass_matrix, {"q": q, "out": np.zeros((robot.nv, robot.nv))}),
        (robot.mass_matrix, {"q": q, "independent": True}),
        (robot.bias, {**state, "out": np.zeros(robot.nv)}),
        (robot.gravity, {"q": q, "out": np.zeros(robot.nv)}),
        (robot.passive, state),
        (robot.energy, state),
        (robot.energy_rate, motion),
        (robot.momentum, state),
        (robot.centroidal_momentum, state),
        (robot.centroidal_momentum_matrix, {"q": q}),
        (robot.integrate, {"q": q, "dv": v}),
        (robot.difference, {"q0": q, "q1": q}),
        (robot.linearize, {**state, "tau": v}),
        (robot.closing_joints, motion),
        (robot.elements, state),
        (ulna.Dynamics(robot).inverse, {**motion, "wrenches": {frame: (1.0, 0, 0)}}),
        (ulna.Dynamics(robot).forward, {**state, "tau": v}),
        (ulna.Dynamics(robot).equations, state),
        (ulna.Dynamics(robot).reactions, motion),
        (robot.reactions, {**motion, "at": frame, "expressed_in": frame}) if not robot.flexible_links else (robot.energy, state),
    ]
    if tree:
        yield from [
            (robot.coriolis, {**state, "out": np.zeros((robot.nv, robot.nv))}),
            (robot.inverse_dynamics_derivatives, motion),
            (robot.forward_dynamics_derivatives, {**state, "tau": v}),
            (robot.regressor, {**motion, "terms": ["friction"]}),
            (robot.regressor_condition, {key: np.vstack([value] * 30) + 0.1 for key, value in motion.items()}),
            (robot.identify, {key: np.random.default_rng(1).normal(size=(40, robot.nv)) for key in ("q", "v", "a", "tau")}),
            (robot.joint_rates, {"q": q, "twist": np.zeros(6), "frame": frame, "position_only": True}),
            (robot.joint_accelerations, {**state, "acceleration": np.zeros(6), "frame": frame, "position_only": True}),
            (robot.ik, {"target": robot.fk(q, frame), "frame": frame, "start": q, "restarts": 2, "on_failure": "nan"}),
            (robot.kane, {**motion, "speeds": "joint-rates", "wrenches": {frame: (1.0, 0, 0)}}),
            (robot.matrices, motion),
            (robot.lagrange_coefficients, {"q": q}),
            (robot.influence_coefficients, {"q": q, "frame": frame, "point": (0.1, 0, 0)}),
        ]
    elif robot.loops:
        yield from [
            (robot.loop_efforts, motion),
            (robot.closure, state),
            (robot.complete, motion),
            (robot.independent_map, state),
            (robot.assemble, {"q": q, "restarts": 2, "tolerance": 1e-10}),
        ]


def of_matrices():
    """Calls on linear systems, rows of numbers and 4x4 matrices."""
    A, B, C = np.array([[0, 1.0, 0], [-2, -3, 0.5], [0, 0, -1]]), np.array([[0, 0], [1.0, 0], [0, 1]]), np.array([[1.0, 0, 0]])
    H = ulna.homogeneous
    W, J = H.velocity(np.arange(6.0)), H.inertia(2.0, (0.1, 0, 0), np.diag([0.1, 0.2, 0.2]))
    yield from [
        (ulna.lqr, {"A": A, "B": B, "Q": np.eye(3), "R": np.eye(2)}),
        (ulna.dlqr, {"A": 0.5 * A, "B": B, "Q": np.eye(3), "R": np.eye(2)}),
        (ulna.kalman, {"A": 0.5 * A, "C": C, "Q": np.eye(3), "R": np.eye(1)}),
        (ulna.place_poles, {"A": A, "B": B, "poles": [-1, -2 + 1j, -2 - 1j]}),
        (ulna.discretize, {"A": A, "B": B, "sample_time": 0.1}),
        (ulna.gramians, {"A": A - 4 * np.eye(3), "B": B, "C": C}),
        (ulna.gramians, {"A": 0.1 * A, "B": B, "C": C, "discrete": True}),
        (ulna.frequency_response, {"A": A, "B": B, "C": C, "D": np.zeros((1, 2)), "frequencies": [0.1, 1.0]}),
        (ulna.low_passed, {"x": np.sin(np.linspace(0, 9, 200)), "cutoff": 5.0, "rate": 100.0}),
        (H.inverse, {"M": np.eye(4)}),
        (H.inertia, {"mass": 2.0, "centre": (0.1, 0, 0), "inertia": np.diag([0.1, 0.2, 0.2])}),
        (H.momentum, {"W": W, "J": J}),
        (H.kinetic_energy, {"W": W, "J": J}),
        (H.needed_action, {"H": W, "J": J}),
        (H.transform_motion, {"M": np.eye(4), "X": W}),
        (H.transform_action, {"M": np.eye(4), "X": H.action(np.arange(6.0))}),
        (H.free_body, {"J": J, "rate": np.zeros(6), "wrench": np.zeros(6), "unknown": [0, 1, 2, 3, 4, 5]}),
        (H.displacement, {"L": H.screw((0, 0, 1.0)), "q": 0.3}),
        (H.joint_acceleration, {"L": H.screw((0, 0, 1.0)), "qd": 0.3, "qdd": 0.1}),
        (H.angular_velocity, {"sequence": "zyx", "angles": (0.1, 0.2, 0.3), "rates": (1.0, 0, 0)}),
        (H.line_cuts_plane, {"line": H.line_through((0, 0, 0), (0, 0, 1.0)), "plane": H.plane_across((0, 0, 1.0), (0, 0, 1.0))}),
    ]


def of_motions(arm):
    """Calls that make motions, trajectories and experiments, and time them."""
    M, t, long = ulna.motions, np.linspace(0, 1, 11), np.linspace(0, 1, 101)
    trajectory = M.joints(["0.3*cycloid(t)", "0.2*cycloid(t)"])
    path = M.joints([M.program("poly345", 0, 1, time=1.0), M.program("poly345", 0, -1, time=1.0)])
    yield from [
        (M.spline, {"times": t, "values": t**2, "kind": "cubic", "ends": "clamped"}),
        (M.table, {"t": t, "q": t, "v": np.ones(11), "a": np.zeros(11)}),
        (M.polynomial, {"conditions": [(0, 0, 0.0), (1, 0, 1.0), (0, 1, 0.0), (1, 1, 0.0)]}),
        (M.program, {"name": "poly345", "begin": 0.0, "end": 1.0, "time": 2.0, "start": 0.1}),
        (M.polyline, {"points": [(0, 0, 0), (1, 0, 0), (1, 1, 0)], "speed": 0.5, "blend": 0.1, "ramp": 0.1}),
        (M.circle, {"begin": (1, 0, 0), "centre": (0, 0, 0), "axis": (0, 0, 1), "angle": 1.0, "time": 2.0}),
        (M.switched, {"level": 1.0, "switches": [0.1, 0.2], "duration": 1.0}),
        (M.fastest, {"begin": 0.0, "end": 1.0, "acceleration": 2.0, "rate": 1.0}),
        (M.sequence, {"parts": [M.program("poly345", 0, 1, time=1.0), M.program("poly345", 1, 0, time=1.0)]}),
        (trajectory.at, {"t": t}),
        (M.formula("sin(t)").rate, {"t": t}),
        (arm.fastest_scale, {"trajectory": path, "rates": np.ones(2), "efforts": [50.0, 50.0], "samples": 50}),
        (arm.minimum_time, {"trajectory": path, "rates": np.ones(2), "efforts": [90.0, 90.0], "intervals": 50}),
        (ulna.Experiment(arm, 0.1).effort, {"joint": "joint1", "effort": "2*t"}),
        (ulna.Experiment(arm, 0.1).efforts, {"t": t, "efforts": np.zeros((11, 2)), "interpolation": "linear"}),
        (ulna.Experiment(arm, 0.1).control, {"law": "pd", "joints": ["joint1", "joint2"], "kp": [10.0, 5.0], "kd": {"joint1": 1.0, "joint2": 1.0}}),
        (ulna.Experiment(arm, 0.1).wrench, {"body": "lower", "force": (0, 0, 1.0), "point": (0.1, 0, 0)}),
        (ulna.Experiment(arm, 0.1).contact, {"frame": "hand", "radius": 0.01, "friction": 0.2, "restitution": 0.5}),
        (ulna.Experiment(arm, 0.1).integrator, {"method": "dop853", "rtol": 1e-8, "atol": 1e-8, "largest_step": 0.1}),
        (ulna.Experiment(arm, 0.1).move("joint1", "t").motion, {"times": 0.1 * t}),
        (ulna.Experiment(ulna.load("flexible-two-link"), 0.01).elastic, {"level": "geometrically-exact", "elements": 2, "shear": False}),
        (ulna.Experiment(arm, 0.1).stop_when, {"channel": "q.joint1", "above": 1.0, "name": "far", "go_on": True}),
        (ulna.Experiment(arm, 0.1).friction_at_rest, {"joint": "joint1", "effort": 1.0, "stribeck_speed": 0.1}),
        (ulna.simulate, {"experiment": arm, "duration": 0.02, "q": [0.1, 0.2], "v": [0.0, 0.1], "efforts": {"joint1": 1.0}, "interval": 0.01}),
        (ulna.measured_motion, {"robot": arm, "t": long, "q": np.column_stack([np.sin(long), np.cos(long)]), "tau": np.zeros((101, 2))}),
    ]


def of_studies(arm):
    """Studies, logs, files that runs and experiments are written to (where the fuzz runs: a folder of its own)."""
    study = {
        "study": 1,
        "robot": "t3r3-frame",
        "parameters": [{"name": "m", "path": "payloads.gripper.mass", "uniform": {"from": 1, "to": 2}}],
        "sampling": {"count": 3},
        "run": {"modes": {"locked": "all", "count": 1}},
        "measures": {"f": "frequency.1"},
    }
    folder = tempfile.mkdtemp(prefix="ulna-calls-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    t = np.linspace(0, 2, 100)
    log = ulna.measured_motion(arm, t, 0.3 * np.column_stack([np.sin(3 * t), np.cos(5 * t)]), tau=np.column_stack([t, t]))
    experiment = ulna.Experiment(arm, 0.1).move("joint1", "0.1*cycloid(t)").move("joint2", "0.2*cycloid(t)")
    yield from [
        (ulna.sweep, {"study": study, "samples": (0, 2), "threads": 1}),
        (ulna.optimize, {"study": study, "least": "f", "run": lambda p: {"f": (p["m"] - 1.3) ** 2}, "starts": 1, "evaluations": 20, "tolerance": 0.1}),
        (ulna.write_fmu, {"experiment": ulna.Experiment(arm, 0.1), "file": f"{folder}/arm.fmu", "fmi": 2, "inputs": ["tau.joint1"], "outputs": ["q"], "parameters": "none", "kind": "source"}),
        (ulna.simulate(arm, 0.01).to_csv, {"path": f"{folder}/run.csv"}),
        (ulna.Run, {"robot": arm, "titles": ["t[s]", "q.joint1[rad]"], "values": np.zeros((3, 2)), "summary": "{}"}),
        (arm.identify_logs, {"logs": [log], "validate": log, "terms": ["damping"]}),
        (arm.efforts_along, {"log": log, "method": "kane"}),
        (ulna.decoupling, {"experiment": experiment, "inputs": ["joint1", "joint2"], "samples": 5}),
        (experiment.linearize, {"times": [0.0, 0.05]}),
        (ulna.load("flexible-two-link").stability_surface, {"body": "outboard", "spin": [0.5, 1.0], "axial": [0.0]}),
    ]


def of_structures(robot):
    q = np.array([0.1, 0.5, -0.5])
    tip = robot.bodies[-1]
    yield from [
        (robot.modes, {"q": q, "locked": "all", "count": 2}),
        (robot.modes_along, {"q": np.vstack([q, q]), "locked": "all", "count": 2}),
        (robot.condense, {"q": q, "locked": "all", "count": 2, "method": "guyan"}),
        (robot.static_deflection, {"q": q, "frame": "tip", "forces": {"tip": (0, 0, -10.0)}}),
        (robot.load_factors, {"q": q, "count": 1}),
        (robot.frequency_response, {"from_": f"{tip}.z", "to": f"{tip}.z", "frequencies": [1.0, 2.0], "q": q, "locked": "all"}),
        (robot.transient_response, {"from_": f"{tip}.z", "to": f"{tip}.z", "times": [0.0, 0.1], "q": q, "locked": "all"}),
        (robot.direction_cosines, {"q": q}),
        (robot.modes_sweep, {"parameter": "joint2", "values": [0.0, 0.5], "q": q, "locked": "all", "count": 2}),
    ]


def of_flexible(robot):
    q, v, body = 0.01 * np.ones(robot.nq), np.zeros(robot.nv), robot.flexible_links[0].body
    yield from [
        (robot.inverse_dynamics, {"q": q, "v": v, "a": v, "level": "consistent"}),
        (robot.forward_dynamics, {"q": q, "v": v, "tau": v, "level": "consistent"}),
        (robot.deflection, {"q": q}),
        (robot.curve, {"q": q, "body": body, "points": 5}),
        (robot.section_moments, {"q": q, "at": 0.2}),
        (robot.elastic_modes, {"q": q, "v": v, "locked": []}),
        (robot.elastic_equations, {"q": q, "v": v, "level": "exact"}),
        (robot.with_rigid_links, {"bodies": [body]}),
    ]


def of_platform(platform):
    pose, six = platform.home, np.zeros(6)
    drives = platform.drives(pose)
    yield from [
        (platform.drives, {"pose": pose}),
        (platform.inverse, {"pose": pose, "twist": six, "acceleration": six}),
        (platform.direct, {"drives": drives, "start": pose} if platform.closed_form else {"drives": drives}),
        (platform.inverse_dynamics, {"pose": pose, "twist": six, "acceleration": six, "wrench": six}),
        (platform.forward_dynamics, {"pose": pose, "twist": six, "efforts": np.zeros(len(drives))}),
        (platform.jacobian, {"pose": pose}),
        (platform.twist, {"pose": pose, "rates": np.zeros(len(drives))}),
        (platform.acceleration, {"pose": pose, "twist": six, "accelerations": np.zeros(len(drives))}),
        (platform.stiffness, {"pose": pose, "drive_stiffness": 1e8}),
        (platform.quality, {"pose": pose, "speed_limit": 0.5, "errors": 1e-4}),
        (platform.posture, {"pose": pose}),
        (platform.at_drives, {"drives": drives}),
        (platform.workspace, {"first": ("x", -0.1, 0.1, 4), "second": ("y", -0.1, 0.1, 4)}),
    ]


def valid_calls(arm):
    """(function, keywords) of all of them; arm: two joints, body 'lower', frame 'hand'."""
    four, six, flexible = ulna.load("four-bar"), ulna.load("stewart-6-6"), ulna.load("flexible-two-link")
    return [
        *of_states(arm, np.array([0.1, 0.2]), tree=True),
        *of_states(ulna.load("puma560"), np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), tree=True),
        *of_states(four, four.assemble(), tree=False),
        *of_states(flexible, 0.01 * np.ones(flexible.nq), tree=False),
        *of_matrices(),
        *of_motions(arm),
        *of_studies(arm),
        *of_structures(ulna.load("t3r3-frame")),
        *of_flexible(flexible),
        *of_platform(six.platform()),
        *of_platform(four.platform()),
    ]


def spoiled(value, random, odd):
    """Something like the value, but not right; or anything."""
    if random.random() < 0.3:
        return random.choice(odd)
    if isinstance(value, dict) and value:
        key = random.choice(list(value))
        return {**value, (key if random.random() < 0.7 else "typo"): spoiled(value[key], random, odd)}
    if isinstance(value, (list, tuple)) and any(isinstance(item, (dict, str)) or callable(item) for item in value) and random.random() < 0.5:
        changed, at = list(value), random.randrange(len(value))
        changed[at] = spoiled(changed[at], random, odd)
        return changed
    if isinstance(value, (int, float, bool)):
        return random.choice([0, -value, -1, float("nan"), float("inf"), -float("inf"), 1e308, 1e-308, 10**9, 0.5, np.float32(1), np.array(value), [value], str(value)])
    if isinstance(value, str):
        return random.choice(["", "typo", value + "x", value.upper(), [value], [value, value], [value, "typo"], (value,), value.encode(), "a" * 1000])
    try:
        array = np.array(value, dtype=complex if np.iscomplexobj(value) else float)
    except (TypeError, ValueError):
        return random.choice(odd)
    changes = [
        lambda a: a[..., :-1], lambda a: a[:-1], lambda a: np.concatenate([a, a], axis=-1), lambda a: np.concatenate([a, a], axis=0), lambda a: a[None],
        lambda a: np.stack([a] * 3), lambda a: a[None][:0], lambda a: a.T, lambda a: a.ravel(), lambda a: a[..., None], lambda a: a[:0], lambda a: 0 * a,
        lambda a: a * np.nan, lambda a: a * 1e300, lambda a: -a, lambda a: one_changed(a, float("nan"), random), lambda a: one_changed(a, float("inf"), random),
        lambda a: one_changed(a, -1e308, random), lambda a: np.asfortranarray(a), lambda a: np.repeat(a, 2, axis=-1)[..., ::2], lambda a: a[..., ::-1],
        lambda a: a.astype(np.float32), lambda a: a.astype(int), lambda a: a.tolist(), lambda a: a.astype(object), lambda a: a.astype(str), lambda a: a.astype(complex),
        lambda a: np.ma.masked_array(a, a > 0), lambda a: a.astype(">f8"), lambda a: a.reshape(a.shape + (1, 1)), lambda a: a + 1e-9, lambda a: np.broadcast_to(a, (5, *a.shape)),
        lambda a: memoryview(np.ascontiguousarray(a)), lambda a: frozen(a),
    ]  # fmt: skip
    try:
        with np.errstate(all="ignore"):
            return random.choice(changes)(array)
    except (TypeError, ValueError, IndexError):
        return random.choice(odd)


def frozen(array):
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def one_changed(array, value, random):
    copy = array.copy()
    if copy.size:
        copy.flat[random.randrange(copy.size)] = value
    return copy
