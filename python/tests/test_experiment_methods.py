"""Experiments by any formulation, efforts as formulas of the state and from tables."""

import numpy as np
import pytest

import ulna


def swing(robot="puma560", duration=0.1):
    return ulna.Experiment(ulna.load(robot), duration).record("q,v,tau", interval=duration / 4)


@pytest.mark.parametrize("robot", ["puma560", "four-bar", "flexible-two-link"])
@pytest.mark.parametrize("method", ["newton-euler", "lagrange-4x4", "kane", "composite-body"])
def test_every_formulation_simulates_the_same_fall_or_says_why_not(robot, method):
    expected = ulna.simulate(swing(robot))
    experiment = swing(robot).method(method)
    if robot == "flexible-two-link" and method == "lagrange-4x4":
        with pytest.raises(ulna.InputError, match="describes rigid bodies"):
            ulna.simulate(experiment)
        return
    run = ulna.simulate(experiment)
    np.testing.assert_allclose(run.q, expected.q, atol=1e-7)


def test_efforts_of_a_motion_by_kane():
    moved = swing().move("all", "0.3*poly345(t/0.1)")
    expected = ulna.simulate(moved.inverse())
    found = ulna.simulate(moved.method("kane").inverse())
    np.testing.assert_allclose(found["tau.joint2"], expected["tau.joint2"], rtol=1e-9, atol=1e-9)
    with pytest.raises(ulna.InputError, match="accelerations only"):
        moved.method("articulated-body").inverse()
    with pytest.raises(ulna.InputError, match="nonsense"):
        moved.method("nonsense").check()


def test_an_effort_may_be_a_formula_of_the_state():
    written = swing(duration=0.5)
    controlled = swing(duration=0.5)
    for k in range(1, 7):
        written.effort(f"joint{k}", f"-20*q.joint{k} - 3*v.joint{k}")
        controlled.move(f"joint{k}", 0.0)
    controlled.control("pd", kp=20, kd=3)
    a, b = ulna.simulate(written), ulna.simulate(controlled)
    np.testing.assert_allclose(a.summary["final"]["q"], b.summary["final"]["q"], atol=1e-6)
    with pytest.raises(ulna.InputError, match="algebraic loop"):
        swing().effort("joint1", "2*a.joint1").check()


def test_formulas_have_the_units_of_what_they_drive():
    for one in (
        swing().effort("joint1", "5 deg*sin(t)"),
        swing().effort("joint1", "5 N*sign(v.joint1)"),
        swing().move("joint1", "25 mm*sin(t)"),
    ):
        with pytest.raises(ulna.InputError, match="drive of joint 'joint1'.*has the wrong unit"):
            one.check()
    swing().effort("joint1", "-40*(q.joint1 - 30 deg) + 2 Nm*sin(t)").check()


def test_all_joints_from_one_table():
    t = np.linspace(0, 0.1, 3)
    table = np.outer(1 + t, np.arange(1.0, 7.0))
    whole = ulna.simulate(swing().efforts(t, table))
    some = swing()
    for k in range(6):
        some.effort(f"joint{k + 1}", f"{k + 1}*(1 + t)")
    np.testing.assert_allclose(
        whole.summary["final"]["q"], ulna.simulate(some).summary["final"]["q"], atol=1e-8
    )
    named = ulna.simulate(swing().efforts(t, {f"joint{k + 1}": table[:, k] for k in range(6)}))
    np.testing.assert_allclose(
        whole.summary["final"]["q"], named.summary["final"]["q"], atol=1e-12
    )
    with pytest.raises(ulna.InputError, match="joint9"):
        swing().efforts(t, {"joint9": t})
    with pytest.raises(ulna.InputError, match="shape"):
        swing().efforts(t, np.zeros((3, 5)))


def test_twists_of_frames_are_channels():
    experiment = swing().record("frame.link6,twist.link6,twist.link6/link2@link2", interval=0.001)
    run = ulna.simulate(experiment)
    speed = np.gradient(run["frame.link6.z"], run.t, edge_order=2)
    np.testing.assert_allclose(speed[2:-2], run["twist.link6.vz"][2:-2], atol=1e-3)
