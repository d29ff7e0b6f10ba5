"""Plain text tables."""

from __future__ import annotations

from numbers import Real
from typing import Any, Sequence


def text_of(value: object) -> str:
    """A number with six digits, anything else as it is."""
    if isinstance(value, Real) and not isinstance(value, (bool, int)):
        return f"{float(value):.6g}"
    return str(value)


def table(titles: Sequence[str], columns: Sequence[Any]) -> str:
    """Columns side by side under their titles; numbers to the right, words to the left."""
    cells = [[text_of(value) for value in column] for column in columns]
    widths = [max([len(title)] + [len(cell) for cell in column]) for title, column in zip(titles, cells)]
    right = [all(isinstance(value, Real) for value in column) and len(column) > 0 for column in columns]

    def line(words: Sequence[str]) -> str:
        parts = [w.rjust(n) if r else w.ljust(n) for w, n, r in zip(words, widths, right)]
        return "  ".join(parts).rstrip()

    rows = [line([column[k] for column in cells]) for k in range(len(cells[0]) if cells else 0)]
    return "\n".join([line(titles)] + rows)
