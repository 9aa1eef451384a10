"""Identity of a search with a journal: a journal is not continued with another estimator or with other data."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from joblib import hash as digest

SUFFIX = ".search.json"
"""Ending of the file beside a journal."""


def check_identity(journal: str, is_begun: bool, parts: Mapping[str, Any]) -> None:
    """Compares the parts of a search with those in the file beside its journal, which is written for a new journal.

    Raises
    ------
    RuntimeError
        For parts that differ from those with which the journal was begun. The message names them.
    """
    path = journal + SUFFIX
    found = {name: _digest(part) for name, part in parts.items()}
    if is_begun and os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            known = json.load(file)
        differing = [name for name, one in found.items() if known.get(name) != one]
        if differing:
            raise RuntimeError(f"journal {journal} is of another search, different in {', '.join(differing)}: remove it or name "
                               "another one")
        return
    if is_begun:
        warnings.warn(f"{path} is missing: journal {journal} is taken for one of the same estimator and data", stacklevel=4)
    unfinished = f"{path}.part"
    with open(unfinished, "w", encoding="utf-8") as file:
        json.dump(found, file)
    os.replace(unfinished, path)


def _digest(part: Any) -> str:
    try:
        return str(digest(_described(part)))
    except Exception:  # an object without a pickle, whatever its error is
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
        return np.ascontiguousarray(value)  # the order in memory is no part of the data
    return _name(value) if hasattr(value, "__qualname__") else value


def _name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"
