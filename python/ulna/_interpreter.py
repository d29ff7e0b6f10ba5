"""Refuses sub-interpreters (as mod_wsgi and Jep make them) before anything compiled is loaded."""

from __future__ import annotations

import importlib
from typing import Any


def _module() -> Any:
    """CPython's own module about interpreters; None where there is none, and so no second one."""
    for name in ("_interpreters", "_xxsubinterpreters"):  # since 3.13, before
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


def require_main() -> None:
    """ImportError in every interpreter but the first: the compiled part belongs to the process."""
    interpreters = _module()
    if interpreters is not None and str(interpreters.get_current()) != str(interpreters.get_main()):
        raise ImportError("ulna cannot be imported in a sub-interpreter: use the main interpreter, or processes (multiprocessing)")
