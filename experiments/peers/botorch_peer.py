"""BoTorch and GPyTorch: likelihood, fit, prediction, acquisition and a whole run, on one CPU thread."""

from __future__ import annotations

from typing import Any

from common import ASKS, Inputs, cpu_minimum, fastest, hartmann6, mean_of_asks, missing, read_inputs, run_tasks

try:
    import torch
    from botorch.acquisition import LogExpectedImprovement
    from botorch.acquisition.multi_objective.analytic import ExpectedHypervolumeImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.optim import optimize_acqf
    from botorch.utils.multi_objective.box_decompositions.non_dominated import FastNondominatedPartitioning
    from botorch.utils.sampling import draw_sobol_samples
    from botorch.utils.testing import MockModel, MockPosterior
    from gpytorch.constraints import GreaterThan
    from gpytorch.kernels import MaternKernel, ScaleKernel
    from gpytorch.likelihoods import GaussianLikelihood
    from gpytorch.means import ZeroMean
    from gpytorch.mlls import ExactMarginalLogLikelihood
    from gpytorch.settings import max_cholesky_size
except ImportError as error:
    missing(error)

torch.set_num_threads(1)
torch.set_default_dtype(torch.double)

# How many points to predict at once, and whether each is a batch of its own. Alone it is spared the covariances
# with the others, and brings its own copy of the data: which is faster depends on how much data there is.
FORMS = [(128, False), (256, False), (1000, True)]


def model_at(at: dict[str, Any], floor: float, data: dict[str, Any]) -> SingleTaskGP:
    """Variance × ARD Matérn-5/2 + noise at given hyperparameters; zero mean, no priors, targets as they are."""
    x, y = torch.tensor(data["x"]), torch.tensor(data["y"]).unsqueeze(-1)
    covariance = ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=x.shape[-1]))
    likelihood = GaussianLikelihood(noise_constraint=GreaterThan(floor))
    model = SingleTaskGP(
        x, y, likelihood=likelihood, covar_module=covariance, mean_module=ZeroMean(), outcome_transform=None
    )
    covariance.outputscale = at["variance"]
    covariance.base_kernel.lengthscale = torch.tensor(at["lengthscales"])
    likelihood.noise = at["noise"]
    return model


def likelihood(inputs: Inputs, wanted: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Log marginal likelihood and its gradient by the logarithms of variance, lengthscales, noise."""
    floor = inputs["bounds"]["noise"][0]
    model = model_at(inputs["hyperparameters"], floor, data)
    model.train()
    mll = ExactMarginalLogLikelihood(model.likelihood, model)
    x, y = model.train_inputs[0], model.train_targets

    def once() -> float:
        model.zero_grad()
        value = mll(model(x), y)
        value.backward()
        return value.item() * wanted["n"]

    timing, value = cpu_minimum(once, inputs["seconds"], inputs["repeats"])
    kernel, noise = model.covar_module, model.likelihood.noise_covar
    # A raw parameter r stands for v = lower + log(1 + exp r), and dv/dr = 1 - exp(lower - v).
    parts = [
        (kernel.raw_outputscale, kernel.outputscale, 0.0),
        (kernel.base_kernel.raw_lengthscale, kernel.base_kernel.lengthscale, 0.0),
        (noise.raw_noise, noise.noise, floor),
    ]
    by_log = [
        (raw.grad / (1 - torch.exp(lower - natural)) * natural).reshape(-1) for raw, natural, lower in parts
    ]
    return {**timing, "values": [value, *(torch.cat(by_log) * wanted["n"]).tolist()]}


def fit(inputs: Inputs, wanted: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Maximum likelihood from the common start by `fit_gpytorch_mll`."""

    def once() -> SingleTaskGP:
        model = model_at(inputs["hyperparameters"], inputs["bounds"]["noise"][0], data)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model

    timing, model = cpu_minimum(once, inputs["seconds"], inputs["repeats"])
    kernel = model.covar_module
    return {
        **timing,
        "lengthscales": kernel.base_kernel.lengthscale.detach().reshape(-1).tolist(),
        "variance": kernel.outputscale.item(),
        "noise": model.likelihood.noise.item(),
    }


def predict(inputs: Inputs, wanted: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Mean and variance of the latent function at the first m test points, in the fastest of the forms."""
    model = model_at(inputs["hyperparameters"], inputs["bounds"]["noise"][0], data)
    model.eval()
    test = torch.tensor(inputs["test"][: wanted["m"]])

    def once(size: int, alone: bool) -> list[float]:
        mean = variance = 0.0
        with torch.no_grad():
            for chunk in (test.unsqueeze(1) if alone else test).split(size):
                posterior = model.posterior(chunk)
                mean += posterior.mean.sum().item()
                variance += posterior.variance.sum().item()
        return [mean / wanted["m"], variance / wanted["m"]]

    once(*FORMS[0])  # the factor is cached: conditioning is not part of predicting
    timing, values = fastest([lambda form=form: once(*form) for form in FORMS], inputs)
    return {**timing, "values": values}


def acquisition(inputs: Inputs, wanted: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Maximises LogEI of the given posterior with the settings of BoTorch's tutorials."""
    model = model_at(data["posterior"], min(inputs["bounds"]["noise"][0], data["posterior"]["noise"]) / 2, data)
    model.eval()
    utility = LogExpectedImprovement(model, best_f=min(data["y"]), maximize=False)
    bounds = torch.tensor([[0.0] * inputs["d"], [1.0] * inputs["d"]])

    def once() -> list[float]:
        torch.manual_seed(wanted["seed"])
        best, _ = optimize_acqf(utility, bounds, q=1, num_restarts=10, raw_samples=512)
        return best.reshape(-1).tolist()

    # The first call also compiles and caches.
    once()

    timing, point = cpu_minimum(once, inputs["seconds"], inputs["repeats"])
    return {**timing, "point": point}


def suggested(x: torch.Tensor, y: torch.Tensor, bounds: torch.Tensor) -> torch.Tensor:
    """A point by the package's default model and the settings of its tutorials."""
    model = SingleTaskGP(x, -y.unsqueeze(-1))
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    utility = LogExpectedImprovement(model, best_f=-y.min().item())
    point, _ = optimize_acqf(utility, bounds, q=1, num_restarts=10, raw_samples=512)
    return point


def ask(inputs: Inputs, wanted: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Suggestions after n trials of Hartmann-6, each with a fit."""
    bounds = torch.tensor([[0.0] * inputs["d"], [1.0] * inputs["d"]])

    def once() -> None:
        torch.manual_seed(0)
        x = torch.tensor(data["x"])
        y = torch.tensor([hartmann6(row) for row in data["x"]])
        for _ in range(ASKS):
            point = suggested(x, y, bounds)
            x, y = torch.cat([x, point]), torch.cat([y, torch.tensor([hartmann6(point[0].tolist())])])

    return mean_of_asks(once)


def bo(inputs: Inputs, wanted: dict[str, Any], data: None) -> dict[str, Any]:
    """A whole run on Hartmann-6 with the package's default model and the tutorials' loop."""
    d = inputs["d"]
    bounds = torch.tensor([[0.0] * d, [1.0] * d])

    def evaluate(x: torch.Tensor) -> torch.Tensor:
        return torch.tensor([hartmann6(row) for row in x.tolist()])

    def once() -> float:
        torch.manual_seed(wanted["seed"])
        x = draw_sobol_samples(bounds, wanted["initial"], 1, seed=wanted["seed"]).squeeze(1)
        y = evaluate(x)
        while len(x) < wanted["n"]:
            point = suggested(x, y, bounds)
            x, y = torch.cat([x, point]), torch.cat([y, evaluate(point)])
        return y.min().item()

    timing, best = cpu_minimum(once, 0.0, 1)
    return {**timing, "best": best}


def partition(inputs: Inputs, wanted: dict[str, Any]) -> FastNondominatedPartitioning:
    """The boxes that a front leaves, maximised as BoTorch does."""
    fronts = inputs["fronts"]
    front = -torch.tensor(fronts["spheres"][f"{wanted['n']} {wanted['m']}"])
    reference = torch.full((wanted["m"],), -fronts["reference"])
    return FastNondominatedPartitioning(ref_point=reference, Y=front)


def boxes(inputs: Inputs, wanted: dict[str, Any], data: None) -> dict[str, Any]:
    """The partition alone."""
    timing, _ = cpu_minimum(lambda: partition(inputs, wanted), inputs["seconds"], inputs["repeats"])
    return timing


def improvement(inputs: Inputs, wanted: dict[str, Any], slopes: bool) -> dict[str, Any]:
    """Expected hypervolume improvement of the batch of beliefs, prediction apart; with slopes forward and backward."""
    beliefs = torch.tensor(inputs["fronts"]["beliefs"][str(wanted["m"])])
    mean = (-beliefs[:, 0]).unsqueeze(1).clone().requires_grad_(slopes)
    deviation = beliefs[:, 1].unsqueeze(1).clone().requires_grad_(slopes)
    reference = [-inputs["fronts"]["reference"]] * wanted["m"]
    cut, nowhere = partition(inputs, wanted), torch.zeros(len(beliefs), 1, 1)

    def once() -> list[float]:
        mean.grad = deviation.grad = None
        model = MockModel(MockPosterior(mean=mean, variance=deviation**2))
        total = ExpectedHypervolumeImprovement(model=model, ref_point=reference, partitioning=cut)(nowhere).sum()
        if not slopes:
            return [total.item()]
        total.backward()
        return (-mean.grad).sum((0, 1)).tolist() + deviation.grad.sum((0, 1)).tolist()

    with torch.set_grad_enabled(slopes):
        timing, values = cpu_minimum(once, inputs["seconds"], inputs["repeats"])
    return {**timing, "values": values}


def ehvi(inputs: Inputs, wanted: dict[str, Any], data: None) -> dict[str, Any]:
    return improvement(inputs, wanted, slopes=False)


def ehvi_gradient(inputs: Inputs, wanted: dict[str, Any], data: None) -> dict[str, Any]:
    return improvement(inputs, wanted, slopes=True)


if __name__ == "__main__":
    tasks = {"likelihood": likelihood, "fit": fit, "predict": predict, "acquisition": acquisition, "ask": ask, "bo": bo}
    tasks |= {"boxes": boxes, "ehvi": ehvi, "ehvi_gradient": ehvi_gradient}
    # Above 800 points it would leave Cholesky for conjugate gradients, whose results are approximate.
    with max_cholesky_size(100_000):
        run_tasks("botorch", read_inputs(), tasks)
