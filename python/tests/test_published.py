"""The numbers of tests/published, asked for from Python."""

import numpy as np
import pytest

import ulna

METHODS = ["newton-euler", "newton-euler-compact", "newton-euler-4x4", "lagrange-4x4", "kane"]

# T. Nie 1988: torques of the Intelledex 605 along its cycloidal motion, computed independently.
NIE_TIMES = [0.0, 0.5, 1.0, 1.5, 2.0]
NIE_TORQUES = np.array(
    [
        [0, 0, -41.7410540064, -13.3939461600, 0, 0],
        [-2.8397593825, 4.1794186638, -36.4632436004, -11.0439837935, 0.0460859235, 0.0032078793],
        [-5.5640761707, 19.1986519183, -24.0732691934, -3.8089236426, 0.0075238060, -0.0045090619],
        [-2.5886062869, 8.6916939076, 1.5144760232, 5.5267551447, -0.0499010075, 0.0004777523],
        [3.6368191501, 5.6074356324, 11.9146048308, 8.3712163500, 0, 0],
    ]
)


def nie_motion():
    third = ulna.motions.formula("pi/3*cycloid(t/2)", duration=2.0)
    parts = [third] * 6
    parts[1] = "pi/2 - pi/6*cycloid(t/2)"
    return ulna.motions.joints(parts)


@pytest.mark.parametrize("method", METHODS)
def test_torques_of_the_intelledex(method):
    q, v, a = nie_motion().at(NIE_TIMES)
    tau = ulna.load("intelledex605").inverse_dynamics(q, v, a, method=method)
    np.testing.assert_allclose(tau, NIE_TORQUES, atol=1e-9)  # printed to ten decimals


def test_torques_in_the_speeds_of_a_body():
    q, v, a = nie_motion().at(NIE_TIMES[1:4])
    tau = ulna.load("intelledex605").inverse_dynamics(q, v, a, method="kane", speeds="body:C")
    np.testing.assert_allclose(tau, NIE_TORQUES[1:4], atol=1e-9)


def test_mass_matrix_gravity_and_wrist_of_the_intelledex():
    robot = ulna.load("intelledex605")
    q, _, _ = nie_motion().at(1.0)
    M = robot.mass_matrix(q)
    first = [1.4889366707, 0.7738746738, 0.4376080094, 0.1764309068, 0.0022776076, -0.0028977775]
    np.testing.assert_allclose(M[0], first, atol=1e-9)
    np.testing.assert_allclose(np.diag(M)[1:], [1.1024522955, 1.6907875124, 0.3513097421, 0.0088, 0.003], atol=1e-9)
    for method in ("kane", "lagrange-4x4"):
        np.testing.assert_allclose(robot.mass_matrix(q, method=method), M, atol=1e-12)
    gravity = [-9.0126747804, 15.0907985666, -23.7248014042, -4.2986633654, 0, 0]
    np.testing.assert_allclose(robot.gravity(q), gravity, atol=1e-9)
    wrist = robot.fk(q, "F")[:3, 3]
    np.testing.assert_allclose(wrist, [-0.1191499608, 0.4151204033, 0.3895264910], atol=1e-9)


def test_work_of_the_torques_is_the_change_of_energy():
    robot = ulna.load("intelledex605")
    t = np.linspace(0, 2, 2001)
    q, v, a = nie_motion().at(t)
    power = np.sum(v * robot.inverse_dynamics(q, v, a), axis=1)
    weights = np.ones(2001)
    weights[1:-1:2], weights[2:-1:2] = 4, 2  # Simpson
    work = weights @ power * (t[1] / 3)
    potential = robot.energy(q[[0, -1]]).potential
    assert potential[1] - potential[0] == pytest.approx(-36.207397616170, abs=1e-9)
    assert work == pytest.approx(potential[1] - potential[0], abs=1e-9)


def test_puma_at_its_nominal_pose(puma):
    # Corke and Armstrong-Helouvry 1994, printed to four decimals.
    q = [0, np.pi / 4, np.pi, 0, np.pi / 4, 0]
    np.testing.assert_allclose(puma.gravity(q), [0, 31.6399, 6.0351, 0, 0.0283, 0], atol=0.5001e-4)
    diagonal = [3.6594, 4.4137, 0.9378, 0.1925, 0.1713, 0.1941]
    np.testing.assert_allclose(np.diag(puma.mass_matrix(q)), diagonal, atol=0.5001e-4)


def test_stanford_arm_as_shipped_agrees_by_every_method(states):
    robot = ulna.load("stanford")
    q, v, a = states(robot, 20)
    reference = robot.inverse_dynamics(q, v, a)
    for method in METHODS:
        tau = robot.inverse_dynamics(q, v, a, method=method)
        np.testing.assert_allclose(tau, reference, rtol=1e-11, atol=1e-11)
    for method in ("articulated-body", "composite-body", "kane", "lagrange-4x4"):
        found = robot.forward_dynamics(q, v, reference, method=method)
        np.testing.assert_allclose(found, a, atol=1e-8)  # the condition of M is about 1e4


def test_slider_crank_has_the_numbers_of_the_independent_program(published):
    robot = ulna.load("slider-crank")
    data = published("closed_loops")["slider_crank"]
    start = np.array([0, 0, 0.4])
    for state in data["states"]:
        crank = robot.coordinates[0]
        start[0] = state["q"][0]
        q = robot.assemble(start, held=[crank], tolerance=1e-12)
        q, v, a = robot.complete(q, {crank: data["crank_speed"]}, {crank: data["crank_acceleration"]})
        for mine, theirs in zip((v, a), (state["qd"], state["qdd"])):
            np.testing.assert_allclose(mine, [theirs[0], theirs[1], theirs[3]], atol=1e-8, rtol=1e-9)
        tau = robot.inverse_dynamics(q, v, a, actuated=[crank])
        assert tau[0] == pytest.approx(state["crank_torque"], abs=1e-8)
        np.testing.assert_allclose(robot.forward_dynamics(q, v, tau), a, atol=1e-8)
        np.testing.assert_allclose(robot.forward_dynamics(q, v, tau, method="embedding"), a, atol=1e-8)
        start = q.copy()


def test_bennett_moves_although_counting_says_it_cannot(published):
    robot = ulna.load("bennett")
    state = published("closed_loops")["bennett"]["states"][0]
    found = robot.mobility(robot.assemble(state["q"][:3]))
    assert (found.dof, found.gruebler) == (1, -2)


@pytest.mark.parametrize(
    "method", ["gauss-newton", "newton-raphson", "davidon-fletcher-powell", "hooke-jeeves", "complex"]
)
def test_four_bar_reaches_the_printed_angles(published, method):
    robot = ulna.load("four-bar")
    derived = np.array(published("closed_loops")["four_bar"])
    start = derived[:3] + [0, 0.3, -0.3]
    q = robot.assemble(start, held=robot.coordinates[:1], method=method)
    turns = (q - derived[:3]) / (2 * np.pi)
    np.testing.assert_allclose(2 * np.pi * (turns - np.round(turns)), 0, atol=1e-8)


def test_torques_give_the_motion_back():
    robot = ulna.load("intelledex605")
    motion = nie_motion()
    experiment = ulna.Experiment(robot, 2.0).follow(motion).control("feed-forward")
    experiment.record(["q", "v", "a", "tau"], interval=0.5).integrator(rtol=1e-12, atol=1e-14)
    run = ulna.simulate(experiment)
    assert run.summary["integrator"]["method"] == "dop853"
    wanted = motion.at(run.t)[0]
    assert np.abs(run.q - wanted)[2].max() < 1e-9
    assert np.abs(run.q - wanted)[4].max() < 1e-6  # the open loop is unstable
    np.testing.assert_allclose(robot.inverse_dynamics(run.q, run.v, run.a), run.tau, atol=1e-8)


@pytest.mark.parametrize("step, at_1, at_2", [(0.01, 1.1e-5, 3.8e-2), (0.005, 6.9e-7, 2.5e-3)])
def test_fixed_steps_err_as_they_should(step, at_1, at_2):
    motion = nie_motion()
    experiment = ulna.Experiment(ulna.load("intelledex605"), 2.0).follow(motion).control("feed-forward")
    run = ulna.simulate(experiment.record(["q"], interval=1.0).integrator("rk4", step=step))
    distance = np.abs(run.q - motion.at(run.t)[0]).max(axis=1)
    np.testing.assert_allclose(distance[1:], [at_1, at_2], rtol=0.05)  # known to two digits


def test_prescribed_motion_needs_the_torques_of_the_table():
    experiment = ulna.Experiment(ulna.load("intelledex605"), 2.0).follow(nie_motion())
    run = ulna.simulate(experiment.record(["tau"], interval=0.5))
    np.testing.assert_allclose(run.tau, NIE_TORQUES, atol=1e-9)
