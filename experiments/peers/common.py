"""What every peer script shares: the inputs, the clock, and JSON lines out.

A script reads one JSON file (its argument, or stdin) and prints one JSON object a line::

    {"version": "1.9.1"}
    {"task": "likelihood", "n": 100, "cpu_ms": 3.1, "repeats": 41, ...what the task found}
    {"task": "acquisition", "n": 100, "unsupported": "why"}
    {"missing": "No module named 'botorch'"}

Importing this module before numpy or torch holds their thread pools to one thread.
"""

from __future__ import annotations

import os

for _pool in ("OMP", "OPENBLAS", "MKL", "RAYON", "NUMEXPR"):
    os.environ[f"{_pool}_NUM_THREADS"] = "1"

import json
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, TypeVar

Result = TypeVar("Result")
Inputs = dict[str, Any]
Task = Callable[..., dict[str, Any]]


class Unsupported(Exception):
    """The peer does not offer this task; the message says why."""


def read_inputs() -> Inputs:
    """The inputs from the file named by the first argument, or from stdin."""
    warnings.filterwarnings("ignore")
    if len(sys.argv) > 1:
        with open(sys.argv[1], encoding="utf-8") as file:
            return json.load(file)
    return json.load(sys.stdin)


def emit(**line: Any) -> None:
    """Prints one result as one line of JSON."""
    print(json.dumps(line), flush=True)


def missing(error: ImportError) -> None:
    """Says that the peer is not installed and ends in peace: a missing peer is skipped."""
    emit(missing=str(error))
    sys.exit(0)


def cpu_minimum(run: Callable[[], Result], seconds: float, repeats: int) -> tuple[dict[str, Any], Result]:
    """The least process-CPU time of `run` over at most `repeats` calls, and what its last call returned.

    One call always; more for as long as less than `seconds` of CPU time are gone. The first call is counted as
    the others are: it pays for what is cached, and the minimum forgets it as soon as there is a second.
    """
    times: list[float] = []
    while True:
        began = time.process_time()
        result = run()
        times.append(time.process_time() - began)
        if len(times) >= repeats or sum(times) >= seconds:
            return {"cpu_ms": 1e3 * min(times), "repeats": len(times)}, result


# Suggestions in a row whose mean time is that of one.
ASKS = 5


def mean_of_asks(run: Callable[[], Any]) -> dict[str, Any]:
    """The CPU time of one of the `ASKS` suggestions that `run` makes: the least of two calls.

    The first may pay for what a library loads and caches.
    """
    timing, _ = cpu_minimum(run, float("inf"), 2)
    return {"cpu_ms": timing["cpu_ms"] / ASKS, "repeats": timing["repeats"] * ASKS}


def fastest(ways: list[Callable[[], Result]], inputs: Inputs) -> tuple[dict[str, Any], Result]:
    """The timing and result of the fastest of several ways to the same result."""
    tried = [cpu_minimum(way, inputs["seconds"], inputs["repeats"]) for way in ways]
    return min(tried, key=lambda timed: timed[0]["cpu_ms"])


def run_tasks(package: str, inputs: Inputs, tasks: dict[str, Task]) -> None:
    """Says the package's version, then runs what the inputs list and `tasks` offers.

    A task that is no part of the package is left out. One that fails is reported and does not stop those after it.
    """
    emit(version=version(package))
    for wanted in inputs["tasks"]:
        name, n = wanted["task"], wanted["n"]
        head = {key: wanted[key] for key in ("task", "n", "m", "seed") if key in wanted}
        if name not in tasks:
            continue
        try:
            emit(**head, **tasks[name](inputs, wanted, inputs["data"].get(str(n))))
        except Unsupported as why:
            emit(**head, unsupported=str(why))
        except Exception as error:  # noqa: BLE001 - whatever a peer raises is a result of that peer
            emit(**head, failed=f"{type(error).__name__}: {error}"[:300])


def hartmann6(point: Any) -> float:
    """The six-dimensional Hartmann function on the unit cube, to be minimised (optimum -3.32237)."""
    import numpy as np

    a = np.array([[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14],
                  [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]])
    p = 1e-4 * np.array([[1312, 1696, 5569, 124, 8283, 5886], [2329, 4135, 8307, 3736, 1004, 9991],
                         [2348, 1451, 3522, 2883, 3047, 6650], [4047, 8828, 8732, 5743, 1091, 381]])
    weights = np.array([1.0, 1.2, 3.0, 3.2])
    return -float(weights @ np.exp(-(a * (np.asarray(point) - p) ** 2).sum(axis=1)))


def mixed_point(rng: Any) -> dict[str, Any]:
    """A random point of the mixed space: two numbers, two by their logarithm, a whole number, a choice of five."""
    import math

    return {
        "x0": float(rng.uniform(-5, 5)),
        "x1": float(rng.uniform(0, 1)),
        "x2": math.exp(rng.uniform(math.log(1e-5), 0)),
        "x3": math.exp(rng.uniform(math.log(1e-3), math.log(1e3))),
        "x4": int(rng.integers(1, 65)),
        "x5": int(rng.integers(0, 5)),
    }


def mixed_loss(x: dict[str, Any]) -> float:
    """A simple loss on the mixed space."""
    import math

    slopes = abs(math.log10(x["x2"]) + 3) + abs(math.log10(x["x3"]))
    return (x["x0"] - 1) ** 2 + x["x1"] + slopes + 0.01 * abs(x["x4"] - 20) + 0.3 * x["x5"]


def few(inputs: Inputs, n: int) -> int:
    """How often to repeat what adds a trial each time: seldom, or n is another."""
    return max(1, min(inputs["repeats"], n // 10))
