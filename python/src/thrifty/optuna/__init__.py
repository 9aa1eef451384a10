"""Samplers for Optuna. Storage, workers, pruners and dashboard stay Optuna's.

>>> import optuna
>>> from thrifty.optuna import GPSampler
>>> optuna.logging.set_verbosity(optuna.logging.ERROR)
>>> study = optuna.create_study(sampler=GPSampler(seed=1))
>>> study.optimize(lambda trial: (trial.suggest_float("x", -10, 10) - 2) ** 2, n_trials=20)
>>> study.best_value < 1e-3
True
"""

from ._journals import Carried, from_journal, journal_space, to_journal
from ._sampler import EHVISampler, GPSampler, Sampler, TPESampler

__all__ = [
    "Carried",
    "EHVISampler",
    "GPSampler",
    "Sampler",
    "TPESampler",
    "from_journal",
    "journal_space",
    "to_journal",
]
