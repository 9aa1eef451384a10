"""Optuna's distributions as spaces of Thrifty, and the other way round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState

from .. import _thrifty
from ..space import Space

Distributions = dict[str, BaseDistribution]

FINISHED = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)
"""The states of finished trials, in the order that the compiled reader expects."""


def space_of(distributions: Distributions) -> Space:
    """The space of distributions. Choices are known by their index: any object may be one, None and NaN too."""
    space = Space()
    for name, distribution in distributions.items():
        if isinstance(distribution, FloatDistribution):
            space.float(name, distribution.low, distribution.high, log=distribution.log, step=distribution.step)
        elif isinstance(distribution, IntDistribution):
            space.int(name, distribution.low, distribution.high, log=distribution.log, step=distribution.step)
        elif isinstance(distribution, CategoricalDistribution):
            space.categorical(name, range(len(distribution.choices)))
        else:
            raise ValueError(f"{name} has the distribution {type(distribution).__name__}, which is none of Optuna's")
    return space


def distributions_of(space: Space) -> Distributions:
    """The distributions of the parameters of a space, conditions left out."""
    found: Distributions = {}
    for parameter in space.check()._parameters:
        name, kind = parameter["name"], parameter["kind"]
        if kind == "categorical":
            found[name] = CategoricalDistribution(space._choices[name])
        elif kind == "int":
            low, high = parameter["low"], parameter["high"]
            found[name] = IntDistribution(low, high, log=parameter["log"], step=parameter["step"])
        elif kind == "float":
            found[name] = FloatDistribution(parameter["low"], parameter["high"], log=parameter["log"])
        else:
            found[name] = FloatDistribution(parameter["low"], parameter["high"], step=parameter["step"])
    return found


Coder = Callable[[Any], int | float]
"""From the value of a parameter to its number; raises `ValueError` for what is none of its distribution."""


def coder(distribution: BaseDistribution) -> Coder:
    """The coder of a distribution."""
    if isinstance(distribution, CategoricalDistribution):
        return lambda value: int(distribution.to_internal_repr(value))
    if isinstance(distribution, IntDistribution):
        return int
    if isinstance(distribution, FloatDistribution) and distribution.single():
        low = distribution.low
        # A float with equal bounds is a choice of one value in Rust.
        return lambda value: 0 if value == low else float(value)
    return float


def contains(distribution: BaseDistribution, value: Any) -> bool:
    """True of a value that a distribution has. Optuna hands others on, with a warning, where they are enqueued."""
    try:
        return distribution._contains(distribution.to_internal_repr(value))
    except (ValueError, TypeError, OverflowError):
        return False


def value_of(distribution: BaseDistribution, found: int | float) -> Any:
    """The value of a number."""
    if isinstance(distribution, FloatDistribution):
        return distribution.low if distribution.low == distribution.high else float(found)
    return distribution.to_external_repr(found)


def form_of(distribution: BaseDistribution) -> str | float:
    """The form of a distribution's values for the compiled reader; for equal bounds of a float, the bound."""
    if isinstance(distribution, CategoricalDistribution):
        return "choice"
    if isinstance(distribution, IntDistribution):
        return "int"
    return distribution.low if distribution.single() else "float"  # type: ignore[attr-defined]


class CommonSpace:
    """Parameters that all complete trials of a study have with the same distribution.

    The same as Optuna's `IntersectionSearchSpace` without its copies: distributions are those of the trials, and each
    trial is read once.
    """

    def __init__(self) -> None:
        self._space: Distributions | None = None
        self._next = 0
        self._open: list[int] = []

    def calculate(self, trials: list[FrozenTrial]) -> Distributions:
        """The parameters in the order of their names, those of one value too."""
        places = [*self._open, *range(self._next, len(trials))]
        if self._space is None:
            first = next((trials[place] for place in places if trials[place].state == TrialState.COMPLETE), None)
            self._space = None if first is None else dict(sorted(first.distributions.items()))
        space: Distributions = {} if self._space is None else self._space
        self._open = _thrifty.narrow(space, trials, places, FINISHED)
        self._next = max(self._next, len(trials))
        return dict(space)
