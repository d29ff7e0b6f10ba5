from typing import Any, Iterable, Mapping, Sequence

from numpy.typing import ArrayLike

from . import Motion, PoseMotion, Trajectory

def constant(value: float) -> Motion: ...
def formula(text: str, constants: Mapping[str, float] = ..., duration: float = ...) -> Motion: ...
def program(
    name: str,
    begin: float,
    end: float,
    time: float,
    start: float = 0.0,
    *,
    breaks: ArrayLike | None = None,
) -> Motion: ...
def spline(times: ArrayLike, values: ArrayLike, kind: str = "cubic", ends: str = "clamped") -> Motion: ...
def table(
    t: ArrayLike,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    interpolation: str | None = None,
) -> Motion: ...
def polynomial(conditions: Sequence[tuple[float, int, float]]) -> Motion: ...
def spin_up(rate: float, time: float, begin: float = 0.0, start: float = 0.0) -> Motion: ...
def fastest(
    begin: float,
    end: float,
    *,
    acceleration: float,
    deceleration: float = 0.0,
    rate: float = ...,
    begin_rate: float = 0.0,
    end_rate: float = 0.0,
) -> Motion: ...
def sequence(parts: Iterable[Any]) -> Motion: ...
def switched(level: float, switches: Sequence[float], duration: float) -> Motion: ...
def line(begin: ArrayLike, end: ArrayLike, time: float, law: str = "poly345") -> PoseMotion: ...
def screw(begin: ArrayLike, end: ArrayLike, time: float, law: str = "poly345") -> PoseMotion: ...
def circle(
    begin: ArrayLike,
    centre: ArrayLike,
    axis: ArrayLike,
    angle: float,
    time: float,
    law: str = "poly345",
    turning: bool = False,
) -> PoseMotion: ...
def polyline(
    points: ArrayLike,
    *,
    speed: float,
    rotation: ArrayLike | None = None,
    blend: float = 0.0,
    ramp: float = 0.0,
) -> PoseMotion: ...
def joints(parts: Iterable[Any]) -> Trajectory: ...
