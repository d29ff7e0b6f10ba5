"""What functions of Kane's method and of the 4x4 method return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def _stacked(array: Floats, rows: int) -> Floats:
    """(..., k rows, m) as (..., k, rows, m)."""
    return array.reshape(array.shape[:-2] + (array.shape[-2] // rows, rows, array.shape[-1]))


@dataclass(frozen=True)
class KaneQuantities:
    """Kane's equations at a state, K + K* = 0 and F du/dt + Z = K, in generalized speeds u = Y v + y.

    K_applied is the share of K that the efforts do not have: gravity, springs, friction, wrenches.
    Partial velocities, (bodies, 3, speeds): omega = angular u + angular_rest, in the axes of the body.
    """

    names: list[str]
    bodies: list[str]
    u: Floats
    u_dot: Floats
    Y: Floats
    y: Floats
    B: Floats
    F: Floats
    Z: Floats
    K_star: Floats
    K: Floats
    K_applied: Floats
    tau: Floats
    angular: Floats
    linear: Floats
    centre: Floats
    angular_rest: Floats
    linear_rest: Floats
    centre_rest: Floats

    def __post_init__(self) -> None:
        for name in ("angular", "linear", "centre"):
            object.__setattr__(self, name, _stacked(getattr(self, name), 3))


@dataclass(frozen=True)
class ClosingMatrices:
    """4x4 matrices of the joints that close loops: of the frame on the child in that on the parent."""

    joints: list[str]
    relative_position: Floats
    absolute_position: Floats
    relative_velocity_local: Floats
    relative_velocity_base: Floats
    relative_acceleration_local: Floats
    relative_acceleration_base: Floats
    joint_action: Floats
    screws: list[Floats]


@dataclass(frozen=True)
class LinkMatrices:
    """The twelve 4x4 matrices of every link, each (links, 4, 4) in the order of `bodies`.

    local: in the frame of the parent (inertia: in the link's own); base: in the world's. screws: of
    each joint, (degrees, 4, 4). The joint applies minus joint_action to its link.
    """

    bodies: list[str]
    parents: list[str]
    joints: list[str]
    relative_position: Floats
    absolute_position: Floats
    relative_velocity_local: Floats
    relative_velocity_base: Floats
    absolute_velocity: Floats
    relative_acceleration_local: Floats
    relative_acceleration_base: Floats
    absolute_acceleration: Floats
    inertia_local: Floats
    inertia_base: Floats
    link_action: Floats
    joint_action: Floats
    screws: list[Floats]
    closing: ClosingMatrices
    tau: Floats

    @classmethod
    def of(
        cls,
        bodies: list[str],
        parents: list[str],
        joints: list[str],
        degrees: Sequence[int],
        arrays: Mapping[str, Floats],
        closing: list[str],
        closing_degrees: Sequence[int],
        closing_arrays: Mapping[str, Floats],
        tau: Floats,
    ) -> LinkMatrices:
        """From arrays of matrices one below the other, as the compiled part makes them."""

        def split(stacks: Mapping[str, Floats], counts: Sequence[int]) -> dict[str, object]:
            parts: dict[str, object] = {key: _stacked(x, 4) for key, x in stacks.items()}
            screws = _stacked(stacks["screws"], 4)
            parts["screws"] = np.split(screws, np.cumsum(counts)[:-1], axis=-3) if counts else []
            return parts

        closed = ClosingMatrices(closing, **split(closing_arrays, closing_degrees))  # type: ignore[arg-type]
        return cls(  # type: ignore[call-arg]
            bodies, parents, joints, closing=closed, tau=tau, **split(arrays, degrees)  # type: ignore[arg-type]
        )


@dataclass(frozen=True)
class LagrangeCoefficients:
    """tau_i = D_i + sum_j D_ij a_j + sum_jk D_ijk v_j v_k, of the bodies alone, D_ijk = D_ikj."""

    speeds: list[str]
    D_i: Floats
    D_ij: Floats
    D_ijk: Floats

    def efforts(self, v: ArrayLike, a: ArrayLike) -> Floats:
        """For the speeds and accelerations of `speeds`."""
        rates = np.asarray(v, float)
        squares = np.einsum("...ijk,...j,...k->...i", self.D_ijk, rates, rates)
        return np.asarray(self.D_i + np.einsum("...ij,...j->...i", self.D_ij, np.asarray(a, float)) + squares)
