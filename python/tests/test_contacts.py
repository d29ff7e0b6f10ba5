"""Contacts, rolling and blades in experiments made in code."""

import numpy as np
import pytest

import ulna


def ball(radius: float = 0.1) -> ulna.Robot:
    builder = ulna.RobotBuilder("ball")
    inertia = 0.4 * radius**2
    builder.body("ball", mass=1.0, inertia=(inertia, inertia, inertia))
    builder.joint("base", "free", "world", "ball")
    return builder.build()


def at(height: float) -> np.ndarray:
    return np.array([1.0, 0, 0, 0, 0, 0, height])


def test_a_ball_bounces_to_the_square_of_its_restitution():
    robot = ball()
    experiment = ulna.Experiment(robot, duration=0.9, q=at(1.1))
    experiment.contact("ball", radius=0.1, restitution=0.5).integrator(rtol=1e-11)
    experiment.record(["q"], interval=0.001)
    run = ulna.simulate(experiment)
    fall = np.sqrt(2 / 9.81)
    after = run.q[run.t > fall + 1e-3, 6]
    assert run.q[:, 6].min() > 0.1 - 1e-9  # never inside the ground
    assert after.max() == pytest.approx(0.1 + 0.25, abs=1e-5)  # a record every millisecond: g dt^2 / 8


def test_friction_stops_what_it_can_hold_and_lets_the_rest_slide():
    # On a plane leaning by the angle whose tangent is 0.3 a point mass holds with 0.4 and slides with 0.2.
    builder = ulna.RobotBuilder("sled")
    builder.body("sled", mass=2.0, inertia=(0.1, 0.1, 0.1))
    builder.joint("slide_x", "prismatic", "world", "carrier", axis=(1, 0, 0))
    builder.body("carrier")
    builder.joint("slide_z", "prismatic", "carrier", "sled", axis=(0, 0, 1))
    robot = builder.build()
    slope = 0.3
    for friction in (0.4, 0.2):
        experiment = ulna.Experiment(robot, duration=1.0)
        experiment.contact("sled", friction=friction, normal=(-slope, 0, 1)).integrator(rtol=1e-10)
        run = ulna.simulate(experiment)
        angle = np.arctan(slope)
        along = 9.81 * (np.sin(angle) - friction * np.cos(angle)) if friction < slope else 0.0
        expected = -0.5 * along * np.cos(angle)
        assert run.q[-1, 0] == pytest.approx(expected, abs=1e-8)


def test_a_rolling_ball_keeps_its_speed_and_spin_together():
    robot = ball()
    v = np.array([0, 5.0, 0, 0.5, 0, 0])  # spin about y, speed along x: 0.1 * 5
    experiment = ulna.Experiment(robot, duration=2.0, q=at(0.1), v=v)
    experiment.rolling("ball", 0.1, name="rim").integrator(rtol=1e-10)
    run = ulna.simulate(experiment)
    assert run.q[-1, 4] == pytest.approx(1.0, abs=1e-8)


def test_a_blade_goes_only_along_itself():
    robot = ball()
    builder = robot.builder()
    builder.gravity = (0, 0, 0)
    robot = builder.build()
    experiment = ulna.Experiment(robot, duration=1.0, q=at(0.0), v=[0, 0, 0, 1.0, 0, 0])
    experiment.wrench("ball", force=("0", "3", "0")).knife_edge("ball", (0, 1, 0))
    run = ulna.simulate(experiment)
    assert np.abs(run.q[:, 5]).max() < 1e-10  # the force across does nothing
    assert run.q[-1, 4] == pytest.approx(1.0, abs=1e-9)


def test_frames_give_place_and_axes():
    builder = ball().builder()
    builder.frame("foot", "ball", ulna.pose((0, 0, -0.1)))
    robot = builder.build()
    experiment = ulna.Experiment(robot, duration=0.5, q=at(0.1)).contact("foot", friction=1.0)
    run = ulna.simulate(experiment)
    assert np.abs(run.q[:, 6] - 0.1).max() < 1e-8


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda e: e.contact("bell"), ["frame", "bell", "ball"]),
        (lambda e: e.contact("ball", axis=(0, 0, 0)), ["axis", "zero"]),
        (lambda e: e.contact("ball", normal=(0, 0)), ["normal", "(2,)", "(3,)"]),
        (lambda e: e.knife_edge("ball", (0, 1)), ["directions", "(2,)", "(3,)"]),
        (lambda e: e.knife_edge("ball", (0, 1, 0), on="floor"), ["on", "floor"]),
    ],
)
def test_errors_name_the_argument(call, words):
    experiment = ulna.Experiment(ball(), duration=1.0, q=at(1.0))
    with pytest.raises(ulna.InputError) as caught:
        call(experiment)
    for word in words:
        assert word in str(caught.value)


def test_values_out_of_range_are_named_before_the_run():
    experiment = ulna.Experiment(ball(), duration=1.0, q=at(1.0)).contact("ball", radius=0.1, restitution=1.5)
    with pytest.raises(ulna.InputError, match="restitution"):
        experiment.check()
