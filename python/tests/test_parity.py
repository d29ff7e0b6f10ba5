"""Everything reachable from Python: studies, synthesis, timings, edits, sweeps, batches."""

import copy
import inspect
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import ulna

ROOT = Path(__file__).resolve().parents[2]
TEXT = """
ulna: 1
name: arm
bodies:
  - {name: upper, mass: 2, centre: [0.2, 0, 0], inertia: [0.01, 0.03, 0.03]}
  - {name: lower, mass: 1, centre: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}
joints:
  - {name: joint1, type: revolute, parent: world, child: upper, axis: [0, 1, 0], damping: 0.1, limits: {lower: -3, upper: 3, velocity: 3, effort: 50}}
  - {name: joint2, type: revolute, parent: upper, child: lower, at: {position: [0.4, 0, 0]}, axis: [0, 1, 0], limits: {lower: -3, upper: 3, velocity: 3, effort: 30}}
frames:
  - {name: hand, body: lower, at: {position: [0.4, 0, 0]}}
"""


@pytest.fixture(scope="module")
def arm():
    return ulna.loads(TEXT)


# ---- robots like others ----------------------------------------------------------------------------


def test_robots_are_equal_by_content(arm):
    same, other = ulna.loads(TEXT), arm.replace(bodies={"upper": {"mass": 2.5}})
    assert same == arm and hash(same) == hash(arm) and len({same, arm}) == 1
    assert other != arm and arm != "arm" and arm is not None
    assert pickle.loads(pickle.dumps(arm)) == arm


def test_replaced_parts(arm):
    light = arm.replace(name="light", gravity=(0, 0, -1.62), bodies={"lower": {"mass": 0.5}}, joints={"joint1": {"damping": 0.0, "upper": 1.0}})
    assert light.name == "light" and light.gravity_vector[2] == -1.62 and light.mass == pytest.approx(2.5)
    assert light.upper[0] == 1.0 and light.upper[1] == arm.upper[1]
    q = [0.3, -0.2]
    assert light.gravity(q)[1] == pytest.approx(arm.gravity(q)[1] * 0.5 * 1.62 / 9.81)
    with pytest.raises(ulna.InputError, match="lowr"):
        arm.replace(bodies={"lowr": {"mass": 1.0}})
    with pytest.raises(TypeError, match="weight"):
        arm.replace(bodies={"lower": {"weight": 1.0}})


def test_gravity_can_be_overridden_when_loading():
    assert not ulna.load("puma560", gravity=(0, 0, 0)).gravity([0.1] * 6).any()


def test_with_parameters_by_column_and_by_place(arm):
    q, v, a = [0.3, -0.4], [0.5, 0.7], [1.0, -2.0]
    values = dict(arm.parameters(terms="all"))
    values["m(lower)"] *= 1.5
    values["damping(joint2)"] = 0.2
    values["Iyy(upper)"] += 0.01
    found = arm.with_parameters(values)
    Y = arm.regressor(q, v, a, terms="all")
    np.testing.assert_allclose(found.inverse_dynamics(q, v, a), Y @ np.array(list(values.values())), rtol=1e-12)
    assert arm.with_parameters({"bodies.lower.mass": 1.5}).mass == pytest.approx(3.5)
    assert arm.parameter("bodies.lower.mass") == 1
    for name in ("m(lowr)", "bodies.lowr.mass"):
        with pytest.raises(ulna.InputError, match="lowr"):
            arm.with_parameters({name: 1.0})
    with pytest.raises(TypeError, match="values must be a dict"):
        arm.with_parameters(3)


def test_an_identified_robot_needs_the_efforts_it_was_identified_from(arm):
    true = arm.replace(bodies={"lower": {"mass": 1.3}}, joints={"joint2": {"damping": 0.05}})
    motion = arm.excitation(period=5, samples=200, candidates=3)
    tau = true.inverse_dynamics(motion.q, motion.v, motion.a)
    found = arm.identify(motion.q, motion.v, motion.a, tau, terms=["damping"])
    identified = arm.with_parameters(found, consistent=True)
    np.testing.assert_allclose(identified.inverse_dynamics(motion.q, motion.v, motion.a), tau, atol=1e-9)


def test_impossible_inertias_are_repaired_when_asked(arm):
    values = {"Ixx(upper)": 10.0}
    repaired = arm.with_parameters(values, consistent=True)
    assert any("upper" in note for note in repaired.import_report["changed"])


def test_the_builder_edits_what_is_there(arm):
    builder = arm.builder()
    assert builder.bodies == ["upper", "lower"] and builder.joints == ["joint1", "joint2"] and builder.frames == ["hand"]
    builder.edit_body("upper", mass=4.0).edit_joint("joint2", at=(0.5, 0, 0), type="revolute").edit_frame("hand", at=(0.1, 0, 0))
    robot = builder.build()
    assert robot.mass == pytest.approx(5.0)
    np.testing.assert_allclose(robot.fk([0.0, 0.0], "hand")[:3, 3], [0.6, 0, 0], atol=1e-15)
    assert "hand" not in builder.remove("frame", "hand").build().frames
    with pytest.raises(ulna.InputError, match="joint3"):
        builder.edit_joint("joint3", damping=1.0)
    with pytest.raises(ulna.InputError, match="kind"):
        builder.remove("screw", "x")
    assert "2 bodies, 2 joints" in repr(builder)


# ---- batches ---------------------------------------------------------------------------------------


def test_targets_out_of_reach_are_nan_when_asked(arm):
    inside, outside = arm.fk([0.3, 0.5], "hand")[:3, 3], [5.0, 0, 0]
    found = arm.ik([inside, outside, inside], frame="hand", on_failure="nan")
    assert found.found.tolist() == [True, False, True] and np.isnan(found.q[1]).all()
    np.testing.assert_allclose(arm.fk(found.q[0], "hand")[:3, 3], inside, atol=1e-9)
    q, ok = arm.ik(outside, frame="hand", on_failure="nan")
    assert not ok and np.isnan(q).all()
    with pytest.raises(ulna.ComputationError):
        arm.ik([inside, outside], frame="hand")


def test_wrenches_in_batches_and_at_frames(arm):
    q, v, a = arm.random(4, seed=1), np.ones((4, 2)), np.zeros((4, 2))
    force = np.arange(12.0).reshape(4, 3)
    whole = arm.inverse_dynamics(q, v, a, wrenches={"hand": force})
    J = arm.jacobian(q, "hand")
    free = arm.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(whole, free - np.einsum("nij,ni->nj", J[:, 3:], force), atol=1e-12)
    six = np.hstack([np.ones((4, 3)), force])
    np.testing.assert_allclose(arm.forward_dynamics(q, v, arm.inverse_dynamics(q, v, a, wrenches={"hand": six}), wrenches={"hand": six}), a, atol=1e-10)
    one = arm.inverse_dynamics(q[0], v[0], a[0], wrenches={"hand": six})  # one state, four loads
    assert one.shape == (4, 2)
    by_object = ulna.Dynamics(arm).inverse(q, v, a, wrenches=[ulna.Wrench("lower", force=force, point=(0.4, 0, 0))])
    np.testing.assert_allclose(by_object, whole, atol=1e-12)
    with pytest.raises(ulna.InputError, match="wrenches"):
        arm.inverse_dynamics(q, v, a, wrenches={"hand": np.zeros((3, 3))})
    with pytest.raises(ulna.InputError, match="one wrench"):
        arm.reactions(q, v, a, wrenches={"hand": force})


def test_terms_of_robots_with_loops_in_both_forms():
    robot = ulna.load("five-bar")
    q = robot.assemble()
    q, v, _ = robot.complete(q, {name: 0.7 for name in robot.mobility(q).independent})
    equations = ulna.Dynamics(robot).equations(q, v)
    names, G = equations.speeds, robot.independent_map(q, v, independent=equations.speeds).G
    np.testing.assert_allclose(robot.mass_matrix(q, independent=True), equations.M, atol=1e-12)
    np.testing.assert_allclose(G.T @ robot.mass_matrix(q) @ G, equations.M, atol=1e-10)
    np.testing.assert_allclose(G.T @ robot.gravity(q), robot.gravity(q, independent=names), atol=1e-10)
    gamma = robot.independent_map(q, v, independent=names).gamma
    expected = G.T @ (robot.bias(q, v) + robot.mass_matrix(q) @ gamma)
    np.testing.assert_allclose(robot.bias(q, v, independent=names), expected, atol=1e-9)
    assert robot.gravity(np.stack([q, q]), independent=True).shape == (2, len(names))


# ---- experiments -----------------------------------------------------------------------------------


def test_starts_by_name(arm):
    experiment = ulna.Experiment(arm, 0.1, q={"joint2": 0.4}, v={"joint1": 1.0})
    assert experiment.q.tolist() == [0, 0.4] and experiment.v.tolist() == [1, 0]
    loops = ulna.load("four-bar")
    crank = loops.coordinates[0]
    started = ulna.Experiment(loops, 0.01, q={crank: 0.6})
    assert started.q[0] == pytest.approx(0.6) and loops.closure(started.q).gap < 1e-8
    with pytest.raises(ulna.InputError, match="joint3"):
        ulna.Experiment(arm, 1.0, q={"joint3": 1.0})
    assert ulna.simulate(arm, 0.1, q={"joint1": 0.2}).q[0].tolist() == [0.2, 0]


def test_minimum_time_is_shorter_than_uniform_scaling_and_keeps_the_limits(arm):
    trajectory = ulna.motions.joints(["1.2*cycloid(t/2)", "-0.8*cycloid(t/2)"])
    experiment = ulna.Experiment(arm, 2.0).follow(trajectory)
    samples = ulna.motions.joints([ulna.motions.program("cycloidal", 0, 1.2, 2), ulna.motions.program("cycloidal", 0, -0.8, 2)])
    uniform = samples.duration / arm.fastest_scale(samples)
    timed, timing = arm.minimum_time(samples)
    assert timing.duration == pytest.approx(timed.duration) and timed.duration < 0.9 * uniform
    t = np.linspace(0, timed.duration, 2001)
    q, v, a = timed.at(t)
    assert (np.abs(v) <= arm.velocity_limit * (1 + 1e-6)).all()
    assert (np.abs(arm.inverse_dynamics(q, v, a)) <= arm.effort_limit * (1 + 2e-2)).all()
    np.testing.assert_allclose(q[-1], [1.2, -0.8], atol=1e-6)
    assert experiment.timing().duration == pytest.approx(timed.duration, rel=1e-3) and experiment.duration == pytest.approx(timed.duration, rel=1e-3)
    np.testing.assert_allclose(pickle.loads(pickle.dumps(timed)).duration, timed.duration)


def reachable_time(robot, path, rates, efforts, count):
    """Least time along a path by reachability analysis (Pham and Pham 2018): another method, by SciPy's linear programs.

    path(s): q and its first two derivatives. The robot has no friction.
    """
    linprog = pytest.importorskip("scipy.optimize").linprog
    step, bounds = 1 / count, []
    for s in np.linspace(0, 1, count + 1):
        q, first, second = path(s)
        hold = robot.gravity(q)
        a, b = robot.mass_matrix(q) @ first, robot.inverse_dynamics(q, first, second) - hold
        fastest = np.min((rates / np.maximum(np.abs(first), 1e-12)) ** 2)
        bounds.append((np.column_stack([np.r_[a, -a], np.r_[b, -b]]), np.r_[efforts - hold, efforts + hold], fastest))

    def best(cost, k, low, high, after):
        rows = np.vstack([bounds[k][0], [2 * step, 1], [-2 * step, -1]])
        right = np.r_[bounds[k][1], after[1], -after[0]]
        return linprog(cost, A_ub=rows, b_ub=right, bounds=[(None, None), (low, high)], method="highs").x

    ways = [(0.0, 0.0)]  # squared speeds from which the end can be reached
    for k in range(count - 1, -1, -1):
        ways.insert(0, tuple(best(cost, k, 0, bounds[k][2], ways[0])[1] for cost in ([0, 1], [0, -1])))
    squares = [0.0]
    for k in range(count):
        squares.append(float(np.clip(squares[k] + 2 * step * best([-1, 0], k, squares[k], squares[k], ways[k + 1])[0], *ways[k + 1])))
    speeds = np.sqrt(np.maximum(squares, 0))
    return float(np.sum(2 * step / (speeds[1:] + speeds[:-1])))


def test_minimum_time_is_that_of_another_method():
    puma = ulna.load("puma560")
    robot = puma.replace(joints={joint.name: {"friction": 0.0, "damping": 0.0} for joint in puma.joints})
    begin, end, bend = np.random.default_rng(3).uniform(-1, 1, (3, 6))

    def path(s):
        q = (1 - s) ** 2 * begin + 2 * s * (1 - s) * bend + s**2 * end
        return q, 2 * (1 - s) * (bend - begin) + 2 * s * (end - bend), 2 * (end - 2 * bend + begin)

    t = np.linspace(0, 5, 401)
    law = 10 * (t / 5) ** 3 - 15 * (t / 5) ** 4 + 6 * (t / 5) ** 5
    places = np.array([path(s)[0] for s in law])
    trajectory = ulna.motions.joints([ulna.motions.spline(t, column, ends="clamped") for column in places.T])
    rates, efforts = np.full(6, 1.5), 1.5 * np.max(np.abs(robot.gravity(places)), axis=0) + 5
    uniform = 5 / robot.fastest_scale(trajectory, rates=rates, efforts=efforts)
    timed, timing = robot.minimum_time(trajectory, rates=rates, efforts=efforts)
    witness = reachable_time(robot, path, rates, efforts, 80)
    assert timing.duration == pytest.approx(witness, rel=0.005)  # the grid of the witness: 0.1 % off at 200 steps
    assert timing.duration < 0.8 * uniform
    experiment = ulna.Experiment(robot, 5.0).follow(trajectory)
    assert experiment.timing(rates=rates, efforts=efforts).duration == pytest.approx(timing.duration, rel=1e-6)


def test_linearization_along_a_motion(arm):
    experiment = ulna.Experiment(arm, 1.0).move("joint1", "0.3*sin(t)").move("joint2", "0.2*t")
    along = experiment.linearize([0.0, 0.5])
    assert along.system.A.shape == (2, 4, 4)
    np.testing.assert_allclose(along.system.acceleration, along.motion.a, atol=1e-9)
    np.testing.assert_allclose(along.motion.q[1], [0.3 * np.sin(0.5), 0.1], atol=1e-12)


def test_decoupling_and_fidelity():
    robot = ulna.load("puma560")
    experiment = ulna.Experiment(robot, 1.0).move("all", "0.5*cycloid(t)")
    found = ulna.decoupling(experiment, samples=10)
    np.testing.assert_allclose(found.acceleration + found.velocity + found.gravity, found.total, atol=1e-9)
    assert found.inputs == robot.speeds and "joint1" in str(found) and "<table>" in found._repr_html_()
    with pytest.raises(ulna.InputError, match="flexible|rigid"):
        ulna.fidelity(experiment)
    flexible = ulna.load("flexible-two-link")
    study = ulna.fidelity(ulna.Experiment(flexible, 0.02).move("shoulder", "0.1*t^2"), ["exact", "ruthless"])
    assert [row.level for row in study.rows] == ["exact", "ruthless"] and study.rows[0].deflection_error == 0
    exact = study.rows[0]
    assert exact.deflection.shape == (len(exact.times), 2 * len(study.bodies)) and exact.times[-1] == pytest.approx(0.02)
    ends = exact.deflection.reshape(len(exact.times), len(study.bodies), 2)
    np.testing.assert_allclose(np.linalg.norm(ends, axis=2).max(axis=0), exact.peak, rtol=1e-12)


def test_tip_study_gives_the_distances_that_it_states(tmp_path):
    study = ulna.tip_study(ROOT / "examples" / "flexible" / "tip_tracking.yaml")
    methods = [row.method for row in study.rows]
    assert len(set(methods)) == len(methods) > 3 and methods[0] in str(study)
    for row in study.rows:
        assert row.t.shape == row.error.shape and row.complete
        assert row.error.max() == pytest.approx(row.peak, rel=1e-9) and row.residual <= row.peak
    assert min(row.residual for row in study.rows) < 0.5 * study.rows[0].residual  # some method helps
    with pytest.raises(ulna.InputError, match="missing.yaml"):
        ulna.tip_study(tmp_path / "missing.yaml")
    with pytest.raises(TypeError, match="experiment"):
        ulna.tip_study(None)


def test_stability_surface_of_a_spinning_beam():
    surface = ulna.load("flexible-two-link").stability_surface(body="outboard", spin=[0.5, 1.0], axial=[0.0])
    assert surface.boundary.shape == (2, 1) and surface.first_frequency > 0
    with pytest.raises(ulna.InputError, match="typo"):
        ulna.load("flexible-two-link").stability_surface(body="typo")


def test_synthesis_finds_designs_that_meet_their_targets():
    folder = ROOT / "examples" / "flame-cutting"
    robot = ulna.load(folder / "torch.yaml")
    found = ulna.synthesize(robot, folder / "task.yaml", restarts=60, wanted=1)
    assert len(found) >= 1 and found.designs[0].error < 1e-3 and "design 1" in str(found)
    assert isinstance(found.designs[0].robot, ulna.Robot)
    with pytest.raises(ulna.InputError, match="method"):
        ulna.synthesize(robot, folder / "task.yaml", method="typo")


# ---- structures ------------------------------------------------------------------------------------


def test_a_mesh_that_is_too_coarse_is_told_and_refined():
    robot = ulna.load("t3r3-frame")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot.modes(locked="all", count=2, refine=1)
        fine = robot.modes(locked="all", count=6, refine="converged")
    finer = robot.modes(locked="all", count=6, refine=32)
    np.testing.assert_allclose(fine.frequencies, finer.frequencies, rtol=1e-3)
    rod = ulna.RobotBuilder("rod").body("rod").joint("root", "fixed", "world", "rod")
    rod.beam("rod", length=1.0, material="steel", section={"rectangle": {"width": 0.02, "height": 0.01}}, elements=1)
    rod = rod.build()
    with pytest.warns(UserWarning, match="too few elements"):
        coarse = rod.modes(count=4).frequencies
    found = rod.modes(count=4, refine="converged").frequencies
    assert coarse[2] > 1.1 * found[2]
    ratios = [1.0, 2.0, (4.694091 / 1.875104) ** 2, 2 * (4.694091 / 1.875104) ** 2]  # twice as stiff the other way
    np.testing.assert_allclose(found / found[0], ratios, rtol=2e-3)
    with pytest.raises(TypeError, match="refine"):
        robot.modes(refine=1.5)
    with pytest.raises(ulna.InputError, match="refine"):
        robot.modes(refine=0)


def test_a_step_settles_at_the_static_deflection():
    robot = ulna.load("t3r3-frame")
    q = [0.0, 1.0, -1.0]
    t = np.linspace(0, 20, 4001)
    x = robot.transient_response(f"{robot.tip}.z", [f"{robot.tip}.z", f"{robot.tip}.x"], t, q, load="step", amplitude=-100, damping=0.2, locked="all")
    static = robot.static_deflection(q, gravity=False, forces={robot.tip: (0, 0, -100)}, locked="all")
    np.testing.assert_allclose(x[-1], static.motion[[2, 0]], rtol=1e-4)
    one = robot.transient_response(f"{robot.tip}.z", f"{robot.tip}.z", t, q, load=np.full(len(t), -100.0), damping=0.2, locked="all")
    np.testing.assert_allclose(one, x[:, 0], rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("damping, rayleigh, mass", [(0.0, None, "consistent"), (None, (0.3, 1e-4), "consistent"), (0.0, (0.3, 0.0), "lumped")])
def test_responses_are_those_of_the_matrices(damping, rayleigh, mass):
    """(K + iwC - w^2 M)^-1, with the dampers of joints and Rayleigh's in C."""
    plain = ulna.load("t3r3-frame")
    _, second, third, *_ = plain.coordinates
    robot = plain.replace(joints={second: {"damping": 2e3}})
    joints = {"locked": [name for name in plain.coordinates if name != second], "elastic": {second: 1e5}, "mass": mass}
    q, frequencies, tip = np.array([0.0, 1.0, -1.0]), np.linspace(0.5, 40, 50), f"{robot.tip}.z"
    found = robot.structure_matrices(q, **joints)
    M, C, K = (np.asarray(part) for part in (found.M, found.C, found.K))
    if rayleigh:
        C = C + rayleigh[0] * M + rayleigh[1] * K
    unit = robot.frequency_response(tip, tip, [1e-6], q, damping=damping, rayleigh=rayleigh, **joints)[0].real  # static
    at = [k for k in range(len(K)) if abs(np.linalg.inv(K)[k, k] - unit) < 1e-6 * unit]
    assert len(at) == 1, "the freedom of the tip among the names"
    w = 2 * np.pi * frequencies
    expected = [np.linalg.inv(K + 1j * x * C - x**2 * M)[at[0], at[0]] for x in w]
    H = robot.frequency_response(tip, tip, frequencies, q, damping=damping, rayleigh=rayleigh, **joints)
    np.testing.assert_allclose(H, expected, rtol=1e-6 if mass == "consistent" else 1e-2)  # turns without mass have no mode
    assert np.abs(H / plain.frequency_response(tip, tip, frequencies, q, damping=0.0, **joints) - 1).max() > 0.01
    for wrong in ({"damping": np.nan}, {"damping": 1.0}, {"rayleigh": (-1, 0)}, {"rayleigh": (np.nan, 0)}):
        with pytest.raises(ulna.InputError, match=next(iter(wrong))):
            robot.frequency_response(tip, tip, [1.0], q, **wrong, **joints)


def test_sweeps_and_maps_of_modes():
    robot = ulna.load("t3r3-frame")
    name = robot.coordinates[1]
    swept = robot.modes_sweep(name, [0.0, 0.5], q=[0.0, 1.0, -1.0], locked="all", count=3)
    assert swept.frequencies.shape == (2, 3) and "mode 1 [Hz]" in str(swept)
    grid = robot.modes_map({name: [0.0, 0.5, 1.0], robot.coordinates[2]: [-1.0, -0.5]}, q=[0.0, 1.0, -1.0], locked="all", count=2)
    np.testing.assert_allclose(np.sort(swept.frequencies[1])[0], grid.frequencies[1, 0, 0], rtol=1e-9)
    np.testing.assert_allclose(grid.places[1, 1], robot.fk([0.0, 0.5, -0.5])[:3, 3], atol=1e-12)
    with pytest.raises(ulna.InputError, match="typo"):
        robot.modes_map({"typo": [0.0], name: [0.0]})


# ---- generated code, motions, files ------------------------------------------------------------------


def test_code_is_generated_with_what_the_command_line_has():
    text = TEXT.replace("at: {position: [0.4, 0, 0]}, axis: [0, 1, 0]", "at: {position: [0.4, 0, 0], rpy: [1.5708, 0, 0]}, axis: [0, 1, 0]")
    robot = ulna.loads(text)
    plain, snapped = robot.generate("inverse"), robot.generate("inverse", snap=1e-4)
    assert not plain.snapped and "joint2" in snapped.snapped[0]
    assert sum(snapped.operations.values()) < sum(plain.operations.values())
    searched = robot.generate("inverse", thorough=60, at_most=(40, 40))  # found at once
    assert searched.operations["mul"] <= 40 and searched.operations["add"] <= 40
    four = ulna.load("four-bar")
    for joint in four.speeds[:2]:
        assert four.generate("inverse", actuated=joint, posture=four.assemble()).files
    for wrong, words in [({"at_most": (1, 1)}, "at_most"), ({"thorough": -1.0}, "thorough"), ({"thorough": np.nan}, "thorough"), ({"snap": 0.5}, "tolerance"), ({"snap": np.nan}, "snap: is nan"), ({"actuated": "joint1"}, "loops")]:
        with pytest.raises(ulna.InputError, match=words):
            robot.generate("inverse", **wrong)


def test_jerk_has_the_break_times_that_are_given():
    times = np.arange(8) / 7
    motion = ulna.motions.program("trapezoidal-jerk", 0, 1, 2.0, breaks=times)
    early, constant, late = motion.jerk(0.25), motion.jerk([0.3, 0.56]), motion.jerk(0.6)  # between the parts 1/7 and 2/7 of 2 s
    assert constant[0] == pytest.approx(constant[1]) and early < constant[0] > late and motion(2.0) == pytest.approx(1.0)
    assert pickle.loads(pickle.dumps(motion))(0.7) == motion(0.7)
    for name, breaks in [("poly345", times), ("trapezoidal-jerk", times[:-1]), ("trapezoidal-jerk", times[::-1]), ("trapezoidal-jerk", times * np.nan)]:
        with pytest.raises(ulna.InputError):
            ulna.motions.program(name, 0, 1, 2.0, breaks=breaks)


# ---- notebooks -------------------------------------------------------------------------------------


@pytest.mark.skipif(not ulna.has_report_page(), reason="the page was not compiled in")
def test_the_page_is_loaded_once_in_a_notebook(arm):
    ulna.reload_page()
    first, second = arm._repr_html_(), arm._repr_html_()
    assert len(first) > 300_000 > 100_000 > len(second) and "iframe" in second
    ulna.reload_page()
    assert len(arm._repr_html_()) > 300_000


# ---- scripts ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def right_calls():
    from fuzz_api import TEXT as arm
    from valid_calls import valid_calls
    from valid_changes import valid_changes

    return valid_calls(ulna.loads(arm)) + valid_changes(ulna.loads(arm))


def test_the_calls_that_the_fuzz_spoils_are_right(right_calls):
    from valid_changes import name_of

    for function, keywords in right_calls:
        try:
            function(**keywords)
        except Exception as error:
            raise AssertionError(f"{name_of(function)}: {error}") from error


def functions_with_arguments():
    """Names of all of them, as valid_changes.name_of says them."""
    for cls in (ulna.Robot, ulna.RobotBuilder, ulna.Dynamics, ulna.Platform, ulna.Motion, ulna.PoseMotion, ulna.Trajectory, ulna.Experiment, ulna.Run):
        for name, member in vars(cls).items():
            member = member.__func__ if isinstance(member, staticmethod) else member
            if not name.startswith("_") and callable(member) and set(inspect.signature(member).parameters) - {"self"}:
                yield f"{cls.__name__}.{name}"
    for module in (ulna, ulna.motions, ulna.homogeneous):
        for name in module.__all__:
            function = getattr(module, name)
            if callable(function) and not isinstance(function, type) and inspect.signature(function).parameters:
                yield name


def test_the_fuzz_spoils_a_right_call_of_every_function(right_calls):
    from valid_changes import name_of

    others = {
        "set_threads",  # of the whole process
        "tip_study",  # seconds each
        "Experiment.read",  # static: named without its class, as is loads
        "Experiment.loads",
    }
    assert set(functions_with_arguments()) - {name_of(function) for function, _ in right_calls} <= others


def test_a_short_fuzz_of_the_whole_package():
    script = Path(__file__).with_name("fuzz_api.py")
    done = subprocess.run([sys.executable, str(script), "--seconds", "20", "--limit", "1"], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_no_growth():
    script = Path(__file__).with_name("grow.py")
    done = subprocess.run([sys.executable, str(script), "--count", "1000"], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
