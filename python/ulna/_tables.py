"""Tables, as plain text and for notebooks."""

from __future__ import annotations

import html
from numbers import Real
from typing import Any, Sequence


def text_of(value: object) -> str:
    """A number with six digits, anything else as it is."""
    if isinstance(value, Real) and not isinstance(value, (bool, int)):
        return f"{float(value):.6g}"
    return str(value)


def counted(count: int, noun: str) -> str:
    """'1 joint', '2 joints'."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


class Table(str):
    """The text of a table, with the same table for notebooks."""

    html: str = ""


def _html(titles: Sequence[str], cells: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    sides = ["right" if r else "left" for r in right]
    head = "".join(f'<th style="text-align: {side}">{html.escape(title)}</th>' for title, side in zip(titles, sides))
    lines = [
        "".join(f'<td style="text-align: {side}">{html.escape(cell)}</td>' for cell, side in zip(row, sides)) for row in zip(*cells)
    ]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Shown:
    """What prints as a table and is one in a notebook, too."""

    def _repr_html_(self) -> str:
        text = str(self)
        return text.html if isinstance(text, Table) else f"<pre>{html.escape(text)}</pre>"


def table(titles: Sequence[str], columns: Sequence[Any]) -> str:
    """Columns side by side under their titles; numbers to the right, words to the left."""
    cells = [[text_of(value) for value in column] for column in columns]
    widths = [max([len(title)] + [len(cell) for cell in column]) for title, column in zip(titles, cells)]
    right = [all(isinstance(value, Real) for value in column) and len(column) > 0 for column in columns]

    def line(words: Sequence[str]) -> str:
        parts = [w.rjust(n) if r else w.ljust(n) for w, n, r in zip(words, widths, right)]
        return "  ".join(parts).rstrip()

    count = len(cells[0]) if cells else 0
    text = Table("\n".join([line(titles)] + [line([column[k] for column in cells]) for k in range(count)]))
    text.html = _html(titles, cells, right)
    return text
