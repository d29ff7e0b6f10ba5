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


def test_commanded_values_stand_beside_what_follows_them():
    e = ulna.Experiment(ulna.load("puma560"), 0.2).move("joint1", "sin(t)").control("pd", ["joint1"], kp=100, kd=20)
    run = ulna.simulate(e.record(["q", "reference", "tau"], interval=0.02))
    figure = run.plot("q,reference,tau")
    assert [ax.get_ylabel().split()[0] for ax in figure.axes] == ["Coordinates", "Efforts"]
    coordinates = figure.axes[0]
    dotted = [line for line in coordinates.get_lines() if line.get_linestyle() == ":" and len(line.get_xdata())]
    assert len(dotted) == len([c for c in run.channels if c.startswith("reference.")])
    assert {line.get_color() for line in dotted} <= {line.get_color() for line in coordinates.get_lines() if line.get_linestyle() == "-"}
    assert "commanded" in coordinates.get_legend_handles_labels()[1]
    assert [ax.get_ylabel().split()[0] for ax in run.plot("reference").axes] == ["Reference"]


def test_runs_are_plotted_over_one_another(run):
    others = [ulna.simulate(run.robot, 0.2, q=[q] * 6, interval=0.01) for q in (0.2, 0.3)]
    [ax] = run.plot("q", compare=others).axes
    lines = [line for line in ax.get_lines() if len(line.get_xdata())]
    assert len(lines) == 18 and sum(line.get_linestyle() == "--" for line in lines) == 12
    np.testing.assert_array_equal(lines[1].get_ydata(), others[0]["q.joint1"])
    assert "compared" in ax.get_legend_handles_labels()[1]
    with pytest.raises(TypeError, match="compare must be an ulna.Run or a list of them, not str"):
        run.plot("q", compare="other")


def test_pandas(run):
    pytest.importorskip("pandas")
    frame = run.to_pandas()
    assert list(frame.columns) == run.channels and frame.index.name == "t"
    np.testing.assert_array_equal(frame["q.joint1"].to_numpy(), run["q.joint1"])


@pytest.mark.skipif(not ulna.has_report_page(), reason="the page was not compiled in")
def test_reports_and_views(run, tmp_path):
    other = ulna.simulate(run.robot, 0.2, q=[0.2] * 6, interval=0.01)
    mine = tmp_path / "x.html.new"  # a file of the user, which stays
    mine.write_text("mine")
    path = run.report(tmp_path / "x.html", title="A <title>", compare=other)
    text = path.read_text()
    assert text.startswith("<!") and "joint1" in text
    assert mine.read_text() == "mine" and sorted(tmp_path.iterdir()) == [path, mine]
    three = run.report_html(compare=[other, other])
    assert len(three) > len(text) and run.report_html(compare=[]) == run.report_html()
    with pytest.raises(TypeError, match="compare must be"):
        run.report_html(compare=[other, "run"])
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
