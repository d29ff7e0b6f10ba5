"""ulna.Dynamics: every formulation for every kind of robot gives the same number, or says why it does not apply."""

from pathlib import Path

import numpy as np
import pytest

import ulna

DATA = Path(__file__).resolve().parents[2] / "tests" / "data"
WALK = ["four-bar", "ddts", "delta", "flexible-two-link", "flexible-four-bar", "puma560", "humanoid"]


def robot_of_the_walk(name):
    return ulna.load(DATA / "humanoid.yaml" if name == "humanoid" else name)


def closed_state(robot, seed=2):
    """Near the reference posture, fitting the loops if there are any."""
    rng = np.random.default_rng(seed)
    size = 0.001 if robot.flexible_links else 0.2
    q = robot.neutral()
    v, a = size * rng.uniform(-1, 1, (2, robot.nv))
    if robot.loops:
        q = robot.assemble()
        # Free ones as drawn, the others as the loops have it.
        free = robot.independent_map(q).independent
        pick = lambda x: {name: x[robot.speeds.index(name)] for name in free}  # noqa: E731
        return robot.complete(q, pick(v), pick(a))
    return robot.integrate(q, size * rng.uniform(-1, 1, robot.nv)), v, a


def close(x, y, tolerance):
    return np.abs(np.asarray(x) - y).max(initial=0) <= tolerance * (1 + np.abs(y).max(initial=0))


@pytest.mark.parametrize("name", WALK)
def test_every_formulation_gives_the_same_number_or_a_sentence(name):
    robot = robot_of_the_walk(name)
    q, v, a = closed_state(robot)
    standard = ulna.Dynamics(robot)
    tau = standard.inverse(q, v, a)
    expected = {
        "inverse dynamics": tau,
        "forward dynamics": standard.forward(q, v, 0.5 * tau),
        "the mass matrix": standard.mass_matrix(q),
    }
    answered = 0
    for method in ulna.formulations():
        try:
            dynamics = ulna.Dynamics(robot, method=method)
        except ulna.InputError as error:
            assert "'" in str(error) and "one of" in str(error), method
            continue
        ask = {
            "inverse dynamics": [lambda d: d.inverse(q, v, a), lambda d: robot.inverse_dynamics(q, v, a, method=method)],
            "forward dynamics": [
                lambda d: d.forward(q, v, 0.5 * tau), lambda d: robot.forward_dynamics(q, v, 0.5 * tau, method=method)
            ],
            "the mass matrix": [lambda d: d.mass_matrix(q), lambda d: robot.mass_matrix(q, method=method)],
        }
        for question, asks in ask.items():
            if dynamics.methods.get(question) == method:
                for one in asks:
                    assert close(one(dynamics), expected[question], 1e-6), (method, question)
                answered += 1
                continue
            sentences = set()
            for one in asks:
                with pytest.raises(ulna.InputError, match="'") as caught:
                    one(dynamics)
                sentences.add(str(caught.value))
            assert len(sentences) == 1, sentences  # one sentence, wherever it is asked
    assert answered >= 4


def test_a_refusal_names_the_methods_that_apply():
    with pytest.raises(ulna.InputError, match="composite-body, kane|kane.*composite-body"):
        ulna.load("four-bar").forward_dynamics(np.zeros(3), method="articulated-body")
    with pytest.raises(ulna.InputError, match="newton-euler"):
        ulna.Dynamics(ulna.load("flexible-two-link"), method="lagrange-4x4")
    with pytest.raises(ulna.InputError, match="is not a platform"):
        ulna.Dynamics(ulna.load("puma560"), method="platform")
    with pytest.raises(ulna.InputError, match="kane"):
        ulna.Dynamics(ulna.load("puma560"), method="kain")
    for ask in (
        lambda robot: ulna.Dynamics(robot, method="articulated-bodies"),
        lambda robot: robot.forward_dynamics(np.zeros(3), method="articulated-bodies"),
    ):
        with pytest.raises(ulna.InputError, match="composite-body") as caught:
            ask(ulna.load("four-bar"))
        assert "articulated-body, " not in str(caught.value)  # does not apply to loops


def test_motors_are_different_joints_of_robots_with_loops():
    q = ulna.load("four-bar").assemble({"joint1": 0.5})
    for ask in (
        lambda robot: robot.kane(q, actuated=["joint1", "joint1"]),
        lambda robot: robot.inverse_dynamics(q, actuated=["joint1", "joint1"]),
    ):
        with pytest.raises(ulna.InputError, match="'joint1' is given twice"):
            ask(ulna.load("four-bar"))
    for name in ("kane", "matrices"):
        with pytest.raises(ulna.InputError, match="has no loops: every joint has its effort"):
            getattr(ulna.load("puma560"), name)(np.zeros(6), actuated=["joint1"])


@pytest.mark.parametrize("name", WALK)
def test_the_other_questions(name):
    robot = robot_of_the_walk(name)
    q, v, a = closed_state(robot)
    dynamics = ulna.Dynamics(robot)
    terms = dynamics.equations(q, v)
    places = [robot.speeds.index(s) for s in terms.speeds]
    left = terms.M @ a[places] + terms.coriolis + terms.gravity + terms.passive
    tau = dynamics.inverse(q, v, a)
    if robot.loops:
        G = robot.independent_map(q, v, independent=terms.speeds).G
        assert close(left, G.T @ tau, 1e-7)
    else:
        assert close(left, tau, 1e-9)
    linear = dynamics.derivatives(q, v, a)
    assert linear.exact == (not robot.loops)
    assert linear.M.shape == linear.C.shape == linear.K.shape == (len(linear.speeds),) * 2
    assert dynamics.energy(q, v) == robot.energy(q, v)
    reactions = dynamics.reactions(q, v, a, at="world", expressed_in="world")
    again = robot.reactions(q, v, a, at="world", expressed_in="world")
    assert reactions.keys() == again.keys()
    assert all(close(reactions[joint], again[joint], 1e-12) for joint in again)


def test_batches_are_the_states_one_by_one():
    for robot in (ulna.load("puma560"), ulna.load("four-bar")):
        dynamics = ulna.Dynamics(robot, method="kane")
        states = [closed_state(robot, seed) for seed in range(5)]
        q, v, a = (np.array(x) for x in zip(*states))
        assert np.array_equal(dynamics.inverse(q, v, a), [dynamics.inverse(*s) for s in states])
        assert dynamics.equations(q, v, independent=robot.speeds[: 1 if robot.loops else None]).M.shape[0] == 5


def test_motors_closing_and_levels():
    five = ulna.load("five-bar")
    q, v, a = closed_state(five)
    left = ulna.Dynamics(five, actuated=["left", "right"], weights=[1, 2])
    tau = left.inverse(q, v, a)
    assert set(np.flatnonzero(tau)) <= {five.speeds.index("left"), five.speeds.index("right")}
    for closing in ("multipliers", "embedding"):
        assert close(ulna.Dynamics(five, closing=closing).forward(q, v, tau), a, 1e-7)
    flexible = ulna.load("flexible-two-link")
    for level in ulna.elastic_levels():
        exact = level == "geometrically-exact"  # has coordinates of its own
        arm = flexible.with_geometrically_exact_links(elements=3) if exact else flexible
        q, v, a = closed_state(arm)
        dynamics = ulna.Dynamics(arm, level=level)
        assert close(dynamics.inverse(q, v, a), arm.inverse_dynamics(q, v, a, level=level), 1e-14)
    for wrong, words in (
        (dict(actuated=[0]), "loops"), (dict(closing="embedding"), "loops"), (dict(level="exact"), "flexible"),
        (dict(closing="glue"), "embedding"), (dict(level="some"), "exact"),
    ):
        with pytest.raises(ulna.InputError, match=words):
            ulna.Dynamics(ulna.load("puma560"), **wrong)


def test_dynamics_needs_a_robot():
    for wrong in (None, "four-bar", 1):
        with pytest.raises(TypeError):
            ulna.Dynamics(wrong)


def test_motors_on_closing_joints_have_their_effort():
    robot = ulna.load("four-bar")
    q = robot.assemble({"joint4": 0.5})
    tau = ulna.Dynamics(robot, actuated=["joint4"]).inverse(q)
    assert tau == pytest.approx(robot.inverse_dynamics(q, actuated=["joint4"]))
    assert abs(tau[-1]) > 1
