"""scikit-learn: likelihood, fit and prediction of its `GaussianProcessRegressor`."""

from __future__ import annotations

from typing import Any

from common import Inputs, cpu_minimum, missing, read_inputs, run_tasks

try:
    import numpy as np
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
except ImportError as error:
    missing(error)


def regressor(inputs: Inputs, optimizer: str | None) -> GaussianProcessRegressor:
    """Variance × ARD Matérn-5/2 + noise at the common hyperparameters; zero mean, no priors."""
    at, bounds = inputs["hyperparameters"], inputs["bounds"]
    kernel = ConstantKernel(at["variance"], bounds["variance"]) * Matern(
        at["lengthscales"], bounds["lengthscale"], nu=2.5
    ) + WhiteKernel(at["noise"], bounds["noise"])
    # alpha is added to the diagonal beside the learnt noise; the others have none.
    return GaussianProcessRegressor(kernel, alpha=0.0, optimizer=optimizer)


def likelihood(inputs: Inputs, wanted: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Log marginal likelihood and its gradient by the logarithms of variance, lengthscales, noise."""
    model = regressor(inputs, None).fit(np.array(data["x"]), np.array(data["y"]))
    theta = model.kernel_.theta

    def once() -> tuple[float, Any]:
        return model.log_marginal_likelihood(theta, eval_gradient=True, clone_kernel=False)

    timing, (value, gradient) = cpu_minimum(once, inputs["seconds"], inputs["repeats"])
    return {**timing, "values": [float(value), *gradient.tolist()]}


def fit(inputs: Inputs, wanted: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Maximum likelihood from the common start, without restarts."""
    x, y = np.array(data["x"]), np.array(data["y"])
    timing, model = cpu_minimum(
        lambda: regressor(inputs, "fmin_l_bfgs_b").fit(x, y), inputs["seconds"], inputs["repeats"]
    )
    kernel = model.kernel_
    return {
        **timing,
        "lengthscales": np.asarray(kernel.k1.k2.length_scale).tolist(),
        "variance": float(kernel.k1.k1.constant_value),
        "noise": float(kernel.k2.noise_level),
    }


def predict(inputs: Inputs, wanted: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Mean and variance of the latent function at the first m test points."""
    model = regressor(inputs, None).fit(np.array(data["x"]), np.array(data["y"]))
    test = np.array(inputs["test"][: wanted["m"]])
    timing, (mean, deviation) = cpu_minimum(
        lambda: model.predict(test, return_std=True), inputs["seconds"], inputs["repeats"]
    )
    # Its white noise is part of the prediction.
    variance = deviation**2 - inputs["hyperparameters"]["noise"]
    return {**timing, "values": [float(mean.mean()), float(variance.mean())]}


if __name__ == "__main__":
    run_tasks("scikit-learn", read_inputs(), {"likelihood": likelihood, "fit": fit, "predict": predict})
