"""Studies from Python: the rows of a file, and a function as the run."""

import numpy as np
import pytest

import ulna

STUDY = """study: 1
robot: t3r3-frame
parameters:
  - {name: payload, path: payloads.gripper.mass, list: [0, 10, 25]}
  - {path: q.joint2, unit: deg, grid: "0:60:2"}
run:
  - modes: {locked: all, count: 2}
measures: {f1: frequency.1, mass: robot.mass}
"""


A_MILLION = {
    "study": 1,
    "robot": "puma560",
    "parameters": [{"name": "m", "path": "bodies.link2.mass", "uniform": {"from": 1, "to": 2}}],
    "sampling": {"count": 10**6},
    "run": {"linearize": {"q": [0.1] * 6}},
    "measures": {"x": "m"},
}


@pytest.fixture
def study(tmp_path):
    file = tmp_path / "study.yaml"
    file.write_text(STUDY)
    return str(file)


def test_rows_are_those_of_single_computations(study):
    table = ulna.sweep(study, threads=2)
    assert len(table) == 6 and table.status == ["ok"] * 6
    assert np.array_equal(table["payload"], [0, 0, 10, 10, 25, 25])
    alone = ulna.load("t3r3-frame").modes(q=[0, np.pi / 3, 0], locked="all", count=2)
    assert table["f1"][5] == pytest.approx(np.ravel(alone.frequencies_hz)[0], rel=1e-12)
    # The payload falls on all of the mass.
    assert np.allclose(np.diff(table["mass"][::2]), [10, 15])


def test_a_function_is_the_run(study):
    def run(parameters):
        if parameters["payload"] == 10:
            raise ValueError("too heavy")
        return {"twice": 2 * parameters["payload"]}

    table = ulna.sweep(study, run=run)
    assert table.status == ["ok", "ok", "failed", "failed", "ok", "ok"]
    assert table.reasons[2] == "ValueError: too heavy"
    assert table["twice"][4] == 50 and np.isnan(table["twice"][2])


def test_a_function_needs_neither_robot_nor_run():
    plan = {
        "study": 1,
        "parameters": [
            {"name": "tool", "list": ["short", "long"]},
            {"name": "load", "uniform": {"from": 0, "to": 5}},
        ],
        "sampling": {"method": "sobol", "count": 8},
        "constraints": ["moment <= 20", "load >= 0.5"],
    }
    seen = []

    def moment(parameters):
        seen.append(parameters["tool"])
        return {"moment": 9.81 * parameters["load"] * {"short": 0.5, "long": 1}[parameters["tool"]]}

    table = ulna.sweep(plan, run=moment)
    assert seen == ["short"] * 8 + ["long"] * 8 == list(table["tool"])
    heavy = (table["moment"] > 20) | (table["load"] < 0.5)
    assert table.status == ["infeasible" if broken else "ok" for broken in heavy] and any(heavy) and not all(heavy)
    assert table.reasons[int(np.argmax(table["moment"]))] == "moment <= 20"
    assert list(table) == ["tool", "load", "moment"] and "short" in str(table)
    with pytest.raises(ulna.InputError, match="'momen'"):
        ulna.sweep({**plan, "constraints": ["momen <= 20"]}, run=moment)
    with pytest.raises(ulna.InputError, match="a name only"):
        ulna.sweep({**plan, "parameters": [{"path": "bodies.arm.mass", "list": [1]}]}, run=moment)
    with pytest.raises(ulna.InputError):
        ulna.sweep(plan)  # without the function it needs both
    del plan["parameters"][0]
    found = searched(plan, largest="load", run=lambda p: {"moment": 9.81 * p["load"], "load": p["load"]})
    assert found["load"] == pytest.approx(20 / 9.81, rel=1e-5)


def test_words_are_words(tmp_path):
    table = ulna.sweep(
        {
            "study": 1,
            "robot": "t3r3-frame",
            "parameters": [{"name": "tube", "path": "beams.tube.material", "list": ["steel", "aluminium"]}],
            "run": {"modes": {"count": 1}},
            "measures": {"f1": "frequency.1"},
        }
    )
    assert list(table["tube"]) == ["steel", "aluminium"] and table["f1"][0] != table["f1"][1]


def test_pandas(study):
    pandas = pytest.importorskip("pandas")
    frame = ulna.sweep(study, samples=(2, 4)).to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame.index) == [2, 3]


def test_tables_are_shown_and_read_as_dicts_are(study):
    table = ulna.sweep(study)
    assert list(table) == ["payload", "q.joint2", "f1", "mass"] and "f1" in table
    assert set(dict(table)) == set(table)
    with pytest.raises(KeyError):
        table["zz"]
    with pytest.raises(ulna.InputError, match="payload, q.joint2, f1, mass"):
        table["zz"]
    assert "6 samples (6 ok)" in repr(table)
    assert str(table).splitlines()[0].split() == ["sample", "payload", "q.joint2", "f1", "mass", "status"]
    assert "<table>" in table._repr_html_()


def test_a_study_may_be_a_text_or_a_dict(study):
    by_file = ulna.sweep(study)
    by_text = ulna.sweep(STUDY)
    by_dict = ulna.sweep(
        {
            "study": 1,
            "robot": "t3r3-frame",
            "parameters": [
                {"name": "payload", "path": "payloads.gripper.mass", "list": np.array([0, 10, 25])},
                {"path": "q.joint2", "unit": "deg", "grid": "0:60:2"},
            ],
            "run": [{"modes": {"locked": "all", "count": np.int64(2)}}],
            "measures": {"f1": "frequency.1", "mass": "robot.mass"},
        }
    )
    for other in (by_text, by_dict):
        assert np.array_equal(other["f1"], by_file["f1"]) and np.array_equal(other["payload"], by_file["payload"])


@pytest.mark.parametrize(
    "call",
    [
        lambda s: ulna.sweep(None),
        lambda s: ulna.sweep(3),
        lambda s: ulna.sweep(s, run=3),
        lambda s: ulna.sweep(s, samples=3),
        lambda s: ulna.sweep(s, samples=(0, "x")),
        lambda s: ulna.sweep(s, samples=(3, 1)),
        lambda s: ulna.sweep(s, samples=(0, 7)),
        lambda s: ulna.sweep(s, threads=-1),
        lambda s: ulna.sweep(s, threads=1.5),
        lambda s: ulna.sweep(s, threads=2**40),
        lambda s: ulna.sweep(s, samples=(0, 2**70)),
        lambda s: ulna.sweep({**A_MILLION, "sampling": {"count": 10**12}}),
        lambda s: ulna.optimize(A_MILLION, least="x", starts=2**70),
        lambda s: ulna.optimize(A_MILLION, least="x", tolerance="small"),
        lambda s: ulna.sweep("no such file"),
        lambda s: ulna.sweep({"study": 1, "robot": object()}),
        lambda s: ulna.optimize(s),
        lambda s: ulna.optimize(s, least="f1"),  # a list has no bounds
        lambda s: ulna.optimize(s, least="f1", largest="mass"),
        lambda s: ulna.optimize(s, least=3),
    ],
)
def test_what_is_wrong_with_a_study_is_said(study, call):
    with pytest.raises((TypeError, ulna.InputError)):
        call(study)


def test_many_threads_are_as_good_as_there_are_samples(study):
    assert np.array_equal(ulna.sweep(study, threads=10**6)["f1"], ulna.sweep(study, threads=1)["f1"])


# ---- searches ------------------------------------------------------------------------------------------------------------

PENDULUM = """ulna: 1
name: pendulum
bodies: [{name: rod, mass: 2, centre: [0.5, 0, 0], inertia: [0, 0.1, 0.1]}]
joints: [{name: shoulder, type: revolute, parent: world, child: rod, axis: [0, 1, 0]}]
payloads: [{name: load, body: rod, at: {position: [1, 0, 0]}, mass: 1}]
"""


@pytest.fixture
def goal(tmp_path):
    """The largest load that a pendulum may swing by a motor of 30 Nm, in place of measures of the robot alone."""
    robot, experiment = tmp_path / "pendulum.yaml", tmp_path / "swing.yaml"
    robot.write_text(PENDULUM)
    experiment.write_text(f"experiment: 1\nrobot: {robot}\nduration: 1\nmotions: {{shoulder: 0.5*cycloid(t)}}\n")
    return {
        "study": 1,
        "experiment": str(experiment),
        "parameters": [{"name": "load", "path": "payloads.load.mass", "uniform": {"from": 0, "to": 5}}],
        "run": "inverse",
        "measures": {"peak": {"take": "largest", "of": "abs(tau.shoulder)"}, "m": "load", "minus": "-load"},
        "constraints": ["peak <= 30"],
    }


def searched(*args, **keywords):
    try:
        return ulna.optimize(*args, **keywords)
    except ulna.ComputationError as error:
        if "without NLopt" in str(error):
            pytest.skip("Ulna was built without NLopt")
        raise


def test_the_largest_load_that_a_motor_carries(goal):
    found = searched(goal, largest="m", starts=3)
    assert found.measures["peak"] == pytest.approx(30, rel=1e-5)
    assert found["m"] == found.parameters["load"] == pytest.approx(float(np.max(found.searches["m"])))
    # The efforts are linear in the load.
    few, many = (ulna.sweep({**goal, "parameters": [{"name": "load", "path": "payloads.load.mass", "list": [m]}]}) for m in (1, 2))
    slope = many["peak"][0] - few["peak"][0]
    assert found["load"] == pytest.approx(1 + (30 - few["peak"][0]) / slope, rel=1e-5)
    assert len(found.searches) == 3 and found.searches.status == ["ok"] * 3 and not found.front
    assert "peak=30" in repr(found) and "<table>" in found._repr_html_()


@pytest.mark.parametrize("algorithm", ["bobyqa", "slsqp", "nelder-mead"])
def test_every_algorithm_finds_it(goal, algorithm):
    assert searched(goal, largest="m", algorithm=algorithm)["peak"] == pytest.approx(30, rel=1e-3)


def test_constraints_may_be_results_of_the_runs(goal):
    goal = {**goal, "robot": "t3r3-frame", "run": {"modes": {"q": [0, 0, 0], "locked": "all", "count": 1}}}
    del goal["experiment"]
    goal["parameters"] = [{"name": "load", "path": "payloads.gripper.mass", "uniform": {"from": 0, "to": 200}}]
    goal["measures"] = {"m": "load"}
    robot = ulna.load("t3r3-frame")
    wanted = 0.8 * robot.modes([0, 0, 0], locked="all", count=1).frequencies_hz[0]
    goal["constraints"] = [f"frequency.1 >= {wanted}"]
    found = searched(goal, largest="m")
    loaded = robot.with_parameters({"payloads.gripper.mass": found["load"]})
    assert loaded.modes([0, 0, 0], locked="all", count=1).frequencies_hz[0] == pytest.approx(wanted, rel=1e-4)


def test_a_front_of_two_measures(goal):
    found = searched(goal, least="minus", and_least="peak", starts=5)
    assert found.front and len(found.searches) == 5
    # Less effort is bought with less load, point by point.
    assert np.all(np.diff(found.searches["load"]) < 0) and np.all(np.diff(found.searches["peak"]) < 0)


def test_the_run_of_a_search_may_be_a_function(goal):
    seen = []

    def run(parameters):
        seen.append(parameters["load"])
        if parameters["load"] > 4:
            raise ValueError("it broke")
        return {"peak": 10 * parameters["load"], "m": parameters["load"]}

    assert searched(goal, largest="m", run=run)["load"] == pytest.approx(3, rel=1e-4)
    assert len(seen) > 3
    with pytest.raises(ulna.InputError, match="'m'"):
        ulna.optimize(goal, largest="m", run=lambda parameters: {"peak": 1.0})

    def interrupted(parameters):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ulna.optimize(goal, largest="m", run=interrupted)


def test_a_goal_that_cannot_be_met_and_one_that_makes_no_sense(goal):
    searched(goal, largest="m")  # skips where there is no NLopt
    with pytest.raises(ulna.ComputationError, match="peak <= 1"):
        ulna.optimize({**goal, "constraints": ["peak <= 1"]}, largest="m")
    for keywords in [
        {"largest": "typo"},
        {"largest": "m", "and_least": "typo"},
        {"largest": "m", "algorithm": "typo"},
        {"largest": "m", "starts": 0},
        {"largest": "m", "starts": 10**12},
        {"largest": "m", "evaluations": 0},
        {"largest": "m", "tolerance": np.nan},
        {"largest": "m", "and_least": "peak", "starts": 1},
    ]:
        with pytest.raises(ulna.InputError):
            ulna.optimize(goal, **keywords)
