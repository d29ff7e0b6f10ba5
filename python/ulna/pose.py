"""Poses as 4x4 matrices."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _core
from .results import Floats


def _numbers(values: Any, name: str, shape: tuple[int, ...], meaning: str) -> Floats:
    """An array of this shape; InputError naming the argument."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.asarray(None)
    if array.dtype.kind not in "biuf":
        raise _core.InputError(f"{name}: {str(values)[:60]} found; expected {meaning}")
    if array.shape != shape:
        raise _core.InputError(f"{name}: has shape {array.shape}; expected {shape}, {meaning}")
    if not np.isfinite(array).all():
        raise _core.InputError(f"{name}: holds a number that is not finite; expected {meaning}")
    return array.astype(float)


def _axis_angle(axis: Any, angle: float) -> Floats:
    axis = _numbers(axis, "axis", (3,), "x, y, z")
    norm = np.linalg.norm(axis)
    if not np.isfinite(angle):
        raise _core.InputError(f"angle: {angle} found; expected a finite number, in rad")
    if not norm > 0:
        raise _core.InputError(f"axis: {axis} found; expected three numbers, not all zero")
    x, y, z = axis / norm
    c, s = np.cos(angle), np.sin(angle)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    R: Floats = c * np.eye(3) + s * skew + (1 - c) * np.outer((x, y, z), (x, y, z))
    return R


def _quaternion(q: Sequence[float]) -> Floats:
    values = _numbers(q, "quaternion", (4,), "w, x, y, z")
    norm = np.linalg.norm(values)
    if not norm > 0:
        raise _core.InputError(f"quaternion: {values} found; expected w, x, y, z, not all zero")
    w, x, y, z = values / norm
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _rotation(given: Any) -> Floats:
    R = _numbers(given, "rotation", (3, 3), "an orthogonal matrix with determinant 1")
    off = np.abs(R.T @ R - np.eye(3)).max()
    if not off < 1e-4 or np.linalg.det(R) < 0:  # typed by hand they are rounded
        raise _core.InputError(
            f"rotation: is not a rotation: R'R differs from the identity by {off:.3g}; "
            "expected an orthogonal 3x3 matrix with determinant 1"
        )
    return R


def _orientations(X: Any) -> Floats:
    """Quaternion and roll, pitch, yaw of every pose or rotation, side by side; the shape without its last two axes."""
    array = np.asarray(X, dtype=float)
    if array.ndim not in (2, 3) or array.shape[-2:] not in ((4, 4), (3, 3)):
        raise _core.InputError(f"X: has shape {array.shape}; expected (4, 4) or (3, 3), or (N, 4, 4) or (N, 3, 3)")
    return _core._orientations(array[..., :3, :3].reshape(-1, 9)).reshape(*array.shape[:-2], 7)


def quaternion(X: Any) -> Floats:
    """Quaternion w, x, y, z of a pose (4, 4) or a rotation (3, 3), with w >= 0; of N of them (N, 4)."""
    return _orientations(X)[..., :4]


def rpy(X: Any) -> Floats:
    """Roll, pitch, yaw about the fixed x, y, z of a pose (4, 4) or a rotation (3, 3); of N of them (N, 3).

    These are the angles that `ulna fk` prints: pose(X[:3, 3], rpy=rpy(X)) is X again. At a pitch of 90 degrees only the
    sum or the difference of roll and yaw is determined; yaw is then 0.
    """
    return _orientations(X)[..., 4:]


def pose(
    position: Sequence[float] | Floats = (0.0, 0.0, 0.0),
    *,
    rpy: Sequence[float] | None = None,
    quaternion: Sequence[float] | None = None,
    axis: Sequence[float] | None = None,
    angle: float | None = None,
    rotation: Any = None,
) -> Floats:
    """A 4x4 pose from a position and one way to say the orientation.

    rpy: roll, pitch, yaw about the fixed x, y, z. quaternion: w, x, y, z. axis, angle. rotation: 3x3.
    """
    given = [x is not None for x in (rpy, quaternion, axis, rotation)]
    if sum(given) > 1:
        raise _core.InputError("several orientations found; expected one of rpy, quaternion, axis, rotation")
    if angle is not None and axis is None:
        raise _core.InputError("angle: is given without axis; expected both")
    X = np.eye(4)
    X[:3, 3] = _numbers(position, "position", (3,), "x, y, z")
    if rpy is not None:
        roll, pitch, yaw = _numbers(rpy, "rpy", (3,), "roll, pitch, yaw")
        X[:3, :3] = _axis_angle((0, 0, 1), yaw) @ _axis_angle((0, 1, 0), pitch) @ _axis_angle((1, 0, 0), roll)
    elif quaternion is not None:
        X[:3, :3] = _quaternion(quaternion)
    elif axis is not None:
        X[:3, :3] = _axis_angle(axis, angle or 0.0)
    elif rotation is not None:
        X[:3, :3] = _rotation(rotation)
    return X
