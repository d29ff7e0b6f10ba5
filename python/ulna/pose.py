"""Poses as 4x4 matrices."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _core
from .results import Floats


def _axis_angle(axis: Any, angle: float) -> Floats:
    axis = np.asarray(axis, float)
    norm = np.linalg.norm(axis)
    if axis.shape != (3,) or not norm > 0:
        raise _core.InputError(f"axis: {axis} found; expected three numbers, not all zero")
    x, y, z = axis / norm
    c, s = np.cos(angle), np.sin(angle)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    R: Floats = c * np.eye(3) + s * skew + (1 - c) * np.outer((x, y, z), (x, y, z))
    return R


def _quaternion(q: Sequence[float]) -> Floats:
    values = np.asarray(q, float)
    norm = np.linalg.norm(values)
    if values.shape != (4,) or not norm > 0:
        raise _core.InputError(f"quaternion: {values} found; expected w, x, y, z, not all zero")
    w, x, y, z = values / norm
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def pose(
    position: Sequence[float] | Floats = (0.0, 0.0, 0.0),
    *,
    rpy: Sequence[float] | None = None,
    quaternion: Sequence[float] | None = None,
    axis: Sequence[float] | None = None,
    angle: float = 0.0,
    rotation: Any = None,
) -> Floats:
    """A 4x4 pose from a position and one way to say the orientation.

    rpy: roll, pitch, yaw about the fixed x, y, z. quaternion: w, x, y, z. axis, angle. rotation: 3x3.
    """
    given = [x is not None for x in (rpy, quaternion, axis, rotation)]
    if sum(given) > 1:
        raise _core.InputError("several orientations found; expected one of rpy, quaternion, axis, rotation")
    X = np.eye(4)
    X[:3, 3] = position
    if rpy is not None:
        roll, pitch, yaw = rpy
        X[:3, :3] = _axis_angle((0, 0, 1), yaw) @ _axis_angle((0, 1, 0), pitch) @ _axis_angle((1, 0, 0), roll)
    elif quaternion is not None:
        X[:3, :3] = _quaternion(quaternion)
    elif axis is not None:
        X[:3, :3] = _axis_angle(axis, angle)
    elif rotation is not None:
        X[:3, :3] = rotation
    return X
