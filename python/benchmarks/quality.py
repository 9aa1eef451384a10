"""Compares samplers with Optuna's on ten problems on which no setting of this library was chosen, at equal trials.

Declared before any run: for each pair (`GPSampler` against Optuna's `GPSampler`, which needs torch, and `TPESampler`; `TPESampler` against Optuna's
`TPESampler`), over the seeds of each problem,

* close: the median over seeds of log10 regret is larger by at most 0.1 on every problem, which is no test;
* superior: one-sided Wilcoxon signed-rank test of the log10 regret, 5 % with Holm's correction over the problems.

Not declared before, and printed beside them: not inferior, the same test of the regret less 0.1.

`random` is the comparison made worse on purpose: our samplers must be superior to it. The same seed number is a pair; regrets
below 1e-8 count as 1e-8. Only seeds that all samplers of a run have are compared, and fewer than 20 of them are called
inconclusive. The comparison with Optuna's `GPSampler` is made at 40 trials, because of its cost; the others at 60.

Run `python benchmarks/quality.py --seeds 20 --trials 60`. Lines that are in the file of `--out` already are not run again, so that a run
that was ended goes on.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import math
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402
import optuna  # noqa: E402
from scipy.stats import wilcoxon  # noqa: E402

from thrifty.optuna import GPSampler, TPESampler  # noqa: E402

SMALLEST = 1e-8
MARGIN = 0.1
LEAST = 20
"""Fewer seeds decide nothing."""
Problem = tuple[Callable[[optuna.Trial], float], float]


def floats(count: int, low: float, high: float) -> Callable[[optuna.Trial], np.ndarray]:
    """Suggests so many numbers."""
    return lambda trial: np.array([trial.suggest_float(f"x{at}", low, high) for at in range(count)])


def powell() -> Problem:
    def value(trial: optuna.Trial) -> float:
        a, b, c, d = floats(4, -4, 5)(trial)
        return float((a + 10 * b) ** 2 + 5 * (c - d) ** 2 + (b - 2 * c) ** 4 + 10 * (a - d) ** 4)
    return value, 0.0


def dixon_price(count: int) -> Problem:
    def value(trial: optuna.Trial) -> float:
        x = floats(count, -10, 10)(trial)
        return float((x[0] - 1) ** 2 + np.sum(np.arange(2, count + 1) * (2 * x[1:] ** 2 - x[:-1]) ** 2))
    return value, 0.0


def zakharov(count: int) -> Problem:
    def value(trial: optuna.Trial) -> float:
        x = floats(count, -5, 10)(trial)
        slope = float(np.sum(0.5 * np.arange(1, count + 1) * x))
        return float(x @ x) + slope**2 + slope**4
    return value, 0.0


def trid(count: int) -> Problem:
    def value(trial: optuna.Trial) -> float:
        x = floats(count, -(count**2), count**2)(trial)
        return float(np.sum((x - 1) ** 2) - np.sum(x[1:] * x[:-1]))
    return value, -count * (count + 4) * (count - 1) / 6


def alpine(count: int) -> Problem:
    def value(trial: optuna.Trial) -> float:
        x = floats(count, -9, 10)(trial)
        return float(np.sum(np.abs(x * np.sin(x) + 0.1 * x)))
    return value, 0.0


def salomon(count: int) -> Problem:
    def value(trial: optuna.Trial) -> float:
        r = float(np.linalg.norm(floats(count, -10, 10)(trial) - 1.7))
        return 1 - math.cos(2 * math.pi * r) + 0.1 * r
    return value, 0.0


def beale() -> Problem:
    def value(trial: optuna.Trial) -> float:
        x, y = floats(2, -4.5, 4.5)(trial)
        return float((1.5 - x + x * y) ** 2 + (2.25 - x + x * y**2) ** 2 + (2.625 - x + x * y**3) ** 2)
    return value, 0.0


def three_hump_camel() -> Problem:
    def value(trial: optuna.Trial) -> float:
        x, y = floats(2, -4.5, 5)(trial)
        return float(2 * x**2 - 1.05 * x**4 + x**6 / 6 + x * y + y**2)
    return value, 0.0


def mixed() -> Problem:
    """A smooth loss of a rate on a log scale, a whole number and a choice that moves the minimum."""
    def value(trial: optuna.Trial) -> float:
        rate = math.log10(trial.suggest_float("rate", 1e-5, 1e-1, log=True))
        depth, kind = trial.suggest_int("depth", 1, 12), trial.suggest_categorical("kind", ["a", "b", "c"])
        x = trial.suggest_float("x", 0, 1)
        at, floor = {"a": (-2.0, 0.2), "b": (-3.3, 0.0), "c": (-4.0, 0.4)}[kind]
        return (rate - at) ** 2 + 0.02 * (depth - 7) ** 2 + (x - 0.37) ** 2 * (1 + abs(rate - at)) + floor
    return value, 0.0


def stepped() -> Problem:
    """A quadratic with a correlation on a grid in two of four dimensions."""
    def value(trial: optuna.Trial) -> float:
        a, b = (trial.suggest_float(name, -2, 2, step=0.25) for name in "ab")
        c, d = (trial.suggest_float(name, -2, 2) for name in "cd")
        return (a - 0.5) ** 2 + (b + 1.25) ** 2 + (c - a) ** 2 + (d + b) ** 2 + 0.5 * (c - 0.5) * (d - 1.25)
    return value, 0.0


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "powell4": powell, "dixon_price3": lambda: dixon_price(3), "zakharov4": lambda: zakharov(4),
    "trid3": lambda: trid(3), "alpine3": lambda: alpine(3), "salomon3": lambda: salomon(3),
    "beale": beale, "three_hump_camel": three_hump_camel, "mixed": mixed, "stepped": stepped}

SAMPLERS = {"thrifty GP": lambda seed: GPSampler(seed=seed), "optuna GP": lambda seed: optuna.samplers.GPSampler(seed=seed),
            "thrifty TPE": lambda seed: TPESampler(seed=seed), "optuna TPE": lambda seed: optuna.samplers.TPESampler(seed=seed),
            "random": lambda seed: optuna.samplers.RandomSampler(seed=seed)}

PAIRS = [("thrifty GP", "optuna GP"), ("thrifty GP", "optuna TPE"), ("thrifty TPE", "optuna TPE"), ("thrifty GP", "random"), ("thrifty TPE", "random")]


def regret(problem: str, sampler: str, seed: int, trials: int) -> float:
    """The log10 regret of one search."""
    value, least = PROBLEMS[problem]()
    study = optuna.create_study(sampler=SAMPLERS[sampler](seed))
    study.optimize(value, n_trials=trials)
    return math.log10(max(study.best_value - least, SMALLEST))


def holm(p_values: list[float]) -> list[float]:
    """P values with Holm's correction."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, at in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[at]))
        corrected[at] = largest
    return corrected


def smaller(ours: list[float], theirs: list[float]) -> float:
    """P value of the one-sided test that regrets are smaller."""
    return 1.0 if ours == theirs else float(wilcoxon(ours, theirs, alternative="less").pvalue)


def shown(found: dict[tuple[str, str], list[float]], ours: str, theirs: str, margin: float) -> tuple[list[str], list[float]]:
    """Problems on which regrets less the margin are smaller, and the corrected P value of each problem."""
    p_values = holm([smaller([value - margin for value in found[p, ours]], found[p, theirs]) for p in PROBLEMS])
    return [p for p, value in zip(PROBLEMS, p_values, strict=True) if value < 0.05], p_values


def verdicts(found: dict[tuple[str, str], list[float]], samplers: list[str], seeds: int) -> None:
    """Prints the claims that the samplers of a run allow."""
    for ours, theirs in PAIRS:
        if not {ours, theirs} <= set(samplers):
            continue
        gaps = {p: float(np.median(found[p, ours]) - np.median(found[p, theirs])) for p in PROBLEMS}
        apart = [f"{p} (+{gap:.2f})" for p, gap in gaps.items() if gap > MARGIN]
        better, p_values = shown(found, ours, theirs, 0.0)
        no_worse, _ = shown(found, ours, theirs, MARGIN)
        print(f"\n{ours} against {theirs}: close on {len(PROBLEMS) - len(apart)} of {len(PROBLEMS)}, not inferior on {len(no_worse)}, "
              f"superior on {len(better)}" + ("" if seeds >= LEAST else f"; inconclusive, {seeds} seeds of {LEAST}"))
        print("  Holm's p of superior: " + ", ".join(f"{p} {value:.2g}" for p, value in zip(PROBLEMS, p_values, strict=True)))
        if apart:
            print("  larger by more than the margin: " + ", ".join(apart))


def read(path: Path, trials: int) -> dict[tuple[str, str, int], float]:
    """Log10 regrets that a run before has written, by problem, sampler and seed."""
    if not path.exists():
        return {}
    with path.open() as file:
        rows = [row for row in csv.DictReader(file) if int(row["trials"]) == trials]
    return {(row["problem"], row["sampler"], int(row["seed"])): float(row["log10_regret"]) for row in rows}


def write(path: Path, problem: str, sampler: str, seed: int, trials: int, value: float, seconds: float) -> None:
    """Appends a line."""
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            writer.writerow(["problem", "sampler", "seed", "trials", "log10_regret", "seconds"])
        writer.writerow([problem, sampler, seed, trials, value, round(seconds, 2)])


def main() -> None:
    """Runs what the file lacks, and prints the medians and the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1000, help="the first seed")
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--samplers", nargs="*", choices=list(SAMPLERS), default=list(SAMPLERS))
    parser.add_argument("--out", type=Path, default=Path("quality.csv"))
    parser.add_argument("--summary", action="store_true", help="run nothing")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    samplers = list(arguments.samplers)
    if "optuna GP" in samplers and not arguments.summary and importlib.util.find_spec("torch") is None:
        print("torch is not installed: Optuna's GPSampler is left out")
        samplers.remove("optuna GP")
    known = read(arguments.out, arguments.trials)
    seeds = list(range(arguments.first, arguments.first + arguments.seeds))
    # Seed by seed, so that a run that is ended has the same seeds of all.
    for seed in () if arguments.summary else seeds:
        for problem in PROBLEMS:
            for sampler in samplers:
                if (problem, sampler, seed) not in known:
                    began = time.process_time()
                    value = known[problem, sampler, seed] = regret(problem, sampler, seed, arguments.trials)
                    write(arguments.out, problem, sampler, seed, arguments.trials, value, time.process_time() - began)
    whole = [seed for seed in seeds if all((p, s, seed) in known for p in PROBLEMS for s in samplers)]
    found = {(p, s): [known[p, s, seed] for seed in whole] for p in PROBLEMS for s in samplers}
    print(f"median log10 regret, {arguments.trials} trials, {len(whole)} seeds")
    print(f"{'':18}" + "".join(f"{name:>14}" for name in samplers))
    for problem in PROBLEMS if whole else ():
        print(f"{problem:18}" + "".join(f"{np.median(found[problem, sampler]):14.2f}" for sampler in samplers))
    if whole:
        verdicts(found, samplers, len(whole))


if __name__ == "__main__":
    main()
