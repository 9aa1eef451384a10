"""Regressor, Pareto fronts, level sets and budgeted trainings."""

import itertools
import math
import pickle

import pytest

import thrifty
from thrifty import pareto

np = pytest.importorskip("numpy")
pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.datasets import make_friedman1  # noqa: E402
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs  # noqa: E402
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from thrifty import GaussianProcessRegressor  # noqa: E402


def friedman(n, seed=0):
    X, y = make_friedman1(n + 400, n_features=6, noise=0.5, random_state=seed)
    return X[:n], y[:n], X[n:], y[n:]


def test_the_regressor_passes_all_checks_of_scikit_learn():
    found = check_estimator(GaussianProcessRegressor(n_restarts_optimizer=0), on_fail=None, on_skip=None)
    assert [one["check_name"] for one in found if one["status"] == "failed"] == []


@pytest.mark.parametrize(("arguments", "message"), [
    ({"kernel": Matern}, "kernel is <class .*Matern'>, expected a name or a kernel of thrifty.kernels"),
    ({"kernel": 3}, "kernel is 3"), ({"noise": math.nan}, "noise is nan"), ({"noise": -1.0}, "noise is -1.0")])
def test_arguments_of_the_regressor_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        GaussianProcessRegressor(**arguments).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0])


def test_samples_are_counted():
    model = GaussianProcessRegressor(random_state=0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0])
    assert model.sample_y([[0.5]], 0).shape == (1, 0)
    with pytest.raises(ValueError, match="n_samples is -1"):
        model.sample_y([[0.5]], -1)


def test_no_kernel_is_the_default_of_scikit_learn():
    X, y, at, _ = friedman(40)
    ours = GaussianProcessRegressor(None, alpha=0.1, normalize_y=True, random_state=0).fit(X, y)
    theirs = Theirs(ConstantKernel() * RBF(), alpha=0.1, normalize_y=True, random_state=0).fit(X, y)
    assert ours.predict(at) == pytest.approx(theirs.predict(at), abs=1e-2)
    assert clone(ours).kernel is None and ours.kernel_ != ConstantKernel() * RBF()


def test_it_predicts_as_well_as_scikit_learn():
    X, y, X_test, y_test = friedman(100)
    ours = GaussianProcessRegressor(random_state=0).fit(X, y)
    kernel = ConstantKernel(1.0, (1e-3, 1e5)) * Matern([1.0] * 6, (1e-3, 1e4), nu=2.5) + WhiteKernel(1e-2, (1e-10, 10))
    theirs = Theirs(kernel, normalize_y=True, n_restarts_optimizer=1, random_state=0).fit(X, y)

    def nlpd(mean, variance):
        return np.mean(0.5 * np.log(2 * math.pi * variance) + 0.5 * (y_test - mean) ** 2 / variance)

    mean, std = ours.predict(X_test, return_std=True)
    their_mean, their_std = theirs.predict(X_test, return_std=True)  # with noise
    assert nlpd(mean, std**2 + ours.noise_variance_) < nlpd(their_mean, their_std**2) + 0.02
    assert np.mean((mean - y_test) ** 2) < 1.05 * np.mean((their_mean - y_test) ** 2)
    # Of the targets themselves, as the widths of the scaled ones differ: ours counts n - 1.
    own = ours.log_marginal_likelihood() - len(y) * math.log(y.std(ddof=1))
    assert own > theirs.log_marginal_likelihood() - len(y) * math.log(y.std()) - 1e-3


@pytest.mark.parametrize("name", ["composed", "named"])
def test_a_fit_ends_as_high_as_those_from_many_places(name):
    """Two modes, of which the lower one has no noise; against fits of one start each."""
    X, y, _, _ = friedman(160)
    y = (y - y.mean()) / y.std()

    def kernel(length=1.0):
        return ConstantKernel(1.0, (1e-3, 1e3)) * Matern([length] * 6, (1e-2, 1e3), nu=2.5) + WhiteKernel(1e-2, (1e-6, 1.0))

    found = GaussianProcessRegressor(kernel() if name == "composed" else "matern52", random_state=1).fit(X, y)
    if name == "named":
        highest = GaussianProcessRegressor(n_restarts_optimizer=0).fit(X, y).log_marginal_likelihood()
    else:
        highest = max(GaussianProcessRegressor(kernel(length), n_restarts_optimizer=0).fit(X, y).log_marginal_likelihood()
                      for length in (0.3, 1.0, 5.0))
    assert found.log_marginal_likelihood() > highest - 1e-3
    # The same seed gives the same bits.
    again = GaussianProcessRegressor(kernel() if name == "composed" else "matern52", random_state=1).fit(X, y)
    assert again.theta_.tolist() == found.theta_.tolist()


def test_a_start_far_away_finds_the_function():
    """At the start the data are noise. Further starts do no harm."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 1))
    y = np.sin(8 * X[:, 0]) + 0.05 * rng.normal(size=200)

    def fit(restarts):
        kernel = ConstantKernel(1.0, (1e-3, 1e3)) * Matern(1e-3, (1e-3, 1e3), nu=2.5) + WhiteKernel(1.0, (1e-6, 10.0))
        return GaussianProcessRegressor(kernel, n_restarts_optimizer=restarts, random_state=0).fit(X, y).log_marginal_likelihood()

    assert fit(8) >= fit(0) - 1e-9 and fit(8) > 100 and fit(0) > 100


@pytest.mark.parametrize("seed", range(3))
def test_a_column_that_does_not_matter_is_left_out(seed):
    """The highest maximum has a lengthscale of 226 for a column that does not count; starts near 1 end at 52, lower by 0.026."""
    X, y = make_friedman1(700, n_features=6, noise=1.0, random_state=3)
    X, y = X[:200], (y[:200] - y[:200].mean()) / y[:200].std()
    kernel = ConstantKernel(1.0, (1e-3, 1e3)) * Matern([1.0] * 6, (1e-2, 1e3), nu=2.5) + WhiteKernel(1e-2, (1e-6, 1.0))
    found = GaussianProcessRegressor(kernel, random_state=seed).fit(X, y)
    assert found.log_marginal_likelihood() > -37.8862
    alone = GaussianProcessRegressor(kernel, n_restarts_optimizer=0, random_state=seed).fit(X, y)
    assert alone.log_marginal_likelihood() < -37.9


@pytest.mark.parametrize("swapped", [False, True])
def test_a_constant_times_a_kernel_is_the_same_on_either_side(swapped):
    X, y, *_ = friedman(40)
    constant, other = ConstantKernel(2.0, (1e-3, 1e3)), Matern([0.7] * 6, "fixed" if swapped else (1e-2, 1e3), nu=1.5)
    kernel = (other * constant if swapped else constant * other) + WhiteKernel(1e-2, (1e-6, 1.0))
    ours = GaussianProcessRegressor(kernel, random_state=0).fit(X, y)
    theirs = Theirs(kernel, optimizer=None).fit(X, y)
    theta = np.array(kernel.theta) + 0.1
    value, slopes = ours.log_marginal_likelihood(theta, eval_gradient=True)
    expected, their_slopes = theirs.log_marginal_likelihood(theta, eval_gradient=True)
    assert value == pytest.approx(expected, rel=1e-9) and slopes == pytest.approx(their_slopes, rel=1e-6, abs=1e-8)
    assert len(ours.theta_) == len(theta)


def test_the_likelihood_is_that_of_the_formula():
    X, y, *_ = friedman(30)
    model = GaussianProcessRegressor(random_state=0, kernel="squared_exponential").fit(X, y)
    x = (X - X.min(0)) / (X.max(0) - X.min(0))
    h = model.hyperparameters_
    scale = np.array([value for name, value in h.items() if "lengthscale" in name])
    variance = next(value for name, value in h.items() if "variance" in name)
    d = ((x[:, None] - x[None]) / scale)
    K = variance * np.exp(-0.5 * (d**2).sum(-1)) + h["noise"] * np.eye(30)
    r = (y - y.mean()) / y.std(ddof=1) - h["mean"]
    expected = -0.5 * (r @ np.linalg.solve(K, r) + np.linalg.slogdet(K)[1] + 30 * math.log(2 * math.pi))
    assert model.log_marginal_likelihood() == pytest.approx(expected, abs=1e-8)


def test_gradients_match_differences():
    X, y, *_ = friedman(25)
    model = GaussianProcessRegressor(random_state=0).fit(X, y)
    value, gradient = model.log_marginal_likelihood(model.theta_ + 0.1, eval_gradient=True)
    for at in range(len(gradient)):
        step = np.zeros_like(gradient)
        step[at] = 1e-5
        up, down = (model.log_marginal_likelihood(model.theta_ + 0.1 + s) for s in (step, -step))
        assert gradient[at] == pytest.approx((up - down) / 2e-5, abs=1e-4)
    assert value == model.log_marginal_likelihood(model.theta_ + 0.1)
    at_fit = model.log_marginal_likelihood(model.theta_)
    assert at_fit == pytest.approx(model.log_marginal_likelihood(), abs=1e-9)
    with pytest.raises(ValueError, match="shape"):
        model.log_marginal_likelihood([0.0])


def test_covariances_and_draws_agree():
    X, y, X_test, _ = friedman(40)
    model = GaussianProcessRegressor(random_state=0).fit(X, y)
    mean, std = model.predict(X_test[:5], return_std=True)
    again, covariance = model.predict(X_test[:5], return_cov=True)
    assert (mean == again).all() and np.sqrt(np.diag(covariance)) == pytest.approx(std, rel=1e-6)
    draws = model.sample_y(X_test[:5], 4000, random_state=1)
    assert draws.shape == (5, 4000) and (draws == model.sample_y(X_test[:5], 4000, random_state=1)).all()
    assert np.cov(draws) == pytest.approx(covariance, abs=0.12 * std.max() ** 2)
    assert draws.mean(1) == pytest.approx(mean, abs=5 * std.max() / math.sqrt(4000))
    with pytest.raises(ValueError):
        model.predict(X, return_std=True, return_cov=True)


def test_pickles_predict_the_same():
    X, y, X_test, _ = friedman(40)
    model = GaussianProcessRegressor(random_state=0).fit(X, y)
    before = model.predict(X_test)
    model.set_params(kernel="matern12")
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X_test) == before).all() and clone(model).kernel == "matern12"


@pytest.mark.parametrize(("change", "message"), [
    ({"kernel": "matern99"}, 'kernel is "matern99": unknown variant'), ({"noise": -1.0}, "noise"), ({"lengthscale_bounds": (2.0, 1.0)}, "bounds|length"),
    ({"n_restarts_optimizer": -1}, "n_restarts_optimizer is -1, expected a whole number from 0"),
    ({"n_restarts_optimizer": 1.5}, "n_restarts_optimizer is 1.5"), ({"max_evaluations": 0}, "max_evaluations is 0")])
def test_settings_of_the_regressor_are_validated(change, message):
    X, y, *_ = friedman(10)
    with pytest.raises(ValueError, match=message):
        GaussianProcessRegressor(**change).fit(X, y)


def test_whole_numbers_of_numpy_are_taken():
    X, y, *_ = friedman(20)
    ours = GaussianProcessRegressor(n_restarts_optimizer=np.int64(1), max_evaluations=np.int32(50), random_state=0).fit(X, y)
    same = GaussianProcessRegressor(n_restarts_optimizer=1, max_evaluations=50, random_state=0).fit(X, y)
    assert ours.log_marginal_likelihood() == same.log_marginal_likelihood()


def test_constant_and_duplicated_data():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    assert GaussianProcessRegressor().fit(X, np.ones(4)).predict(X) == pytest.approx(1.0)
    noisy = GaussianProcessRegressor().fit(np.tile(X, (3, 1)), [0, 1, 2, 3] * 3)
    assert noisy.predict([[0.0], [1.0]]) == pytest.approx([0.5, 2.5], abs=0.1)
    with pytest.raises(ValueError, match="NaN"):
        GaussianProcessRegressor().fit(X, [0, 1, 2, math.nan])


POINTS = [[1.0, 3.0], [2.0, 2.0], [3.0, 1.0], [2.0, 4.0], [2.0, 2.0]]


def test_fronts():
    array = np.array(POINTS)
    for points in (POINTS, array, np.asfortranarray(array), array.astype("f4"), array[::1], tuple(map(tuple, POINTS)), memoryview(array),
                   array.astype(">f8"), array.astype("f2"), array.astype(object)):
        assert pareto.hypervolume(points, [4.0, 4.0]) == 6.0
        assert pareto.ranks(points) == [0, 0, 0, 1, 0]
        assert pareto.front(points) == [0, 1, 2, 4] and pareto.front(points, unique=True) == [0, 1, 2]
    assert pareto.contributions(POINTS[:3], [4, 4]) == [1.0, 1.0, 1.0]
    assert pareto.crowding_distance(POINTS[:3])[0] == math.inf
    for nothing in (np.empty((0, 2)), []):
        assert pareto.hypervolume(nothing, [1.0, 1.0]) == 0.0
        assert pareto.ranks(nothing) == pareto.front(nothing) == pareto.crowding_distance(nothing) == []
    with pytest.raises(ValueError, match=r"points have the shape \(2,\), expected rows and columns"):
        pareto.ranks(np.array([1.0, 2.0]))


@pytest.mark.parametrize("names", [None, ["loss", "seconds"], ["1", "2"]])
def test_fronts_of_frames(names):
    """Iteration over a frame has the names of its columns, which were read as rows where they are numbers."""
    pandas = pytest.importorskip("pandas")
    points = pandas.DataFrame(POINTS, columns=names)
    assert pareto.hypervolume(points, [4.0, 4.0]) == 6.0
    assert pareto.ranks(points) == [0, 0, 0, 1, 0] and pareto.front(points) == [0, 1, 2, 4]


def test_volumes_of_three_objectives_by_inclusion_and_exclusion():
    points = np.random.default_rng(1).uniform(size=(6, 3))
    expected = 0.0
    for k in range(1, 7):
        for chosen in itertools.combinations(points, k):
            expected += (-1) ** (k + 1) * np.prod(1.0 - np.max(chosen, axis=0))
    assert pareto.hypervolume(points, [1.0, 1.0, 1.0]) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("points", "reference"), [
    ([[1.0, math.nan]], [2, 2]), ([[1.0]], [2, 2]), ([[1.0, 1.0], [1.0]], [2, 2]), ([[1.0, 1.0]], [math.inf, 2]), ([[]], [])])
def test_what_is_no_front_is_refused(points, reference):
    with pytest.raises(ValueError):
        pareto.hypervolume(points, reference)


def test_expected_improvements():
    front = [[1.0, 1.0]]
    certain, far = pareto.log_expected_improvement(front, [2.0, 2.0], [[0.5, 1.5], [3.0, 3.0]], [[1e-9, 1e-9], [0.1, 0.1]])
    assert certain == pytest.approx(math.log(0.25)) and -1e4 < far < -50
    with pytest.raises(ValueError, match="rows"):
        pareto.log_expected_improvement(front, [2.0, 2.0], [[0.5, 1.5]], [[1.0, 1.0]] * 2)


def test_level_sets(tmp_path):
    space = thrifty.Space().float("x", 0, 1).float("y", 0, 1)
    path = tmp_path / "level.jsonl"
    level = thrifty.LevelSet(space, threshold=0.8, seed=1, journal=path)
    with pytest.raises(RuntimeError, match="nothing"):
        level.classify()
    found = level.run(lambda p: p["x"] + p["y"], 25)
    assert len(level) <= 25 and found.threshold == 0.8
    decided = [p for p in found.points if p.label != "undecided"]
    right = [p for p in decided if (p.label == "above") == (p.params["x"] + p.params["y"] > 0.8)]
    assert len(decided) > 0.9 * len(found.points) and len(right) > 0.99 * len(decided)
    assert found.share("above") + found.share("below") + found.share("undecided") == pytest.approx(1)
    with pytest.raises(ValueError, match="label is 'abve', expected one of above, below, undecided"):
        found.share("abve")
    assert 0 <= found.misclassified < 0.05
    del level
    assert thrifty.LevelSet(space, threshold=0.8, seed=1, journal=path).classify() == found


def test_level_sets_below_an_unknown_maximum():
    level = thrifty.LevelSet(thrifty.Space().float("x", 0, 1), omega=0.5, seed=1)
    found = level.run(lambda p: 1 - (2 * p["x"] - 1) ** 2, 30)
    assert found.threshold == pytest.approx(0.5, abs=0.05)
    for wrong in ({}, {"threshold": 1.0, "omega": 0.5}, {"omega": 1.5}, {"threshold": 0.0, "criteria": 1}):
        with pytest.raises(ValueError):
            thrifty.LevelSet(thrifty.Space().float("x", 0, 1), **wrong)


def test_level_sets_take_no_direction():
    space, level = thrifty.Space().float("x", 0, 1), {"fixed": 0.25}
    for direction in ("maximize", ["maximize"], ["minimize", "minimize"]):
        with pytest.raises(ValueError, match="level_set takes no direction.*thrifty.LevelSet"):
            thrifty.Study(space, "level_set", direction=direction, threshold=level)
    by_hand, found = thrifty.Study(space, "level_set", seed=1, threshold=level), thrifty.LevelSet(space, 0.25, seed=1)
    by_hand.optimize(lambda p: p["x"] ** 2, 12)
    found.run(lambda p: p["x"] ** 2, 12)
    assert [t.params for t in by_hand.trials] == [t.params for t in found.trials]


def train(p):
    return 0.6 + 0.35 * p["size"] - 0.1 * p["size"] ** 2, 4.0 + 12.0 * p["size"]


@pytest.mark.parametrize("kernel", ["matern52", "composed"])
def test_a_pickle_is_of_the_data_at_the_fit(kernel):
    x = np.random.RandomState(0).uniform(size=(30, 2))
    y, at = np.sin(5 * x[:, 0]) + x[:, 1], x[:3].copy()
    if kernel == "composed":
        kernel = thrifty.kernels.RBF([1.0, 1.0]) + thrifty.kernels.WhiteKernel(1e-3)
    model = thrifty.GaussianProcessRegressor(kernel, random_state=0).fit(x, y)
    expected = model.predict(at)
    x[:], y[:] = 0, 0
    assert list(pickle.loads(pickle.dumps(model)).predict(at)) == pytest.approx(list(expected), abs=1e-9)


def test_budgeted_training():
    space = thrifty.Space().float("size", 0, 1)

    def run(price, **more):
        return thrifty.BudgetedTraining(space, price=price, score=(0.5, 1.0), cost=10.0, seed=1, **more).run(train)

    cheap, dear = run(0.001), run(0.2)
    assert cheap.trainings > dear.trainings >= 1 and cheap.spent > dear.spent
    assert "worth" in dear.reason and 0.5 < cheap.best.value < 1.0
    assert cheap.best.value >= dear.best.value - 0.1
    assert run(0.0001, max_cost=30.0).spent < 50
    assert run(0.001) == cheap


def test_budgeted_training_of_a_loss():
    space = thrifty.Space().float("size", 0, 1)
    up = thrifty.BudgetedTraining(space, price=0.01, score=(0.0, 1.0), cost=1.0).run(lambda p: (p["size"], 0.5))
    down = thrifty.BudgetedTraining(space, price=0.01, score=(1.0, 0.0), cost=1.0).run(lambda p: (1 - p["size"], 0.5))
    assert up.best.params == down.best.params and up.trainings == down.trainings
    assert down.best.value == pytest.approx(1 - up.best.value, abs=1e-9)


@pytest.mark.parametrize(("direction", "score"), [
    ("maximize", None), ("maximize", {"affine": {"zero": 0.0, "one": 1.0}}), ("minimize", {"affine": {"zero": 1.0, "one": 0.0}}),
    ("minimize", {"logarithmic": {"zero": 1.0, "one": 0.05}})])
def test_scores_of_a_budgeted_study_are_in_the_units_that_are_told(direction, score):
    more = {} if score is None else {"score": score}
    study = thrifty.Study(thrifty.Space().float("u", 0, 1), "budgeted_training", seed=1, direction=direction, gamma=0.0,
                          max_epochs=12, recall_best=True, **more)
    loss = {"minimize": lambda p: 0.1 + (p["u"] - 0.7) ** 2, "maximize": lambda p: 0.9 - (p["u"] - 0.7) ** 2}[direction]
    study.optimize(lambda p: {"value": loss(p), "cost": 0.1}, 12)
    best = study.recommend()
    assert abs(best.params["u"] - 0.7) < 0.15 and best.value == pytest.approx(loss(best.params), abs=0.05)
    low, high = best.interval
    assert low < best.value < high


@pytest.mark.parametrize(("direction", "score", "message"), [
    ("minimize", {}, r"a scale from 0 \(bad\) to 1 \(good\), expected the good value below the bad one"),
    ("maximize", {"score": {"affine": {"zero": 1.0, "one": 0.0}}}, "expected the good value above the bad one"),
    ("maximize", {"score": {"logarithmic": {"zero": 0.1, "one": 1.0}}}, "its losses have no logarithm")])
def test_scores_against_the_direction_are_refused(direction, score, message):
    with pytest.raises(ValueError, match=f"budgeted_training: score is .*{message}"):
        thrifty.Study(thrifty.Space().float("u", 0, 1), "budgeted_training", direction=direction, **score)


def test_budgeted_training_of_several_controls():
    def begin(names, **settings):
        space = thrifty.Space()
        for name in names:
            space.float(name, 0, 1)
        return thrifty.BudgetedTraining(space, price=0.02, score=(0.0, 1.0), cost=1.0, **settings)

    training = begin("ab")
    done = training.run(lambda p: (0.2 + 0.5 * p["a"] + 0.2 * p["b"], 0.5 + p["a"]))
    assert 1 <= done.trainings < 20 and all(
        trial.params["b"] == pytest.approx(round(10 * trial.params["b"]) / 10) for trial in training.trials)
    with pytest.raises(ValueError, match="3 controls, expected one or two"):
        begin("abc")
    assert set(begin("abc", grid=3, later_grid=2).ask().params) == set("abc")


def test_costs_of_failed_trainings_count(tmp_path):
    space, costs = thrifty.Space().float("size", 0, 1), []

    def train(p):
        costs.append(1.0)
        return float("nan") if len(costs) % 2 else 0.5, 1.0

    training = thrifty.BudgetedTraining(space, price=1e-6, score=(0.0, 1.0), cost=1.0, max_cost=4.0)
    done = training.run(train)
    assert done.spent == len(costs) == 4 and done.reason == "as much cost as allowed"
    def begin():
        return thrifty.BudgetedTraining(space, price=1e-6, score=(0.0, 1.0), cost=1.0, max_cost=4.0,
                                        journal=tmp_path / "study.jsonl")

    training = begin()
    for cost in (3.0, 2.0):
        training.tell(training.ask(), failed="out of memory", cost=cost)
    assert training.ask() is None and training.result().spent == 5.0
    del training
    again = begin()
    assert again.ask() is None and again.result().spent == 5.0


def test_trainings_without_a_price_recommend_the_best():
    space = thrifty.Space().float("size", 0, 1)
    training = thrifty.BudgetedTraining(space, price=0, score=(0.5, 1.0), cost=10.0, max_cost=200.0)
    assert training.run(lambda p: (0.6 + 0.3 * p["size"], 5 + 10 * p["size"])).best.params["size"] > 0.9


def test_a_score_without_a_cost_is_refused(tmp_path):
    """Before it is recorded: afterwards neither the study nor its journal could go on."""
    space = thrifty.Space().float("size", 0, 1)
    training = thrifty.BudgetedTraining(space, price=0.01, score=(0.0, 1.0), cost=1.0, journal=tmp_path / "study.jsonl")
    trial = training.ask()
    with pytest.raises(ValueError, match="cost is missing: the score 0.5"):
        training.tell(trial, 0.5)
    training.tell(trial, 0.5, 3.0)
    training.tell(training.ask(), failed="out of memory")
    with pytest.raises(ValueError, match="cost is missing"):
        training.run(lambda p: (0.5, None))
    assert [trial.state for trial in training.trials] == ["measured", "failed", "running"]
    assert training.run(lambda p: (0.5, 3.0)).spent == 3.0 * (training.result().trainings - 1)


@pytest.mark.parametrize("change", [
    {"cost": 0.0}, {"score": (1.0, 1.0)}, {"price": -1.0}, {"noise": (0.0, 0.1)}, {"depht": 2}, {"score_mean": [1.0]}])
def test_arguments_of_budgeted_training_are_validated(change):
    arguments = {"price": 0.1, "score": (0.0, 1.0), "cost": 1.0, **change}
    with pytest.raises((ValueError, RuntimeError)):
        thrifty.BudgetedTraining(thrifty.Space().float("size", 0, 1), **arguments)


def test_attributes_are_there():
    assert all(getattr(thrifty, name) is not None for name in thrifty.__all__)
    with pytest.raises(AttributeError):
        thrifty.nothing
