"""How robots show themselves: print(robot), and the 3D view in notebooks."""

from __future__ import annotations

import html

from . import _core
from ._notebook import frame_html
from ._tables import counted, table


def robot_text(robot: _core.Robot) -> str:
    """A table of the joints with their limits."""
    lines = [robot.name]
    if robot.description:
        lines.append(f"  {robot.description}")
    tree = " of the open tree" if robot.loops else ""
    lines.append(f"  {counted(robot.nv, 'degree')} of freedom{tree}, {counted(robot.nq, 'coordinate')}, mass {robot.mass:.6g} kg, tip {robot.tip}")
    if robot.loops:
        lines.append(f"  loops closed by {', '.join(robot.loops)}")
    bending = [f"{link.body} ({counted(len(link.modes), 'mode')})" for link in robot.flexible_links]
    if bending:
        lines.append(f"  flexible links {', '.join(bending)}")
    lower, upper, units = robot.lower, robot.upper, robot.coordinate_units
    rows: list[list[object]] = [[], [], [], [], [], [], []]
    for joint in robot.joints:
        count = joint.q.stop - joint.q.start
        low, high, unit = "", "", ""
        if joint.mimics:
            unit = f"follows {joint.mimics}"
        elif count == 1:
            k = joint.q.start
            low, high, unit = f"{lower[k]:.6g}", f"{upper[k]:.6g}", units[k]
        for column, cell in zip(rows, (joint.name, joint.type, joint.parent, joint.child, low, high, unit)):
            column.append(cell)
    if robot.joints:
        lines += ["", table(["joint", "type", "parent", "child", "lower", "upper", ""], rows)]
    return "\n".join(lines)


def robot_repr(robot: _core.Robot) -> str:
    return f"<ulna.Robot '{robot.name}', {counted(robot.nv, 'degree')} of freedom>"


def robot_html(self: _core.Robot) -> str:
    """The 3D view, or the table where the page was not compiled in."""
    if not _core.has_report_page():
        return f"<pre>{html.escape(robot_text(self))}</pre>"
    return frame_html(self.view_html())


def install() -> None:
    """Gives the compiled class its Python part."""
    robot = _core.Robot
    robot.__str__ = robot_text  # type: ignore[assignment]
    robot.__repr__ = robot_repr  # type: ignore[assignment]
    robot._repr_html_ = robot_html  # type: ignore[assignment]
