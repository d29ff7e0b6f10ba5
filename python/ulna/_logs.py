"""Work with measured logs: identification and efforts along them."""

from __future__ import annotations

import os
import warnings
from typing import Any, Iterable, Mapping

import numpy as np

from . import _core
from .results import LogEfforts, LogIdentification, MeasuredLog

LogLike = Any  # a path or a MeasuredLog, or a list of these


def _logs(robot: _core.Robot, given: LogLike, name: str, reading: dict[str, Any]) -> list[MeasuredLog]:
    if given is None:
        return []
    if isinstance(given, (str, bytes, os.PathLike, MeasuredLog)):
        given = [given]
    if not isinstance(given, Iterable):
        raise TypeError(f"{name} must be a path, a MeasuredLog or a list of these, not {type(given).__name__}")
    logs = []
    for one in given:
        if isinstance(one, (str, bytes, os.PathLike)):
            one = _core.read_log(robot, one, **reading)
        elif not isinstance(one, MeasuredLog):
            raise TypeError(f"{name} must be a path, a MeasuredLog or a list of these, not one of {type(one).__name__}")
        logs.append(one)
    return logs


def _tell_doubts(found: LogIdentification) -> None:
    """What makes the estimate doubtful, through `warnings`."""
    if found.condition > 100:
        warnings.warn(
            f"the condition number is {found.condition:.3g}: some parameters are hardly excited; record a motion of robot.excitation(from_rest=True)",
            stacklevel=3,
        )
    for speed, correlation in zip(found.speeds, found.correlation):
        if abs(correlation) > 0.5:
            warnings.warn(
                f"successive residuals of '{speed}' correlate by {correlation:.2f}: the model lacks something (terms='friction', 'rotors'?), "
                "and the deviations are too small",
                stacklevel=3,
            )
    if found.distance > 4:
        warnings.warn(
            f"bodies that can exist are {np.sqrt(found.distance):.1f} standard deviations from the estimate: the model does not fit the efforts",
            stacklevel=3,
        )


def identify_logs(
    self: _core.Robot,
    logs: LogLike,
    *,
    validate: LogLike = None,
    terms: str | Iterable[str] | None = None,
    columns: Mapping[str, str] | None = None,
    cutoff: float | None = None,
    recorded_rates: bool = False,
) -> LogIdentification:
    """Base parameters from measured logs by weighted least squares, with standard deviations, and bodies that can exist.

    logs, validate: files, what ulna.read_log or ulna.measured_motion gave, or lists of these; efforts of `validate` are predicted
    only. columns, cutoff, recorded_rates: as in ulna.read_log, for files. terms: 'all' or some of 'rotors', 'damping', 'friction',
    'springs', which otherwise count as known. robot.with_parameters(result) is the identified robot. What is doubtful is told through
    `warnings`.
    """
    if not isinstance(self, _core.Robot):
        raise TypeError("identify_logs() must be called on an ulna.Robot")
    reading = {"columns": columns, "cutoff": cutoff, "recorded_rates": recorded_rates}
    found = self._identify_logs(_logs(self, logs, "logs", reading), validate=_logs(self, validate, "validate", reading), terms=terms)
    _tell_doubts(found)
    return found


def _recorded_motors(robot: _core.Robot, log: MeasuredLog) -> list[str] | None:
    """The degrees of freedom that were recorded, if they drive a robot with loops; None leaves the choice to the core."""
    if not robot.loops:
        return None
    first = log.parts[0]
    names = log.efforts or [name for name in log.coordinates if name in robot.speeds]
    if len(names) != len(robot.mobility(first.q[0]).independent):
        return None
    try:
        robot.inverse_dynamics(first.q[0], first.v[0], first.a[0], actuated=names)
    except _core.ComputationError:
        return None
    return names


def efforts_along(
    self: _core.Robot,
    log: LogLike,
    *,
    method: str | None = None,
    actuated: str | Iterable[str] | None = None,
    columns: Mapping[str, str] | None = None,
    cutoff: float | None = None,
    recorded_rates: bool = False,
) -> LogEfforts:
    """Efforts of the model along a measured log, beside the recorded ones if it has any: inverse dynamics of each sample.

    log: a file, or what ulna.read_log or ulna.measured_motion gave. method, actuated: as in inverse_dynamics; columns, cutoff,
    recorded_rates: as in ulna.read_log, for a file. Measured and computed efforts pass the same filter. With loops the motors are
    where efforts were recorded, else where positions were, if these drive the robot.
    """
    if not isinstance(self, _core.Robot):
        raise TypeError("efforts_along() must be called on an ulna.Robot")
    [one] = _logs(self, [log], "log", {"columns": columns, "cutoff": cutoff, "recorded_rates": recorded_rates})
    options: dict[str, Any] = {"method": method, "actuated": _recorded_motors(self, one) if actuated is None else actuated}
    asked = {key: value for key, value in options.items() if value is not None}
    tau, measured = [], []
    for part in one.parts:
        computed, recorded = self.inverse_dynamics(part.q, part.v, part.a, **asked), part.tau
        if one.efforts and one.bandwidth > 0 and np.isfinite(one.bandwidth):
            computed, recorded = (_core.low_passed(x, one.bandwidth, one.rate) for x in (computed, recorded))
        tau.append(computed)
        measured.append(recorded)
    efforts, beside = np.concatenate(tau), np.concatenate(measured)
    places = [self.speeds.index(name) for name in one.efforts]

    def rms(x: Any) -> Any:
        return np.sqrt(np.mean(np.square(x), axis=0))

    return LogEfforts(list(self.speeds), one.t, efforts, list(one.efforts), beside, rms(beside), rms(beside - efforts[:, places]))


def install() -> None:
    """Gives robots these methods."""
    _core.Robot.identify_logs = identify_logs  # type: ignore[assignment]
    _core.Robot.efforts_along = efforts_along  # type: ignore[assignment]
