"""Composed kernels: scikit-learn is the reference."""

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs  # noqa: E402
from sklearn.gaussian_process.kernels import Exponentiation, PairwiseKernel  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402

from thrifty import GaussianProcessRegressor  # noqa: E402
from thrifty.kernels import (  # noqa: E402
    RBF,
    ConstantKernel,
    DotProduct,
    ExpSineSquared,
    Matern,
    RationalQuadratic,
    WhiteKernel,
)

NOISE = WhiteKernel(0.05)
KERNELS = {
    "rbf": RBF(0.7) + NOISE,
    "rbf per column": RBF([0.7, 1.9, 0.4]) + NOISE,
    "matern12": Matern(0.8, nu=0.5) + NOISE,
    "matern32": Matern([0.8, 0.3, 2.0], nu=1.5) + NOISE,
    "matern52": 2.5 * Matern(0.8, nu=2.5) + NOISE,
    "matern infinity": Matern(0.8, nu=np.inf) + NOISE,
    "rational quadratic": RationalQuadratic(0.6, alpha=0.8) + NOISE,
    "periodic": ExpSineSquared(1.3, periodicity=0.9) + NOISE,
    "linear": DotProduct(0.4) + NOISE,
    "constant": ConstantKernel(1.7) + NOISE,
    "noise first": NOISE + ConstantKernel(0.5) * RBF(0.7),
    "noise in the middle": ConstantKernel(0.5) * RBF(0.7) + NOISE + DotProduct(2.0),
    "sum in a product": (RBF(0.7) + ConstantKernel(0.3)) * (DotProduct(1.2) + Matern(2.0, nu=1.5)) + NOISE,
    "product of three": ConstantKernel(2.0) * ExpSineSquared(1.3, 0.9) * RBF([3.0, 2.0, 1.0]) + NOISE,
    "fixed": ConstantKernel(2.0, "fixed") * RBF([0.7, 1.9, 0.4], "fixed") + RationalQuadratic(0.6, 0.8, "fixed") + NOISE,
    "fixed alpha": RationalQuadratic(0.6, 0.8, alpha_bounds="fixed") + NOISE,
    "fixed noise": RBF(0.7) + WhiteKernel(0.3, "fixed"),
    "without noise": ConstantKernel(2.0) * Matern(0.5, nu=0.5),
}
EVERY = pytest.mark.parametrize("kernel", list(KERNELS.values()), ids=list(KERNELS))


def data(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 2, size=(n, 3))
    return X, np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=n), rng.uniform(-1, 2, size=(15, 3))


def both(kernel, alpha=1e-3, normalize_y=False, n=40):
    """Fits of no effort: the likelihood is compared at any theta, predictions at the same one."""
    X, y, new = data(n)
    ours = GaussianProcessRegressor(kernel, alpha=alpha, normalize_y=normalize_y, max_evaluations=5, random_state=0)
    ours.fit(X, y)
    theirs = Theirs(ours.kernel_, alpha=alpha, normalize_y=normalize_y, optimizer=None).fit(X, y)
    return ours, theirs, new


@EVERY
@pytest.mark.parametrize("normalize_y", [False, True])
def test_likelihood_and_gradient_are_those_of_scikit_learn(kernel, normalize_y):
    ours, theirs, _ = both(kernel, normalize_y=normalize_y)
    assert ours.theta_.tolist() == theirs.kernel_.theta.tolist()
    rng = np.random.default_rng(1)
    for theta in [kernel.theta, ours.theta_, *(kernel.theta + rng.normal(size=(5, len(kernel.theta))))]:
        value, gradient = ours.log_marginal_likelihood(theta, eval_gradient=True)
        expected, slopes = theirs.log_marginal_likelihood(theta, eval_gradient=True)
        assert value == pytest.approx(expected, rel=1e-6, abs=1e-6)
        np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-6 * (1 + np.abs(slopes).max(initial=0)))
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-6, abs=1e-6)


@EVERY
@pytest.mark.parametrize("normalize_y", [False, True])
def test_predictions_are_those_of_scikit_learn(kernel, normalize_y):
    ours, theirs, new = both(kernel, normalize_y=normalize_y)
    mean, std = ours.predict(new, return_std=True)
    expected, width = theirs.predict(new, return_std=True)
    np.testing.assert_allclose(mean, expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(std, width, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ours.predict(new, return_cov=True)[1], theirs.predict(new, return_cov=True)[1],
                               rtol=1e-5, atol=1e-6)


def test_a_likelihood_that_is_wrong_would_be_seen():
    """The comparison above can fail: another kernel, or another alpha, is far outside of its tolerance."""
    X, y, _ = data()
    kernel = KERNELS["matern32"]
    expected = Theirs(kernel, alpha=1e-3, optimizer=None).fit(X, y).log_marginal_likelihood(kernel.theta)
    for other, alpha in [(Matern([0.8, 0.3, 2.0], nu=2.5) + NOISE, 1e-3), (kernel, 2e-3)]:
        ours = GaussianProcessRegressor(other, alpha=alpha, max_evaluations=5, random_state=0).fit(X, y)
        assert abs(ours.log_marginal_likelihood(kernel.theta) - expected) > 1e-3


@pytest.mark.parametrize("name", ["rbf per column", "matern52", "rational quadratic", "noise in the middle", "fixed noise"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_fit_is_no_worse_than_that_of_scikit_learn(name):
    X, y, _ = data(60)
    ours = GaussianProcessRegressor(KERNELS[name], random_state=0).fit(X, y)
    theirs = Theirs(KERNELS[name], n_restarts_optimizer=2, random_state=0).fit(X, y)
    assert ours.log_marginal_likelihood_value_ > theirs.log_marginal_likelihood_value_ - 1e-3
    assert ours.kernel_.theta.tolist() == ours.theta_.tolist()
    bounds = ours.kernel_.bounds
    assert np.all(ours.theta_ >= bounds[:, 0] - 1e-9) and np.all(ours.theta_ <= bounds[:, 1] + 1e-9)


def test_one_column_and_one_lengthscale():
    X, y, _ = data()
    for kernel in (RBF([0.5]) + NOISE, RBF(0.5) + NOISE):
        ours = GaussianProcessRegressor(kernel, random_state=0).fit(X[:, :1], y)
        theirs = Theirs(kernel, optimizer=None).fit(X[:, :1], y)
        expected = theirs.log_marginal_likelihood(kernel.theta)
        assert ours.log_marginal_likelihood(kernel.theta) == pytest.approx(expected, rel=1e-6)


def test_duplicates_constants_and_scales():
    X, y, _ = data()
    kernel = ConstantKernel(1.0, (1e-30, 1e30)) * RBF(1.0, (1e-15, 1e15)) + WhiteKernel(0.1, (1e-30, 1e30))
    for rows, targets in [(np.repeat(X, 2, axis=0), np.repeat(y, 2)), (X, np.zeros(40)), (1e12 * X, y), (X, 1e-12 * y),
                          (X, 1e12 * y), (X[:2], y[:2])]:
        model = GaussianProcessRegressor(kernel, normalize_y=True, random_state=0).fit(rows, targets)
        assert np.all(np.isfinite(np.concatenate(model.predict(rows, return_std=True))))


def test_samples_have_the_covariance():
    ours, _, new = both(KERNELS["matern52"])
    drawn = ours.sample_y(new[:3], 20000, random_state=1)
    mean, cov = ours.predict(new[:3], return_cov=True)
    np.testing.assert_allclose(drawn.mean(axis=1), mean, atol=5 * np.sqrt(cov.diagonal().max() / 20000))
    np.testing.assert_allclose(np.cov(drawn), cov, atol=0.06 * cov.diagonal().max())


def test_pickle_clone_and_search():
    X, y, new = data()
    model = GaussianProcessRegressor(KERNELS["noise first"], normalize_y=True, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(new).tolist() == model.predict(new).tolist() and again.kernel_ == model.kernel_
    assert clone(model).fit(X, y).theta_.tolist() == model.theta_.tolist()
    search = GridSearchCV(model, {"kernel": [RBF() + NOISE, Matern(nu=1.5) + NOISE, "matern52"]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.5


@pytest.mark.parametrize(("kernel", "change", "message"), [
    (NOISE, {}, "alone"), (NOISE + NOISE + RBF(), {}, "two terms"), (NOISE * RBF(), {}, "term of the whole sum"),
    (Exponentiation(RBF(), 2), {}, "Exponentiation"), (PairwiseKernel(), {}, "PairwiseKernel"),
    (Matern(nu=1.1), {}, "nu of Matern"), (RBF([1.0, 2.0]), {}, "2 lengthscales for 3 columns"),
    (RBF(), {"noise": 0.1}, "noise"), (RBF(), {"alpha": -1.0}, "alpha"), (RBF(), {"alpha": [1e-3]}, "alpha")])
def test_what_is_not_supported_is_named(kernel, change, message):
    X, y, _ = data()
    with pytest.raises(ValueError, match=message):
        GaussianProcessRegressor(kernel, **change).fit(X, y)


@pytest.mark.parametrize("restarts", [0, 2])
@pytest.mark.parametrize("kernel", [RBF(1.0, (10.0, 1.0)) + WhiteKernel(), ConstantKernel() * RBF(1.0, (10.0, 1.0))])
def test_bounds_in_the_wrong_order_are_named(kernel, restarts):
    X, y, _ = data()
    with pytest.raises(ValueError, match=r"parameter .*lengthscale.* is 1, expected a value in \[10, 1\]"):
        GaussianProcessRegressor(kernel, n_restarts_optimizer=restarts).fit(X, y)


@pytest.mark.parametrize("bounds", [np.array([1e-6, 10.0]), np.array([[1e-6, 10.0]])])
def test_bounds_of_noise_may_be_an_array(bounds):
    x = np.linspace(0, 1, 12).reshape(-1, 1)
    kernel = ConstantKernel() * RBF()
    found, plain = (GaussianProcessRegressor(kernel + WhiteKernel(0.1, b), random_state=0).fit(x, np.sin(5 * x[:, 0]))
                    for b in (bounds, (1e-6, 10.0)))
    np.testing.assert_array_equal(found.kernel_.theta, plain.kernel_.theta)
