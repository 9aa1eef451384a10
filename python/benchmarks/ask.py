"""Prints CPU milliseconds of asks: Thrifty's samplers and Optuna's, both in one process on the same trials.

`first` is the first ask, which reads all trials; `median` is of the asks after it; `method` is the median share of the
compiled method in them. Run `python benchmarks/ask.py`.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from thrifty.optuna import GPSampler, TPESampler
from thrifty.optuna import _feed

MIXED: dict[str, Any] = {f"x{i}": FloatDistribution(0, 1) for i in range(6)} | {
    "rate": FloatDistribution(1e-5, 1e-1, log=True), "n": IntDistribution(1, 10),
    "c": CategoricalDistribution(["a", "b", "c"]), "step": FloatDistribution(0, 1, step=0.1)}
SMALL: dict[str, Any] = {f"x{i}": FloatDistribution(0, 1) for i in range(4)} | {
    "rate": FloatDistribution(1e-5, 1e-1, log=True), "c": CategoricalDistribution(["a", "b", "c"])}


def losses(params: dict[str, Any], objectives: int) -> list[float]:
    """One or two smooth losses with some noise of rounding."""
    numbers = [value for name, value in params.items() if name.startswith("x")]
    first = sum((x - 0.3) ** 2 for x in numbers) + 0.1 * abs(np.log10(params["rate"]) + 3) + 0.2 * (params["c"] != "b")
    return [float(first), float(sum((x - 0.7) ** 2 for x in numbers))][:objectives]


def study(sampler: Any, distributions: dict[str, Any], trials: int, objectives: int) -> optuna.Study:
    """A study with so many random trials of another sampler."""
    made = optuna.create_study(directions=["minimize"] * objectives, sampler=sampler)
    source = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    for _ in range(trials):
        params = source.ask(distributions).params
        made.add_trial(optuna.create_trial(params=params, distributions=distributions, values=losses(params, objectives)))
    return made


class Clock:
    """CPU time inside the compiled method."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def watch(self, engine: Any) -> Any:
        """An engine whose asks are timed."""
        clock = self

        class Watched:
            def __getattr__(self, name: str) -> Any:
                return getattr(engine, name)

            def __len__(self) -> int:
                return len(engine)

            def ask(self, *arguments: Any) -> Any:
                began = time.process_time()
                try:
                    return engine.ask(*arguments)
                finally:
                    clock.seconds += time.process_time() - began

        return Watched()


def measure(name: str, make: Callable[[], Any], distributions: dict[str, Any], trials: int, objectives: int, asks: int) -> None:
    """Prints one row."""
    clock = Clock()
    original = _feed._thrifty.Engine
    _feed._thrifty.Engine = lambda *a: clock.watch(original(*a))
    try:
        made = study(make(), distributions, trials, objectives)
        whole, inside = [], []
        for _ in range(asks + 1):
            clock.seconds = 0.0
            began = time.process_time()
            trial = made.ask(distributions)
            whole.append(1e3 * (time.process_time() - began))
            inside.append(1e3 * clock.seconds)
            made.tell(trial, losses(trial.params, objectives))
    finally:
        _feed._thrifty.Engine = original
    shown = f"{statistics.median(inside[1:]):9.2f}" if any(inside) else " " * 9
    print(f"{objectives:10} {trials:7} {name:12} {whole[0]:9.1f} {statistics.median(whole[1:]):9.2f} {shown}", flush=True)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--asks", type=int, default=20)
    parser.add_argument("--tpe", type=int, nargs="*", default=[100, 1000, 10000])
    parser.add_argument("--gp", type=int, nargs="*", default=[50, 200, 500])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    has_torch = importlib.util.find_spec("torch") is not None
    if not has_torch:
        print("torch is not installed: Optuna's GPSampler is left out")
    print(f"{'objectives':>10} {'trials':>7} {'sampler':12} {'first':>9} {'median':>9} {'method':>9}")
    for trials in arguments.tpe:
        asks = arguments.asks if trials < 10000 else max(2, arguments.asks // 2)
        measure("thrifty TPE", lambda: TPESampler(seed=1), MIXED, trials, 1, asks)
        measure("optuna TPE", lambda: optuna.samplers.TPESampler(seed=1), MIXED, trials, 1, asks)
    for objectives, trials in [(1, n) for n in arguments.gp] + [(2, n) for n in arguments.gp if n <= 200]:
        asks = max(2, arguments.asks // (1 if trials <= 200 else 3))
        measure("thrifty GP", lambda: GPSampler(seed=1), SMALL, trials, objectives, asks)
        if has_torch:
            measure("optuna GP", lambda: optuna.samplers.GPSampler(seed=1), SMALL, trials, objectives, max(2, asks // 2))


if __name__ == "__main__":
    main()
