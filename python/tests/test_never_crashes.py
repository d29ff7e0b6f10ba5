"""Whatever it is given, the interpreter stays up: None, objects without __init__, experiments that are changed while
they run, motions without end, empty matrices, and every method with arguments of every wrong kind."""

import gc
import inspect
import itertools
import sys
import threading
import weakref
from collections.abc import Mapping

import long_calls
import numpy as np
import pytest

import ulna

TEXT = """
ulna: 1
name: arm
bodies:
  - {name: upper, mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
  - {name: lower, mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
joints:
  - {name: joint1, type: revolute, parent: world, child: upper, axis: [0, 0, 1]}
  - {name: joint2, type: revolute, parent: upper, child: lower, axis: [0, 0, 1], at: {position: [1, 0, 0]}}
"""


@pytest.fixture
def arm():
    return ulna.loads(TEXT)


# ---- None and objects that were never made ---------------------------------------------------------


def test_none_is_refused_wherever_an_object_is_needed(arm):
    e = ulna.Experiment(arm, 1.0)
    motion = ulna.motions.constant(1.0)
    for call in [
        lambda: ulna.Experiment(None, 1.0),
        lambda: e.follow(None),
        lambda: ulna.Robot.platform(None),
        lambda: ulna.Robot.compile(None),
        lambda: motion + None,
        lambda: type(motion).__neg__(None),
        lambda: type(motion).__add__(None, motion),
        lambda: type(motion).delayed(None, 1.0),
        lambda: arm.fastest_scale(None),
        lambda: arm.follow(None),
        lambda: ulna.simulate(None),
    ]:
        with pytest.raises((TypeError, ValueError)):
            call()


def classes():
    return [kind for kind in vars(ulna._core).values() if isinstance(kind, type) and not issubclass(kind, Exception)]


@pytest.mark.parametrize("kind", classes(), ids=lambda kind: kind.__name__)
def test_an_object_without_init_says_so(kind):
    empty = kind.__new__(kind)
    for name, member in inspect.getmembers(kind):
        if name.startswith("__") and name not in ("__call__", "__len__", "__add__", "__neg__"):
            continue
        with pytest.raises(TypeError):
            member(empty) if callable(member) else getattr(empty, name)


# ---- experiments that change while they run --------------------------------------------------------


def test_an_experiment_may_be_changed_by_its_own_controller(arm):
    e = ulna.Experiment(arm, 0.2)
    calls = []

    def law(t, q, v):
        calls.append(t)
        e.stop_when("q.joint1", above=100.0 + len(calls))
        e.move("joint2", "sin(t)")
        e.record("q")
        e.duration = 5.0
        return [0.0, 0.0]

    e.control(law)
    run = ulna.simulate(e)
    assert run.t[-1] == pytest.approx(0.2) and calls
    assert e.duration == 5.0


def test_an_experiment_may_be_changed_by_another_thread(arm):
    e = ulna.Experiment(arm, 0.5).control(lambda t, q, v: -q)
    stop = threading.Event()

    def change():
        for count in itertools.count():
            if stop.is_set():
                return
            e.effort("joint1", lambda t: 0.0)
            e.record(["q", "v"] if count % 2 else ["q"])
            e.move("joint1", lambda t: (0.0, 0.0, 0.0))
            if count < 20:  # these pile up
                e.stop_when("q.joint1", above=1e9)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(3):
            assert ulna.simulate(e).t[-1] == pytest.approx(0.5)
            ulna.simulate(ulna.Experiment(arm, 0.1).control(lambda t, q, v: -q))
    finally:
        stop.set()
        thread.join()


# ---- motions, matrices -----------------------------------------------------------------------------


def test_motions_may_be_added_without_end_and_nested_to_a_bound(arm):
    motion = ulna.motions.formula("sin(t)")
    for _ in range(100_000):
        motion = motion + 1e-5
    assert motion(0.0) == pytest.approx(1.0)
    for _ in range(60):
        motion = motion + motion  # one term, not 2^60
    with pytest.raises(ulna.InputError, match="deep"):
        for _ in range(100_000):
            motion = motion.delayed(1e-3)
    trajectory = ulna.motions.joints(["t", "t"])
    with pytest.raises(ulna.InputError, match="deep"):
        for _ in range(100_000):
            trajectory = trajectory.faster(1.0)


def test_regulators_refuse_what_is_no_system():
    for A, B in [(np.empty((0, 0)), np.empty((0, 0))), (np.eye(2), np.empty((2, 0))), (np.empty((0, 0)), np.empty((0, 2)))]:
        with pytest.raises(ulna.InputError):
            ulna.lqr(A, B, np.empty((len(A), len(A))), np.eye(B.shape[1]))
        with pytest.raises(ulna.InputError):
            ulna.place_poles(A, B, [-1.0] * len(A))
    A, B = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]])
    with pytest.raises(ulna.InputError):
        ulna.place_poles(A, B, [np.nan, -1.0])
    with pytest.raises(ulna.InputError):
        ulna.lqr(A * np.nan, B, np.eye(2), np.eye(1))
    with pytest.raises((ulna.InputError, ulna.ComputationError)):
        ulna.place_poles(A, 0 * B, [-1.0, -2.0])


SYSTEM = {"A": np.diag([-0.1, -0.2, -0.3]), "B": np.eye(3)[:, :2], "C": np.eye(3)[:1], "D": np.zeros((1, 2)), "Q": np.eye(3), "R": np.eye(2)}
OF_SYSTEMS = {
    "lqr": ("A", "B", "Q", "R"),
    "dlqr": ("A", "B", "Q", "R"),
    "discretize": ("A", "B"),
    "gramians": ("A", "B", "C"),
    "kalman": ("A", "C", "Q"),
    "frequency_response": ("A", "B", "C", "D"),
}
MORE = {"discretize": {"sample_time": 0.1}, "kalman": {"R": np.eye(1)}, "frequency_response": {"frequencies": [0.1, 1.0]}}


@pytest.mark.parametrize("name", OF_SYSTEMS)
def test_matrices_of_a_system_have_to_fit_together(name):
    """Eigen does not check: a matrix of another size was read and written beyond its end."""
    function, keys = getattr(ulna, name), OF_SYSTEMS[name]
    right = {**{key: SYSTEM[key] for key in keys}, **MORE.get(name, {})}
    function(**right)
    for key in keys:
        M = SYSTEM[key]
        for wrong in (np.vstack([M, M]), M[:0], np.zeros((0, 0)), M * np.nan, M.ravel(), M[None]):
            if key == "C" and wrong.shape[-1:] == M.shape[-1:] and wrong.ndim == 2 and np.all(np.isfinite(wrong)):
                continue  # any number of outputs, as long as D and R are not asked for
            with pytest.raises(ulna.InputError):
                function(**{**right, key: wrong})
        if key not in ("B",):
            with pytest.raises(ulna.InputError):
                function(**{**right, key: np.hstack([M, M])})


def test_what_a_frequency_response_is_asked_at_is_finite():
    for frequencies in ([np.nan], [np.inf], [1.0, -np.inf]):
        with pytest.raises(ulna.InputError, match="frequenc"):
            ulna.frequency_response(*(SYSTEM[key] for key in "ABCD"), frequencies)
    for period in (-1.0, np.nan, np.inf):
        with pytest.raises(ulna.InputError, match="sample.time"):
            ulna.frequency_response(*(SYSTEM[key] for key in "ABCD"), [1.0], sample_time=period)


@pytest.mark.parametrize("duration", [np.nan, np.inf, -1.0, 0.0])
def test_an_experiment_lasts_a_time_above_zero(arm, duration):
    with pytest.raises(ulna.InputError, match="duration"):
        ulna.Experiment(arm, duration)
    e = ulna.Experiment(arm, 1.0)
    with pytest.raises(ulna.InputError, match="duration"):
        e.duration = duration
    assert e.duration == 1.0


@pytest.mark.parametrize("frame", [np.zeros(2), [0], True, 1.5, b"hand", np.array("lower")])
def test_a_frame_is_a_name_or_an_index(arm, frame):
    with pytest.raises(TypeError, match="frame must be a name, not"):
        arm.fk([0.1, 0.2], frame)
    with pytest.raises(ulna.InputError, match="frame"):
        arm.fk([0.1, 0.2], 2**200)
    assert np.array_equal(arm.fk([0.1, 0.2], np.int64(2)), arm.fk([0.1, 0.2], 2))


# ---- the garbage collector -------------------------------------------------------------------------


class Controlled:
    """Holds an experiment that calls it: a cycle through C++."""

    def __init__(self, robot, kind):
        self.e = ulna.Experiment(robot, 0.1)
        if kind == "control":
            self.e.control(self.law)
        elif kind == "move":
            self.e.move("joint1", self.motion)
        elif kind == "effort":
            self.e.effort("joint1", self.force)
        elif kind == "wrench":
            self.e.wrench("lower", force=self.three)
        elif kind == "motion":
            self.m = ulna.motions.sequence([self.motion])
            self.e.move("joint1", self.m)
            self.m2 = 2 * self.m.delayed(0.1) + self.m
        elif kind == "trajectory":
            self.m = ulna.motions.joints([self.motion, self.motion])
            self.e.follow(self.m)
        elif kind == "copy":
            self.e.control(self.law)
            self.other = self.e.inverse()

    def law(self, t, q, v):
        return [0.0, 0.0]

    def motion(self, t):
        return 0.0, 0.0, 0.0

    def force(self, t):
        return 0.0

    def three(self, t):
        return 0.0, 0.0, 0.0


KINDS = ["control", "move", "effort", "wrench", "motion", "trajectory", "copy"]


@pytest.mark.parametrize("kind", KINDS)
def test_cycles_through_callbacks_are_collected(arm, kind):
    made = [weakref.ref(Controlled(arm, kind)) for _ in range(20)]
    gc.collect()
    assert not any(ref() for ref in made)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_still_in_use_is_not_collected(arm, kind):
    kept = Controlled(arm, kind)
    e = kept.e
    del kept
    for _ in range(3):
        gc.collect()
    run = ulna.simulate(e)
    assert run.t[-1] == pytest.approx(0.1)


def test_functions_that_were_replaced_are_let_go_of(arm):
    e = ulna.Experiment(arm, 0.1)

    class Effort:
        def __call__(self, t):
            return 0.0

    made = []
    for _ in range(500):
        effort = Effort()
        made.append(weakref.ref(effort))
        e.effort("joint1", effort)
        del effort
    assert sum(ref() is not None for ref in made) < 100


# ---- silent surprises ------------------------------------------------------------------------------


def test_unknown_names_and_nan_are_refused(arm):
    e = ulna.Experiment(arm, 1.0)
    with pytest.raises(ulna.InputError, match="joint2"):
        e.control("pd", "joint1", kp={"joint2": 1.0})
    with pytest.raises(ulna.InputError):
        e.control("pd", kp=np.nan)
    with pytest.raises(ulna.InputError):
        e.move("joint1", np.nan)
    motion = ulna.motions.formula("1 + 0*t")
    with pytest.raises(ulna.InputError):
        motion(np.nan)
    with pytest.raises(ulna.InputError):
        motion([0.0, np.nan])
    path = ulna.motions.joints([ulna.motions.program("poly345", 0, 1, 1)] * 2)
    for at in (path.at, ulna.motions.line((0, 0, 0), (1, 0, 0), 1.0).at):
        with pytest.raises(ulna.InputError, match="t: is (nan|not a number)"):
            at(np.nan)
    with pytest.raises(ulna.InputError, match="t: is (nan|not a number)"):
        path.at([0.0, np.nan])
    trajectory = ulna.motions.joints(["t", "t"])
    with pytest.raises((ulna.InputError, ulna.ComputationError)):
        arm.fastest_scale(trajectory, rates=[np.nan, 1.0])
    with pytest.raises(ulna.InputError, match="masked"):
        arm.gravity(np.ma.array([0.1, 0.2], mask=[True, False]))
    assert arm.speed_units == ["rad/s", "rad/s"]


def test_rigid_links_are_named():
    robot = ulna.load("flexible-two-link")
    name = robot.flexible_links[0].body
    with pytest.raises(ulna.InputError, match="typo"):
        robot.with_rigid_links(["typo"])
    assert robot.with_rigid_links([]).nq == robot.nq
    assert robot.with_rigid_links(name).nq == robot.with_rigid_links([name]).nq < robot.nq
    assert not robot.with_rigid_links().flexible_links


# ---- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, SystemExit])
def test_errors_inside_an_array_stay_what_they_are(arm, error):
    class Odd:
        def __array__(self, *args, **kwargs):
            raise error

    with pytest.raises(error):
        arm.gravity(Odd())


def test_a_run_is_read_as_a_dict_is(arm):
    run = ulna.simulate(arm, 0.1, record="q")
    with pytest.raises(KeyError):
        run["zz"]
    with pytest.raises(ulna.InputError, match="recorded"):
        run["zz"]
    assert not hasattr(run, "a") and hasattr(run, "q")
    assert run.get("zz") is None and np.array_equal(run.get("q"), run.q)
    whole = dict(run)
    assert list(whole) == list(run) and whole["q.joint1"].shape == (len(run),)
    assert isinstance(run, Mapping) and {**run}.keys() == whole.keys()


def test_no_advice_about_the_command_line(tmp_path, arm):
    with pytest.raises(ulna.InputError) as caught:
        ulna.simulate(arm, 0.1, output=tmp_path / "none", resume=True)
    assert "--" not in str(caught.value)


# ---- Ctrl-C ----------------------------------------------------------------------------------------


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("names", long_calls.groups(), ids=lambda names: names[0])
def test_ctrl_c_ends_it_at_once(names):
    for name, ended, used, _ in long_calls.delays(names):
        assert ended in ("stopped", "done"), name  # a fast machine is through before, or soon after
        assert used < max(1.0, long_calls.allowed()), name
