"""Natural frequencies over a parameter, and over two coordinates."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence

import numpy as np

from . import _core
from .results import ModesAlong, ModesMap


def _posture(robot: _core.Robot, q: Any) -> Any:
    if q is None:
        return robot.assemble() if robot.loops else robot.neutral()
    return robot.complete(q)[0] if isinstance(q, Mapping) else np.asarray(q, float)


def _follow(robot: _core.Robot, start: Any, names: Sequence[str], values: Sequence[float]) -> Any:
    """The posture near `start` with these coordinates; loops are closed again."""
    q = np.array(start, float)
    for name, value in zip(names, values):
        q[robot.coordinates.index(name)] = value
    return robot.assemble(q, held=list(names)) if robot.loops else q


def modes_sweep(self: _core.Robot, parameter: str, values: Iterable[Any], *, q: Any = None, **options: Any) -> ModesAlong:
    """Natural frequencies over a parameter, each mode followed by its shape where frequencies cross.

    parameter: a coordinate, or a place of the robot file as in with_parameters ('payloads.tool.mass', 'beams.arm.section.outer',
    'bodies.arm.beam.material'). values: numbers, or texts ('steel', '50 mm'). options: those of modes_along.
    """
    listed = list(values)
    if not listed:
        raise _core.InputError("values: is empty; expected one or more")
    start = _posture(self, q)
    if parameter in self.coordinates:
        postures = []
        for value in listed:
            start = _follow(self, start, [parameter], [value])
            postures.append(start)
        return self.modes_along(np.array(postures), **options)
    return _core._modes_of_variants([self.with_parameters({parameter: value}) for value in listed], start, **options)


def modes_map(
    self: _core.Robot, ranges: Mapping[str, Sequence[float]], *, q: Any = None, frame: str | int | None = None, **options: Any
) -> ModesMap:
    """Natural frequencies over a grid of two coordinates, {name: values, name: values}; nan where loops cannot be closed.

    options: those of modes. `places` has the position of a frame (default: the tip) at each point.
    """
    if not isinstance(ranges, Mapping) or len(ranges) != 2:
        raise _core.InputError("ranges: expected two coordinates, {name: values, name: values}")
    names = list(ranges)
    for name in names:
        if name not in self.coordinates:
            raise _core.InputError(f"ranges: '{name}' is not a coordinate of robot '{self.name}'; expected two of {', '.join(self.coordinates)}")
    x, y = (_values(name, ranges[name]) for name in names)
    found = _reached(self, _posture(self, q), names, x, y)
    if not found:
        raise _core.ComputationError("the loops cannot be closed at the point of the map nearest to q; give a q inside it")
    at = np.array(list(found.values()))
    options = {"refine": 1, **options}  # of many postures the mesh is not asked about
    frequencies = self.modes(at, **options).frequencies
    places = self.fk(at, frame=frame)[:, :3, 3]
    grid = np.full((len(x), len(y), frequencies.shape[1]), np.nan)
    where = np.full((len(x), len(y), 3), np.nan)
    for (i, j), row, place in zip(found, frequencies, places):
        grid[i, j], where[i, j] = row, place
    return ModesMap(names, x, y, grid, where)


def _values(name: str, values: Any) -> Any:
    try:
        found = np.asarray(values, float).ravel()
    except (TypeError, ValueError):
        raise _core.InputError(f"ranges: the values of '{name}' are not numbers; expected a list of numbers") from None
    if not found.size or not np.all(np.isfinite(found)):
        raise _core.InputError(f"ranges: '{name}' needs one or more values, all of them finite")
    return found


def _reached(robot: _core.Robot, q: Any, names: list[str], x: Any, y: Any) -> dict[tuple[int, int], Any]:
    """Postures over the grid, spreading from the point nearest to q, each from a neighbour's: the branch stays the same."""
    at = [robot.coordinates.index(name) for name in names]
    first = int(np.argmin(abs(x - q[at[0]]))), int(np.argmin(abs(y - q[at[1]])))
    found: dict[tuple[int, int], Any] = {}
    queue = [(first, q)]
    for (i, j), start in queue:
        if (i, j) in found:
            continue
        try:
            found[i, j] = _follow(robot, start, names, (x[i], y[j]))
        except _core.ComputationError:
            continue
        for k, m in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            if 0 <= k < len(x) and 0 <= m < len(y) and (k, m) not in found:
                queue.append(((k, m), found[i, j]))
    return found


def install() -> None:
    """Gives the compiled class these methods."""
    _core.Robot.modes_sweep = modes_sweep  # type: ignore[assignment]
    _core.Robot.modes_map = modes_map  # type: ignore[assignment]
