"""Compares `GaussianProcessRegressor` with scikit-learn's and GPyTorch's: CPU time of a fit, log likelihood, held-out density.

Declared before the run: with the same kernel (Matern 5/2 with a lengthscale per column, a variance and white noise; targets of mean 0
and standard deviation 1) a fit takes at most 1/50 of scikit-learn's CPU time at n = 200, the log marginal likelihood is lower by at most
1e-3, and the mean negative log predictive density on held-out rows is not worse by more than 0.01. Medians over data sets of
Friedman's first function with 6 columns. `named` is the default of the library, with its own scaling. GPyTorch is left out where it is not
installed. Run `python benchmarks/regressor.py`; one thread is used.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import time
import warnings
from functools import partial
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402
from sklearn.datasets import make_friedman1  # noqa: E402
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs  # noqa: E402

from thrifty import GaussianProcessRegressor as Ours  # noqa: E402
from thrifty.kernels import ConstantKernel, Matern, WhiteKernel  # noqa: E402

COLUMNS = 6
BOUNDS = (1e-2, 1e3)


def kernel() -> Any:
    """The kernel of all."""
    matern = Matern(np.ones(COLUMNS), length_scale_bounds=BOUNDS, nu=2.5)
    return ConstantKernel(1.0, (1e-3, 1e3)) * matern + WhiteKernel(1e-2, (1e-6, 1.0))


def density(mean: Any, variance: Any, y: Any) -> float:
    """Mean negative log predictive density."""
    return float(np.mean(0.5 * np.log(2 * np.pi * variance) + 0.5 * (y - mean) ** 2 / variance))


def ours(data: Any, composed: bool) -> tuple[float, float, float]:
    """CPU seconds, log likelihood, density."""
    X, y, new, truth = data
    model = Ours(kernel(), random_state=0) if composed else Ours(random_state=0)
    began = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - began
    mean, std = model.predict(new, return_std=True)
    variance = std**2 if composed else std**2 + model.noise_variance_
    return seconds, model.log_marginal_likelihood_value_, density(mean, variance, truth)


def scikit_learn(data: Any) -> tuple[float, float, float]:
    """The same of scikit-learn, with as many starts."""
    X, y, new, truth = data
    model = Theirs(kernel(), n_restarts_optimizer=2, random_state=0)
    began = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - began
    mean, std = model.predict(new, return_std=True)
    return seconds, model.log_marginal_likelihood_value_, density(mean, std**2, truth)


def gpytorch(data: Any, steps: int) -> tuple[float, float, float]:
    """The same of GPyTorch: so many steps of Adam, from one start."""
    import gpytorch as library
    import torch

    torch.set_num_threads(1)
    X, y, new, truth = (torch.as_tensor(part, dtype=torch.float64) for part in data)

    class Model(library.models.ExactGP):
        def __init__(self, likelihood: Any) -> None:
            super().__init__(X, y, likelihood)
            self.mean_module = library.means.ZeroMean()
            self.covar_module = library.kernels.ScaleKernel(library.kernels.MaternKernel(2.5, ard_num_dims=COLUMNS))

        def forward(self, x: Any) -> Any:
            return library.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    likelihood = library.likelihoods.GaussianLikelihood(noise_constraint=library.constraints.GreaterThan(1e-6))
    model = Model(likelihood).double()
    likelihood.double()
    marginal = library.mlls.ExactMarginalLogLikelihood(likelihood, model)
    began = time.process_time()
    model.train(), likelihood.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = -marginal(model(X), y)
        loss.backward()
        optimizer.step()
    seconds = time.process_time() - began
    value = float(marginal(model(X), y)) * len(y)
    model.eval(), likelihood.eval()
    with torch.no_grad():
        found = likelihood(model(new))
    return seconds, value, density(found.mean.numpy(), found.variance.numpy(), truth.numpy())


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="*", default=[50, 200])
    parser.add_argument("--sets", type=int, default=5)
    parser.add_argument("--steps", type=int, nargs="*", default=[200, 3000])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    methods = {"composed": lambda d: ours(d, True), "named": lambda d: ours(d, False), "scikit-learn": scikit_learn}
    if importlib.util.find_spec("gpytorch") is not None:
        for steps in arguments.steps:
            methods[f"GPyTorch, {steps} steps"] = partial(gpytorch, steps=steps)
    print(f"medians over {arguments.sets} data sets")
    print(f"{'rows':>6} {'method':20} {'CPU ms':>9} {'log likelihood':>15} {'density':>9}")
    for rows in arguments.rows:
        found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in methods}
        for seed in range(arguments.sets):
            X, y = make_friedman1(rows + 500, n_features=COLUMNS, noise=1.0, random_state=seed)
            y = (y - y[:rows].mean()) / y[:rows].std()
            data = (X[:rows], y[:rows], X[rows:], y[rows:])
            for name, method in methods.items():
                found[name].append(method(data))
        for name, results in found.items():
            seconds, value, nlpd = (statistics.median(column) for column in zip(*results, strict=True))
            print(f"{rows:6} {name:20} {1e3 * seconds:9.1f} {value:15.4f} {nlpd:9.4f}", flush=True)
        gaps = [a[1] - b[1] for a, b in zip(found["composed"], found["scikit-learn"], strict=True)]
        ratios = [b[0] / a[0] for a, b in zip(found["composed"], found["scikit-learn"], strict=True)]
        worse = [a[2] - b[2] for a, b in zip(found["composed"], found["scikit-learn"], strict=True)]
        print(f"       composed against scikit-learn: {statistics.median(ratios):.0f} times as fast, log likelihood at least "
              f"{min(gaps):+.2g}, density at most {max(worse):+.2g}")


if __name__ == "__main__":
    main()
