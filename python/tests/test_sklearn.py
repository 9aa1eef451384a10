"""The search by single folds: scikit-learn's interface, its promises, and bad input."""

import json
import math
import pickle
import re
import threading
import warnings
import zlib

import pytest

sklearn = pytest.importorskip("sklearn")
import numpy as np  # noqa: E402
import scipy.sparse  # noqa: E402
from scipy.stats import loguniform, norm, randint, uniform  # noqa: E402
from sklearn.base import BaseEstimator, ClassifierMixin, clone  # noqa: E402
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_blobs  # noqa: E402
from sklearn.exceptions import FitFailedWarning  # noqa: E402
from sklearn.linear_model import Ridge, RidgeClassifier  # noqa: E402
from sklearn.model_selection import (  # noqa: E402
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    RandomizedSearchCV,
    cross_val_score,
)
from sklearn.neighbors import KernelDensity  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.svm import SVC  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

import thrifty  # noqa: E402
from thrifty.sklearn import FractionalSearchCV, Price, space_of  # noqa: E402
from thrifty.sklearn._table import Table, _ranks  # noqa: E402

X, Y = load_iris(return_X_y=True)
SPACE = {"C": loguniform(1e-3, 1e3), "gamma": loguniform(1e-5, 10), "kernel": ["rbf", "sigmoid"]}
TIMES = re.compile("time")


def search(n_fits=40, **arguments):
    return FractionalSearchCV(SVC(), SPACE, **{"n_fits": n_fits, "random_state": 0, **arguments})


def results(found):
    return {name: value for name, value in found.cv_results_.items() if not TIMES.search(name)}


def same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        if name == "params":
            assert a[name] == b[name]
        else:
            np.testing.assert_array_equal(np.ma.getmaskarray(a[name]), np.ma.getmaskarray(b[name]))
            assert list(np.ma.filled(a[name], 0)) == list(np.ma.filled(b[name], 0)) or np.array_equal(
                np.ma.filled(a[name], 0), np.ma.filled(b[name], 0), equal_nan=True)


def test_the_score_is_a_measured_mean():
    found = search(cv=KFold(5, shuffle=True, random_state=1)).fit(X, Y)
    truth = cross_val_score(clone(SVC()).set_params(**found.best_params_), X, Y, cv=KFold(5, shuffle=True, random_state=1))
    assert found.best_score_ == pytest.approx(truth.mean(), abs=1e-15) and found.is_verified_
    assert found.n_fits_ == 40 and found.best_score_ > 0.95
    at = found.best_index_
    assert [found.cv_results_[f"split{k}_test_score"][at] for k in range(5)] == pytest.approx(list(truth))
    assert found.cv_results_["rank_test_score"][at] == 1 and found.cv_results_["mean_test_score"][at] == found.best_score_


@pytest.mark.parametrize(("folds", "verify"), [(3, None), (10, None), (10, 2)])
def test_few_fits_verify_all_the_same(folds, verify):
    """Also where they leave one or two to search with."""
    for more in (1, 2, 3):
        n_fits = (verify or 1) * folds + more
        found = search(n_fits, cv=folds, verify=verify, refit=False).fit(X, Y)
        assert found.is_verified_ and max(found.cv_results_["n_folds"]) == folds
        assert sum(found.cv_results_["n_folds"]) == found.n_fits_ == n_fits


@pytest.mark.parametrize("cost", [-1, 0, math.nan, math.inf, "dear"])
def test_a_cost_that_is_no_positive_number_is_an_error(cost):
    with pytest.raises(ValueError, match=f"cost is {cost!r}.*expected a"):
        search(cv=3, cost=lambda params: cost).fit(X, Y)


def test_folds_that_were_not_fitted_are_masked():
    found = search().fit(X, Y).cv_results_
    masks = sum(np.ma.getmaskarray(found[f"split{k}_test_score"]).astype(int) for k in range(5))
    assert list(5 - masks) == list(found["n_folds"]) and found["n_folds"].sum() == 40
    assert len(found["params"]) == len(found["mean_test_score"]) == len(found["param_C"]) > 10
    assert found["param_C"].dtype == float and found["param_kernel"].dtype == object
    one = next(at for at, count in enumerate(found["n_folds"]) if count == 1)
    scores = [found[f"split{k}_test_score"][one] for k in range(5)]
    assert found["mean_test_score"][one] == next(s for s in scores if s is not np.ma.masked)


@pytest.mark.parametrize(("mean", "is_complete", "model", "expected"), [
    ([np.nan, .5, .6], [True, False, True], [np.nan, .7, .6], [3, 2, 1]),
    ([np.nan, .5, .6], [False, False, True], [.9, .7, .6], [3, 2, 1]),
    ([.5, .4, np.nan], [True, True, True], [.5, .4, np.nan], [1, 2, 3])])
def test_rows_with_a_failed_fold_have_the_last_ranks(mean, is_complete, model, expected):
    assert list(_ranks(np.array(mean), np.array(is_complete), np.array(model), None)) == expected


def test_the_model_knows_a_row_by_any_of_its_trials():
    """The first one may have failed."""
    table = Table(thrifty.Space().float("a", 0, 1), 2)
    for trial, a, fold, score in [(0, 0.5, 0, np.nan), (1, 0.25, 0, 0.6), (2, 0.5, 1, 0.9)]:
        error = "no" if np.isnan(score) else None
        table.record(trial, [a], fold, {"test_scores": score, "fit_error": error, "fit_time": 0.0, "score_time": 0.0}, "score")
    columns, _ = table.results([0.25], {1: (0.6, 0.2), 2: (0.8, 0.1)}, "score", ())
    assert columns["model_mean_score"].tolist() == [0.8, 0.6] and columns["model_std_score"].tolist() == [0.1, 0.2]


class FailsAbove(ClassifierMixin, BaseEstimator):
    """A classifier that cannot be fitted for a large parameter."""

    def __init__(self, a=0.0):
        self.a = a

    def fit(self, X, y):
        if self.a > 0.6:
            raise ValueError("too large")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.filterwarnings("ignore")
def test_configurations_that_cannot_be_fitted_have_the_last_ranks():
    found = FractionalSearchCV(FailsAbove(), {"a": [0, .1, .2, .3, .7, .8, .9]}, n_fits=13, cv=2, random_state=0).fit(X, Y)
    has_failed = np.isnan(found.cv_results_["mean_test_score"])
    ranks = found.cv_results_["rank_test_score"]
    assert has_failed.any() and ranks[has_failed].min() > ranks[~has_failed].max()


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_the_number_of_jobs_changes_nothing(n_jobs):
    same(results(search().fit(X, Y)), results(search(n_jobs=n_jobs).fit(X, Y)))


def test_the_seed_changes_something():
    a, b = search().fit(X, Y), search(random_state=1).fit(X, Y)
    assert a.cv_results_["params"] != b.cv_results_["params"]
    same(results(a), results(search(random_state=np.random.RandomState(0)).fit(X, Y)))


def test_a_search_with_a_journal_goes_on(tmp_path):
    class Killed(Exception):
        pass

    whole = search().fit(X, Y)
    calls = []

    def scorer(estimator, data, target):
        calls.append(0)
        if len(calls) == 15:
            raise KeyboardInterrupt
        return estimator.score(data, target)

    path = tmp_path / "search.jsonl"
    with pytest.raises(KeyboardInterrupt):
        search(journal=path, scoring=scorer).fit(X, Y)
    again = search(journal=path, scoring=scorer).fit(X, Y)
    same(results(again), results(whole))
    assert again.n_fits_ == 40
    finished = search(journal=path, scoring=scorer).fit(X, Y)
    assert finished.best_params_ == whole.best_params_ and finished.best_score_ == whole.best_score_


def sealed(body):
    """A line of a journal with its checksum."""
    return f'{body},"crc":"{zlib.crc32(body.encode()):08x}"}}\n'


def test_a_journal_names_the_direction_of_scores(tmp_path):
    """Tables of the command line had losses. A journal of an earlier version, which names none, goes on."""
    path = tmp_path / "search.jsonl"
    whole = search(journal=path).fit(X, Y)
    lines = path.read_text().splitlines()
    direction = ',["directions",["maximize"]]'
    assert direction in lines[0]
    scores = [-json.loads(line)["told"]["outcome"]["measured"]["objectives"][0] for line in lines if '"told"' in line]
    # The losses are negated: an accuracy of a fold may be 0, and most are not.
    assert len(scores) == 40 and 0 <= min(scores) and 0.5 < max(scores) <= 1
    earlier = sealed(lines[0].replace(direction, "").rsplit(",", 1)[0])
    path.write_text(earlier + "\n".join(lines[1:31]) + "\n")
    again = search(journal=path).fit(X, Y)
    same(results(again), results(whole))
    assert path.read_text().startswith(earlier)


def test_a_journal_goes_on_without_a_random_state(tmp_path):
    """From its own seed; an empty file has none."""
    path = tmp_path / "search.jsonl"
    path.touch()
    calls = []

    def scorer(estimator, data, target):
        calls.append(0)
        if len(calls) == 7:
            raise KeyboardInterrupt
        return estimator.score(data, target)

    def fit():
        return search(12, cv=3, scoring=scorer, random_state=None, journal=path).fit(X, Y)

    with pytest.raises(KeyboardInterrupt):
        fit()
    first = fit()
    made = len(calls)
    again = fit()
    assert first.n_fits_ == 12 and len(calls) == made
    assert again.best_score_ == first.best_score_ and again.best_params_ == first.best_params_
    with pytest.raises(RuntimeError, match="has seed"):
        search(12, cv=3, scoring=scorer, journal=path).fit(X, Y)


def test_a_journal_of_another_search_is_refused(tmp_path):
    path = tmp_path / "search.jsonl"

    def fit(estimator=None, x=X, y=Y, **arguments):
        estimator = estimator or make_pipeline(StandardScaler(), Ridge())
        space = {"ridge__alpha": (1e-4, 1e3, "log")}
        return FractionalSearchCV(estimator, space, random_state=0, journal=path, **{"n_fits": 12, "cv": 3, **arguments}).fit(x, y)

    whole = fit()
    again = fit(make_pipeline(StandardScaler(), Ridge()).fit(X, Y), np.asfortranarray(X))
    assert again.best_score_ == whole.best_score_ and again.n_fits_ == 12
    shuffled = np.random.RandomState(0).permutation(Y)
    for differing, arguments in {
            "estimator": {"estimator": make_pipeline(StandardScaler(), Ridge(fit_intercept=False))}, "X": {"x": X + 1},
            "y": {"y": shuffled}, "scoring": {"scoring": "r2"}, "splits": {"cv": KFold(3, shuffle=True, random_state=1)},
            "splits, X, y": {"x": X[:90], "y": Y[:90]}}.items():
        with pytest.raises(RuntimeError, match=f"another search, different in {differing}: remove"):
            fit(**arguments)
    (tmp_path / "search.jsonl.search.json").unlink()
    with pytest.warns(UserWarning, match="is missing"):
        assert fit().best_score_ == whole.best_score_
    path.unlink()
    assert fit(y=shuffled).best_score_ < whole.best_score_


def test_a_journal_of_another_metric_is_refused(tmp_path):
    def fit(refit):
        return search(12, cv=3, scoring=["accuracy", "f1_macro"], refit=refit, journal=tmp_path / "search.jsonl").fit(X, Y)

    def refuses_others():
        with pytest.raises(RuntimeError, match="different in metric:"):
            fit("accuracy")

    first = fit("f1_macro")
    refuses_others()
    hashes = tmp_path / "search.jsonl.search.json"
    known = json.loads(hashes.read_text())
    del known["metric"]
    hashes.write_text(json.dumps(known))
    # A file of an earlier version has the metric from now on.
    assert fit("f1_macro").best_score_ == first.best_score_
    refuses_others()


def test_an_error_that_is_kept_does_not_lock_the_journal(tmp_path):
    def scorer(estimator, data, target):
        if fails:
            raise KeyboardInterrupt
        return estimator.score(data, target)

    def fit(target=Y):
        return search(12, cv=3, scoring=scorer, journal=tmp_path / "search.jsonl").fit(X, target)

    fails = True
    with pytest.raises(KeyboardInterrupt) as interrupted:
        fit()
    fails = False
    first = fit()
    with pytest.raises(RuntimeError, match="different in y:") as refused:
        fit(Y[::-1])
    # As a notebook keeps the last error.
    assert fit().best_score_ == first.best_score_ and interrupted.tb and refused.tb


class Scaled(Ridge):
    """An estimator one of whose parameters may be any object."""

    def __init__(self, alpha=1.0, helper=None, factor=1.0):
        super().__init__(alpha=alpha)
        self.helper, self.factor = helper, factor

    def fit(self, data, target, sample_weight=None):
        return super().fit(data * self.factor, target, sample_weight)


def test_a_parameter_without_a_pickle_does_not_hide_the_others(tmp_path):
    class Helper:
        def __init__(self):
            self.lock = threading.Lock()

        def __deepcopy__(self, memo):
            return self

    def fit(helper, **parameters):
        return FractionalSearchCV(Scaled(helper=helper, **parameters), {"alpha": (1e-4, 1e3, "log")}, n_fits=12, cv=3, random_state=0,
                                  journal=tmp_path / "search.jsonl").fit(X, Y)

    whole = fit(Helper())
    assert fit(Helper()).best_score_ == whole.best_score_
    for differing in ({"factor": 2.0}, {"helper": None}):
        with pytest.raises(RuntimeError, match="different in estimator"):
            fit(**{"helper": Helper(), **differing})


def test_equal_sparse_data_continue_a_journal(tmp_path):
    data = scipy.sparse.csr_matrix(np.where(X > 3, X, 0))
    # The entries of the first row are in another order.
    unsorted = scipy.sparse.csr_matrix((np.r_[data.data[:2][::-1], data.data[2:]], np.r_[data.indices[:2][::-1], data.indices[2:]],
                                        data.indptr), data.shape)

    def fit(data):
        return FractionalSearchCV(Ridge(), {"alpha": (1e-4, 1e3, "log")}, n_fits=12, cv=3, random_state=0,
                                  journal=tmp_path / "search.jsonl").fit(data, Y)

    first = fit(unsorted)
    for again in (unsorted, unsorted, data, scipy.sparse.csr_matrix(data.toarray())):
        assert fit(again).best_score_ == first.best_score_
    for other in (2 * data, data[:, ::-1], scipy.sparse.csr_matrix((data.data, data.indices, data.indptr), (len(X), 5))):
        with pytest.raises(RuntimeError, match="different in X:"):
            fit(other)


def test_equal_frames_continue_a_journal(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({name: X[:, at] for at, name in enumerate("abcd")})
    built = pandas.DataFrame()
    for name in "abcd":
        built[name] = frame[name].to_numpy()
    target = pandas.Series(Y, name="kind")

    def fit(data, target):
        return FractionalSearchCV(Ridge(), {"alpha": (1e-4, 1e3, "log")}, n_fits=12, cv=3, random_state=0,
                                  journal=tmp_path / "search.jsonl").fit(data, target)

    first = fit(built, target)
    for again in (built, built.copy(), frame, pandas.DataFrame(X, columns=list("abcd"))):
        assert fit(again, target.copy()).best_score_ == first.best_score_
    others = [frame + 1, frame.rename(columns={"a": "e"}), frame.astype({"a": "float32"}), frame[list("bacd")],
              frame.set_axis(np.arange(1, 151)), X]
    for other in others:
        with pytest.raises(RuntimeError, match="different in X:"):
            fit(other, target)
    with pytest.raises(RuntimeError, match="different in y:"):
        fit(frame, target.rename("sort"))


def test_a_search_that_raises_goes_on_after_a_score_that_is_not_finite(tmp_path):
    calls = []

    def scorer(estimator, data, target):
        calls.append(0)
        if len(calls) == 11:
            raise KeyboardInterrupt
        return float("nan") if len(calls) in (3, 6) else estimator.score(data, target)

    def fit():
        return search(20, scoring=scorer, error_score="raise", journal=tmp_path / "search.jsonl").fit(X, Y)

    with pytest.raises(KeyboardInterrupt):
        fit()
    found = fit()
    assert found.n_fits_ == 20 and found.best_score_ > 0.9
    # A finished search is read again.
    assert fit().best_params_ == found.best_params_


def test_it_is_better_than_random_search_at_equal_fits():
    data, target = load_breast_cancer(return_X_y=True)
    pipe = make_pipeline(StandardScaler(), SVC())
    space = {"svc__C": loguniform(1e-3, 1e3), "svc__gamma": loguniform(1e-5, 10)}
    cv = KFold(5, shuffle=True, random_state=0)
    ours, random = [], []
    for seed in range(4):
        ours.append(FractionalSearchCV(pipe, space, n_fits=30, cv=cv, random_state=seed).fit(data, target).best_score_)
        random.append(RandomizedSearchCV(pipe, space, n_iter=6, cv=cv, random_state=seed).fit(data, target).best_score_)
    assert np.mean(ours) > np.mean(random)


def test_conditional_spaces():
    space = (thrifty.Space().categorical("kernel", ["rbf", "linear"]).float("C", 1e-2, 1e2, log=True)
             .float("gamma", 1e-4, 1, log=True).when("kernel", ["rbf"]))
    found = FractionalSearchCV(SVC(), space, n_fits=40, random_state=0).fit(X, Y)
    mask = np.ma.getmaskarray(found.cv_results_["param_gamma"])
    assert mask.any() and [("gamma" not in p) for p in found.cv_results_["params"]] == list(mask)


def test_several_metrics():
    found = search(scoring=["accuracy", "f1_macro"], refit="f1_macro").fit(X, Y)
    assert found.multimetric_ and set(found.scorer_) == {"accuracy", "f1_macro"}
    assert found.best_score_ == found.cv_results_["mean_test_f1_macro"][found.best_index_]
    assert {"rank_test_accuracy", "split0_test_accuracy"} <= set(found.cv_results_)
    for refit in (True, False, "recall", lambda r: 0):
        with pytest.raises(ValueError):
            search(scoring=["accuracy", "f1_macro"], refit=refit).fit(X, Y)


def test_metrics_of_a_function():
    def both(estimator, data, target):
        score = estimator.score(data, target)
        return {"good": score, "bad": -score}

    found = search(scoring=both, refit="good").fit(X, Y)
    assert found.multimetric_ and found.best_score_ > 0.9
    with pytest.raises(ValueError, match="good"):
        search(scoring=both).fit(X, Y)


def test_groups_pipelines_and_no_target():
    groups = np.arange(len(X)) % 6
    found = search(cv=GroupKFold(3)).fit(X, Y, groups=groups)
    assert found.n_splits_ == 3
    density = FractionalSearchCV(KernelDensity(), {"bandwidth": (1e-2, 10.0, "log")}, n_fits=20, random_state=0).fit(X)
    assert 0.01 < density.best_params_["bandwidth"] < 10
    assert density.score_samples(X[:3]).shape == (3,)


def fails_below_one(metrics):
    """A search whose fits fail for a C below 1, with named metrics or a function of several."""
    def both(estimator, data, target):
        good = estimator.score(data, target)
        return {"good": good, "bad": 1 - good}

    space = thrifty.Space().categorical("C", [-4.0, -3.0, -2.0, -1.0, 1.0, 2.0])
    scoring, refit = (both, "good") if metrics == "function" else (["accuracy", "f1_macro"], "accuracy")
    return FractionalSearchCV(SVC(), space, n_fits=20, cv=3, scoring=scoring, refit=refit)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.parametrize("metrics", ["function", "names"])
def test_several_metrics_where_whole_batches_fail(metrics):
    for seed in range(8):
        found = fails_below_one(metrics).set_params(random_state=seed).fit(X, Y)
        columns = found.cv_results_
        names = [name for name in columns if name.startswith("split0_test_")]
        assert len(names) == 2 and found.best_params_["C"] > 0 and found.best_score_ > 0.9
        for fold in range(3):
            masks = [np.ma.getmaskarray(columns[name.replace("split0", f"split{fold}")]) for name in names]
            assert np.array_equal(*masks)


def test_a_finished_search_with_several_metrics_is_resumed(tmp_path):
    def both(estimator, data, target):
        return {"good": estimator.score(data, target), "bad": 0.5}

    for scoring, refit in ((["accuracy", "f1_macro"], "f1_macro"), (both, "good")):
        arguments = {"scoring": scoring, "refit": refit, "journal": tmp_path / f"{refit}.jsonl"}
        whole, again = search(**arguments).fit(X, Y), search(**arguments).fit(X, Y)
        assert again.multimetric_ and again.best_score_ == whole.best_score_ and again.score(X, Y) == whole.score(X, Y)
        if refit == "f1_macro":
            assert np.ma.getmaskarray(again.cv_results_["split0_test_accuracy"]).all()
            assert results(again).keys() == results(whole).keys()


def test_a_finished_search_by_a_function_is_resumed(tmp_path):
    """From the first fit on it is known whether the function names metrics; a text as refit does not say it."""
    def one(estimator, data, target):
        return estimator.score(data, target)

    def both(estimator, data, target):
        return {"score": estimator.score(data, target), "bad": 0.5}

    for scoring, refit, is_named in ((one, "accuracy", False), (both, "score", True)):
        arguments = {"n_fits": 12, "cv": 3, "scoring": scoring, "refit": refit, "journal": tmp_path / f"{refit}.jsonl"}
        whole, again = search(**arguments).fit(X, Y), search(**arguments).fit(X, Y)
        assert again.multimetric_ == whole.multimetric_ == is_named
        assert again.score(X, Y) == whole.score(X, Y) and again.best_score_ == whole.best_score_
        if not is_named:
            same(results(again), results(whole))
        hashes = tmp_path / f"{refit}.jsonl.search.json"
        known = json.loads(hashes.read_text())
        assert known.pop("names metrics") == is_named
        # Earlier versions did not keep it: their finished searches go on as they did.
        hashes.write_text(json.dumps(known))
        assert search(**arguments).fit(X, Y).multimetric_ == (refit != "score")


def test_a_function_chooses_the_row_to_refit():
    def smallest(columns):
        return int(np.argmin(np.where(columns["mean_test_score"] > 0.9, columns["param_C"].astype(float), np.inf)))

    found, plain = search(refit=smallest).fit(X, Y), search().fit(X, Y)
    same(results(found), results(plain))
    at = smallest(plain.cv_results_)
    assert found.best_index_ == at != plain.best_index_ and found.best_params_ == plain.cv_results_["params"][at]
    assert found.best_estimator_.C == found.best_params_["C"] and not hasattr(found, "best_score_")
    assert found.is_verified_ == (plain.cv_results_["n_folds"][at] == 5)
    for wrong, error in ((lambda columns: 0.5, TypeError), (lambda columns: 10**6, IndexError)):
        with pytest.raises(error):
            search(refit=wrong).fit(X, Y)


def test_refit_false_predicting_and_pickling():
    found = search().fit(X, Y)
    assert found.score(X, Y) > 0.9 and list(found.classes_) == [0, 1, 2] and found.n_features_in_ == 4
    again = pickle.loads(pickle.dumps(found))
    assert (again.predict(X) == found.predict(X)).all() and clone(found).get_params()["n_fits"] == 40
    bare = search(refit=False).fit(X, Y)
    assert not hasattr(bare, "best_estimator_") and bare.best_score_ == found.best_score_
    assert cross_val_score(search(12, verify=0), X, Y, cv=2).mean() > 0.5


@pytest.mark.parametrize(("fits", "least"), [(14, 1), (30, 2), (60, 3)])
def test_up_to_three_configurations_are_completed_for_a_third_of_the_fits(fits, least):
    found = search(fits, verify=None).fit(X, Y)
    complete = (found.cv_results_["n_folds"] == 5).sum()
    assert complete >= least and found.is_verified_ and found.n_fits_ <= fits
    named = search(fits, verify=least).fit(X, Y)
    assert named.cv_results_["params"] == found.cv_results_["params"]


def test_without_verification():
    found = search(20, verify=0).fit(X, Y)
    assert found.n_fits_ == 20 and np.isfinite(found.best_score_)


class Picky(ClassifierMixin, BaseEstimator):
    """Fails for some parameters."""

    def __init__(self, level=0):
        self.level = level

    def fit(self, data, target):
        if self.level > 5:
            raise ArithmeticError("too high")
        self.classes_ = np.unique(target)
        return self

    def predict(self, data):
        return np.zeros(len(data), dtype=int)


def test_fits_that_fail():
    space = {"level": (0, 9)}
    with pytest.warns(FitFailedWarning, match="fits failed out of"):
        found = FractionalSearchCV(Picky(), space, n_fits=30, random_state=0).fit(X, Y)
    assert found.best_params_["level"] <= 5
    with pytest.raises(ArithmeticError, match="too high"):
        FractionalSearchCV(Picky(), space, n_fits=30, random_state=0, error_score="raise").fit(X, Y)
    with pytest.raises(ValueError, match="All the .* fits failed"):
        FractionalSearchCV(Picky(), {"level": (6, 9)}, n_fits=12, random_state=0).fit(X, Y)


def test_scorers_that_raise_on_some_folds():
    def scorer(estimator, data, target):
        if target[0] == 0:
            raise ArithmeticError("not this fold")
        return estimator.score(data, target)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="finite"):
            search(cv=KFold(3), scoring=lambda *a: float("nan")).fit(X, Y)
        found = search(cv=KFold(3), scoring=scorer).fit(X, Y)
    assert not found.is_verified_ and found.n_fits_ <= 40


def test_one_class_in_a_fold():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="fits failed"):
            FractionalSearchCV(SVC(), SPACE, n_fits=20, cv=KFold(2), random_state=0).fit(X[:60], [0] * 30 + [1] * 30)


def test_costs_and_prices():
    cheap = search(cost=lambda p: 2.0 if p["kernel"] == "rbf" else 1.0).fit(X, Y)
    same(results(cheap), results(search(cost=lambda p: 2.0 if p["kernel"] == "rbf" else 1.0, n_jobs=2).fit(X, Y)))
    dear = search(200, stop=Price(0.05), cost=lambda p: 1.0).fit(X, Y)
    assert dear.n_fits_ < 100 and dear.is_verified_
    free = search(60, stop=Price(1e-12), cost=lambda p: 1.0).fit(X, Y)
    assert free.n_fits_ == 60
    assert search(20, cost="time").fit(X, Y).n_fits_ == 20


def test_a_price_is_a_number():
    with pytest.raises(ValueError, match="score_per_cost is 'a', expected a number"):
        search(stop=Price("a"), cost=lambda p: 1.0).fit(X, Y)


def test_values_of_objectives_among_the_settings_are_scores():
    """No accuracy is below the floor; those of the best are above the ceiling, so that the best is known by bounds alone."""
    floor, ceiling = (search(40, settings={"limits": limits}).fit(X, Y) for limits in ({"floor": 0.0}, {"ceiling": 0.5}))
    assert floor.is_verified_ and floor.best_score_ > 0.95 and not ceiling.is_verified_

    def steps(settings):
        found = search(40, settings=settings).fit(X, Y)
        return [p["C"] for p in found.cv_results_["params"]]

    target = [{"acquisition": {"of_loss": {"log_expected_improvement": {"fixed": value}}}} for value in (0.99, 0.5)]
    assert steps(target[0]) != steps(target[1]), "every configuration has a loss below either number"


def test_a_finished_search_with_a_price_is_the_same_again(tmp_path):
    """A verification that the journal holds goes on, wherever it was cut."""
    def found(name):
        one = FractionalSearchCV(SVC(), {"C": loguniform(1e-3, 1e3), "gamma": loguniform(1e-5, 10)}, n_fits=60, cv=5, random_state=0,
                                 cost=lambda p: 1.0, stop=Price(0.002), journal=tmp_path / name).fit(X, Y)
        return one.n_fits_, one.best_params_, results(one)

    first = found("s.jsonl")
    assert first[0] < 60
    lines = (tmp_path / "s.jsonl").read_bytes().splitlines(keepends=True)
    begun = next(at for at, line in enumerate(lines) if b"verification_requested" in line)
    for end in (*range(begun, len(lines)), len(lines)):
        (tmp_path / "cut.jsonl").write_bytes(b"".join(lines[:end]))
        (tmp_path / "cut.jsonl.search.json").write_bytes((tmp_path / "s.jsonl.search.json").read_bytes())
        again = found("cut.jsonl")
        assert again[:2] == first[:2], end
        same(again[2], first[2])


def test_times_of_a_journal_are_not_known(tmp_path):
    one = search(20, cost=lambda p: 1000.0, journal=tmp_path / "s.jsonl")
    assert np.all(one.fit(X, Y).cv_results_["mean_fit_time"] < 100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(one.fit(X, Y).cv_results_["mean_fit_time"]).all()


def test_a_finite_space_is_searched_whole():
    found = FractionalSearchCV(SVC(), {"C": [0.1, 1.0], "kernel": ["rbf", "linear"]}, n_fits=100, random_state=0).fit(X, Y)
    grid = GridSearchCV(SVC(), {"C": [0.1, 1.0], "kernel": ["rbf", "linear"]}).fit(X, Y)
    assert found.n_fits_ == 20 and found.best_score_ == pytest.approx(grid.best_score_)


def test_distributions():
    space = space_of({"a": uniform(1, 2), "b": loguniform(1, 100), "c": randint(2, 5), "d": (0.0, 1.0), "e": (1, 8, "log"),
                      "f": [None, 1], "g": (True, False), "h": ("a", "b")})
    kinds = {p["name"]: (p["kind"], p.get("low"), p.get("high"), p.get("log")) for p in space._parameters}
    assert kinds["a"] == ("float", 1.0, 3.0, False) and kinds["b"] == ("float", 1.0, 100.0, True)
    assert kinds["c"] == ("int", 2, 4, False) and kinds["d"][0] == "float" and kinds["e"] == ("int", 1, 8, True)
    assert [kinds[n][0] for n in "fgh"] == ["categorical"] * 3
    for wrong in ({"a": norm(0, 1)}, {}, {"a": []}, [1], {"a": (3.0, 1.0)}, {"a": 3.0}, {"a": "rbf"}):
        with pytest.raises(ValueError):
            space_of(wrong)


@pytest.mark.parametrize(("values", "warns"), [
    ((0, 1), True), ((1, 2, "log"), True), ((np.int64(0), np.int64(1)), True),
    ((0, 2), False), ((0.0, 1.0), False), ((0, 1.0), False), ([0, 1], False), (randint(0, 2), False)])
def test_ranges_of_two_whole_numbers_are_warned_of(values, warns):
    """Bounds of a float that were written without a point."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        space_of({"l1_ratio": values})
    assert len(found) == warns and all("these two alone" in str(one.message) for one in found)
    assert all(one.filename == __file__ for one in found)


@pytest.mark.parametrize("arguments", [
    {"n_fits": 5}, {"n_fits": 0}, {"n_fits": 10.5}, {"verify": -1}, {"cost": "money"}, {"stop": 3}, {"settings": {"fodls": 1}},
    {"stop": Price(-1.0)}, {"settings": {"worth": 2.0}}, {"settings": {"budget": None}}, {"settings": {"folds": 5}},
    {"settings": {"repeats": 2}}, {"settings": {"finalists": None}}, {"cv": [(np.arange(50), np.arange(50, 99))], "verify": 0}])
def test_arguments_are_validated(arguments):
    with pytest.raises(ValueError):
        search(**arguments).fit(X, Y)


def test_many_folds():
    assert search(60, verify=0, cv=LeaveOneOut()).fit(X, Y).n_splits_ == len(X)


def test_regression():
    data, target = load_diabetes(return_X_y=True)
    found = FractionalSearchCV(Ridge(), {"alpha": (1e-4, 1e3, "log")}, n_fits=40, random_state=0).fit(data, target)
    assert found.best_score_ > 0.47


def failures(estimator):
    found = check_estimator(estimator, on_fail=None, on_skip=None)
    return {one["check_name"] for one in found if one["status"] == "failed"}


@pytest.mark.parametrize("estimator", [RidgeClassifier(), Ridge()])
def test_scikit_learn_checks_no_worse_than_its_own_search(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = failures(FractionalSearchCV(estimator, {"alpha": (1e-2, 1.0, "log")}, n_fits=12, cv=2, random_state=0))
        theirs = failures(GridSearchCV(estimator, {"alpha": [1e-2, 1.0]}, cv=2))
    assert ours <= theirs, ours - theirs


def test_a_problem_that_is_solved_at_once():
    data, target = make_blobs(60, centers=2, cluster_std=0.3, random_state=0)
    found = FractionalSearchCV(SVC(), SPACE, n_fits=30, random_state=0).fit(data, target)
    assert found.best_score_ == 1.0


class Half(BaseEstimator):
    """Scores its parameter; above a half one fold in five cannot be fitted."""

    def __init__(self, a=0.5):
        self.a = a

    def fit(self, X, y=None):
        self.first_ = float(X[0, 0])
        if self.a > 0.5 and self.first_ != 1.0:
            raise ValueError("no")
        return self

    def score(self, X, y=None):
        return self.a + 0.01 * float(np.mean(X))


NUMBERS = np.arange(1.0, 26.0).reshape(-1, 1)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.parametrize("seed", range(3))
def test_configurations_with_a_failed_fold_are_not_the_best(seed):
    # Of five folds only the first one has a training set that does not begin with the number 1.
    found = FractionalSearchCV(Half(), {"a": (0.0, 1.0)}, n_fits=30, cv=5, random_state=seed, refit=False).fit(NUMBERS)
    assert np.isnan(found.cv_results_["mean_test_score"]).any() and not math.isnan(found.best_score_)
    assert found.cv_results_["rank_test_score"][found.best_index_] == 1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_a_parameter_that_always_fails_is_left():
    class Broken(Half):
        def __init__(self, a=0.5, kind="good"):
            super().__init__(a)
            self.kind = kind

        def fit(self, X, y=None):
            if self.kind == "broken":
                raise ValueError("no")
            return self

    found = FractionalSearchCV(Broken(), {"a": (0.0, 1.0), "kind": ["broken", "good"]}, n_fits=40, cv=5,
                               random_state=0).fit(NUMBERS)
    kinds, counts = found.cv_results_["param_kind"], found.cv_results_["n_folds"]
    assert sum(counts[i] for i in range(len(counts)) if kinds[i] == "broken") < 12, "of 40 fits"


def test_fits_that_all_fail_after_others_are_a_warning(tmp_path):
    class Failing(Half):
        is_broken = False

        def fit(self, X, y=None):
            if self.is_broken:
                raise ValueError("no")
            return self

    def run(is_broken):
        Failing.is_broken = is_broken
        return FractionalSearchCV(Failing(), {"a": (0.0, 1.0)}, n_fits=24, cv=3, random_state=0, refit=False,
                                  journal=tmp_path / "j.jsonl").fit(NUMBERS)

    run(False)
    # The journal as far as the sixteenth outcome is that of a killed search.
    lines = (tmp_path / "j.jsonl").read_text().splitlines(keepends=True)
    told = [i for i, line in enumerate(lines) if '"told"' in line]
    (tmp_path / "j.jsonl").write_text("".join(lines[: told[15] + 1]))
    with pytest.warns(FitFailedWarning, match="8 fits failed out of a total of 24"):
        again = run(True)
    assert again.n_fits_ == 24 and not math.isnan(again.best_score_)


def test_whole_numbers_that_are_large():
    class Large(Half):
        def fit(self, X, y=None):
            return self

        def score(self, X, y=None):
            return float(self.a == 0)

    found = FractionalSearchCV(Large(), {"a": [0, 2**70]}, n_fits=6, cv=3, random_state=0).fit(NUMBERS)
    assert found.best_params_ == {"a": 0} and set(found.cv_results_["param_a"]) <= {0, 2**70}


def test_a_function_of_one_number_needs_no_name():
    def arguments():
        return {"scoring": lambda estimator, X, y=None: float(estimator.a), "refit": "accuracy", "cv": 3}

    class Fitted(Half):
        def fit(self, X, y=None):
            return self

    ours = FractionalSearchCV(Fitted(), {"a": [0.1, 0.9]}, n_fits=12, random_state=0, **arguments()).fit(NUMBERS)
    theirs = RandomizedSearchCV(Fitted(), {"a": [0.1, 0.9]}, n_iter=2, **arguments()).fit(NUMBERS)
    assert ours.best_score_ == theirs.best_score_ == 0.9 and ours.multimetric_ == theirs.multimetric_
    assert "mean_test_score" in ours.cv_results_ and "mean_test_accuracy" not in ours.cv_results_
