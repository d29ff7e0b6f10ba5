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


@pytest.mark.parametrize("name", ["puma560", "ur5e", "intelledex605"])
def test_from_a_start_the_nearest_solution_is_found(name):
    robot = ulna.load(name)
    rng = np.random.default_rng(3)
    lower, upper = np.maximum(robot.lower, -np.pi), np.minimum(robot.upper, np.pi)
    for _ in range(8):
        q, start = rng.uniform(lower, upper), rng.uniform(lower, upper)
        every = robot.ik(robot.fk(q), start=start, all=True)
        least = np.linalg.norm(every - start, axis=1).min()
        found = robot.ik(robot.fk(q), start=start)
        assert np.linalg.norm(found - start) == pytest.approx(least, abs=1e-6)


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
