"""Studies: many runs over parameters, and searches for the best of them."""

from __future__ import annotations

import json
import operator
import os
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._tables import Shown, table

Floats = NDArray[np.float64]
StudySource = Union[str, "os.PathLike[str]", Mapping[str, Any]]
Parameter = Union[float, str]  #: a number, or a word of a list of words
StudyFunction = Callable[[Dict[str, Any]], Mapping[str, float]]

SHOWN_ROWS = 20  # of a table; pandas has the others


class NotMeasured(_core.InputError, KeyError):
    """A name that is neither a parameter nor a measure of the study."""

    __str__ = Exception.__str__


@dataclass(repr=False)
class Sweep(Shown):
    """The samples of a study: arrays by name, one entry each; those of parameters that are words hold str."""

    sample: NDArray[np.int64]
    parameters: Dict[str, NDArray[Any]]
    measures: Dict[str, Floats]
    status: List[str]  #: "ok", "infeasible" or "failed"
    reasons: Dict[int, str] = field(default_factory=dict)  #: by sample

    def __len__(self) -> int:
        """How many samples there are."""
        return len(self.status)

    def keys(self) -> List[str]:
        """Names of the parameters, then of the measures: dict(sweep) holds them all."""
        return list(dict.fromkeys([*self.parameters, *self.measures]))

    def __iter__(self) -> Iterator[str]:
        """Names of the parameters, then of the measures."""
        return iter(self.keys())

    def __contains__(self, name: object) -> bool:
        return name in self.measures or name in self.parameters

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A measure or a parameter, one number (or word) for each sample."""
        for part in (self.measures, self.parameters):
            if name in part:
                return part[name]
        raise NotMeasured(f"the study has no {name!r}; it has {', '.join(self.keys())}")

    def to_pandas(self) -> Any:
        """A DataFrame with one row for each sample."""
        import pandas

        columns: Dict[str, Any] = {"sample": self.sample, **self.parameters, **self.measures, "status": self.status}
        columns["reason"] = [self.reasons.get(int(k), "") for k in self.sample]
        return pandas.DataFrame(columns).set_index("sample")

    def __repr__(self) -> str:
        counts = {word: self.status.count(word) for word in dict.fromkeys(self.status)}
        how = ", ".join(f"{count} {word}" for word, count in counts.items()) or "none"
        return f"<ulna.Sweep: {len(self)} samples ({how}) of {', '.join(self.keys())}>"

    def __str__(self) -> str:
        columns = [(name, self[name][:SHOWN_ROWS]) for name in self.keys()]
        titles = ["sample"] + [name for name, _ in columns] + ["status"]
        return table(titles, [[int(k) for k in self.sample[:SHOWN_ROWS]]] + [list(c) for _, c in columns] + [self.status[:SHOWN_ROWS]])


@dataclass(repr=False)
class Optimum(Shown):
    """The best parameters that the searches of a study found, and what is measured there.

    searches: where every search ended, by start, or the points of a Pareto front in their order; best: the number of the best of
    them.
    """

    parameters: Dict[str, float]
    measures: Dict[str, float]
    searches: Sweep
    best: int
    front: bool  #: whether the searches are the points of a Pareto front

    def __getitem__(self, name: str) -> float:
        """A measure or a parameter."""
        return float(self.searches[name][self.best])

    def __repr__(self) -> str:
        found = {**self.parameters, **self.measures}
        text = ", ".join(f"{name}={value:.6g}" for name, value in found.items())
        return f"<ulna.Optimum: {text} (search {self.best} of {len(self.searches)})>"

    def __str__(self) -> str:
        if self.front:
            return str(self.searches)
        found = {**self.parameters, **self.measures}
        return table(["name", "value"], [list(found), list(found.values())])


def _plain(value: Any) -> Any:
    """Numbers and arrays of NumPy, and paths, for json.dumps."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"study: a value must be a number, text, list or dict, not {type(value).__name__}")


def _source(study: Any) -> Tuple[str, bool]:
    """The path of a study file, or its text, and whether it is the text."""
    if isinstance(study, Mapping):
        return json.dumps(dict(study), default=_plain), True
    if isinstance(study, (str, os.PathLike)):
        text = os.fspath(study)
        if isinstance(text, str):
            return text, "\n" in text
    raise TypeError(f"study must be a path, the text of a study file or a dict, not {type(study).__name__}")


def _numbered(name: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an int, not {type(value).__name__} ({value!r})")
    number = operator.index(value)
    if abs(number) >= 2**31:
        raise _core.InputError(f"{name}: {number} found; expected a number below {2**31}")
    return number


def _range(samples: Any) -> Tuple[int, int]:
    if samples is None:
        return 0, -1
    if not isinstance(samples, (tuple, list)) or len(samples) != 2:
        raise TypeError(f"samples must be (first, end), not {samples!r}")
    first, end = (_numbered("samples", value) for value in samples)
    if first < 0 or end < first:
        raise _core.InputError(f"samples: found {samples!r}; expected 0 <= first <= end")
    return first, end


def _callable(run: Any) -> None:
    if run is not None and not callable(run):
        raise TypeError(f"run must be a function of a dict, not {type(run).__name__}")


def _by_name(names: List[str], values: Any) -> Dict[str, Floats]:
    return {name: np.ascontiguousarray(values[:, k]) for k, name in enumerate(names)}


def _swept(rows: Any, index: NDArray[np.int64]) -> Sweep:
    names, words, measures, values, numbers, status, reasons = rows
    parameters: Dict[str, NDArray[Any]] = dict(_by_name(names, values))
    for name, list_of_words in words.items():
        parameters[name] = np.array(list_of_words, dtype=object)[parameters[name].astype(int)]
    return Sweep(index, parameters, _by_name(measures, numbers), status, reasons)


def _told(run: StudyFunction) -> Callable[[Dict[str, Any]], Any]:
    """The measures of a function, or the reason why there are none: what goes wrong in a sample never ends a study."""

    def measured(parameters: Dict[str, Any]) -> Any:
        try:
            return {str(key): float(value) for key, value in dict(run(parameters)).items()}
        except Exception as failure:  # noqa: BLE001
            return f"{type(failure).__name__}: {failure}"

    return measured


def sweep(
    study: StudySource,
    *,
    run: Optional[StudyFunction] = None,
    samples: Optional[Tuple[int, int]] = None,
    threads: int = 0,
) -> Sweep:
    """Runs a study on threads and returns its samples.

    study: a study file (docs/study-file.md), its text, or a dict with the same keys. run: a function from the parameters of a
    sample, a dict, to its measures, a dict, instead of what the study says under `run`; the study then needs no robot, run and
    measures, its constraints may name what the function gives, and an exception is the reason of a failed sample. samples:
    (first, end) of those wanted. threads: 0 stands for ulna.threads(); a function is called by one.
    """
    source, is_text = _source(study)
    _callable(run)
    first, end = _range(samples)
    threads = _numbered("threads", threads)
    if run is None:
        rows = _core._study_rows(source, is_text, first, end, threads)
    else:
        rows = _core._function_rows(source, is_text, first, end, _told(run))
    return _swept(rows, np.arange(first, first + len(rows[5])))


def optimize(
    study: StudySource,
    *,
    least: Optional[str] = None,
    largest: Optional[str] = None,
    and_least: Optional[str] = None,
    algorithm: Optional[str] = None,
    starts: Optional[int] = None,
    evaluations: Optional[int] = None,
    tolerance: Optional[float] = None,
    run: Optional[StudyFunction] = None,
    threads: int = 0,
) -> Optimum:
    """The parameters of a study that make a measure least or largest, as `ulna optimize` finds them.

    study: a study file (docs/study-file.md), its text, or a dict with the same keys. Its parameters stay between the ends of their
    uniform distributions, and its constraints hold. What it says under `optimize` may be replaced: least or largest, the name of a
    measure; and_least, a second measure, for a Pareto front; algorithm; starts, of a multi-start or points of the front;
    evaluations of each search; tolerance of the parameters, relative to their range. run: a function from parameters, a dict, to
    measures, a dict, instead of what the study says under `run`, as in ulna.sweep; it is called by one thread. ComputationError if no search finds
    parameters that meet all constraints.
    """
    source, is_text = _source(study)
    _callable(run)
    if least is not None and largest is not None:
        raise TypeError("optimize() takes least or largest, not both")
    goal: Dict[str, Any] = {}
    for key, value in (("measure", least), ("measure", largest), ("second", and_least), ("algorithm", algorithm)):
        if value is not None and not isinstance(value, str):
            raise TypeError(f"the name of a measure or algorithm must be a str, not {type(value).__name__} ({value!r})")
        if value is not None:
            goal[key] = value
    if least is not None or largest is not None:
        goal["largest"] = largest is not None
    for key, number in (("starts", starts), ("evaluations", evaluations)):
        if number is not None:
            goal[key] = _numbered(key, number)
    if tolerance is not None:
        if isinstance(tolerance, bool) or not isinstance(tolerance, Real):
            raise TypeError(f"tolerance must be a number, not {type(tolerance).__name__} ({tolerance!r})")
        goal["tolerance"] = float(tolerance)
    rows, best, front = _core._study_searches(source, is_text, goal, _numbered("threads", threads), None if run is None else _told(run))
    found = _swept(rows, np.arange(len(rows[5])))
    names, measures, reasons = list(found.parameters), list(found.measures), found.reasons
    if best < 0:
        why = f" ({next(iter(reasons.values()))})" if reasons else ""
        raise _core.ComputationError(f"no search found parameters that meet all constraints{why}")
    return Optimum(
        {name: float(found.parameters[name][best]) for name in names},
        {name: float(found.measures[name][best]) for name in measures},
        found,
        best,
        front,
    )
