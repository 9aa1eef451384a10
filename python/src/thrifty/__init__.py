"""Finds good settings of expensive things with few evaluations.

>>> import thrifty
>>> space = thrifty.Space().float("rate", 1e-4, 1.0, log=True).int("depth", 1, 10)
>>> study = thrifty.Study(space, seed=7)
>>> best = study.optimize(lambda p: abs(p["rate"] - 0.01) + 0.01 * (p["depth"] - 6) ** 2, n_trials=20)
>>> best.value < 0.05
True
"""

from ._thrifty import __version__
from .space import Space
from .study import Best, Study, Trial, TrialRecord

__all__ = ["Best", "Space", "Study", "Trial", "TrialRecord", "__version__"]
