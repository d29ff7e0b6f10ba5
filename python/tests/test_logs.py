"""Measured logs from Python: reading, filtering, identification, efforts along them."""

import pickle

import numpy as np
import pytest

import ulna

TEXT = """
ulna: 1
name: arm
bodies:
  - {name: upper, mass: 2, centre: [0.2, 0, 0.02], inertia: [0.01, 0.03, 0.03]}
  - {name: lower, mass: 1, centre: [0.2, 0.01, 0], inertia: [0.01, 0.02, 0.02]}
joints:
  - {name: shoulder, type: revolute, parent: world, child: upper, axis: [0, 1, 0], damping: 0.2, limits: {lower: -3, upper: 3, velocity: 4, effort: 80}}
  - {name: elbow, type: revolute, parent: upper, child: lower, at: {position: [0.4, 0, 0]}, axis: [0, 1, 0], damping: 0.1, limits: {lower: -3, upper: 3, velocity: 4, effort: 40}}
"""
TERMS = ["damping"]


@pytest.fixture(scope="module")
def arm():
    return ulna.loads(TEXT)


def recorded(robot, seed=1, noise=0.05, rate=200, period=10.0):
    """(t, q, tau) along an excitation, efforts with noise."""
    motion = robot.excitation(period=period, samples=int(rate * period), candidates=5, seed=seed, from_rest=True, terms=TERMS)
    tau = robot.inverse_dynamics(motion.q, motion.v, motion.a)
    rng = np.random.default_rng(seed)
    return motion.t, motion.q + 1e-6 * rng.standard_normal(motion.q.shape), tau + noise * rng.standard_normal(tau.shape)


def write(path, t, q, tau, delimiter=",", decimal="."):
    lines = [delimiter.join(["time [s]", "q.shoulder [deg]", "q.elbow [deg]", "tau.shoulder [Nm]", "tau.elbow [Nm]"])]
    for row in np.column_stack([t, np.degrees(q), tau]):
        lines.append(delimiter.join(f"{x:.9g}".replace(".", decimal) for x in row))
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_motion_from_rest_begins_and_ends_there(arm):
    motion = arm.excitation(samples=400, candidates=3, from_rest=True)
    assert np.abs(motion.v[0]).max() < 1e-9 and np.abs(motion.a[0]).max() < 1e-9
    condition = arm.regressor_condition(motion.q, motion.v, motion.a)
    assert 1 <= condition < 100
    assert arm.regressor_condition(motion.q, 0 * motion.v, 0 * motion.a) > condition


@pytest.mark.parametrize("delimiter, decimal", [(",", "."), (";", ","), ("\t", ".")])
def test_reading_recognises_the_layout(arm, tmp_path, delimiter, decimal):
    t, q, tau = recorded(arm)
    log = ulna.read_log(arm, write(tmp_path / "log.csv", t + 12.5, q, tau, delimiter, decimal))
    assert log.rate == pytest.approx(200, rel=1e-6) and log.offset == pytest.approx(12.5) and len(log.parts) == 1
    assert log.coordinates == ["shoulder", "elbow"] and log.efforts == ["shoulder", "elbow"] and log.columns["q.elbow"].startswith("q.elbow")
    assert log.q.shape == log.v.shape == log.tau.shape == (len(t), 2)
    inside = slice(100, -100)
    np.testing.assert_allclose(log.q[inside], q[inside], atol=1e-4)
    motion = arm.excitation(period=10.0, samples=2000, candidates=5, seed=1, from_rest=True, terms=TERMS)
    np.testing.assert_allclose(log.v[inside], motion.v[inside], atol=0.02)
    np.testing.assert_allclose(log.a[inside], motion.a[inside], atol=0.3)
    assert "cut-off" in str(log) and "2000 samples" in repr(log) and "<table" in log._repr_html_()
    again = pickle.loads(pickle.dumps(log))
    np.testing.assert_array_equal(again.q, log.q)


def test_arrays_give_the_same_log(arm, tmp_path):
    t, q, tau = recorded(arm)
    read = ulna.read_log(arm, write(tmp_path / "log.csv", t, q, tau), cutoff=8.0)
    made = ulna.measured_motion(arm, t, q, tau=tau, cutoff=8.0)
    assert made.bandwidth == read.bandwidth == 8
    for name in ("q", "v", "a", "tau"):
        np.testing.assert_allclose(getattr(made, name), getattr(read, name), atol=1e-5 * (1 + np.abs(getattr(read, name)).max()))
    given = ulna.measured_motion(arm, t, q, v=made.v, a=made.a)
    np.testing.assert_allclose(given.v, made.v, atol=1e-9)
    assert given.tau.shape == (len(t), 0)


def test_columns_can_be_named(arm, tmp_path):
    t, q, tau = recorded(arm)
    path = tmp_path / "log.csv"
    lines = ["clock,one,two,current 1,current 2"]
    lines += [",".join(f"{x:.9g}" for x in row) for row in np.column_stack([1000 * t, q, tau / 0.11])]
    path.write_text("\n".join(lines) + "\n")
    columns = {"t": "clock*0.001", "q.shoulder": "one", "q.elbow": "two", "tau.shoulder": "current 1*0.11", "tau.elbow": "5*0.11"}
    log = ulna.read_log(arm, path, columns=columns)
    np.testing.assert_allclose(log.tau, tau, rtol=1e-6, atol=1e-6)
    with pytest.raises(ulna.InputError, match="tau.wrist"):
        ulna.read_log(arm, path, columns={**columns, "tau.wrist": "one"})
    with pytest.raises(ulna.InputError) as caught:
        ulna.read_log(arm, path)
    assert "--" not in str(caught.value)


def test_gaps_are_told_through_warnings(arm):
    t, q, tau = recorded(arm)
    keep = np.r_[0:900, 1000:2000]
    with pytest.warns(UserWarning, match="gaps? split"):
        log = ulna.measured_motion(arm, t[keep], q[keep], tau=tau[keep])
    assert len(log.parts) == 2 and len(log) == len(log.t) == len(keep) and log.warnings


def test_identification_finds_the_robot_that_was_recorded(arm, tmp_path):
    """The model has other masses; the logs tell the true ones, and a log that was not used is predicted."""
    wrong = arm.replace(bodies={"upper": {"mass": 3.0}, "lower": {"mass": 0.7, "centre": (0.15, 0, 0)}}, joints={"elbow": {"damping": 0.5}})
    logs = [write(tmp_path / f"log{seed}.csv", *recorded(arm, seed)) for seed in (1, 2)]
    found = wrong.identify_logs(logs, validate=write(tmp_path / "other.csv", *recorded(arm, 3)), terms=TERMS)
    truth = arm.base_parameters(terms=TERMS)
    assert found.base.names == truth.names
    assert (np.abs(found.estimate - truth.values) < 5 * found.deviations + 1e-4).all()
    assert [fit.name.endswith(f"log{k}.csv") for k, fit in zip((1, 2), found.fits)] == [True, True]
    [other] = found.validation
    assert (other.error < 0.1 * other.rms).all() and other.measured.shape == other.predicted.shape
    identified = wrong.with_parameters(found)
    motion = arm.excitation(samples=100, candidates=1, seed=9)
    expected = arm.inverse_dynamics(motion.q, motion.v, motion.a)
    np.testing.assert_allclose(identified.inverse_dynamics(motion.q, motion.v, motion.a), expected, atol=0.02 * np.abs(expected).max())
    assert "possible" in str(found) and set(found.possible) == set(wrong.parameters(terms=TERMS))
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.estimate, found.estimate)


def test_a_model_that_lacks_friction_is_told(arm):
    log = ulna.measured_motion(arm, *recorded(arm)[:2], tau=recorded(arm.replace(joints={"elbow": {"damping": 2.0}}))[2])
    with pytest.warns(UserWarning, match="correlate"):
        arm.replace(joints={"elbow": {"damping": 0.0}}).identify_logs(log)


def test_efforts_along_a_log(arm):
    t, q, tau = recorded(arm)
    log = ulna.measured_motion(arm, t, q, tau=tau)
    found = arm.efforts_along(log)
    assert found.compared == found.speeds == ["shoulder", "elbow"] and found.tau.shape == (len(t), 2)
    assert (found.difference_rms < 0.05 * found.measured_rms).all()
    by_kane = arm.efforts_along(log, method="kane")
    np.testing.assert_allclose(by_kane.tau, found.tau, atol=1e-9)
    alone = arm.efforts_along(ulna.measured_motion(arm, t, q))
    assert alone.compared == [] and alone.measured.shape == (len(t), 0) and "peak" in str(alone)
    np.testing.assert_allclose(alone.tau, arm.inverse_dynamics(log.q, log.v, log.a), atol=1e-9)


def test_loops_follow_from_what_was_recorded(tmp_path):
    robot = ulna.load("four-bar")
    t = np.arange(0, 2, 0.01)
    first = robot.coordinates[0]
    angle = 1.0 + 0.3 * np.sin(3 * t)
    path = tmp_path / "log.csv"
    path.write_text("\n".join([f"t,q.{first}"] + [f"{a:.6f},{b:.12g}" for a, b in zip(t, angle)]) + "\n")
    log = ulna.read_log(robot, path)
    assert log.coordinates == [first] and max(robot.closure(q).gap for q in log.q[::20]) < 1e-8
    found = robot.efforts_along(log)
    assert found.tau.shape[0] == len(t) and np.isfinite(found.tau).all()


def test_the_filter_has_no_phase_and_half_power_at_its_cutoff():
    rate, cutoff = 500.0, 20.0
    t = np.arange(2000) / rate
    for frequency, gain in ((2.0, 1.0), (20.0, np.sqrt(0.5)), (100.0, 0.0)):
        x = np.sin(2 * np.pi * frequency * t)
        y = ulna.low_passed(x, cutoff, rate)
        np.testing.assert_allclose(y[500:-500], gain * x[500:-500], atol=2e-2)
    both = ulna.low_passed(np.column_stack([t, t**2]), cutoff, rate)
    np.testing.assert_allclose(both[:, 0], ulna.low_passed(t, cutoff, rate), atol=1e-12)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda arm, log: ulna.read_log(None, "x.csv"), TypeError, "robot"),
        (lambda arm, log: ulna.read_log(arm, "there-is-none.csv"), ulna.InputError, "there-is-none"),
        (lambda arm, log: ulna.read_log(arm, 3), TypeError, "path"),
        (lambda arm, log: ulna.read_log(arm, "x.csv", columns=["t"]), TypeError, "columns"),
        (lambda arm, log: ulna.measured_motion(arm, log.t, log.q[:5]), ulna.InputError, "q"),
        (lambda arm, log: ulna.measured_motion(arm, log.t, log.q, v=log.v), ulna.InputError, "a"),
        (lambda arm, log: ulna.measured_motion(arm, log.t, log.q, cutoff=-1), ulna.InputError, "cutoff"),
        (lambda arm, log: ulna.measured_motion(arm, log.t, np.where(log.q > 0, np.nan, log.q)), ulna.InputError, "finite"),
        (lambda arm, log: ulna.measured_motion(arm, log.t[:5], log.q[:5]), ulna.InputError, "20"),
        (lambda arm, log: arm.identify_logs([]), ulna.InputError, "logs"),
        (lambda arm, log: arm.identify_logs(3), TypeError, "logs"),
        (lambda arm, log: arm.identify_logs([3]), TypeError, "logs"),
        (lambda arm, log: arm.identify_logs(log, terms="typo"), ulna.InputError, "typo"),
        (lambda arm, log: ulna.load("puma560").identify_logs(log), ulna.InputError, "q"),
        (lambda arm, log: arm._identify_logs([3]), TypeError, "logs"),
        (lambda arm, log: ulna.low_passed([1.0, 2.0], 0.0, 1.0), ulna.InputError, "cutoff"),
        (lambda arm, log: ulna.low_passed(1.0, 1.0, 1.0), ulna.InputError, "x"),
    ],
)
def test_errors(arm, call, error, words):
    t, q, tau = recorded(arm)
    log = ulna.measured_motion(arm, t, q, tau=tau)
    with pytest.raises(error, match=words):
        call(arm, log)


def test_units_tell_efforts_from_coordinates(arm, tmp_path):
    t, q, tau = recorded(arm)
    path = write(tmp_path / "log.csv", t, q, tau)
    text = path.read_text().split("\n", 1)
    path.write_text("Zeit [s],shoulder [deg],elbow [deg],M_shoulder [Nm],elbow [Nm]\n" + text[1])
    log = ulna.read_log(arm, path)
    assert log.columns["tau.shoulder"] == "M_shoulder [Nm]" and log.columns["tau.elbow"] == "elbow [Nm]"
    assert log.efforts == ["shoulder", "elbow"]


def test_a_log_moves_all_joints(arm, tmp_path):
    (tmp_path / "arm.yaml").write_text(TEXT)
    motion = arm.excitation(samples=200, period=2.0, candidates=2, from_rest=True)
    rows = np.column_stack([1e3 * motion.t, np.degrees(motion.q)])
    np.savetxt(tmp_path / "motion.csv", rows, delimiter=",", header="t[ms],shoulder[deg],elbow[deg]", comments="")
    (tmp_path / "follow.yaml").write_text(f"experiment: 1\nrobot: arm.yaml\nduration: {motion.t[100]} s\nmotions: {{table: motion.csv}}\n")
    run = ulna.simulate(ulna.Experiment.read(tmp_path / "follow.yaml"))
    np.testing.assert_allclose(run.q[-1], motion.q[100], atol=1e-5)
