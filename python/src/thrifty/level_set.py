"""Level sets: where a function is above a threshold."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._around import AroundStudy
from ._checks import real
from .space import Space
from .study import Study, Trial

LABELS = ("above", "below", "undecided")
"""Labels of points."""


@dataclass(frozen=True)
class ClassifiedPoint:
    """A configuration with its label: `above`, `below` or `undecided`.

    `probability` is that of being above; `interval` is the confidence interval that decided.
    """

    params: dict[str, Any]
    label: str
    mean: float
    std_dev: float
    interval: tuple[float, float]
    probability: float


@dataclass(frozen=True)
class Classification:
    """A classified domain. `misclassified` is the share of points that is expected to be on the wrong side."""

    points: list[ClassifiedPoint]
    threshold: float
    threshold_bounds: tuple[float, float]
    misclassified: float

    def share(self, label: str) -> float:
        """Share of the points with a label: `above`, `below` or `undecided`."""
        if label not in LABELS:
            raise ValueError(f"label is {label!r}, expected one of {', '.join(LABELS)}")
        return sum(point.label == label for point in self.points) / len(self.points)


class LevelSet(AroundStudy):
    """Study that classifies a space: is the function above a threshold?

    Parameters
    ----------
    space
        The search space.
    threshold
        The threshold on the values that are told. None: `omega` times the unknown maximum.
    omega
        Share of the maximum over the space (over the candidates or the grid, if `over` has one), in (0, 1), without a threshold.
    seed, journal
        As of :class:`thrifty.Study`.
    **settings
        Settings by the names of ``thrifty.study.settings("level_set")``, such as ``criterion`` and ``epsilon``.

    Examples
    --------
    >>> level = LevelSet(Space().float("x", 0, 1), threshold=0.25, seed=1)
    >>> found = level.run(lambda p: p["x"] ** 2, n_trials=20)
    >>> wrong = [p for p in found.points if (p.params["x"] > 0.5) != (p.probability > 0.5)]
    >>> len(wrong) / len(found.points) < 0.02
    True
    """

    def __init__(self, space: Space, threshold: float | None = None, *, omega: float | None = None, seed: int = 0,
                 journal: str | os.PathLike[str] | None = None, **settings: Any) -> None:
        if (threshold is None) == (omega is None):
            raise ValueError("expected exactly one of threshold and omega")
        level: dict[str, Any] = {"implicit": {"omega": omega}} if threshold is None else {"fixed": real("threshold", threshold)}
        self.study = Study(space, "level_set", seed=seed, journal=journal, threshold=level, **settings)

    def tell(self, trial: Trial | int, value: float | None = None, **outcome: Any) -> None:
        """Records how a trial ended, with the keywords of :meth:`thrifty.Study.tell`."""
        self.study.tell(trial, value, **outcome)

    def run(self, function: Callable[[dict[str, Any]], Any], n_trials: int) -> Classification:
        """Evaluates at most so many trials, those of a resumed journal included."""
        self.study.optimize(function, n_trials)
        return self.classify()

    def classify(self) -> Classification:
        """The space as it is classified now, by its points.

        Raises
        ------
        RuntimeError
            Before anything was measured.
        """
        found = self.study._study.classified()
        if found is None:
            raise RuntimeError("nothing was measured yet")
        points, (estimate, low, high), misclassified = found
        decode = self.study.space.decode
        return Classification([ClassifiedPoint(decode(values), *rest) for values, *rest in points], estimate, (low, high),
                              misclassified)
