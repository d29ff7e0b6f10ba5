"""Influence coefficients and the dynamics in any inputs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ulna

TREES = ["intelledex605", "puma560", "stanford", "scara"]


@pytest.mark.parametrize("name", TREES)
def test_they_say_what_jacobians_and_inverse_dynamics_say(name, states):
    robot = ulna.load(name)
    q, v, a = states(robot, 5)
    found = robot.influence_coefficients(q)
    n = robot.nv
    assert found.G.shape == (5, 6, n) and found.H.shape == (5, 6, n, n)
    assert found.I.shape == (5, n, n) and found.P.shape == (5, n, n, n) and found.inputs == robot.speeds
    np.testing.assert_allclose(found.G, robot.jacobian(q), atol=1e-12)
    np.testing.assert_allclose(found.acceleration(v, a), robot.acceleration(q, v, a), atol=1e-11)
    np.testing.assert_allclose(found.I, robot.mass_matrix(q), atol=1e-10)
    np.testing.assert_allclose(found.gravity, robot.gravity(q), atol=1e-9)
    active = robot.inverse_dynamics(q, v, a) - robot.passive(q, v)
    np.testing.assert_allclose(found.efforts(v, a), active, rtol=1e-9, atol=1e-9)
    one = robot.influence_coefficients(q[3])
    for part in ("G", "H", "I", "P", "gravity"):
        np.testing.assert_array_equal(getattr(one, part), getattr(found, part)[3])


@given(st.floats(-1.2, 1.2), st.floats(-1, 1), st.floats(-1, 1))
def test_a_point_of_a_frame(angle, x, y):
    robot = ulna.load("puma560")
    q = np.full(6, angle)
    found = robot.influence_coefficients(q, robot.tip, point=(x, y, 0.1))
    np.testing.assert_allclose(found.G, robot.jacobian(q, robot.tip, point=(x, y, 0.1)), atol=1e-12)
    np.testing.assert_allclose(found.I, found.I.T, atol=1e-12)


@pytest.mark.parametrize("name, inputs", [("five-bar", None), ("slider-crank", None), ("four-bar", None), ("palletiser", None)])
def test_through_loops_the_efforts_are_those_of_the_motors(name, inputs):
    robot = ulna.load(name)
    q0 = robot.assemble()
    found = robot.influence_coefficients(q0)
    rng = np.random.default_rng(4)
    u, du = rng.uniform(-1, 1, (2, len(found.inputs)))
    q, v, a = robot.complete(q0, dict(zip(found.inputs, u)), dict(zip(found.inputs, du)))
    np.testing.assert_allclose(found.twist(u), robot.velocity(q, v), atol=1e-9)
    np.testing.assert_allclose(found.acceleration(u, du), robot.acceleration(q, v, a), atol=1e-8)
    tau = robot.inverse_dynamics(q, v, a, actuated=found.inputs)
    passive = robot.independent_map(q, v, independent=found.inputs).G.T @ robot.passive(q, v)
    places = [robot.speeds.index(s) for s in found.inputs]
    np.testing.assert_allclose(found.efforts(u, du), (tau[places] - passive), atol=1e-6 * (1 + np.abs(tau).max()))


def test_other_inputs_than_the_drives():
    robot = ulna.load("five-bar")
    q = robot.assemble()
    usual = robot.influence_coefficients(q)
    other = robot.influence_coefficients(q, inputs=[s for s in robot.speeds if s not in usual.inputs][:2])
    # G of one set is G of the other times the map between the sets.
    assert not np.allclose(usual.G, other.G)
    u = np.array([0.3, -0.2])
    _, v, _ = robot.complete(q, dict(zip(other.inputs, u)))
    back = [v[robot.speeds.index(s)] for s in usual.inputs]
    np.testing.assert_allclose(usual.twist(back), other.twist(u), atol=1e-9)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: ulna.load("puma560").influence_coefficients(np.zeros(5)), ["q", "(5,)", "(6,)"]),
        (lambda: ulna.load("puma560").influence_coefficients(np.zeros(6), "tol"), ["tol"]),
        (lambda: ulna.load("five-bar").influence_coefficients(ulna.load("five-bar").assemble(), inputs=["x"]), ["inputs", "x"]),
        (lambda: ulna.load("five-bar").influence_coefficients(np.full(4, 0.3)), ["q", "open", "assemble"]),
        (lambda: ulna.load("five-bar").influence_coefficients(ulna.load("five-bar").assemble(), inputs=["left", "left"]), ["twice"]),
    ],
)
def test_errors(call, words):
    with pytest.raises(ulna.InputError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
