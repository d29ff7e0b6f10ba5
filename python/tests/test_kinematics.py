"""Inverse kinematics, motions of frames, loops."""

import numpy as np
import pytest

import ulna


def test_all_solutions_numerically_and_in_closed_form():
    robot = ulna.load("puma560")
    target = robot.fk([0.3, 0.5, -0.4, 0.2, 0.7, -0.1])
    numeric = robot.ik(target, all=True, restarts=200)
    exact = robot.ik_closed_form(target)
    for q in np.concatenate([numeric, exact]):
        np.testing.assert_allclose(robot.fk(q), target, atol=1e-9)
    assert len(exact) >= len(numeric) >= 4
    for q in numeric:
        assert np.abs(exact - q).max(axis=1).min() < 1e-6


def test_position_with_and_without_rotation(puma):
    p, R = [0.4, 0.1, 0.3], [0, 1, 0, 0]
    np.testing.assert_allclose(puma.fk(puma.ik(p))[:3, 3], p, atol=1e-9)
    X = puma.fk(puma.ik(p, R))
    np.testing.assert_allclose(X, ulna.pose(p, quaternion=R), atol=1e-9)
    np.testing.assert_allclose(X, puma.fk(puma.ik(p, X[:3, :3])), atol=1e-9)


def test_rates_and_accelerations_for_a_twist(puma):
    q = np.array([0.3, 0.5, -0.4, 0.2, 0.7, -0.1])
    twist, acceleration = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), np.array([1.0, 0, 0, 0, 0.5, 0])
    v = puma.joint_rates(q, twist)
    assert v.rank == 6 and v.residual < 1e-12
    np.testing.assert_allclose(puma.velocity(q, v.value), twist, atol=1e-12)
    a = puma.joint_accelerations(q, v.value, acceleration)
    np.testing.assert_allclose(puma.acceleration(q, v.value, a.value), acceleration, atol=1e-11)


def test_jacobian_relative_to_and_expressed_in(puma):
    q, v = np.array([0.3, 0.5, -0.4, 0.2, 0.7, -0.1]), np.linspace(1, 2, 6)
    body = puma.bodies[3]
    J = puma.jacobian(q, expressed_in=puma.tip)
    R = puma.fk(q)[:3, :3]
    world = puma.jacobian(q) @ v
    np.testing.assert_allclose(J @ v, np.concatenate([R.T @ world[:3], R.T @ world[3:]]), atol=1e-12)
    relative = puma.jacobian(q, relative_to=body)
    np.testing.assert_allclose(relative[:, :3], 0, atol=1e-15)  # joints below the body do not matter
    moved = puma.jacobian(q, point=(0.1, 0.2, 0.3))
    w, r = world[:3], R @ [0.1, 0.2, 0.3]
    np.testing.assert_allclose((moved @ v)[3:], world[3:] + np.cross(w, r), atol=1e-12)


@pytest.mark.parametrize("path", ["line", "screw", "circle", "polyline"])
def test_a_frame_follows_its_path(puma, path):
    q0 = np.array([0.3, 0.5, -0.4, 0.2, 0.7, -0.1])
    begin = puma.fk(q0)
    end = begin @ ulna.pose((0.05, 0.1, -0.05), rpy=(0.1, 0.2, 0))
    motion = {
        "line": lambda: ulna.motions.line(begin, end, 1.5),
        "screw": lambda: ulna.motions.screw(begin, end, 1.5),
        "circle": lambda: ulna.motions.circle(begin, begin[:3, 3] + [0.05, 0, 0], (0, 0, 1), 2.0, 1.5),
        "polyline": lambda: ulna.motions.polyline(
            begin[:3, 3] + [[0, 0, 0], [0.1, 0, 0], [0.1, 0.1, 0]], rotation=begin[:3, :3], speed=0.2, blend=0.02, ramp=0.1
        ),
    }[path]()
    trajectory = puma.follow(motion, start=q0)
    t = np.linspace(0, motion.duration, 23)
    q, v, a = trajectory.at(t)
    for k in range(len(t)):
        pose, twist, acceleration = motion.at(t[k])
        np.testing.assert_allclose(puma.fk(q[k]), pose, atol=1e-8)
        np.testing.assert_allclose(puma.velocity(q[k], v[k]), twist, atol=1e-5)
    assert len(trajectory) == 6 and trajectory.coordinate(2)(0.7) == pytest.approx(trajectory.at(0.7)[0][2])


def test_a_trajectory_as_fast_as_the_motors_allow(puma):
    q0 = np.array([0.3, 0.5, -0.4, 0.2, 0.7, -0.1])
    begin = puma.fk(q0)
    trajectory = puma.follow(ulna.motions.line(begin, begin @ ulna.pose((0, 0, 0.2)), 1.0), start=q0)
    efforts = np.full(6, 150.0)
    factor = puma.fastest_scale(trajectory, efforts=efforts, rates=np.full(6, np.inf))
    peak = lambda x: np.abs(puma.inverse_dynamics(*x.at(np.linspace(0, x.duration, 2000)))).max()
    assert peak(trajectory.faster(factor)) == pytest.approx(150, rel=1e-3)
    slower = puma.fastest_scale(trajectory, rates=np.full(6, 1.0), efforts=np.full(6, np.inf))
    fastest = np.abs(trajectory.faster(slower).at(np.linspace(0, 1 / slower, 2000))[1]).max()
    assert fastest == pytest.approx(1.0, rel=1e-4)


def test_a_path_out_of_reach_says_when(puma):
    begin = puma.fk([0.3, 0.5, -0.4, 0.2, 0.7, -0.1])
    with pytest.raises(ulna.ComputationError, match="beyond 0.18"):
        puma.follow(ulna.motions.line(begin, begin @ ulna.pose((3, 0, 0)), 1.0), start=[0.3, 0.5, -0.4, 0.2, 0.7, -0.1])


def test_states_that_do_not_fit_the_loops_are_refused():
    robot = ulna.load("four-bar")
    q = robot.assemble()
    assert robot.closure(q).gap < 1e-9
    with pytest.raises(ulna.InputError, match="q: leaves the loops open"):
        robot.inverse_dynamics(q + 0.1)
    with pytest.raises(ulna.InputError, match="v: opens the loops"):
        robot.inverse_dynamics(q, np.ones(robot.nv))
    q, v, a = robot.complete(q, np.ones(robot.nv))
    with pytest.raises(ulna.InputError, match="a: opens the loops"):
        robot.inverse_dynamics(q, v, a + 1)
    closure = robot.closure(q, v)
    np.testing.assert_allclose(closure.jacobian @ v, 0, atol=1e-12)
    np.testing.assert_allclose(closure.jacobian @ a, closure.bias, atol=1e-11)


def test_loops_forward_undoes_inverse_and_does_the_same_work():
    robot = ulna.load("palletiser")
    m = robot.independent_map(robot.assemble())
    q, v, a = robot.complete(robot.assemble(), {n: 0.5 for n in m.independent}, {n: -0.3 for n in m.independent})
    m = robot.independent_map(q, v, independent=m.independent)
    u = [v[robot.speeds.index(n)] for n in m.independent]
    np.testing.assert_allclose(m.G @ u, v, atol=1e-11)
    efforts = robot.loop_efforts(q, v, a, actuated=m.independent)
    np.testing.assert_allclose(robot.inverse_dynamics(q, v, a, actuated=m.independent), efforts.tau, atol=1e-12)
    for method in ("multipliers", "embedding"):
        np.testing.assert_allclose(robot.forward_dynamics(q, v, efforts.tau, method=method), a, atol=1e-8)
    assert set(efforts.reactions) == set(robot.loops)


def test_all_ways_to_assemble():
    robot = ulna.load("four-bar")
    ways = robot.assemble({robot.coordinates[0]: 5.236}, all=True)
    assert len(ways) == 2
    for q in ways:
        assert robot.closure(q).gap < 1e-9
    with pytest.raises(ulna.InputError, match="crnk"):
        robot.assemble({"crnk": 1.0})


def test_reactions_and_wrenches(puma):
    q = np.array([0.3, 0.5, -0.4, 0.2, 0.7, -0.1])
    reactions = puma.reactions(q, expressed_in="world")
    first = puma.joints[0].name
    weight = puma.mass * 9.81
    assert reactions[first][5] <= weight * (1 + 1e-12) and reactions[first][5] > 0
    J = puma.jacobian(q, puma.bodies[-1])
    force = np.array([3.0, -2.0, 5.0])
    change = puma.inverse_dynamics(q) - puma.inverse_dynamics(q, wrenches={puma.bodies[-1]: force})
    np.testing.assert_allclose(change, J[3:].T @ force, atol=1e-11)
    full = ulna.Wrench(puma.bodies[-1], force=force, moment=(1, 0, 0), expressed_in="world")
    change = puma.inverse_dynamics(q) - puma.inverse_dynamics(q, wrenches=[full], method="lagrange-4x4")
    np.testing.assert_allclose(change, J[3:].T @ force + J[:3].T @ [1, 0, 0], atol=1e-11)


@pytest.mark.parametrize("name", ["puma560", "four-bar", "flexible-two-link"])
def test_motions_seen_from_another_frame(name):
    robot = ulna.load(name)
    rng = np.random.default_rng(3)
    q, v, a = robot.complete(None, rng.uniform(-1, 1, robot.nv), rng.uniform(-1, 1, robot.nv))
    frames = robot.frames
    f, r, e = frames[-1], frames[1], frames[len(frames) // 2]
    V = robot.velocity(q, v, f, relative_to=r, expressed_in=e)
    np.testing.assert_allclose(V, robot.jacobian(q, f, relative_to=r, expressed_in=e) @ v, atol=1e-12)
    # In the axes of the frame that looks on, the components of the velocity change by the acceleration.
    h = 1e-5

    def velocity(t):
        return robot.velocity(robot.integrate(q, t * v + t * t * a / 2), v + t * a, f, relative_to=r, expressed_in=r)

    A = robot.acceleration(q, v, a, f, relative_to=r, expressed_in=r)
    np.testing.assert_allclose(A, (velocity(h) - velocity(-h)) / (2 * h), atol=1e-6)
