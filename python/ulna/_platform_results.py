"""What functions of platforms return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# A number of one state; an array (N,), or a list, of a batch. Types do not know shapes.
PerState = Any


class LegMotion(NamedTuple):
    """Drives of a platform, their rates and accelerations."""

    q: Floats
    v: Floats
    a: Floats


@dataclass(frozen=True)
class PlatformSingularity:
    """How well the drives hold a platform. Turns count by its radius.

    condition: of the scaled rows; screw: the twist that is held worst, with its pitch and a point on
    its axis.
    """

    determinant: PerState
    condition: PerState
    smallest: PerState
    screw: Floats
    pitch: PerState
    point: Floats


@dataclass(frozen=True)
class WorkspaceSlice:
    """Where a platform can stand: faults[j][i] at (first[i], second[j]) is empty for a good pose."""

    first: Floats
    second: Floats
    faults: list[list[str]]
    condition: Floats
    share: float
    area: float

    @property
    def good(self) -> NDArray[np.bool_]:
        return np.array([[fault == "" for fault in row] for row in self.faults])


class PlatformEquations(NamedTuple):
    """mass x + bias = drives @ efforts on the freedoms x of a platform."""

    mass: Floats
    bias: Floats
    drives: Floats
