"""Finds good settings of expensive things with few evaluations.

>>> import thrifty
>>> space = thrifty.Space().float("rate", 1e-4, 1.0, log=True).int("depth", 1, 10)
>>> study = thrifty.Study(space, seed=7)
>>> best = study.optimize(lambda p: abs(p["rate"] - 0.01) + 0.01 * (p["depth"] - 6) ** 2, n_trials=20)
>>> best.value < 0.05
True
"""

from typing import TYPE_CHECKING, Any

from . import pareto
from ._thrifty import __version__
from .budget import BudgetedTraining, Trained
from .level_set import Classification, ClassifiedPoint, LevelSet
from .space import Space
from .study import Best, Pruned, Study, Trial, TrialRecord

if TYPE_CHECKING:
    from .gaussian_process import GaussianProcessRegressor as GaussianProcessRegressor

# Without GaussianProcessRegressor, so that `from thrifty import *` needs no scikit-learn.
__all__ = [
    "Best",
    "BudgetedTraining",
    "Classification",
    "ClassifiedPoint",
    "LevelSet",
    "Pruned",
    "Space",
    "Study",
    "Trained",
    "Trial",
    "TrialRecord",
    "__version__",
    "pareto",
]


def __getattr__(name: str) -> Any:
    # It needs scikit-learn, the rest does not.
    if name == "GaussianProcessRegressor":
        from .gaussian_process import GaussianProcessRegressor

        return GaussianProcessRegressor
    raise AttributeError(f"module 'thrifty' has no attribute {name!r}")
