"""Motions: functions of time for coordinates and for frames.

One coordinate: constant, formula, program, spline, table, polynomial, spin_up, fastest, sequence,
switched. A frame: line, screw, circle, polyline. All joints: joints.
"""

from ._core.motions import (
    circle,
    constant,
    fastest,
    formula,
    joints,
    line,
    polyline,
    polynomial,
    program,
    screw,
    sequence,
    spin_up,
    spline,
    switched,
    table,
)

__all__ = [
    "circle",
    "constant",
    "fastest",
    "formula",
    "joints",
    "line",
    "polyline",
    "polynomial",
    "program",
    "screw",
    "sequence",
    "spin_up",
    "spline",
    "switched",
    "table",
]
