"""BoTorch's qLogNEHVI as a method of `run pareto/benchmarks --python`: reads what is known, answers with a point.

One JSON object a line, both ways; points are of the unit cube and objectives are losses::

    {"seed": 7, "reference": [18.0, 6.0]}                                  once, first
    {"x": [[...], ...], "objectives": [[...], ...], "constraints": [[...], ...]}
    {"x": [...]}                                                           the answer

The settings are those of BoTorch's tutorial on several objectives, for observations without noise: a process for each
objective and constraint with Matérn or squared exponential as the package has it, 128 Sobol samples, ten restarts from 512 points.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from common import emit, missing

try:
    import torch
    from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
    from botorch.acquisition.multi_objective.objective import IdentityMCMultiOutputObjective
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import ModelListGP, SingleTaskGP
    from botorch.optim import optimize_acqf
    from botorch.sampling.normal import SobolQMCNormalSampler
    from gpytorch.mlls import SumMarginalLogLikelihood
except ImportError as error:
    missing(error)

import warnings

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
torch.set_default_dtype(torch.double)

# The variance of the noise, on the scale of standardised outcomes, when observations have none.
NOISE = 1e-6


def suggestion(known: dict[str, Any], reference: list[float]) -> list[float]:
    """The point that qLogNEHVI would evaluate next."""
    x = torch.tensor(known["x"])
    losses, constraints = torch.tensor(known["objectives"]), torch.tensor(known["constraints"])
    objectives = losses.shape[-1]
    # BoTorch maximises; a constraint holds where it is not positive.
    outcomes = [-losses[:, i : i + 1] for i in range(objectives)]
    outcomes += [constraints[:, i : i + 1] for i in range(constraints.shape[-1] if constraints.ndim > 1 else 0)]
    models = [SingleTaskGP(x, y, train_Yvar=NOISE * y.var().clamp_min(1e-12).expand_as(y)) for y in outcomes]
    model = ModelListGP(*models)
    fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
    utility = qLogNoisyExpectedHypervolumeImprovement(
        model=model,
        ref_point=[-r for r in reference],
        X_baseline=x,
        sampler=SobolQMCNormalSampler(torch.Size([128])),
        objective=IdentityMCMultiOutputObjective(outcomes=list(range(objectives))),
        constraints=[lambda y, i=i: y[..., i] for i in range(objectives, len(outcomes))] or None,
        prune_baseline=True,
    )
    bounds = torch.tensor([[0.0] * x.shape[-1], [1.0] * x.shape[-1]])
    options = {"batch_limit": 5, "maxiter": 200}
    point, _ = optimize_acqf(utility, bounds, q=1, num_restarts=10, raw_samples=512, options=options)
    return point.reshape(-1).tolist()


def main() -> None:
    first = json.loads(sys.stdin.readline())
    torch.manual_seed(first["seed"])
    for line in sys.stdin:
        emit(x=suggestion(json.loads(line), first["reference"]))


if __name__ == "__main__":
    main()
