"""Facts of mechanics on random states (Hypothesis draws them)."""

import numpy as np
import pytest
from conftest import TREES, robot_named
from hypothesis import given
from hypothesis import strategies as st

import ulna

robots = {name: robot_named(name) for name in TREES}


@st.composite
def states(draw):
    """A robot and a state of it."""
    robot = robots[draw(st.sampled_from(TREES))]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    v, a = draw(st.sampled_from([0.1, 1.0, 10.0])) * rng.uniform(-1, 1, (2, robot.nv))
    return robot, robot.random(seed=int(rng.integers(2**32))), v, a


@given(states())
def test_forward_undoes_inverse_dynamics(state):
    robot, q, v, a = state
    tau = robot.inverse_dynamics(q, v, a)
    M = robot.mass_matrix(q)
    allowed = 1e-13 * np.linalg.cond(M) * (1 + np.abs(tau).max() / np.abs(M).max())
    np.testing.assert_allclose(robot.forward_dynamics(q, v, tau), a, atol=max(allowed, 1e-12))


@given(states())
def test_equations_of_motion_are_the_sum_of_their_terms(state):
    robot, q, v, a = state
    tau = robot.inverse_dynamics(q, v, a)
    parts = [robot.mass_matrix(q) @ a, robot.coriolis(q, v) @ v, robot.gravity(q), robot.passive(q, v)]
    np.testing.assert_allclose(sum(parts), tau, atol=1e-12 * (1 + sum(np.abs(p).max() for p in parts)))
    np.testing.assert_allclose(sum(parts[1:]), robot.bias(q, v), atol=1e-12 * (1 + np.abs(tau).max() + sum(np.abs(p).max() for p in parts)))


@given(states())
def test_jacobian_gives_the_velocity_and_its_rate_the_acceleration(state):
    robot, q, v, a = state
    J, J_rate = robot.jacobian(q), robot.jacobian_rate(q, v)
    scale = 1 + np.abs(v).max() ** 2 + np.abs(a).max()
    np.testing.assert_allclose(J @ v, robot.velocity(q, v), atol=1e-12 * scale)
    np.testing.assert_allclose(J @ a + J_rate @ v, robot.acceleration(q, v, a), atol=1e-11 * scale)


@given(states())
def test_jacobian_is_the_derivative_of_the_pose(state):
    robot, q, v, _ = state
    v = v / np.abs(v).max()
    h = 1e-5
    before, after = robot.fk(robot.integrate(np.stack([q, q]), np.stack([-h * v, h * v])))
    velocity = (robot.jacobian(q) @ v)[3:]
    difference = (after - before)[:3, 3] / (2 * h)
    np.testing.assert_allclose(difference, velocity, atol=1e-7)  # h^2 and eps/h


@given(states())
def test_integrate_and_difference_undo_each_other(state):
    robot, q, v, _ = state
    v = v / (1 + np.abs(v).max())  # less than half a turn
    np.testing.assert_allclose(robot.difference(q, robot.integrate(q, v)), v, atol=1e-11)


@given(states())
def test_kinetic_energy_is_half_v_M_v(state):
    robot, q, v, _ = state
    T = robot.energy(q, v).kinetic
    assert T == pytest.approx(0.5 * v @ robot.mass_matrix(q) @ v, rel=1e-10, abs=1e-14)


@given(states())
def test_derivatives_agree_with_differences(state):
    robot, q, v, a = state
    d = robot.inverse_dynamics_derivatives(q, v, a)
    h = 1e-6
    steps = h * np.eye(robot.nv)
    moved = robot.integrate(np.repeat(q[None], 2 * robot.nv, 0), np.concatenate([steps, -steps]))
    tau = robot.inverse_dynamics(moved, v, a)
    numeric = (tau[: robot.nv] - tau[robot.nv :]).T / (2 * h)
    size = 1 + np.abs(tau).max()
    np.testing.assert_allclose(d.dtau_dq, numeric, atol=1e-7 * size)
    np.testing.assert_allclose(d.dtau_da, robot.mass_matrix(q), atol=1e-12 * size)
    f = robot.forward_dynamics_derivatives(q, v, robot.inverse_dynamics(q, v, a))
    allowed = 1e-13 * np.linalg.cond(d.dtau_da)
    np.testing.assert_allclose(d.dtau_da @ f.da_dtau, np.eye(robot.nv), atol=max(1e-10, allowed))


@given(states())
def test_efforts_are_linear_in_the_parameters(state):
    robot, q, v, a = state
    Y = robot.regressor(q, v, a, terms="all")
    p = np.array(list(robot.parameters(terms="all").values()))
    tau = robot.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(Y @ p, tau, atol=1e-11 * (1 + np.abs(Y * p).max()))


@given(states(), st.integers(0, 40))
def test_a_batch_is_its_states_one_by_one(state, count):
    robot, _, _, _ = state
    rng = np.random.default_rng(count)
    q = robot.random(count, seed=count)
    v, a = rng.uniform(-1, 1, (2, count, robot.nv))
    calls = [
        lambda q, v, a: robot.inverse_dynamics(q, v, a),
        lambda q, v, a: robot.forward_dynamics(q, v, a),
        lambda q, v, a: robot.mass_matrix(q),
        lambda q, v, a: robot.coriolis(q, v),
        lambda q, v, a: robot.gravity(q),
        lambda q, v, a: robot.fk(q),
        lambda q, v, a: robot.jacobian(q),
        lambda q, v, a: robot.energy(q, v).potential,
        lambda q, v, a: robot.regressor(q, v, a),
        lambda q, v, a: robot.inverse_dynamics_derivatives(q, v, a).dtau_dq,
    ]
    for call in calls:
        together = call(q, v, a)
        assert len(together) == count
        for k in range(count):
            one = call(q[k], v[k], a[k])
            # packs of states round differently from single ones
            np.testing.assert_allclose(together[k], one, rtol=1e-11, atol=1e-11 * (1 + np.abs(one).max()))


@given(st.integers(0, 1000))
def test_inverse_kinematics_reaches_what_can_be_reached(seed):
    robot = robots["puma560"]
    target = robot.fk(robot.random(seed=seed))
    q = robot.ik(target)
    np.testing.assert_allclose(robot.fk(q), target, atol=1e-9)
    assert (q >= robot.lower).all() and (q <= robot.upper).all()


@given(st.integers(0, 1000))
def test_momentum_is_that_of_the_centre_of_mass(seed):
    robot = robots["flyer"]
    q, v = robot.random(seed=seed), np.random.default_rng(seed).uniform(-1, 1, robot.nv)
    linear = robot.momentum(q, v)[3:]
    np.testing.assert_allclose(robot.centroidal_momentum_matrix(q)[3:] @ v, linear, atol=1e-12)


def test_every_method_agrees(puma):
    result = puma.verify(states=5)
    assert result and "all agree" in str(result)
    assert ulna.load("four-bar").verify(states=3)
