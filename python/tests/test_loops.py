"""Robots with loops: one state and batches, reactions, the published spatial mechanisms."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ulna

INCH = 0.0254
LOOPS = ["four-bar", "slider-crank", "five-bar", "crank-rocker", "bennett", "rccc", "rrcrc", "palletiser", "screw-jack", "planar-3rrr", "delta", "ddts"]


def angle_difference(x, y):
    return (x - y + np.pi) % (2 * np.pi) - np.pi


def follow_spatial(robot, rows, slides, order):
    start = None
    for row in rows:
        q, v, a = (np.array(row[key])[order] for key in ("q", "qd_for_theta1dot_1", "qdd"))
        for x in (q, v, a):
            x[slides] *= INCH
        n = robot.nq
        start = q[:n] if start is None else start
        start = start.copy()
        start[0] = q[0]
        first = robot.coordinates[0]
        at = robot.assemble(start, held=[first], tolerance=1e-12)
        at, speeds, rates = robot.complete(at, {first: 1.0}, {first: 0.0})
        unit = np.where(np.isin(np.arange(n), slides), INCH, 1)
        gap = np.where(np.isin(np.arange(n), slides), at - q[:n], angle_difference(at, q[:n]))
        np.testing.assert_allclose(gap / unit, 0, atol=1e-8)
        np.testing.assert_allclose((speeds - v[:n]) / unit, 0, atol=1e-8)
        np.testing.assert_allclose((rates - a[:n]) / unit, 0, atol=1e-8)
        start = at


def test_rccc_follows_its_input(published):
    follow_spatial(ulna.load("rccc"), published("closed_loops")["rccc"], [2, 4, 6], list(range(7)))


def test_rrcrc_follows_its_input(published):
    # theirs: slide before turn
    follow_spatial(ulna.load("rrcrc"), published("closed_loops")["rrcrc"], [3, 6], [0, 1, 3, 2, 4, 6, 5])


def test_screw_jack_lifts_by_its_pitch(published):
    data = published("closed_loops")["screw_jack"]
    robot = ulna.load("screw-jack")
    # Hinge, thread and slide span two screws; the one that closes the loop is not counted in the tree.
    assert robot.mobility().dof == 1 and robot.mobility().rank == data["rank"] - 1
    q, v, _ = robot.complete(None, {robot.speeds[0]: 1.0})
    assert np.abs(v).max() == pytest.approx(1) and robot.closure(q, v).gap < 1e-10


def test_t3r3_reaches_the_plate_in_four_ways(published):
    robot = ulna.load("t3r3")
    for point in published("closed_loops")["t3r3_plate"][::5]:
        ways = robot.ik_closed_form(point["p"], frame="tip")
        assert len(ways) == 4
        np.testing.assert_allclose(robot.fk(ways, "tip")[:, :3, 3], np.tile(point["p"], (4, 1)), atol=1e-9)
        off = np.abs(angle_difference(ways, np.radians(point["deg"]))).max(axis=1)
        assert off.min() < 1e-9


def test_t3r3_rates_and_accelerations(published):
    robot = ulna.load("t3r3")
    for row in published("closed_loops")["t3r3_rates"]:
        rates = robot.joint_rates(row["q"], np.r_[0, 0, 0, row["tip_velocity"]], frame="tip", position_only=True)
        np.testing.assert_allclose(rates.value, row["qd"], atol=1e-5)
        second = robot.joint_accelerations(row["q"], rates.value, np.r_[0, 0, 0, row["tip_acceleration"]], frame="tip", position_only=True)
        np.testing.assert_allclose(second.value, row["qdd"], atol=1e-4)


def closed_states(robot, count=6, seed=3):
    """Closed postures around the assembled one, with speeds and accelerations that fit."""
    rng = np.random.default_rng(seed)
    near = robot.assemble()
    dv = 0.02 * rng.standard_normal((count, robot.nv))
    q = robot.assemble(robot.integrate(near, dv), tolerance=1e-12)
    return robot.complete(q, rng.uniform(-1, 1, (count, robot.nv)), rng.uniform(-1, 1, (count, robot.nv)))


@pytest.mark.parametrize("name", LOOPS)
def test_batches_are_the_states_one_by_one(name):
    robot = ulna.load(name)
    q, v, a = closed_states(robot)
    assert q.shape == (6, robot.nq) and v.shape == a.shape == (6, robot.nv)
    closure = robot.closure(q, v)
    assert np.all(closure.gap < 1e-9) and closure.jacobian.shape[0] == 6
    np.testing.assert_allclose(np.einsum("nij,nj->ni", closure.jacobian, v), 0, atol=1e-8)
    np.testing.assert_allclose(np.einsum("nij,nj->ni", closure.jacobian, a), closure.bias, atol=1e-6)
    one = robot.closure(q[2], v[2])
    np.testing.assert_array_equal(one.residual, closure.residual[2])
    assert isinstance(one.gap, float) and set(one.gaps) == set(robot.loops)
    map_ = robot.independent_map(q, v)
    u = v[:, [robot.speeds.index(s) for s in map_.independent]]
    np.testing.assert_allclose(np.einsum("nij,nj->ni", map_.G, u), v, atol=1e-6)
    mobility = robot.mobility(q[:2])
    assert [m.dof for m in mobility] == [robot.mobility(q[0]).dof, robot.mobility(q[1]).dof]


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "five-bar", "palletiser", "rccc"])
def test_efforts_give_the_accelerations_back(name):
    robot = ulna.load(name)
    q, v, a = closed_states(robot)
    found = robot.loop_efforts(q, v, a)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, found.tau), a, atol=1e-5)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, found.tau, method="embedding"), a, atol=1e-5)
    np.testing.assert_array_equal(robot.loop_efforts(q[1], v[1], a[1]).tau, found.tau[1])
    reactions = robot.reactions(q, v, a)
    assert set(reactions) == {j.name for j in robot.joints} | set(robot.loops)
    for loop in robot.loops:
        np.testing.assert_allclose(reactions[loop], found.reactions[loop], atol=1e-6 * (1 + np.abs(reactions[loop]).max()))


@given(st.floats(0, 6.28), st.floats(-3, 3))
def test_power_of_the_crank_is_the_change_of_energy(angle, speed):
    robot = ulna.load("slider-crank")
    crank = robot.coordinates[0]
    q, v, a = robot.complete({crank: angle}, {crank: speed}, {crank: 0.5})
    tau = robot.inverse_dynamics(q, v, a, actuated=[crank])
    rate = robot.energy_rate(q, v, a)
    assert tau @ v == pytest.approx(rate.kinetic + rate.potential, abs=1e-8 * (1 + abs(tau @ v)))


@pytest.mark.parametrize("name", LOOPS)
def test_robots_with_loops_and_their_runs_can_be_pickled(name):
    robot = ulna.load(name)
    copy = pickle.loads(pickle.dumps(robot))
    assert copy.hash() == robot.hash() and copy.loops == robot.loops
    q = robot.assemble()
    np.testing.assert_array_equal(copy.closure(q).jacobian, robot.closure(q).jacobian)
    if name == "four-bar":
        run = ulna.simulate(robot, 0.2, q=q)
        again = pickle.loads(pickle.dumps(run))
        np.testing.assert_array_equal(again.values, run.values)
        assert again.robot.loops == robot.loops


def test_a_loop_made_in_code_is_that_of_the_file():
    """A four-bar of equal numbers, closed by its last hinge; the same by a rod."""
    builder = ulna.RobotBuilder("four-bar", gravity=(0, -9.81, 0))
    for name, length in (("crank", 0.3), ("coupler", 0.8), ("rocker", 0.6)):
        builder.body(name, 1.0, centre=(length / 2, 0, 0), inertia=(1e-3, length**2 / 12, length**2 / 12))
    builder.joint("a", "revolute", "world", "crank").joint("b", "revolute", "crank", "coupler", at=(0.3, 0, 0))
    builder.joint("d", "revolute", "world", "rocker", at=(0.7, 0, 0))
    builder.joint("c", "revolute", "rocker", "coupler", at=(0.6, 0, 0), child_at=(-0.8, 0, 0), cut=True)
    robot = builder.build()
    assert robot.loops == ["c"] and robot.mobility().dof == 1
    q, v, a = robot.complete({"a": 0.9}, {"a": 2.0}, {"a": 0.0})
    tau = robot.inverse_dynamics(q, v, a, actuated=["a"])
    np.testing.assert_allclose(robot.forward_dynamics(q, v, tau), a, atol=1e-8)


def test_errors_of_loops():
    robot = ulna.load("four-bar")
    q = robot.assemble()
    for call, words in (
        (lambda: robot.closure(np.zeros(9)), ["q", "(9,)", "(3,)"]),
        (lambda: robot.complete(q, {"nobody": 1.0}), ["nobody"]),
        (lambda: robot.complete(q, {robot.speeds[0]: [[1.0]]}), ["v", "(1, 1)"]),
        (lambda: robot.complete(np.stack([q] * 3), np.zeros((2, 3))), ["v", "2 states", "3"]),
        (lambda: robot.assemble(np.stack([q] * 2), all=True), ["all"]),
        (lambda: robot.loop_efforts(q, np.ones(3)), ["v", "complete"]),
        (lambda: ulna.load("puma560").closure(np.zeros(6)), ["puma560", "no loops"]),
    ):
        with pytest.raises(ulna.InputError) as caught:
            call()
        for word in words:
            assert word in str(caught.value)


def test_inverse_kinematics_in_batches(puma):
    q = puma.random(4, seed=2)
    poses = puma.fk(q)
    found = puma.ik(poses, start=q + 0.05)
    np.testing.assert_allclose(puma.fk(found), poses, atol=1e-8)
    positions = puma.ik(poses[:, :3, 3], start=q)
    np.testing.assert_allclose(puma.fk(positions)[:, :3, 3], poses[:, :3, 3], atol=1e-8)
    rates = puma.joint_rates(q, np.ones((4, 6)))
    np.testing.assert_array_equal(rates.value[1], puma.joint_rates(q[1], np.ones(6)).value)
    systems = puma.linearize(q)
    assert systems.A.shape == (4, 12, 12) and systems.poles.shape == (4, 12)
    np.testing.assert_array_equal(systems.A[2], puma.linearize(q[2]).A)


def test_values_by_name_may_make_a_batch():
    robot = ulna.load("four-bar")
    name = robot.coordinates[0]
    values = robot.assemble()[0] + np.linspace(0, 0.05, 3)
    found = robot.assemble({name: values})
    assert found.shape == (3, robot.nq)
    np.testing.assert_allclose(found[:, 0], values, atol=1e-12)
    assert robot.closure(found).gap.max() < 1e-9
    np.testing.assert_allclose(found[1], robot.assemble({name: values[1]}), atol=1e-8)
    q, v, a = robot.complete({name: values}, {robot.speeds[0]: [1.0, 2.0, 3.0]})
    assert q.shape == (3, robot.nq) and v.shape == a.shape == (3, robot.nv)
    np.testing.assert_allclose(v[:, 0], [1, 2, 3], atol=1e-12)
    np.testing.assert_allclose(robot.complete({name: values}, {robot.speeds[0]: [1.0]})[1][2, 0], 1, atol=1e-12)


@pytest.mark.parametrize("value", ["x", None, np.zeros((2, 2)), [1.0, None]])
def test_values_by_name_are_numbers(value):
    robot = ulna.load("four-bar")
    for call in (robot.assemble, robot.complete):
        with pytest.raises(ulna.InputError, match="^q: "):
            call({robot.coordinates[0]: value})
    with pytest.raises(ulna.InputError, match="has 3 states"):
        robot.complete({robot.coordinates[0]: [0.1, 0.2]}, {robot.speeds[0]: [1.0, 2.0, 3.0]})


def test_closing_joints_are_named_like_the_others():
    robot = ulna.load("four-bar")
    q, v, a = robot.complete({"joint1": np.radians(300)}, {"joint1": 2.0}, {"joint1": -1.0})
    own = robot.closing_joints(q, v, a)["joint4"]
    again = robot.complete(q, {"joint4": own.v[0]}, {"joint4": own.a[0]})
    np.testing.assert_allclose(again[1], v, atol=1e-9)
    np.testing.assert_allclose(again[2], a, atol=1e-9)
    assembled = robot.assemble({"joint4": own.q[0]})
    np.testing.assert_allclose(robot.closing_joints(assembled)["joint4"].q, own.q, atol=1e-9)
    # A batch of values.
    rates = np.array([1.0, 2.0, 3.0])
    _, speeds, _ = robot.complete(q, {"joint4": rates})
    np.testing.assert_allclose(robot.closing_joints(np.stack([q] * 3), speeds)["joint4"].v[:, 0], rates, atol=1e-10)


def test_motors_on_closing_joints_do_the_same_work():
    robot = ulna.load("four-bar")
    q, v, a = robot.complete({"joint1": np.radians(300)}, {"joint1": 2.0}, {"joint1": -1.0})
    power = robot.inverse_dynamics(q, v, a, actuated=["joint1"]) @ v
    found = robot.loop_efforts(q, v, a, actuated=["joint4"])
    np.testing.assert_allclose(found.tau, 0)
    rate = robot.closing_joints(q, v)["joint4"].v[0]
    np.testing.assert_allclose(found.closing["joint4"][0] * rate, power, rtol=1e-9)
    # The efforts of closing joints follow those of the speeds.
    all_efforts = robot.inverse_dynamics(q, v, a, actuated=["joint4"])
    assert all_efforts.shape == (robot.nv + 1,)
    np.testing.assert_allclose(all_efforts[-1], found.closing["joint4"][0], rtol=1e-12)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, {"joint4": all_efforts[-1]}), a, atol=1e-7)


def test_states_by_name_are_completed():
    arm = ulna.load("puma560")
    q = np.zeros(6)
    q[2] = 0.7
    np.testing.assert_array_equal(arm.complete({"joint3": 0.7})[0], q)
    np.testing.assert_array_equal(arm.inverse_dynamics({"joint3": 0.7}), arm.inverse_dynamics(q))
    robot = ulna.load("four-bar")
    q, v, a = robot.complete({"joint1": np.radians(300)}, {"joint1": 2.0})
    np.testing.assert_allclose(
        robot.inverse_dynamics({"joint1": np.radians(300)}, {"joint1": 2.0}, actuated="joint1"),
        robot.inverse_dynamics(q, v, a, actuated="joint1"),
        atol=1e-9,
    )
    with pytest.raises(ulna.InputError, match="by name"):
        robot.inverse_dynamics({"joint1": [0.1, 0.2]})
