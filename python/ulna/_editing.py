"""Robots like another one, with something changed."""

from __future__ import annotations

from typing import Any, Mapping

from numpy.typing import ArrayLike

from . import _core

Changes = Mapping[str, Mapping[str, Any]]


def replace(
    self: _core.Robot,
    *,
    name: str | None = None,
    description: str | None = None,
    gravity: ArrayLike | None = None,
    loop_tolerance: float | None = None,
    bodies: Changes | None = None,
    joints: Changes | None = None,
    frames: Changes | None = None,
    payloads: Changes | None = None,
    consistent: bool = False,
) -> _core.Robot:
    """The robot with other values, the rest as it is.

    bodies, joints, frames, payloads: {name: {argument: value}} with the arguments of RobotBuilder.edit_body, edit_joint and so on:
    robot.replace(gravity=(0, 0, 0), bodies={"link2": {"mass": 3.0}}, joints={"joint1": {"damping": 0.1}}). consistent: inertias
    that no body can have are replaced by the nearest possible ones.
    """
    builder = self.builder()
    for field, value in (("name", name), ("description", description), ("gravity", gravity), ("loop_tolerance", loop_tolerance)):
        if value is not None:
            setattr(builder, field, value)
    for kind, changes in (("body", bodies), ("joint", joints), ("frame", frames), ("payload", payloads)):
        if changes is not None and not isinstance(changes, Mapping):
            raise TypeError(f"{kind} changes must be a dict {{name: {{argument: value}}}}, not {type(changes).__name__}")
        for piece, arguments in (changes or {}).items():
            if not isinstance(arguments, Mapping):
                raise TypeError(f"the changes of {kind} '{piece}' must be a dict {{argument: value}}, not {type(arguments).__name__}")
            getattr(builder, f"edit_{kind}")(piece, **arguments)
    robot = builder.build()._with_inputs_of(self)
    return robot.with_parameters({}, consistent=True) if consistent else robot


def linearize_along(self: _core.Experiment, times: ArrayLike | None = None, *, frame: str | int | None = None) -> Any:
    """The robot near the motions of the experiment as linear systems, one per time (default: eleven evenly spaced ones).

    The efforts are those that the motions need. A batch of LinearSystem with `motion`, the samples (t, q, v, a) it belongs to.
    """
    import numpy as np

    from .results import LinearAlong

    at = np.linspace(0, self.duration, 11) if times is None else times
    motion = self.motion(at)
    tau = self.robot.inverse_dynamics(motion.q, motion.v, motion.a)
    system = self.robot.linearize(motion.q, motion.v, tau, frame=frame)
    return LinearAlong(motion, tau, system)


def _recorded(experiment: _core.Experiment, interval: float | None) -> tuple[Any, list[Any]]:
    """The states along the motions of an experiment, and what pushes its bodies there: (Motion, [Wrench])."""
    from .results import Motion, Wrench
    from .run import simulate

    bodies = [body for body in experiment.robot.bodies if body != "world"]
    run = simulate(experiment.inverse().record(["q", "v", "a"] + [f"external.{body}" for body in bodies], interval=interval))
    motion = Motion(run.t, run["q"], run["v"], run["a"])
    wrenches = []
    for body in bodies:
        pushed = run[f"external.{body}"]
        if pushed.any():
            wrenches.append(Wrench(body, force=pushed[:, :3], moment=pushed[:, 3:]))
    return motion, wrenches


def influence_along(
    self: _core.Experiment,
    frame: str | int | None = None,
    *,
    inputs: str | Any | None = None,
    point: ArrayLike | None = None,
    interval: float | None = None,
) -> Any:
    """Influence coefficients G, H and the dynamics I*, P* at the records of the experiment, its wrenches and contacts in `load`.

    The arguments of Robot.influence_coefficients; interval: time between records, by default the experiment's own. A batch of
    InfluenceCoefficients with `motion`, the samples (t, q, v, a) it belongs to.
    """
    import dataclasses

    motion, wrenches = _recorded(self, interval)
    found = self.robot.influence_coefficients(motion.q, frame, inputs=inputs, point=point, wrenches=wrenches)
    return dataclasses.replace(found, motion=motion)


def platform_path(
    self: _core.Experiment, *, actuated: str | Any | None = None, body: str | int | None = None, interval: float | None = None
) -> Any:
    """How well the drives hold the platform along the motions of the experiment: condition, determinant, distance to the nearest
    singular pose.

    actuated, body: as in Robot.platform; interval: time between records, by default the experiment's own.
    """
    from .results import PlatformPath

    platform = self.robot.platform(actuated=actuated, body=body)
    motion, _ = _recorded(self, interval)
    return PlatformPath(motion, *platform._held_along(motion.q))


def install() -> None:
    """Gives the compiled classes these methods."""
    _core.Robot.replace = replace  # type: ignore[assignment]
    _core.Experiment.linearize = linearize_along  # type: ignore[assignment]
    _core.Experiment.influence_coefficients = influence_along  # type: ignore[assignment]
    _core.Experiment.platform_path = platform_path  # type: ignore[assignment]
