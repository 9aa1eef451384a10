"""Studies: every method, journals, outcomes, errors, interruption."""

import copy
import functools
import json
import math
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

import thrifty
from thrifty import _thrifty
from thrifty.study import Pruned, settings

SPACE = thrifty.Space().float("x", -1, 2).int("n", 1, 6).categorical("c", ["a", "b"])
SINGLE = ["bo", "tpe", "cmaes", "trust_region", "hybrid", "sobol", "random"]


def loss(p):
    return (p["x"] - 0.3) ** 2 + 0.1 * abs(p["n"] - 4) + (p["c"] == "a")


def steps(study, n):
    out = []
    for _ in range(n):
        trial = study.ask()
        study.tell(trial, loss(trial.params))
        out.append(trial.params)
    return out


def steps_of(study):
    for _ in range(6):
        trial = study.ask()
        study.tell(trial, trial.params["n"] - trial.params.get("x", 0))
    return [trial.params for trial in study.trials]


@pytest.mark.parametrize("method", SINGLE)
def test_methods_suggest_the_same_for_the_same_seed(method):
    a, b, other = (steps(thrifty.Study(SPACE, method, seed=seed), 16) for seed in (3, 3, 4))
    assert a == b != other


@pytest.mark.parametrize("method", ["bo", "tpe", "trust_region", "cmaes"])
def test_methods_beat_chance(method):
    space = thrifty.Space().float("a", -1, 2).float("b", -1, 2).float("c", -1, 2).float("d", -1, 2)
    best = [thrifty.Study(space, m, seed=s).optimize(lambda p: sum((x - 0.3) ** 2 for x in p.values()), 60).value
            for m in (method, "random") for s in range(5)]
    assert sum(best[:5]) < sum(best[5:])


@pytest.mark.parametrize("method", ["multi_objective", "nsga2", "tpe"])
def test_several_objectives(method):
    study = thrifty.Study(SPACE, method, seed=1, direction=["minimize", "maximize"])
    study.optimize(lambda p: [p["x"] ** 2, -((p["x"] - 1) ** 2)], 25)
    assert len(study) == 25 and all(len(t.objectives) == 2 for t in study.trials)
    if method != "tpe":
        values = [b.values for b in study.pareto_set]
        assert values and not any(a[0] <= b[0] and a[1] >= b[1] for a in values for b in values if a != b)


@pytest.mark.parametrize("method", ["multi_objective", "nsga2", "tpe", "sobol", "random"])
def test_the_pareto_set_is_that_of_the_trials(method):
    space = thrifty.Space().float("x", 0, 1).float("y", 0, 1)
    study = thrifty.Study(space, method, seed=1, direction=["minimize", "maximize"])
    best = study.optimize(lambda p: [p["x"], p["x"] - 1 - p["y"]], 20)
    losses = [[t.objectives[0], -t.objectives[1]] for t in study.trials]
    front = {at for at, rank in enumerate(thrifty.pareto.ranks(losses)) if rank == 0}
    assert {one.trial for one in study.pareto_set} == front and len(front) > 1
    assert all(one.values == study.trials[one.trial].objectives for one in study.pareto_set)
    assert best.values == study.trials[best.trial].objectives and len(best.values) == 2
    with pytest.raises(ValueError, match="pareto_set"):
        study.recommend()


@pytest.mark.parametrize("method", ["bo", "cmaes", "trust_region", "hybrid"])
def test_methods_of_one_objective_refuse_two(method):
    with pytest.raises(ValueError, match=f"direction has 2 entries, but {method} has 1 objective"):
        thrifty.Study(SPACE, method, direction=["minimize", "maximize"])
    study = thrifty.Study(SPACE, method)
    trial = study.ask()
    with pytest.raises(ValueError, match="2 objectives, but the study has 1 direction"):
        study.tell(trial, [1.0, 2.0])
    study.tell(trial, 1.0)
    assert study.trials[0].objectives == [1.0]


@pytest.mark.parametrize("method", ["tpe", "random"])
def test_what_was_measured_is_recommended_with_its_trial(method):
    study = thrifty.Study(SPACE, method, seed=1)
    assert study.optimize(loss, 12) == study.recommend()


def test_fidelities():
    space = thrifty.Space().float("x", 0, 1).int("epochs", 1, 9)
    study = thrifty.Study(space, "multi_fidelity", seed=1, fidelity="epochs", budget=30)
    study.optimize(lambda p: {"value": (p["x"] - 0.3) ** 2 + 0.1 / p["epochs"], "cost": p["epochs"]}, 25)
    assert study.recommend().params["epochs"] == 9
    with pytest.raises(ValueError, match="fidelity is missing"):
        thrifty.Study(space, "multi_fidelity")


def test_the_best_trial_is_at_the_target_fidelity():
    space = thrifty.Space().float("x", 0, 1).int("epochs", 1, 9)
    study = thrifty.Study(space, "multi_fidelity", seed=1, fidelity="epochs", budget=30)
    # Cheap trials look better than they are.
    found = study.optimize(lambda p: {"value": (p["x"] - 0.3) ** 2 + 0.1 * p["epochs"], "cost": p["epochs"]}, 12)
    whole = [t.objectives[0] for t in study.trials if t.params["epochs"] == 9]
    assert found == study.best and found.params["epochs"] == 9 and found.value == min(whole)
    assert min(t.objectives[0] for t in study.trials) < min(whole) and f"best {min(whole):.6g}" in repr(study)


@pytest.mark.parametrize("method", ["bo", "tpe"])
def test_a_journal_goes_on_bit_for_bit(method, tmp_path):
    path = tmp_path / "study.jsonl"
    whole = steps(thrifty.Study(SPACE, method, seed=5), 24)
    first = thrifty.Study(SPACE, method, seed=5, journal=path)
    steps(first, 13)
    with pytest.raises(OSError, match="in use"):
        thrifty.Study(SPACE, method, seed=5, journal=path)
    del first
    again = thrifty.Study(SPACE, method, seed=5, journal=str(path))
    assert len(again) == 13
    assert [t.params for t in again.trials] + steps(again, 11) == whole
    del again
    with pytest.raises(RuntimeError, match="another study"):
        thrifty.Study(SPACE, "random", seed=5, journal=path)
    with pytest.raises(RuntimeError, match="seed"):
        thrifty.Study(SPACE, method, seed=6, journal=path)


def test_unfinished_trials_of_a_journal_are_evaluated_again(tmp_path):
    path = tmp_path / "study.jsonl"
    study = thrifty.Study(SPACE, "tpe", seed=5, journal=path)
    trial = study.ask()
    del study, trial._study.__dict__["_study"]
    again = thrifty.Study(SPACE, "tpe", seed=5, journal=path)
    again.optimize(loss, 3)
    assert [t.state for t in again.trials] == ["measured"] * 3 and again.trials[0].params == trial.params


def test_limits_and_callbacks_hold_for_resumed_trials(tmp_path):
    path = tmp_path / "study.jsonl"
    study = thrifty.Study(SPACE, "tpe", seed=5, journal=path)
    steps(study, 2)
    for _ in range(3):
        study.ask()
    del study
    again, seen = thrifty.Study(SPACE, "tpe", seed=5, journal=path), []

    def optimize(n, **limits):
        again.optimize(loss, n, callback=lambda study, trial: seen.append(trial.id), **limits)
        return [t.state for t in again.trials].count("measured")

    assert optimize(2) == 2 and optimize(9, seconds=0) == 2 and not seen
    assert optimize(3) == 3 and seen == [2]
    again.tell(3, 1.0)  # by hand
    assert optimize(4) == 4 and optimize(6) == 6 == len(again) and seen == [2, 4, 5]


def test_a_loop_plans_by_its_number_of_trials():
    """The initial design is a third of 24 trials, of the budget where there is one, and two for each parameter without a plan."""
    def study(**settings):
        return thrifty.Study(thrifty.Space().float("x", 0, 1).float("y", 0, 1), "bo", seed=1, **settings)

    def designed(found):
        return sum("mean" not in trial.diagnostics for trial in found.trials)

    planned, own, late, single, without = study(), study(budget=12), study(), study(), study()
    planned.optimize(lambda p: p["x"] + p["y"], n_trials=24)
    own.optimize(lambda p: p["x"] + p["y"], n_trials=24)
    for n_trials in [1, 3, 24]:  # the last plan counts
        late.optimize(lambda p: p["x"] + p["y"], n_trials=n_trials)
    for n_trials in range(13):  # none of them is a plan
        single.optimize(lambda p: p["x"] + p["y"], n_trials=n_trials)
    for _ in range(12):
        trial = without.ask()
        without.tell(trial, trial.params["x"] + trial.params["y"])
    assert [designed(found) for found in (planned, own, late, single, without)] == [8, 4, 8, 4, 4]


def test_trials_that_run_elsewhere_are_left_alone():
    study = thrifty.Study(SPACE, "tpe", seed=5)
    mine = study.ask()
    study.optimize(loss, 4)
    assert [t.state for t in study.trials] == ["running"] + ["measured"] * 3
    study.tell(mine, 1.0)
    with pytest.raises(ZeroDivisionError):
        study.optimize(lambda p: 1 / 0, 5)
    study.optimize(loss, 5)
    assert [t.state for t in study.trials] == ["measured"] * 5


class Interrupted:
    """A compiled study in which Ctrl-C takes effect when one of its calls returns."""

    def __init__(self, study, call):
        self.study, self.call = study, call

    def __getattr__(self, name):
        def interrupted(*arguments):
            getattr(self.study, name)(*arguments)
            raise KeyboardInterrupt

        return interrupted if name == self.call else getattr(self.study, name)

    def __len__(self):
        return len(self.study)


@pytest.mark.parametrize(("call", "state"), [("ask", "running"), ("tell", "measured")])
def test_trials_of_an_interrupted_loop_are_evaluated_once(call, state):
    study, seen = thrifty.Study(SPACE, "tpe", seed=5), []
    by_hand = study.ask()
    study.optimize(loss, 3)
    compiled, study._study = study._study, Interrupted(study._study, call)
    with pytest.raises(KeyboardInterrupt):
        study.optimize(loss, 10)
    study._study = compiled
    assert [t.state for t in study.trials] == ["running", "measured", "measured", state]
    for n in (5, 7):
        study.optimize(loss, n, callback=lambda study, trial: seen.append(trial.id))
        assert [t.state for t in study.trials] == ["running"] + ["measured"] * (n - 1)
    assert seen == ([3] if state == "running" else []) + [4, 5, 6]
    study.tell(by_hand, 1.0)


def test_a_trial_that_its_objective_told_does_not_end_later_loops():
    study = thrifty.Study(SPACE, "tpe", seed=5)
    with pytest.raises(ValueError, match="exactly one"):
        study.optimize(lambda trial: trial._study.tell(trial, 1.0), 3)
    study.optimize(loss, 3)
    assert [t.state for t in study.trials] == ["measured"] * 3


def test_a_loop_does_not_copy_all_trials_in_every_turn(monkeypatch):
    study, copies = thrifty.Study(SPACE, "random", seed=5), []
    trials = thrifty.Study.trials
    monkeypatch.setattr(thrifty.Study, "trials", property(lambda study: copies.append(0) or trials.fget(study)))
    study.optimize(loss, 20)

    def pruned(trial):
        raise Pruned

    study.optimize(pruned, 40)
    assert len(study) == 40 and not copies


def test_a_pruned_trial_has_the_last_step_that_it_reported(tmp_path):
    path = tmp_path / "study.jsonl"
    study = thrifty.Study(SPACE, "random", seed=5, journal=path)
    first, second, third = study.ask(), study.ask(), study.ask()
    second.report(2, 0.5)
    first.report(3, 0.5)
    study.report(second.id, 7, 0.25)
    with pytest.raises(ValueError, match="99"):
        study.report(99, 4, 0.5)
    for trial in (first, second, third):
        study.tell(trial, pruned=True)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    steps = [line["told"]["outcome"]["pruned"]["last_step"] for line in lines if "told" in line]
    assert steps == [3, 7, 0] and not study._steps


def test_loops_of_several_threads_share_what_is_left(tmp_path):
    path = tmp_path / "study.jsonl"
    study = thrifty.Study(SPACE, "random", seed=5, journal=path)
    for _ in range(20):
        study.ask()
    del study
    again, seen = thrifty.Study(SPACE, "random", seed=5, journal=path), []

    def objective(trial):
        seen.append(trial.id)
        time.sleep(0.001)
        return trial.id

    threads = [threading.Thread(target=again.optimize, args=(objective, 100)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(len(again))) and 100 <= len(again) < 104
    assert all(t.state == "measured" for t in again.trials)


def test_objectives_that_take_the_trial():
    class Objective:
        def method(self, trial):
            return self(trial)

        def __call__(self, trial):
            trial.report(0, 0.5)
            return trial.params["x"]

    def decorated(f):
        @functools.wraps(f)
        def wrapper(*arguments, **keywords):
            return f(*arguments, **keywords)
        return wrapper

    @functools.wraps(Objective().method)
    def converted(params):
        return params["x"]

    def keywords(trial, *, factor=2):
        return factor * trial.params["x"]

    def defaults(trial, data=(), scale=2):
        return scale * trial.params["x"]

    takers = [Objective().method, Objective(), decorated(lambda trial: trial.params["x"]), keywords, defaults,
              functools.partial(lambda trial, factor: factor * trial.params["x"], factor=2), lambda trial: trial.params["x"]]
    for f in [*takers, converted, lambda params, trial=None: params["x"], decorated(lambda p: p["x"]), len]:
        study = thrifty.Study(SPACE, "random", seed=1)
        study.optimize(f, 2)
        assert [t.state for t in study.trials] == ["measured"] * 2


def test_directions_are_those_of_the_user():
    study = thrifty.Study(SPACE, seed=1, direction="maximize")
    best = study.optimize(lambda p: -loss(p), 20)
    assert best.value == max(t.objectives[0] for t in study.trials) == -loss(best.params)
    recommended = study.recommend()
    assert not recommended.observed and recommended.value < 0.05
    with pytest.raises(ValueError, match="direction"):
        thrifty.Study(SPACE, direction="up")


INITIAL = {"initial": {"sobol": 4}}


@pytest.mark.parametrize(("method", "setting", "maximized", "minimized"), [
    ("tpe", "split", {"target": {"loss": 0.99}}, {"target": {"loss": -0.99}}),
    ("bo", "failures", {"as_value": -30}, {"as_value": 30}),
    ("trust_region", "failures", {"as_value": -30}, {"as_value": 30}),
    ("multi_objective", "reference", [0.2, -3], [-0.2, 3])])
def test_settings_that_are_values_are_in_the_units_of_the_user(method, setting, maximized, minimized):
    def suggested(direction, sign, value):
        more = {"startup": {"sobol": 4}} if method == "tpe" else INITIAL
        count = 2 if method == "multi_objective" else 1
        study = thrifty.Study(thrifty.Space().float("x", 0, 1), method, seed=1, direction=[direction] * count, **more, **{setting: value})
        for _ in range(12):
            trial = study.ask()
            x = trial.params["x"]
            if count == 2:
                study.tell(trial, [sign * (1 - (x - 0.3) ** 2), sign * (1 - x)])
            elif x > 0.5:
                study.tell(trial, failed="too large")
            else:
                study.tell(trial, sign * (1 - (x - 0.3) ** 2))
        return [t.params["x"] for t in study.trials]

    found = suggested("maximize", 1, maximized)
    assert found == suggested("minimize", -1, minimized) != suggested("maximize", 1, minimized)


def test_settings_of_numpy_and_what_json_does_not_have():
    numpy = pytest.importorskip("numpy")
    space = thrifty.Space().int("n", 1, 3).float("x", 0, 1).when("n", numpy.array([2, 3]))
    plain = thrifty.Space().int("n", 1, 3).float("x", 0, 1).when("n", [2, 3])
    assert space == plain
    found = steps_of(thrifty.Study(space, "tpe", seed=1, candidates=numpy.int64(4), startup={"sobol": numpy.int32(2)}))
    assert found == steps_of(thrifty.Study(plain, "tpe", seed=1, candidates=4, startup={"sobol": 2}))
    thrifty.Study(space, "multi_objective", reference=numpy.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="failures is .*inf.*, expected finite"):
        thrifty.Study(space, "bo", failures={"as_value": float("inf")})
    with pytest.raises(TypeError, match="budget is .*object.*, expected numbers"):
        thrifty.Study(space, "bo", budget=object())


@pytest.mark.parametrize("make", [
    lambda space: thrifty.Study(space), lambda space: thrifty.LevelSet(space, 0.5),
    lambda space: thrifty.BudgetedTraining(space, price=0.1, score=(0.0, 1.0), cost=1.0)])
def test_what_is_no_space_is_refused(make):
    for wrong in ({"x": (0, 1)}, None):
        with pytest.raises(TypeError, match="space is .*, expected a thrifty.Space"):
            make(wrong)


def test_settings_without_a_meaning_in_the_units_of_the_user():
    space = thrifty.Space().float("x", 0, 1)
    with pytest.raises(ValueError, match="multi_objective: failures is 2"):
        thrifty.Study(space, "multi_objective", direction=["maximize", "minimize"], failures={"as_value": 2})


def test_objectives_that_are_pruned_say_what_they_cost():
    def objective(trial):
        raise thrifty.Pruned(cost=2.0) if trial.id else thrifty.Pruned

    study = thrifty.Study(SPACE, "random", seed=1)
    study.optimize(objective, 2)
    assert [(t.state, t.cost) for t in study.trials] == [("pruned", None), ("pruned", 2.0)]


def test_subclasses_of_pruned_need_not_know_its_cost():
    class Diverged(Pruned):
        def __init__(self, step):
            self.step = step

    def objective(trial):
        raise Diverged(3)

    study = thrifty.Study(SPACE, "random", seed=1)
    study.optimize(objective, 2)
    assert [(t.state, t.cost) for t in study.trials] == [("pruned", None)] * 2


def test_the_output_of_a_program_is_one_number():
    """Bytes are a sequence of numbers too: each character was an objective."""
    study = thrifty.Study(SPACE, "random", seed=1)
    study.optimize(lambda p: subprocess.check_output([sys.executable, "-c", "print(0.25)"]), 1)
    assert study.trials[0].objectives == [0.25]


def test_exceptions_that_are_caught_come_in_any_form():
    def divide(p):
        return 1 / 0

    for catch in (ZeroDivisionError, [ZeroDivisionError], (ValueError, ZeroDivisionError), {ArithmeticError}):
        study = thrifty.Study(SPACE, "random", seed=1)
        study.optimize(divide, 2, catch=catch)
        assert [t.message for t in study.trials] == ["ZeroDivisionError: division by zero"] * 2


def test_trials_travel_and_studies_do_not():
    study = thrifty.Study(SPACE, "random", seed=1)
    trial = study.ask()
    for other in (pickle.loads(pickle.dumps(trial)), copy.deepcopy(trial)):
        assert other == trial
        with pytest.raises(RuntimeError, match="does not report: call Study.report"):
            other.report(1, 0.5)
    study.tell(other, 1.0)
    assert study.trials[0].state == "measured"
    for duplicate in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="a study cannot be pickled or copied: send its trials"):
            duplicate(study)


def test_outcomes():
    study = thrifty.Study(SPACE, "tpe", seed=1)
    trials = [study.ask() for _ in range(7)]
    for wrong, what in [("cost", "cost"), ("noise_variance", "noise variance")]:
        with pytest.raises(ValueError, match=f"trial 0: the {what} is -1"):
            study.tell(trials[0], 1.0, **{wrong: -1.0})
    study.tell(trials[0], 1.0, constraints=[-1.0], cost=2.5)
    study.tell(trials[1], float("nan"), constraints=[0.0])
    study.tell(trials[2], failed="no memory", cost=1.5)
    study.tell(trials[3], unrelated="power cut")
    trials[4].report(3, 0.5)
    with pytest.raises(ValueError, match="trial 4: the cost is -1"):
        study.tell(trials[4], pruned=True, cost=-1.0)
    study.tell(trials[4], pruned=True, cost=0.5)
    study.tell(trials[5].id, [2.0], constraints=(1.0,), noise_variance=0.1)
    states = [t.state for t in study.trials]
    assert states == ["measured", "failed", "failed", "failed", "pruned", "measured", "running"]
    assert [t.cost for t in study.trials] == [2.5, None, 1.5, None, 0.5, None, None]
    assert study.trials[4].reports == [(3, 0.5)]
    assert study.trials[2].message == "no memory" and "NaN" in study.trials[1].message
    assert study.best.trial == 0  # the other breaks its constraint
    for told, message in [((trials[0], 1.0), "told before"), ((99, 1.0), "never asked")]:
        with pytest.raises(ValueError, match=message):
            study.tell(*told)
    with pytest.raises(ValueError, match="trial 6"):
        study.tell(trials[6], [1.0, 2.0], constraints=[0.0])
    with pytest.raises(ValueError, match="exactly one"):
        study.tell(trials[6])
    with pytest.raises(TypeError):
        study.add_known({"x": 0.0}, 1.0, colour=1)


def test_queue_and_known_trials():
    study = thrifty.Study(SPACE, "tpe", seed=1)
    assert study.add_known({"x": 0.3, "n": 4, "c": "b"}, 0.0) == 0
    study.enqueue({"x": 0.5})
    study.enqueue({"x": 1, "n": 2, "c": "a"})
    first, second = study.ask(), study.ask()
    assert first.params["x"] == 0.5 and set(first.params) == {"x", "n", "c"}
    assert second.params == {"x": 1.0, "n": 2, "c": "a"}
    assert study.best.value == 0.0


def test_pruning():
    def objective(trial):
        for step in range(5):
            if trial.report(step, loss(trial.params) + 1 / (step + 1)):
                raise Pruned
        return loss(trial.params)

    study = thrifty.Study(SPACE, "tpe", seed=1, pruner={"pruner": "median"}, pruned="last_report")
    study.optimize(objective, 40)
    assert sum(t.state == "pruned" for t in study.trials) > 5
    for wrong, message in [
        ({"pruner": "guess"}, 'pruner: pruner is "guess": .*median'),
        ({"pruner": "median", "warmup_steps": "many"}, 'pruner: warmup_steps is "many": .*whole number'),
        ({"pruner": "median", "warmup": 3}, "pruner: warmup is 3: unknown"),
        ({"median": {}}, "pruner is {'median': {}}, which has no 'pruner'; expected settings such as {'pruner': 'median'}"),
    ]:
        with pytest.raises(ValueError, match=message) as error:
            thrifty.Study(SPACE, pruner=wrong)
        assert "line" not in str(error.value)
    for wrong in ("median", 3, ["median"]):
        with pytest.raises(TypeError, match="pruner is .*, expected settings such as {'pruner': 'median'}"):
            thrifty.Study(SPACE, pruner=wrong)
    pairs = thrifty.Study(SPACE, "tpe", seed=1, pruner=[("pruner", "median")], pruned="last_report")
    assert pairs.optimize(objective, 40) == study.best


@pytest.mark.parametrize(("method", "wrong", "message"), [
    ("bo", {"budgte": 3}, "budgte"), ("tpe", {"candidate": 3}, "candidate"), ("cmaes", {"a": 1}, "a"),
    ("trust_region", {"a": 1}, "a"), ("hybrid", {"a": 1}, "a"), ("sobol", {"a": 1}, "no settings"),
    ("random", {"a": 1}, "no settings"), ("multi_objective", {"a": 1}, "a"), ("nsga2", {"a": 1}, "a"),
    ("multi_fidelity", {"a": 1, "fidelity": "n"}, "a"), ("bo", {"evaluations": "odd"}, "odd"),
    ("bo", {"evaluations": 60}, "evaluations is 60, expected noisy"),
    ("tpe", {"preset": "odd"}, "odd"), ("bo", {"pruned": "odd"}, "odd"), ("simplex", {}, "no method simplex"),
    ("tpe", {"candidates": "many"}, "many"), ("bo", {"convergence": {"restart": {"epsilon": -1.0}}}, "epsilon"),
])
def test_settings_are_validated(method, wrong, message):
    with pytest.raises((ValueError, RuntimeError), match=message):
        thrifty.Study(SPACE, method, **wrong)


def test_settings_are_used():
    assert settings("tpe")["startup"] == {"sobol": 10}
    plain, few = (steps(thrifty.Study(SPACE, "tpe", seed=1, **s), 14) for s in ({}, {"candidates": 2}))
    assert plain[:10] == few[:10] and plain != few
    for name in _thrifty.default_settings("tpe"), _thrifty.default_settings("bo"):
        assert json.loads(name)
    # Either spelling of one setting.
    raw = settings("bo")["maximiser"]
    assert steps(thrifty.Study(SPACE, maximizer=raw), 3) == steps(thrifty.Study(SPACE, maximiser=raw), 3)


@pytest.mark.parametrize("method", ["bo", "multi_objective", "multi_fidelity", "tpe", "cmaes", "trust_region", "hybrid", "nsga2",
                                    "level_set", "budgeted_training", "fractional"])
def test_all_settings_are_listed(method):
    """By the names that the error for an unknown one has, without second spellings."""
    space, found = thrifty.Space().float("x", 1, 2), settings(method)
    # The default scale of a score is that of one that is maximized.
    more = {"multi_fidelity": {"fidelity": "x"}, "budgeted_training": {"direction": "maximize"}}.get(method, {})

    def begin(**given):
        if method == "fractional":
            return _thrifty.Fractional(space.to_json(), 5, 0, json.dumps(given))
        return thrifty.Study(space, method, **given, **more)

    with pytest.raises(ValueError, match="unknown field `no_such`") as refused:
        begin(no_such=1)
    expected = {name for name in re.findall("`([^`]+)`", str(refused.value).split("expected", 1)[1]) if name != "noise_std_dev"}
    assert {name.replace("izer", "iser") for name in found} == {name.replace("izer", "iser") for name in expected}
    begin(**{name: value for name, value in found.items() if value is not None})


def test_configurations_of_settings_have_objects_as_choices():
    """As `enqueue` takes them. The labels of a journal are not needed."""
    choices = ["a", None, (1, 2)]
    space = thrifty.Space().float("x", 0, 1).categorical("kind", choices)
    given = [{"x": 0.5, "kind": choice} for choice in choices]
    study = thrifty.Study(space, "bo", initial={"given": given})
    assert [study.ask().params for _ in given] == given
    level = thrifty.LevelSet(space, 0.5, over={"candidates": given})
    found = level.run(lambda p: p["x"] + (p["kind"] is None), 3)
    assert [point.params for point in found.points] == given


@pytest.mark.parametrize(("call", "message"), [
    (lambda: thrifty.Study(SPACE, seed=-1), "seed is -1, expected a whole number from 0"),
    (lambda: thrifty.Study(SPACE, seed=2**64), "seed is 18446744073709551616, expected at most"),
    (lambda: thrifty.Study(SPACE, seed=None), "seed is None"),
    (lambda: thrifty.Study(SPACE, maximizer=[1]), r"maximizer is \[1\]: .*expected a table with names, of raw, around_best, climbs"),
    (lambda: thrifty.Study(SPACE, initial={"given": [[0.5]]}), "initial is"),
    (lambda: thrifty.Study(SPACE).ask().report(-1, 1.0), "step is -1"),
    (lambda: thrifty.Study(SPACE).ask().report(1, "a"), "value is 'a', expected a number"),
    (lambda: thrifty.Study(SPACE).tell(-1, 1.0), "trial is -1"),
    (lambda: thrifty.Study(SPACE).tell(0, "abc"), "value is 'abc', expected a number"),
    (lambda: thrifty.Study(SPACE).tell(0, [1.0, None]), "value is None, expected a number"),
    (lambda: thrifty.Study(SPACE).tell(0, 1.0, cost="dear"), "cost is 'dear'"),
    (lambda: thrifty.Study(SPACE).tell(0, 1.0, constraints=["a"]), "a constraint is 'a'"),
    (lambda: thrifty.Study(SPACE).optimize(lambda p: None, 1), "found none: an objective without a return"),
    (lambda: thrifty.Study(SPACE).optimize(loss, 2.5), "n_trials is 2.5, expected a whole number from 0"),
    (lambda: thrifty.Study(SPACE).optimize(loss, "5"), "n_trials is '5', expected a whole number from 0"),
    (lambda: thrifty.Study(SPACE).optimize(loss, seconds="a"), "seconds is 'a', expected a number"),
    (lambda: thrifty.Study(SPACE, rule="log_expected_improvement"),
     'rule is "log_expected_improvement": expected a table, { log_expected_improvement = … }'),
    (lambda: thrifty.Study(SPACE, "tpe", split="square_root"), 'split is "square_root": expected a table, { square_root = { … } }'),
    (lambda: thrifty.Study(SPACE).tell(0, 1.0, constraints=1.0), "constraints is 1.0, expected a list of numbers"),
    (lambda: thrifty.Study(SPACE).tell(0, failed=KeyError("k")), r"failed is KeyError\('k'\), expected the reason as a text"),
    (lambda: thrifty.Study(SPACE).tell(0, unrelated=True), "unrelated is True, expected the reason as a text"),
    (lambda: thrifty.Study(SPACE).optimize(loss, 1, catch="ValueError"), "catch is 'ValueError', expected classes of exceptions"),
    (lambda: thrifty.Study(SPACE).optimize(loss, 1, catch=None), "catch is None, expected classes of exceptions"),
    (lambda: thrifty.Study(SPACE).enqueue({"x": "a"}), "x is 'a', expected a number"),
    (lambda: thrifty.Study(SPACE).enqueue({"n": [1]}), r"n is \[1\], expected a whole number"),
    (lambda: thrifty.Space().float("x", "a", 1), "x is 'a', expected a number"),
    (lambda: thrifty.LevelSet(SPACE, threshold="a"), "threshold is 'a', expected a number")])
def test_bad_values_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_parameters_added_later_are_of_no_study():
    space = thrifty.Space().categorical("c", ["a", "b"]).float("x", 0, 1)
    study = thrifty.Study(space, "random")
    space.when("c", ["a"]).int("n", 1, 3)
    assert study.space.names == ["c", "x"] and study.ask().params.keys() == {"c", "x"}


@pytest.mark.parametrize("method", ["bo", "random"])
def test_threads_make_as_many_trials_as_allowed(method):
    study = thrifty.Study(SPACE, method, seed=1)
    threads = [threading.Thread(target=study.optimize, args=(loss, 20)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(study) == 20 and all(trial.state == "measured" for trial in study.trials)


def test_a_finite_space_is_exhausted():
    study = thrifty.Study(thrifty.Space().int("n", 1, 3), "tpe", seed=1)
    study.optimize(lambda p: p["n"], 10)
    assert len(study) == 3 and "every" in study.stopped


def test_exceptions_of_the_objective():
    def objective(p):
        if p["n"] > 3:
            raise ArithmeticError("too many")
        return loss(p)

    study = thrifty.Study(SPACE, "random", seed=1)
    with pytest.raises(ArithmeticError):
        study.optimize(objective, 20)
    study.optimize(objective, 20, catch=(ArithmeticError,))
    assert {t.state for t in study.trials} == {"failed", "measured"}
    with pytest.raises(ValueError, match="never end"):
        study.optimize(objective)


def test_notebooks():
    study = thrifty.Study(SPACE, "tpe", seed=1)
    assert "nothing measured" in study._repr_html_()
    study.optimize(loss, 12)
    assert "<svg" in study._repr_html_() and "12 trials" in repr(study)
    assert study.page("<title>").startswith("<!DOCTYPE html>") and "<title>&lt;title&gt;" in study.page("<title>")
    with pytest.raises(ValueError, match="no figure"):
        study.figure("painting")


def test_notebooks_say_why_there_is_no_best_trial():
    space = thrifty.Space().float("x", 0, 1).float("epochs", 1, 9)
    study = thrifty.Study(space, "multi_fidelity", seed=1, fidelity="epochs", budget=30)
    assert study.optimize(lambda p: {"value": (p["x"] - 0.3) ** 2 + 0.1 / p["epochs"], "cost": p["epochs"]}, 12) is None
    assert "12 trials, nothing feasible measured at the target fidelity yet<" in study._repr_html_()
    study = thrifty.Study(SPACE, "random", seed=1)
    assert study.optimize(lambda p: {"failed": "diverged"}, 2) is None and "nothing measured yet" in study._repr_html_()
    assert study.optimize(lambda p: {"value": loss(p), "constraints": [1.0]}, 4) is None
    assert "nothing feasible measured yet" in study._repr_html_()
    study.tell(study.ask(), 0.5, constraints=[0.0])
    assert "5 trials, best 0.5 at" in study._repr_html_()


def test_panics_are_exceptions(capfd):
    with pytest.raises(RuntimeError, match="defect.*on purpose"):
        _thrifty._panics("on purpose")


def test_the_lock_of_the_interpreter_is_released():
    study = thrifty.Study(thrifty.Space().float("x", 0, 1).float("y", 0, 1), "bo", seed=1, initial={"sobol": 150})
    ticks, running = [], True

    def count():
        while running:
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    def ticks_within_an_ask(i):
        began = time.perf_counter()
        trial = study.ask()
        ended = time.perf_counter()
        study.tell(trial, (i * 0.618) % 1)
        return sum(began < t < ended for t in ticks[-1000:])

    thread = threading.Thread(target=count)
    thread.start()
    try:
        # With the lock held the other thread ticks at most once or twice, on the way into the call and out of it.
        # Released, it ticks once a millisecond. How long an ask takes depends on the machine, and grows with the
        # trials: one long enough to tell the two cases apart decides.
        assert any(ticks_within_an_ask(i) > 5 for i in range(600))
    finally:
        running = False
        thread.join()


def test_control_c_ends_a_loop():
    program = (
        "import thrifty, signal\n"
        # A shell's background jobs ignore the signal, and their children inherit that.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "print('ready', flush=True)\n"
        "s = thrifty.Study(thrifty.Space().float('x', 0, 1), 'random')\n"
        "s.optimize(lambda p: p['x'], n_trials=10**9)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=20)
    assert b"KeyboardInterrupt" in error and process.returncode != 0


def test_a_trial_that_is_evaluated_again_reports_again(tmp_path):
    journal, fails = tmp_path / "study.jsonl", [True]

    def objective(trial):
        for step in range(10):
            if trial.report(step, 1.0 / (step + 1)):
                raise thrifty.Pruned
            if step == 5 and fails.pop():
                raise MemoryError
        return 0.1

    def begin():
        return thrifty.Study(SPACE, "random", seed=1, pruner={"pruner": "patience", "patience": 3}, journal=journal)

    study = begin()
    with pytest.raises(MemoryError):
        study.optimize(objective, 1)
    assert len(study.trials[0].reports) == 6
    fails.append(False)
    study.optimize(objective, 1)
    expected = [(step, 1.0 / (step + 1)) for step in range(10)]
    assert (study.trials[0].state, study.trials[0].reports) == ("measured", expected)
    del study
    assert begin().trials[0].reports == expected


@pytest.mark.parametrize("evaluations, count", [("noisy", 12), ("outliers", 12), ("deterministic", 4)])
def test_noisy_evaluations_of_a_finite_space_are_repeated(evaluations, count):
    """Once every configuration was evaluated; where evaluations agree, the study ends."""
    study = thrifty.Study(thrifty.Space().int("a", 1, 4), "bo", seed=1, evaluations=evaluations)
    study.optimize(lambda p: 0.5 * p["a"] + math.sin(7 * len(study)), n_trials=12)
    assert len(study) == count
    assert study.stopped == (None if count == 12 else "every configuration was evaluated")


def test_loops_of_several_threads_wait_for_each_other():
    """A generation ends before the next begins: loops that have nothing to evaluate wait."""
    study = thrifty.Study(thrifty.Space().float("x", 0, 1).float("y", 0, 1), "nsga2", seed=1, direction=["minimize"] * 2)
    errors = []

    def evaluate(params):
        time.sleep(0.01)
        return params["x"], 1 - params["x"] + params["y"]

    def loop():
        try:
            study.optimize(evaluate, n_trials=48)
        except RuntimeError as error:
            errors.append(error)

    threads = [threading.Thread(target=loop) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == [] and len(study) == 48
    # A trial that is asked by hand is in no loop.
    with pytest.raises(RuntimeError, match="tell a running trial first"):
        for _ in range(30):
            study.ask()


def test_a_loop_that_waits_keeps_its_time():
    study = thrifty.Study(thrifty.Space().float("x", 0, 1), "nsga2", seed=1, direction=["minimize"] * 2)
    release = threading.Event()

    def slow(params):
        release.wait(10)
        return params["x"], 1 - params["x"]

    first = [threading.Thread(target=study.optimize, args=(slow, 20)) for _ in range(20)]
    for thread in first:
        thread.start()
    while len(study) < 20:
        time.sleep(0.01)
    began = time.monotonic()
    study.optimize(slow, seconds=0.1)
    assert time.monotonic() - began < 5 and len(study) == 20
    release.set()
    for thread in first:
        thread.join()


def test_reports_of_running_trials_outlive_a_sitting(tmp_path):
    def opened():
        return thrifty.Study(thrifty.Space().float("x", 0, 1), "random", seed=1, journal=tmp_path / "study.jsonl")

    study = opened()
    number = study.ask().id
    study.report(number, 1, 0.5)
    study.report(number, 3, 0.25)
    del study
    study = opened()
    assert study.trials[0].reports == [(1, 0.5), (3, 0.25)]
    study.tell(number, pruned=True)
    del study
    assert '"last_step":3' in (tmp_path / "study.jsonl").read_text()


@pytest.mark.parametrize("wrong, message", [
    ({"price": -1}, "price is -1, expected a finite number from 0"),
    ({"price": float("nan")}, "price is nan"),
    ({"score": (float("nan"), 1.0)}, "score is nan"),
    ({"score": (1.0, 1.0)}, r"score is \(1.0, 1.0\)"),
    ({"cost": float("inf")}, "cost is inf"),
    ({"cost": 0}, "cost is 0.0, expected a positive"),
    ({"noise": (-0.1, 0.1)}, "noise is -0.1"),
    ({"max_cost": 0.0}, "max_cost is 0.0"),
    ({"max_cost": "a"}, "max_cost is 'a', expected a number"),
    ({"noise": (0.1,)}, r"noise is \(0.1,\), expected two numbers"),
])
def test_budgeted_training_names_its_bad_arguments(wrong, message):
    arguments = {"price": 0.02, "score": (0.5, 1.0), "cost": 10.0, **wrong}
    with pytest.raises(ValueError, match=message):
        thrifty.BudgetedTraining(thrifty.Space().float("size", 0, 1), **arguments)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are texts")
def test_a_folder_whose_name_is_no_text_is_used(tmp_path):
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    with thrifty.Study(SPACE, "random", seed=1, journal=folder / "study.jsonl") as study:
        steps(study, 3)
    assert len(thrifty.Study(SPACE, "random", seed=1, journal=folder / "study.jsonl")) == 3


def test_a_journal_with_objects_as_choices_goes_on_in_another_process(tmp_path):
    """Objects without a text of their own show their address, which is another one in every process."""
    code = """
import thrifty

class Layer: pass

def relu(x): return x

padding = [Layer() for _ in range({at})]
space = thrifty.Space().categorical("layer", [Layer(), relu, lambda x: x])
with thrifty.Study(space, "random", seed=1, journal="study.jsonl") as study:
    study.optimize(lambda p: 1.0, {at} + 1)
    print(len(study))
"""
    for at in (0, 1):
        done = subprocess.run([sys.executable, "-c", code.replace("{at}", str(at))], cwd=tmp_path, capture_output=True, text=True)
        assert (done.stdout, done.stderr) == (f"{at + 1}\n", "")


def test_a_journal_with_sets_as_choices_goes_on_in_another_process(tmp_path):
    """Texts have other hashes in every process, and so sets of them another order."""
    code = """
import thrifty

choices = [{"adam", "rmsprop", "sgd"}, frozenset({"a", "b", ("c", "d")}), (["p", {"q", "r", "s"}],)]
with thrifty.Study(thrifty.Space().categorical("set", choices), "random", seed=1, journal="study.jsonl") as study:
    study.optimize(lambda p: 1.0, len(study) + 1)
    print(len(study))
"""
    for at in (1, 2):
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True,
                              env={**os.environ, "PYTHONHASHSEED": str(at)})
        assert (done.stdout, done.stderr) == (f"{at}\n", "")


def test_closed_studies_free_their_journals(tmp_path):
    def opened():
        return thrifty.Study(thrifty.Space().float("x", 0, 1), "random", seed=1, journal=tmp_path / "study.jsonl")

    study = opened()
    trial = study.ask()
    with pytest.raises(OSError, match="in use"):
        opened()
    study.close()
    with opened() as again:
        assert len(again) == 1
    assert repr(study) == "<thrifty.Study random, closed>"
    for call in (study.ask, study.recommend, lambda: len(study), lambda: trial.report(1, 0.5), lambda: study.trials):
        with pytest.raises(ValueError, match="the study is closed"):
            call()
    level = thrifty.LevelSet(thrifty.Space().float("x", 0, 1), threshold=0.5, journal=tmp_path / "level.jsonl")
    with level:
        level.ask()
    # In a notebook they are shown by their text.
    assert study._repr_html_() is None and level._repr_html_() is None
    assert len(thrifty.LevelSet(thrifty.Space().float("x", 0, 1), threshold=0.5, journal=tmp_path / "level.jsonl")) == 1


def test_what_exists_is_not_added_again(tmp_path):
    def started():
        with thrifty.Study(SPACE, "random", seed=1, journal=tmp_path / "study.jsonl") as study:
            known = {"x": 0.5, "n": 2, "c": "a"}
            numbers = [study.add_known(known, 1.5, skip_if_exists=True), study.add_known(known, 2.5, skip_if_exists=True)]
            study.enqueue({"x": 1, "n": 3}, skip_if_exists=True)
            study.enqueue({"x": 1.25}, skip_if_exists=True)
            study.optimize(lambda p: p["x"], n_trials=3)
            return numbers, [trial.params for trial in study.trials]

    first = started()
    assert first[0] == [0, 1] and len(first[1]) == 3 and first[1][2]["n"] == 3
    assert started() == first and started() == first
    with thrifty.Study(SPACE, "random", seed=1, journal=tmp_path / "study.jsonl") as study:
        study.optimize(lambda p: p["x"], n_trials=5)
        assert [trial.params["x"] for trial in study.trials].count(1.25) == 1
        assert study.add_known({"x": 0.5, "n": 2, "c": "a"}, 1.5) == 5


def test_an_entry_of_the_queue_that_has_the_values_exists():
    study = thrifty.Study(SPACE, "random", seed=1)
    study.enqueue({"x": 1, "n": 3})
    study.enqueue({"x": 1}, skip_if_exists=True)
    study.enqueue({"x": 1, "c": "a"}, skip_if_exists=True)  # more than the entry has
    study.optimize(lambda p: p["x"], n_trials=3)
    params = [trial.params for trial in study.trials]
    assert [p["x"] == 1 for p in params] == [True, True, False] and params[0]["n"] == 3 and params[1]["c"] == "a"


@pytest.mark.parametrize("given", [{"constraints": [0.5]}, {"noise_variance": 0.1}])
@pytest.mark.parametrize("state", [{"failed": "no memory"}, {"unrelated": "power cut"}, {"pruned": True}])
def test_what_only_a_measured_trial_keeps_is_refused(state, given):
    study = thrifty.Study(SPACE, "random", seed=1)
    trial = study.ask()
    expected = f"{next(iter(given))} is .*, expected none with {next(iter(state))}"
    with pytest.raises(ValueError, match=expected):
        study.tell(trial, **state, **given)
    with pytest.raises(ValueError, match=expected):
        study.add_known({"x": 0.5, "n": 2, "c": "a"}, **state, **given)
    assert [trial.state for trial in study.trials] == ["running"]
    study.tell(trial, **state, constraints=[], noise_variance=None)


def test_the_seconds_of_evaluations_are_recorded(tmp_path, monkeypatch):
    """By a clock that the objective moves. What is told by hand has none."""
    now = [0.0]
    monkeypatch.setattr(thrifty.study.time, "monotonic", lambda: now[0])

    def objective(p):
        now[0] += 2.5
        if p["n"] == 2:
            raise Pruned
        if p["n"] == 3:
            raise ArithmeticError
        return {"value": loss(p)} if p["n"] == 4 else loss(p)

    path = tmp_path / "study.jsonl"
    with thrifty.Study(SPACE, "random", seed=1, journal=path) as study:
        for n in range(1, 5):
            study.enqueue({"n": n})
        study.optimize(objective, 4, catch=(ArithmeticError,))
        assert "<dt>evaluations</dt><dd>10.000 s</dd>" in study.page()
        study.tell(study.ask(), 1.0)
    told = [line["told"] for line in map(json.loads, path.read_text().splitlines()) if "told" in line]
    assert [line["seconds"] for line in told] == [2.5, 2.5, 2.5, 2.5, 0.0]


def test_recommendations_of_a_model_have_an_interval():
    """In the units of the user: that of a study which maximizes is the mirror image."""
    def recommended(direction):
        study = thrifty.Study(thrifty.Space().float("x", 0, 1), "bo", seed=1, direction=direction, evaluations="noisy")
        noise = random.Random(1)
        sign = -1 if direction == "maximize" else 1
        best = study.optimize(lambda p: sign * ((p["x"] - 0.3) ** 2 + noise.gauss(0, 0.05)), 15)
        assert best.observed and best.interval is None
        return study.recommend()

    up, down = recommended("maximize"), recommended("minimize")
    assert not up.observed and up.trial is None and up.params == down.params
    low, high = down.interval
    assert low < down.value < high and up.interval == (-high, -low) and up.value == -down.value


@pytest.mark.parametrize("sign", [1, -1])
def test_recommendations_of_several_fidelities_have_an_interval(sign):
    space = thrifty.Space().float("x", 0, 1).int("epochs", 1, 9)
    study = thrifty.Study(space, "multi_fidelity", seed=1, fidelity="epochs", budget=30,
                          direction="minimize" if sign > 0 else "maximize")
    study.optimize(lambda p: {"value": sign * ((p["x"] - 0.3) ** 2 + 0.1 / p["epochs"]), "cost": p["epochs"]}, 12)
    best = study.recommend()
    low, high = best.interval
    assert not best.observed and low < best.value < high


def test_what_was_measured_has_no_interval():
    study = thrifty.Study(SPACE, "tpe", seed=1)
    study.optimize(loss, 12)
    assert study.recommend().observed and study.recommend().interval is None


def test_members_of_a_noisy_pareto_set_are_not_observed():
    """Under the rule for noise they have posterior means, under others what was measured."""
    def members(**rule):
        study = thrifty.Study(thrifty.Space().float("x", 0, 1), "multi_objective", seed=1, direction=["minimize", "maximize"], **rule)
        noise = random.Random(1)
        study.optimize(lambda p: [p["x"] + noise.gauss(0, 0.05), p["x"] ** 2 + noise.gauss(0, 0.05)], 12)
        assert all(one.observed == (one.values == study.trials[one.trial].objectives) for one in study.pareto_set)
        return [one.observed for one in study.pareto_set]

    noisy, measured = members(rule={"noisy_expected_hypervolume": {"draws": 8}}), members()
    assert noisy and not any(noisy) and measured and all(measured)
