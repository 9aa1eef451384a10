"""Values of the BBOB functions as the COCO platform computes them, for the golden test of `thrifty-testbed`.

    venv/bin/python coco_values.py > ../../tests/golden/bbob.json

Every function at four points: the noiseless ones in three dimensions on two instances, the noisy ones in one on one. The noise of the
platform starts anew with every problem, so that the order of the points is part of the file.
"""

from __future__ import annotations

import json
import random
from importlib.metadata import version
from typing import Any

from common import missing

try:
    import cocoex
except ImportError as error:
    missing(error)

DIMENSIONS, INSTANCES, POINTS = (2, 5, 10), (1, 3), 4


def problem(suite: str, function: int, dim: int, instance: int) -> Any:
    """One problem; the suites know a function by its number within the suite."""
    options = f"function_indices: {function} dimensions: {dim} instance_indices: 1"
    return next(iter(cocoex.Suite(suite, f"instances: {instance}", options)))


def points(rng: random.Random, dim: int) -> list[list[float]]:
    """Points of the box with few digits."""
    return [[round(rng.uniform(-5, 5), 3) for _ in range(dim)] for _ in range(POINTS)]


def main() -> None:
    rng = random.Random(1)
    at = {dim: points(rng, dim) for dim in DIMENSIONS}
    values = [
        {"function": f, "dim": dim, "instance": i, "values": [problem("bbob", f, dim, i)(x) for x in at[dim]]}
        for f in range(1, 25)
        for dim in DIMENSIONS
        for i in INSTANCES
    ]
    noisy = [
        {"function": 100 + f, "dim": 5, "instance": 2, "values": list(map(problem("bbob-noisy", f, 5, 2), at[5]))}
        for f in range(1, 31)
    ]
    made_by = f"coco-experiment {version('coco-experiment')}, experiments/peers/coco_values.py"
    head = {"made_by": made_by, "points": at}
    print("{")
    for key, value in head.items():
        print(f" {json.dumps(key)}: {json.dumps(value)},")
    for key, rows in (("noiseless", values), ("noisy", noisy)):
        end = "," if key == "noiseless" else ""
        print(f" {json.dumps(key)}: [\n  " + ",\n  ".join(map(json.dumps, rows)) + f"\n ]{end}")
    print("}")


if __name__ == "__main__":
    main()
