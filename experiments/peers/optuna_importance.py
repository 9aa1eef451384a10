"""Importances of Optuna on five studies whose exact shares of variance are known, as JSON for a golden test.

    python optuna_importance.py > ../../crates/interfaces/report/tests/golden/importance.json

Optuna takes whole numbers for an interval between the bounds, which gives the outer ones half a weight: parameters have two
levels, or all the same number of levels, so that both definitions agree. Functional ANOVA is evaluated with 20 seeds: mean and standard deviation per parameter.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.importance import FanovaImportanceEvaluator, PedAnovaImportanceEvaluator, get_param_importances

Values = dict[str, Any]
SEEDS = 20


def level(low: int, high: int) -> IntDistribution:
    return IntDistribution(low, high)


# Name, distributions, number of trials, objective, exact share of each parameter by itself.
STUDIES: list[tuple[str, dict[str, Any], int, Callable[[Values], float], dict[str, float]]] = [
    # Var of a uniform level in 0..3 is 5/4: 5/4 and 4 * 5/4.
    ("additive levels", {"a": level(0, 3), "b": level(0, 3)}, 500, lambda v: v["a"] + 2 * v["b"], {"a": 0.2, "b": 0.8}),
    # a b with levels -1 and 1 is interaction alone; 2 c has variance 1, as the product.
    (
        "interaction",
        {"a": level(0, 1), "b": level(0, 1), "c": level(0, 1)},
        400,
        lambda v: (2 * v["a"] - 1) * (2 * v["b"] - 1) + 2 * v["c"],
        {"a": 0.0, "b": 0.0, "c": 0.5},
    ),
    # Two choices with distance 1 have variance 1/4, two levels with distance 3 have 9/4.
    (
        "choices",
        {"solver": CategoricalDistribution(["sgd", "adam"]), "depth": level(1, 2)},
        400,
        lambda v: float(v["solver"] == "adam") + 3 * v["depth"],
        {"solver": 0.1, "depth": 0.9},
    ),
    # Steps of heights 1 and 2: 3/16 and 4/4.
    (
        "steps",
        {"x": FloatDistribution(0, 1), "y": FloatDistribution(0, 1)},
        400,
        lambda v: float(v["x"] > 0.25) + 2 * float(v["y"] > 0.5),
        {"x": (3 / 16) / (3 / 16 + 1), "y": 1 / (3 / 16 + 1)},
    ),
    # Slopes 3 and 4: 9/25 and 16/25.
    (
        "slopes",
        {"x": FloatDistribution(0, 1), "y": FloatDistribution(0, 1)},
        600,
        lambda v: 3 * v["x"] + 4 * v["y"],
        {"x": 0.36, "y": 0.64},
    ),
]


def draw(rng: np.random.Generator, distribution: Any) -> Any:
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[int(rng.integers(len(distribution.choices)))]
    if isinstance(distribution, IntDistribution):
        return int(rng.integers(distribution.low, distribution.high + 1))
    return round(float(rng.uniform(distribution.low, distribution.high)), 6)


def kind(name: str, distribution: Any) -> Values:
    if isinstance(distribution, CategoricalDistribution):
        return {"name": name, "kind": "categorical", "choices": list(distribution.choices)}
    if isinstance(distribution, IntDistribution):
        return {"name": name, "kind": "int", "low": distribution.low, "high": distribution.high, "step": 1}
    return {"name": name, "kind": "float", "low": distribution.low, "high": distribution.high}


def main() -> None:
    warnings.filterwarnings("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    studies = []
    for number, (title, distributions, count, objective, exact) in enumerate(STUDIES):
        rng = np.random.default_rng(number)
        study = optuna.create_study()
        trials = []
        for _ in range(count):
            values = {name: draw(rng, distribution) for name, distribution in distributions.items()}
            loss = objective(values)
            trials.append([loss, *values.values()])
            study.add_trial(optuna.trial.create_trial(params=values, distributions=distributions, value=loss))
        anova = [
            get_param_importances(study, evaluator=FanovaImportanceEvaluator(seed=seed), normalize=False)
            for seed in range(SEEDS)
        ]
        studies.append({
            "study": title,
            "space": [kind(name, distribution) for name, distribution in distributions.items()],
            "exact": [exact[name] for name in distributions],
            "fanova_mean": [float(np.mean([run[name] for run in anova])) for name in distributions],
            "fanova_std_dev": [float(np.std([run[name] for run in anova], ddof=1)) for name in distributions],
            "ped_anova": [
                get_param_importances(study, evaluator=PedAnovaImportanceEvaluator())[name]
                for name in distributions
            ],
            "trials": trials,
        })
    made_by = f"experiments/peers/optuna_importance.py with optuna {optuna.__version__}"
    json.dump({"made_by": made_by, "studies": studies}, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
