"""moocore: hypervolumes and non-dominated ranks, which it computes in C."""

from __future__ import annotations

from typing import Any

from common import Inputs, cpu_minimum, missing, read_inputs, run_tasks

try:
    import moocore
    import numpy as np
except ImportError as error:
    missing(error)


def hypervolume(inputs: Inputs, wanted: dict[str, Any], data: None) -> dict[str, Any]:
    """The exact hypervolume of a front."""
    fronts = inputs["fronts"]
    front = np.array(fronts["spheres"][f"{wanted['n']} {wanted['m']}"])
    reference = np.full(wanted["m"], fronts["reference"])
    volume = moocore.Hypervolume(ref=reference)
    timing, value = cpu_minimum(lambda: float(volume(front)), inputs["seconds"], inputs["repeats"])
    return {**timing, "values": [value]}


def ranks(inputs: Inputs, wanted: dict[str, Any], data: None) -> dict[str, Any]:
    """Non-dominated ranks of uniform points."""
    cloud = np.array(inputs["fronts"]["clouds"][f"{wanted['n']} {wanted['m']}"])
    timing, found = cpu_minimum(lambda: moocore.pareto_rank(cloud), inputs["seconds"], inputs["repeats"])
    return {**timing, "values": [float(found.mean())]}


if __name__ == "__main__":
    run_tasks("moocore", read_inputs(), {"hypervolume": hypervolume, "ranks": ranks})
