"""fcvopt: an iteration of fractional cross-validation on a synthetic loss of ten folds in two dimensions."""

from __future__ import annotations

import logging
import math
import shutil
import tempfile
import time
from typing import Any

from common import Inputs, missing, read_inputs, run_tasks

try:
    import torch

    torch.set_num_threads(1)
    from ConfigSpace import Float
    from fcvopt.configspace import ConfigurationSpace
    from fcvopt.optimizers import FCVOpt
except ImportError as error:
    missing(error)

FOLDS, INITIAL, TIMED = 10, 10, 3


def fold_loss(x: dict[str, float], fold: int) -> float:
    """The loss that Thrifty is timed on."""
    a, b = x["x0"], x["x1"]
    wave = 0.15 * math.sin(2.1 * fold + 3 * a) + 0.1 * math.cos(fold + 2 * b)
    return math.sin(5 * a) + (b - 0.6) ** 2 + wave


def iteration(rule: str):
    """CPU time between one evaluation and the next: fit, acquisition, fold, bookkeeping; the least of the last ones."""

    def run(inputs: Inputs, wanted: dict[str, Any], data: None) -> dict[str, Any]:
        for name in ("mlflow", "alembic"):
            logging.getLogger(name).setLevel(logging.ERROR)
        ended: list[float] = []
        gaps: list[float] = []

        def objective(params: dict[str, float], fold_idxs: list[int]) -> float:
            if ended:
                gaps.append(time.process_time() - ended[-1])
            loss = sum(fold_loss(params, fold) for fold in fold_idxs) / len(fold_idxs)
            ended.append(time.process_time())
            return loss

        space = ConfigurationSpace(seed=1)
        space.add([Float("x0", bounds=(0.0, 1.0)), Float("x1", bounds=(0.0, 1.0))])
        folder = tempfile.mkdtemp()
        try:
            optimizer = FCVOpt(
                obj=objective,
                config=space,
                n_folds=FOLDS,
                fold_initialization="stratified",
                acq_function=rule,
                seed=1,
                n_jobs=1,
                verbose=0,
                tracking_dir=folder,
            )
            optimizer.run(wanted["n"] - INITIAL + TIMED, n_init=INITIAL)
            optimizer.end_run()
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        last = gaps[-TIMED:]
        return {"cpu_ms": 1e3 * min(last), "repeats": len(last)}

    return run


if __name__ == "__main__":
    run_tasks("fcvopt", read_inputs(), {"fcv_bound": iteration("LCB"), "fcv_knowledge": iteration("KG")})
