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
