"""One method over one search space, and how far it has read a study."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.trial import FrozenTrial, TrialState

from .. import _thrifty
from ..space import Space
from ._space import Distributions, number, space_of, value_of

Numbers = list[int | float | None]
Taken = tuple[Mapping[str, Any], dict[str, Any], list[tuple[int, float]], str | None]
"""Parameters of a trial, its outcome, its reports and its memo."""


class Feed:
    """A method over the trials of one search space.

    `given` is a space with conditions, whose trials may lack parameters. `constraints` are the names of the constraints
    that its trials have: a study that begins to have some needs another feed.
    """

    def __init__(self, method: str, distributions: Distributions, given: Space | None, seed: int,
                 settings: Mapping[str, Any], constraints: tuple[str, ...]) -> None:
        self.distributions = dict(distributions)
        self.is_partial = given is not None
        self.constraints = constraints
        space = space_of(distributions) if given is None else given
        self.engine = _thrifty.Engine(method, space.to_json(), seed, json.dumps(dict(settings)))
        self._next = 0
        self._open: list[int] = []

    def numbers(self, params: Mapping[str, Any], theirs: Mapping[str, BaseDistribution] | None = None) -> Numbers | None:
        """The numbers of parameters; None if they are no configuration of this space."""
        found: Numbers = []
        for name, distribution in self.distributions.items():
            if name not in params:
                if not self.is_partial:
                    return None
                found.append(None)
                continue
            other = None if theirs is None else theirs.get(name)
            if other is not None and other is not distribution and isinstance(distribution, CategoricalDistribution):
                if other != distribution:
                    return None
            code = number(distribution, params[name])
            if code is None:
                return None
            found.append(code)
        return found

    def part(self, params: Mapping[str, Any]) -> Numbers | None:
        """The numbers of the parameters that are given; None if there are none, or one is not of its distribution."""
        found: Numbers = [number(d, params[n]) if n in params else None for n, d in self.distributions.items()]
        given = [name for name in self.distributions if name in params]
        if not given or any(code is None for n, code in zip(self.distributions, found, strict=True) if n in given):
            return None
        return found

    def values(self, numbers: Sequence[int | float | None]) -> dict[str, Any]:
        """The parameters of numbers."""
        pairs = zip(self.distributions.items(), numbers, strict=True)
        return {name: value_of(distribution, found) for (name, distribution), found in pairs if found is not None}

    def follow(self, trials: Sequence[FrozenTrial], current: int, take: Callable[[FrozenTrial], Taken | None]) -> bool:
        """Reads what is new in a study; true if an earlier running trial has come in."""
        came_in = False
        unfinished, self._open = self._open, []
        for index in (*unfinished, *range(self._next, len(trials))):
            trial = trials[index]
            if index == current or not trial.state.is_finished():
                self._open.append(index)
            if index == current or trial.state == TrialState.WAITING:
                continue
            taken = take(trial)
            if taken is None:
                continue
            params, told, reports, memo = taken
            is_running = trial.state == TrialState.RUNNING
            numbers = self.numbers(params, None if is_running else trial.distributions)
            if numbers is None:
                continue
            before = len(self.engine)
            self.engine.record(trial.number, numbers, told, reports, memo)
            came_in |= is_running and trial.number < current and len(self.engine) > before
        self._next = max(self._next, len(trials))
        return came_in
