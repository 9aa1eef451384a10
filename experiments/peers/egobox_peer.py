"""egobox: fit and prediction of its Gaussian process, and a whole run.

Its Matérn-5/2 is a product over dimensions and its variance is concentrated out, so its likelihood is that of
another model and not comparable; it has no way to evaluate at given variance and noise.
"""

from __future__ import annotations

from typing import Any

from common import ASKS, Inputs, Unsupported, cpu_minimum, hartmann6, mean_of_asks, missing, read_inputs, run_tasks

try:
    import egobox as egx
    import numpy as np
except ImportError as error:
    missing(error)


def builder(starts: int) -> egx.GpMix:
    """One Gaussian process with constant mean and Matérn-5/2; `starts` of the hyperparameter search."""
    return egx.Gpx.builder(corr_spec=egx.CorrelationSpec.MATERN52, theta_n_start=starts, seed=0)


def likelihood(inputs: Inputs, wanted: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    raise Unsupported("no likelihood at given hyperparameters")


def fit(inputs: Inputs, wanted: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """One start of its own search over its own model: the time compares, the likelihood does not."""
    x, y = np.array(data["x"]), np.array(data["y"])
    timing, _ = cpu_minimum(lambda: builder(1).fit(x, y), inputs["seconds"], inputs["repeats"])
    return {**timing, "note": "a product of one-dimensional kernels: likelihood not comparable"}


def predict(inputs: Inputs, wanted: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Mean and variance at the first m test points at its own hyperparameters: the values do not compare."""
    model = builder(0).fit(np.array(data["x"]), np.array(data["y"]))
    test = np.array(inputs["test"][: wanted["m"]])
    timing, _ = cpu_minimum(
        lambda: (model.predict(test), model.predict_var(test)), inputs["seconds"], inputs["repeats"]
    )
    return {**timing, "note": "at its own hyperparameters"}


def acquisition(inputs: Inputs, wanted: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    raise Unsupported("no acquisition on a given posterior")


def ask(inputs: Inputs, wanted: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Suggestions of `Egor` after n trials of Hartmann-6."""

    def once() -> None:
        x = np.array(data["x"])
        y = np.array([[hartmann6(row)] for row in x])
        for seed in range(ASKS):
            point = egx.Egor([[0.0, 1.0]] * inputs["d"]).suggest(x, y, seed=seed)
            x, y = np.vstack([x, point]), np.vstack([y, [[hartmann6(point[0])]]])

    return mean_of_asks(once)


def bo(inputs: Inputs, wanted: dict[str, Any], data: None) -> dict[str, Any]:
    """A whole run of `Egor` on Hartmann-6 with its defaults, which are LogEI and 20 starts."""
    values: list[float] = []

    def objective(points: Any) -> Any:
        values.extend(hartmann6(point) for point in np.atleast_2d(points))
        return np.array(values[-len(np.atleast_2d(points)) :]).reshape(-1, 1)

    def once() -> None:
        optimizer = egx.Egor([[0.0, 1.0]] * inputs["d"], n_doe=wanted["initial"])
        optimizer.minimize(objective, max_iters=wanted["n"] - wanted["initial"], seed=wanted["seed"])

    timing, _ = cpu_minimum(once, 0.0, 1)
    # It may evaluate more than it was asked to; the budget is the same for all.
    return {**timing, "best": min(values[: wanted["n"]]), "evaluations": len(values)}


if __name__ == "__main__":
    tasks = {"likelihood": likelihood, "fit": fit, "predict": predict, "acquisition": acquisition, "ask": ask, "bo": bo}
    run_tasks("egobox", read_inputs(), tasks)
