"""rustuna: its tree-structured Parzen estimator."""

from __future__ import annotations

from typing import Any

from common import Inputs, few, missing, mixed_loss, read_inputs, run_tasks

try:
    import time

    import rustuna
except ImportError as error:
    missing(error)


def suggest(inputs: Inputs, wanted: dict[str, Any], joint: bool) -> dict[str, Any]:
    """A suggestion after n random trials, and telling its loss: the time from one objective to the next."""
    sampler = rustuna.samplers.TPESampler(seed=0, n_startup_trials=wanted["n"], multivariate=joint)
    study, repeats = rustuna.create_study(sampler=sampler), few(inputs, wanted["n"])
    times: list[float] = []

    def objective(trial: Any) -> float:
        times.append(time.process_time())
        return mixed_loss(
            {
                "x0": trial.suggest_float("x0", -5, 5),
                "x1": trial.suggest_float("x1", 0, 1),
                "x2": trial.suggest_float("x2", 1e-5, 1, log=True),
                "x3": trial.suggest_float("x3", 1e-3, 1e3, log=True),
                "x4": trial.suggest_int("x4", 1, 64),
                "x5": trial.suggest_categorical("x5", list(range(5))),
            }
        )

    study.optimize(objective, n_trials=wanted["n"] + repeats + 1)
    after = times[wanted["n"] :]
    least = min(later - earlier for earlier, later in zip(after, after[1:]))
    return {"cpu_ms": 1e3 * least, "repeats": repeats}


if __name__ == "__main__":
    run_tasks(
        "rustuna",
        read_inputs(),
        {
            "tpe_single": lambda inputs, wanted, data: suggest(inputs, wanted, joint=False),
            "tpe_joint": lambda inputs, wanted, data: suggest(inputs, wanted, joint=True),
        },
    )
