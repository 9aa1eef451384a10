"""What a trial of Optuna tells a method, and what samplers keep with it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import optuna
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from ._feed import Taken, shared_of
from ._space import Distributions

MEMO = "thrifty:memo"
"""State of the method for later suggestions: warm starts. Any worker can go on from it."""

LARGEST = 1e100
"""Stands for infinite losses of methods that rank: squares and small volumes of it are finite."""


def running() -> dict[str, Any]:
    """The outcome of a trial that runs."""
    return outcome("running")


def outcome(state: str, objectives: Sequence[float] = (), constraints: Sequence[float] = (), last_step: int = 0,
            message: str = "") -> dict[str, Any]:
    """An outcome in the form of the library."""
    return {"state": state, "objectives": list(objectives), "constraints": list(constraints), "cost": None,
            "noise_variance": None, "last_step": last_step, "message": message}


class ConstraintNames:
    """Names of the constraints of the first complete trial that has any, per study. Trials without them are left out."""

    def __init__(self) -> None:
        self._read: dict[tuple[int, int], _Read] = {}

    def names(self, study: tuple[int, int], trials: Sequence[FrozenTrial]) -> tuple[str, ...]:
        """The names; no finished trial is read twice, however long another one runs."""
        read = self._read.setdefault(study, _Read())
        if read.end < len(trials) or read.open:
            unread, read.open = [*read.open, *range(read.end, len(trials))], []
            read.end = max(read.end, len(trials))
            for index in unread:
                trial = trials[index]
                if index > read.first:
                    break
                if not trial.state.is_finished():
                    read.open.append(index)
                elif trial.system_attrs and trial.state == TrialState.COMPLETE and (found := constraints_of(trial)):
                    read.first, read.names = index, ordered(found)
        return read.names


@dataclass
class _Read:
    """What is known of the constraints of a study."""

    first: float = math.inf
    """Place of the first trial with constraints."""
    names: tuple[str, ...] = ()
    end: int = 0
    open: list[int] = field(default_factory=list)
    """Places before the first of trials that were not finished: one of them may have other constraints."""


def constraints_of(trial: FrozenTrial) -> dict[str, float]:
    """Constraints of a trial, feasible where not positive; by number where they have no names."""
    if not trial.system_attrs:
        return {}
    named = getattr(trial, "constraints", None)
    if named is not None:
        return dict(named)
    return {str(at): value for at, value in enumerate(trial.system_attrs.get("constraints") or ())}


def ordered(names: Iterable[str]) -> tuple[str, ...]:
    """Names of constraints in the order of a study: numbers first, as numbers, then texts."""
    return tuple(sorted(names, key=lambda name: (not name.isdecimal(), int(name) if name.isdecimal() else 0, name)))


def directions_of(study: optuna.Study) -> list[str]:
    """Directions of a study's objectives by name."""
    return ["maximize" if direction == StudyDirection.MAXIMIZE else "minimize" for direction in study.directions]


def signs_of(study: optuna.Study) -> list[float]:
    """Factors that make losses of a study's values."""
    return [-1.0 if direction == StudyDirection.MAXIMIZE else 1.0 for direction in study.directions]


def take(study: optuna.Study, trial: FrozenTrial, distributions: Distributions, names: tuple[str, ...], failures: str,
         pruned: str | None, ranks: bool) -> Taken | None:
    """What a trial tells; None for nothing.

    `distributions` are those of the parameters, `names` those of the constraints; `failures` and `pruned` are settings of the sampler.
    `ranks` is true of methods that rank losses: infinite ones are numbers for them. Others take an infinite loss as a
    failure, and leave minus infinity out.
    """
    attributes = trial.system_attrs
    if trial.state == TrialState.RUNNING:
        shared = shared_of(trial, distributions)
        if shared is None:
            return None  # it is complete only when its worker has shared it
        return shared, running(), [], attributes.get(MEMO)
    memo = attributes.get(MEMO)
    if trial.state == TrialState.FAIL:
        state = "failed" if failures == "avoid" else "unrelated"
        return trial.params, outcome(state, message="failed"), [], memo
    found = constraints_of(trial)
    if ordered(found) != names and trial.state == TrialState.COMPLETE:
        if found:
            warnings.warn(f"trials with the constraints {list(ordered(found))} are ignored: those of the study are {list(names)}", stacklevel=2)
        return trial.params, outcome("unrelated", message="constraints are missing"), [], memo
    signs = signs_of(study)
    if trial.state == TrialState.PRUNED:
        # The library knows no constraints of a pruned trial; with its last report for an objective it is measured.
        step, last = _last_report(trial, signs[0], ranks)
        if names and pruned == "last_report" and ordered(found) == names and last is not None:
            return trial.params, outcome("measured", [last], [_clipped(found[name]) for name in names]), [], memo
        reports = [] if last is None else [(step, last)]
        return trial.params, outcome("pruned", last_step=step), reports, memo
    losses = [sign * value for sign, value in zip(signs, trial.values, strict=True)]
    constraints = [_clipped(found[name]) for name in names]
    if ranks:
        losses = [_clipped(loss) for loss in losses]
    elif -math.inf in losses:
        return trial.params, outcome("unrelated", message="a loss of minus infinity"), [], memo
    elif any(not abs(loss) < LARGEST for loss in losses):
        return trial.params, outcome("failed", message="an infinite loss"), [], memo
    return trial.params, outcome("measured", losses, constraints), [], memo


def _last_report(trial: FrozenTrial, sign: float, ranks: bool) -> tuple[int, float | None]:
    """The last step of a pruned trial, 0 without one, and its loss; None where it is no number for the method."""
    if not trial.intermediate_values:
        return 0, None
    step = max(trial.intermediate_values)
    loss = sign * trial.intermediate_values[step]
    if ranks:
        return max(step, 0), _clipped(loss)
    # For a model an infinite loss has no size: the trial stays pruned, and its report is left out.
    return max(step, 0), loss if abs(loss) < LARGEST else None


def _clipped(value: float) -> float:
    return LARGEST if math.isnan(value) else min(max(float(value), -LARGEST), LARGEST)
