"""One method over one search space, and how far it has read a study."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.trial import FrozenTrial, TrialState

from .. import _thrifty
from .._checks import settings_json
from ..space import Space
from ._space import FINISHED, Coder, Distributions, coder, contains, form_of, space_of, value_of

RELATIVE = "thrifty:relative"
"""The parameters that were sampled together, for workers that ask while the trial runs."""

NOTHING: Mapping[str, int | float | None] = {}

Numbers = list[int | float | None]
Taken = tuple[Mapping[str, Any], dict[str, Any], list[tuple[int, float]], str | None]
"""Parameters of a trial, its outcome, its reports and its memo."""


class View(NamedTuple):
    """What a feed has read of a study when a trial was suggested."""

    unfinished: tuple[int, ...]
    """Places of the trials that were not finished."""
    end: int
    """Number of trials."""
    running: dict[int, Numbers]
    """Running trials that the suggestion took into account, by number."""


class Feed:
    """A method over the trials of one search space.

    `given` is a space with conditions, whose trials may lack parameters. `constraints` are the names of the constraints
    that its trials have: a study that begins to have some needs another feed. `directions` are those of the objectives.
    """

    def __init__(self, method: str, distributions: Distributions, given: Space | None, seed: int,
                 settings: Mapping[str, Any], constraints: tuple[str, ...], directions: Sequence[str] = ()) -> None:
        self.distributions = dict(distributions)
        self.is_partial = given is not None
        self._coders: list[tuple[str, Coder]] = [(name, coder(d)) for name, d in self.distributions.items()]
        self._choices = {name: d for name, d in self.distributions.items() if isinstance(d, CategoricalDistribution)}
        self._conditions = {} if given is None else conditions_of(given)
        self._parameters = {} if given is None else {parameter["name"]: parameter for parameter in given._parameters}
        self.constraints = constraints
        space = space_of(distributions) if given is None else given
        self.engine = _thrifty.Engine(method, space.to_json(), seed, settings_json(settings), directions)
        self._columns: _thrifty.Columns | None = None
        self._next = 0
        self._open: list[int] = []
        self._running: dict[int, Numbers] = {}

    def numbers(self, params: Mapping[str, Any], theirs: Mapping[str, BaseDistribution] | None = None) -> Numbers | None:
        """The numbers of parameters; None if they are no configuration of this space."""
        for name, distribution in self._choices.items() if theirs is not None else ():
            other = theirs.get(name, distribution) if theirs is not None else distribution
            # The quick comparison first; that of distributions knows that NaN is NaN.
            if other is not distribution and getattr(other, "choices", ()) != distribution.choices and other != distribution:
                return None
        found: Numbers = []
        try:
            for name, code in self._coders:
                if name in params:
                    found.append(code(params[name]))
                elif self.is_partial:
                    found.append(None)
                else:
                    return None
        except (ValueError, TypeError, OverflowError):
            return None
        return found

    def ask(self, number: int, fixed: Mapping[str, Any]) -> tuple[Numbers, str] | None:
        """Numbers and memo of a suggestion in which fixed parameters have their values; None where a space is exhausted."""
        part = self.part(fixed)
        asked = self.engine.ask(number, part)
        if asked is not None and fixed and self._conditions:
            # Of fixed parameters whose branch is suggested the value counts as well, once the branch is known.
            known = self.part(fixed, dict(zip(self.distributions, asked[0], strict=True)))
            asked = asked if known == part else self.engine.ask(number, known)
        return asked

    def part(self, params: Mapping[str, Any], suggested: Mapping[str, int | float | None] = NOTHING) -> Numbers | None:
        """The numbers of the parameters that are given; None if there are none.

        One that is not of its distribution is left out, as is one whose conditions do not hold. They hold by parameters that are given too, or else by those of
        `suggested`, which then count as given.
        """
        if not params:
            return None
        coded = {name: code(params[name]) for name, code in self._coders
                 if name in params and contains(self.distributions[name], params[name])}
        found: dict[str, int | float | None] = {}
        for name, number in coded.items():
            conditions = self._conditions.get(name, {})
            parents = {parent: found.get(parent, suggested.get(parent)) for parent in conditions}
            if all(level_of(self._parameters[parent], parents[parent]) in allowed for parent, allowed in conditions.items()):
                found.update({**parents, name: number})
        return [found.get(name) for name in self.distributions] if found else None

    def values(self, numbers: Sequence[int | float | None]) -> dict[str, Any]:
        """The parameters of numbers."""
        pairs = zip(self.distributions.items(), numbers, strict=True)
        return {name: value_of(distribution, found) for (name, distribution), found in pairs if found is not None}

    def read_quickly(self, ranks: bool, avoids_failures: bool, signs: Sequence[float]) -> None:
        """Lets the compiled reader take the usual trials, as `take` of :meth:`follow` would."""
        if self._columns is None and not self.constraints:
            forms = [(name, form_of(distribution), distribution) for name, distribution in self.distributions.items()]
            self._columns = _thrifty.Columns(forms, self.is_partial, ranks, avoids_failures, signs, FINISHED)

    def follow(self, trials: list[FrozenTrial], current: int, take: Callable[[FrozenTrial], Taken | None]) -> None:
        """Reads what is new in a study."""
        unfinished, self._open = self._open, []
        for index in unfinished:
            if self._read(trials, index, index + 1, current) > index:
                self._running.pop(trials[index].number, None)
            else:
                self._take(trials[index], index, current, take)
        at, end = self._next, len(trials)
        while at < end:
            at = self._read(trials, at, end, current)
            if at < end:
                self._take(trials[at], at, current, take)
                at += 1
        self._next = max(self._next, end)

    def view(self) -> View:
        """What is read now."""
        return View(tuple(self._open), self._next, dict(self._running))

    def look(self, trials: list[FrozenTrial], current: int, view: View, params: Mapping[str, Any]) -> tuple[set[int], bool]:
        """Numbers of running trials that have come in or have changed since `view`; and true if one has these parameters.

        For the second a trial that has ended since counts as well. Reads nothing into the method, so that threads that share a
        feed do not take each other's news away.
        """
        mine, changed, is_taken = self.numbers(params), set(), False
        for index in (*view.unfinished, *range(view.end, len(trials))):
            trial = trials[index]
            if index == current or trial.state == TrialState.WAITING:
                continue
            is_running = trial.state == TrialState.RUNNING
            shared = shared_of(trial, self.distributions) if is_running else trial.params
            numbers = None if shared is None else self.numbers(shared, None if is_running else trial.distributions)
            if numbers is None or numbers == view.running.get(trial.number):
                continue
            is_taken |= numbers == mine
            if is_running:
                changed.add(trial.number)
        return changed, is_taken

    def _read(self, trials: list[FrozenTrial], at: int, end: int, current: int) -> int:
        """The place before which the compiled reader has read all."""
        return at if self._columns is None else self.engine.read(trials, at, end, current, self._columns)

    def _take(self, trial: FrozenTrial, index: int, current: int, take: Callable[[FrozenTrial], Taken | None]) -> None:
        """Reads one trial."""
        if index == current or not trial.state.is_finished():
            self._open.append(index)
        if index == current or trial.state == TrialState.WAITING:
            return
        taken = take(trial)
        if taken is None:
            return
        params, told, reports, memo = taken
        is_running = trial.state == TrialState.RUNNING
        numbers = self.numbers(params, None if is_running else trial.distributions)
        if numbers is None:
            # While it ran it may have been recorded, with parameters that it has never asked for.
            self.engine.forget(trial.number)
            self._running.pop(trial.number, None)
            return
        self.engine.record(trial.number, numbers, told, reports, memo)
        if not is_running:
            self._running.pop(trial.number, None)
        else:
            self._running[trial.number] = numbers


def conditions_of(space: Space) -> dict[str, dict[str, set[int]]]:
    """Per conditional parameter the parameters that it depends on, directly or not, with the levels that make it active."""
    found: dict[str, dict[str, set[int]]] = {}
    for parameter in space._parameters:
        own = found.setdefault(parameter["name"], {})
        for condition in parameter.get("conditions", ()):
            parent = condition["parent"]
            above = {**found[parent], parent: _levels_of(space, parent, condition["values"])}
            own.update({name: own[name] & allowed if name in own else allowed for name, allowed in above.items()})
    return {name: conditions for name, conditions in found.items() if conditions}


def level_of(parameter: Mapping[str, Any], number: int | float | None) -> int | None:
    """The level of a parameter that others depend on: the step of a grid, whatever roundings a number of it has."""
    if number is None or not math.isfinite(number):
        return None
    if parameter["kind"] == "step_float":
        level: int = round((number - parameter["low"]) / parameter["step"])
        return level
    return 0 if parameter["kind"] == "float" else int(number)  # a float with a level has equal bounds


def _levels_of(space: Space, name: str, values: Sequence[Any]) -> set[int]:
    """The levels of values, as a condition has them: a choice by its name in the space."""
    parameter = next(parameter for parameter in space._parameters if parameter["name"] == name)
    choices = parameter.get("choices")
    if choices is None:
        return {level for value in values if (level := level_of(parameter, value)) is not None}
    return {at for at, choice in enumerate(choices) if any(type(value) is type(choice) and value == choice for value in values)}


def shared_json(params: Mapping[str, Any], distributions: Distributions) -> str:
    """Parameters for other workers: pairs of names and numbers, as JSON has not every choice."""
    return json.dumps([(name, coder(distributions[name])(value)) for name, value in params.items()])


def shared_of(trial: FrozenTrial, distributions: Distributions) -> dict[str, Any] | None:
    """The parameters of a running trial that were sampled together, as soon as its worker has shared them."""
    text = trial.system_attrs.get(RELATIVE)
    if text is None:
        return None
    found = json.loads(text)
    if isinstance(found, dict):
        return found  # values, as earlier versions wrote them
    try:
        return {name: value_of(distributions[name], number) for name, number in found if name in distributions}
    except IndexError:
        return None  # a choice of another distribution
