"""Identity of a search with a journal: a journal is not continued with another estimator or with other data."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from joblib import hash as digest
from scipy.sparse import issparse

SUFFIX = ".search.json"
"""Ending of the file beside a journal."""

NAMES_METRICS = "names metrics"
"""Entry of the file that is no hash: true if the function of scores names metrics, false if it returns a number."""


def check_identity(journal: str, is_begun: bool, parts: Mapping[str, Any]) -> None:
    """Compares the parts of a search with those in the file beside its journal, which is written for a new journal.

    Raises
    ------
    RuntimeError
        For parts that differ from those with which the journal was begun. The message names them.
    """
    path = journal + SUFFIX
    found: dict[str, Any] = {name: _digest(part) for name, part in parts.items()}
    if is_begun and os.path.exists(path):
        known = _read(path)
        # Files of earlier versions lack some parts, which are added.
        differing = [name for name, one in found.items() if known.get(name, one) != one]
        if differing:
            raise RuntimeError(f"journal {journal} is of another search, different in {', '.join(differing)}: remove it or name "
                               "another one")
        if known.keys() >= found.keys():
            return
        found = {**known, **found}
    elif is_begun:
        warnings.warn(f"{path} is missing: journal {journal} is taken for one of the same estimator and data", stacklevel=4)
    _write(path, found)


def naming(journal: str, found: bool | None) -> bool | None:
    """True if the function of scores names metrics, by `found` and by the file beside the journal, which keeps it; None if neither has it.

    Names that were found once stay: a function that raises has a number in their place.
    """
    known = _read(journal + SUFFIX)
    before: bool | None = known.get(NAMES_METRICS)
    merged = found if before is None else before or bool(found)
    if merged != before:
        _write(journal + SUFFIX, {**known, NAMES_METRICS: merged})
    return merged


def recorded_seed(journal: str) -> int | None:
    """The seed in the header of a journal; None where there is no such file or it has no header."""
    try:
        with open(journal, "rb") as file:
            header = json.loads(file.readline())
    except (FileNotFoundError, ValueError):  # a damaged journal is refused where it is opened
        return None
    seed = header.get("seed") if isinstance(header, dict) else None
    return seed if isinstance(seed, int) else None


def _read(path: str) -> dict[str, Any]:
    """The entries of a file; none without a file."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        known: dict[str, Any] = json.load(file)
    return known


def _write(path: str, parts: Mapping[str, Any]) -> None:
    unfinished = f"{path}.part"
    with open(unfinished, "w", encoding="utf-8") as file:
        json.dump(parts, file)
    os.replace(unfinished, path)


def _digest(part: Any) -> str:
    try:
        return str(digest(_described(part)))
    except Exception:  # a key without a pickle, or a part that contains itself
        return _name(type(part))


def _described(value: Any) -> Any:
    """A value without what changes from process to process: an estimator is its class and parameters, a function its name."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        return [_name(type(value)), _described(value.get_params(deep=False))]
    if isinstance(value, Mapping):
        return {name: _described(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_described(one) for one in value]
    if isinstance(value, np.ndarray):
        return _leaf(np.ascontiguousarray(value))  # the order in memory is no part of the data
    if issparse(value):
        return _sparse(value)
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(value, pandas.DataFrame | pandas.Series | pandas.Index):
        return _table(value)
    return _name(value) if hasattr(value, "__qualname__") else _leaf(value)


def _leaf(value: Any) -> Any:
    """A value that has no parts; only its type if it has no pickle."""
    if isinstance(value, str | bytes | int | float | complex | None) or (isinstance(value, np.ndarray) and not value.dtype.hasobject):
        return value
    try:
        digest(value)
    except Exception:  # whatever the error of its pickle is
        return _name(type(value))
    return value


def _sparse(value: Any) -> Any:
    """A sparse matrix without what it caches and without the order of its entries."""
    rows = value.tocsr(copy=True)
    rows.sum_duplicates()
    return [value.format, value.shape, rows.data, rows.indices.astype(np.int64), rows.indptr.astype(np.int64)]


def _table(value: Any) -> Any:
    """A frame, series or index of pandas, as arrays: how columns lie in memory is no part of the data."""
    if hasattr(value, "columns"):
        columns = [_column(value.iloc[:, at].array) for at in range(value.shape[1])]
        return ["frame", _described(value.columns), _described(value.index), columns]
    if hasattr(value, "index"):
        return ["series", _described(value.name), _described(value.index), _column(value.array)]
    return ["index", _described(list(value.names)), _column(value)]


def _column(values: Any) -> Any:
    if hasattr(values, "categories"):
        return [_described(values.categories), bool(values.ordered), np.asarray(values.codes)]
    return [str(values.dtype), _described(np.asarray(values))]


def _name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"
