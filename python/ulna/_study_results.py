"""What syntheses, studies, timings and sweeps return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._tables import Shown, table

if TYPE_CHECKING:
    from ._core import Robot

Floats = NDArray[np.float64]


class InverseKinematics(NamedTuple):
    """Coordinates, nan where there is no solution, and which targets have one."""

    q: Floats
    found: Any


class Timing(NamedTuple):
    """How motions were timed: duration (s), how many times as fast, switching times, what limits it, what it leaves open."""

    duration: float
    scale: float
    switches: Floats
    limit: str
    warning: str


class LinearAlong(NamedTuple):
    """Linear systems along a motion: its samples (t, q, v, a), its efforts, and a batch of LinearSystem."""

    motion: Any
    tau: Floats
    system: Any


@dataclass(frozen=True)
class Design:
    """A mechanism that meets a task as well as it could: `values` of the design variables, `error` of the frame (m).

    followed: it moves through all targets on one branch; `note` says why not. phase, transmission (rad) and largest_speed where the
    task asks for them.
    """

    robot: Robot
    values: dict[str, float]
    error: float
    followed: bool
    postures: list[Floats]
    note: str
    phase: float | None
    transmission: float | None
    largest_speed: float | None


@dataclass(frozen=True)
class Synthesis(Shown):
    """The designs that a synthesis found, the best first."""

    designs: list[Design]
    starts: int
    evaluations: int
    seconds: float

    def __len__(self) -> int:
        return len(self.designs)

    def __str__(self) -> str:
        names = list(self.designs[0].values) if self.designs else []
        columns = [[f"design {k + 1}" for k in range(len(self.designs))]]
        columns += [[design.values[name] for design in self.designs] for name in names]  # type: ignore[misc]
        columns += [[design.error for design in self.designs], ["yes" if design.followed else design.note for design in self.designs]]  # type: ignore[misc]
        return table(["", *names, "error [m]", "followed"], columns)


@dataclass(frozen=True)
class Decoupling(Shown):
    """Efforts of accelerations and of velocities along a motion, (times, inputs), and how far inputs act each for itself.

    inertia_coupling, power_coupling: size off the diagonals of I* and P* over that on them, by time. error_without: greatest error of
    efforts, over their peak, when terms are left out.
    """

    inputs: list[str]
    t: Floats
    acceleration: Floats
    velocity: Floats
    gravity: Floats
    total: Floats
    inertia_coupling: Floats
    power_coupling: Floats
    rms_ratio: float
    peak_ratio: Floats
    correlation: Floats
    peak: float
    error_without: dict[str, float]

    def __str__(self) -> str:
        return table(
            ["input", "velocity effort / acceleration effort", "correlation with own acceleration"],
            [self.inputs, self.peak_ratio, self.correlation],
        )


class FidelityRow(NamedTuple):
    """One level of modelling flexible links against 'exact'.

    `deflection` (records, 2 for each flexible body): y and z of the body's end, in m, at `times`.
    """

    level: str
    complete: bool
    reason: str
    t: float
    peak: Floats
    end: Floats
    end_error: Floats | None
    deflection_error: float
    energy_balance: float
    seconds: float
    evaluations: int
    notes: list[str]
    times: Floats
    deflection: Floats


@dataclass(frozen=True)
class Fidelity(Shown):
    """An experiment at several levels of fidelity, 'exact' first; peaks are end deflections (m) of `bodies`."""

    bodies: list[str]
    rows: list[FidelityRow]

    def __str__(self) -> str:
        columns: list[list[Any]] = [[row.level for row in self.rows]]
        columns += [[row.peak[k] for row in self.rows] for k in range(len(self.bodies))]
        columns += [
            [row.deflection_error for row in self.rows],
            [row.seconds for row in self.rows],
            ["complete" if row.complete else row.reason for row in self.rows],
        ]
        peaks = [f"peak of {body} [m]" for body in self.bodies]
        return table(["level", *peaks, "off exact [m]", "time [s]", "ended"], columns)


class TipRow(NamedTuple):
    """One way to make a frame of a flexible robot follow its path.

    `error` is the distance of the frame from its target (m) at the times `t` from the beginning of its motion; `peak`, `rms` and
    `residual` (after the target has come to rest) are of it. The frame begins to move at `preview` and has arrived after `motion`.
    """

    method: str
    complete: bool
    reason: str
    peak: float
    rms: float
    residual: float
    peak_effort: float
    preview: float
    motion: float
    t: Floats
    error: Floats


@dataclass(frozen=True)
class TipStudy(Shown):
    """An experiment of a flexible robot by each method of tip tracking."""

    rows: list[TipRow]

    def __str__(self) -> str:
        columns: list[list[Any]] = [[row.method for row in self.rows]]
        columns += [[1e3 * getattr(row, key) for row in self.rows] for key in ("peak", "rms", "residual")]
        columns += [[row.peak_effort for row in self.rows], ["complete" if row.complete else row.reason for row in self.rows]]
        return table(["method", "peak [mm]", "rms [mm]", "after the motion [mm]", "peak effort", "ended"], columns)


@dataclass(frozen=True)
class StabilitySurface:
    """Where a flexible link buckles on a moving base.

    spin by the first frequency w1 (rad/s), axial acceleration by l w1^2, `critical` acceleration of each spin by l w1^2, and the
    transverse velocity `boundary` (spins, axials) by l w1 below which it is unstable.
    """

    body: str
    first_frequency: float
    length: float
    spin: Floats
    axial: Floats
    critical: Floats
    boundary: Floats
    spin_coefficient: float
    axial_coefficient: float


@dataclass(frozen=True)
class ModesMap:
    """Natural frequencies (rad/s) over a grid of two coordinates: (x, y, modes), and the place of a frame, (x, y, 3); nan: not reached."""

    coordinates: list[str]
    x: Floats
    y: Floats
    frequencies: Floats
    places: Floats

    @property
    def frequencies_hz(self) -> Floats:
        """The same in Hz."""
        return self.frequencies / (2 * np.pi)
