"""More of tests/published for open arms: Legnani's Stanford arm, momentum and energy."""

import numpy as np
import pytest

import ulna


def stanford(data):
    d2, d4, turn = data["d2"], data["d4"], np.pi / 2
    rows = [(0, -turn), (d2, turn), (0, 0), (d4, -turn), (0, turn), (0, 0)]
    builder = ulna.RobotBuilder("stanford", gravity=data["gravity"])
    parent = "world"
    for k, (d, alpha) in enumerate(rows):
        xx, yy, zz, xy, yz, xz = data["inertias"][k]
        builder.body(f"link{k + 1}", data["masses"][k], centre=data["centres"][k], inertia=(xx, yy, zz, xy, xz, yz))
        kind = "prismatic" if k == 2 else "revolute"
        builder.joint(f"joint{k + 1}", kind, parent, f"link{k + 1}", dh={"convention": "standard", "d": d, "alpha": alpha})
        parent = f"link{k + 1}"
    return builder.build()


@pytest.mark.parametrize("method", ["newton-euler", "newton-euler-4x4", "lagrange-4x4", "kane"])
def test_stanford_arm_of_legnani(published, method):
    data = published("legnani_stanford")
    robot = stanford(data)
    q, v, a = (np.array(data[key]) for key in "qva")
    couple, force = np.array(data["tip_wrench"][:3]), np.array(data["tip_wrench"][3:])
    loaded = [ulna.Wrench("link6", force=force, moment=couple, expressed_in="link6")]
    tau = robot.inverse_dynamics(q, v, a, method=method)
    with_tip = robot.inverse_dynamics(q, v, a, method=method, wrenches=loaded)
    np.testing.assert_allclose(with_tip, data["actuator_effort"], atol=1e-10)
    # The tip's wrench reaches the joints by its Jacobian.
    J = robot.jacobian(q, "link6", expressed_in="link6")
    np.testing.assert_allclose(tau - with_tip, J.T @ np.r_[couple, force], atol=1e-9)


def test_stanford_arm_pose_energy_and_terms(published):
    data = published("legnani_stanford")
    robot = stanford(data)
    q, v, a = (np.array(data[key]) for key in "qva")
    np.testing.assert_allclose(robot.fk(q, "link6"), np.reshape(data["M06"], (4, 4)), atol=1e-13)
    W = np.reshape(data["W06"], (4, 4))  # velocity matrix: of the point of link 6 at the world's origin
    w = np.array([W[2, 1], W[0, 2], W[1, 0]])
    np.testing.assert_allclose(robot.velocity(q, v, "link6"), np.r_[w, W[:3, 3] + np.cross(w, robot.fk(q, "link6")[:3, 3])], atol=1e-12)
    np.testing.assert_allclose(robot.mass_matrix(q), np.reshape(data["mass_matrix"], (6, 6)), atol=1e-12)
    energy = robot.energy(q, v)
    assert energy.kinetic == pytest.approx(data["kinetic_energy"], abs=1e-12)
    assert energy.potential == pytest.approx(data["potential_energy"], abs=1e-11)
    couple, force = np.array(data["tip_wrench"][:3]), np.array(data["tip_wrench"][3:])
    loaded = [ulna.Wrench("link6", force=force, moment=couple, expressed_in="link6")]
    np.testing.assert_allclose(robot.inverse_dynamics(q, v, wrenches=loaded), data["bias"], atol=1e-10)


def test_momentum_about_the_centre_of_mass(tree, states):
    q, v, a = states(tree, 4)
    A = tree.centroidal_momentum_matrix(q)
    h = tree.centroidal_momentum(q, v)
    np.testing.assert_allclose(np.einsum("nij,nj->ni", A, v), h, atol=1e-10 * (1 + np.abs(h).max()))
    about_origin, centre = tree.momentum(q, v), tree.centre_of_mass(q)
    np.testing.assert_allclose(about_origin[:, 3:], h[:, 3:], atol=1e-9)
    np.testing.assert_allclose(about_origin[:, :3] - np.cross(centre, h[:, 3:]), h[:, :3], atol=1e-9)
    step = 1e-6
    rate = (tree.centroidal_momentum_matrix(tree.integrate(q, step * v)) - tree.centroidal_momentum_matrix(tree.integrate(q, -step * v))) / (2 * step)
    scale = 1 + np.abs(A).max()
    np.testing.assert_allclose(tree.centroidal_momentum_matrix_rate(q, v), rate, atol=1e-7 * scale)


def test_energy_changes_by_the_power_of_the_efforts(tree, states):
    q, v, a = states(tree, 8)
    rate = tree.energy_rate(q, v, a)
    springs = lambda x: tree.passive(x, np.zeros_like(v))  # what is stored is not lost
    lost = np.sum(v * (tree.passive(q, v) - springs(q)), axis=1)
    power = np.sum(v * tree.inverse_dynamics(q, v, a), axis=1) - lost
    np.testing.assert_allclose(rate.kinetic + rate.potential, power, rtol=1e-9, atol=1e-8)
    assert isinstance(tree.energy_rate(q[0], v[0]).kinetic, float)
