"""Kane's quantities, the 4x4 matrices of links, Lagrange's coefficients and homogeneous geometry."""

import numpy as np
import pytest

import ulna
from ulna import homogeneous as h

TREES = ["intelledex605", "puma560", "scara"]


@pytest.mark.parametrize("name", TREES)
def test_kanes_equations_hold_in_any_speeds(name, states):
    robot = ulna.load(name)
    q, v, a = states(robot, 4)
    formulas = {f"u{k}": f"(2 + cos(q.{s}))*v.{s} + t" for k, s in enumerate(robot.speeds)}
    tau = robot.inverse_dynamics(q, v, a)
    for speeds in (None, "joint-rates", formulas):
        k = robot.kane(q, v, a, speeds=speeds, time=0.3)
        n = robot.nv
        assert k.F.shape == (4, n, n) and k.angular.shape == (4, len(k.bodies), 3, n)
        np.testing.assert_allclose(k.K + k.K_star, 0, atol=1e-9)
        np.testing.assert_allclose(np.einsum("nij,nj->ni", k.F, k.u_dot) + k.Z, k.K, atol=1e-9)
        np.testing.assert_allclose(k.tau, tau, rtol=1e-9, atol=1e-9)
    one = robot.kane(q[2], v[2], a[2], speeds=formulas, time=0.3)
    np.testing.assert_array_equal(one.centre, k.centre[2])
    np.testing.assert_allclose(
        robot.inverse_dynamics(q, v, a, method="kane", speeds=formulas), tau, rtol=1e-9, atol=1e-9
    )


def test_body_speeds_make_unit_partial_velocities():
    robot = ulna.load("intelledex605")
    k = robot.kane([0.5, 1.3, 0.5, 0.5, 0.5, 0.5], [1, -0.5, 1, 1, 1, 1], speeds="body:C")
    assert k.names[:3] == ["C.wx", "C.wy", "C.wz"]
    np.testing.assert_allclose(k.angular[k.bodies.index("C")], np.eye(3, 6), atol=1e-13)
    with pytest.raises(ulna.InputError, match="wheels"):
        robot.kane(np.zeros(6), speeds="wheels")
    with pytest.raises(ulna.InputError, match="linear"):
        robot.kane(np.zeros(6), speeds={s: f"v.{s}^2" for s in robot.speeds})


def test_loops_have_constrained_quantities():
    robot = ulna.load("four-bar")
    q = robot.assemble()
    rest = np.zeros(robot.nv)
    k = robot.kane(q, rest, rest)
    assert len(k.names) == 1
    np.testing.assert_allclose(k.tau, robot.inverse_dynamics(q, rest, rest), atol=1e-9)
    m = robot.matrices(q, rest, rest)
    assert m.closing.joints == ["joint4"] and m.closing.screws[0].shape == (1, 4, 4)
    assert abs(h.pseudo_product(m.closing.joint_action[0], m.closing.screws[0][0])) < 1e-9
    np.testing.assert_allclose(m.tau, k.tau, atol=1e-9)
    D = robot.lagrange_coefficients(q)
    assert D.D_ijk.shape == (1, 1, 1)
    assert D.speeds == k.names
    np.testing.assert_allclose(D.D_ij, k.F, rtol=1e-6)


@pytest.mark.parametrize("name", TREES)
def test_the_matrices_give_the_efforts(name, states):
    robot = ulna.load(name)
    q, v, a = states(robot, 3)
    m = robot.matrices(q, v, a)
    assert m.absolute_position.shape == (3, len(m.bodies), 4, 4)
    for i, body in enumerate(m.bodies):
        np.testing.assert_allclose(m.absolute_position[:, i], robot.poses(q)[body], atol=1e-12)
    one = robot.matrices(q[1], v[1], a[1])
    for i in range(len(one.bodies)):
        effort = [-h.pseudo_product(one.joint_action[i], L) for L in one.screws[i]]
        np.testing.assert_allclose(m.screws[i][1], one.screws[i], atol=1e-14)
        assert len(effort) <= 1
    D = robot.lagrange_coefficients(q)
    rotors = robot.mass_matrix(q) - D.D_ij
    assert np.abs(rotors - np.array([np.diag(np.diag(r)) for r in rotors])).max() < 1e-9
    active = robot.inverse_dynamics(q, v, a) - robot.passive(q, v) - np.einsum("nij,nj->ni", rotors, a)
    np.testing.assert_allclose(D.efforts(v, a), active, rtol=1e-9, atol=1e-9)


def test_homogeneous_mechanics():
    L = h.screw([0, 0, 2], point=[1, 0, 0], pitch=0.1)
    Q = h.displacement(L, 0.7)
    axis, angle, slide, point = h.screw_of_displacement(Q)
    np.testing.assert_allclose(axis, [0, 0, 1])
    np.testing.assert_allclose([angle, slide], [0.7, 0.07])
    np.testing.assert_allclose(point, [1, 0, 0], atol=1e-12)
    W = 2 * L
    np.testing.assert_allclose(h.unit_screw(W), L, atol=1e-15)
    J = h.inertia(3.0, [0.1, 0.2, 0.3], np.diag([1, 2, 2.5]))
    M = h.extended_dh(0.3, 0.1, 0.2, 0.4, -0.5)
    moved = h.kinetic_energy(h.transform_motion(M, W), h.transform_action(M, J))
    np.testing.assert_allclose(moved, h.kinetic_energy(W, J))
    np.testing.assert_allclose(h.wrench(h.needed_action(h.gravity([0, 0, -9.81]), J))[3:], [0, 0, -29.43])
    np.testing.assert_allclose(h.inverse(M) @ M, np.eye(4), atol=1e-15)
    rate, wrench = h.free_body(J, np.zeros(6), [1, 2, 3, 4, 5, 6])
    np.testing.assert_allclose(wrench, [1, 2, 3, 4, 5, 6])
    np.testing.assert_allclose(h.wrench(h.needed_action(h.acceleration(np.zeros(6), rate), J)), wrench, atol=1e-12)


def test_homogeneous_geometry():
    x, y = ([0, 0, 0], [1, 0, 0]), ([0, 0, 2], [0, 1, 0])
    kind, foot_a, foot_b, direction, distance = h.common_normal(x, y)
    assert kind == "skew" and distance == pytest.approx(2)
    np.testing.assert_allclose([foot_a, foot_b, direction], [[0, 0, 0], [0, 0, 2], [0, 0, 1]], atol=1e-15)
    floor = h.plane_across([0, 0, 1], [0, 0, 5])
    assert h.distance_to_plane([3, 3, 4], floor) == pytest.approx(3)
    np.testing.assert_allclose(h.line_cuts_plane(([0, 0, 0], [1, 0, 1]), floor), [1, 0, 1])
    with pytest.raises(ulna.ComputationError):
        h.line_cuts_plane(x, floor)
    with pytest.raises(ulna.InputError, match="line"):
        h.project_on_line([0, 0, 0], 3)
    np.testing.assert_allclose(
        h.angle_rates("zyx", [0.1, 0.2, 0.3], h.angular_velocity("zyx", [0.1, 0.2, 0.3], [1, 2, 3])), [1, 2, 3]
    )
