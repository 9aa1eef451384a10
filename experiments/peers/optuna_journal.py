"""What Optuna's journal storage survives, as `thrifty-reliability` measures it of Thrifty's journal.

    python optuna_journal.py [--quick]

One line per damage: how often, how many outcomes had been acknowledged before, how many of them were lost, how often the damage
went unnoticed (no error, no warning, and a trial was missing or had another value), and how often it was refused: the
storage could not be opened any more, or the study that was open did not go on. Outcomes in a storage that does not open count as
lost in the row of kills alone.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState

optuna.logging.set_verbosity(optuna.logging.ERROR)
TRIALS = 20


def study(path: Path) -> optuna.Study:
    storage = JournalStorage(JournalFileBackend(str(path)))
    sampler = optuna.samplers.TPESampler(seed=1)
    return optuna.create_study(storage=storage, study_name="s", load_if_exists=True, sampler=sampler)


def objective(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", -1.0, 1.0)
    y = trial.suggest_int("n", 1, 6)
    return x * x + 0.1 * y


def finished(path: Path) -> dict[int, float]:
    """Values of complete trials by number."""
    storage = JournalStorage(JournalFileBackend(str(path)))
    found = optuna.load_study(storage=storage, study_name="s")
    return {t.number: t.value for t in found.trials if t.state == TrialState.COMPLETE}


def run_child(path: Path) -> None:
    """Runs a study to its end and prints the number of each trial once it is acknowledged."""
    s = study(path)
    while sum(t.state == TrialState.COMPLETE for t in s.trials) < TRIALS:
        trial = s.ask()
        s.tell(trial, objective(trial))
        print(trial.number, flush=True)


class Row:
    def __init__(self, name: str) -> None:
        self.name, self.count, self.acknowledged, self.lost, self.silent, self.refused = name, 0, 0, 0, 0, 0

    def look(self, path: Path, expected: dict[int, float], refused: bool = False) -> None:
        """Opens a damaged journal and holds it against what had been acknowledged; an open study may have refused it before."""
        self.count += 1
        self.acknowledged += len(expected)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                seen = finished(path)
            except Exception:
                self.refused += 1
                return
        self.refused += int(refused)
        wrong = sum(seen.get(number) != value for number, value in expected.items())
        self.lost += wrong
        self.silent += int((wrong > 0 or set(seen) != set(expected)) and not said and not refused)

    def __str__(self) -> str:
        numbers = (self.count, self.acknowledged, self.lost, self.silent, self.refused)
        return f"| {self.name} | " + " | ".join(map(str, numbers)) + " |"


def whole(folder: Path) -> tuple[bytes, dict[int, float]]:
    path = folder / "whole.log"
    s = study(path)
    s.optimize(objective, n_trials=TRIALS)
    return path.read_bytes(), finished(path)


def kills(folder: Path, count: int, rng: random.Random) -> Row:
    row = Row("kill -9")
    for which in range(count):
        path = folder / f"kill-{which}.log"
        child = subprocess.Popen([sys.executable, __file__, "--child", str(path)], stdout=subprocess.PIPE, text=True)
        acknowledged: list[int] = []
        for _ in range(rng.randrange(1, TRIALS)):
            line = child.stdout.readline()
            if line:
                acknowledged.append(int(line))
        time.sleep(rng.random() * 0.02)
        child.send_signal(signal.SIGKILL)
        acknowledged += [int(line) for line in child.stdout.read().split("\n")[:-1]]
        child.wait()
        row.count += 1
        row.acknowledged += len(acknowledged)
        try:
            seen = finished(path)
            row.lost += sum(number not in seen for number in acknowledged)
        except Exception:
            row.refused += 1
            row.lost += len(acknowledged)
            continue
        # The study must be able to go on, without waiting for a lock of the dead for ever.
        again = subprocess.run([sys.executable, __file__, "--child", str(path)], capture_output=True, timeout=120)
        row.refused += int(again.returncode != 0)
    return row


def damages(folder: Path, quick: bool, rng: random.Random) -> list[Row]:
    data, expected = whole(folder)
    path = folder / "damaged.log"
    cut, changed, lines_row = Row("cut at a byte"), Row("a byte changed"), Row("lines dropped, doubled, swapped")
    lines = data.splitlines(keepends=True)
    before: dict[int, dict[int, float]] = {}
    for end in range(len(lines[0]) + len(lines[1]), len(data), 101 if quick else 7):
        whole_lines = data[:end].count(b"\n")
        if whole_lines not in before:
            path.write_bytes(b"".join(lines[:whole_lines]))
            before[whole_lines] = finished(path)
        path.write_bytes(data[:end])
        cut.look(path, before[whole_lines])
    for _ in range(200 if quick else 2000):
        damaged = bytearray(data)
        damaged[rng.randrange(len(data))] ^= rng.randrange(1, 256)
        path.write_bytes(bytes(damaged))
        changed.look(path, expected)
    for at in range(len(lines)):
        doubled = lines[: at + 1] + lines[at:]
        swapped = lines[:at] + lines[at : at + 2][::-1] + lines[at + 2 :]
        dropped = lines[:at] + lines[at + 1 :]
        for variant in [doubled] + ([swapped, dropped] if at + 1 < len(lines) else []):
            path.write_bytes(b"".join(variant))
            lines_row.look(path, expected)
    return [cut, changed, lines_row]


def full_disk(folder: Path, count: int, rng: random.Random) -> Row:
    """The file may not grow beyond a random size; then it may again, in the same process."""
    row = Row("full disk, then room again")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    free = resource.getrlimit(resource.RLIMIT_FSIZE)
    for which in range(count):
        path = folder / f"full-{which}.log"
        acknowledged: dict[int, float] = {}
        resource.setrlimit(resource.RLIMIT_FSIZE, (rng.randrange(600, 6000), free[1]))
        s = None
        for _ in range(TRIALS + 10):
            try:
                s = s or study(path)
                trial = s.ask()
                value = objective(trial)
                s.tell(trial, value)
                acknowledged[trial.number] = value
            except Exception:
                resource.setrlimit(resource.RLIMIT_FSIZE, free)
        resource.setrlimit(resource.RLIMIT_FSIZE, free)
        row.look(path, acknowledged)
    return row


def replace_by_copy(path: Path) -> None:
    copy = path.with_suffix(".copy")
    shutil.copyfile(path, copy)
    copy.replace(path)


def vanished(folder: Path) -> Row:
    """The journal of a study that is open is damaged; the study is asked to go on, and the journal is opened anew."""
    row = Row("journal deleted, cut, replaced in use")
    damages: dict[str, Callable[[Path], None]] = {
        "deleted": Path.unlink,
        "emptied": lambda path: os.truncate(path, 0),
        "cut": lambda path: os.truncate(path, 400),
        "replaced": replace_by_copy,
    }
    for name, damage in damages.items():
        path = folder / f"{name}.log"
        acknowledged: dict[int, float] = {}

        def acknowledge(_: optuna.Study, trial: optuna.trial.FrozenTrial, told: dict[int, float] = acknowledged) -> None:
            told[trial.number] = trial.value

        s = study(path)
        s.optimize(objective, n_trials=5, callbacks=[acknowledge])
        damage(path)
        refused = False
        try:
            s.optimize(objective, n_trials=5, callbacks=[acknowledge])
        except Exception:
            refused = True
        row.look(path, acknowledged, refused)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--child")
    arguments = parser.parse_args()
    if arguments.child:
        run_child(Path(arguments.child))
        return
    quick, rng = arguments.quick, random.Random(1)
    print(f"Optuna {optuna.__version__}\n")
    print("| damage | count | acknowledged | lost | silent | refused |\n|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(kills(folder, 5 if quick else 40, rng), flush=True)
        for row in damages(folder, quick, rng):
            print(row, flush=True)
        print(full_disk(folder, 5 if quick else 40, rng), flush=True)
        print(vanished(folder))


if __name__ == "__main__":
    main()
