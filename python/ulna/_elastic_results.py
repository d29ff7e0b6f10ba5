"""What functions of flexible links and of robots as elastic frames return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._tables import Shown, table

Floats = NDArray[np.float64]


class FlexibleLink(NamedTuple):
    """A link that bends: its modes, and their places in q and in v. Frequencies in rad/s."""

    body: str
    modes: list[str]
    q: slice
    v: slice
    length: float
    frequencies: Floats


@dataclass(frozen=True)
class ElasticModes:
    """Small vibrations of a robot with flexible links about a state.

    frequencies: rad/s, undamped at rest, those of the poles where gyroscopic terms act, negative: the
    rate at which a mode grows; shapes: columns over `speeds`; poles: with damping and gyroscopic terms; M, C, K of the speeds that vibrate.
    """

    frequencies: Floats
    shapes: Floats
    poles: NDArray[np.complex128]
    speeds: list[str]
    M: Floats
    C: Floats
    K: Floats

    @property
    def frequencies_hz(self) -> Floats:
        """The same in Hz."""
        return self.frequencies / (2 * np.pi)


@dataclass(frozen=True)
class Modes(Shown):
    """Natural modes of a robot as an elastic frame; of a batch, with N in front.

    frequencies in rad/s; shapes: displacement of the nodes in each mode (modes, nodes, 3), largest 1,
    about a motion with its part a quarter period later in `quadrature`; strain, kinetic: shares of
    energy by part (modes, parts) and body; joint_motion: by speed; effective_mass: for a motion of
    the base along x, y, z, kg.
    """

    frequencies: Floats
    shapes: Floats
    nodes: Floats
    node_names: list[str]
    elements: list[tuple[int, int]]
    freedoms: int
    residuals: Floats
    damping_ratio: Floats | None
    quadrature: Floats | None
    strain: Floats | None
    parts: list[str]
    kinetic: Floats | None
    bodies: list[str]
    joint_motion: Floats | None
    effective_mass: Floats | None
    rigid_body_modes: int | list[int]
    warning: str | list[str]

    @property
    def frequencies_hz(self) -> Floats:
        """The same in Hz."""
        return self.frequencies / (2 * np.pi)

    def __str__(self) -> str:
        if self.frequencies.ndim > 1:
            return f"{len(self.frequencies)} postures, {self.frequencies.shape[1]} modes each"
        titles, columns = ["mode", "Hz", "rad/s"], [range(1, 1 + len(self.frequencies)), self.frequencies_hz, self.frequencies]
        if self.damping_ratio is not None:
            return table(titles + ["damping ratio"], columns + [self.damping_ratio])
        if self.strain is not None:
            for part, share in zip(self.parts, self.strain.T):
                if np.abs(share).max(initial=0.0) > 1e-9:
                    titles, columns = titles + [part + " %"], columns + [100 * share]
        return table(titles, columns)


@dataclass(frozen=True)
class ModesAlong(Shown):
    """Natural frequencies (rad/s) along a line of postures or over a parameter: (N, modes), each column one mode followed.

    assurance: likeness of each shape to the one before, 1 in the first row.
    """

    frequencies: Floats
    assurance: Floats
    warnings: list[str]

    @property
    def frequencies_hz(self) -> Floats:
        """The same in Hz."""
        return self.frequencies / (2 * np.pi)

    def __str__(self) -> str:
        titles = ["point"] + [f"mode {k + 1} [Hz]" for k in range(self.frequencies.shape[1])]
        return table(titles, [range(len(self.frequencies)), *self.frequencies_hz.T])


@dataclass(frozen=True)
class StructureMatrices:
    """M x'' + C x' + K x = f of a robot as an elastic frame, and the names of its freedoms."""

    M: Floats
    C: Floats
    K: Floats
    names: list[str]


@dataclass(frozen=True)
class Condensation(Shown):
    """An elastic frame in few coordinates: x = T y, with the matrices of y.

    masters: freedoms kept as they are, the first coordinates of y; modal: amplitudes of modes after
    them. frequencies: of the condensed model, exact: of the whole one, rad/s.
    """

    method: str
    T: Floats
    M: Floats
    C: Floats
    K: Floats
    masters: list[str] | list[list[str]]
    modal: int
    frequencies: Floats
    exact: Floats

    @property
    def frequencies_hz(self) -> Floats:
        """The same in Hz."""
        return self.frequencies / (2 * np.pi)

    @property
    def errors(self) -> Floats:
        """Relative, of each frequency; zero where the exact one is zero."""
        n = min(self.frequencies.shape[-1], self.exact.shape[-1])
        found, exact = self.frequencies[..., :n], self.exact[..., :n]
        return np.asarray(np.divide(found, exact, out=np.ones_like(found), where=exact > 0) - 1.0, np.float64)

    def __str__(self) -> str:
        if self.exact.ndim > 1:
            return f"{self.method}: {len(self.exact)} postures"
        n = len(self.errors)
        exact = self.exact[:n] / (2 * np.pi)
        return table(["Hz", self.method, "error %"], [exact, self.frequencies_hz[:n], 100 * self.errors])


@dataclass(frozen=True)
class StaticDeflection:
    """How an elastic frame bends under a load.

    motion: (translation, rotation) of `frame`; compliance: the same per (force, moment) there;
    members: N, Qy, Qz, T, My, Mz at the start and end of each element (elements, 2, 6), N > 0 is
    tension; nodes: (translation, rotation) of every node. Of each of `beams` the place from its
    start where the von Mises stress is largest (stations, m), that stress, and the normal and shear
    stress there (Pa); nan where the section's stresses are not known.
    """

    frame: str
    motion: Floats
    compliance: Floats
    members: Floats
    elements: list[str]
    nodes: Floats
    node_names: list[str]
    beams: list[str]
    stations: Floats
    von_mises: Floats
    normal_stress: Floats
    shear_stress: Floats
