"""Exact Gaussian-process regression with scikit-learn's interface. Needs numpy and scikit-learn."""

from __future__ import annotations

import json
import math
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _thrifty
from ._checks import whole
from .kernels import RBF, Composed, ConstantKernel

LENGTHSCALES = (1e-3, 1e4)
"""Bounds of lengthscales, in ranges of the columns: a column that says nothing gets a long one."""


class GaussianProcessRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Gaussian-process regressor whose hyperparameters are learnt by maximum likelihood.

    With a kernel by its name columns are scaled to [0, 1] and targets to mean 0 and standard deviation 1. The kernel has a
    variance and a lengthscale per column; noise and mean are learnt. A composed kernel is taken as in scikit-learn: columns as
    they are, mean 0. There are no priors: those of Bayesian optimization favor functions that vary in every column, which is
    wrong for regression.

    Parameters
    ----------
    kernel
        `matern52`, `matern32`, `matern12` or `squared_exponential`; or a kernel of :mod:`thrifty.kernels`. None:
        ``ConstantKernel() * RBF()``, the default of scikit-learn.
    noise
        Variance of the noise in units of the targets' variance; None learns it. Not with a composed kernel, which has `alpha`
        and `WhiteKernel`.
    n_restarts_optimizer
        Random starts beside the first. After them one more start leaves out columns that hardly matter, if there are any.
    lengthscale_bounds
        In ranges of the columns. Those of a composed kernel are in its parts.
    alpha, normalize_y
        As in scikit-learn, with a composed kernel: a variance that is added to the diagonal, one number for all rows, and targets of mean 0
        and standard deviation 1. Both are ignored with a kernel by its name, which has `noise` and always scales the targets.
    max_evaluations
        Evaluations of the likelihood in one fit from one start.
    random_state
        Seed of the starts.

    Attributes
    ----------
    hyperparameters_
        Learnt values by name, on the scaled columns and targets.
    theta_
        The same as a vector, positive ones as logarithms: what :meth:`log_marginal_likelihood` takes. That of `kernel_` for a
        composed kernel.
    kernel_
        The composed kernel with the learnt values; the name otherwise.
    noise_variance_
        On the scale of the targets. Predictions are of the function without noise; add it to the variance for that of an
        observation. With a composed kernel predictions have the variance of its `WhiteKernel`, as in scikit-learn.
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

    def __init__(self, kernel: Any = "matern52", *, noise: float | None = None, alpha: float = 1e-10,
                 normalize_y: bool = False, n_restarts_optimizer: int = 2,
                 lengthscale_bounds: tuple[float, float] = LENGTHSCALES, max_evaluations: int = 200,
                 random_state: Any = None) -> None:
        self.kernel = kernel
        self.noise = noise
        self.alpha = alpha
        self.normalize_y = normalize_y
        self.n_restarts_optimizer = n_restarts_optimizer
        self.lengthscale_bounds = lengthscale_bounds
        self.max_evaluations = max_evaluations
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> GaussianProcessRegressor:
        """Learns the hyperparameters and conditions on the data."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        # Copies: a pickle is of these, and the caller may change the arrays.
        self._x, self._y = np.array(X, order="C"), np.array(y, dtype=np.float64, order="C")
        kernel = self.kernel
        if kernel is None:
            kernel = ConstantKernel() * RBF()
        self._composed = None if isinstance(kernel, str) else Composed(kernel, X.shape[1])
        self._shift, self._width = 0.0, 1.0
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        # Kept, so that a pickle is of the fit whatever is set afterwards.
        settings = self._named() if self._composed is None else self._as_composed(self._composed)
        self._settings = json.dumps({**settings,
                                     "restarts": whole("n_restarts_optimizer", self.n_restarts_optimizer, 0),
                                     "max_evaluations": whole("max_evaluations", self.max_evaluations, 1)})
        self.kernel_: Any = kernel
        self._build(seed, None)
        return self

    def _named(self) -> dict[str, Any]:
        """Settings for a kernel by its name."""
        if self.noise is not None and not (isinstance(self.noise, Real) and 0 <= self.noise < math.inf):
            raise ValueError(f"noise is {self.noise!r}, expected None or a number from 0")
        return {"kernel": self.kernel, "lengthscales": [float(bound) for bound in self.lengthscale_bounds],
                "noise": None if self.noise is None else float(self.noise)}

    def _as_composed(self, composed: Composed) -> dict[str, Any]:
        """Settings for a composed kernel; scales the targets."""
        if self.noise is not None:
            raise ValueError("noise is for a kernel by its name: a composed kernel has alpha and WhiteKernel")
        if not (isinstance(self.alpha, Real) and 0 <= self.alpha < math.inf):
            raise ValueError(f"alpha is {self.alpha!r}, expected a number from 0")
        if self.normalize_y:
            self._shift, self._width = float(self._y.mean()), float(self._y.std()) or 1.0
            self._y = (self._y - self._shift) / self._width
        white, fixed, learnt = composed.white, 0.0, None
        if white is not None and composed.learns_noise:
            learnt = [float(white.noise_level), *map(float, np.ravel(white.noise_level_bounds))]
        elif white is not None:
            fixed = float(white.noise_level)
        return {"kernel": "matern52", "composed": composed.tree, "lengthscales": LENGTHSCALES, "white": learnt,
                "alpha": float(self.alpha), "noise": fixed if learnt is None else None}

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Any:
        """Mean of the function, and its standard deviation or joint covariance."""
        if return_std and return_cov:
            raise ValueError("return_std and return_cov exclude each other")
        data, rows = self._checked(X)
        mean, variance = (np.frombuffer(part).copy() for part in self._model.predict(data))
        # These change nothing for a kernel by its name.
        mean = mean * self._width + self._shift
        variance = variance * self._width**2 + self._white
        if return_cov:
            found = np.frombuffer(self._model.covariance(data)).reshape(rows, rows)
            return mean, found * self._width**2 + self._white * np.eye(rows)
        return (mean, np.sqrt(np.maximum(variance, 0.0))) if return_std else mean

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Any:
        """Draws of the function at the rows of `X`, a column each."""
        data, rows = self._checked(X)
        rng = check_random_state(random_state)
        seed = int(rng.randint(2**31 - 1))
        n_samples = whole("n_samples", n_samples, 0)
        drawn = np.frombuffer(self._model.sample(data, n_samples, seed)).reshape(n_samples, rows).T
        drawn = drawn * self._width + self._shift
        return drawn if self._white == 0 else drawn + np.sqrt(self._white) * rng.normal(size=drawn.shape)

    def log_marginal_likelihood(self, theta: Any = None, eval_gradient: bool = False) -> Any:
        """Log marginal likelihood of the scaled targets at `theta`, or at the fit, and its gradient in `theta`."""
        check_is_fitted(self, "theta_")
        if theta is None and not eval_gradient:
            return self.log_marginal_likelihood_value_
        theta = self.theta_ if theta is None else np.asarray(theta, dtype=float)
        if theta.shape != self.theta_.shape:
            raise ValueError(f"theta has shape {theta.shape}, expected {self.theta_.shape}")
        if self._composed is not None:
            value, slopes = self._model.log_likelihood_at(self._composed.to_theirs(theta))
            gradient = self._composed.in_order(slopes) * np.exp(theta)
            return (value, gradient) if eval_gradient else value
        values = np.where(self._is_log, np.exp(np.where(self._is_log, theta, 0.0)), theta)
        value, slopes = self._model.log_likelihood_at(values.tolist())
        gradient = np.asarray(slopes) * np.where(self._is_log, values, 1.0)
        return (value, gradient) if eval_gradient else value

    def _build(self, seed: int, known: list[float] | None) -> None:
        self._model = _thrifty.Regressor(self._x.tobytes(), self._y.tobytes(), self._x.shape[1], seed,
                                         self._settings, known)
        found = self._model.hyperparameters()
        self.log_marginal_likelihood_value_ = self._model.log_likelihood()
        self._white = 0.0
        if self._composed is not None:
            return self._finish(self._composed, [value for _, value, _, _ in found])
        self.hyperparameters_ = {name: value for name, value, _, _ in found}
        self._is_log = np.array([is_log for *_, is_log in found])
        values = np.array([value for _, value, _, _ in found])
        self.theta_ = np.where(self._is_log, np.log(np.where(self._is_log, values, 1.0)), values)
        self.noise_variance_ = self._model.noise_variance()

    def _finish(self, composed: Composed, values: list[float]) -> None:
        """Attributes of a fit with a composed kernel."""
        self.kernel_ = self.kernel_.clone_with_theta(composed.to_theta(values))
        self.theta_ = self.kernel_.theta
        names = [hyper.name if hyper.n_elements == 1 else f"{hyper.name}[{at}]" for hyper in self.kernel_.hyperparameters
                 if not hyper.fixed for at in range(hyper.n_elements)]
        self.hyperparameters_ = dict(zip(names, map(float, np.exp(self.theta_)), strict=True))
        white = composed.white
        noise = 0.0 if white is None else values[-1] if composed.learns_noise else float(white.noise_level)
        self.noise_variance_ = self._white = noise * self._width**2

    def _checked(self, X: Any) -> tuple[bytes, int]:
        check_is_fitted(self, "theta_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.ascontiguousarray(X).tobytes(), len(X)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_model"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if hasattr(self, "hyperparameters_"):
            known = list(self.hyperparameters_.values())
            self._build(0, known if self._composed is None else self._composed.to_theirs(self.theta_))
