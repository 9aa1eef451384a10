"""Checks of arguments whose messages name the argument, its value and what is expected."""

from __future__ import annotations

from numbers import Integral
from typing import Any


def whole(name: str, value: Any, least: int) -> int:
    """The value as a Python integer, if it is a whole number from `least` on."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} is {value!r}, expected a whole number from {least}")
    return int(value)
