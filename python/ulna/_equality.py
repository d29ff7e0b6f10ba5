"""Equality of results by their content: tuples and dataclasses that hold arrays cannot be compared as they are."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, Mapping

import numpy as np


def same(a: Any, b: Any) -> bool:
    """Equal in all they hold; nan equals nan, as what was computed twice is the same."""
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        x, y = np.asarray(a), np.asarray(b)
        return x.shape == y.shape and bool(np.array_equal(x, y, equal_nan=x.dtype.kind in "fc" and y.dtype.kind in "fc"))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)) and type(a) is type(b):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return bool(a == b) or (isinstance(a, float) and a != a and isinstance(b, float) and b != b)


def _parts(value: Any) -> tuple[Any, ...]:
    return tuple(getattr(value, field.name) for field in fields(value)) if is_dataclass(value) else tuple(value)


def _equal(self: Any, other: object) -> Any:
    if not isinstance(other, type(self)) and not (isinstance(self, tuple) and type(other) is tuple):
        return NotImplemented
    return same(_parts(self), _parts(other))


def _unequal(self: Any, other: object) -> Any:
    equal = _equal(self, other)
    return equal if equal is NotImplemented else not equal


def compare_by_content(classes: Mapping[str, object]) -> None:
    """For the named tuples and dataclasses among them that have no equality of their own."""
    for one in classes.values():
        if not isinstance(one, type):
            continue
        plain = one.__dataclass_params__.eq if is_dataclass(one) else issubclass(one, tuple) and hasattr(one, "_fields")  # type: ignore[attr-defined]
        if plain:
            one.__eq__, one.__ne__ = _equal, _unequal  # type: ignore[assignment,method-assign]
