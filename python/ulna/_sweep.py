"""Studies: many runs over parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _core

Floats = NDArray[np.float64]


@dataclass
class Sweep:
    """The samples of a study: arrays by name, one entry each."""

    sample: Any
    parameters: Dict[str, Floats]
    measures: Dict[str, Floats]
    status: List[str]  #: "ok", "infeasible" or "failed"
    reasons: Dict[int, str] = field(default_factory=dict)  #: by sample

    def __len__(self) -> int:
        return len(self.status)

    def __getitem__(self, name: str) -> Floats:
        return self.measures[name] if name in self.measures else self.parameters[name]

    def to_pandas(self) -> Any:
        """A DataFrame with one row for each sample."""
        import pandas

        columns: Dict[str, Any] = {"sample": self.sample, **self.parameters, **self.measures, "status": self.status}
        columns["reason"] = [self.reasons.get(int(k), "") for k in self.sample]
        return pandas.DataFrame(columns).set_index("sample")


def sweep(
    study: str,
    *,
    run: Optional[Callable[[Dict[str, float]], Mapping[str, float]]] = None,
    samples: Optional[Tuple[int, int]] = None,
    threads: int = 0,
) -> Sweep:
    """Runs a study file (docs/study-file.md) on threads and returns its samples.

    run: a function from the parameters of a sample, a dict, to its measures, a dict, instead of what the file says
    under `run`; an exception is the reason of a failed sample. samples: (first, end) of those wanted.
    """
    first, end = samples if samples is not None else (0, -1)
    names, measures, _, values, numbers, status, reasons = _core._study_rows(
        str(study), first, end, threads, run is None
    )
    parameters = {name: np.ascontiguousarray(values[:, k]) for k, name in enumerate(names)}
    index = np.arange(first, first + len(status))
    if run is None:
        found = {name: np.ascontiguousarray(numbers[:, k]) for k, name in enumerate(measures)}
        return Sweep(index, parameters, found, status, reasons)
    rows: List[Mapping[str, float]] = []
    reasons = {}
    for k, sample in enumerate(index):
        try:
            rows.append(run({name: float(parameters[name][k]) for name in names}))
            status[k] = "ok"
        except Exception as failure:  # noqa: BLE001  a failed sample never ends the study
            rows.append({})
            status[k] = "failed"
            reasons[int(sample)] = f"{type(failure).__name__}: {failure}"
    keys = list(dict.fromkeys(key for row in rows for key in row))
    found = {key: np.array([row.get(key, np.nan) for row in rows], dtype=float) for key in keys}
    return Sweep(index, parameters, found, status, reasons)
