"""The results of a search: a row per configuration, a column per fold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..space import Space


class Table:
    """Scores and times of single folds, as `cv_results_` has them."""

    def __init__(self, space: Space, folds: int) -> None:
        self.folds = folds
        self._space = space
        self._rows: dict[tuple[Any, ...], dict[str, Any]] = {}

    def params(self, values: Any) -> dict[str, Any]:
        """The parameters of numbers."""
        return self._space.decode(values)

    def row_of(self, values: Any) -> int:
        """The row of a configuration."""
        return list(self._rows).index(tuple(values))

    def first_params(self) -> dict[str, Any]:
        """The parameters of the first row; none without rows."""
        return next((row["params"] for row in self._rows.values()), {})

    def record(self, trial: int, values: Any, fold: int, out: Mapping[str, Any], metric: str) -> float:
        """Records one fit, and returns the score that is searched for."""
        scores = out["test_scores"]
        named = dict(scores) if isinstance(scores, Mapping) else {metric: scores}
        row = self._rows.setdefault(tuple(values), {"trials": [], "params": self.params(values), "scores": {},
                                                    "failed": {}, "fit_time": [], "score_time": []})
        row["trials"].append(trial)
        if not isinstance(scores, Mapping) and out["fit_error"] is not None:
            # The names of the other metrics of a function are known when a fit succeeds.
            row["failed"][fold] = float(scores)
        for name, score in named.items():
            row["scores"].setdefault(name, {})[fold] = float(score)
        row["fit_time"].append(out["fit_time"])
        row["score_time"].append(out["score_time"])
        if metric not in named:
            raise ValueError(f"scoring has no {metric!r} to search for, it has {', '.join(named)}: name one of them in refit")
        return float(named[metric])

    def rename(self, metric: str, name: str) -> None:
        """Gives a metric another name."""
        for row in self._rows.values():
            row["scores"] = {name if known == metric else known: folds for known, folds in row["scores"].items()}

    def results(self, best: Any, believed: Mapping[int, tuple[float, float]], metric: str,
                names: Iterable[str]) -> tuple[dict[str, Any], int]:
        """The columns, and the row of the best configuration. `names` are metrics that have columns in any case."""
        rows = list(self._rows.values())
        found: dict[str, Any] = {}
        for name in ("fit_time", "score_time"):
            times = [[time for time in row[name] if not np.isnan(time)] for row in rows]
            # Fits of a journal have no times.
            found[f"mean_{name}"] = np.array([np.mean(known) if known else np.nan for known in times])
            found[f"std_{name}"] = np.array([np.std(known) if known else np.nan for known in times])
        for name in self._space.names:
            found[f"param_{name}"] = _column([row["params"] for row in rows], name)
        found["params"] = [row["params"] for row in rows]
        # The model knows a configuration by its first measured trial, which need not be its first one.
        model = np.array([next((believed[trial] for trial in row["trials"] if trial in believed), (np.nan, np.nan)) for row in rows],
                         dtype=float).reshape(-1, 2)
        best_index = self.row_of(best)
        for name in dict.fromkeys([*names, *(name for row in rows for name in row["scores"])]):
            scores = np.ma.MaskedArray(np.full((len(rows), self.folds), np.nan), mask=True)
            for at, row in enumerate(rows):
                for fold, score in {**row["failed"], **row["scores"].get(name, {})}.items():
                    scores[at, fold] = score
            for fold in range(self.folds):
                found[f"split{fold}_test_{name}"] = scores[:, fold]
            mean, std = np.ma.mean(scores, axis=1), np.ma.std(scores, axis=1)
            found[f"mean_test_{name}"], found[f"std_test_{name}"] = mean.filled(np.nan), std.filled(np.nan)
            counts = (~np.ma.getmaskarray(scores)).sum(axis=1)
            if name == metric:
                best_index = _measured(best_index, mean.filled(np.nan), model[:, 0])
            first = best_index if name == metric else None
            found[f"rank_test_{name}"] = _ranks(mean.filled(np.nan), counts == self.folds, model[:, 0], first)
            if name == metric:
                found["n_folds"] = counts
        found["model_mean_score"], found["model_std_score"] = model[:, 0], model[:, 1]
        return found, best_index


def _measured(best: int, mean: Any, model: Any) -> int:
    """The best row, or the best by the model among those with a mean where it has none because a fold has failed."""
    value = np.where(np.isnan(mean) | np.isnan(model), -np.inf, model)
    return best if not np.isnan(mean[best]) or np.all(np.isinf(value)) else int(np.argmax(value))


def _column(params: list[dict[str, Any]], name: str) -> Any:
    """Values of a parameter, masked where it is inactive; numbers as numbers, as in scikit-learn."""
    values = [one.get(name) for one in params]
    mask = [name not in one for one in params]
    kinds = {type(value) for value, masked in zip(values, mask, strict=True) if not masked}
    plain = next(iter(kinds)) if len(kinds) == 1 and kinds <= {int, float, bool} else object
    if plain is int and any(not -(2**63) <= value < 2**63 for value in values if value is not None):
        plain = object
    column = np.ma.MaskedArray(np.empty(len(params), dtype=plain), mask=True)
    for at, value in enumerate(values):
        if not mask[at]:
            column[at] = value
    return column


def _ranks(mean: Any, is_complete: Any, model: Any, first: int | None) -> Any:
    """Ranks from 1: the best, complete rows by their mean, the others by the model, rows without a score last."""
    # A row with a failed fold has no mean, whatever the model expects of it.
    is_scored = ~np.isnan(mean)
    value = np.where(is_complete, mean, model)
    value = np.where(is_scored & ~np.isnan(value), value, -np.inf)
    keys = [(at == first, bool(complete), float(v))
            for at, (complete, v) in enumerate(zip(is_complete & is_scored, value, strict=True))]
    return np.array([1 + sum(other > key for other in keys) for key in keys], dtype=np.int32)
