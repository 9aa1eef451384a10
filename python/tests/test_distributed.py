"""Engines of others around the samplers and the search: Ray Tune, Dask, joblib. What is not installed is skipped by its name."""

import pytest

optuna = pytest.importorskip("optuna")

from thrifty.optuna import GPSampler, TPESampler  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)


def objective(trial):
    return (trial.suggest_float("x", -5, 5) - 1) ** 2


@pytest.mark.parametrize("kind", [TPESampler, GPSampler])
def test_ray_tune_asks_for_the_trials_of_a_study(kind):
    """Its searcher, without a cluster: one trial after the other, as `optimize` makes them."""
    tune = pytest.importorskip("ray.tune")
    searcher = pytest.importorskip("ray.tune.search.optuna").OptunaSearch(
        {"x": tune.uniform(-5, 5)}, metric="loss", mode="min", sampler=kind(seed=2, n_startup_trials=4, strict=True))
    asked = []
    for at in range(12):
        config = searcher.suggest(str(at))
        asked.append(config["x"])
        searcher.on_trial_complete(str(at), {"loss": (config["x"] - 1) ** 2})
    study = optuna.create_study(sampler=kind(seed=2, n_startup_trials=4, strict=True))
    for _ in asked:
        trial = study.ask({"x": optuna.distributions.FloatDistribution(-5, 5)})
        study.tell(trial, (trial.params["x"] - 1) ** 2)
    assert asked == [trial.params["x"] for trial in study.trials]
    assert len(set(asked)) == 12


def searched(backend, **arguments):
    """Scores and parameters of a search under a backend of joblib."""
    joblib = pytest.importorskip("joblib")
    datasets, svm = pytest.importorskip("sklearn.datasets"), pytest.importorskip("sklearn.svm")
    from scipy.stats import loguniform
    from thrifty.sklearn import FractionalSearchCV
    X, y = datasets.load_iris(return_X_y=True)
    space = {"C": loguniform(1e-3, 1e3), "gamma": loguniform(1e-4, 10)}
    search = FractionalSearchCV(svm.SVC(), space, n_fits=18, cv=3, random_state=4, n_jobs=2)
    with joblib.parallel_backend(backend, **arguments):
        search.fit(X, y)
    return search.best_params_, search.best_score_, search.cv_results_["params"], search.cv_results_["mean_test_score"].tolist()


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_searches_are_the_same_under_backends_of_joblib(backend):
    assert searched(backend) == searched("sequential")


def test_searches_are_the_same_on_dask():
    distributed = pytest.importorskip("distributed")
    expected = searched("sequential")
    with distributed.Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None):
        assert searched("dask") == expected


@pytest.mark.parametrize("kind", [TPESampler, GPSampler])
def test_studies_by_workers_of_dask(kind):
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("optuna_integration.dask")
    with distributed.Client(n_workers=3, threads_per_worker=1, processes=False, dashboard_address=None) as client:
        study = optuna.create_study(storage=dask.DaskStorage(client=client), sampler=kind(seed=5, strict=True))
        tasks = [client.submit(study.optimize, objective, n_trials=6, pure=False) for _ in range(3)]
        client.gather(tasks)
        trials = study.trials
    assert len(trials) == 18 == len({trial.params["x"] for trial in trials})
    assert all(trial.state == optuna.trial.TrialState.COMPLETE for trial in trials)


def _work(path, count):
    storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(path))
    study = optuna.create_study(storage=storage, study_name="s", load_if_exists=True, sampler=GPSampler(seed=1, strict=True))
    study.optimize(objective, n_trials=count)


def test_studies_by_processes_of_joblib(tmp_path):
    joblib = pytest.importorskip("joblib")
    path = str(tmp_path / "study.log")
    _work(path, 1)
    joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(_work)(path, 5) for _ in range(2))
    storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(path))
    assert len({trial.params["x"] for trial in optuna.load_study(storage=storage, study_name="s").trials}) == 11
