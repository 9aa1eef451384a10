"""Parameter distributions of scikit-learn's searches as spaces."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

from ..space import Space


def space_of(distributions: Any) -> Space:
    """The space of a :class:`thrifty.Space` or of a mapping from names to values.

    A value is a list of choices; a tuple ``(low, high)`` of numbers, or ``(low, high, "log")``; or a frozen distribution of
    scipy: `uniform`, `loguniform` or `randint`. Two whole numbers are a range of whole numbers: ``(0, 1)`` has the values 0 and 1,
    ``(0.0, 1.0)`` all between them.

    Raises
    ------
    ValueError
        For a distribution without bounds, or without choices.
    """
    if isinstance(distributions, Space):
        return distributions.check()
    if not isinstance(distributions, Mapping):
        raise ValueError(f"param_distributions is a {type(distributions).__name__}, expected a mapping or a Space")
    space = Space()
    for name, values in distributions.items():
        if hasattr(values, "dist") and hasattr(values, "support"):
            _add_distribution(space, name, values)
        elif _is_range(values):
            is_log = len(values) == 3
            if all(isinstance(v, Integral) for v in values[:2]):
                _warn_of_two(name, int(values[0]), int(values[1]))
                space.int(name, values[0], values[1], log=is_log)
            else:
                space.float(name, values[0], values[1], log=is_log)
        elif isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            raise ValueError(f"{name} is {values!r}, expected a list of choices, a range (low, high) or a distribution")
        else:
            space.categorical(name, values)
    return space.check()


def _warn_of_two(name: str, low: int, high: int) -> None:
    """Warns of a range of whole numbers that has two values: bounds such as (0, 1) are most often meant as those of a float."""
    if high - low == 1:
        # The frame of the caller of `space_of`.
        warnings.warn(f"{name} is ({low}, {high}): of whole numbers these two alone. Write [{low}, {high}] for the two, "
                      f"({low}.0, {high}.0) for all numbers between them", stacklevel=3)


def _add_distribution(space: Space, name: str, values: Any) -> None:
    kind = values.dist.name
    low, high = (float(bound) for bound in values.support())
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"{name} has the distribution {kind} from {low} to {high}, expected one with finite bounds")
    if kind == "randint":
        space.int(name, int(low), int(high))
    elif kind in ("reciprocal", "loguniform"):
        space.float(name, low, high, log=True)
    elif kind == "uniform":
        space.float(name, low, high)
    else:
        raise ValueError(f"{name} has the distribution {kind}, expected uniform, loguniform, randint, a range or a list")


def _is_range(values: Any) -> bool:
    if not isinstance(values, tuple) or len(values) not in (2, 3):
        return False
    bounds = all(isinstance(v, Real) and not isinstance(v, bool) for v in values[:2])
    return bounds and (len(values) == 2 or values[2] == "log")
