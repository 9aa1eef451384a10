"""Samplers beyond Optuna's suite: what users do to them."""

import json
import math
import multiprocessing
import pickle
import time
import warnings

import pytest

optuna = pytest.importorskip("optuna")
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution  # noqa: E402
from optuna.trial import TrialState  # noqa: E402

import thrifty  # noqa: E402
from thrifty.optuna import EHVISampler, GPSampler, TPESampler  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)
BOTH = pytest.mark.parametrize("kind", [TPESampler, GPSampler])
ALL = pytest.mark.parametrize(("kind", "directions"), [
    (TPESampler, 1), (GPSampler, 1), (TPESampler, 2), (GPSampler, 2), (EHVISampler, 2)])

CAN_CONSTRAIN = pytest.mark.skipif(not hasattr(optuna.trial.Trial, "set_constraint"),
                                   reason="constraints of trials came with Optuna 5.0; those by a function are older")


def objective(trial):
    x = trial.suggest_float("x", -1, 1)
    n = trial.suggest_int("n", 1, 8)
    c = trial.suggest_categorical("c", ["a", None, True])
    return x * x + 0.1 * n + 0.5 * (c is None)


def several(trial):
    value = objective(trial)
    return value, (trial.params["x"] - 0.5) ** 2


def run(sampler, n=20, directions=1, f=None, **kwargs):
    study = optuna.create_study(directions=["minimize"] * directions, sampler=sampler, **kwargs)
    study.optimize(f or (objective if directions == 1 else several), n_trials=n)
    return study


def params(study):
    return [trial.params for trial in study.trials]


@ALL
def test_the_same_seed_gives_the_same_trials(kind, directions):
    a, b, other = (params(run(kind(seed=seed, strict=True), 18, directions)) for seed in (3, 3, 4))
    assert a == b != other


@ALL
def test_another_sampler_object_goes_on_bit_for_bit(kind, directions, tmp_path):
    whole = params(run(kind(seed=3, strict=True), 24, directions))
    storage = f"sqlite:///{tmp_path}/study.db"
    run(kind(seed=3, strict=True), 17, directions, storage=storage, study_name="s")
    again = optuna.load_study(storage=storage, study_name="s", sampler=kind(seed=3, strict=True))
    again.optimize(objective if directions == 1 else several, n_trials=7)
    assert params(again) == whole


@ALL
def test_pickled_in_the_middle(kind, directions):
    f = objective if directions == 1 else several
    study = run(kind(seed=3, strict=True), 15, directions)
    study.sampler = pickle.loads(pickle.dumps(study.sampler))
    study.optimize(f, n_trials=6)
    assert params(study) == params(run(kind(seed=3), 21, directions))


@ALL
@pytest.mark.parametrize("what", [
    "plain", "pruned", "failed", pytest.param("constrained", marks=CAN_CONSTRAIN), "odd", "conditional"])
def test_the_compiled_reader_changes_no_suggestion(kind, directions, what, monkeypatch):
    """Once by the compiled reader, once by Python alone."""
    def f(trial):
        values = conditional(trial) if what == "conditional" else objective(trial)
        if what == "pruned" and directions == 1 and trial.number % 3 == 0:
            trial.report(values, 2)
            trial.report(math.inf, 1)
            raise optuna.TrialPruned
        if what == "failed" and trial.number % 4 == 1:
            raise ArithmeticError
        if what == "constrained" and trial.number % 4:
            trial.set_constraint("c", values - 1)
        if what == "odd" and directions == 1:
            values = [values, math.inf, -math.inf, 1e200][trial.number % 4]
        return values if directions == 1 else (values, 1.0)

    def suggested(failures):
        space = CONDITIONAL if what == "conditional" else None
        sampler = kind(seed=3, strict=True, failures=failures, space=space, n_startup_trials=4)
        study = optuna.create_study(directions=["minimize"] + ["maximize"] * (directions - 1), sampler=sampler)
        study.enqueue_trial({"x": 0.5})
        study.optimize(f, n_trials=9, catch=(ArithmeticError,))
        study.sampler = pickle.loads(pickle.dumps(sampler))  # reads all again
        study.optimize(f, n_trials=8, catch=(ArithmeticError,))
        return params(study)

    found = [suggested(policy) for policy in ("ignore", "avoid")]
    reads = []
    monkeypatch.setattr(thrifty.optuna._sampler.Feed, "_read", lambda self, trials, at, *rest: (reads.append(at), at)[1])
    assert found == [suggested(policy) for policy in ("ignore", "avoid")] and reads


def test_the_compiled_reader_reads_the_usual_trials(monkeypatch):
    study = run(TPESampler(seed=3, strict=True), 20)
    taken = []
    original = thrifty.optuna._sampler.Feed._take
    monkeypatch.setattr(thrifty.optuna._sampler.Feed, "_take", lambda *a: (taken.append(a[2]), original(*a))[1])
    study.optimize(objective, n_trials=5)
    assert set(taken) == {20, 21, 22, 23, 24}  # each while it was asked


@BOTH
def test_one_sampler_serves_several_studies(kind):
    sampler = kind(seed=3, strict=True, n_startup_trials=3)
    first = run(sampler, 12)
    second = optuna.create_study(sampler=sampler)
    second.optimize(lambda t: t.suggest_float("y", 0, 1) + t.suggest_float("x", 2, 3), n_trials=6)
    first.optimize(objective, n_trials=6)
    assert params(first) == params(run(kind(seed=3, n_startup_trials=3), 18))


@pytest.fixture
def begun(monkeypatch):
    """Names of the parameters of each search space whose trials a sampler begins to read."""
    found, original = [], thrifty.optuna._sampler.Feed.__init__

    def begin(feed, method, distributions, *rest):
        found.append("".join(distributions))
        original(feed, method, distributions, *rest)

    monkeypatch.setattr(thrifty.optuna._sampler.Feed, "__init__", begin)
    return found


@BOTH
def test_single_parameters_are_read_once_however_many_there_are(kind, begun):
    def f(trial):
        branch = [trial.suggest_float(f"{'ab'[trial.number % 2]}{at}", 0, 1) for at in range(40)]
        return trial.suggest_float("x", 0, 1) + sum(branch)

    study = run(kind(seed=1, n_startup_trials=2, strict=True), 4, f=f)
    assert len(begun) > 80
    begun.clear()
    study.optimize(f, n_trials=4)
    assert not begun


@BOTH
def test_single_parameters_do_not_displace_those_that_are_sampled_together(kind, begun):
    def f(trial):
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        return x + y + sum(trial.suggest_float(f"p{at}", 0, 1 + trial.number) for at in range(70))

    run(kind(seed=1, n_startup_trials=2, strict=True), 6, f=f)
    assert begun.count("xy") == 1 and begun.count("p0") > 1


def test_the_search_spaces_that_were_used_last_are_kept(begun, monkeypatch):
    monkeypatch.setattr(thrifty.optuna._sampler, "MOST_FEEDS", 2)
    sampler = TPESampler(seed=1)
    study = optuna.create_study(sampler=sampler)
    begun.clear()

    def ask(names, high=1.0):
        sampler._feed(study, {name: FloatDistribution(0, high) for name in names}, "tpe", [])

    for names in ("ab", "cd", "ab", "ef", "ab", "cd"):
        ask(names)
    assert begun == ["ab", "cd", "ef", "cd"]
    begun.clear()
    # Of single parameters two more than there are names.
    for name, high in [("a", 1.0), ("b", 1.0), ("a", 2.0), ("a", 3.0), ("a", 1.0), ("a", 4.0), ("a", 1.0), ("b", 1.0)]:
        ask(name, high)
    assert begun == ["a", "b", "a", "a", "a", "b"] and len(sampler._feeds) == 6


def test_common_space_is_that_of_optuna():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    ours = thrifty.optuna._space.CommonSpace()
    theirs = optuna.search_space.IntersectionSearchSpace()

    def f(trial):
        trial.suggest_float("x", 0, 1)
        trial.suggest_int("n", 1, 8 if trial.number < 12 else 9)
        trial.suggest_categorical("c", ["a", math.nan, None] if trial.number < 20 else ["a", float("nan"), None])
        if trial.number % 7 != 6 or trial.number > 16:
            trial.suggest_float("sometimes", 0, 1)
        if trial.number % 5 == 1:
            raise optuna.TrialPruned
        return 1.0

    seen = []
    for _ in range(30):
        study.ask()
        study.optimize(f, n_trials=1)
        trials = study.get_trials(deepcopy=False)
        assert ours.calculate(trials) == theirs.calculate(study)
        seen.append(list(ours.calculate(trials)))
    assert seen[1] == ["c", "n", "sometimes", "x"] and seen[-1] == ["c", "x"]


@BOTH
def test_threads(kind):
    study = optuna.create_study(sampler=kind(seed=3, strict=True))
    study.optimize(lambda t: (objective(t), time.sleep(0.005))[0], n_trials=50, n_jobs=4)
    assert len(study.trials) == 50 and all(t.state == TrialState.COMPLETE for t in study.trials)
    distinct = {json.dumps(t.params, sort_keys=True) for t in study.trials}
    assert len(distinct) == 50


@BOTH
def test_running_trials_count(kind):
    study = run(kind(seed=3, strict=True), 25)
    asked = [study.ask({"x": FloatDistribution(-1, 1), "n": IntDistribution(1, 8),
                        "c": CategoricalDistribution(["a", None, True])}) for _ in range(4)]
    points = [trial.params["x"] for trial in asked]
    assert min(abs(a - b) for i, a in enumerate(points) for b in points[:i]) > 1e-6


def _child(queue, kind):
    queue.put(len(run(kind(seed=1, n_startup_trials=2), 8).trials))


@BOTH
@pytest.mark.filterwarnings("ignore:Choices for a categorical")
@pytest.mark.parametrize("choices", [("a", "b"), (int, str), (len, max), ((1, 2), (3,)), (math.nan, None), "numpy"], ids=repr)
def test_running_trials_count_whatever_their_choices(kind, choices):
    if choices == "numpy":
        choices = tuple(pytest.importorskip("numpy").arange(3))

    def f(trial):
        return (trial.suggest_categorical("c", choices) is choices[0]) + trial.suggest_float("x", 0, 1)

    sampler = kind(seed=1, strict=True, n_startup_trials=4)
    study = run(sampler, 6, f=f)
    running = [study.ask() for _ in range(3)]
    for trial in running:
        f(trial)
    (feed,) = [feed for feed in sampler._feeds.values() if len(feed.distributions) == 2]
    # The last has not been read yet.
    assert [trial.params for trial in running[:2]] == [feed.values(numbers) for numbers in feed._running.values()]


@BOTH
def test_running_trials_of_earlier_versions_count(kind):
    sampler = kind(seed=1, strict=True, n_startup_trials=4)
    study = run(sampler, 6)
    other = study.ask()
    study._storage.set_trial_system_attr(other._trial_id, "thrifty:relative", json.dumps({"c": None, "n": 3, "x": 0.5}))
    objective(study.ask())
    (feed,) = [feed for feed in sampler._feeds.values() if len(feed.distributions) == 3]
    assert feed.values(feed._running[other.number]) == {"c": None, "n": 3, "x": 0.5}


@BOTH
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork_after_use(kind):
    run(kind(seed=1, n_startup_trials=2), 10)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=_child, args=(queue, kind))
    process.start()
    process.join(60)
    assert process.exitcode == 0 and queue.get() == 8


@BOTH
def test_awkward_values(kind):
    odd = [math.inf, math.nan, -1e308, 1e308, -math.inf, 0.0]
    study = run(kind(seed=1, n_startup_trials=2, strict=True), 40,
                f=lambda t: [t.suggest_float("x", 0, 1), *odd][t.number % 7])
    assert len(study.trials) == 40


@pytest.mark.parametrize("kind", [TPESampler, EHVISampler])
def test_awkward_values_of_several_objectives(kind):
    odd = [math.inf, -1e308, 1e308, 0.0]
    study = run(kind(seed=1, n_startup_trials=2, strict=True), 24, 2,
                f=lambda t: ([t.suggest_float("x", 0, 1), *odd][t.number % 5], t.params["x"]))
    assert len(study.trials) == 24


@BOTH
def test_an_exhausted_space_goes_on(kind):
    study = run(kind(seed=1, n_startup_trials=2, strict=True), 20,
                f=lambda t: 0.0 * t.suggest_int("n", 1, 3) + t.suggest_categorical("c", [0, 1]))
    assert len(study.trials) == 20 and len({tuple(t.params.values()) for t in study.trials}) == 6


@BOTH
def test_a_constant_objective(kind):
    assert len(run(kind(seed=1, strict=True), 25, f=lambda t: 0.0 * t.suggest_float("x", 0, 1)).trials) == 25


@BOTH
@pytest.mark.parametrize("policy", [None, "ignore", "last_report", "worst"])
def test_pruned_trials(kind, policy):
    def f(trial):
        x = trial.suggest_float("x", 0, 1)
        for step in range(5):
            trial.report(x * (5 - step), step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return x

    study = run(kind(seed=1, pruned=policy, strict=True), 40, f=f, pruner=optuna.pruners.MedianPruner())
    assert study.best_value < 0.05 and any(t.state == TrialState.PRUNED for t in study.trials)


@BOTH
@pytest.mark.parametrize("policy", ["ignore", "avoid"])
def test_failed_trials(kind, policy):
    def f(trial):
        x = trial.suggest_float("x", 0, 1)
        if x < 0.3:
            raise ArithmeticError
        return x

    study = optuna.create_study(sampler=kind(seed=1, failures=policy, strict=True))
    study.optimize(f, n_trials=40, catch=(ArithmeticError,))
    failed = sum(t.state == TrialState.FAIL for t in study.trials)
    assert 0 < failed < 40 and study.best_value < 0.4


def test_failures_that_are_avoided_are_fewer():
    def f(trial):
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        if x + y < 0.7:
            raise ArithmeticError
        return x + y

    def ended(policy, seed):
        study = optuna.create_study(sampler=GPSampler(seed=seed, failures=policy, strict=True))
        study.optimize(f, n_trials=30, catch=(ArithmeticError,))
        return sum(t.state == TrialState.FAIL for t in study.trials), study.best_value

    avoided, ignored = ([ended(policy, seed) for seed in range(4)] for policy in ("avoid", "ignore"))
    assert sum(failed for failed, _ in avoided) < sum(failed for failed, _ in ignored)
    # The minimum is on their border, 0.7, which is learnt.
    assert all(best < 0.72 for _, best in avoided), avoided


def test_places_of_infinite_losses_are_learnt():
    def f(trial):
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        return math.inf if x + y < 0.7 else x + y

    study = optuna.create_study(sampler=GPSampler(seed=1, strict=True))
    study.optimize(f, n_trials=30)
    assert study.best_value < 0.72 and sum(math.isinf(t.value) for t in study.trials) < 20


@CAN_CONSTRAIN
@BOTH
def test_constraints(kind):
    def f(trial):
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        trial.set_constraint("c", 0.6 - x - y)
        return x + 2 * y

    study = run(kind(seed=1, strict=True), 40, f=f)
    feasible = [t.value for t in study.trials if t.constraints["c"] <= 0]
    assert min(feasible) < 0.75 and len(feasible) > 10


@BOTH
def test_constraints_by_a_function(kind):
    sampler = kind(seed=1, strict=True, constraints_func=lambda t: (0.6 - t.params["x"],))
    study = run(sampler, 30, f=lambda t: t.suggest_float("x", 0, 1))
    assert min(t.value for t in study.trials if t.params["x"] >= 0.6) < 0.7


@CAN_CONSTRAIN
@ALL
def test_constraints_of_some_trials_only(kind, directions):
    def f(trial):
        x = trial.suggest_float("x", 0, 1)
        if trial.number % 3:
            trial.set_constraint("c", 0.5 - x)
        if trial.number % 5 == 0:
            trial.set_constraint("d", x - 2)
        return x if directions == 1 else (x, 1 - x)

    assert len(run(kind(seed=1, n_startup_trials=4, strict=True), 25, directions, f=f).trials) == 25


@BOTH
def test_enqueued_trials(kind):
    study = optuna.create_study(sampler=kind(seed=1, n_startup_trials=3, strict=True))
    study.enqueue_trial({"x": 0.25})
    study.enqueue_trial({"x": -1, "n": 8, "c": None})
    study.optimize(objective, n_trials=15)
    study.enqueue_trial({"n": 1})
    study.optimize(objective, n_trials=1)
    assert study.trials[0].params["x"] == 0.25 and study.trials[1].params["n"] == 8
    assert study.trials[15].params["n"] == 1


@BOTH
def test_enqueued_values_outside_of_their_bounds_are_left_to_optuna(kind):
    """Values outside: the others are suggested by the method, given those that are inside."""
    def f(trial):
        x, k = trial.suggest_float("x", 0, 1), trial.suggest_int("k", 0, 10, step=5)
        return (x - 0.3) ** 2 + k + trial.suggest_float("y", 0, 1)

    sampler = kind(seed=1, n_startup_trials=4, strict=True)
    study = run(sampler, 8, f=f)
    study.enqueue_trial({"x": 1.2, "k": 5})
    study.enqueue_trial({"k": 3})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Optuna's own, of such values
        study.optimize(f, n_trials=2)
    assert study.trials[8].params["x"] == 1.2 and study.trials[8].params["k"] == 5 and study.trials[9].params["k"] == 3
    assert sampler.fallbacks == 0


@pytest.mark.parametrize("kind", [TPESampler, GPSampler, EHVISampler])
@pytest.mark.parametrize("cost", [{"per_unit": {"exponent": 1}}, {"cooled": {"budget": 100}}])
def test_costs_are_refused(kind, cost):
    with pytest.raises(ValueError, match="cost is .*, expected 'ignore': trials of Optuna have no cost"):
        kind(seed=1, cost=cost)
    kind(seed=1, cost="ignore")


@pytest.mark.parametrize("partial", ["fixed", "enqueued"])
def test_the_rest_is_suggested_given_what_is_fixed(partial):
    """The best x depends on the side: given the side, x is near it. Without it one x would serve both."""
    def f(trial):
        side = trial.suggest_categorical("side", ["left", "right"])
        x = trial.suggest_float("x", -1, 1)
        return (x - (0.8 if side == "right" else -0.8)) ** 2 + (side == "right")

    found = []
    for side in ("left", "right"):
        study = run(GPSampler(seed=2, strict=True), 8, f=f)
        if partial == "fixed":
            study.sampler = optuna.samplers.PartialFixedSampler({"side": side}, study.sampler)
        for _ in range(6):
            if partial == "enqueued":
                study.enqueue_trial({"side": side})
            study.optimize(f, n_trials=1)
        found.append(min(abs(t.params["x"] - (0.8 if side == "right" else -0.8)) for t in study.trials[8:]))
        assert all(t.params["side"] == side for t in study.trials[8:])
    assert max(found) < 0.1


@BOTH
def test_bounds_that_change(kind):
    def f(trial):
        x = trial.suggest_float("x", 0, 1 if trial.number < 15 else 2)
        return (x - 0.5) ** 2 + trial.suggest_float("y", 0, 1)

    assert run(kind(seed=1, strict=True), 30, f=f).best_value < 0.5


@BOTH
def test_trials_of_others(kind):
    study = run(kind(seed=1, n_startup_trials=5, strict=True), 6)
    study.add_trial(optuna.create_trial(state=TrialState.FAIL, params={}, distributions={}))
    for _ in range(3):
        study.ask()
    study.enqueue_trial({"x": 0.0})
    study.add_trial(optuna.create_trial(value=1.0, params={"z": 1.0}, distributions={"z": FloatDistribution(0, 2)}))
    study.optimize(objective, n_trials=8)
    assert sum(t.state == TrialState.COMPLETE for t in study.trials) == 15


HUGE = FloatDistribution(-1e308, 1e308)


@BOTH
@pytest.mark.parametrize("distribution", [
    pytest.param(HUGE, marks=pytest.mark.xfail(
        raises=OverflowError, strict=True,
        reason="the range is no float: Thrifty refuses it, and Optuna's RandomSampler, the fallback, overflows in numpy")),
    FloatDistribution(5e-324, 1e308, log=True), FloatDistribution(1e-300, 1e300, log=True), IntDistribution(0, 2**62),
    IntDistribution(1, 2**60, log=True), FloatDistribution(0, 1, step=1e-18),
    CategoricalDistribution([float("nan"), float("inf"), None, 1, "1"]), FloatDistribution(3, 3), IntDistribution(2, 2)],
    ids=str)
@pytest.mark.filterwarnings("ignore:.*samples at random")
@pytest.mark.filterwarnings("ignore:Choices for a categorical")
def test_extreme_distributions(kind, distribution):
    study = optuna.create_study(sampler=kind(seed=1, n_startup_trials=2))
    for at in range(8):
        trial = study.ask({"x": distribution, "y": FloatDistribution(0, 1)})
        study.tell(trial, float(at))
    assert len(study.trials) == 8


CONDITIONAL = (thrifty.Space().categorical("solver", ["sgd", None]).float("rate", 1e-4, 1, log=True)
               .float("momentum", 0, 1).when("solver", ["sgd"]).int("depth", 1, 4).when("solver", [None]))


def conditional(trial):
    solver = trial.suggest_categorical("solver", ["sgd", None])
    rate = abs(math.log10(trial.suggest_float("rate", 1e-4, 1, log=True)) + 2)
    if solver == "sgd":
        return rate + abs(trial.suggest_float("momentum", 0, 1) - 0.9)
    return rate + 0.2 * trial.suggest_int("depth", 1, 4)


@BOTH
def test_a_conditional_space_is_sampled_as_one_tree(kind):
    sampler = kind(seed=1, space=CONDITIONAL, strict=True)
    independent = []
    original = sampler.sample_independent
    sampler.sample_independent = lambda *a: (independent.append(a[2]), original(*a))[1]
    study = run(sampler, 40, f=conditional)
    assert independent == [] and study.best_value < 0.5
    assert {"momentum", "depth"} == {n for t in study.trials for n in t.params} - {"solver", "rate"}
    assert not any({"momentum", "depth"} <= set(t.params) for t in study.trials)
    again = run(kind(seed=1, space=CONDITIONAL, strict=True), 40, f=conditional)
    assert params(again) == params(study)


@BOTH
def test_fixed_parameters_of_a_branch(kind):
    sampler = kind(seed=1, space=CONDITIONAL, strict=True, n_startup_trials=4)
    study = run(sampler, 10, f=conditional)
    study.sampler = optuna.samplers.PartialFixedSampler({"momentum": 0.125, "depth": 3}, sampler)
    study.optimize(conditional, n_trials=8)
    for trial in study.trials[10:]:
        branch = {"momentum": 0.125} if trial.params["solver"] == "sgd" else {"depth": 3}
        assert trial.params.items() >= branch.items() and len(trial.params) == 3
        # It was known when the rest was suggested.
        assert dict(json.loads(trial.system_attrs["thrifty:relative"])).items() >= branch.items()
    study.sampler = sampler
    for fixed in ({"solver": None, "momentum": 0.25}, {"solver": "sgd", "momentum": 0.25}, {"depth": 2}):
        study.enqueue_trial(fixed)
    study.optimize(conditional, n_trials=3)
    off, on, either = params(study)[18:]
    assert off["solver"] is None and on["momentum"] == 0.25 and either.get("depth", 2) == 2
    assert sampler.fallbacks == 0


def test_fixed_parameters_below_a_branch_that_is_suggested():
    space = (thrifty.Space().categorical("a", [1, "q"]).int("b", 1, 3).when("a", ["q"]).float("c", 0, 1).when("b", [2, 3])
             .float("d", 0, 1))
    feed = thrifty.optuna._feed.Feed("random", thrifty.optuna._space.distributions_of(space), space, 0, {}, ())
    assert feed.part({"c": 0.5}) is None and feed.part({"c": 0.5, "d": 0.25}) == [None, None, None, 0.25]
    assert feed.part({"b": 2, "c": 0.5}) is None and feed.part({"a": "q", "b": 1, "c": 0.5}) == [1, 1, None, None]
    assert feed.part({"c": 0.5}, {"a": 1, "b": 3, "c": 0.1, "d": 0.2}) == [1, 3, 0.5, None]
    assert feed.part({"c": 0.5}, {"a": 0, "b": None, "c": None, "d": 0.2}) is None
    asked = [feed.ask(number, {"c": 0.5})[0] for number in range(30)]
    assert {numbers[2] for numbers in asked} == {None, 0.5}


GRID = thrifty.Space().float("f", 0, 1, step=0.1).float("x", 0, 1).when("f", [0.3, 0.6, 0.7]).float("y", 0, 1).when("f", [0.3, 0.6])
ONE = thrifty.Space().float("f", 0.5, 0.5).float("x", 0, 1).when("f", [0.5]).float("y", 0, 1).when("f", [0.5])


@pytest.mark.parametrize(("space", "values", "number"), [(GRID, [0.3, 3 * 0.1], None), (GRID, [0.6, 0.1 * 6], None), (ONE, [0.5], 0)])
def test_a_float_that_others_depend_on_is_known_by_its_level(space, values, number):
    feed = thrifty.optuna._feed.Feed("random", thrifty.optuna._space.distributions_of(space), space, 0, {}, ())
    for value in values:
        parent = value if number is None else number
        assert feed.part({"f": value, "x": 0.25}) == [parent, 0.25, None]
        assert feed.part({"x": 0.25}, {"f": parent, "x": 0.1, "y": 0.2}) == [parent, 0.25, None]
    if number is None:
        assert feed.part({"f": 0.5, "x": 0.25}) == [0.5, None, None] and feed.part({"x": 0.25}, {"f": 0.5}) is None
        assert feed.part({"f": 0.7, "x": 0.25, "y": 0.5}) == [0.7, 0.25, None]
        assert feed.part({"f": math.nan, "x": 0.25}) is None


@pytest.mark.parametrize(("kind", "space"), [(GPSampler, GRID), (GPSampler, ONE), (TPESampler, GRID),
                                             (TPESampler, ONE)])
@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_fixed_parameters_below_a_float(kind, space):
    def f(trial):
        parent = trial.suggest_float("f", 0.5, 0.5) if space is ONE else trial.suggest_float("f", 0, 1, step=0.1)
        names = "xy" if space is ONE else {3: "xy", 6: "xy", 7: "x"}.get(round(10 * parent), "")
        return parent + sum(abs(trial.suggest_float(name, 0, 1) - 0.25) for name in names)

    sampler = kind(seed=1, space=space, strict=True, n_startup_trials=12)
    study = optuna.create_study(sampler=optuna.samplers.PartialFixedSampler({"x": 0.25}, sampler))
    study.optimize(f, 30)
    on = [trial for trial in study.trials if "x" in trial.params]
    assert len(on) > 3
    for trial in on:
        # It was known when the rest was suggested.
        assert dict(json.loads(trial.system_attrs["thrifty:relative"]))["x"] == 0.25 == trial.params["x"]


@BOTH
def test_conditional_parameters_without_a_space(kind):
    assert run(kind(seed=1, strict=True), 40, f=conditional).best_value < 1


def test_single_parameters_have_designs_of_their_own():
    def f(trial):
        return sum(trial.suggest_float(name, 0, 1) for name in ("a", "b") if trial.number or name)

    study = run(TPESampler(seed=1, strict=True), 1, f=f)
    assert study.trials[0].params["a"] != study.trials[0].params["b"]


def test_maximized_objectives():
    study = optuna.create_study(direction="maximize", sampler=GPSampler(seed=1, strict=True))
    study.optimize(lambda t: -((t.suggest_float("x", -5, 5) - 1) ** 2), n_trials=25)
    assert study.best_value > -1e-3


def test_settings_that_are_values_are_in_the_units_of_the_study():
    def suggested(direction, sign, reference):
        study = optuna.create_study(directions=[direction] * 2, sampler=EHVISampler(seed=1, strict=True, n_startup_trials=4,
                                                                                   reference=reference))
        study.optimize(lambda t: (sign * t.suggest_float("x", 0, 1), sign * (1 - t.params["x"] * t.suggest_float("y", 0, 1))), 12)
        return params(study)

    found = suggested("maximize", 1, [0.2, 0.2])
    assert found == suggested("minimize", -1, [-0.2, -0.2]) != suggested("maximize", 1, [-0.2, -0.2])


@pytest.mark.parametrize("kind", [TPESampler, GPSampler, EHVISampler])
def test_several_objectives_are_better_than_chance(kind):
    def f(trial):
        x, y = trial.suggest_float("x", -2, 4), trial.suggest_float("y", -2, 4)
        return x * x + y * y, (x - 2) ** 2 + y * y

    def volume(sampler):
        from optuna._hypervolume import compute_hypervolume
        import numpy as np

        front = [t.values for t in run(sampler, 40, 2, f=f).best_trials if max(t.values) < 6]
        return compute_hypervolume(np.array(front), np.array([6.0, 6.0]))

    ours = [volume(kind(seed=s, strict=True)) for s in range(3)]
    chance = [volume(optuna.samplers.RandomSampler(seed=s)) for s in range(3)]
    assert min(ours) > max(chance)


def test_a_sampler_that_fails_warns_once_and_goes_on(monkeypatch):
    sampler = TPESampler(seed=1)
    study = run(sampler, 12)
    monkeypatch.setattr(thrifty.optuna._sampler.Feed, "follow", lambda *a: 1 / 0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        study.optimize(objective, n_trials=5)
    assert len([w for w in caught if "at random" in str(w.message)]) == 1
    assert sampler.fallbacks == 5 and len(study.trials) == 17
    study.sampler = TPESampler(seed=1, strict=True)
    with pytest.raises(ZeroDivisionError):
        study.optimize(objective, n_trials=1)


@pytest.mark.parametrize("make", [
    lambda: TPESampler(candidate=3), lambda: GPSampler(budgte=3), lambda: EHVISampler(rules=1),
    lambda: TPESampler(failures="odd"), lambda: GPSampler(pruned="odd"), lambda: TPESampler(n_startup_trials=-1),
    lambda: TPESampler(space=thrifty.Space().float("x", 1, 0)), lambda: TPESampler(preset="odd")])
def test_arguments_are_validated(make):
    with pytest.raises(ValueError):
        make()


@BOTH
def test_a_space_of_another_kind_is_refused(kind):
    with pytest.raises(TypeError, match="expected a thrifty.Space"):
        kind(space={"x": FloatDistribution(0, 1)})


def test_the_number_of_objectives_is_checked():
    with pytest.raises(ValueError, match="GPSampler"):
        run(EHVISampler(seed=1), 2)
    with pytest.raises(ValueError, match="EHVISampler"):
        run(GPSampler(seed=1, convergence="continue", strict=True), 12, 2)


def _worker(storage, kind, n):
    study = optuna.load_study(storage=storage, study_name="s", sampler=kind(seed=7, strict=True))

    def f(trial):
        value = objective(trial)
        time.sleep(0.02)
        return value

    study.optimize(f, n_trials=n)


@BOTH
def test_processes_of_one_seed_share_a_storage(kind, tmp_path):
    storage = f"sqlite:///{tmp_path}/study.db"
    optuna.create_study(storage=storage, study_name="s")
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_worker, args=(storage, kind, 12)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    trials = optuna.load_study(storage=storage, study_name="s").trials
    assert [p.exitcode for p in processes] == [0, 0, 0] and len(trials) == 36
    assert len({json.dumps(t.params, sort_keys=True) for t in trials}) == 36


@BOTH
def test_brackets_of_hyperband(kind):
    """Its pruner hands out a study that shows the trials of one bracket; the samplers learn from all."""
    def f(trial):
        x = trial.suggest_float("x", 0, 1)
        for step in range(9):
            trial.report(x + 1 / (step + 1), step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return x

    sampler = kind(seed=1, strict=True, n_startup_trials=5)
    study = run(sampler, 25, f=f, pruner=optuna.pruners.HyperbandPruner(1, 9))
    # The last trial asked with those before it.
    assert len(study.trials) == 25 and max(len(feed.engine) for feed in sampler._feeds.values()) == 24


def test_last_reports_count_beside_constraints():
    """A pruned trial whose constraints are known is measured by its last report."""
    def f(trial):
        x = trial.suggest_float("x", -5, 5)
        trial.report((x - 1) ** 2, 1)
        if trial.number >= 5 and trial.number % 2:
            raise optuna.TrialPruned
        return (x - 1) ** 2

    def suggested(pruned):
        sampler = GPSampler(seed=1, n_startup_trials=5, pruned=pruned, constraints_func=lambda t: [t.params["x"] - 3])
        study = optuna.create_study(sampler=sampler)
        study.optimize(f, n_trials=14)
        return [trial.params["x"] for trial in study.trials]

    assert suggested("last_report") != suggested("worst")


@pytest.mark.parametrize("reader", ["compiled", "python"])
@pytest.mark.parametrize("is_constrained", [False, True])
@pytest.mark.parametrize("last", [math.nan, math.inf, -math.inf, 1e200])
def test_last_reports_that_are_not_finite_are_left_out(reader, is_constrained, last, monkeypatch):
    """A pruned trial that has diverged counts as one without a report, not as a measured loss."""
    if reader == "python":
        monkeypatch.setattr(thrifty.optuna._sampler.Feed, "_read", lambda self, trials, at, *rest: at)

    def suggested(reports):
        def f(trial):
            x = trial.suggest_float("x", -5, 5)
            if trial.number % 3 == 1:
                for step, value in enumerate(reports):
                    trial.report(value, step)
                raise optuna.TrialPruned
            return (x - 1) ** 2

        known = {"constraints_func": lambda t: [t.params["x"] - 3]} if is_constrained else {}
        return params(run(GPSampler(seed=1, n_startup_trials=5, strict=True, **known), 12, f=f))

    assert suggested([1.0, last]) == suggested([]) != suggested([1.0, 2.0])


@BOTH
@pytest.mark.parametrize("reader", ["compiled", "python"])
@pytest.mark.parametrize("space", [None, thrifty.Space().float("x", 0, 1).float("y", 0, 1)], ids=["inferred", "given"])
def test_a_trial_that_ends_before_its_last_parameter_is_forgotten(kind, reader, space, monkeypatch):
    """While it ran others have seen it, with a parameter that it has not asked for. A new sampler object never sees it."""
    if reader == "python":
        monkeypatch.setattr(thrifty.optuna._sampler.Feed, "_read", lambda self, trials, at, *rest: at)

    def f(trial):
        return (trial.suggest_float("x", 0, 1) - 0.3) ** 2 + (trial.suggest_float("y", 0, 1) - 0.6) ** 2

    sampler = kind(seed=1, strict=True, space=space)
    study = run(sampler, 14, f=f)
    early = study.ask()
    early.suggest_float("x", 0, 1)
    study.optimize(f, n_trials=1)
    (feed,) = [feed for feed in sampler._feeds.values() if len(feed.distributions) == 2]
    assert list(feed._running) == [14] and len(feed.engine) == 15
    study.tell(early, state=TrialState.FAIL)
    study.optimize(f, n_trials=1)
    assert not feed._running and len(feed.engine) == 15  # those before it, and the one after it
    other = optuna.create_study(sampler=kind(seed=1, strict=True, space=space))
    other.add_trials(study.trials[:16])
    other.optimize(f, n_trials=1)
    assert params(study)[16] == params(other)[16]


@BOTH
def test_values_of_a_trial_that_is_made_again_are_given(kind):
    def f(trial):
        kind = trial.suggest_categorical("k", ["a", "b"])
        return (trial.suggest_float("x", 0, 1) - (0.1 if kind == "a" else 0.9)) ** 2 + (kind == "b")

    study = optuna.create_study(sampler=kind(seed=1, strict=True))
    study.optimize(f, n_trials=20)
    # What RetryFailedTrialCallback adds.
    distributions = {"k": optuna.distributions.CategoricalDistribution(["a", "b"])}
    study.add_trial(optuna.trial.create_trial(state=TrialState.WAITING, params={"k": "b"}, distributions=distributions))
    trial = study.ask()
    assert trial.suggest_categorical("k", ["a", "b"]) == "b"
    trial.suggest_float("x", 0, 1)
    shared = dict(json.loads(study.trials[trial.number].system_attrs["thrifty:relative"]))
    assert shared == {"k": 1, "x": trial.params["x"]}
