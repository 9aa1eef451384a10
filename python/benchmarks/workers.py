"""Counts what workers that ask at once waste: pairs of near trials that ran at the same time, and the regret beside one worker's.

Every process has `GPSampler` with the same seed, on Branin's function with trials of 50 to 150 ms, in all the same number of trials. A
pair is near if both parameters differ by less than 1e-3 of their range, and counts if the trials ran at once and both began before the
best regret was below 1e-3. Declared before the run: no trial is lost, no two are equal, at most 5 % of the pairs are near, and the
median final regret over seeds is not above that of one worker by more than 1e-3.

Run `python benchmarks/workers.py`; `--url` names a storage, such as `postgresql+psycopg2://user@host/database`.
"""

from __future__ import annotations

import argparse
import itertools
import math
import multiprocessing
import random
import statistics
import tempfile
import time
import uuid
from typing import Any

import optuna
from optuna.trial import TrialState

from thrifty.optuna import GPSampler

LEAST = 0.39788735772973816
NEAR = 1e-3
SOLVED = 1e-3


def branin(trial: optuna.Trial) -> float:
    """The loss, after a pause that depends on the trial."""
    x, y = trial.suggest_float("x", -5, 10), trial.suggest_float("y", 0, 15)
    time.sleep(random.Random(trial.number).uniform(0.05, 0.15))
    return (y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6) ** 2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


def storage(url: str) -> Any:
    """A storage of Optuna's."""
    if url.endswith(".log"):
        return optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(url))
    return optuna.storages.RDBStorage(url, engine_kwargs={"connect_args": {"timeout": 100}} if "sqlite" in url else None)


def work(url: str, name: str, seed: int, trials: int) -> None:
    """One process."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.load_study(storage=storage(url), study_name=name, sampler=GPSampler(seed=seed))
    study.optimize(branin, n_trials=trials)


def run(url: str, workers: int, seed: int, trials: int) -> dict[str, float]:
    """Counts of one study."""
    name = uuid.uuid4().hex
    optuna.create_study(storage=storage(url), study_name=name)
    context = multiprocessing.get_context("spawn")
    started = [context.Process(target=work, args=(url, name, seed, trials // workers)) for _ in range(workers)]
    for process in started:
        process.start()
    for process in started:
        process.join()
    found = optuna.load_study(storage=storage(url), study_name=name).trials
    done = [t for t in found if t.state == TrialState.COMPLETE]
    solved = [t.datetime_complete for t in done if t.value - LEAST < SOLVED]
    before = [t for t in done if not solved or t.datetime_start < min(solved)]
    at_once = [(a, b) for a, b in itertools.combinations(before, 2)
               if a.datetime_start < b.datetime_complete and b.datetime_start < a.datetime_complete]
    near = sum(all(abs(a.params[name] - b.params[name]) < NEAR * 15 for name in "xy") for a, b in at_once)
    return {"lost": trials // workers * workers - len(done), "equal": len(done) - len({tuple(t.params.values()) for t in done}),
            "near": near, "pairs": len(at_once), "regret": min(t.value for t in done) - LEAST}


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=64)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--url", help="a storage in place of SQLite and a journal file")
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    print(f"{'storage':10} {'workers':>7} {'lost':>5} {'equal':>6} {'near':>5} {'pairs':>6} {'share':>6}  regrets")
    with tempfile.TemporaryDirectory() as folder:
        urls = [arguments.url] if arguments.url else [f"sqlite:///{folder}/study.db", f"{folder}/study.log"]
        for url, workers in itertools.product(urls, arguments.workers):
            rows = [run(url, workers, seed, arguments.trials) for seed in range(arguments.seeds)]
            total = {key: sum(row[key] for row in rows) for key in ("lost", "equal", "near", "pairs")}
            kind = "journal" if url.endswith(".log") else url.partition(":")[0].partition("+")[0]
            regrets = sorted(row["regret"] for row in rows)
            print(f"{kind:10} {workers:7} {total['lost']:5.0f} {total['equal']:6.0f} {total['near']:5.0f} {total['pairs']:6.0f} "
                  f"{total['near'] / max(total['pairs'], 1):6.1%}  " + ", ".join(f"{value:.2g}" for value in regrets)
                  + f"; median {statistics.median(regrets):.2g}", flush=True)


if __name__ == "__main__":
    main()
