"""Training under a budget: what to train next, and when another training is not worth its cost."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._around import AroundStudy
from ._checks import finite
from .space import Space
from .study import Best, Study, Trial


@dataclass(frozen=True)
class Trained:
    """End of a budgeted training: the recommended configuration, all costs, and the reason for the end."""

    best: Best | None
    spent: float
    trainings: int
    reason: str


GRID_OF_TWO = 11
"""Values of each of two controls that are compared, as in the experiments of this library: all their combinations count."""


class BudgetedTraining(AroundStudy):
    """Optimal stopping around a function that trains a model and returns its score and its cost.

    Scores and costs are polynomials in the controls, whose coefficients are learnt; before each training its expected gain,
    with the trainings after it, is weighed against its price. Source: `cironis2022`.

    Parameters
    ----------
    space
        The controls: one or two numbers, as the values of all their combinations are computed. By default 101 values of one
        control are compared, 11 of each of two; more than two controls need settings `grid` and `later_grid`.
    price
        What a unit of cost is worth, in units of the score. With 0 training goes on up to `max_cost` or to setting `max_epochs`, and
        the best of all trained configurations is recommended; otherwise the one that was trained last, as the theory has it, unless
        setting `recall_best` is true.
    score
        A bad and a good score, such as ``(0.5, 1.0)``; a good one below the bad one is a loss.
    cost
        A typical cost of one training.
    noise
        Standard deviations of the observation noise of score and cost, as shares of their scales.
    max_cost
        No training once so much was spent. The cost of a training that failed counts where it is told.
    seed, journal
        As of :class:`thrifty.Study`.
    **settings
        Settings by the names of ``thrifty.study.settings("budgeted_training")``, and ``degree`` of the polynomials,
        ``score_mean``, ``score_variance``, ``cost_mean``, ``cost_variance`` of their prior coefficients on scales from 0
        (bad) to 1 (good) and in typical costs.

    Examples
    --------
    >>> training = BudgetedTraining(Space().float("size", 0, 1), price=0.02, score=(0.5, 1.0), cost=10.0)
    >>> done = training.run(lambda p: (0.6 + 0.3 * p["size"], 5.0 + 10.0 * p["size"]))
    >>> 1 <= done.trainings < 20
    True
    """

    def __init__(self, space: Space, *, price: float, score: tuple[float, float], cost: float,
                 noise: tuple[float, float] = (0.05, 0.1), max_cost: float | None = None, seed: int = 0,
                 journal: str | os.PathLike[str] | None = None, **settings: Any) -> None:
        bad, good = _two("score", score)
        price, cost = finite("price", price, 0.0), finite("cost", cost, 0.0)
        of_score, of_cost = _two("noise", noise, 0.0)
        if cost == 0.0:
            raise ValueError("cost is 0.0, expected a positive typical cost")
        if bad == good:
            raise ValueError(f"score is {(bad, good)!r}, expected a good score other than the bad one")
        if max_cost is not None and finite("max_cost", max_cost, 0.0) == 0.0:
            raise ValueError("max_cost is 0.0, expected a positive cost")
        controls = len(space.names) if isinstance(space, Space) else 1  # the study refuses what is no space
        if controls > 2 and not {"grid", "later_grid"} <= set(settings):
            raise ValueError(f"the space has {controls} controls, expected one or two, or settings grid and later_grid: all "
                             "combinations of so many values are compared")
        direction = "maximize" if good > bad else "minimize"
        own: dict[str, Any] = {
            "gamma": price * cost / abs(good - bad),
            "noise": {"score": of_score, "cost": of_cost},
            "score": {"affine": {"zero": bad, "one": good}},
            "cost": {"affine": {"zero": 0.0, "one": cost}},
        }
        if controls == 2:
            own["grid"] = own["later_grid"] = GRID_OF_TWO
        if price == 0:
            # Nothing is lost by another training, so that the last one is no choice.
            own["recall_best"] = True
        if max_cost is not None:
            own["max_cost"] = float(max_cost) / cost
        self.study = Study(space, "budgeted_training", seed=seed, direction=direction, journal=journal,
                           **{**own, **settings})

    def tell(self, trial: Trial | int, score: float | None = None, cost: float | None = None, **outcome: Any) -> None:
        """Records score and cost of a training, or with the keywords of :meth:`thrifty.Study.tell` why there is no score.

        Raises
        ------
        ValueError
            For a score without a cost, of which the method could not learn. The trial stays open.
        """
        self.study.tell(trial, score, cost=_cost_of(score, cost), **outcome)

    def run(self, train: Callable[[dict[str, Any]], tuple[float, float]]) -> Trained:
        """Trains until it is not worth it; `train` returns score and cost. Trainings of a resumed journal count."""
        def evaluate(params: dict[str, Any]) -> dict[str, Any]:
            score, cost = train(params)
            return {"value": score, "cost": _cost_of(score, cost)}

        self.study.optimize(evaluate, n_trials=2**31)
        return self.result()

    def result(self) -> Trained:
        """The state now."""
        spent = sum(trial.cost or 0.0 for trial in self.study.trials)
        return Trained(self.study.recommend(), spent, len(self.study), self.stopped or "")


def _two(name: str, values: Any, least: float = -math.inf) -> tuple[float, float]:
    """Two finite numbers from `least` on."""
    try:
        first, second = values
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {values!r}, expected two numbers") from None
    return finite(name, first, least), finite(name, second, least)


def _cost_of(score: float | None, cost: float | None) -> float | None:
    """The cost, which a score needs: a study that recorded a score without one could not go on."""
    if score is not None and cost is None:
        raise ValueError(f"cost is missing: the score {score!r} is told with the cost of its training")
    return cost
