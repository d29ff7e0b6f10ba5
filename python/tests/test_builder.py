"""Robots made in code."""

import numpy as np
import pytest

import ulna


def pendulum(**joint):
    builder = ulna.RobotBuilder("pendulum")
    builder.body("rod", 2.0, centre=(0, 0, -0.25), inertia=(0.042, 0.042, 0))
    builder.joint("hinge", "revolute", "world", "rod", axis=(1, 0, 0), at=(0, 0, 1.5), **joint)
    return builder


def test_a_pendulum():
    robot = pendulum(lower=-3, upper=3, damping=0.01).build()
    assert (robot.nq, robot.nv, robot.mass) == (1, 1, 2.0)
    q = 0.7
    tau = robot.inverse_dynamics([q], [0.5], [2.0])
    expected = (0.042 + 2 * 0.25**2) * 2.0 + 2 * 9.81 * 0.25 * np.sin(q) + 0.01 * 0.5
    assert tau[0] == pytest.approx(expected, rel=1e-14)
    assert robot.lower[0] == -3 and robot.joints[0].type == "revolute"


def test_the_same_as_the_file():
    text = """
ulna: 1
name: pendulum
bodies: [{name: rod, mass: 2, centre: [0, 0, -0.25], inertia: [0.042, 0.042, 0]}]
joints: [{name: hinge, type: revolute, parent: world, child: rod, axis: [1, 0, 0], at: [0, 0, 1.5]}]
"""
    assert ulna.loads(text).hash() == pendulum().build().hash()


def test_denavit_hartenberg_and_frames():
    builder = ulna.RobotBuilder("two")
    for k, parent in ((1, "world"), (2, "b1")):
        builder.body(f"b{k}", 1.0)
        dh = {"convention": "standard", "a": 0.5, "alpha": 0.0}
        builder.joint(f"j{k}", "revolute", parent, f"b{k}", dh=dh)
    robot = builder.frame("tool", "b2", ulna.pose((0.1, 0, 0), rpy=(0, 0, np.pi / 2))).build()
    X = robot.fk([0.3, 0.4], "tool")
    expected = [0.5 * np.cos(0.3) + 0.6 * np.cos(0.7), 0.5 * np.sin(0.3) + 0.6 * np.sin(0.7), 0]
    np.testing.assert_allclose(X[:3, 3], expected, atol=1e-15)
    np.testing.assert_allclose(X[:3, 0], [-np.sin(0.7), np.cos(0.7), 0], atol=1e-15)


def test_a_ball_that_slides_in_a_tube():
    builder = ulna.RobotBuilder("tube").body("ball", 2.0, inertia=(0.1, 0.1, 0.1))
    robot = builder.joint("groove", "sphere-in-groove", "world", "ball", axis=(0, 0, 1), lower=[-1, -np.inf, -np.inf, -np.inf]).build()
    assert robot.coordinates == ["groove.slide", "groove.qw", "groove.qx", "groove.qy", "groove.qz"]
    assert robot.speed_units == ["m/s", "rad/s", "rad/s", "rad/s"] and robot.coordinate_units == ["m", "1", "1", "1", "1"]
    assert robot.lower[0] == -1
    a = robot.forward_dynamics([0.3, 1, 0, 0, 0], np.zeros(4), [0, 0.2, 0, 0])
    np.testing.assert_allclose(a, [-9.81, 2, 0, 0], atol=1e-14)


def test_loops_rods_and_gears():
    builder = ulna.RobotBuilder("mechanism")
    for name in ("crank", "rocker"):
        builder.body(name, 1.0, centre=(0.1, 0, 0), inertia=(0, 0.01, 0.01))
    builder.joint("a", "revolute", "world", "crank").joint("b", "revolute", "world", "rocker", at=(1, 0, 0))
    builder.distance("rod", "crank", "rocker", 0.9, parent_point=(0.3, 0, 0), child_point=(0.6, 0, 0))
    robot = builder.build()
    assert robot.loops == ["rod"]
    q = robot.assemble({"a": 0.4})
    X = robot.poses(q)
    ends = [X[b] @ [r, 0, 0, 1] for b, r in (("crank", 0.3), ("rocker", 0.6))]
    assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(0.9, abs=1e-9)

    geared = ulna.RobotBuilder("gears").body("x", 1.0, inertia=(1, 1, 1)).body("y", 1.0, inertia=(1, 1, 1))
    geared.joint("jx", "revolute", "world", "x").joint("jy", "revolute", "world", "y", at=(1, 0, 0))
    robot = geared.coupling("gear", {"jx": 1.0, "jy": -3.0}).build()
    q, v, _ = robot.complete({"jy": 0.2}, {"jy": 1.0})
    np.testing.assert_allclose(q, [0.6, 0.2], atol=1e-9)
    np.testing.assert_allclose(v, [3.0, 1.0], atol=1e-12)


def test_a_robot_can_be_taken_up_again(puma):
    heavier = puma.builder().payload("tool", puma.tip if puma.tip in puma.bodies else puma.bodies[-1], 2.5).build()
    assert heavier.mass == pytest.approx(puma.mass + 2.5)
    assert puma.builder().build().hash() == puma.hash()
    floating = puma.builder()
    floating.gravity = (0, 0, 0)
    np.testing.assert_allclose(floating.build().gravity([0.3] * 6), 0, atol=1e-12)


def test_all_problems_are_reported_at_once():
    builder = ulna.RobotBuilder("bad").body("a", -1.0).body("a", 1.0)
    builder.joint("j", "revolute", "world", "nowhere", axis=(0, 0, 0))
    with pytest.raises(ulna.InputError) as caught:
        builder.build()
    assert len(caught.value.problems) >= 3


@pytest.mark.parametrize(
    "make, word",
    [
        (lambda b: b.joint("j", "revolut", "world", "rod"), "revolute"),
        (lambda b: b.joint("j", "revolute", "world", "rod", axis=(1, 0)), "axis"),
        (lambda b: b.joint("j", "universal", "world", "rod", lower=(1, 2, 3)), "(2,)"),
        (lambda b: b.joint("j", "revolute", "world", "rod", at=np.eye(3)), "at"),
        (lambda b: b.joint("j", "revolute", "world", "rod", at=2 * np.eye(4)), "at"),
        (lambda b: b.joint("j", "revolute", "world", "rod", dh={"a": 1}), "convention"),
        (lambda b: b.body("x", 1.0, inertia=(1, 2)), "inertia"),
        (lambda b: b.geometry("nobody", "sphere", (0.1,)), "nobody"),
        (lambda b: b.geometry("rod", "cube", (0.1,)), "cube"),
    ],
)
def test_wrong_pieces_are_refused(make, word):
    with pytest.raises(ulna.InputError) as caught:
        make(pendulum())
    assert word in str(caught.value)


def test_poses():
    np.testing.assert_allclose(ulna.pose(quaternion=(1, 1, 0, 0)), ulna.pose(rpy=(np.pi / 2, 0, 0)), atol=1e-15)
    np.testing.assert_allclose(ulna.pose(axis=(0, 0, 2), angle=0.3), ulna.pose(rpy=(0, 0, 0.3)), atol=1e-15)
    with pytest.raises(ulna.InputError):
        ulna.pose(rpy=(0, 0, 0), quaternion=(1, 0, 0, 0))
    with pytest.raises(ulna.InputError):
        ulna.pose(quaternion=(0, 0, 0, 0))
