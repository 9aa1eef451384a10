"""Optuna's tree-structured Parzen estimator on the problems of `run tpe/quality`: one CSV line a run.

    python optuna_tpe.py --seeds 100 --only mixcond > runs.csv

The columns: method, problem, seed, and the best regret after 100 and after 200 evaluations.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections.abc import Callable
from typing import Any

import optuna

Values = dict[str, Any]

A = [1.0, 1.2, 3.0, 3.2]
M = [
    [10, 3, 17, 3.5, 1.7, 8],
    [0.05, 10, 17, 0.1, 8, 14],
    [3, 3.5, 1.7, 10, 17, 8],
    [17, 8, 0.05, 10, 0.1, 14],
]
P = [
    [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
    [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
    [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
    [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
]


def branin(x: list[float]) -> float:
    bent = x[1] - 5.1 / (4 * math.pi**2) * x[0] ** 2 + 5 / math.pi * x[0] - 6
    return bent**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x[0]) + 10


def hartmann6(x: list[float]) -> float:
    return -sum(
        a * math.exp(-sum(m * (v - p) ** 2 for m, v, p in zip(ms, x, ps)))
        for a, ms, ps in zip(A, M, P)
    )


def rosenbrock(x: list[float]) -> float:
    return sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(x, x[1:]))


def ackley(x: list[float]) -> float:
    n = len(x)
    root = math.sqrt(sum(v * v for v in x) / n)
    waves = sum(math.cos(2 * math.pi * v) for v in x) / n
    return -20 * math.exp(-0.2 * root) - math.exp(waves) + 20 + math.e


# Function, dimension, bounds, least value.
BOXES: dict[str, tuple[Callable[[list[float]], float], list[tuple[float, float]], float]] = {
    "branin": (branin, [(-5.0, 10.0), (0.0, 15.0)], 0.39788735772973816),
    "hartmann6": (hartmann6, [(0.0, 1.0)] * 6, -3.322368011391339),
    "rosenbrock4": (rosenbrock, [(-5.0, 10.0)] * 4, 0.0),
    "ackley10": (ackley, [(-32.768, 32.768)] * 10, 0.0),
}


def shift(i: int) -> float:
    """By how much of its range parameter i is moved: 0.1 up, 0.12 down, 0.14 up, …."""
    return (0.1 + 0.02 * i) * (-1) ** i


def box(name: str, moved: bool) -> Callable[[optuna.Trial], float]:
    function, bounds, least = BOXES[name]

    def objective(trial: optuna.Trial) -> float:
        x = [trial.suggest_float(f"x{i}", *b) for i, b in enumerate(bounds)]
        if moved:
            x = [v - shift(i) * (b[1] - b[0]) for i, (v, b) in enumerate(zip(x, bounds))]
        return function(x) - least

    return objective


def mixcond(moved: bool) -> Callable[[optuna.Trial], float]:
    """Three architectures with parameters of their own; the second is best, by 0.2 and more."""
    log_lr, log_width, losses = (-1.2, 8, [0.3, 0.0, 0.45, 0.6]) if moved else (-2, 6, [0.6, 0.3, 0.0, 0.45])

    def objective(trial: optuna.Trial) -> float:
        arch = trial.suggest_categorical("arch", [0, 1, 2])
        base = 0.25 * (math.log10(trial.suggest_float("lr", 1e-5, 1.0, log=True)) - log_lr) ** 2
        if arch == 0:
            depth, dropout = trial.suggest_int("depth", 1, 10), trial.suggest_float("dropout", 0, 1)
            return 0.5 + base + 0.05 * abs(depth - 7) + (dropout - 0.3) ** 2
        if arch == 1:
            width = trial.suggest_int("width", 4, 1024, log=True)
            act = trial.suggest_categorical("act", [0, 1, 2, 3])
            return base + 0.1 * (math.log2(width) - log_width) ** 2 + losses[act]
        u, w = trial.suggest_float("u", -5, 5), trial.suggest_float("w", -5, 5)
        return 0.2 + base + 0.02 * ((u - 2) ** 2 + (w - u) ** 2)

    return objective


PROBLEMS: dict[str, Callable[[optuna.Trial], float]] = {
    f"{name}{suffix}": mixcond(moved) if name == "mixcond" else box(name, moved)
    for suffix, moved in (("", False), (" moved", True))
    for name in [*BOXES, "mixcond"]
}

METHODS: dict[str, Values] = {
    "optuna": {},
    "optuna grouped": {"multivariate": True, "group": True},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--only", help="a problem, and its moved form")
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    out = csv.writer(sys.stdout)
    out.writerow(["method", "problem", "seed", "regret 100", "regret 200"])
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        for problem, objective in PROBLEMS.items():
            if arguments.only and problem.split()[0] != arguments.only:
                continue
            for method, options in METHODS.items():
                # Without conditions a group is all parameters: the default again.
                if method != "optuna" and not problem.startswith("mixcond"):
                    continue
                sampler = optuna.samplers.TPESampler(seed=seed, **options)
                study = optuna.create_study(sampler=sampler)
                study.optimize(objective, n_trials=200)
                values = [trial.value for trial in study.trials]
                out.writerow([method, problem, seed, min(values[:100]), min(values)])
                sys.stdout.flush()


if __name__ == "__main__":
    main()
