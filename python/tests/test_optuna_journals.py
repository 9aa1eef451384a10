"""Studies of Optuna as journals, and back."""

import math
import warnings

import pytest

optuna = pytest.importorskip("optuna")
from optuna.distributions import FloatDistribution  # noqa: E402
from optuna.study import StudyDirection  # noqa: E402
from optuna.trial import TrialState  # noqa: E402

import thrifty  # noqa: E402
from thrifty.optuna import GPSampler, TPESampler, from_journal, journal_space, to_journal  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)


def objective(trial):
    x = trial.suggest_float("x", 1e-3, 1, log=True)
    n = trial.suggest_int("n", 0, 8, step=2)
    c = trial.suggest_categorical("c", ["a", 1, 2.5, True])
    s = trial.suggest_float("s", 0, 1, step=0.25)
    return x + n + s + (c == "a")


def run(f=objective, n=20, **kwargs):
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1), **kwargs)
    study.optimize(f, n_trials=n, catch=(ArithmeticError,))
    return study


def told(trials):
    return [(t.params, t.state, t.values, t.intermediate_values) for t in trials]


def test_there_and_back(tmp_path):
    study, path = run(direction="maximize"), tmp_path / "s.jsonl"
    carried = to_journal(study, path)
    assert carried.trials == 20 and not carried.left and not carried.changed
    back, again = from_journal(path, "name")
    assert again.trials == 20 and not again.left and back.study_name == "name"
    assert back.direction == study.direction and told(back.trials) == told(study.trials)
    assert [t.distributions for t in back.trials] == [dict(sorted(t.distributions.items())) for t in study.trials]
    assert [type(t.params["c"]) for t in back.trials] == [type(t.params["c"]) for t in study.trials]


def test_a_native_study_goes_on(tmp_path):
    study, path = run(), tmp_path / "s.jsonl"
    to_journal(study, path, "tpe", seed=3)
    native = thrifty.Study(journal_space(path), "tpe", seed=3, journal=path)
    assert len(native) == 20 and native.best.value == study.best_value and native.best.params == study.best_params
    native.optimize(lambda p: p["x"] + p["n"] + p["s"] + (p["c"] == "a"), n_trials=40)
    del native
    back, _ = from_journal(path, sampler=TPESampler(seed=1, strict=True))
    assert len(back.trials) == 40 and back.best_value < study.best_value
    back.optimize(objective, n_trials=3)
    assert len(back.trials) == 43


def test_states_reports_and_constraints(tmp_path):
    def f(trial):
        value = objective(trial)
        trial.set_constraint("c", value - 5)
        if trial.number % 4 == 1:
            trial.report(value, 1)
            trial.report(value / 2, 3)
            raise optuna.TrialPruned
        if trial.number % 4 == 2:
            raise ArithmeticError
        return value

    study, path = run(f), tmp_path / "s.jsonl"
    assert to_journal(study, path).trials == 20
    back, _ = from_journal(path)
    assert told(back.trials) == told(study.trials)
    measured = [t for t in study.trials if t.state == TrialState.COMPLETE]
    found = [t for t in back.trials if t.state == TrialState.COMPLETE]
    assert [list(t.system_attrs["constraints"]) for t in found] == [list(t.constraints.values()) for t in measured]


def test_names_of_constraints(tmp_path):
    def f(trial):
        x = trial.suggest_float("x", -5, 5)
        trial.report(math.nan if trial.number == 3 else x, 1)
        trial.set_constraint("c", x - 0.5)
        return (x - 1) ** 2

    study, path = run(f), tmp_path / "s.jsonl"
    carried = to_journal(study, path)
    assert set(carried.changed) == set(range(20)) and "constraints have numbers" in carried.changed[0]
    assert carried.changed[3] == f"reports without a finite value are left out; {carried.changed[0]}"
    with pytest.raises(ValueError, match="constraints has 2 names, but the journal has 1"):
        from_journal(path, constraints=["c", "d"])
    assert from_journal(path)[0].trials[0].constraints == {"0": study.trials[0].constraints["c"]}
    named, _ = from_journal(path, constraints=["c"])
    assert [t.constraints for t in named.trials] == [t.constraints for t in study.trials]
    # A sampler reads on where the names are the same, and says so where they are not.
    for names, is_read in ((["c"], True), (None, False)):
        back, _ = from_journal(path, constraints=names, sampler=GPSampler(seed=1, n_startup_trials=5))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            back.optimize(f, n_trials=3)
        assert any("trials with the constraints ['c'] are ignored" in str(w.message) for w in caught) != is_read


def test_many_constraints_keep_their_numbers(tmp_path):
    def constraints(trial):
        return [trial.params["x"] - at / 10 for at in range(12)]

    study = optuna.create_study(sampler=TPESampler(seed=1, constraints_func=constraints))
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    carried = to_journal(study, tmp_path / "s.jsonl")
    back, _ = from_journal(tmp_path / "s.jsonl")
    assert not carried.changed and not carried.left
    assert [list(t.system_attrs["constraints"]) for t in back.trials] == [constraints(t) for t in study.trials]


def test_a_float_with_equal_bounds_goes_on_in_a_database(tmp_path):
    def f(trial):
        return (trial.suggest_float("x", 0, 1) - 0.3) ** 2 * trial.suggest_float("one", 0.5, 0.5)

    study, path = run(f, 5), tmp_path / "s.jsonl"
    to_journal(study, path)
    space = thrifty.Space().float("one", 0.5, 0.5).float("x", 0, 1)
    back, _ = from_journal(path, "name", storage=f"sqlite:///{tmp_path / 's.db'}", space=space)
    assert told(back.trials) == told(study.trials)
    back.optimize(f, n_trials=3)
    assert len(back.trials) == 8
    with pytest.raises(ValueError, match="the space is not that of the journal"):
        from_journal(path, space=thrifty.Space().float("one", 0.25, 0.25).float("x", 0, 1))


def test_directions_without_a_measurement(tmp_path):
    path = tmp_path / "s.jsonl"
    with thrifty.Study(thrifty.Space().float("x", 0, 1), "nsga2", direction=["maximize", "minimize"], journal=path) as study:
        study.tell(study.ask(), failed="no")
    back, _ = from_journal(path)
    assert back.directions == [StudyDirection.MAXIMIZE, StudyDirection.MINIMIZE]


def test_what_cannot_be_carried_is_named(tmp_path):
    def f(trial):
        trial.suggest_float("x", 0, 2 if trial.number < 4 else 1)
        if trial.number == 5:
            trial.suggest_float("y", 0, 1)
        if trial.number == 6:
            return math.inf
        return 1.0

    study, path = run(f, 10), tmp_path / "s.jsonl"
    study.ask()
    study.enqueue_trial({"x": 0.5})
    study.add_trial(optuna.create_trial(value=1.0, params={"z": 1.0}, distributions={"z": FloatDistribution(0, 2)}))
    space = thrifty.Space().float("x", 0, 1)
    wide = [t.number for t in study.trials[:4] if t.params["x"] > 1]
    carried = to_journal(study, path, space=space)
    assert wide and set(carried.left) == {*wide, 5, 10, 11, 12}
    assert "outside" in carried.left[wide[0]] and "not finished" in carried.left[10] and "y" in carried.left[5]
    assert "z" in carried.left[12] and list(carried.changed) == [6] and "not finite" in carried.changed[6]
    assert carried.trials == 13 - len(carried.left)
    assert len(thrifty.Study(space, "tpe", journal=path)) == carried.trials


def test_trials_with_other_parameters_than_their_own_are_named(tmp_path):
    def f(trial):
        if trial.number == 1:
            raise ArithmeticError  # before its first parameter
        kind, x = trial.suggest_categorical("kind", ["a", "b"]), trial.suggest_float("x", 0, 1)
        trial.report(x, 1)
        if trial.number == 2:
            raise optuna.TrialPruned  # before its last one
        if kind == "a" or trial.number == 3:
            trial.suggest_int("n", 1, 5)
        return x

    space = thrifty.Space().categorical("kind", ["a", "b"]).float("x", 0, 1).int("n", 1, 5).when("kind", ["a"])
    study, path = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1)), tmp_path / "s.jsonl"
    for kind in "aaabab":
        study.enqueue_trial({"kind": kind})
    study.optimize(f, n_trials=6, catch=(ArithmeticError,))
    carried = to_journal(study, path, space=space)
    assert carried.left == {1: "parameter kind is missing", 2: "parameter n is missing",
                            3: f"parameter n is set to {study.trials[3].params['n']} but its conditions do not hold"}
    assert told(from_journal(path)[0].trials) == told([study.trials[n] for n in (0, 4, 5)])


def test_a_trial_without_the_cost_that_counts_is_left_out(tmp_path):
    """Also one with reports: it is not in the journal as a trial that runs."""
    def f(trial):
        x = trial.suggest_float("x", 0, 1)
        if trial.number:
            trial.report(x, 1)
        if trial.number == 3:
            raise optuna.TrialPruned
        return x

    space, path, cost = thrifty.Space().float("x", 0, 1), tmp_path / "s.jsonl", {"per_unit": {"exponent": 1}}
    carried = to_journal(run(f, 4), path, "tpe", space=space, cost=cost)
    assert carried.trials == 1 and set(carried.left) == {0, 1, 2}
    assert all("the cost is missing" in why for why in carried.left.values())
    with thrifty.Study(space, "tpe", cost=cost, journal=path) as native:
        assert [trial.state for trial in native.trials] == ["pruned"]


def test_an_error_leaves_no_journal(tmp_path, monkeypatch):
    added = []

    def add(self, *arguments):
        added.append(arguments)
        raise RuntimeError("the disk is full")

    monkeypatch.setattr("thrifty.optuna._journals._add", add)
    with pytest.raises(RuntimeError, match="disk"):
        to_journal(run(n=3), tmp_path / "s.jsonl")
    assert added and not list(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore:Choices for a categorical")
def test_choices_without_a_type_come_back_with_the_space(tmp_path):
    space = thrifty.Space().categorical("c", [None, "a", math.nan]).float("x", 0, 1).when("c", [None])

    def f(trial):
        if trial.suggest_categorical("c", [None, "a", math.nan]) is None:
            return trial.suggest_float("x", 0, 1)
        return 2.0

    study, path = run(f), tmp_path / "s.jsonl"
    assert to_journal(study, path, space=space).trials == 20
    back, _ = from_journal(path, space=space)
    assert repr(told(back.trials)) == repr(told(study.trials))
    labels = {t.params["c"] for t in from_journal(path)[0].trials}
    assert labels <= {"0: None", "1: a", "2: nan"} and len(labels) > 1
    with pytest.raises(ValueError, match="space"):
        from_journal(path, space=thrifty.Space().float("x", 0, 1))


def test_several_objectives(tmp_path):
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(lambda t: (objective(t), t.params["x"]), n_trials=8)
    path = tmp_path / "s.jsonl"
    to_journal(study, path, "nsga2")
    back, _ = from_journal(path)
    assert back.directions == study.directions and told(back.trials) == told(study.trials)


def test_running_trials_of_a_journal_are_named(tmp_path):
    path = tmp_path / "s.jsonl"
    study = thrifty.Study(thrifty.Space().float("x", 0, 1), "random", journal=path)
    study.tell(study.ask(), 1.0, cost=3.0)
    study.tell(study.ask(), failed="no memory")
    study.ask()
    del study
    back, carried = from_journal(path)
    assert carried.trials == 2 and list(carried.left) == [2] and back.trials[0].user_attrs == {"thrifty:cost": 3.0}
    assert back.trials[1].state == TrialState.FAIL and "no memory" in back.trials[1].user_attrs["thrifty:message"]


def test_bad_input(tmp_path):
    path = tmp_path / "s.jsonl"
    with pytest.raises(ValueError, match="no trial is complete"):
        to_journal(optuna.create_study(), path)
    assert not path.exists()
    path.write_text("x")
    with pytest.raises(FileExistsError):
        to_journal(run(n=2), path)
    with pytest.raises(RuntimeError):
        from_journal(path)
    with pytest.raises(OSError):
        from_journal(tmp_path / "none.jsonl")
    folds = tmp_path / "folds.jsonl"
    folds.write_text('{"thrifty_journal":1,"seed":3,"fingerprint":"any"}\n'
                     '{"asked":{"id":0,"query":{"config":{"c":1.5},"repeat":0,"fold":2},"seconds":0.5}}\n')
    with pytest.raises(RuntimeError, match="single folds instead of configurations; it is not damaged"):
        from_journal(folds)


def test_a_pruned_trial_without_a_last_number_can_be_read(tmp_path):
    path, storage = tmp_path / "s.jsonl", f"sqlite:///{tmp_path / 's.db'}"
    native = thrifty.Study(thrifty.Space().float("x", 0, 1), "random", seed=1, journal=path)
    trial = native.ask()
    trial.report(1, 0.5)
    trial.report(2, math.nan)
    native.tell(trial, pruned=True)
    del native, trial
    back, carried = from_journal(path, "name", storage=storage)
    assert carried.trials == 1 and back.trials[0].values is None
    again = optuna.load_study(study_name="name", storage=storage).trials[0]
    assert again.state == TrialState.PRUNED and again.values is None and again.intermediate_values[1] == 0.5


def test_an_error_leaves_no_study_in_the_storage(tmp_path):
    study, path = run(n=3), tmp_path / "s.jsonl"
    to_journal(study, path)
    native = thrifty.Study(thrifty.Space().float("x", 0, 1), "random", seed=1, journal=tmp_path / "c.jsonl")
    native.tell(native.ask(), 0.5, constraints=[-1.0])
    del native
    storage = f"sqlite:///{tmp_path / 's.db'}"
    with pytest.raises(ValueError, match="constraints has 2 names"):
        from_journal(tmp_path / "c.jsonl", "name", storage=storage, constraints=["a", "b"])
    back, _ = from_journal(tmp_path / "c.jsonl", "name", storage=storage, constraints=["a"])
    assert len(back.trials) == 1
