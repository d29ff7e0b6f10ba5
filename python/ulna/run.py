"""Runs: the recorded results of experiments."""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Sequence

import numpy as np

from . import _core
from ._notebook import frame_html
from ._tables import counted, table
from .results import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame


def _split(title: str) -> tuple[str, str]:
    """'q.joint1[rad]' -> 'q.joint1', 'rad'. Names may hold brackets of their own."""
    name, bracket, unit = title.rpartition("[")
    return (name, unit[:-1]) if bracket and unit.endswith("]") else (title, "")


class NotRecorded(_core.InputError, KeyError):
    """A channel that the run does not hold."""

    __str__ = Exception.__str__


class Run:
    """What was recorded: times, channels, and how the run went.

    run.t, run.q, run.v, run.a and run.tau are arrays with one row per record; run["energy.total"] is
    one channel, run["energy"] all of a group side by side. It reads like a dict of channels (a Mapping), but `values` is the array of
    all columns.
    """

    def __init__(self, robot: _core.Robot, titles: Sequence[str], values: Floats, summary: str, directory: str = ""):
        if isinstance(titles, str) or not all(isinstance(title, str) for title in titles):
            raise TypeError(f"titles must be a list of texts, not {titles!r}")
        if not isinstance(summary, str):
            raise TypeError(f"summary must be a text (JSON), not {type(summary).__name__}")
        self.robot = robot
        self.titles = list(titles)
        if "t" not in (_split(title)[0] for title in self.titles):
            raise _core.InputError(f"titles: found {', '.join(self.titles) or 'none'}; expected t[s] among them")
        self.values = np.asarray(values, dtype=float)
        if self.values.ndim != 2 or self.values.shape[1] != len(self.titles):
            raise _core.InputError(f"values: has shape {self.values.shape}; expected (N, {len(self.titles)}), a column for each title")
        self.directory = directory
        self._summary = summary
        self._index()

    def _index(self) -> None:
        names, units = zip(*map(_split, self.titles))
        self._place = {name: k for k, name in enumerate(names)}
        self.units: dict[str, str] = dict(zip(names, units))

    def __getstate__(self) -> dict[str, Any]:
        return {key: self.__dict__[key] for key in ("robot", "titles", "values", "directory", "_summary")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._index()

    @property
    def channels(self) -> list[str]:
        """Names of what was recorded, without t."""
        return [name for name in self._place if name != "t"]

    @property
    def summary(self) -> dict[str, Any]:
        """How it ended, steps, energy balance, final state, options, version; motors, bearings and time outside limits as tables."""
        result: dict[str, Any] = json.loads(self._summary) if self._summary else {}
        return result

    def __len__(self) -> int:
        """How many records there are: the length of every channel."""
        return len(self.values)

    def keys(self) -> list[str]:
        """Names of the channels, t first: dict(run) holds them all."""
        return list(self._place)

    def items(self) -> list[tuple[str, Floats]]:
        """Names and values of the channels, t first."""
        return [(name, self[name]) for name in self._place]

    def get(self, name: str, default: Any = None) -> Any:
        """A channel or group of channels, or `default` where it was not recorded."""
        return self[name] if name in self else default

    def __iter__(self) -> Iterator[str]:
        """Names of the channels, t first, as of a dict."""
        return iter(self._place)

    def __contains__(self, name: object) -> bool:
        return name in self._place or bool(isinstance(name, str) and self._group(name))

    def _group(self, name: str) -> list[int]:
        return [k for channel, k in self._place.items() if channel.startswith(name + ".")]

    def __getitem__(self, name: str) -> Floats:
        """A channel, (N,), or a group of them, (N, k)."""
        if not isinstance(name, str):
            raise TypeError(f"run[...] takes the name of a channel or group, not {type(name).__name__}; rows are in run.values")
        if name in self._place:
            return self.values[:, self._place[name]]
        columns = self._group(name)
        if not columns:
            groups = sorted({channel.rpartition(".")[0] or channel for channel in self.channels})
            raise NotRecorded(f"'{name}' was not recorded; recorded are {', '.join(groups)}")
        first, last = columns[0], columns[-1]
        return self.values[:, first : last + 1] if last - first + 1 == len(columns) else self.values[:, columns]

    def _recorded(self, name: str) -> Floats:
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(str(error)) from None

    @property
    def t(self) -> Floats:
        """Times of the records, s."""
        return self["t"]

    @property
    def q(self) -> Floats:
        """Coordinates, (N, nq)."""
        return self._recorded("q")

    @property
    def v(self) -> Floats:
        """Speeds, (N, nv)."""
        return self._recorded("v")

    @property
    def a(self) -> Floats:
        """Accelerations, (N, nv), if they were recorded."""
        return self._recorded("a")

    @property
    def tau(self) -> Floats:
        """Efforts, (N, nv)."""
        return self._recorded("tau")

    def to_pandas(self) -> "DataFrame":
        """A pandas DataFrame, indexed by time."""
        import pandas

        names = self.channels
        columns = [self._place[name] for name in names]
        return pandas.DataFrame(self.values[:, columns], index=pandas.Index(self.t, name="t"), columns=names)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """One line of titles with units, then one line per record; numbers read back exactly."""
        if not isinstance(path, (str, os.PathLike)):  # open() would take a number for an open file, and close it
            raise TypeError(f"to_csv(): path: expected a file name, got {type(path).__name__}")
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(self.titles)
            writer.writerows([repr(float(x)) for x in row] for row in self.values)

    def to_hdf5(self, path: str | os.PathLike[str]) -> None:
        """A dataset for every column, with its unit, and the summary and the robot as texts; for h5py, MATLAB, PlotJuggler.

        ComputationError where Ulna was built without HDF5. Names that groups are made of keep their points: file["q.joint1"].
        """
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"to_hdf5(): path: expected a file name, got {type(path).__name__}")
        _core._write_hdf5(self._parts(), self.directory, os.fspath(path))

    def plot(self, channels: str | Sequence[str] | None = None, *, compare: "Run | Sequence[Run] | None" = None) -> "Figure":
        """Time plots (matplotlib), one panel for each group; compare lays further runs over it. See ulna.plot.plot_run."""
        from .plot import plot_run

        return plot_run(self, channels, compare=compare)

    def _parts(self) -> tuple[_core.Robot, list[str], Floats, str]:
        return self.robot, self.titles, self.values, self._summary

    def report_html(
        self, *, title: str = "", compare: "Run | Sequence[Run] | None" = None, packages: Mapping[str, str] | None = None
    ) -> str:
        """One HTML text with the robot moving and its plots; compare and packages as in report."""
        return _core._report_html(self._parts(), title, [run._parts() for run in _others(compare)], packages or {})

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        title: str = "",
        compare: "Run | Sequence[Run] | None" = None,
        packages: Mapping[str, str] | None = None,
    ) -> Path:
        """Writes that text to a file; compare: further runs of the same robot, packages: as in Robot.view_html."""
        target = Path(path)
        _core._write_file(os.fsencode(target), self.report_html(title=title, compare=compare, packages=packages))
        return target

    def _repr_html_(self) -> str:
        if not _core.has_report_page():
            import html

            return f"<pre>{html.escape(str(self))}</pre>"
        return frame_html(self.report_html(), height=640)

    def __repr__(self) -> str:
        end = f", t = 0 .. {self.t[-1]:.6g} s" if len(self) else ""
        return f"<ulna.Run of '{self.robot.name}', {counted(len(self), 'record')}{end}>"

    def __str__(self) -> str:
        s = self.summary
        lines = [repr(self)]
        if "reason" in s:
            lines.append(f"  ended by {s['reason']} after {s['steps']} steps ({s['rejected']} rejected)")
        if len(self):
            names = self.channels
            data = self.values[:, [self._place[name] for name in names]]
            lines.append(
                table(
                    ["channel", "unit", "first", "last", "least", "greatest"],
                    [names, [self.units[n] for n in names], data[0], data[-1], data.min(0), data.max(0)],
                )
            )
        return "\n".join(lines + _duty_lines(s))


Mapping.register(Run)


def _others(compare: "Run | Sequence[Run] | None") -> "list[Run]":
    """The runs to compare with, as a list; TypeError for anything else."""
    runs = [] if compare is None else [compare] if isinstance(compare, Run) else compare
    if isinstance(runs, (list, tuple)) and all(isinstance(run, Run) for run in runs):
        return list(runs)
    wrong = next((run for run in runs if not isinstance(run, Run)), runs) if isinstance(runs, (list, tuple)) else runs
    raise TypeError(f"compare must be an ulna.Run or a list of them, not {type(wrong).__name__}")


def _duty_lines(summary: Mapping[str, Any]) -> list[str]:
    """What motors and bearings had to bear, and times outside limits, as tables."""
    lines: list[str] = []

    def add(title: str, key: str, columns: Mapping[str, str]) -> None:
        rows = summary.get(key) or []
        if rows:
            lines.extend(["", title, table(list(columns), [[row[name] for row in rows] for name in columns.values()])])

    add(
        "Motors: effort, speed and power, peak and RMS; energy in J",
        "motors",
        {
            "motor": "name",
            "unit": "unit",
            "peak effort": "peak_effort",
            "at t": "peak_effort_t",
            "RMS": "rms_effort",
            "peak speed": "peak_speed",
            "RMS speed": "rms_speed",
            "peak W": "peak_power",
            "RMS W": "rms_power",
            "taken": "energy_taken",
            "given back": "energy_given_back",
        },
    )
    add(
        "Bearings: peak force (N) and moment (N m), without the drives",
        "bearings",
        {"joint": "joint", "force": "peak_force", "at t": "peak_force_t", "moment": "peak_moment", "moment at t": "peak_moment_t"},
    )
    add(
        "Outside limits: seconds beyond those of position, speed and effort",
        "outside_limits",
        {"joint": "name", "position": "position", "speed": "speed", "effort": "effort"},
    )
    return lines


def load_run(directory: str | os.PathLike[str]) -> Run:
    """A run from its directory (ulna simulate -o, or simulate(output=...))."""
    robot, titles, values, summary = _core._load_run(os.fspath(directory))
    return Run(robot, titles, values, summary, os.fspath(directory))


Controller = Callable[..., Any]


def simulate(
    experiment: "_core.Experiment | _core.Robot | str | os.PathLike[str]",
    duration: float | None = None,
    *,
    q: Any = None,
    v: Any = None,
    motions: Mapping[str, Any] | None = None,
    efforts: Mapping[str, Any] | None = None,
    controller: Controller | Mapping[str, Any] | None = None,
    record: str | Iterable[str] | None = None,
    interval: float | None = None,
    method: str | None = None,
    rtol: float | None = None,
    output: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> Run:
    """Runs an experiment: an Experiment, an experiment file, or a robot with what follows.

    simulate(robot, 2.0, q=q0)                                       the robot let go
    simulate(robot, 2.0, motions={"joint1": "sin(t)"})               a joint moved
    simulate(robot, 2.0, controller=lambda t, q, v: -50*q - 5*v)     under a controller
    simulate(robot, 2.0, controller={"law": "pd", "kp": 50, "kd": 5})

    motions, efforts: by joint, as Experiment.move and Experiment.effort take them. record, interval,
    method, rtol: as Experiment.record and Experiment.integrator. output: a directory to write the run
    to, or a file whose name ends in .h5; resume: continue an interrupted one there. Ctrl-C raises
    KeyboardInterrupt.
    """
    if resume and output is None:
        raise _core.InputError("resume: is given without output; expected output, the directory of the interrupted run")
    if isinstance(experiment, _core.Robot):
        if duration is None:
            raise TypeError("simulate(robot, duration): how long?")
        e = _core.Experiment(experiment, duration)
    elif isinstance(experiment, _core.Experiment):
        e = experiment
    else:
        e = _core.Experiment.read(experiment)
    if not isinstance(experiment, _core.Robot) and any(
        x is not None for x in (duration, q, v, motions, efforts, controller, record, interval, method, rtol)
    ):
        if isinstance(experiment, _core.Experiment):
            raise TypeError("an Experiment says everything itself: set it there")
    if duration is not None:
        e.duration = duration
    e.start(q, v)
    for joint, function in (motions or {}).items():
        e.move(joint, function)
    for joint, function in (efforts or {}).items():
        e.effort(joint, function)
    if isinstance(controller, Mapping):
        e.control(**controller)
    elif controller is not None:
        e.control(controller)
    if record is not None or interval is not None:
        e.record(record if record is None or isinstance(record, str) else list(record), interval=interval)
    if method is not None or rtol is not None:
        e.integrator(method, rtol=rtol)
    folder = None if output is None else os.fsdecode(output)
    hdf5 = folder if folder is not None and folder.endswith((".h5", ".hdf5")) else None
    titles, values, summary, directory = _core._run(e, folder if hdf5 is None else f"{folder}.run", resume)
    run = Run(e.robot, titles, np.asarray(values), summary, directory)
    if resume and directory:
        run = load_run(directory)  # with the records from before the interruption
    if hdf5 is not None and run.summary.get("complete", True):
        run.to_hdf5(hdf5)
        shutil.rmtree(directory)
        run.directory = hdf5
    return run


def write_fmu(
    experiment: "_core.Experiment | str | os.PathLike[str]",
    file: "str | os.PathLike[str]",
    *,
    fmi: int = 2,
    inputs: "str | Sequence[str]" = "open",
    outputs: "str | Sequence[str]" = (),
    parameters: "str | Sequence[str]" = "usual",
    kind: str = "automatic",
) -> dict[str, Any]:
    """Writes an experiment, or an experiment file, as an FMU for co-simulation and model exchange.

    An Experiment made in Python becomes generated C, or an InputError that says why it cannot; a
    file can also become a unit that runs on the library.

    fmi is the version of the standard, 2 or 3. inputs are names such as 'tau.joint1' and
    'reference.joint1', or 'open' (what the experiment leaves open), 'all', 'none'. outputs are
    channels; without them those that the file records, else q, v and tau. parameters are paths of
    numbers in the files, or 'usual' (constants, gains, masses of payloads), 'none'. kind is
    'source' (generated C), 'library', or 'automatic'.

    Returns what was made: kind, why_library, model_exchange, inputs, outputs, parameters, states,
    indicators, files.
    """

    def words(given: Any, name: str) -> list[str]:
        if isinstance(given, str):
            return [given]
        found = list(given) if isinstance(given, Iterable) else [None]
        if not all(isinstance(one, str) for one in found):
            raise TypeError(f"write_fmu(): {name} must be a name or a list of names, not {given!r}")
        return found

    if not isinstance(experiment, (_core.Experiment, str, os.PathLike)):
        raise TypeError(f"write_fmu(): experiment must be an ulna.Experiment or a path, not {type(experiment).__name__}")
    if not isinstance(file, (str, os.PathLike)):
        raise TypeError(f"write_fmu(): file must be a path, not {type(file).__name__}")
    if fmi not in (2, 3):
        raise _core.InputError(f"fmi: {fmi!r} found; expected 2 or 3")
    if not isinstance(kind, str):
        raise TypeError(f"write_fmu(): kind must be a text, not {type(kind).__name__}")
    return _core._write_fmu(
        experiment if isinstance(experiment, _core.Experiment) else os.fsdecode(experiment),
        os.fsdecode(file), int(fmi), words(inputs, "inputs"), words(outputs, "outputs"), words(parameters, "parameters"), kind
    )
