"""Checks of arguments whose messages name the argument, its value and what is expected."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from numbers import Integral
from typing import Any


LARGEST = 2**64 - 1
"""Largest whole number that the compiled part takes."""


def whole(name: str, value: Any, least: int) -> int:
    """The value as a Python integer, if it is a whole number from `least` to :data:`LARGEST`."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} is {value!r}, expected a whole number from {least}")
    if int(value) > LARGEST:
        raise ValueError(f"{name} is {value!r}, expected at most {LARGEST}")
    return int(value)


def real(name: str, value: Any) -> float:
    """The value as a float, if it is a number or the text of one."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} is {value!r}, expected a number") from None


def finite(name: str, value: Any, least: float = -math.inf) -> float:
    """The value as a finite float, if it is one from `least` on."""
    number = real(name, value)
    if not (math.isfinite(number) and number >= least):
        raise ValueError(f"{name} is {value!r}, expected a finite number{f' from {least:g}' if math.isfinite(least) else ''}")
    return number


def settings_json(settings: Mapping[str, Any]) -> str:
    """Settings as JSON; scalars and arrays of numpy are numbers and lists.

    Raises `ValueError` for a number that is not finite, `TypeError` for what JSON does not have.
    """
    parts = []
    for name, value in settings.items():
        try:
            text = json.dumps(value, default=plain, allow_nan=False)
        except ValueError:
            raise ValueError(f"{name} is {value!r}, expected finite numbers") from None
        except TypeError:
            raise TypeError(f"{name} is {value!r}, expected numbers, texts, truth values, and lists and dicts of them") from None
        parts.append(f"{json.dumps(name)}: {text}")
    return f"{{{', '.join(parts)}}}"


def plain(value: Any) -> Any:
    """The number or list of a scalar or array of numpy."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} is no number, text, list or dict")
