"""Measured logs, and what comes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._tables import Shown, table

Floats = NDArray[np.float64]


class LogPart(NamedTuple):
    """A stretch of a log without gaps, at equal times; t since the first record. tau: the recorded efforts."""

    t: Floats
    q: Floats
    v: Floats
    a: Floats
    tau: Floats


class CoordinateNoise(NamedTuple):
    """How one coordinate was filtered (cutoff, Hz) and the noise in it: of the position, of what its second derivative makes of it,
    and the size of the acceleration itself."""

    name: str
    cutoff: float
    position: float
    acceleration: float
    acceleration_rms: float


@dataclass(frozen=True)
class MeasuredLog(Shown):
    """A measured log: motion and efforts, filtered and differentiated, one sample per row.

    coordinates, efforts: names of what was recorded; the other coordinates follow from the loops or are neutral. offset: time of the
    first record. rate: records a second; jitter: largest deviation of an interval from 1 / rate, by that. bandwidth: the largest
    cut-off, which efforts are compared within. columns: what was found under which title; unused: titles without a use.
    """

    name: str
    parts: list[LogPart]
    coordinates: list[str]
    efforts: list[str]
    offset: float
    rate: float
    jitter: float
    bandwidth: float
    noise: list[CoordinateNoise]
    layout: str
    columns: dict[str, str]
    unused: list[str]
    warnings: list[str]

    def _all(self, name: str) -> Floats:
        return np.concatenate([getattr(part, name) for part in self.parts])

    @property
    def t(self) -> Floats:
        """Times since the first record, all parts one after the other."""
        return self._all("t")

    @property
    def q(self) -> Floats:
        """Coordinates of the robot, (N, nq)."""
        return self._all("q")

    @property
    def v(self) -> Floats:
        """Speeds, (N, nv)."""
        return self._all("v")

    @property
    def a(self) -> Floats:
        """Accelerations, (N, nv)."""
        return self._all("a")

    @property
    def tau(self) -> Floats:
        """Recorded efforts, (N, len(efforts)), in the order of `efforts`."""
        return self._all("tau")

    def __len__(self) -> int:
        return sum(len(part.t) for part in self.parts)

    def __repr__(self) -> str:
        parts = f" in {len(self.parts)} parts" if len(self.parts) > 1 else ""
        return f"<ulna MeasuredLog '{self.name}', {len(self)} samples at {self.rate:.6g} Hz{parts}>"

    def __str__(self) -> str:
        columns = [[getattr(one, field) for one in self.noise] for field in ("name", "cutoff", "position", "acceleration", "acceleration_rms")]
        return table(["coordinate", "cut-off [Hz]", "noise of q", "noise of a", "rms of a"], columns)


@dataclass(frozen=True)
class EffortComparison:
    """Measured efforts of a log and those predicted, filtered alike, (N, nv); root mean squares of the measured ones, of the
    difference, and of the difference for bodies that can exist."""

    name: str
    t: Floats
    measured: Floats
    predicted: Floats
    rms: Floats
    error: Floats
    possible_error: Floats


@dataclass(frozen=True)
class LogEfforts(Shown):
    """Efforts of the model along a log, (N, nv). measured: recorded ones in the order of `compared`, filtered as tau is then; with
    root mean squares of them and of the difference."""

    speeds: list[str]
    t: Floats
    tau: Floats
    compared: list[str]
    measured: Floats
    measured_rms: Floats
    difference_rms: Floats

    def __str__(self) -> str:
        if not self.compared:
            rms = np.sqrt(np.mean(self.tau**2, axis=0))
            return table(["effort", "peak", "rms"], [self.speeds, np.abs(self.tau).max(axis=0), rms])
        return table(["effort", "measured rms", "difference rms"], [self.compared, self.measured_rms, self.difference_rms])
