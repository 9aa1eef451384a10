"""Search over hyperparameters by fractional cross-validation: one fold at a time, and the best configurations on all folds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone, is_classifier
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.model_selection import check_cv
from sklearn.model_selection._search import BaseSearchCV
from sklearn.model_selection._validation import (
    _check_method_params,
    _fit_and_score,
    _insert_error_scores,
    _warn_or_raise_about_fit_failures,
)
from sklearn.utils import check_random_state
from sklearn.utils.validation import indexable

from .. import _thrifty
from .._checks import real, settings_json, whole
from ..study import told
from ._distributions import space_of
from ._identity import check_identity, naming, recorded_seed
from ._table import Table

BATCH = 4
"""Folds that are asked for before the first of them is told, whatever the number of workers."""

OF_ARGUMENTS = {"budget": "n_fits", "folds": "cv", "repeats": "cv", "repeats_differ": "cv", "finalists": "verify"}
"""Settings of the method that follow from arguments of the search."""


@dataclass(frozen=True)
class Price:
    """Stops a search when a fit is expected to gain less than it costs.

    `score_per_cost` is the score that one unit of cost is worth: seconds, or the unit of `cost`. The search then verifies.
    """

    score_per_cost: float


class _Held:
    """A study whose journal is free after `close`, even while the frames of a kept traceback refer to this object."""

    def __init__(self, study: Any) -> None:
        self._study = study

    def __getattr__(self, name: str) -> Any:
        return getattr(self._study, name)

    def __len__(self) -> int:
        return len(self._study)

    def close(self) -> None:
        self._study = None


class FractionalSearchCV(BaseSearchCV):  # type: ignore[misc]
    """Search that fits single folds, with the interface of `RandomizedSearchCV`.

    A model of configurations and folds decides which fold of which configuration is fitted next. With the last fits the
    best configurations are evaluated on the folds that they lack, so that `best_score_` is a mean over all folds.

    Parameters
    ----------
    estimator
        The estimator.
    param_distributions
        See :func:`space_of`. A :class:`thrifty.Space` may have conditions.
    n_fits
        Model fits in all, the final one apart. `RandomizedSearchCV(n_iter=n)` makes `n` times the number of folds.
    verify
        Configurations that are completed in the end. None: one, or up to three where they take at most a third of the fits.
        With 0, `best_score_` is the mean over the folds that were fitted, which may be a single one.
    cost
        None: every fit counts the same. `"time"`: the folds that take longer count for less, which makes results depend
        on the clock. A function of the parameters that returns a positive number: the same with that cost.
    stop
        A :class:`Price`, by which the search may end before `n_fits`.
    scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score
        As in `RandomizedSearchCV`. With several metrics `refit` names the one that is searched for. With one it may be a
        function of `cv_results_` that returns the row to refit, and there is no `best_score_` then; rows whose `n_folds`
        is small have means over these folds alone.
    random_state
        The same state gives the same results for every `n_jobs`, timing columns apart. None: another search each time, but the
        same one where `journal` has its beginning.
    settings
        Settings of the method, as ``thrifty.study.settings("fractional")`` names them, but for `budget`, `folds`, `repeats`,
        `repeats_differ` and `finalists`: these follow from `n_fits`, `cv` and `verify`. Values of objectives among them are scores:
        `limits` and a `fixed` target of the acquisition function.
    journal
        A file that keeps every fit: a search that was killed goes on when it is fitted again with the same arguments and data.
        Hashes of the estimator, scoring, metric, splits, data and parameters of `fit` are kept beside it, in a file whose name ends
        in ``.search.json``, with whether a function as `scoring` names metrics. With others `fit` raises a `RuntimeError` that names
        what differs. Of several metrics the journal has the one that is searched for: the others are masked where fits were not made again.

    Attributes
    ----------
    cv_results_
        A row per configuration. Folds that were not fitted are masked in `split*_test_score`; `n_folds` counts the others,
        and `mean_test_score` is over them. `model_mean_score` and `model_std_score` are posterior means and standard
        deviations of the mean over all folds. `rank_test_score` ranks complete configurations first, by their mean, then
        the others by the model; those with a failed fold are last.
    best_estimator_, best_score_, best_params_, best_index_, refit_time_, scorer_, n_splits_, multimetric_
        As in `RandomizedSearchCV`.
    n_fits_
        Model fits that were made.
    is_verified_
        True if the best configuration was fitted on every fold.
    """

    def __init__(self, estimator: Any, param_distributions: Any, *, n_fits: int = 50, verify: int | None = None, cost: Any = None,
                 stop: Price | None = None, scoring: Any = None, n_jobs: int | None = None, refit: Any = True,
                 cv: Any = None, verbose: int = 0, pre_dispatch: Any = "2*n_jobs", random_state: Any = None,
                 error_score: Any = np.nan, settings: dict[str, Any] | None = None, journal: Any = None) -> None:
        super().__init__(estimator=estimator, scoring=scoring, n_jobs=n_jobs, refit=refit, cv=cv, verbose=verbose,
                         pre_dispatch=pre_dispatch, error_score=error_score, return_train_score=False)
        self.param_distributions = param_distributions
        self.n_fits = n_fits
        self.verify = verify
        self.cost = cost
        self.stop = stop
        self.random_state = random_state
        self.settings = settings
        self.journal = journal

    def fit(self, X: Any, y: Any = None, **params: Any) -> FractionalSearchCV:
        """Searches, and refits the best estimator on all data unless `refit` is false."""
        scorers, metric = self._get_scorers()
        if callable(self.scoring) and isinstance(self.refit, str):
            metric = self.refit
        if callable(metric) or metric is False:
            raise ValueError("several metrics need the name of the one to search for in refit")
        X, y = indexable(X, y)
        params = _check_method_params(X, params=params)
        routed = self._get_routed_params_for_fit(params)
        splits = list(check_cv(self.cv, y, classifier=is_classifier(self.estimator)).split(X, y, **routed.splitter.split))
        space = space_of(self.param_distributions)
        with closing(_Held(self._study(space.to_json(), len(splits)))) as study:
            if self.journal is not None:
                check_identity(os.fspath(self.journal), len(study) > 0, {
                    "estimator": self.estimator, "scoring": self.scoring, "metric": metric, "splits": splits, "X": X, "y": y,
                    "fit parameters": params})
            base = clone(self.estimator)

            def evaluate(values: Any, fold: int) -> Any:
                train, test = splits[fold]
                return delayed(_fit_and_score)(
                    clone(base), X, y, scorer=scorers, train=train, test=test, verbose=self.verbose,
                    parameters=clone(space.decode(values), safe=False), fit_params=routed.estimator.fit,
                    score_params=routed.scorer.score, return_n_test_samples=True, return_times=True,
                    error_score=self.error_score)

            table = Table(space, len(splits))
            scored = sum(loss is not None for _, _, loss in study.asked())
            with Parallel(n_jobs=self.n_jobs, pre_dispatch=self.pre_dispatch) as parallel:
                outs = self._search(study, table, evaluate, parallel, metric)
            if outs:
                # Those of the journal too: fits that all fail are an error, but not after others that did not.
                _warn_or_raise_about_fit_failures([*outs, *[{"fit_error": None}] * scored], self.error_score)
            names_metrics = self._names_metrics(outs) if callable(self.scoring) else None
            if names_metrics is False:
                # A function of one number names no metric, whatever the text of refit is.
                table.rename(metric, "score")
                metric = "score"
            target = () if y is None else (y,)
            best = study.recommend()
            if best is None:
                # The estimator's own error says more, if it has one.
                clone(base).set_params(**clone(table.first_params(), safe=False)).fit(X, *target, **routed.estimator.fit)
                raise ValueError("no fold has a finite score")
            self.scorer_ = scorers._scorers if isinstance(scorers, _MultimetricScorer) else scorers
            self.multimetric_ = self.scorer_ is not scorers or metric != "score" or bool(names_metrics)
            self._conclude(study, table, metric, best)
            self.n_fits_, self.n_splits_ = len(study), len(splits)
        if self.refit:
            self._refit(base, X, target, routed)
        return self

    def _study(self, space_json: str, folds: int) -> Any:
        """The study behind the search, with validated arguments."""
        verify = 1 if self.verify is None else self.verify
        for name, value, least in (("n_fits", self.n_fits, 1), ("verify", verify, 0)):
            whole(name, value, least)
        if not (self.cost is None or self.cost == "time" or callable(self.cost)):
            raise ValueError(f"cost is {self.cost!r}, expected None, 'time' or a function of the parameters")
        if self.stop is not None and not isinstance(self.stop, Price):
            raise ValueError(f"stop is {self.stop!r}, expected None or a Price")
        if folds < 2:
            raise ValueError(f"cv makes {folds} split, expected at least 2")
        if verify and self.n_fits <= verify * folds:
            raise ValueError(f"n_fits={self.n_fits} leaves no fit to search with: verifying {verify} configurations on "
                             f"{folds} folds takes {verify * folds}")
        for name in sorted(OF_ARGUMENTS.keys() & set(self.settings or ())):
            raise ValueError(f"settings have {name!r}, which is that of the argument {OF_ARGUMENTS[name]}")
        own: dict[str, Any] = {} if self.cost is None else {"costs": "measured"}
        # The method has a rule of its own, by which it verifies nothing where fits are few.
        if self.verify is not None or self.n_fits < 2 * folds:
            own["finalists"] = int(verify)
        settings = {"budget": int(self.n_fits), **own, **(self.settings or {})}
        journal = None if self.journal is None else os.fspath(self.journal)
        # Without a random state the search of a journal goes on with its own seed.
        seed = recorded_seed(journal) if self.random_state is None and journal is not None else None
        if seed is None:
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        price = None if self.stop is None else real("score_per_cost", self.stop.score_per_cost)
        return _thrifty.Fractional(space_json, folds, seed, settings_json(settings), journal, price)

    def _search(self, study: Any, table: Table, evaluate: Callable[[Any, int], Any], parallel: Parallel,
                metric: str) -> list[dict[str, Any]]:
        """Fits folds until the method has no more."""
        outs: list[dict[str, Any]] = []
        # Where there is hardly a fit to search with, a whole first batch would leave too few of them to verify.
        verify = 1 if self.verify is None else self.verify
        searched = max(self.n_fits - verify * table.folds, verify)
        first = searched if searched < BATCH - 1 else None
        # A verification that the journal holds goes on; to ask for it again would choose other configurations.
        is_verifying = study.is_finishing()
        batch = self._restore(study, table, metric)
        while True:
            if not batch and not is_verifying and study.is_dear():
                if self.verify == 0:
                    break
                is_verifying = True
                study.verify(int(self.n_fits) - len(study))
            # Batches end at the same trials after a resumption.
            while not batch or len(study) % BATCH and len(study) != first:
                asked = study.ask()
                if asked is None:
                    break
                batch.append(asked)
            if not batch:
                break
            found = parallel(evaluate(values, fold) for _, values, _, fold in batch)
            if callable(self.scoring):
                # Names of several metrics are known only now.
                _insert_error_scores(found, self.error_score)
                # Kept before the journal has the scores, for a search that makes no more fits.
                self._names_metrics(found)
            for (trial, values, _, fold), out in zip(batch, found, strict=True):
                score = table.record(trial, values, fold, out, metric)
                study.tell(trial, self._told(table.params(values), score, out))
            outs.extend(found)
            batch = []
        return outs

    def _names_metrics(self, outs: list[dict[str, Any]]) -> bool | None:
        """True if the function of scores names metrics, by fits and by what is kept beside the journal; None where neither is known."""
        scores = [out["test_scores"] for out in outs if out["fit_error"] is None]
        found = any(isinstance(one, dict) for one in scores) if scores else None
        return found if self.journal is None else naming(os.fspath(self.journal), found)

    def _restore(self, study: Any, table: Table, metric: str) -> list[Any]:
        """Puts the folds of a journal into the table; returns those that were not told."""
        unfinished = []
        for asked, state, loss in study.asked():
            trial, values, _, fold = asked
            if state == "running":
                unfinished.append(asked)
                continue
            # With "raise" failed fits are not told: this one has a score that was not finite.
            failed = np.nan if self.error_score == "raise" else self.error_score
            score = failed if loss is None else -loss
            # The journal has no times: a cost may be anything.
            times = {"fit_time": np.nan, "score_time": np.nan}
            table.record(trial, values, fold, {"test_scores": {metric: score}, **times}, metric)
        return unfinished

    def _told(self, params: dict[str, Any], score: float, out: dict[str, Any]) -> dict[str, Any]:
        cost = None
        if callable(self.cost):
            cost = real("cost", self.cost(params))
            if not 0 < cost < np.inf:
                raise ValueError(f"cost is {cost!r} for {params}, expected a positive number")
        elif self.cost is not None or self.stop is not None:
            cost = max(out["fit_time"] + out["score_time"], 1e-9)
        has_failed = out["fit_error"] is not None or not np.isfinite(score)
        return told(None if has_failed else score, (), cost, None,
                    "the fit or its score failed" if has_failed else None, None, False, 0)

    def _conclude(self, study: Any, table: Table, metric: str, best: Any) -> None:
        believed = {trial: (-mean, std_dev) for trial, mean, std_dev in study.evaluated()}
        names = self.scorer_ if isinstance(self.scorer_, dict) else ()
        self.cv_results_, self.best_index_ = table.results(best[0], believed, metric, names)
        is_recommended = self.best_index_ == table.row_of(best[0])
        is_complete = self.cv_results_["n_folds"][self.best_index_] == table.folds
        self.is_verified_ = bool(best[2] if is_recommended else is_complete)
        if callable(self.refit):
            self.best_index_ = self._select_best_index(self.refit, metric, self.cv_results_)
            self.is_verified_ = bool(self.cv_results_["n_folds"][self.best_index_] == table.folds)
        else:
            self.best_score_ = float(self.cv_results_[f"mean_test_{metric}"][self.best_index_])
        self.best_params_ = self.cv_results_["params"][self.best_index_]

    def _refit(self, base: Any, X: Any, target: tuple[Any, ...], routed: Any) -> None:
        self.best_estimator_ = clone(base).set_params(**clone(self.best_params_, safe=False))
        began = time.time()
        self.best_estimator_.fit(X, *target, **routed.estimator.fit)
        self.refit_time_ = time.time() - began
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_

    def _run_search(self, evaluate_candidates: Any) -> None:
        raise NotImplementedError("folds are evaluated one by one, not candidates")
