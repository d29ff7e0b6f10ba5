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


def test_pandas(study):
    pandas = pytest.importorskip("pandas")
    frame = ulna.sweep(study, samples=(2, 4)).to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame.index) == [2, 3]
