"""Tables, plots, reports, notebooks."""

import json
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT

import ulna
import ulna.plot


@pytest.fixture(scope="module")
def run():
    return ulna.simulate(ulna.load("puma560"), 0.2, q=[0.1] * 6, interval=0.01)


def test_robots_print_as_tables():
    text = str(ulna.load("intelledex605"))
    assert "6 degrees of freedom" in text and "revolute" in text and "joint1" in text
    assert "intelledex605" in repr(ulna.load("intelledex605"))
    assert "loops closed by" in str(ulna.load("four-bar"))
    assert set(ulna.robots()) >= {"puma560", "intelledex605", "stanford"}


def test_runs_print_as_tables(run):
    assert "records" in repr(run) and "q.joint1" in str(run)


def test_plots(run, tmp_path):
    figure = run.plot()
    assert len(figure.axes) >= 4
    figure.savefig(tmp_path / "run.png")
    assert len(run.plot("tau").axes) == 1 and len(run.plot(["q.joint*", "energy.total"]).axes) == 2
    with pytest.raises(ulna.InputError, match="nope"):
        run.plot("nope")
    ulna.plot.plot_motion(ulna.motions.program("poly345", 0, 1, 1)).savefig(tmp_path / "motion.png")
    ulna.plot.plot_robot(run.robot, run.q[-1]).figure.savefig(tmp_path / "robot.png")
    with pytest.raises(ulna.InputError, match="end"):
        ulna.plot.plot_motion(ulna.motions.formula("t"))


def test_pandas(run):
    pytest.importorskip("pandas")
    frame = run.to_pandas()
    assert list(frame.columns) == run.channels and frame.index.name == "t"
    np.testing.assert_array_equal(frame["q.joint1"].to_numpy(), run["q.joint1"])


@pytest.mark.skipif(not ulna.has_report_page(), reason="the page was not compiled in")
def test_reports_and_views(run, tmp_path):
    other = ulna.simulate(run.robot, 0.2, q=[0.2] * 6, interval=0.01)
    path = run.report(tmp_path / "x.html", title="A <title>", compare=other)
    text = path.read_text()
    assert text.startswith("<!") and "joint1" in text and not list(tmp_path.glob("*.new"))
    assert "iframe" in run._repr_html_() and "iframe" in run.robot._repr_html_()
    assert len(run.robot.view_html([0.1] * 6)) > 100_000
    with pytest.raises(ulna.InputError, match="q"):
        run.robot.view_html([0.1])


def test_importing_is_light():
    code = "import sys, ulna; print(any(m in sys.modules for m in ('matplotlib', 'pandas', 'scipy')))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_plots_are_there_after_import():
    code = "import sys, ulna; ulna.plot.plot_robot; assert 'matplotlib' not in sys.modules and 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_figure_is_shown_once_in_a_notebook(run, tmp_path, monkeypatch):
    """As the value of a cell, and not where the cell keeps it."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    shells = pytest.importorskip("IPython.core.interactiveshell")
    capture = pytest.importorskip("IPython.utils.capture")
    shell = shells.InteractiveShell.instance()
    try:
        shell.push({"run": run})
        with capture.capture_output() as shown:
            assert shell.run_cell("run.plot('tau')").success
        assert [list(output.data) for output in shown.outputs] == [["image/png", "text/plain"]]
        with capture.capture_output() as shown:
            assert shell.run_cell("figure = run.plot('tau')").success
        assert not shown.outputs
    finally:
        shells.InteractiveShell.clear_instance()


def test_the_notebooks_are_stored_executed():
    books = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
    assert len(books) >= 7
    for path in books:
        cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
        assert all(cell["execution_count"] for cell in cells), path.name
        outputs = [output for cell in cells for output in cell["outputs"]]
        assert outputs and not any(output["output_type"] == "error" for output in outputs), path.name
        assert path.stat().st_size < 300_000, path.name  # no page of the 3D view in every cell
