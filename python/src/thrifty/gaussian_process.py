"""Exact Gaussian-process regression with scikit-learn's interface. Needs numpy and scikit-learn."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _thrifty

LENGTHSCALES = (1e-3, 1e4)
"""Bounds of lengthscales, in ranges of the columns: a column that says nothing gets a long one."""


class GaussianProcessRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Gaussian-process regressor whose hyperparameters are learnt by maximum likelihood.

    Columns are scaled to [0, 1] and targets to mean 0 and standard deviation 1. The kernel has a variance and a lengthscale
    per column; noise and mean are learnt. There are no priors: those of Bayesian optimization favor functions that vary in
    every column, which is wrong for regression.

    Parameters
    ----------
    kernel
        `matern52`, `matern32`, `matern12` or `squared_exponential`.
    noise
        Variance of the noise in units of the targets' variance; None learns it.
    n_restarts_optimizer
        Fits from random starts beside the first.
    lengthscale_bounds
        In ranges of the columns.
    max_evaluations
        Evaluations of the likelihood in one fit from one start.
    random_state
        Seed of the starts.

    Attributes
    ----------
    hyperparameters_
        Learnt values by name, on the scaled columns and targets.
    theta_
        The same as a vector, positive ones as logarithms: what :meth:`log_marginal_likelihood` takes.
    noise_variance_
        On the scale of the targets. Predictions are of the function without noise; add it to the variance for that of an
        observation.
    log_marginal_likelihood_value_
        Of the scaled targets.

    Examples
    --------
    >>> X = np.linspace(0, 6, 25).reshape(-1, 1)
    >>> model = GaussianProcessRegressor(random_state=0).fit(X, np.sin(X[:, 0]))
    >>> mean, std = model.predict([[1.57]], return_std=True)
    >>> bool(abs(mean[0] - 1) < 0.01 and std[0] < 0.05)
    True
    """

    def __init__(self, kernel: str = "matern52", *, noise: float | None = None, n_restarts_optimizer: int = 2,
                 lengthscale_bounds: tuple[float, float] = LENGTHSCALES, max_evaluations: int = 200,
                 random_state: Any = None) -> None:
        self.kernel = kernel
        self.noise = noise
        self.n_restarts_optimizer = n_restarts_optimizer
        self.lengthscale_bounds = lengthscale_bounds
        self.max_evaluations = max_evaluations
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> GaussianProcessRegressor:
        """Learns the hyperparameters and conditions on the data."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        self._x, self._y = np.ascontiguousarray(X), np.ascontiguousarray(y, dtype=np.float64)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        # Kept, so that a pickle is of the fit whatever is set afterwards.
        self._settings = json.dumps({
            "kernel": self.kernel, "lengthscales": [float(bound) for bound in self.lengthscale_bounds],
            "noise": None if self.noise is None else float(self.noise), "restarts": self.n_restarts_optimizer,
            "max_evaluations": self.max_evaluations})
        self._build(seed, None)
        return self

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Any:
        """Mean of the function, and its standard deviation or joint covariance."""
        if return_std and return_cov:
            raise ValueError("return_std and return_cov exclude each other")
        data, rows = self._checked(X)
        mean, variance = (np.frombuffer(part).copy() for part in self._model.predict(data))
        if return_cov:
            return mean, np.frombuffer(self._model.covariance(data)).reshape(rows, rows).copy()
        return (mean, np.sqrt(np.maximum(variance, 0.0))) if return_std else mean

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Any:
        """Draws of the function at the rows of `X`, a column each."""
        data, rows = self._checked(X)
        seed = int(check_random_state(random_state).randint(2**31 - 1))
        return np.frombuffer(self._model.sample(data, n_samples, seed)).reshape(n_samples, rows).T.copy()

    def log_marginal_likelihood(self, theta: Any = None, eval_gradient: bool = False) -> Any:
        """Log marginal likelihood of the scaled targets at `theta`, or at the fit, and its gradient in `theta`."""
        check_is_fitted(self, "theta_")
        if theta is None and not eval_gradient:
            return self.log_marginal_likelihood_value_
        theta = self.theta_ if theta is None else np.asarray(theta, dtype=float)
        if theta.shape != self.theta_.shape:
            raise ValueError(f"theta has shape {theta.shape}, expected {self.theta_.shape}")
        values = np.where(self._is_log, np.exp(np.where(self._is_log, theta, 0.0)), theta)
        value, slopes = self._model.log_likelihood_at(values.tolist())
        gradient = np.asarray(slopes) * np.where(self._is_log, values, 1.0)
        return (value, gradient) if eval_gradient else value

    def _build(self, seed: int, known: list[float] | None) -> None:
        self._model = _thrifty.Regressor(self._x.tobytes(), self._y.tobytes(), self._x.shape[1], seed,
                                         self._settings, known)
        found = self._model.hyperparameters()
        self.hyperparameters_ = {name: value for name, value, _, _ in found}
        self._is_log = np.array([is_log for *_, is_log in found])
        values = np.array([value for _, value, _, _ in found])
        self.theta_ = np.where(self._is_log, np.log(np.where(self._is_log, values, 1.0)), values)
        self.noise_variance_ = self._model.noise_variance()
        self.log_marginal_likelihood_value_ = self._model.log_likelihood()

    def _checked(self, X: Any) -> tuple[bytes, int]:
        check_is_fitted(self, "theta_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.ascontiguousarray(X).tobytes(), len(X)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_model"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if hasattr(self, "hyperparameters_"):
            self._build(0, list(self.hyperparameters_.values()))
