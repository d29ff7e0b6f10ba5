"""Plots with matplotlib: runs, motions, and the robot as a stick figure."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import _core
from ._notebook import figure_class

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .run import Run

# Okabe and Ito: people with any colour vision can tell them apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")

HEADINGS = {
    "q": "Coordinates",
    "v": "Speeds",
    "a": "Accelerations",
    "tau": "Efforts",
    "energy": "Energy",
    "power": "Power",
    "momentum": "Momentum",
    "reference": "Reference",
}


def chosen(run: Run, patterns: str | Sequence[str] | None) -> list[str]:
    """Channels by name, group or pattern ('tau', 'q.joint*'); by default all."""
    if patterns is None:
        return run.channels
    if isinstance(patterns, str):
        patterns = [part.strip() for part in patterns.split(",")]
    found: list[str] = []
    for pattern in patterns:
        hits = [c for c in run.channels if fnmatch.fnmatchcase(c, pattern) or c.startswith(pattern + ".")]
        if not hits:
            raise _core.InputError(f"'{pattern}' matches no channel; recorded are {', '.join(run.channels)}")
        found += [c for c in hits if c not in found]
    return found


def plot_run(
    run: Run, channels: str | Sequence[str] | None = None, *, compare: Run | Sequence[Run] | None = None
) -> Figure:
    """One panel for each group and unit, under one another.

    Commanded values (channels `reference`) are dotted lines beside the coordinates. compare: further runs, dashed, as
    far as they have the channels.
    """
    from .run import _others

    names_chosen, others = chosen(run, channels), _others(compare)
    panels: dict[tuple[str, str], list[str]] = {}
    commanded: dict[str, str] = {}
    for name in names_chosen:
        if name.startswith("reference.") and (value := "q." + name.partition(".")[2]) in names_chosen:
            commanded[value] = name
        else:
            panels.setdefault((name.rpartition(".")[0], run.units[name]), []).append(name)
    figure = _new_figure(len(panels))
    axes = np.atleast_1d(figure.subplots(max(len(panels), 1), 1, sharex=True))
    for ax, ((group, unit), names) in zip(axes, panels.items()):
        for k, name in enumerate(names):
            dashes = "-" if k < len(COLOURS) else "-."
            line = {"color": COLOURS[k % len(COLOURS)], "linewidth": 1.2}
            ax.plot(run.t, run[name], dashes, label=name.rpartition(".")[2], **line)
            if name in commanded:
                ax.plot(run.t, run[commanded[name]], ":", **line)
            for other in others:
                if name in other:
                    ax.plot(other.t, other[name], "--", **line)
        if any(name in commanded for name in names):
            ax.plot([], [], ":", color="0.4", label="commanded")
        if others:
            ax.plot([], [], "--", color="0.4", label="compared")
        ax.set_ylabel(f"{HEADINGS.get(group, group)} [{unit}]" if unit else HEADINGS.get(group, group))
        ax.grid(True, alpha=0.3)
        ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    axes[-1].set_xlabel("t [s]")
    figure.suptitle(run.summary.get("name") or run.robot.name)
    return figure


def _new_figure(panels: int) -> Any:
    """By pyplot where a window or notebook shows it, bare otherwise."""
    import sys

    kind, size = figure_class(), (8.0, 1.0 + 2.2 * max(panels, 1))
    if "matplotlib.pyplot" in sys.modules:
        return sys.modules["matplotlib.pyplot"].figure(figsize=size, layout="constrained", FigureClass=kind)
    return kind(figsize=size, layout="constrained")


def plot_motion(motion: _core.Motion, end: float | None = None, samples: int = 400) -> Figure:
    """A motion with its rate and acceleration."""
    last = motion.duration if end is None else end
    if not np.isfinite(last):
        raise _core.InputError("the motion never ends; expected `end`, a time up to which it is drawn")
    t = np.linspace(0.0, last, samples)
    figure = _new_figure(3)
    axes = figure.subplots(3, 1, sharex=True)
    for ax, (label, values) in zip(
        axes, (("value", motion(t)), ("rate", motion.rate(t)), ("acceleration", motion.acceleration(t)))
    ):
        ax.plot(t, values, color=COLOURS[0])
        ax.set_ylabel(label)
        ax.grid(True, alpha=0.3)
    axes[-1].set_xlabel("t [s]")
    result: Figure = figure
    return result


def plot_robot(robot: _core.Robot, q: Any, ax: Axes | None = None) -> Axes:
    """The robot as lines from joint to joint, in three dimensions."""
    if ax is None:
            ax = _new_figure(2).add_subplot(projection="3d")
    poses = robot.poses(q)
    for joint in robot.joints:
        ends = np.stack([poses[joint.parent][:3, 3], poses[joint.child][:3, 3]])
        ax.plot(*ends.T, "-", color=COLOURS[0], linewidth=3, marker="o", markersize=4)  # type: ignore[arg-type]
    ax.set_aspect("equal")
    ax.set_xlabel("x [m]")
    ax.set_ylabel("y [m]")
    return ax
