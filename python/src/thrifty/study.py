"""Studies: any method by its name, asked and told by hand or by :meth:`Study.optimize`."""

from __future__ import annotations

import inspect
import json
import math
import os
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from . import _thrifty
from ._checks import real, settings_json, whole
from .space import Space


MUST_WAIT = "tell a running trial first"
"""Error of an ask that needs the outcome of a running trial."""


@dataclass(frozen=True)
class Trial:
    """A trial to be evaluated. A copy, or one that was sent to another process, can be told but does not report."""

    id: int
    params: dict[str, Any]
    diagnostics: dict[str, float]
    _study: Study | None = field(repr=False, compare=False)

    def report(self, step: int, value: float) -> bool:
        """Records an intermediate value; true if the pruner of the study would stop the trial."""
        if self._study is None:
            raise RuntimeError("a trial in another process, or a copy, does not report: call Study.report where the study is")
        return self._study.report(self, step, value)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_study": None}


@dataclass(frozen=True)
class TrialRecord:
    """What a study knows of a trial. `state` is `running`, `measured`, `failed` or `pruned`."""

    id: int
    params: dict[str, Any]
    state: str
    objectives: list[float]
    constraints: list[float]
    cost: float | None
    reports: list[tuple[int, float]]
    message: str | None
    diagnostics: dict[str, float]


@dataclass(frozen=True)
class Best:
    """A recommended configuration.

    `observed` is false where the values are posterior means. Of one objective `interval` is the central 95 % credible interval of such a
    value, without noise of evaluations, from methods that have one.
    """

    params: dict[str, Any]
    values: list[float]
    observed: bool
    trial: int | None
    interval: tuple[float, float] | None = None

    @property
    def value(self) -> float:
        """The first objective."""
        return self.values[0]


class Pruned(Exception):
    """Raised by an objective of :meth:`Study.optimize` when its trial was pruned; with `cost`, if that is known."""

    cost: float | None = None
    """Also of a subclass whose `__init__` does not call this one's."""

    def __init__(self, *args: object, cost: float | None = None) -> None:
        super().__init__(*args)
        self.cost = cost


class _Closed:
    """What a closed study has in the place of its compiled part."""

    def __getattr__(self, name: str) -> Any:
        raise ValueError("the study is closed")

    def __len__(self) -> int:
        raise ValueError("the study is closed")


class Study:
    """A method at work on a space, with its trials and its journal.

    Parameters
    ----------
    space
        The search space.
    method
        `bo` (Bayesian optimization), `tpe`, `multi_objective`, `multi_fidelity`, `cmaes`, `trust_region`, `hybrid`,
        `nsga2`, `sobol` or `random`. See :class:`thrifty.LevelSet` and :class:`thrifty.BudgetedTraining` for
        `level_set` and `budgeted_training`.
    seed
        Root of all randomness: the same seed, settings and results give the same suggestions, bit for bit.
    direction
        `minimize` or `maximize`, or a sequence with one per objective. `level_set` takes none. `multi_objective`, `nsga2` and `tpe`
        search by several objectives, `sobol` and `random` by none; the others have one and refuse more.
    journal
        A file that keeps every trial. A study of the same space, method and settings goes on where it ends. One study at a time
        has it: :meth:`close` frees it.
    pruner
        Settings such as ``{"pruner": "median"}`` for :meth:`report`.
    **settings
        Settings of the method by the names of :func:`settings`; for every method `pruned` (`ignore`, `last_report` or
        `worst`); for `bo` `evaluations` (`noisy`, `deterministic` or `outliers`); for `tpe` `preset`; for
        `multi_fidelity` `fidelity`. Values of objectives among them, such as `reference`, the value of failed trials,
        the target of a split and the scale of a score, are in the units that are told: larger is better where an objective
        is maximized.

    Raises
    ------
    ValueError
        For a space, a method, a setting or a value that makes no sense.
    TypeError
        For a space that is no :class:`thrifty.Space`, a pruner without settings, and a setting that JSON does not have.
    OSError
        For a journal that cannot be read or is in use.
    RuntimeError
        For a journal of another study, and for a method that fails.

    Examples
    --------
    >>> study = Study(Space().float("x", -1, 1), "tpe", seed=1)
    >>> for _ in range(30):
    ...     trial = study.ask()
    ...     study.tell(trial, (trial.params["x"] - 0.3) ** 2)
    >>> study.best.value < 0.01
    True
    >>> Study(Space().float("x", 0, 1), "tpe", candidate=10)
    Traceback (most recent call last):
        ...
    ValueError: tpe: candidate is 10: unknown field `candidate`, expected one of `startup`, ...
    """

    def __init__(self, space: Space, method: str = "bo", *, seed: int = 0,
                 direction: str | Sequence[str] = "minimize", journal: str | os.PathLike[str] | None = None,
                 pruner: Mapping[str, Any] | None = None, **settings: Any) -> None:
        if not isinstance(space, Space):
            raise TypeError(f"space is {space!r}, expected a thrifty.Space")
        names = [direction] if isinstance(direction, str) else list(direction)
        # Studies that minimize everything have no directions, as in Rust.
        if all(name == "minimize" for name in names) and len(names) == 1:
            names = []
        if method == "level_set" and names:
            raise ValueError(f"level_set takes no direction: direction is {direction!r}. See thrifty.LevelSet")
        # Parameters that are added later are none of this study's.
        self.space = space.copy()
        self.method = method
        self.seed = whole("seed", seed, 0)
        self._why = ""
        self._is_closed = False
        self._study = _thrifty.Study(method, space.to_json(), self.seed, settings_json(_named(settings, space)), names,
                                     None if journal is None else os.fspath(journal),
                                     None if pruner is None else settings_json(_pruner(pruner)))
        self._lock = threading.RLock()
        trials = self.trials
        running = [trial for trial in trials if trial.state == "running"]
        # The last step that each running trial has reported.
        self._steps = {trial.id: trial.reports[-1][0] for trial in running if trial.reports}
        # Seconds of the evaluations that a loop is about to tell.
        self._seconds: dict[int, float] = {}
        # Trials that have ended or that somebody evaluates here.
        self._taken = {trial.id for trial in trials if trial.state != "running"}
        # Those that loops of this process evaluate, and a signal that one of them has ended.
        self._in_loops: set[int] = set()
        self._ended = threading.Condition(self._lock)
        for warning in self._study.warnings():
            warnings.warn(warning, stacklevel=2)

    def ask(self) -> Trial | None:
        """The next trial; None when there is nothing left, for the reason in :attr:`stopped`.

        Raises
        ------
        RuntimeError
            When a running trial has to be told first.
        """
        trial, why = self._try_ask([])
        if trial is None and not why:
            raise RuntimeError(MUST_WAIT)
        return trial

    def tell(self, trial: Trial | int, value: float | Sequence[float] | None = None, *,
             constraints: Sequence[float] = (), cost: float | None = None, noise_variance: float | None = None,
             failed: str | None = None, unrelated: str | None = None, pruned: bool = False) -> None:
        """Records how a trial ended.

        Parameters
        ----------
        trial
            The trial or its number.
        value
            The objective, or all of them. One that is not finite is a failure.
        constraints
            Feasible where not positive; with a value alone.
        cost
            Cost of the evaluation, whatever came of it.
        noise_variance
            Known variance of the noise in the objectives; with a value alone.
        failed
            Why there is no value.
        unrelated
            Why there is no value, if that has nothing to do with the configuration: nothing is learnt from it.
        pruned
            True if the trial was stopped early.
        """
        number = _number(trial)
        last, seconds = self._steps.get(number, 0), self._seconds.pop(number, 0.0)
        self._study.tell(number, told(value, constraints, cost, noise_variance, failed, unrelated, pruned, last), seconds)
        self._steps.pop(number, None)
        self._leave([number])

    def report(self, trial: Trial | int, step: int, value: float) -> bool:
        """Records an intermediate value; true if the pruner would stop the trial."""
        number, step = _number(trial), whole("step", step, 0)
        is_pruned = self._study.report(number, step, real("value", value))
        self._steps[number] = step
        return is_pruned

    def enqueue(self, params: Mapping[str, Any], *, skip_if_exists: bool = False) -> None:
        """Enqueues a configuration, to be asked before the method chooses again; missing values are suggested.

        With `skip_if_exists` nothing is enqueued where a trial, or an entry of the queue, has these values already, so that a program that
        is started again with its journal enqueues nothing twice.

        Raises
        ------
        ValueError
            For a value that is not of the space.
        """
        self._study.enqueue(self.space.encode(params), skip_if_exists)

    def add_known(self, params: Mapping[str, Any], value: float | Sequence[float] | None = None, *, skip_if_exists: bool = False,
                  **outcome: Any) -> int:
        """Adds a trial that was made elsewhere, with the keywords of :meth:`tell`; returns its number.

        With `skip_if_exists` a trial that is there already, with the same values and the same outcome, is not added again.
        """
        defaults = dict(constraints=(), cost=None, noise_variance=None, failed=None, unrelated=None, pruned=False)
        unknown = set(outcome) - set(defaults)
        if unknown:
            raise TypeError(f"add_known() got an unexpected keyword argument {sorted(unknown)[0]!r}")
        arguments: dict[str, Any] = {**defaults, **outcome}
        values, outcome_of = self.space.encode(params), told(value, last_step=0, **arguments)
        with self._lock:
            number = self._study.add_known(values, outcome_of, skip_if_exists)
            self._taken.add(number)
        return number

    def optimize(self, objective: Callable[[dict[str, Any]], Any] | Callable[[Trial], Any], n_trials: int | None = None, *,
                 seconds: float | None = None, catch: type[Exception] | Iterable[type[Exception]] = (),
                 callback: Callable[[Study, Trial], None] | None = None) -> Best | None:
        """Evaluates trials one by one, and returns :attr:`best`, which compares trials at the target fidelity only.

        Trials of a journal that were never told, and those that an exception ended here, are evaluated first. Trials that run
        elsewhere, asked by hand or by another thread, are left alone.

        Parameters
        ----------
        objective
            Gets the configuration; or the :class:`Trial` if its only positional parameter without a default is named `trial`. Returns a value, a
            sequence of objectives, or a dict with the keywords of :meth:`tell` (`value`, `constraints`, `cost`, ...).
        n_trials, seconds
            Limits; trials of a resumed journal count. Where the settings have no `budget`, the initial design goes by `n_trials`, unless that
            leaves a single trial to do.
        catch
            Exception, or several of them, that are failures of the trial. Others end the loop; the trial stays unfinished.
        callback
            Called after each trial.
        """
        if n_trials is None and seconds is None:
            raise ValueError("n_trials and seconds are both missing: the study would never end")
        n_trials = None if n_trials is None else whole("n_trials", n_trials, 0)
        # A loop that asks for one trial more each time plans nothing.
        if n_trials is not None and n_trials > len(self) + 1:
            self._study.plan(n_trials)
        end = math.inf if seconds is None else time.monotonic() + real("seconds", seconds)
        caught, wants_trial = _exceptions(catch), _wants_trial(objective)
        while time.monotonic() < end:
            mine: list[int] = []
            try:
                trial = self._next(mine, n_trials, end)
                if trial is None:
                    break
                self._evaluate(objective, trial, wants_trial, caught)
            except BaseException:
                self._taken.difference_update(mine)
                self._leave(mine)
                raise
            if callback is not None:
                callback(self, trial)
        return self.best

    @property
    def best(self) -> Best | None:
        """The measured trial with the best first objective among those that break no constraint, with all its objectives.

        Trials of `multi_fidelity` below the target fidelity are not compared: where that is continuous there may be none at it,
        and :meth:`recommend` returns the configuration to use.
        """
        best = self._study.best()
        return None if best is None else self._best(best)

    def recommend(self) -> Best | None:
        """The configuration that the method recommends: under noise the one with the best posterior mean."""
        found = self._study.recommend()
        if len(found) > 1:
            raise ValueError("several objectives have a pareto_set")
        return self._best(found[0]) if found else None

    @property
    def pareto_set(self) -> list[Best]:
        """The best compromises of a study with several objectives: measured trials that no other one dominates."""
        return [self._best(one) for one in self._study.recommend()]

    @property
    def trials(self) -> list[TrialRecord]:
        """All trials in the order of asking."""
        return [TrialRecord(number, self.space.decode(values), *rest) for number, values, *rest in self._study.trials()]

    @property
    def stopped(self) -> str | None:
        """Reason for which the last ask had no trial."""
        return self._why or None

    def figure(self, name: str) -> str:
        """A figure as SVG: `history`, `slices`, `importance`, `contour`, `pareto`, ..."""
        return self._study.figure(name)

    def page(self, title: str = "Study") -> str:
        """The report of the study: one HTML page, which needs no network."""
        return self._study.page(title)

    def close(self) -> None:
        """Closes the journal, so that another study can open it. A study is closed at the end of a `with` block too."""
        self._study = cast(_thrifty.Study, _Closed())
        self._is_closed = True

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._study)

    def __getstate__(self) -> Any:
        raise TypeError("a study cannot be pickled or copied: send its trials, or their params, to other processes, and tell their "
                        "outcomes here")

    def __repr__(self) -> str:
        if self._is_closed:
            return f"<thrifty.Study {self.method}, closed>"
        best = self.best
        shown = "" if best is None else f", best {best.value:.6g}"
        return f"<thrifty.Study {self.method}, {len(self)} trials{shown}>"

    def _repr_html_(self) -> str | None:
        return None if self._is_closed else html(self)

    def _best(self, found: Any) -> Best:
        trial, values, objectives, observed, interval = found
        return Best(self.space.decode(values), objectives, observed, trial, interval)

    def _next(self, mine: list[int], limit: int | None, end: float) -> Trial | None:
        """A trial to evaluate, whose number joins `mine`; None where there are `limit` trials, or at the time `end`.

        Where the method waits for a trial of another loop, so does this.
        """
        # Under the lock no other thread asks between the count and the ask.
        with self._lock:
            while time.monotonic() < end and (limit is None or len(self) - len(self._left()) < limit):
                trial, why = self._resumed(mine), ""
                if trial is None:
                    trial, why = self._try_ask(mine)
                if trial is not None:
                    self._in_loops.add(trial.id)
                if trial is not None or why:
                    return trial
                if not self._in_loops:
                    raise RuntimeError(MUST_WAIT)
                self._ended.wait(None if end == math.inf else max(end - time.monotonic(), 0.0))
            return None

    def _try_ask(self, mine: list[int]) -> tuple[Trial | None, str]:
        """The next trial, whose number joins `mine`, or why there is none; neither where a running trial has to be told first."""
        # Under the lock no other thread sees a trial that is recorded and not taken yet.
        with self._lock:
            asked, self._why = self._study.ask()
            if asked is None:
                return None, self._why
            number, values, diagnostics = asked
            mine.append(number)
            self._taken.add(number)
            return Trial(number, self.space.decode(values), diagnostics, self), ""

    def _leave(self, numbers: list[int]) -> None:
        """Notes that loops do not evaluate these trials any more."""
        with self._ended:
            self._in_loops.difference_update(numbers)
            self._ended.notify_all()

    def _resumed(self, mine: list[int]) -> Trial | None:
        """The next running trial that nobody evaluates, whose number joins `mine`."""
        with self._lock:
            left = self._left()
            if not left:
                return None
            found = left[0]
            mine.append(found.id)
            self._taken.add(found.id)
            # It reports from its first step again.
            self._study.restart(found.id)
            self._steps.pop(found.id, None)
        return Trial(found.id, found.params, found.diagnostics, self)

    def _left(self) -> list[TrialRecord]:
        """Running trials that nobody evaluates: those of a journal, of a loop that an exception ended, of an interrupted ask."""
        with self._lock:
            if len(self._taken) == len(self):
                return []
            others = [trial for trial in self.trials if trial.id not in self._taken]
            left = [trial for trial in others if trial.state == "running"]
            self._taken.update(trial.id for trial in others if trial.state != "running")
        return left

    def _evaluate(self, objective: Callable[[Any], Any], trial: Trial, wants_trial: bool,
                  catch: tuple[type[Exception], ...]) -> None:
        began = time.monotonic()
        outcome = _outcome(objective, trial if wants_trial else trial.params, catch)
        self._seconds[trial.id] = time.monotonic() - began
        self.tell(trial, **outcome)


def settings(method: str) -> dict[str, Any]:
    """The default settings of a method, by name.

    >>> settings("tpe")["candidates"]
    24
    """
    found: dict[str, Any] = json.loads(_thrifty.default_settings(method))
    return found


def _outcome(objective: Callable[[Any], Any], argument: Any, catch: tuple[type[Exception], ...]) -> Mapping[str, Any]:
    """The outcome of an evaluation, as keywords of :meth:`Study.tell`."""
    try:
        result = objective(argument)
    except Pruned as pruned:
        return {"pruned": True, "cost": pruned.cost}
    except catch as error:
        return {"failed": f"{type(error).__name__}: {error}"}
    return result if isinstance(result, Mapping) else {"value": result}


def told(value: Any, constraints: Sequence[float], cost: float | None, noise_variance: float | None,
         failed: str | None, unrelated: str | None, pruned: bool, last_step: int) -> dict[str, Any]:
    """An outcome in the form of the library."""
    states = [value is not None, failed is not None, unrelated is not None, pruned]
    if not any(states):
        raise ValueError("expected exactly one of value, failed, unrelated and pruned, found none: an objective without a return "
                         "has no value")
    if sum(states) != 1:
        raise ValueError("expected exactly one of value, failed, unrelated and pruned")
    state = ("measured", "failed", "unrelated", "pruned")[states.index(True)]
    _reason("failed", failed)
    _reason("unrelated", unrelated)
    if isinstance(constraints, str | bytes) or not isinstance(constraints, Iterable):
        raise ValueError(f"constraints is {constraints!r}, expected a list of numbers")
    constraints = list(constraints)
    for name, given in (("constraints", constraints or None), ("noise_variance", noise_variance)):
        if given is not None and state != "measured":
            raise ValueError(f"{name} is {given!r}, expected none with {state}: only trials with a value keep it")
    objectives: list[float] = []
    if value is not None:
        is_list = isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray) or _is_array(value)
        objectives = [real("value", v) for v in (value if is_list else [value])]
    return {"state": state, "objectives": objectives, "constraints": [real("a constraint", c) for c in constraints],
            "cost": None if cost is None else real("cost", cost),
            "noise_variance": None if noise_variance is None else real("noise_variance", noise_variance),
            "last_step": last_step, "message": failed or unrelated or ""}


def html(study: Study) -> str:
    """A study for a notebook: a line of numbers and its history."""
    try:
        figure = study.figure("history")
    except RuntimeError:
        figure = ""  # no trial is measured yet
    best = study.best
    shown = "nothing measured yet"
    if best is None and figure:
        at_target = " at the target fidelity" if study.method == "multi_fidelity" else ""
        shown = f"nothing feasible measured{at_target} yet"
    if best is not None and math.isfinite(best.value):
        shown = f"best {best.value:.6g} at {best.params}"
    return f"<div><p><b>{study.method}</b>: {len(study)} trials, {_escaped(shown)}</p>{figure}</div>"


def _named(settings: Mapping[str, Any], space: Space) -> dict[str, Any]:
    """Settings whose configurations have the names of choices in place of objects."""
    found = dict(settings)
    for name, form in (("initial", "given"), ("over", "candidates")):
        value = found.get(name)
        configs = value.get(form) if isinstance(value, Mapping) else None
        if isinstance(configs, list | tuple):
            named = [space.named(config) if isinstance(config, Mapping) else config for config in configs]
            found[name] = {**value, form: named}  # type: ignore[dict-item]
    return found


def _pruner(given: Any) -> dict[str, Any]:
    expected = "expected settings such as {'pruner': 'median'}"
    try:
        settings = dict(given)
    except (TypeError, ValueError):
        raise TypeError(f"pruner is {given!r}, {expected}") from None
    if "pruner" not in settings:
        raise ValueError(f"pruner is {given!r}, which has no 'pruner'; {expected}")
    return settings


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _number(trial: Any) -> int:
    """The number of a trial."""
    return trial.id if isinstance(trial, Trial) else whole("trial", trial, 0)


def _exceptions(catch: Any) -> tuple[type[Exception], ...]:
    """Exceptions as an `except` clause takes them."""
    found = tuple(catch) if isinstance(catch, Iterable) else (catch,)
    if not all(isinstance(one, type) and issubclass(one, BaseException) for one in found):
        raise ValueError(f"catch is {catch!r}, expected classes of exceptions such as (ValueError,)")
    return found


def _is_array(value: Any) -> bool:
    return getattr(value, "ndim", 0) == 1


def _reason(name: str, text: Any) -> None:
    """Raises `ValueError` for a reason that is no text."""
    if not (text is None or isinstance(text, str)):
        raise ValueError(f"{name} is {text!r}, expected the reason as a text, such as str(error)")


def _wants_trial(objective: Callable[..., Any]) -> bool:
    """True if the only positional parameter without a default is named `trial`; a wrapper that takes anything has those of what it wraps."""
    for is_wrapped in (False, True):
        try:
            parameters = inspect.signature(objective, follow_wrapped=is_wrapped).parameters.values()
        except (TypeError, ValueError):  # compiled functions
            return False
        positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        if positional:
            return positional[0].name == "trial" and all(p.default is not p.empty for p in positional[1:])
    return False
