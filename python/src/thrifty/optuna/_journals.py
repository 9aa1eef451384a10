"""Studies of Optuna as journals of this library, and back."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import optuna
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState, create_trial

from .. import _thrifty
from ..space import Space
from ..study import Study, told
from ._space import Distributions, contains, distributions_of
from ._trials import constraints_of, directions_of, ordered


@dataclass(frozen=True)
class Carried:
    """What was carried from a study to another, by the numbers of the trials in the first one."""

    trials: int
    """Trials that were carried."""
    left: dict[int, str] = field(default_factory=dict)
    """Trials that were not, with the reason."""
    changed: dict[int, str] = field(default_factory=dict)
    """Trials that were carried with a change, with the change."""


def to_journal(study: optuna.Study, path: str | os.PathLike[str], method: str = "tpe", *, space: Space | None = None,
               seed: int = 0, **settings: Any) -> Carried:
    """Writes the finished trials of a study of Optuna as a journal, which `thrifty show` and :class:`thrifty.Study` read.

    Parameters
    ----------
    study
        The study of Optuna.
    path
        The journal; it must not exist.
    method, seed, settings
        Of the study that goes on with the journal, as in :class:`thrifty.Study`.
    space
        The search space, with conditions if there are any. Without it the parameters and bounds are those of the last
        complete trial.

    Returns
    -------
    Carried
        Every trial that was left out, and why: it is not finished, a parameter is missing, unknown or inactive in its branch
        of the space, a value is outside of the space (bounds that changed), its constraints are not those of the others, the settings
        count costs, which it does not have.

    Notes
    -----
    The journal is there as a whole or, after an error, not at all. Attributes and times of trials are not carried. A choice that is no text, number or truth value has a label in the
    journal; give the `space` to :func:`from_journal` to get the object back. A float with equal bounds is a choice of one
    value in the journal; with the `space` it is a float again, without which a study in a database refuses further trials.

    Examples
    --------
    >>> import tempfile
    >>> source = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    >>> source.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=5)
    >>> path = tempfile.mkdtemp() + "/study.jsonl"
    >>> to_journal(source, path).trials
    5
    >>> len(Study(journal_space(path), "tpe", journal=path))
    5
    >>> from_journal(path)[0].best_value == source.best_value
    True
    """
    if os.path.exists(path):
        raise FileExistsError(f"{os.fspath(path)} exists")
    trials = study.get_trials(deepcopy=False)
    if space is None:
        space = _space_of(trials)
    names = next((ordered(found) for trial in trials if trial.state == TrialState.COMPLETE
                  and (found := constraints_of(trial))), ())
    directions = directions_of(study)
    folder = os.path.dirname(os.path.abspath(path))
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as unfinished:
        part = os.path.join(unfinished, "study.jsonl")
        carried = _write(trials, names, lambda: Study(space, method, seed=seed, direction=directions, journal=part, **settings))
        os.replace(part, path)
    return carried


def from_journal(path: str | os.PathLike[str], study_name: str | None = None, *, storage: Any = None,
                 space: Space | None = None, sampler: Any = None,
                 constraints: Sequence[str] | None = None) -> tuple[optuna.Study, Carried]:
    """Makes a study of Optuna of a journal.

    Parameters
    ----------
    path
        The journal, by whatever method whose trials are configurations: not that of
        :class:`thrifty.sklearn.FractionalSearchCV`, whose trials are single folds.
    study_name, storage, sampler
        As in `optuna.create_study`.
    space
        The search space of the journal with its choices as objects, where they have labels in the journal, and with floats of
        equal bounds, which are choices of one value there.
    constraints
        Names of the constraints for `Trial.set_constraint`, in the order of the journal: after :func:`to_journal` numbers
        first, then texts in alphabetical order. Without them they have numbers.

    Returns
    -------
    tuple of optuna.Study and Carried
        The study, and every trial that was left out. Trials that run are left out. Costs are in the attribute
        `thrifty:cost` of a trial, reasons of failures in `thrifty:message`.

    Raises
    ------
    ValueError
        For a space that is not that of the journal, and another number of names than there are constraints.
    OSError
        For a journal that cannot be read.
    RuntimeError
        For a damaged journal, and one whose trials are no configurations.
    """
    space_json, directions, records = _thrifty.read_journal(os.fspath(path))
    found = space_of_json(space_json)
    if space is None:
        space = found
    elif [_labelled(p) for p in space._parameters] != [_labelled(p) for p in found._parameters]:
        raise ValueError("the space is not that of the journal")
    distributions = distributions_of(space)
    left, carried = {}, []
    for number, numbers, state, *rest in records:
        if state == "running":
            left[number] = "it is not finished"
        elif state == "pruned" and len(directions) > 1:
            left[number] = "a pruned trial, which Optuna has not with several objectives"
        else:
            carried.append(_trial(space.decode(numbers), distributions, constraints, state, *rest))
    # Last, so that nothing is in the storage after an error.
    target = optuna.create_study(study_name=study_name, storage=storage, sampler=sampler,
                                 directions=[StudyDirection[name.upper()] for name in directions])
    target.add_trials(carried)
    return target, Carried(len(carried), left)


def journal_space(path: str | os.PathLike[str]) -> Space:
    """The search space of a journal."""
    return space_of_json(_thrifty.read_journal(os.fspath(path))[0])


def space_of_json(text: str) -> Space:
    """The space of its JSON form."""
    space = Space()
    space._parameters = json.loads(text)
    space._choices = {p["name"]: tuple(p["choices"]) for p in space._parameters if p["kind"] == "categorical"}
    return space


def _labelled(parameter: Mapping[str, Any]) -> dict[str, Any]:
    """A parameter without what has a default, as a journal has it: a float with equal bounds is a choice of one value there."""
    if parameter["kind"] == "float" and parameter["low"] == parameter["high"]:
        others = {name: value for name, value in parameter.items() if name not in ("low", "high", "log")}
        parameter = {**others, "kind": "categorical", "choices": [parameter["low"]]}
    return {name: value for name, value in parameter.items() if value not in (False, None, []) and
            not (name == "step" and parameter["kind"] == "int" and value == 1)}


def _space_of(trials: Sequence[FrozenTrial]) -> Space:
    """The parameters of the last complete trial, with their choices as objects."""
    last = next((trial for trial in reversed(trials) if trial.state == TrialState.COMPLETE), None)
    if last is None:
        raise ValueError("no trial is complete: give the space")
    space = Space()
    for name, d in sorted(last.distributions.items()):
        choices = getattr(d, "choices", None)
        if choices is not None:
            space.categorical(name, choices)
        elif isinstance(d, optuna.distributions.IntDistribution):
            space.int(name, d.low, d.high, log=d.log, step=d.step)
        else:
            space.float(name, d.low, d.high, log=d.log, step=d.step)  # type: ignore[attr-defined]
    return space.check()


def _outcome(trial: FrozenTrial, names: tuple[str, ...]) -> tuple[dict[str, Any], list[tuple[int, float]], str | None]:
    """Outcome and reports of a trial, and what is changed in them. Raises `ValueError` for one that is left out."""
    reports = [(step, value) for step, value in sorted(trial.intermediate_values.items())
               if step >= 0 and math.isfinite(value)]
    changes = [] if len(reports) == len(trial.intermediate_values) else ["reports without a finite value are left out"]
    constraints: tuple[float, ...] = ()
    value, failed, pruned = None, None, False
    if trial.state == TrialState.COMPLETE:
        found = constraints_of(trial)
        if ordered(found) != names:
            raise ValueError(f"its constraints are {list(ordered(found))}, those of the others {list(names)}")
        constraints = tuple(found[name] for name in names)
        value = list(trial.values)
        if not all(map(math.isfinite, (*value, *constraints))):
            value, constraints, failed = None, (), f"the values are {trial.values}"
            changes.append("values that are not finite: a failure in the journal")
        elif names != tuple(map(str, range(len(names)))):
            changes.append("constraints have numbers in the journal, in the order of their names")
    elif trial.state == TrialState.FAIL:
        failed = str(trial.system_attrs.get("fail_reason", "failed"))
    elif trial.state == TrialState.PRUNED:
        pruned = True
    else:
        raise ValueError("it is not finished")
    last = reports[-1][0] if reports else 0
    return told(value, constraints, None, None, failed, None, pruned, last), reports, "; ".join(changes) or None


def _write(trials: Sequence[FrozenTrial], names: tuple[str, ...], begin: Callable[[], Study]) -> Carried:
    """Writes trials into a study, which is closed at the end."""
    target = begin()
    carried, left, changed = 0, {}, {}
    for trial in trials:
        try:
            outcome, reports, change = _outcome(trial, names)
            numbers = target.space.encode(trial.params)
            _check(target.space, trial, numbers)
            _add(target, numbers, outcome, reports)
        except ValueError as error:
            left[trial.number] = str(error)
            continue
        carried += 1
        if change is not None:
            changed[trial.number] = change
    return Carried(carried, left, changed)


def _check(space: Space, trial: FrozenTrial, numbers: Sequence[int | float | None]) -> None:
    """Raises `ValueError` for a value outside of its distribution, and for parameters that are not exactly the active ones."""
    for name, distribution in distributions_of(space).items():
        if name in trial.params and not contains(distribution, trial.params[name]):
            raise ValueError(f"{name} is {trial.params[name]!r}, outside of {distribution}")
    problem = _thrifty.check_config(space.to_json(), numbers)
    if problem is not None:
        raise ValueError(problem)


def _add(target: Study, numbers: Any, outcome: dict[str, Any], reports: Sequence[tuple[int, float]]) -> None:
    """Adds a trial; one with reports as a trial that is asked, because known trials have none."""
    if not reports:
        target._study.add_known(numbers, outcome)
        return
    target._study.check_measurement(outcome)  # before the trial is in the journal
    target._study.enqueue(numbers)
    asked, why = target._study.ask()
    if asked is None:
        raise ValueError(why or "the method has to be told first")
    for step, value in reports:
        target._study.report(asked[0], step, float(value))
    target._study.tell(asked[0], outcome)


def _trial(params: dict[str, Any], distributions: Distributions, names: Sequence[str] | None, state: str, objectives: list[float],
           constraints: list[float], cost: float | None, reports: Sequence[tuple[int, float]], message: str | None,
           diagnostics: Mapping[str, float]) -> FrozenTrial:
    """A trial of a journal for Optuna."""
    if constraints and names is not None and len(names) != len(constraints):
        raise ValueError(f"constraints has {len(names)} names, but the journal has {len(constraints)} constraints")
    numbered: dict[str, Any] = {"constraints": list(constraints)} if constraints else {}
    named = {f"constraints:{name}": value for name, value in zip(names or (), constraints, strict=False)}
    attributes: dict[str, Any] = {f"thrifty:{name}": value for name, value in (("cost", cost), ("message", message))
                                  if value is not None}
    # Optuna gives a pruned trial the value of its last report, if that is a number.
    last = reports[-1][1] if state == "pruned" and reports else math.nan
    values = objectives if state == "measured" else None if math.isnan(last) else [last]
    return create_trial(
        state={"measured": TrialState.COMPLETE, "pruned": TrialState.PRUNED}.get(state, TrialState.FAIL),
        values=values, params=params,
        distributions={name: distributions[name] for name in params}, user_attrs=attributes,
        system_attrs=named or numbered, intermediate_values=dict(reports))
