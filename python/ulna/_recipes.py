"""How motions, trajectories, experiments and builders were made: what copies, pickles and reprs are made from.

Such an object remembers the call that made it and, if it can be changed, the calls that changed it. A pickle holds these calls;
unpickling makes them again. Functions of Python that an experiment calls must then be importable, as pickle wants them.
"""

from __future__ import annotations

import copy
import copyreg
import functools
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable, NamedTuple

import numpy as np

from . import _core

_deepest = 100  # calls inside of calls; a longer chain is not remembered


class Recipe(NamedTuple):
    """A call of the compiled module. `part`: which of several results was meant."""

    function: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    depth: int
    part: int | None = None


def _own(value: Any) -> Any:
    """The value as it is now: arrays and lists may be changed later."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(map(_own, value))
    if type(value) is dict:
        return {key: _own(item) for key, item in value.items()}
    return value


Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def _tell(items: Iterator[Any], told: list[Any]) -> Iterator[Any]:
    for item in items:
        told.append(item)
        yield item


def _heard(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Arguments, Arguments]:
    """The arguments to call with, and those to remember: of an iterator (a generator of names) what it yields."""

    def both(value: Any) -> tuple[Any, Any]:
        if not isinstance(value, Iterator):
            return value, value
        told: list[Any] = []
        return _tell(value, told), told

    by_place = [both(value) for value in args]
    by_name = {key: both(value) for key, value in kwargs.items()}
    given = tuple(one[0] for one in by_place), {key: one[0] for key, one in by_name.items()}
    kept = tuple(one[1] for one in by_place), {key: one[1] for key, one in by_name.items()}
    return given, kept


def _depth(value: Any) -> int:
    if isinstance(value, (list, tuple)):
        return max(map(_depth, value), default=0)
    if isinstance(value, dict):
        return max(map(_depth, value.values()), default=0)
    if isinstance(value, (_core.Motion, _core.Trajectory, _core.PoseMotion)):
        recipe = _recipe_of(value)
        return recipe.depth if recipe else _deepest
    return 0


def _recipe_of(thing: Any) -> Recipe | None:
    found = thing.__dict__.get("_recipe")
    return found if isinstance(found, Recipe) else None


def _remember(result: Any, function: str, args: tuple[Any, ...], kwargs: dict[str, Any], part: int | None = None) -> None:
    depth = 1 + max(_depth(args), _depth(kwargs))
    if depth <= _deepest and "_recipe" not in result.__dict__:
        result.__dict__["_recipe"] = Recipe(function, _own(args), _own(kwargs), depth, part)


def _made_by(function: str, call: Callable[..., Any], part: int | None = None, owner: type = object) -> Callable[..., Any]:
    """The same function, whose result remembers the call. `owner`: the class whose operator it is."""

    @functools.wraps(call)
    def made(*args: Any, **kwargs: Any) -> Any:
        if owner is not object and not (args and isinstance(args[0], owner)):
            raise TypeError(f"{call.__name__}() must be called on an ulna.{owner.__name__}")
        if call.__name__ in _signs and len(args) != 2:
            raise TypeError(f"{call.__name__}() takes one argument ({len(args) - 1} given)")
        given, kept = _heard(args, kwargs)
        result = call(*given[0], **given[1])
        if result is not NotImplemented:
            _remember(result if part is None else result[part], function, *kept, part)
        return result

    if call.__name__ in _signs:  # two overloads, of which no signature is known
        made.__signature__ = _two_operands  # type: ignore[attr-defined]
        made.__doc__ = f"Sums and multiples of motions are motions: {_signs[call.__name__]}."
    return made


# Calls that replace what an earlier call of the same kind has set, and calls for which it matters what was set before them.
_replacing = {"move", "effort", "efforts", "lock", "free", "input", "start", "record", "integrator", "method", "impacts", "feel_limits"}
_editing = {"edit_body", "edit_joint", "edit_frame", "edit_payload"}
_about_one = {"move", "effort", "lock", "free", "input", *_editing}
_looking_back = {"control", "add", "timing", "elastic"}


def _what(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a call sets: two calls of the same method that set the same make the first one void."""
    given = tuple(value is not None for value in args), sorted((key, value is not None) for key, value in kwargs.items())
    if name == "efforts":
        table = args[1] if len(args) > 1 else kwargs.get("efforts")
        return list(table) if isinstance(table, dict) else None
    if name in _about_one:
        piece = args[0] if args else kwargs.get("name", kwargs.get("joint"))
        if isinstance(piece, (list, tuple)):
            piece = tuple(map(str, piece))
        elif not isinstance(piece, str):
            piece = object()  # like no other
        return (piece, given) if name in _editing else piece
    return None if name.startswith("=") else given


def _let_go_of_replaced(changes: list[tuple[str, tuple[Any, ...], dict[str, Any]]], name: str, args: Any, kwargs: Any) -> None:
    """An object that is changed for every one of a million runs remembers the last change of each kind."""
    if name not in _replacing and name not in _editing and not name.startswith("="):
        return
    what = _what(name, args, kwargs)
    for k in reversed(range(len(changes))):
        old = changes[k]
        if old[0] in _looking_back or (name not in _replacing and old[0] not in _editing and not old[0].startswith("=")):
            return
        if old[0] != name:
            continue
        if _what(*old) == what:
            del changes[k]
            return
        if name not in _about_one:
            return  # another part of the same setting, which the new call leaves alone


def _add_change(self: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    changes = self.__dict__.setdefault("_changes", [])
    _let_go_of_replaced(changes, name, args, kwargs)
    changes.append((name, args, kwargs))


def _changing(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """The same method, which the object remembers."""

    @functools.wraps(call)
    def change(self: Any, *args: Any, **kwargs: Any) -> Any:
        given, kept = _heard(args, kwargs)
        result = call(self, *given[0], **given[1])
        _add_change(self, name, _own(kept[0]), _own(kept[1]))
        return result

    return change


def make_again(function: str, args: tuple[Any, ...], kwargs: dict[str, Any], part: int | None = None) -> Any:
    """For pickle: the call of a recipe once more."""
    found = functools.reduce(getattr, function.split("."), _core)
    result = found(*args, **kwargs)  # type: ignore[operator]
    return result if part is None else result[part]


def make_of_class(cls: type, function: str, args: tuple[Any, ...], kwargs: dict[str, Any], part: int | None = None) -> Any:
    """For pickle: the same as an object of a subclass. As elsewhere in pickle, its own __init__ is not called."""
    base = _compiled_class(cls)
    if cls is base or function != base.__name__:
        return make_again(function, args, kwargs, part)
    kind: Any = cls  # mypy takes the __new__ of a type for that of `type`
    made = kind.__new__(kind)
    base.__init__(made, *args, **kwargs)
    return made


def compile_again(robot: _core.Robot, made_of: tuple[str, Any, str, bool]) -> _core.CompiledFunction:
    """For pickle: a compiled function, as a rule from the cache."""
    function, frame, compiler, cache = made_of
    return robot.compile(function, frame=frame, compiler=compiler, cache=cache)


def _reduce(self: Any) -> tuple[Any, ...]:
    recipe = _recipe_of(self)
    if recipe is None:
        raise TypeError(f"this {type(self).__name__} cannot be pickled: it was made by too many steps, or is part of another")
    call = (recipe.function, recipe.args, recipe.kwargs, recipe.part)
    if isinstance(self, _unchanging):
        return make_again, call
    changes = self.__dict__.get("_changes", [])
    return make_of_class, (type(self), *call), (list(changes), getattr(self, "duration", None), _attributes(self))


def _set_state(self: Any, state: tuple[Any, ...]) -> None:
    changes, duration, *own = state
    base = _compiled_class(type(self))  # what was recorded are its calls, not those of a subclass
    for name, args, kwargs in changes:
        if name.startswith("="):
            setattr(self, name[1:], args[0])
        else:
            getattr(base, name)(self, *args, **kwargs)
    if duration is not None:
        self.duration = duration
    for attributes in own:
        self.__dict__.update(attributes)


_unchanging = (_core.Motion, _core.Trajectory, _core.PoseMotion)


def _compiled_class(cls: type) -> Any:
    return _core.Experiment if issubclass(cls, _core.Experiment) else _core.RobotBuilder


def _attributes(self: Any) -> dict[str, Any]:
    """Those that a subclass has given to its object."""
    return {key: value for key, value in self.__dict__.items() if key not in ("_recipe", "_changes")}


def _copied(cls: type, plain: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def duplicate(self: Any) -> Any:
        """A copy that can be changed by itself."""
        if type(self) is not cls:
            make, call, state = _reduce(self)
            other = make(*call)
            _set_state(other, state)
            return other
        other = plain(self)
        for key in ("_recipe", "_changes"):
            if key in self.__dict__:
                other.__dict__[key] = copy.copy(self.__dict__[key])
        return other

    return duplicate


def _deep(self: Any, memo: dict[int, Any]) -> Any:
    """A copy that can be changed by itself; motions and robots never change and are shared."""
    other = memo[id(self)] = copy.copy(self)
    other.__dict__.update(copy.deepcopy(_attributes(self), memo))
    return other


def _same(self: Any, memo: dict[int, Any] | None = None) -> Any:
    """Itself: it never changes."""
    return self


def _reduce_by_state(self: Any) -> tuple[Any, ...]:
    """For every protocol of pickle; those below 2 would make an object of the base class."""
    return copyreg.__newobj__, (type(self),), self.__getstate__()  # type: ignore[attr-defined]


_two_operands = inspect.Signature([inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in ("self", "other")])
_signs = {"__add__": "+", "__radd__": "+", "__sub__": "-", "__rsub__": "-", "__mul__": "*", "__rmul__": "*"}


def _text(thing: Any) -> str:
    recipe = _recipe_of(thing) if isinstance(thing, _unchanging) else None
    if recipe is None:
        return f"an ulna.{type(thing).__name__}" if isinstance(thing, _unchanging) else repr(thing)
    name = recipe.function.rpartition(".")[2]
    if name in _signs:
        left, right = recipe.args if not name.startswith("__r") else reversed(recipe.args)
        return f"({_text(left)} {_signs[name]} {_text(right)})"
    if name == "__neg__":
        return f"-{_text(recipe.args[0])}"
    method = recipe.function[0].isupper()
    words = [_text(arg) for arg in recipe.args[1 if method else 0 :]]
    words += [f"{key}={_text(value)}" for key, value in recipe.kwargs.items()]
    head = f"{_text(recipe.args[0])}.{name}" if method else name
    return f"{head}({', '.join(words)})"


def _motion_repr(self: _core.Motion) -> str:
    text = _text(self)
    return f"<ulna.Motion {text if len(text) <= 200 else text[:197] + '...'}>"


def _trajectory_repr(self: _core.Trajectory) -> str:
    return f"<ulna.Trajectory of {len(self)} coordinates, {self.duration:g} s>"


def _pose_motion_repr(self: _core.PoseMotion) -> str:
    recipe = _recipe_of(self)
    kind = f" '{recipe.function.rpartition('.')[2]}'" if recipe else ""
    return f"<ulna.PoseMotion{kind}, {self.duration:g} s>"


def _guarded_setattr(cls: type) -> Callable[[Any, str, Any], None]:
    def set_attribute(self: Any, name: str, value: Any) -> None:
        if type(self) is cls and not hasattr(cls, name):  # a typing mistake must not pass in silence
            raise AttributeError(f"'{cls.__name__}' object has no attribute '{name}'")
        object.__setattr__(self, name, value)
        if isinstance(self, _core.RobotBuilder) and isinstance(getattr(cls, name, None), property):
            _add_change(self, "=" + name, (_own(value),), {})

    return set_attribute


def _install_motions() -> None:
    for name, call in list(vars(_core.motions).items()):
        if callable(call) and not name.startswith("_"):
            setattr(_core.motions, name, _made_by(f"motions.{name}", call))
    for cls, names in (
        (_core.Motion, ["delayed", "faster", "__neg__", *_signs]),
        (_core.Trajectory, ["coordinate", "faster"]),
        (_core.Robot, ["follow", "builder"]),
    ):
        for name in names:
            setattr(cls, name, _made_by(f"{cls.__name__}.{name}", getattr(cls, name), owner=cls))
    timed = _made_by("Robot.minimum_time", _core.Robot.minimum_time, part=0)
    _core.Robot.minimum_time = timed  # type: ignore[assignment]


def _remembering_init(cls: type) -> None:
    plain = cls.__init__  # type: ignore[misc]

    @functools.wraps(plain)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        plain(self, *args, **kwargs)
        _remember(self, cls.__name__, args, kwargs)

    cls.__init__ = init  # type: ignore[misc]


def _install_changing(cls: Any, others: set[str]) -> None:
    _remembering_init(cls)
    for name, member in list(vars(cls).items()):
        if not name.startswith("_") and name not in others and callable(member):
            setattr(cls, name, _changing(name, getattr(cls, name)))
    cls.__setstate__ = _set_state
    cls.__copy__ = _copied(cls, cls.__copy__)
    cls.__deepcopy__ = _deep


def install() -> None:
    """Gives the compiled classes their memory, copies, pickles and reprs."""
    _install_motions()
    experiment, builder = _core.Experiment, _core.RobotBuilder
    _install_changing(experiment, {"read", "loads", "inverse", "check", "motion", "linearize", "influence_coefficients", "platform_path"})
    _install_changing(builder, {"build"})
    read, loads, inverse = experiment.read, experiment.loads, experiment.inverse

    @functools.wraps(read)
    def read_again(path: Any) -> _core.Experiment:
        result = read(path)
        _remember(result, "Experiment.read", (str(Path(path).resolve()),), {})
        return result

    experiment.read = staticmethod(read_again)  # type: ignore[assignment,method-assign]
    experiment.loads = staticmethod(_made_by("Experiment.loads", loads))  # type: ignore[assignment,method-assign]
    experiment.inverse = _made_by("Experiment.inverse", inverse)  # type: ignore[assignment]
    reprs: dict[Any, Any] = {_core.Motion: _motion_repr, _core.Trajectory: _trajectory_repr, _core.PoseMotion: _pose_motion_repr}
    for cls, text in reprs.items():
        cls.__repr__ = text
        cls.__copy__ = cls.__deepcopy__ = _same
    for cls in (_core.Robot, _core.Platform):
        cls.__reduce__ = _reduce_by_state  # type: ignore[method-assign,assignment]
    for cls in (*reprs, experiment, builder):
        cls.__reduce__ = _reduce
        cls.__setattr__ = _guarded_setattr(cls)
