"""Workers that ask at once: no two end with the same parameters, and no trial is lost."""

import itertools
import json
import multiprocessing
import os
import random
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pytest

optuna = pytest.importorskip("optuna")
from optuna.distributions import FloatDistribution, IntDistribution  # noqa: E402
from optuna.trial import TrialState  # noqa: E402

from thrifty.optuna import GPSampler, TPESampler  # noqa: E402
from thrifty.optuna import _feed, _sampler  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)
BOTH = pytest.mark.parametrize("kind", [TPESampler, GPSampler])
SPACE = {"x": FloatDistribution(0, 1), "n": IntDistribution(1, 8)}


class Greedy:
    """A method that always suggests the same point, unless it has seen it suggested: the worst one for workers that race."""

    def __init__(self, engine, jitter):
        self._engine, self._jitter, self._seen = engine, jitter, set()

    def __getattr__(self, name):
        return getattr(self._engine, name)

    def record(self, number, numbers, *rest):
        self._seen.add(tuple(numbers))
        return self._engine.record(number, numbers, *rest)

    def read(self, trials, at, end, current, columns):
        return at  # all by `record`

    def ask(self, number, given):
        self._jitter()
        for at in itertools.count():
            if (point := (1 + at % 8, at / 1000)) not in self._seen:  # in the order of the names
                return list(point), "{}"


def race(monkeypatch, workers, seed, looks=True):
    """Threads with a sampler of their own each, on one storage; returns the parameters of all trials."""
    rng, lock = random.Random(seed), threading.Lock()

    def jitter():
        with lock:
            pause = rng.choice([0, 0, 1e-4, 1e-3, 3e-3])
        time.sleep(pause)

    original = _feed._thrifty.Engine
    with monkeypatch.context() as patch:
        patch.setattr(_feed, "_thrifty", type("Module", (), {"Columns": _feed._thrifty.Columns, "Engine": staticmethod(
            lambda *a: Greedy(original(*a), jitter))}))
        if not looks:
            patch.setattr(_feed.Feed, "look", lambda *a: (set(), False))
        storage = optuna.storages.InMemoryStorage()
        first = optuna.create_study(storage=storage, study_name="s", sampler=GPSampler(seed=1, strict=True))
        first.add_trial(optuna.create_trial(params={"x": 0.9, "n": 1}, distributions=SPACE, value=1.0))
        errors = []

        def work():
            try:
                study = optuna.load_study(storage=storage, study_name="s", sampler=GPSampler(seed=1, strict=True))
                for _ in range(6):
                    trial = study.ask(SPACE)
                    jitter()
                    study.tell(trial, trial.params["x"])
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work) for _ in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors
        return [json.dumps(t.params, sort_keys=True) for t in first.trials]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("workers", [2, 8])
def test_no_race_ends_with_the_same_parameters(workers, seed, monkeypatch):
    found = race(monkeypatch, workers, seed)
    assert len(found) == 1 + 6 * workers == len(set(found))


def test_workers_that_do_not_look_repeat_each_other(monkeypatch):
    """The test above can fail."""
    found = race(monkeypatch, 8, 0, looks=False)
    assert len(set(found)) < len(found)


def test_the_second_race_is_seen(monkeypatch):
    """An earlier trial suggests again while a later one ends its looks: the earlier one must see that it is taken."""
    original = _feed._thrifty.Engine
    monkeypatch.setattr(_feed, "_thrifty", type("Module", (), {"Columns": _feed._thrifty.Columns, "Engine": staticmethod(
        lambda *a: Greedy(original(*a), lambda: None))}))
    storage = optuna.storages.InMemoryStorage()
    study = optuna.create_study(storage=storage, study_name="s", sampler=GPSampler(seed=1, strict=True))
    study.add_trial(optuna.create_trial(params={"x": 0.9, "n": 1}, distributions=SPACE, value=1.0))
    late = [optuna.load_study(storage=storage, study_name="s", sampler=GPSampler(seed=1, strict=True)) for _ in range(8)]
    asked = []
    write = _sampler.Sampler._share

    def share(self, *arguments, **keywords):
        # Between each suggestion of the first trial and its writing another worker asks, looks and ends.
        if self is study.sampler and len(asked) < len(late):
            asked.append(None)
            asked[-1] = late[len(asked) - 1].ask(SPACE).params
        write(self, *arguments, **keywords)

    monkeypatch.setattr(_sampler.Sampler, "_share", share)
    first = study.ask(SPACE).params
    assert len(asked) == _sampler.ROUNDS + 2
    assert all(first != other for other in asked) and len({json.dumps(p) for p in asked}) == len(asked)


def test_threads_that_share_a_sampler_see_each_other():
    study = optuna.create_study(sampler=GPSampler(seed=3, strict=True, n_startup_trials=2))
    study.optimize(lambda t: t.suggest_float("x", 0, 1) ** 2, n_trials=60, n_jobs=6)
    assert len({t.params["x"] for t in study.trials}) == 60


def objective(trial):
    x = trial.suggest_float("x", -1, 1)
    n = trial.suggest_int("n", 1, 8)
    time.sleep(0.01)
    return x * x + 0.1 * n


def open_storage(url):
    if url.endswith(".log"):
        return optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(url))
    return optuna.storages.RDBStorage(url, engine_kwargs={"connect_args": {"timeout": 100}} if "sqlite" in url else None)


def _worker(url, kind, count):
    study = optuna.load_study(storage=open_storage(url), study_name="s", sampler=kind(seed=7, strict=True))
    study.optimize(objective, n_trials=count)


def processes(url, kind, workers, count):
    """Trials of so many processes of one seed, each of which makes so many."""
    optuna.create_study(storage=open_storage(url), study_name="s")
    context = multiprocessing.get_context("spawn")
    started = [context.Process(target=_worker, args=(url, kind, count)) for _ in range(workers)]
    for process in started:
        process.start()
    for process in started:
        process.join(300)
    assert [process.exitcode for process in started] == [0] * workers
    trials = optuna.load_study(storage=open_storage(url), study_name="s").trials
    assert len(trials) == workers * count and all(t.state == TrialState.COMPLETE for t in trials)
    assert len({json.dumps(t.params, sort_keys=True) for t in trials}) == len(trials)
    return trials


@BOTH
@pytest.mark.parametrize("form", ["sqlite:///{}/study.db", "{}/study.log"], ids=["sqlite", "journal"])
def test_four_processes(kind, form, tmp_path):
    processes(form.format(tmp_path), kind, 4, 8)


@BOTH
@pytest.mark.skipif(not os.environ.get("THRIFTY_MANY_WORKERS"), reason="opt in by THRIFTY_MANY_WORKERS=1")
@pytest.mark.parametrize("form", ["sqlite:///{}/study.db", "{}/study.log"], ids=["sqlite", "journal"])
def test_sixteen_processes(kind, form, tmp_path):
    trials = processes(form.format(tmp_path), kind, 16, 6)
    assert min(t.value for t in trials) < 0.11


@pytest.fixture
def postgres(tmp_path):
    """Address of a server of its own, which must not be run by root."""
    import psycopg2  # noqa: F401  a missing driver is a failure here, not a skip
    programs = Path(os.environ.get("THRIFTY_POSTGRES_BIN", "/usr/lib/postgresql/15/bin"))
    account = {"user": "nobody"} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="pg", dir="/tmp") as folder, socket.socket() as free:
        os.chmod(folder, 0o777)
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()

        def run(name, *arguments):
            subprocess.run([programs / name, *arguments], check=True, cwd=folder, stdout=subprocess.DEVNULL, **account)

        run("initdb", "-D", f"{folder}/data", "-U", "thrifty", "-A", "trust", "--no-sync")
        options = f"-p {port} -k {folder} -h 127.0.0.1 -c fsync=off -c max_connections=100"
        run("pg_ctl", "-D", f"{folder}/data", "-l", f"{folder}/log", "-w", "-o", options, "start")
        try:
            yield f"postgresql+psycopg2://thrifty@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")


@BOTH
@pytest.mark.skipif(not os.environ.get("THRIFTY_REQUIRE_POSTGRES"), reason="needs THRIFTY_REQUIRE_POSTGRES=1")
@pytest.mark.parametrize("workers", [4, 16])
def test_processes_on_postgresql(kind, workers, postgres):
    processes(postgres, kind, workers, 6)
