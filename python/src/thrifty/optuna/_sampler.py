"""Samplers: a method per search space, asked with the trials of the study."""

from __future__ import annotations

import hashlib
import itertools
import operator
import secrets
import threading
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, PartialFixedSampler, RandomSampler
from optuna.trial import FrozenTrial, TrialState

from .._checks import whole
from ..space import Space
from ._feed import RELATIVE, Feed, View, shared_json
from ._space import CommonSpace, Distributions, distributions_of
from ._trials import MEMO, ConstraintNames, directions_of, signs_of, take

ROUNDS = 3
"""Suggestions after the first one, where trials of others come in between."""

MOST_FEEDS = 64
"""Search spaces that are kept of a study that changes them; one that was dropped is read anew when it comes back."""


class Suggested(NamedTuple):
    """A suggestion with what it had seen; without memo and view it was drawn at random."""

    params: dict[str, Any]
    memo: str | None = None
    view: View | None = None


class Sampler(BaseSampler):
    """Base of the samplers, to be used by its subclasses.

    Parameters
    ----------
    seed
        The same seed and trials give the same suggestions, whatever worker or sampler object asks. Workers may share it:
        random numbers are drawn by the number of the trial.
    n_startup_trials
        Trials of a quasi-random design before the model.
    space
        A space with conditions, which is sampled as one tree. Without it parameters that all trials have are sampled
        together, the others one by one.
    failures
        `ignore`: nothing is learnt from failed trials. `avoid`: `TPESampler` ranks them behind all others, and the other samplers learn
        where trials fail. These take an infinite loss as a failed trial whose place is learnt, whatever this says.
    pruned
        `ignore`, `last_report` or `worst`: how pruned trials count. None is the method's own treatment: `TPESampler` ranks them
        behind the complete ones, the others give them the worst measured loss. With constraints `last_report` takes trials whose
        constraints are known, and the others count as without a setting, as all do by `worst`. So does a trial whose last report is
        not finite; `TPESampler` ranks it.
    strict
        Raise an error of the method. Otherwise it is warned of once, and the trial is sampled at random.
    constraints_func
        As in Optuna's samplers; constraints of `Trial.set_constraint` are read as well.
    **settings
        Settings of the method, see :func:`thrifty.study.settings`, but for `cost`: trials of Optuna have none. Values of objectives among them, such as `reference`, are in
        the units of the study: larger is better where it maximizes.
    """

    _ranks = False
    _retries = True

    def __init__(self, seed: int | None = None, *, n_startup_trials: int | None = None, space: Space | None = None,
                 failures: str = "ignore", pruned: str | None = None, strict: bool = False,
                 constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None, **settings: Any) -> None:
        if failures not in ("ignore", "avoid"):
            raise ValueError(f"failures is {failures!r}, expected 'ignore' or 'avoid'")
        if settings.get("cost", "ignore") not in ("ignore", None):
            raise ValueError(f"cost is {settings['cost']!r}, expected 'ignore': trials of Optuna have no cost")
        self._seed = secrets.randbits(62) if seed is None else int(seed)
        self._startup = None if n_startup_trials is None else whole("n_startup_trials", n_startup_trials, 0)
        if not (space is None or isinstance(space, Space)):
            raise TypeError(f"space is {space!r}, expected a thrifty.Space")
        self._space = space
        self._given = None if space is None else distributions_of(space)
        self._failures = failures
        self._pruned = pruned
        self._strict = strict
        self._constraints_func = constraints_func
        self._settings = settings
        self._random = RandomSampler(seed=seed)
        self._forget()
        self._warned = False
        self.fallbacks = 0
        """Trials that were sampled at random because the method failed."""
        for method in self._methods():
            Feed(method, {"x": optuna.distributions.FloatDistribution(0, 1)}, None, 0, self._method_settings(method), ())

    def _forget(self) -> None:
        """Begins without anything read of a study: what `_READ` names."""
        self._feeds: dict[Any, Feed] = {}
        self._common: dict[Any, CommonSpace] = {}
        self._constraints = ConstraintNames()
        self._storages: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._storage_count = itertools.count()
        self._last_key: tuple[Distributions, tuple[tuple[str, str], ...]] = ({}, ())
        self._held: tuple[tuple[int, int], int, list[FrozenTrial]] | None = None
        self._lock = threading.RLock()

    def _methods(self) -> tuple[str, ...]:
        """Names of the methods whose settings are given."""
        raise NotImplementedError

    def _method(self, study: optuna.Study) -> str:
        """Name of the method for a study."""
        raise NotImplementedError

    def _method_settings(self, method: str) -> dict[str, Any]:
        """Settings of a method."""
        raise NotImplementedError

    def _startup_settings(self, name: str, count: int | None) -> dict[str, Any]:
        chosen = self._startup if self._startup is not None else count
        own = {} if chosen is None else {name: {"sobol": chosen}}
        return own if self._pruned is None else {**own, "pruned": self._pruned}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _READ}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def reseed_rng(self) -> None:
        """Draws another seed for parameters that are sampled at random. Optuna calls it in the workers of `n_jobs`."""
        # Other suggestions are keyed by the number of the trial: workers of one seed do not repeat each other.
        self._random.reseed_rng()

    def infer_relative_search_space(self, study: optuna.Study, trial: FrozenTrial) -> Distributions:
        """The given space, or the parameters that all trials have."""
        if self._given is not None:
            return dict(self._given)
        return {name: distribution for name, distribution in self._shared(study, trial).items() if not distribution.single()}

    def _shared(self, study: optuna.Study, trial: FrozenTrial | None = None) -> Distributions:
        """The parameters that all complete trials have. The trials that were read are held for the suggestion of `trial`."""
        with self._lock:
            common = self._common.setdefault(self._name(study), CommonSpace())
            trials = _all_trials(study)
            self._held = None if trial is None else (self._name(study), trial.number, trials)
            return common.calculate(trials)

    def _trials(self, study: optuna.Study, trial: FrozenTrial) -> list[FrozenTrial]:
        """The trials of a study: those that are held, once, or as they are now. To be called under the lock.

        Nothing was read in between, so that no thread follows an older list than the one before it.
        """
        held, self._held = self._held, None
        if held is not None and held[:2] == (self._name(study), trial.number):
            return held[2]
        return _all_trials(study)

    def sample_relative(self, study: optuna.Study, trial: FrozenTrial, search_space: Distributions) -> dict[str, Any]:
        """Parameters that are sampled together, given those that are fixed or enqueued."""
        self._check(study)
        if not search_space:
            return {}
        fixed = _fixed(study, trial)
        whole = self._whole(study, search_space, fixed)
        method = self._method(study)
        found = self._suggest(study, trial, whole, method, fixed)
        self._share(study, trial, found, whole)
        # Write, then look: of two workers that ask at once the last to look sees what the other has written, so that no two of
        # them end with the same parameters. They suggest again, and the later trial gives way to the earlier; who finds its
        # parameters taken after the last round draws by the number of its trial, which no other one has.
        for round_ in range(ROUNDS + 1 if self._retries and found.view is not None and not fixed else 0):
            changed, is_taken = self._look(study, trial, whole, method, found)
            is_late = any(round_ == 0 or number < trial.number for number in changed)
            if round_ < ROUNDS and (is_taken or is_late):
                found = self._suggest(study, trial, whole, method, fixed)
            elif is_taken:
                found = self._draw(study, trial, whole, method)
            else:
                break
            self._share(study, trial, found, whole, is_again=True)
            if found.view is None:
                break
        params = found.params
        return {name: value for name, value in params.items() if name in search_space}

    def sample_independent(self, study: optuna.Study, trial: FrozenTrial, param_name: str,
                           param_distribution: BaseDistribution) -> Any:
        """A parameter by itself, by a Parzen estimator."""
        self._check(study)
        if param_distribution.single():
            return _only_value(param_distribution)
        params = self._suggest(study, trial, {param_name: param_distribution}, "tpe", {}).params
        if param_name in params:
            return params[param_name]
        return self._random.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(self, study: optuna.Study, trial: FrozenTrial, state: TrialState,
                    values: Sequence[float] | None) -> None:
        """Keeps the constraints of `constraints_func` with the trial."""
        if self._constraints_func is not None and state in (TrialState.COMPLETE, TrialState.PRUNED):
            constraints = tuple(float(value) for value in self._constraints_func(trial))
            study._storage.set_trial_system_attr(trial._trial_id, "constraints", constraints)

    def _check(self, study: optuna.Study) -> None:
        """Raises `ValueError` for a study with the wrong number of objectives."""

    def _whole(self, study: optuna.Study, search_space: Distributions, fixed: dict[str, Any]) -> Distributions:
        """The search space with the parameters that a sampler around this one has taken out."""
        if self._given is not None and set(search_space) <= set(self._given):
            return self._given
        if not set(fixed) - set(search_space):
            return search_space
        known = self._shared(study)
        missing = {name: known[name] for name in fixed if name in known and not known[name].single()}
        return dict(sorted({**search_space, **missing}.items()))

    def _suggest(self, study: optuna.Study, trial: FrozenTrial, whole: Distributions, method: str,
                 fixed: dict[str, Any]) -> Suggested:
        """A suggestion; where the method fails random parameters, or none if there are no such either."""
        feed = None
        try:
            with self._lock:
                trials = self._trials(study, trial)
                feed = self._feed(study, whole, method, trials)
                self._follow(study, feed, method, trials, trial.number)
                asked = feed.ask(trial.number, fixed)
                if asked is not None:
                    return Suggested(feed.values(asked[0]), asked[1], feed.view())
                return Suggested(feed.values(feed.engine.random(trial.number)))
        except Exception as error:
            if self._strict:
                raise
            self.fallbacks += 1
            if not self._warned:
                self._warned = True
                warnings.warn(f"{type(self).__name__} samples at random: {error}", stacklevel=4)
            return Suggested({} if feed is None else feed.values(feed.engine.random(trial.number)))

    def _follow(self, study: optuna.Study, feed: Feed, method: str, trials: list[FrozenTrial], current: int) -> None:
        ranks = self._ranks or method == "tpe"
        feed.read_quickly(ranks, self._failures == "avoid", signs_of(study))
        feed.follow(trials, current, lambda trial: take(study, trial, feed.distributions, feed.constraints,
                                                               self._failures, self._pruned, ranks))

    def _look(self, study: optuna.Study, trial: FrozenTrial, whole: Distributions, method: str,
              found: Suggested) -> tuple[set[int], bool]:
        """What others have written since a suggestion, see :meth:`Feed.look`."""
        with self._lock:
            trials = self._trials(study, trial)
            feed = self._feed(study, whole, method, trials)
            return (set(), False) if found.view is None else feed.look(trials, trial.number, found.view, found.params)

    def _draw(self, study: optuna.Study, trial: FrozenTrial, whole: Distributions, method: str) -> Suggested:
        """Random parameters by the number of the trial."""
        with self._lock:
            feed = self._feed(study, whole, method, self._trials(study, trial))
            return Suggested(feed.values(feed.engine.random(trial.number)))

    def _feed(self, study: optuna.Study, whole: Distributions, method: str, trials: Sequence[FrozenTrial]) -> Feed:
        is_alone = len(whole) == 1 and method == "tpe" and whole is not self._given
        distributions = self._key(whole)
        name = self._name(study)
        names = self._constraints.names(name, trials)
        key = (name, method, names, distributions)
        feed = self._feeds.pop(key, None)
        if feed is None:
            self._make_room(len(whole) == 1)
            given = self._space if whole is self._given else None
            settings = self._method_settings(method) if method in self._methods() else _ALONE
            seed = _child(self._seed, next(iter(whole))) if is_alone else self._seed
            feed = Feed(method, whole, given, seed, settings, names, directions_of(study))
        self._feeds[key] = feed  # the last one used is the last
        return feed

    def _make_room(self, is_single: bool) -> None:
        """Drops the feed that was not used for the longest time where too many are kept: of single parameters, or of several.

        Of single parameters there may be one more for each name, because a trial may ask for all of them in turn.
        """
        kept = [key for key in self._feeds if (len(key[-1]) == 1) == is_single]
        names = {key[-1][0][0] for key in kept} if is_single else set()
        if len(kept) >= MOST_FEEDS + len(names):
            self._feeds.pop(kept[0])

    def _name(self, study: optuna.Study) -> tuple[int, int]:
        """A study for a dictionary. All studies in memory have the same number, each in a storage of its own."""
        storage = self._storages.get(study._storage)
        if storage is None:
            storage = self._storages[study._storage] = next(self._storage_count)
        return storage, study._study_id

    def _key(self, whole: Distributions) -> tuple[tuple[str, str], ...]:
        """A search space for a dictionary; made once while its distributions are the same objects."""
        known, key = self._last_key
        is_known = list(known) == list(whole) and all(map(operator.is_, known.values(), whole.values()))
        if not is_known:
            key = tuple((name, repr(distribution)) for name, distribution in whole.items())
            self._last_key = (dict(whole), key)
        return key

    def _share(self, study: optuna.Study, trial: FrozenTrial, found: Suggested, whole: Distributions,
               is_again: bool = False) -> None:
        """Writes what other workers, and later suggestions, need. The memo first: with the parameters the trial counts."""
        storage, number = study._storage, trial._trial_id
        # A trial that is suggested again may have had one before.
        if found.memo not in (None, "{}") or is_again:
            storage.set_trial_system_attr(number, MEMO, found.memo or "{}")
        if found.params:
            storage.set_trial_system_attr(number, RELATIVE, shared_json(found.params, whole))


_READ = ("_feeds", "_common", "_constraints", "_storages", "_storage_count", "_last_key", "_held", "_lock")
"""What a pickle leaves out: it is read of the study again."""

_ALONE = {"repeats": "once_exhausted", "failures": "ignore"}
"""Settings of the Parzen estimator of single parameters beside another method."""


def _all_trials(study: optuna.Study) -> list[FrozenTrial]:
    """Every trial, each at the place of its number. A study that Hyperband's pruner hands out shows those of one bracket."""
    return study._storage.get_all_trials(study._study_id, deepcopy=False)


def _fixed(study: optuna.Study, trial: FrozenTrial) -> dict[str, Any]:
    """Parameters whose values are decided: those of a trial that is made again, enqueued ones, or of a sampler around this one."""
    fixed = {**trial.params, **trial.system_attrs.get("fixed_params", {})}
    if isinstance(study.sampler, PartialFixedSampler):
        fixed.update(study.sampler._fixed_params)
    return fixed


def _only_value(distribution: BaseDistribution) -> Any:
    choices = getattr(distribution, "choices", None)
    return choices[0] if choices is not None else distribution.low  # type: ignore[attr-defined]


def _child(seed: int, name: str) -> int:
    """A seed per parameter: designs of one parameter each must differ."""
    digest = hashlib.blake2b(f"{seed}:{name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 2


class TPESampler(Sampler):
    """Tree-structured Parzen estimator, for one or several objectives.

    The settings are the recommended ones of Thrifty; ``preset="optuna5"`` has the rules of Optuna's sampler.
    """

    _ranks = True
    _retries = False

    def _methods(self) -> tuple[str, ...]:
        return ("tpe",)

    def _method(self, study: optuna.Study) -> str:
        return "tpe"

    def _method_settings(self, method: str) -> dict[str, Any]:
        failures = "as_infinite" if self._failures == "avoid" else "ignore"
        startup = self._startup_settings("startup", 10)
        return {**startup, "repeats": "once_exhausted", "failures": failures, **self._settings}


class GPSampler(Sampler):
    """Bayesian optimization with an exact Gaussian process, without torch.

    Log expected improvement for one objective, log expected hypervolume improvement for several. An exhausted finite
    space is sampled at random. The last report of a pruned trial is its objective (`pruned="last_report"`), unlike in a
    :class:`thrifty.Study` with the method `bo`, where pruned trials have the worst measured loss.
    """

    def __init__(self, seed: int | None = None, *, n_startup_trials: int | None = None, space: Space | None = None,
                 failures: str = "ignore", pruned: str | None = "last_report", strict: bool = False,
                 constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None, **settings: Any) -> None:
        super().__init__(seed, n_startup_trials=n_startup_trials, space=space, failures=failures, pruned=pruned,
                         strict=strict, constraints_func=constraints_func, **settings)

    def _methods(self) -> tuple[str, ...]:
        # Settings of one of them need not be settings of the other.
        return ("bo",) if self._settings else ("bo", "multi_objective")

    def _method(self, study: optuna.Study) -> str:
        return "multi_objective" if len(study.directions) > 1 else "bo"

    def _method_settings(self, method: str) -> dict[str, Any]:
        # What failed is told apart trial by trial: `unrelated` ones are ignored, and where others fail is learnt.
        return {**self._startup_settings("initial", None), **self._settings}

    def _feed(self, study: optuna.Study, whole: Distributions, method: str, trials: Sequence[FrozenTrial]) -> Feed:
        if method == "multi_objective" and method not in self._methods():
            raise ValueError(f"settings {', '.join(self._settings)} are of one objective: use EHVISampler")
        return super()._feed(study, whole, method, trials)


class EHVISampler(GPSampler):
    """As :class:`GPSampler`, for several objectives alone, with settings of `multi_objective`."""

    def _methods(self) -> tuple[str, ...]:
        return ("multi_objective",)

    def _check(self, study: optuna.Study) -> None:
        if len(study.directions) < 2:
            raise ValueError("EHVISampler is for several objectives: use GPSampler")
