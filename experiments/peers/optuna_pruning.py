"""Optuna's pruners on curves and draws that `run study/pruning --python` hands over on the standard input.

For each set and pruner one JSON line: the epochs that each replication needed to measure a loss at or below its target.
"""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)


def pruners(steps: int, seed: int) -> dict[str, tuple[optuna.pruners.BasePruner, str]]:
    """The pruners, with the name of the study by which Hyperband draws brackets."""
    name = f"replication {seed}"
    return {
        "median": (optuna.pruners.MedianPruner(n_startup_trials=5), name),
        "ASHA": (optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=3), name),
        "Hyperband": (
            optuna.pruners.HyperbandPruner(min_resource=1, max_resource=steps, reduction_factor=3),
            name,
        ),
    }


def epochs_to(
    pruner: optuna.pruners.BasePruner,
    name: str,
    curves: list[list[float | None]],
    draws: list[int],
    target: float,
    most: int,
) -> int:
    """Epochs until a whole curve ends at or below the target, `most` if none does."""
    study = optuna.create_study(pruner=pruner, study_name=name)
    spent = 0
    for draw in draws:
        curve = curves[draw]
        trial = study.ask()
        pruned = False
        for step, value in enumerate(curve, start=1):
            if spent == most:
                return most
            spent += 1
            trial.report(math.nan if value is None else value, step)
            if step < len(curve) and trial.should_prune():
                pruned = True
                break
        last = curve[-1]
        if pruned or last is None:
            study.tell(trial, state=optuna.trial.TrialState.PRUNED)
            continue
        study.tell(trial, last)
        if last <= target:
            return spent
    return most


def main() -> None:
    requests: list[dict[str, Any]] = json.load(sys.stdin)
    for request in requests:
        steps = len(request["curves"][0])
        for pruner in pruners(steps, 0):
            epochs = [
                epochs_to(
                    *pruners(steps, seed)[pruner],
                    request["curves"],
                    draws,
                    request["targets"][seed],
                    request["epochs"],
                )
                for seed, draws in enumerate(request["draws"])
            ]
            answer = {"set": request["name"], "pruner": pruner, "epochs": epochs, "version": optuna.__version__}
            print(json.dumps(answer), flush=True)


main()
