"""Hyperopt: its tree-structured Parzen estimator, which takes parameters one by one."""

from __future__ import annotations

from typing import Any

from common import Inputs, cpu_minimum, few, missing, mixed_loss, mixed_point, read_inputs, run_tasks

try:
    import math

    import numpy as np
    from hyperopt import JOB_STATE_DONE, Trials, hp, tpe
    from hyperopt.base import Domain
except ImportError as error:
    missing(error)

SPACE = {
    "x0": hp.uniform("x0", -5, 5),
    "x1": hp.uniform("x1", 0, 1),
    "x2": hp.loguniform("x2", math.log(1e-5), 0),
    "x3": hp.loguniform("x3", math.log(1e-3), math.log(1e3)),
    "x4": hp.quniform("x4", 0.5, 64.5, 1),
    "x5": hp.choice("x5", list(range(5))),
}


def suggest(inputs: Inputs, wanted: dict[str, Any], data: None) -> dict[str, Any]:
    """A suggestion after n random trials, and telling its loss."""
    domain, trials, rng = Domain(mixed_loss, SPACE), Trials(), np.random.default_rng(0)

    def done(number: int, point: dict[str, Any]) -> dict[str, Any]:
        return {
            "state": JOB_STATE_DONE,
            "tid": number,
            "spec": None,
            "result": {"status": "ok", "loss": mixed_loss(point)},
            "misc": {
                "tid": number,
                "cmd": domain.cmd,
                "workdir": None,
                "idxs": {name: [number] for name in point},
                "vals": {name: [value] for name, value in point.items()},
            },
            "exp_key": None,
            "owner": None,
            "version": 0,
            "book_time": None,
            "refresh_time": None,
        }

    numbers = trials.new_trial_ids(wanted["n"])
    trials.insert_trial_docs([done(number, mixed_point(rng)) for number in numbers])
    trials.refresh()

    def once() -> None:
        number = trials.new_trial_ids(1)
        trials.refresh()
        document = tpe.suggest(number, domain, trials, int(rng.integers(2**31 - 1)), verbose=False)[0]
        point = {name: value[0] for name, value in document["misc"]["vals"].items()}
        trials.insert_trial_docs([done(number[0], point)])
        trials.refresh()

    timing, _ = cpu_minimum(once, 5 * inputs["seconds"], few(inputs, wanted["n"]))
    return timing


if __name__ == "__main__":
    run_tasks("hyperopt", read_inputs(), {"tpe_single": suggest})
