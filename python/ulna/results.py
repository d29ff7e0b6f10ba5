"""What functions with several results return: named tuples and small classes that print well."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core

from ._equality import compare_by_content
from ._elastic_results import Condensation as Condensation
from ._elastic_results import ElasticModes as ElasticModes
from ._elastic_results import FlexibleLink as FlexibleLink
from ._elastic_results import Modes as Modes
from ._elastic_results import ModesAlong as ModesAlong
from ._elastic_results import StaticDeflection as StaticDeflection
from ._elastic_results import StructureMatrices as StructureMatrices
from ._log_results import CoordinateNoise as CoordinateNoise
from ._log_results import EffortComparison as EffortComparison
from ._log_results import LogEfforts as LogEfforts
from ._log_results import LogPart as LogPart
from ._log_results import MeasuredLog as MeasuredLog
from ._mechanics_results import ClosingMatrices as ClosingMatrices
from ._mechanics_results import KaneQuantities as KaneQuantities
from ._mechanics_results import LagrangeCoefficients as LagrangeCoefficients
from ._mechanics_results import LinkMatrices as LinkMatrices
from ._platform_results import Capability as Capability
from ._platform_results import LegMotion as LegMotion
from ._platform_results import NearestSingularity as NearestSingularity
from ._platform_results import PerState as PerState
from ._platform_results import PlatformEquations as PlatformEquations
from ._platform_results import PlatformPath as PlatformPath
from ._platform_results import PlatformPoses as PlatformPoses
from ._platform_results import PlatformPosture as PlatformPosture
from ._platform_results import PlatformQuality as PlatformQuality
from ._platform_results import PlatformSingularity as PlatformSingularity
from ._platform_results import WorkingModes as WorkingModes
from ._platform_results import WorkspaceSlice as WorkspaceSlice
from ._study_results import Decoupling as Decoupling
from ._study_results import Design as Design
from ._study_results import Fidelity as Fidelity
from ._study_results import FidelityRow as FidelityRow
from ._study_results import InverseKinematics as InverseKinematics
from ._study_results import LinearAlong as LinearAlong
from ._study_results import ModesMap as ModesMap
from ._study_results import StabilitySurface as StabilitySurface
from ._study_results import Synthesis as Synthesis
from ._study_results import Timing as Timing
from ._study_results import TipRow as TipRow
from ._study_results import TipStudy as TipStudy
from ._tables import Shown, table

Floats = NDArray[np.float64]


class Joint(NamedTuple):
    """A joint of the tree, with its places in q and in v."""

    name: str
    type: str
    parent: str
    child: str
    q: slice
    v: slice
    mimics: str | None


@dataclass(eq=False)
class Wrench:
    """A wrench on a body: a force through a point of it, and a moment."""

    body: str
    force: Sequence[float] | Floats = (0.0, 0.0, 0.0)
    moment: Sequence[float] | Floats = (0.0, 0.0, 0.0)
    point: Sequence[float] | Floats = (0.0, 0.0, 0.0)
    expressed_in: str = "world"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Wrench):
            return NotImplemented
        numbers = all(np.array_equal(getattr(self, part), getattr(other, part)) for part in ("force", "moment", "point"))
        return numbers and (self.body, self.expressed_in) == (other.body, other.expressed_in)

    __hash__ = None  # type: ignore[assignment]


class Energy(NamedTuple):
    """Joule; of a batch, one entry per state."""

    kinetic: PerState
    potential: PerState


class EquationsOfMotion(NamedTuple):
    """M a + coriolis + gravity + passive = tau on the speeds named; with loops tau is G' tau."""

    speeds: list[str]
    M: Floats
    coriolis: Floats
    gravity: Floats
    passive: Floats


class LinearTerms(NamedTuple):
    """M da + C dv + K dq = dtau about a state; `exact`: not by differences."""

    speeds: list[str]
    M: Floats
    C: Floats
    K: Floats
    exact: bool


class InverseDerivatives(NamedTuple):
    """Derivatives of inverse dynamics, those by q in the tangent."""

    dtau_dq: Floats
    dtau_dv: Floats
    dtau_da: Floats


class ForwardDerivatives(NamedTuple):
    """Derivatives of forward dynamics, those by q in the tangent, and the accelerations."""

    da_dq: Floats
    da_dv: Floats
    da_dtau: Floats
    a: Floats


class JointRates(NamedTuple):
    """Minimum-norm least squares; the residual tells how far the wish is from being possible."""

    value: Floats
    residual: PerState
    rank: PerState


class Motion(NamedTuple):
    """Samples of a motion, one per row."""

    t: Floats
    q: Floats
    v: Floats
    a: Floats


@dataclass(frozen=True)
class BaseParameters(Shown):
    """The combinations of inertial parameters that efforts depend on.

    tau = Y[:, columns] @ values, with Y the regressor; values = combination @ all parameters.
    """

    names: list[str]
    texts: list[str]
    values: Floats
    combination: Floats
    columns: list[int]
    parameters: list[str]
    without_effect: list[str]
    margin: float

    def __len__(self) -> int:
        return len(self.names)

    def __str__(self) -> str:
        return table(["base parameter", "value"], [self.texts, self.values])


@dataclass(frozen=True)
class Identification(Shown):
    """Base parameters found from measured efforts, with standard deviations."""

    base: BaseParameters
    estimate: Floats
    deviations: Floats
    covariance: Floats
    noise: Floats
    condition: float
    nearest: dict[str, float]
    impossible: list[str]

    def __str__(self) -> str:
        return table(
            ["base parameter", "model", "estimate", "deviation"],
            [self.base.texts, self.base.values, self.estimate, self.deviations],
        )


@dataclass(frozen=True)
class LogIdentification(Identification):
    """Base parameters found from measured logs.

    correlation: of successive residuals of each speed; far from zero, the model lacks something. possible: parameters of bodies that
    can exist, nearest to the model's where the logs do not decide, with the base parameters possible_base; their squared distance
    from the estimate, by the number of base parameters, is `distance`. fits, validation: measured and predicted efforts of each log.
    """

    speeds: list[str]
    correlation: Floats
    possible: dict[str, float]
    possible_base: Floats
    distance: float
    fits: list[EffortComparison]
    validation: list[EffortComparison]

    def __str__(self) -> str:
        return table(
            ["base parameter", "model", "estimate", "deviation", "possible"],
            [self.base.texts, self.base.values, self.estimate, self.deviations, self.possible_base],
        )


@dataclass(frozen=True)
class Closure:
    """The loops as equations: residual r(q), A with dr/dt = A v, b with A a = b."""

    residual: Floats
    jacobian: Floats
    bias: Floats | None
    gap: float | Floats
    gaps: dict[str, tuple[float | Floats, float | Floats]]


@dataclass(frozen=True)
class Mobility:
    """How a mechanism with loops can move at a posture; `dof` is None where that is not determined."""

    dof: int | None
    local_dof: int
    rank: int
    rows: int
    gruebler: int
    singular: bool
    independent: list[str]
    directions: Floats
    q: Floats
    notes: list[str]


class IndependentMap(NamedTuple):
    """All speeds from independent ones: v = G u, a = G du/dt + gamma; M = G' M(q) G."""

    independent: list[str]
    G: Floats
    gamma: Floats
    mass_matrix: Floats
    quality: PerState


@dataclass(frozen=True)
class LoopEfforts:
    """Efforts of the motors of a mechanism with loops and what the loops carry."""

    tau: Floats
    multipliers: Floats
    reactions: dict[str, Floats]
    dof: int | list[int]
    redundant_actuation: bool | list[bool]
    unique_reactions: bool | list[bool]
    closing: dict[str, Floats] = field(default_factory=dict)


class ClosingJoint(NamedTuple):
    """A joint that closes a loop: its own coordinates, rates and accelerations."""

    q: Floats
    v: Floats
    a: Floats


def _quadratic(planes: Floats, u: Floats) -> Floats:
    """u' A_k u for each plane A_k."""
    return np.asarray(np.einsum("...i,...kij,...j->...k", u, planes, u))


@dataclass(frozen=True)
class InfluenceCoefficients:
    """How a frame follows from inputs with rates u, and the dynamics in them.

    Twist = G u, its rate G du/dt + u' H u, rotation first; efforts = I du/dt + u' P u + gravity + load, load those that hold the
    external wrenches. Along an experiment `motion` has the samples (t, q, v, a).
    """

    inputs: list[str]
    frame: str
    G: Floats
    H: Floats
    I: Floats
    P: Floats
    gravity: Floats
    load: Floats
    motion: Motion | None = None

    def twist(self, u: ArrayLike) -> Floats:
        """(angular velocity, velocity) of the frame at rates u of the inputs."""
        return np.asarray(np.einsum("...ij,...j->...i", self.G, np.asarray(u, float)))

    def acceleration(self, u: ArrayLike, du: ArrayLike) -> Floats:
        """(angular acceleration, acceleration) of the frame."""
        return self.twist(du) + _quadratic(self.H, np.asarray(u, float))

    def efforts(self, u: ArrayLike, du: ArrayLike) -> Floats:
        """Efforts of the inputs that give the accelerations du."""
        inertial = np.einsum("...ij,...j->...i", self.I, np.asarray(du, float))
        return np.asarray(inertial + _quadratic(self.P, np.asarray(u, float)) + self.gravity + self.load)


@dataclass(frozen=True)
class LinearSystem:
    """dx/dt = A x + B u, y = C x + D u near a state, and the poles of A."""

    A: Floats
    B: Floats
    C: Floats
    D: Floats
    acceleration: Floats
    poles: NDArray[np.complex128]


@dataclass(frozen=True)
class Equilibrium:
    """Where a robot rests. held: speeds whose joint rests at a limit."""

    q: Floats
    residual: float | Floats
    stable: bool | list[bool]
    held: list[str] | list[list[str]]


class VerifyPair(NamedTuple):
    """One comparison, the worst over all states; differences are relative."""

    quantity: str
    a: str
    b: str
    max_difference: float
    bound: float
    ok: bool


@dataclass(frozen=True)
class Verification(Shown):
    """Whether every method gives the same answer."""

    ok: bool
    states: int
    pairs: list[VerifyPair]

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        columns = [
            [p.quantity for p in self.pairs],
            [p.a for p in self.pairs],
            [p.b for p in self.pairs],
            [f"{p.max_difference:.1e}" for p in self.pairs],
            [f"{p.bound:.1e}" for p in self.pairs],
            ["ok" if p.ok else "EXCEEDED" for p in self.pairs],
        ]
        text = table(["quantity", "by", "and by", "difference", "bound", ""], columns)
        verdict = "all agree" if self.ok else "they do not agree"
        return f"{text}\n{self.states} states: {verdict}"


@dataclass(frozen=True)
class Generated:
    """Source code of one function of one robot. files: name -> text; snapped: what was rounded to right angles."""

    name: str
    method: str
    files: dict[str, str] = field(repr=False)
    operations: dict[str, int] = field(default_factory=dict)
    parameters: list[float] = field(default_factory=list, repr=False)
    snapped: list[str] = field(default_factory=list, repr=False)

    def write(self, folder: str | Path = ".") -> list[Path]:
        """Writes the files into a folder, which is made if need be."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for name, text in self.files.items():
            path = folder / name
            _core._write_file(os.fsencode(path), text)
            paths.append(path)
        return paths


compare_by_content(globals())
