"""Force elements in Python: built with the keys of a robot file, and read off at a state."""

import numpy as np
import pytest

import ulna


def slide():
    b = ulna.RobotBuilder("slide", gravity=(0, 0, 0))
    b.body("mass", 2).joint("x", "prismatic", "world", "mass", axis=(1, 0, 0))
    return b


def test_a_spring_pulls_by_its_law():
    robot = slide().element("coil", "spring-damper", "world", {"body": "mass", "point": np.zeros(3)},
                            free_length=0.5, stiffness=100, damping=3).build()
    assert robot.inverse_dynamics([0.8], [0.2], [0.0]) == pytest.approx([30.6])
    reading = robot.elements([0.8], [0.2])["coil"]
    assert reading["length"] == pytest.approx(0.8)
    assert reading["rate"] == pytest.approx(0.2)
    assert reading["force"] == pytest.approx(30.6)
    assert reading["energy"] == pytest.approx(4.5)
    assert robot.energy([0.8]).potential == pytest.approx(4.5)


def test_a_mistake_names_the_key():
    with pytest.raises(ulna.InputError, match="stifness"):
        slide().element("coil", "spring-damper", "world", "mass", stifness=1)


def test_a_robot_without_elements_has_none():
    assert slide().build().elements([0.0]) == {}


def jack():
    return slide().element("jack", "actuator", "world", "mass").build()


@pytest.mark.parametrize("how", ["number", "formula", "function", "law"])
def test_an_input_pushes_a_mass(how):
    """2 x'' = 8 for a second, from rest at 1: x = 1 + 2."""
    e = ulna.Experiment(jack(), q=[1.0], duration=1)
    e.input("jack", **{"number": {"force": 8.0}, "formula": {"force": "8 + 0*q.x"}, "function": {"force": lambda t: 8.0},
                       "law": {"law": lambda t, q, v: 8.0}}[how])
    run = ulna.simulate(e)
    assert run["q.x"][-1] == pytest.approx(3.0, abs=1e-6)


def test_an_input_delivers_what_a_controller_asks_for():
    e = ulna.Experiment(jack(), q=[1.0], duration=2)
    e.move("x", "1.5").control("pd", "x", kp=200, kd=40).input("jack", delivers="x")
    run = ulna.simulate(e)
    assert run["q.x"][-1] == pytest.approx(1.5, abs=1e-3)
    assert np.abs(run["tau.x"]).max() == 0


def test_an_input_names_what_is_wrong():
    e = ulna.Experiment(jack(), duration=1)
    with pytest.raises(ulna.InputError, match="jack"):
        e.input("jak", 3)
    with pytest.raises(ulna.InputError, match="algebraic loop"):
        ulna.simulate(e.input("jack", "2*element.jack.force"))


@pytest.mark.parametrize("force", ["input", "5 N", "4*t"])
def test_robots_made_from_one_with_set_forces_have_them(force):
    robot = slide().element("jack", "actuator", "world", "mass", force=force).build()
    pushed = robot.with_actuator_forces({} if force == "4*t" else {"jack": 8.0}, time=2)
    assert pushed.inverse_dynamics([1.0], [0.0], [0.0]) == pytest.approx([-8.0])
    heavier = pushed.with_parameters({"bodies.mass.mass": 3})
    assert heavier.inverse_dynamics([1.0], [0.0], [1.0]) == pytest.approx([3 - 8.0])
    assert robot.inverse_dynamics([1.0], [0.0], [0.0]) == pytest.approx([-5.0 if force == "5 N" else 0])
