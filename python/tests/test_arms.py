"""All postures of arms of six turning joints, and obstacles."""

import numpy as np
import pytest

import ulna


def test_all_postures_are_named_and_the_nearest_comes_first():
    robot = ulna.load("puma560")
    q = np.array([0.3, -0.8, 0.4, 0.5, 0.9, -0.2])
    postures = robot.ik(robot.fk(q), all=True, start=q)
    assert postures.shape == (8, 6)
    np.testing.assert_allclose(postures[0], q, atol=1e-9)
    names = {tuple(sorted(robot.posture_names(p).items())) for p in postures}
    assert len(names) == 8
    assert "meet in one point" in robot.arm_structure()


@pytest.mark.parametrize("method", ["closed-form", "elimination", "gauss-newton", "newton-raphson"])
def test_methods_reach_the_pose(method):
    robot = ulna.load("puma560")
    q = np.array([0.3, -0.8, 0.4, 0.5, 0.9, -0.2])
    found = robot.ik(robot.fk(q), start=q + 0.05, method=method)
    np.testing.assert_allclose(robot.fk(found), robot.fk(q), atol=1e-8)
    with pytest.raises(ulna.InputError, match="method"):
        robot.ik(robot.fk(q), method="guessing")


def test_obstacles_are_kept_out_of():
    robot = ulna.load("planar-3r")
    q = np.array([0.5, 1.2, 0.9])
    goal = robot.fk(q)[:3, 3]
    elbow = robot.fk(q, "link2")[:3, 3]
    ball = {"sphere": elbow, "radius": 0.05, "clearance": 0.01, "frames": ["link2"]}
    found = robot.ik(goal, start=q, obstacles=[ball])
    np.testing.assert_allclose(robot.fk(found)[:3, 3], goal, atol=1e-8)
    assert np.linalg.norm(robot.fk(found, "link2")[:3, 3] - elbow) > 0.06 - 1e-8
    with pytest.raises(ulna.InputError, match="radius"):
        robot.ik(goal, obstacles=[{"sphere": elbow}])
    with pytest.raises(ulna.InputError, match="obstacles"):
        robot.ik(goal, obstacles=[{"ball": elbow}])
