"""Copies, pickles and what objects say of themselves: all of an object goes along, and no more than that."""

import copy
import pickle

import numpy as np
import pytest
from test_parity import TEXT

import ulna


@pytest.fixture(scope="module")
def arm():
    return ulna.loads(TEXT)


def constant_law(t, q, v):
    return [0.5]


def test_experiments_are_pickled_copied_and_told(arm):
    experiment = ulna.Experiment(arm, 0.2, q={"joint1": 0.1}, name="swing").move("joint1", ulna.motions.formula("0.1 + 0.2*cycloid(t)") * 2 - 0.1)
    experiment.control(constant_law, ["joint2"], rate=100).record("q,v", interval=0.05).integrator("dop853", rtol=1e-9)
    experiment.duration = 0.1
    assert "swing" in repr(experiment) and "1 by motion" in repr(experiment) and "1 by controller" in repr(experiment)
    expected = ulna.simulate(experiment).values
    for other in (pickle.loads(pickle.dumps(experiment)), copy.copy(experiment), copy.deepcopy(experiment), pickle.loads(pickle.dumps(copy.copy(experiment)))):
        assert other is not experiment and other.duration == 0.1
        np.testing.assert_array_equal(ulna.simulate(other).values, expected)
    other = copy.copy(experiment)
    other.lock("joint2").duration = 0.05
    assert experiment.duration == 0.1
    np.testing.assert_array_equal(ulna.simulate(experiment).values, expected)


class Swing(ulna.Experiment):
    """An experiment as users derive theirs: with an __init__ and attributes of its own, and a method that adds to the base's."""

    def __init__(self, robot, amplitude):
        super().__init__(robot, 0.05, q={"joint1": amplitude})
        self.amplitude, self.notes = amplitude, ["made"]
        self.move("joint1", f"{amplitude}")

    def move(self, joint, motion):
        self.notes.append(joint)
        return super().move(joint, motion)


class Arms(ulna.RobotBuilder):
    def __init__(self, count):
        super().__init__(f"arms{count}")
        self.count = count
        for k in range(count):
            self.body(f"b{k}", 1.0).joint(f"j{k}", "revolute", "world", f"b{k}")


def test_subclasses_are_copied_and_pickled_as_they_are(arm):
    swing = Swing(arm, 0.25).effort("joint2", "sin(t)")
    expected = ulna.simulate(swing).values
    assert swing.notes == ["made", "joint1"]
    for other in (copy.copy(swing), copy.deepcopy(swing), pickle.loads(pickle.dumps(swing)), copy.copy(pickle.loads(pickle.dumps(swing)))):
        assert type(other) is Swing and other.amplitude == 0.25 and other.notes == swing.notes and other.duration == 0.05
        np.testing.assert_array_equal(ulna.simulate(other).values, expected)
    deep = copy.deepcopy(swing)
    deep.notes.append("mine")
    deep.lock("joint2").duration = 0.02
    assert swing.notes == ["made", "joint1"] and swing.duration == 0.05
    builder = Arms(3)
    builder.gravity = (0, 0, -1)
    for other in (copy.copy(builder), copy.deepcopy(builder), pickle.loads(pickle.dumps(builder))):
        assert type(other) is Arms and other.count == 3 and other.build() == builder.build()


@pytest.mark.parametrize("options", [{}, {"method": "kane"}, {"actuated": ["joint1"], "weights": [1.0]}])
def test_dynamics_are_pickled_copied_and_told(options):
    robot = ulna.load("four-bar")
    dynamics, q = ulna.Dynamics(robot, **options), robot.assemble()
    for other in (pickle.loads(pickle.dumps(dynamics)), copy.copy(dynamics), copy.deepcopy(dynamics)):
        assert other.robot == robot and repr(other) == repr(dynamics) and other.methods == dynamics.methods
        assert np.array_equal(other.inverse(q), dynamics.inverse(q))
    assert repr(dynamics).startswith("<ulna.Dynamics of 'four-bar'") and all(key in repr(dynamics) for key in options)


def test_attributes_that_do_not_exist_are_refused(arm):
    for thing in (ulna.Experiment(arm, 1.0), arm.builder(), ulna.motions.constant(1.0)):
        with pytest.raises(AttributeError, match="duraton"):
            thing.duraton = 3.0


def test_motions_and_trajectories_are_pickled(arm):
    motion = (2 * ulna.motions.program("poly345", 0, 1, 2) + 0.5).delayed(0.25).faster(2) - ulna.motions.spline([0, 1], [0, 1])
    t = np.linspace(0, 2, 7)
    for other in (pickle.loads(pickle.dumps(motion)), copy.deepcopy(motion)):
        np.testing.assert_array_equal(other(t), motion(t))
    assert "program('poly345', 0, 1, 2)" in repr(motion) and "delayed(0.25)" in repr(motion)
    line = ulna.motions.line(arm.fk([0.3, 0.5], "hand"), arm.fk([0.4, 0.6], "hand")[:3, 3] * [1, 0, 1] + [0, 0, 0], 1.0)
    assert "line" in repr(line) and pickle.loads(pickle.dumps(line)).duration == line.duration
    trajectory = ulna.motions.joints(["0.3*cycloid(t)", "0.2*cycloid(t)"])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(trajectory)).at(t)[0], trajectory.at(t)[0])
    assert "2 coordinates" in repr(trajectory)


def test_a_long_chain_of_motions_is_no_deep_one():
    motion = ulna.motions.constant(0.0)
    for _ in range(20_000):
        motion = motion + 1.0
    assert motion(0.0) == 20_000
    with pytest.raises(TypeError, match="steps"):
        pickle.dumps(motion)


def test_builders_are_pickled(arm):
    builder = ulna.RobotBuilder("r").body("b", 1.0).joint("j", "prismatic", "world", "b")
    builder.gravity = (0, 0, -1)
    for other in (pickle.loads(pickle.dumps(builder)), copy.copy(builder), copy.deepcopy(builder)):
        assert other.build() == builder.build()
    assert pickle.loads(pickle.dumps(arm.builder().edit_body("upper", mass=3.0))).build().mass == pytest.approx(4.0)


# ---- experiments that are used many times ------------------------------------------------------------


def test_an_experiment_that_is_changed_for_every_run_remembers_the_last_changes(arm):
    experiment = ulna.Experiment(arm, 0.02).control("pd", ["joint2"], kp=1.0)
    t = np.linspace(0, 0.02, 3)
    for k in range(50):
        experiment.start(q=[0.001 * k, 0.1], v=[0.1, 0.0]).efforts(t, {"joint1": [k, 0, 1]}).move("joint2", 0.1)
        experiment.lock("joint1").free(["joint1"]).record("q", interval=0.01).integrator("rk4", step=1e-3)
        experiment.effort("joint1", float(k)).feel_limits(0.1 * (k % 2)).impacts("poisson").method("kane")
    assert len(experiment.__dict__["_changes"]) < 16
    copied = pickle.loads(pickle.dumps(experiment))
    np.testing.assert_array_equal(ulna.simulate(copied).values, ulna.simulate(experiment).values)


@pytest.mark.parametrize(
    "change",
    [
        lambda e: e.effort("joint1", 1.0).control("pd", kp=5.0).effort("joint1", 2.0),
        lambda e: e.effort("joint1", 1.0).add(controllers=[{"law": "pd", "kp": 5.0}]).effort("joint1", 2.0),
        lambda e: e.move("joint1", "t").lock("joint1").move("joint1", "2*t"),
        lambda e: e.move("joint1", "t").effort("joint1", 1.0).move("joint1", "2*t"),
        lambda e: e.lock("joint1").free("joint1").lock("joint1").free("all"),
        lambda e: e.start(q=[0.1, 0.2]).start(v=[1.0, 0.0]).start(q=[0.3, 0.4]),
        lambda e: e.integrator(atol=1e-3).integrator(rtol=1e-4).integrator(atol=1e-5),
        lambda e: e.record("q", interval=0.01).record("v").record("q,v", interval=0.005).record("tau"),
        lambda e: e.move(["joint1", "joint2"], "t").move("joint1", "2*t").move(("joint1", "joint2"), "3*t").move("joint2", "t"),
        lambda e: e.lock(name for name in ["joint1", "joint2"]).free(np.array(["joint2"])),
        lambda e: e.move("all", "cycloid(t/0.02)").timing("scale", scale=2.0) and e.move("joint1", "3*t"),
    ],
)
def test_what_is_remembered_makes_the_same_experiment(arm, change):
    experiment = ulna.Experiment(arm, 0.02)
    change(experiment)
    copied = pickle.loads(pickle.dumps(experiment))
    run, other = ulna.simulate(experiment), ulna.simulate(copied)
    assert repr(copied) == repr(experiment) and other.channels == run.channels
    np.testing.assert_array_equal(other.values, run.values)


def test_a_builder_that_is_edited_often_remembers_the_last_edits(arm):
    builder = arm.builder()
    for k in range(50):
        builder.edit_body("upper", mass=1.0 + k).edit_joint("joint1", damping=0.1 * k).edit_joint("joint1", friction=0.1)
        builder.gravity = (0, 0, -k)
    assert len(builder.__dict__["_changes"]) == 4
    assert pickle.loads(pickle.dumps(builder)).build() == builder.build()


# ---- inputs of actuators -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "keys, given",
    [({}, {"forces": {"jack": 5.0}}), ({"force": "input"}, {"forces": {"jack": 5.0}}), ({"force": "5*t + q.joint1"}, {"time": 0.5})],
    ids=["number", "input", "formula"],
)
def test_robots_with_other_forces_are_others(arm, keys, given):
    robot = arm.builder().element("jack", "actuator", "hand", {"body": "world", "point": [0, 0, 3.0]}, **keys).build()
    pushed, q = robot.with_actuator_forces(**given), [0.3, 0.2]
    expected = pushed.inverse_dynamics(q)
    assert not np.allclose(expected, robot.inverse_dynamics(q)) and pushed != robot and pushed.hash() != robot.hash()
    for other in (pickle.loads(pickle.dumps(pushed)), copy.copy(pushed), copy.deepcopy(pushed), pushed.replace(name=pushed.name), pushed.with_parameters({})):
        np.testing.assert_array_equal(other.inverse_dynamics(q), expected)
        assert other == pushed and hash(other) == hash(pushed)


def test_wrenches_are_equal_by_their_numbers():
    one = ulna.Wrench("hand", force=np.array([1.0, 2.0, 3.0]))
    assert one == ulna.Wrench("hand", force=(1, 2, 3)) and one != ulna.Wrench("hand", force=(1, 2, 4))
    assert one != ulna.Wrench("lower", force=(1, 2, 3)) and one != "hand" and one in [one]
