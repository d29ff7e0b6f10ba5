"""Robots in the formats of other programs, named postures, runs as HDF5."""

import numpy as np
import pytest

import ulna


@pytest.mark.parametrize("ending", [".yaml", ".urdf", ".xml"])
def test_a_robot_written_and_loaded_has_the_same_mass_matrix(tmp_path, ending):
    robot = ulna.load("stanford")
    file = tmp_path / ("arm" + ending)
    robot.write(file)
    again = ulna.load(file)
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert np.abs(again.mass_matrix(q) - robot.mass_matrix(q)).max() < 1e-12


def test_what_a_format_cannot_say_is_returned_and_strict_refuses_it(tmp_path):
    robot = ulna.load("four-bar")
    lost = robot.write(tmp_path / "bars.urdf", loops="none")
    assert any("closes a loop and is not written" in line for line in lost)
    lost = robot.write(tmp_path / "bars.urdf", loops="constraint")
    assert not any("closes a loop" in line for line in lost)
    assert "<constraint " in (tmp_path / "bars.urdf").read_text()
    with pytest.raises(ulna.InputError, match="closes a loop"):
        robot.write(tmp_path / "bars.urdf", loops="none", strict=True)
    with pytest.raises(ulna.InputError, match="'constraint', 'loop_joint' or 'none'"):
        robot.write(tmp_path / "bars.urdf", loops="rope")
    with pytest.raises(ulna.InputError, match="not that of a robot format"):
        robot.write(tmp_path / "bars.json")


MUJOCO = """<mujoco model='m'><compiler angle='radian'/><worldbody>
  <body name='a'><joint name='j'/><inertial mass='1' pos='0.1 0 0' diaginertia='1 1 1'/></body>
</worldbody><keyframe><key name='home' qpos='0.7'/></keyframe></mujoco>"""


def test_loads_takes_mujoco_models_and_their_keyframes():
    robot = ulna.loads(MUJOCO)
    assert robot.postures == ["home"]
    assert robot.posture("home") == pytest.approx([0.7])
    with pytest.raises(ulna.InputError, match="did you mean 'home'"):
        robot.posture("hom")
