"""Optuna: the parts of its `GPSampler` and a whole run. The parts are private to it and move with its versions."""

from __future__ import annotations

from typing import Any

from common import (
    ASKS,
    Inputs,
    cpu_minimum,
    fastest,
    few,
    hartmann6,
    mean_of_asks,
    missing,
    mixed_loss,
    mixed_point,
    read_inputs,
    run_tasks,
)

try:
    import math

    import numpy as np
    import optuna
    import torch
    from optuna._gp import acqf, gp, optim_mixed, search_space
except ImportError as error:
    missing(error)

torch.set_num_threads(1)
optuna.logging.set_verbosity(optuna.logging.ERROR)


def doubles(values: Any) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def model_at(at: dict[str, Any], data: dict[str, Any], sign: float = 1.0) -> gp.GPRegressor:
    """Variance × ARD Matérn-5/2 + noise at given hyperparameters; zero mean, no priors."""
    return gp.GPRegressor(
        is_categorical=torch.zeros(len(data["x"][0]), dtype=torch.bool),
        X_train=doubles(data["x"]),
        y_train=sign * doubles(data["y"]),
        inverse_squared_lengthscales=doubles(at["lengthscales"]) ** -2.0,
        kernel_scale=doubles(at["variance"]),
        noise_var=doubles(at["noise"]),
    )


def likelihood(inputs: Inputs, wanted: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Log marginal likelihood and its gradient by the logarithms of variance, lengthscales, noise."""
    at = inputs["hyperparameters"]
    model = model_at(at, data)
    start = np.log([at["variance"], *at["lengthscales"], at["noise"]])

    def once() -> tuple[float, torch.Tensor]:
        logs = torch.tensor(start, requires_grad=True)
        model.kernel_scale = torch.exp(logs[0])
        model.inverse_squared_lengthscales = torch.exp(-2.0 * logs[1:-1])
        model.noise_var = torch.exp(logs[-1])
        value = model.marginal_log_likelihood()
        value.backward()
        return value.item(), logs.grad

    timing, (value, gradient) = cpu_minimum(once, inputs["seconds"], inputs["repeats"])
    # It leaves out the constant.
    value -= 0.5 * wanted["n"] * math.log(2 * math.pi)
    return {**timing, "values": [value, *gradient.tolist()]}


def fit(inputs: Inputs, wanted: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Maximum likelihood from the common start, with its own stopping rule."""
    x, y = np.array(data["x"]), np.array(data["y"])

    def once() -> gp.GPRegressor:
        return gp.fit_kernel_params(
            X=x,
            Y=y,
            is_categorical=np.zeros(x.shape[1], dtype=bool),
            log_prior=lambda _: torch.tensor(0.0, dtype=torch.float64),
            minimum_noise=inputs["bounds"]["noise"][0],
            deterministic_objective=False,
            gpr_cache=model_at(inputs["hyperparameters"], data),
        )

    timing, model = cpu_minimum(once, inputs["seconds"], inputs["repeats"])
    return {
        **timing,
        "lengthscales": model.length_scales.tolist(),
        "variance": model.kernel_scale.item(),
        "noise": model.noise_var.item(),
    }


def predict(inputs: Inputs, wanted: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Mean and variance of the latent function at the first m test points, in pieces of the fastest size."""
    model = model_at(inputs["hyperparameters"], data)
    model._cache_matrix()
    test = doubles(inputs["test"][: wanted["m"]])

    def once(size: int) -> list[float]:
        # A piece holds its squared differences to all data in all dimensions.
        with torch.no_grad():
            pieces = [model.posterior(piece) for piece in test.split(size)]
        return [torch.cat([piece[i] for piece in pieces]).mean().item() for i in (0, 1)]

    timing, values = fastest([lambda size=size: once(size) for size in (64, 256, 1000)], inputs)
    return {**timing, "values": values}


def acquisition(inputs: Inputs, wanted: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Maximises LogEI of the given posterior with the settings of `GPSampler`."""
    # It maximises: improvement is above the threshold, so the targets change their sign.
    model = model_at(data["posterior"], data, sign=-1.0)
    model._cache_matrix()
    cube = {f"x{i}": optuna.distributions.FloatDistribution(0.0, 1.0) for i in range(inputs["d"])}
    best = -min(data["y"])
    utility = acqf.LogEI(gpr=model, search_space=search_space.SearchSpace(cube), threshold=best)
    incumbent = np.array([data["x"][int(np.argmin(data["y"]))]])

    def once() -> list[float]:
        rng = np.random.RandomState(wanted["seed"])
        point, _ = optim_mixed.optimize_acqf_mixed(
            utility, warmstart_normalized_params_array=incumbent, rng=rng
        )
        return point.tolist()

    timing, point = cpu_minimum(once, inputs["seconds"], inputs["repeats"])
    return {**timing, "point": point}


def ask(inputs: Inputs, wanted: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Suggestions of `GPSampler` after n trials of Hartmann-6."""
    cube = {f"x{i}": optuna.distributions.FloatDistribution(0.0, 1.0) for i in range(inputs["d"])}

    def told() -> optuna.Study:
        study = optuna.create_study(sampler=optuna.samplers.GPSampler(seed=0))
        for row in data["x"]:
            params = {f"x{i}": value for i, value in enumerate(row)}
            study.add_trial(optuna.trial.create_trial(params=params, distributions=cube, value=hartmann6(row)))
        return study

    # Made beforehand, because adding the trials is no part of a suggestion.
    studies = [told(), told()]

    def once() -> None:
        study = studies.pop()
        for _ in range(ASKS):
            trial = study.ask(cube)
            study.tell(trial, hartmann6([trial.params[name] for name in cube]))

    return mean_of_asks(once)


def bo(inputs: Inputs, wanted: dict[str, Any], data: None) -> dict[str, Any]:
    """A whole run of `GPSampler` on Hartmann-6."""

    def objective(trial: optuna.Trial) -> float:
        return hartmann6([trial.suggest_float(f"x{i}", 0.0, 1.0) for i in range(inputs["d"])])

    def once() -> float:
        sampler = optuna.samplers.GPSampler(seed=wanted["seed"], n_startup_trials=wanted["initial"])
        study = optuna.create_study(sampler=sampler)
        study.optimize(objective, n_trials=wanted["n"])
        return study.best_value

    timing, best = cpu_minimum(once, 0.0, 1)
    return {**timing, "best": best}


def suggest(inputs: Inputs, wanted: dict[str, Any], joint: bool) -> dict[str, Any]:
    """A suggestion of `TPESampler` after n random trials, and telling its loss."""
    kinds = {
        "x0": optuna.distributions.FloatDistribution(-5, 5),
        "x1": optuna.distributions.FloatDistribution(0, 1),
        "x2": optuna.distributions.FloatDistribution(1e-5, 1, log=True),
        "x3": optuna.distributions.FloatDistribution(1e-3, 1e3, log=True),
        "x4": optuna.distributions.IntDistribution(1, 64),
        "x5": optuna.distributions.CategoricalDistribution(list(range(5))),
    }
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0, multivariate=joint))
    rng, trials = np.random.default_rng(0), []
    for _ in range(wanted["n"]):
        point = mixed_point(rng)
        trials.append(optuna.trial.create_trial(params=point, distributions=kinds, value=mixed_loss(point)))
    study.add_trials(trials)

    def once() -> None:
        trial = study.ask(kinds)
        study.tell(trial, mixed_loss(trial.params))

    timing, _ = cpu_minimum(once, 5 * inputs["seconds"], few(inputs, wanted["n"]))
    return timing


if __name__ == "__main__":
    tasks = {
        "likelihood": likelihood,
        "fit": fit,
        "predict": predict,
        "acquisition": acquisition,
        "ask": ask,
        "bo": bo,
        "tpe_single": lambda inputs, wanted, data: suggest(inputs, wanted, joint=False),
        "tpe_joint": lambda inputs, wanted, data: suggest(inputs, wanted, joint=True),
    }
    run_tasks("optuna", read_inputs(), tasks)
