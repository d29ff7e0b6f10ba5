"""What functions of platforms return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._tables import Shown, table

if TYPE_CHECKING:
    from .results import Motion

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
    """Where a platform can stand: faults[j][i] at (first[i], second[j]) is empty for a good pose.

    singular: pieces of the curves of singular poses, (count, 2, 2): from and to, each (first, second).
    """

    first: Floats
    second: Floats
    faults: list[list[str]]
    condition: Floats
    share: float
    area: float
    singular: Floats

    @property
    def good(self) -> NDArray[np.bool_]:
        """Where it can stand: good[j, i]."""
        return np.array([[fault == "" for fault in row] for row in self.faults])


class PlatformEquations(NamedTuple):
    """mass x + bias = drives @ efforts on the freedoms x of a platform."""

    mass: Floats
    bias: Floats
    drives: Floats


class PlatformPosture(NamedTuple):
    """A posture by the loops: coordinates, the platform's pose, how far it is from the one asked for, and its branch.

    distance: metres, turns by the platform's radius. home_branch: reached from home without passing a singular posture.
    """

    q: Floats
    pose: Floats
    distance: PerState
    home_branch: PerState


@dataclass(frozen=True)
class PlatformPoses(Shown):
    """Every pose for given drives, the nearest to home first.

    certified[k]: exactly one pose lies within position_bound[k] and angle_bound[k] (metres, radians; nan without a proof) of poses[k].
    degree: solutions that the geometry has for generic drives, at most `bound`; complex, singular, infinite: those that are not
    poses; None for a search by random starts. complete: all of them were found and proven. assemblies: postures of the legs that
    the poses stand for.
    """

    poses: Floats
    certified: NDArray[np.bool_]
    position_bound: Floats
    angle_bound: Floats
    gap: Floats
    within_limits: NDArray[np.bool_]
    method: str
    degree: int | None
    bound: int | None
    complex: int | None
    singular: int | None
    infinite: int | None
    complete: bool
    assemblies: int

    def __post_init__(self) -> None:
        for name in ("certified", "within_limits"):
            object.__setattr__(self, name, np.array(getattr(self, name), dtype=bool))

    def __len__(self) -> int:
        return len(self.poses)

    def __str__(self) -> str:
        position = self.poses[:, :3, 3]
        columns = [position[:, 0], position[:, 1], position[:, 2], ["yes" if c else "no" for c in self.certified], ["yes" if w else "no" for w in self.within_limits]]
        return table(["x", "y", "z", "proven", "within limits"], columns)


class Capability(NamedTuple):
    """What limited drives can give: in every direction, in the best one, and of how many dimensions."""

    everywhere: PerState
    best: PerState
    dimension: int


@dataclass(frozen=True)
class PlatformQuality:
    """How good a pose is. dexterity: 1 is isotropic, 0 singular.

    speed (m/s), turning (rad/s), force (N) and moment (N m) at the platform's origin for the limits of the drives; position_* (m) and
    angle_* (rad): errors of the platform from errors of the drives. unit_speeds, unit_efforts: the drives have no limits, 1 is used.
    """

    dexterity: PerState
    speed: Capability
    turning: Capability
    force: Capability
    moment: Capability
    position_worst: PerState
    position_rms: PerState
    angle_worst: PerState
    angle_rms: PerState
    unit_speeds: bool
    unit_efforts: bool


class NearestSingularity(NamedTuple):
    """The singular pose nearest to a pose: metres, with turns by the platform's radius; nan where none was found."""

    distance: PerState
    pose: Floats


@dataclass(frozen=True)
class WorkingModes:
    """Values of each drive that reach a pose, the one in use first; count: of all combinations."""

    angles: dict[str, Floats]
    count: int


@dataclass(frozen=True)
class PlatformPath:
    """How well the drives hold a platform along the motions of an experiment.

    distance: to the nearest singular pose (metres, turns by the radius); nan where none was found.
    """

    motion: Motion
    condition: Floats
    determinant: Floats
    distance: Floats

    @property
    def t(self) -> Floats:
        """Times of the samples."""
        return self.motion.t

    @property
    def crossings(self) -> list[tuple[float, float]]:
        """Times between which the determinant changes its sign: a singular pose is passed."""
        sign = np.sign(self.determinant)
        return [(float(self.t[k]), float(self.t[k + 1])) for k in np.flatnonzero(sign[1:] * sign[:-1] < 0)]
