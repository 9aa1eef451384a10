"""Other optimisers as methods of experiments with `--python`: reads evaluations, answers with points.

One JSON object a line, both ways. A point has a number for each parameter: of a choice its position, null for a parameter that is
not active, because an earlier choice has not one of the positions under which it is::

    {"method": "optuna-tpe", "seed": 7, "noisy": false, "design": 10, "evaluations": 60, "batch": 1, "constraints": 0,
     "failing": false, "reference": [],
     "parameters": [{"kind": "choice", "count": 3}, {"kind": "int", "low": 0, "high": 9},
                    {"kind": "float", "low": -5, "high": 5, "when": [{"parameter": 0, "choices": [1, 2]}]}]}
    {"version": "5.0.0"}                          once, first; or {"missing": why}, {"unsupported": why}
    {"tell": [[[...], 0.3], ...]}                 new evaluations, to be minimised; the design is the first of them; where trials
                                                  may fail, null for the loss of one that did; beside it "constraints": their
                                                  measured constraints, which hold where not positive. Where a reference point
                                                  of the hypervolume has a number for each of several losses, a list of them
    {"x": [...], "seed": null, "cpu": 0.2}        the next point, the random seed with which the peer wants it evaluated, if it
                                                  has one, and the CPU seconds of the peer so far
    {"tell": [...], "recommend": true}
    {"x": [...], "cpu": 0.3}                      the point that it would return; null for the best that was observed
    {"end": true}                                 the next message begins another study

Each peer has its own defaults, one thread, and the given seed. Its own initial sampling is replaced by the design of all methods.
"""

from __future__ import annotations

import json
import queue
import sys
import threading
import time
from importlib.metadata import version
from typing import Any

import common  # holds thread pools to one thread

Point = list[Any]  # float, or None for a parameter that is not active
# With the loss: float; a list of several; None of a trial that failed. Only some studies have the last two.
Evaluation = tuple[Point, Any]


class Unsupported(Exception):
    """The peer has no type for a parameter of this problem."""


class Study:
    """The first message."""

    def __init__(self, first: dict[str, Any]) -> None:
        self.seed: int = first["seed"]
        self.noisy: bool = first["noisy"]
        self.design: int = first["design"]
        self.evaluations: int = first["evaluations"]
        self.batch: int = first["batch"]  # points that are asked for before the first of them is told
        self.constraints: int = first["constraints"]
        self.failing: bool = first["failing"]  # trials may fail: their loss is None
        self.reference: list[float] = first["reference"]  # of the hypervolume; empty where there is one loss
        self.parameters: list[dict[str, Any]] = first["parameters"]
        self.dim = len(self.parameters)

    def all_of(self, *kinds: str) -> bool:
        """True if every parameter is of one of these kinds."""
        return all(p["kind"] in kinds for p in self.parameters)

    def is_conditional(self) -> bool:
        return any("when" in p for p in self.parameters)

    def is_active(self, parameter: int, x: Point) -> bool:
        """True if the conditions of a parameter hold at a point, of which the earlier numbers are enough."""
        return all(x[c["parameter"]] in c["choices"] for c in self.parameters[parameter].get("when", []))

    def values(self, x: Point) -> dict[str, float | int]:
        """Values of the active parameters of a point by their names."""
        kinds = [p["kind"] for p in self.parameters]
        whole = [v if v is None or kind == "float" else int(v) for v, kind in zip(x, kinds)]
        return {name: v for name, v in zip(self.names(), whole) if v is not None}

    def point(self, values: dict[str, Any]) -> Point:
        """The point with these values; a parameter without one is not active."""
        return [float(values[name]) if name in values else None for name in self.names()]

    def random(self, rng: Any) -> Point:
        """A point that is drawn uniformly, where all parameters are active."""
        draw = {
            "float": lambda p: rng.uniform(p["low"], p["high"]),
            "int": lambda p: rng.integers(p["low"], p["high"] + 1),
            "choice": lambda p: rng.integers(p["count"]),
        }
        return [float(draw[p["kind"]](p)) for p in self.parameters]

    def names(self) -> list[str]:
        return [f"x{i}" for i in range(self.dim)]

    def to_unit(self, x: Point) -> Point:
        """Position of each number between its bounds, from 0 to 1."""
        return [(v - p["low"]) / (p["high"] - p["low"]) for v, p in zip(x, self.parameters)]

    def from_unit(self, u: Any) -> Point:
        """The point of the positions; whole numbers are rounded."""
        x = [p["low"] + float(v) * (p["high"] - p["low"]) for v, p in zip(u, self.parameters)]
        return [round(v) if p["kind"] == "int" else v for v, p in zip(x, self.parameters)]


class Peer:
    """An optimiser that is told evaluations and asked for points."""

    package: str
    conditional = False  # True if the peer has parameters that are not always active
    constrained = False  # True if the peer learns measured constraints
    batched = False  # True if the peer can be asked for several points before it is told
    failing = False  # True if the peer can be told of trials that failed
    several = False  # True if the peer has studies of several losses

    def __init__(self, study: Study) -> None:
        self.study = study
        if study.is_conditional() and not self.conditional:
            raise Unsupported("all parameters are always active")
        if study.constraints and not self.constrained:
            raise Unsupported("constraints are not learnt")
        if study.batch > 1 and not self.batched:
            raise Unsupported("one point is asked for at a time")
        if study.failing and not self.failing:
            raise Unsupported("trials must not fail")
        if study.reference and not self.several:
            raise Unsupported("one loss is minimized")
        self.constraints: list[list[float]] = []  # of all evaluations so far, those that are being told included

    def tell(self, evaluations: list[Evaluation]) -> None:
        raise NotImplementedError

    def ask(self) -> Point:
        raise NotImplementedError

    def recommend(self) -> Point | None:
        """The best that was observed, unless the peer says another."""
        return None

    def seed(self) -> int | None:
        """Random seed with which the last point is to be evaluated; None if the peer leaves that open."""
        return None

    def end(self) -> None:
        """The study has ended."""


class Optuna(Peer):
    """A sampler of Optuna. Every parameter has its own distribution; where some have conditions, one is asked for after the other.

    Failed trials are told as such. Its samplers leave them out.
    """

    package = "optuna"
    sampler_name: str
    conditional = True
    constrained = True
    batched = True
    failing = True
    several = True

    def __init__(self, study: Study) -> None:
        super().__init__(study)
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.optuna = optuna
        kinds = optuna.distributions
        make = {
            "float": lambda p: kinds.FloatDistribution(p["low"], p["high"]),
            "int": lambda p: kinds.IntDistribution(p["low"], p["high"]),
            "choice": lambda p: kinds.CategoricalDistribution(list(range(p["count"]))),
        }
        self.space = {f"x{i}": make[p["kind"]](p) for i, p in enumerate(study.parameters)}
        directions = ["minimize"] * max(1, len(study.reference))
        self.optimizer = optuna.create_study(sampler=self.sampler(), directions=directions)
        self.asked: list[Any] = []  # trials that are not told

    def settings(self) -> dict[str, Any]:
        """Settings of this sampler alone."""
        return {}

    def sampler(self) -> Any:
        settings = {"seed": self.study.seed, "n_startup_trials": self.study.design, **self.settings()}
        if self.study.constraints:
            settings["constraints_func"] = lambda trial: trial.user_attrs["constraints"]
        return getattr(self.optuna.samplers, self.sampler_name)(**settings)

    def tell(self, evaluations: list[Evaluation]) -> None:
        for (x, y), constraints in zip(evaluations, self.constraints[-len(evaluations) :]):
            if self.asked:
                trial = self.asked.pop(0)
                trial.set_user_attr("constraints", constraints)
                self.optimizer.tell(trial, y, state=self.state(y))
            else:
                params = self.study.values(x)
                active = {name: self.space[name] for name in params}
                # The sampler leaves the constraints of its own trials among the attributes of the system.
                system = {"constraints": constraints} if constraints else {}
                losses = {"values": y} if self.study.reference else {"value": y}
                trial = self.optuna.trial.create_trial(
                    params=params, distributions=active, **losses, system_attrs=system, state=self.state(y)
                )
                self.optimizer.add_trial(trial)

    def state(self, y: Any) -> Any:
        states = self.optuna.trial.TrialState
        return states.FAIL if y is None else states.COMPLETE

    def ask(self) -> Point:
        if not self.study.is_conditional():
            self.asked.append(self.optimizer.ask(self.space))
            return self.study.point(self.asked[-1].params)
        trial = self.optimizer.ask()
        self.asked.append(trial)
        suggest = {
            "float": lambda name, p: trial.suggest_float(name, p["low"], p["high"]),
            "int": lambda name, p: trial.suggest_int(name, p["low"], p["high"]),
            "choice": lambda name, p: trial.suggest_categorical(name, list(range(p["count"]))),
        }
        x: Point = []
        for i, (name, p) in enumerate(zip(self.study.names(), self.study.parameters)):
            x.append(float(suggest[p["kind"]](name, p)) if self.study.is_active(i, x) else None)
        return x


class OptunaTpe(Optuna):
    """In batches with the constant liar, without which it may ask for the same point again."""

    sampler_name = "TPESampler"

    def settings(self) -> dict[str, Any]:
        return {"constant_liar": True} if self.study.batch > 1 else {}


class OptunaGp(Optuna):
    sampler_name = "GPSampler"


class Cma(Peer):
    """pycma on the unit cube from the best point of the design, with a quarter of the width as step size; restarts there.

    With noise it recommends the mean of its distribution, which the package calls its current best estimate.
    """

    package = "cma"

    def __init__(self, study: Study) -> None:
        super().__init__(study)
        import cma

        self.cma = cma
        if not study.all_of("float", "int"):
            raise Unsupported("pycma has no choices")
        self.strategy: Any = None
        self.starts = 0
        self.population: list[Any] = []
        self.losses: list[float] = []

    def start(self, u: Any) -> None:
        self.starts += 1
        seed = (self.study.seed + self.starts) % 2**31 + 1
        options = {"bounds": [0, 1], "seed": seed, "verbose": -9}
        self.strategy = self.cma.CMAEvolutionStrategy(u, 0.25, options)

    def tell(self, evaluations: list[Evaluation]) -> None:
        if self.strategy is None:
            self.start(self.study.to_unit(min(evaluations, key=lambda e: e[1])[0]))
            return
        self.losses += [y for _, y in evaluations]
        if len(self.losses) == len(self.population):
            self.strategy.tell(self.population, self.losses)
            self.population, self.losses = [], []

    def ask(self) -> Point:
        if not self.population:
            if self.strategy.stop():
                self.start(self.strategy.result.xbest)
            self.population = list(self.strategy.ask())
        return self.study.from_unit(self.population[len(self.losses)])

    def recommend(self) -> Point | None:
        return self.study.from_unit(self.strategy.result.xfavorite) if self.study.noisy else None


def egobox_specs(egobox: Any, study: Study) -> list[Any]:
    """The parameters of a study."""
    kinds = egobox.XType
    make = {
        "float": lambda p: egobox.XSpec(kinds.FLOAT, [p["low"], p["high"]]),
        "int": lambda p: egobox.XSpec(kinds.INT, [p["low"], p["high"]]),
        "choice": lambda p: egobox.XSpec(kinds.ENUM, [p["count"]]),
    }
    return [make[p["kind"]](p) for p in study.parameters]


class Egobox(Peer):
    """Egor: a Gaussian process and the logarithm of expected improvement. It asks anew with all evaluations."""

    package = "egobox"
    constrained = True
    batched = True

    def __init__(self, study: Study) -> None:
        super().__init__(study)
        import egobox
        import numpy

        self.numpy = numpy
        specs = egobox_specs(egobox, study)
        batch = {"qei_config": egobox.QEiConfig(batch=study.batch)} if study.batch > 1 else {}
        self.optimizer = egobox.Egor(specs, n_doe=study.design, n_cstr=study.constraints, **batch)
        self.left: list[Point] = []  # points of a batch that are not asked for
        self.x: list[Point] = []
        self.y: list[float] = []

    def tell(self, evaluations: list[Evaluation]) -> None:
        self.x += [x for x, _ in evaluations]
        self.y += [y for _, y in evaluations]

    def ask(self) -> Point:
        if self.left:
            return self.left.pop(0)
        losses = self.numpy.array([[y, *c] for y, c in zip(self.y, self.constraints)])
        # Each call starts its own random numbers.
        seed = self.study.seed + len(self.y)
        self.left = self.optimizer.suggest(self.numpy.array(self.x, dtype=float), losses, seed=seed).tolist()
        return self.left.pop(0)


class EgoboxViability(Peer):
    """Egor with a model of where trials fail, whose probability of viability weighs expected improvement.

    What may fail can only be given to it as a function, which waits here, in a thread of its own, for its values. With fewer than two
    evaluations that have not failed it ends in an error, so points are drawn at random until there are two.
    """

    package = "egobox"
    failing = True

    def __init__(self, study: Study) -> None:
        super().__init__(study)
        import egobox
        import numpy

        self.egobox, self.numpy = egobox, numpy
        self.specs = egobox_specs(egobox, study)
        self.rng = numpy.random.default_rng(study.seed)
        self.before: list[Evaluation] = []  # evaluations before it begins
        self.asked: queue.Queue[Any] = queue.Queue()
        self.told: queue.Queue[float] = queue.Queue()
        self.thread: threading.Thread | None = None

    def tell(self, evaluations: list[Evaluation]) -> None:
        if self.thread is None:
            self.before += evaluations
            return
        for _, y in evaluations:
            self.told.put(self.loss(y))

    def ask(self) -> Point:
        if self.thread is None:
            if sum(y is not None for _, y in self.before) < 2:
                return self.study.random(self.rng)
            self.thread = threading.Thread(target=self.minimize, daemon=True)
            self.thread.start()
        answer = self.asked.get()
        if isinstance(answer, BaseException):
            raise RuntimeError(str(answer))
        return answer

    def end(self) -> None:
        if self.thread is not None:
            self.told.put(self.loss(None))
            self.thread.join()

    @staticmethod
    def loss(y: Any) -> float:
        """The loss as it is told: not a number of a trial that failed."""
        return float("nan") if y is None else y

    def minimize(self) -> None:
        """Work of the thread."""
        losses = [self.loss(y) for _, y in self.before]
        try:
            optimizer = self.egobox.Egor(
                self.specs,
                x_doe=self.numpy.array([x for x, _ in self.before], dtype=float),
                y_doe=self.numpy.array(losses).reshape(-1, 1),
                infill_strategy=self.egobox.InfillStrategy.EI,
                failsafe_strategy=self.egobox.FailsafeStrategy.VIABILITY,
                feasible_infill_strategy=self.egobox.FeasibleInfillStrategy.EFI_P,
            )
            optimizer.minimize(self.values, max_iters=self.study.evaluations - len(losses), seed=self.study.seed)
            self.asked.put(RuntimeError("it has ended before the last evaluation"))
        except BaseException as error:  # noqa: BLE001 - a panic is no Exception; whoever asks next raises it
            self.asked.put(error)

    def values(self, points: Any) -> Any:
        """Losses of points, which are asked for one after the other."""
        losses = []
        for x in points.tolist():
            self.asked.put(x)
            losses.append(self.told.get())
        return self.numpy.array(losses).reshape(-1, 1)


class Skopt(Peer):
    """scikit-optimize: a Gaussian process and its portfolio of acquisition functions."""

    package = "scikit-optimize"

    def __init__(self, study: Study) -> None:
        super().__init__(study)
        import skopt
        from skopt.space import Categorical, Integer, Real

        self.skopt = skopt
        make = {
            "float": lambda p: Real(p["low"], p["high"]),
            "int": lambda p: Integer(p["low"], p["high"]),
            "choice": lambda p: Categorical(list(range(p["count"]))),
        }
        dimensions = [make[p["kind"]](p) for p in study.parameters]
        self.optimizer = skopt.Optimizer(dimensions, n_initial_points=study.design, random_state=study.seed)

    def tell(self, evaluations: list[Evaluation]) -> None:
        kinds = [p["kind"] for p in self.study.parameters]
        points = [[v if kind == "float" else int(v) for v, kind in zip(x, kinds)] for x, _ in evaluations]
        self.optimizer.tell(points, [y for _, y in evaluations])

    def ask(self) -> Point:
        return [float(v) for v in self.optimizer.ask()]

    def recommend(self) -> Point | None:
        """With noise the minimum of its last model, by the package's own function."""
        if not self.study.noisy:
            return None
        found = self.optimizer.get_result()
        return [float(v) for v in self.skopt.expected_minimum(found, random_state=self.study.seed)[0]]


class Botorch(Peer):
    """BoTorch: SingleTaskGP with LogEI, with noise qLogNEI; MixedSingleTaskGP where there are choices.

    All points of a batch are chosen together: batches of numbers alone, without noise and constraints.
    With noise it recommends the evaluated point of the best posterior mean. Constraints have models of their own, and weight LogEI; until one
    evaluation meets all, the probability of that is maximized. Maximisers as in the package's tutorials.
    Failed trials are left out, as the package has no type for them. Points are drawn at random until two have not failed.
    """

    package = "botorch"
    constrained = True
    batched = True
    failing = True

    def __init__(self, study: Study) -> None:
        super().__init__(study)
        if study.batch > 1 and (study.noisy or study.constraints or not study.all_of("float")):
            raise Unsupported("batches of numbers alone, without noise and constraints")
        import warnings

        # Imported here, so that their time is no part of the first study.
        import botorch.fit  # noqa: F401
        import botorch.models.fully_bayesian  # noqa: F401
        import botorch.optim.optimize_mixed  # noqa: F401
        import numpy
        import torch

        warnings.filterwarnings("ignore")
        torch.set_num_threads(1)
        torch.set_default_dtype(torch.double)
        torch.manual_seed(study.seed)
        self.torch = torch
        self.rng = numpy.random.default_rng(study.seed)
        self.x: list[Point] = []
        self.y: list[float] = []
        self.left: list[Point] = []  # points of a batch that are not asked for
        self.choices = [i for i, p in enumerate(study.parameters) if p["kind"] == "choice"]
        self.levels = {
            i: [k / (p["high"] - p["low"]) for k in range(p["high"] - p["low"] + 1)]
            for i, p in enumerate(study.parameters)
            if p["kind"] == "int"
        }

    def scaled(self, x: Point) -> Point:
        """Numbers in the unit cube; choices by position."""
        numbers = [p if p["kind"] != "choice" else {"low": 0, "high": 1} for p in self.study.parameters]
        return [(v - p["low"]) / (p["high"] - p["low"]) for v, p in zip(x, numbers)]

    def restored(self, u: Point) -> Point:
        """The point of scaled numbers."""

        def one(v: float, p: dict[str, Any]) -> float:
            if p["kind"] == "choice":
                return round(v)
            x = p["low"] + v * (p["high"] - p["low"])
            return round(x) if p["kind"] == "int" else x

        return [one(v, p) for v, p in zip(u, self.study.parameters)]

    def tell(self, evaluations: list[Evaluation]) -> None:
        measured = [(x, y) for x, y in evaluations if y is not None]
        self.x += [self.scaled(x) for x, _ in measured]
        self.y += [y for _, y in measured]

    def fitted(self) -> tuple[Any, Any, Any]:
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import MixedSingleTaskGP, SingleTaskGP
        from gpytorch.mlls import ExactMarginalLogLikelihood

        x = self.torch.tensor(self.x)
        y = -self.torch.tensor(self.y).unsqueeze(-1)
        model = MixedSingleTaskGP(x, y, cat_dims=self.choices) if self.choices else SingleTaskGP(x, y)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model, x, y

    def within_constraints(self, objective: Any, x: Any, y: Any) -> Any:
        """LogEI weighted by the probability that the constraints hold; that probability until one evaluation meets all of them."""
        from botorch.acquisition.analytic import LogConstrainedExpectedImprovement, LogProbabilityOfFeasibility
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import ModelListGP, SingleTaskGP
        from gpytorch.mlls import ExactMarginalLogLikelihood

        constraints = self.torch.tensor(self.constraints)
        models = [SingleTaskGP(x, column.unsqueeze(-1)) for column in constraints.T]
        for model in models:
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        outcomes = ModelListGP(objective, *models)
        bounds = {1 + j: (None, 0.0) for j in range(len(models))}
        feasible = (constraints <= 0.0).all(dim=-1)
        if not feasible.any():
            return LogProbabilityOfFeasibility(outcomes, bounds)
        return LogConstrainedExpectedImprovement(outcomes, y[feasible].max(), 0, bounds)

    def ask(self) -> Point:
        from botorch.acquisition import LogExpectedImprovement, qLogExpectedImprovement, qLogNoisyExpectedImprovement
        from botorch.optim import optimize_acqf
        from botorch.optim.optimize_mixed import optimize_acqf_mixed_alternating

        if self.left:
            return self.left.pop(0)
        if self.study.failing and len(self.y) < 2:
            return self.study.random(self.rng)
        model, x, y = self.fitted()
        if self.study.constraints:
            utility = self.within_constraints(model, x, y)
        elif self.study.noisy:
            utility = qLogNoisyExpectedImprovement(model, X_baseline=x, prune_baseline=True)
        elif self.study.batch > 1:
            utility = qLogExpectedImprovement(model, best_f=y.max())
        else:
            utility = LogExpectedImprovement(model, best_f=y.max())
        high = [float(p["count"] - 1) if p["kind"] == "choice" else 1.0 for p in self.study.parameters]
        bounds = self.torch.tensor([[0.0] * self.study.dim, high])
        if self.choices or self.levels:
            counts = {i: self.study.parameters[i]["count"] for i in self.choices}
            point, _ = optimize_acqf_mixed_alternating(
                utility,
                bounds,
                discrete_dims=self.levels,
                cat_dims={i: [float(k) for k in range(count)] for i, count in counts.items()},
                num_restarts=10,
                raw_samples=512,
            )
        else:
            options = {"batch_limit": 5, "maxiter": 200}
            count = min(self.study.batch, self.study.evaluations - len(self.y))
            points, _ = optimize_acqf(utility, bounds, q=count, num_restarts=10, raw_samples=512, options=options)
            self.left = [self.restored(point) for point in points.tolist()]
            return self.left.pop(0)
        return self.restored(point.reshape(-1).tolist())

    def recommend(self) -> Point | None:
        if not self.study.noisy:
            return None
        model, x, _ = self.fitted()
        with self.torch.no_grad():
            mean = model.posterior(x).mean.reshape(-1)
        return self.restored(self.x[int(mean.argmax())])


class BotorchNehvi(Botorch):
    """BoTorch's qLogNEHVI with the settings of its tutorial on several objectives, for observations without noise.

    A model for each loss and constraint with a kernel as the package has it, 128 Sobol samples, ten restarts from 512 points.
    """

    batched = False
    failing = False
    several = True
    #: Variance of the noise on the scale of standardised outcomes, of which there is none.
    NOISE = 1e-6

    def __init__(self, study: Study) -> None:
        super().__init__(study)
        if not study.all_of("float") or study.noisy:
            raise Unsupported("only for numbers without noise")
        # Imported here, so that its time is no part of the first study.
        import botorch.acquisition.multi_objective.logei  # noqa: F401

    def ask(self) -> Point:
        from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
        from botorch.acquisition.multi_objective.objective import IdentityMCMultiOutputObjective
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import ModelListGP, SingleTaskGP
        from botorch.optim import optimize_acqf
        from botorch.sampling.normal import SobolQMCNormalSampler
        from gpytorch.mlls import SumMarginalLogLikelihood

        torch = self.torch
        x, losses = torch.tensor(self.x), torch.tensor(self.y)
        objectives = losses.shape[-1]
        # BoTorch maximises; a constraint holds where it is not positive.
        columns = list(-losses.T)
        if self.study.constraints:
            columns += list(torch.tensor(self.constraints).T)
        outcomes = [column.unsqueeze(-1) for column in columns]
        noise = [self.NOISE * y.var().clamp_min(1e-12).expand_as(y) for y in outcomes]
        models = [SingleTaskGP(x, y, train_Yvar=variance) for y, variance in zip(outcomes, noise)]
        model = ModelListGP(*models)
        fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
        utility = qLogNoisyExpectedHypervolumeImprovement(
            model=model,
            ref_point=[-r for r in self.study.reference],
            X_baseline=x,
            sampler=SobolQMCNormalSampler(torch.Size([128])),
            objective=IdentityMCMultiOutputObjective(outcomes=list(range(objectives))),
            constraints=[lambda y, i=i: y[..., i] for i in range(objectives, len(outcomes))] or None,
            prune_baseline=True,
        )
        bounds = torch.tensor([[0.0] * self.study.dim, [1.0] * self.study.dim])
        options = {"batch_limit": 5, "maxiter": 200}
        point, _ = optimize_acqf(utility, bounds, q=1, num_restarts=10, raw_samples=512, options=options)
        return self.restored(point.reshape(-1).tolist())


class Smac(Peer):
    """SMAC3: the facade for black boxes on numbers, the one for hyperparameters where there are whole numbers or choices.

    With noise it evaluates configurations again as its intensifier decides, and recommends the incumbent of that.
    """

    package = "smac"
    conditional = True

    def __init__(self, study: Study) -> None:
        super().__init__(study)
        import logging
        import tempfile

        import smac
        from ConfigSpace import AndConjunction, Categorical, ConfigurationSpace, Float, InCondition, Integer
        from smac.runhistory.dataclasses import TrialValue

        logging.disable(logging.CRITICAL)
        self.value = TrialValue
        make = {
            "float": lambda name, p: Float(name, (p["low"], p["high"])),
            "int": lambda name, p: Integer(name, (p["low"], p["high"])),
            "choice": lambda name, p: Categorical(name, list(range(p["count"]))),
        }
        self.space = ConfigurationSpace(seed=study.seed)
        axes = [make[p["kind"]](name, p) for name, p in zip(study.names(), study.parameters)]
        self.space.add(axes)
        for axis, p in zip(axes, study.parameters):
            when = [InCondition(axis, axes[c["parameter"]], c["choices"]) for c in p.get("when", [])]
            if when:
                self.space.add(AndConjunction(*when) if len(when) > 1 else when[0])
        self.facade = self.choose_facade(smac)
        self.folder = tempfile.TemporaryDirectory()
        self.scenario = smac.Scenario(
            self.space,
            deterministic=not study.noisy,
            n_trials=study.evaluations,
            seed=study.seed % 2**31,
            output_directory=self.folder.name,
        )
        self.optimizer: Any = None
        self.asked: Any = None

    def configuration(self, x: Point) -> Any:
        from ConfigSpace import Configuration

        return Configuration(self.space, values=self.study.values(x))

    def choose_facade(self, smac: Any) -> Any:
        return smac.BlackBoxFacade if self.study.all_of("float") else smac.HyperparameterOptimizationFacade

    def start(self, configurations: list[Any]) -> None:
        design = self.facade.get_initial_design(self.scenario, n_configs=0, additional_configs=configurations)
        self.begin(design)

    def begin(self, design: Any) -> None:
        self.optimizer = self.facade(
            self.scenario, lambda config, seed=0: 0.0, initial_design=design, logging_level=False, overwrite=True
        )

    def tell(self, evaluations: list[Evaluation]) -> None:
        if self.asked is not None:
            (_, y), = evaluations
            self.optimizer.tell(self.asked, self.value(cost=y))
            self.asked = None
            return
        configurations = [self.configuration(x) for x, _ in evaluations]
        self.start(list(configurations))
        self.waiting = {c: y for c, (_, y) in zip(configurations, evaluations)}

    def ask(self) -> Point:
        while True:
            info = self.optimizer.ask()
            if info.config in self.waiting:
                # A point of the design: it has been evaluated already.
                self.optimizer.tell(info, self.value(cost=self.waiting.pop(info.config)))
                continue
            self.asked = info
            return self.study.point(dict(info.config))

    def recommend(self) -> Point | None:
        if not self.study.noisy:
            return None
        found = self.optimizer.intensifier.get_incumbents()
        return self.study.point(dict(found[0])) if found else None


class SmacOnSeeds(Smac):
    """SMAC3's facade for hyperparameters with its own initial design; each of its random seeds is a fold of a cross-validation.

    Its intensifier evaluates a configuration with up to three seeds, which are the same for all configurations.
    """

    def choose_facade(self, smac: Any) -> Any:
        return smac.HyperparameterOptimizationFacade

    def ask(self) -> Point:
        if self.optimizer is None:
            self.waiting = {}
            self.begin(self.facade.get_initial_design(self.scenario))
        return super().ask()

    def seed(self) -> int | None:
        return None if self.asked is None else self.asked.seed


class Hebo(Peer):
    """HEBO, one point at a time."""

    package = "HEBO"

    def __init__(self, study: Study) -> None:
        super().__init__(study)
        import warnings

        import numpy
        import pandas
        import torch
        from hebo.design_space.design_space import DesignSpace
        from hebo.optimizers.hebo import HEBO

        warnings.filterwarnings("ignore")
        torch.set_num_threads(1)
        torch.manual_seed(study.seed)
        numpy.random.seed(study.seed % 2**32)
        self.numpy, self.pandas = numpy, pandas
        make = {
            "float": lambda p: {"type": "num", "lb": p["low"], "ub": p["high"]},
            "int": lambda p: {"type": "int", "lb": p["low"], "ub": p["high"]},
            "choice": lambda p: {"type": "cat", "categories": [str(k) for k in range(p["count"])]},
        }
        space = DesignSpace().parse([{"name": f"x{i}", **make[p["kind"]](p)} for i, p in enumerate(study.parameters)])
        self.optimizer = HEBO(space, rand_sample=study.design, scramble_seed=study.seed % 2**31)

    def tell(self, evaluations: list[Evaluation]) -> None:
        def of(v: float, kind: str) -> Any:
            return v if kind == "float" else int(v) if kind == "int" else str(int(v))

        kinds = [p["kind"] for p in self.study.parameters]
        rows = [[of(v, kind) for v, kind in zip(x, kinds)] for x, _ in evaluations]
        losses = self.numpy.array([[y] for _, y in evaluations])
        self.optimizer.observe(self.pandas.DataFrame(rows, columns=self.study.names()), losses)

    def ask(self) -> Point:
        row = self.optimizer.suggest(n_suggestions=1).iloc[0]
        return [float(row[name]) for name in self.study.names()]


class Saasbo(Botorch):
    """BoTorch with a sparse axis-aligned subspace prior, sampled; LogEI over the samples."""

    constrained = False
    batched = False
    failing = False

    def __init__(self, study: Study) -> None:
        super().__init__(study)
        if not study.all_of("float") or study.noisy:
            raise Unsupported("only for numbers without noise")
        self.load()

    def load(self) -> None:
        """Imports what takes time, so that it is no part of the first study."""
        import numpyro  # noqa: F401 - what samples, by JAX

    def sparse(self, x: Any, y: Any) -> Any:
        """The fitted model."""
        from botorch.fit import fit_fully_bayesian_model_nuts
        from botorch.models.fully_bayesian import SaasFullyBayesianSingleTaskGP
        from botorch.models.transforms import Standardize

        model = SaasFullyBayesianSingleTaskGP(x, y, outcome_transform=Standardize(1))
        fit_fully_bayesian_model_nuts(model, disable_progbar=True)
        return model

    def ask(self) -> Point:
        from botorch.acquisition.logei import qLogExpectedImprovement
        from botorch.optim import optimize_acqf

        y = -self.torch.tensor(self.y).unsqueeze(-1)
        utility = qLogExpectedImprovement(self.sparse(self.torch.tensor(self.x), y), best_f=y.max())
        bounds = self.torch.tensor([[0.0] * self.study.dim, [1.0] * self.study.dim])
        point, _ = optimize_acqf(utility, bounds, q=1, num_restarts=10, raw_samples=512)
        return self.restored(point.reshape(-1).tolist())


class MapSaas(Saasbo):
    """BoTorch's ensemble of models with sparse axis-aligned priors, by maximum a posteriori; LogEI over the ensemble."""

    def load(self) -> None:
        import botorch.models.map_saas  # noqa: F401

    def sparse(self, x: Any, y: Any) -> Any:
        from botorch.fit import fit_gpytorch_mll
        from botorch.models.map_saas import EnsembleMapSaasSingleTaskGP
        from gpytorch.mlls import ExactMarginalLogLikelihood

        model = EnsembleMapSaasSingleTaskGP(x, y)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model


class Turbo(Botorch):
    """TuRBO-1 of Eriksson et al. (2019), Algorithm 1 and section 2, with models of BoTorch: one trust region, one point at a time.

    After a restart the next points are those of a scrambled Sobol design as large as the first one.
    """

    LARGEST, SMALLEST, FIRST = 1.6, 0.5**7, 0.8
    SUCCESSES = 3
    CANDIDATES = 5000
    #: Expected number of coordinates in which a candidate differs from the centre.
    PERTURBED = 20

    constrained = False
    batched = False
    failing = False

    def __init__(self, study: Study) -> None:
        super().__init__(study)
        if not study.all_of("float") or study.noisy:
            raise Unsupported("only for numbers without noise")
        self.failures_allowed = max(4, study.dim)
        self.sobol = self.torch.quasirandom.SobolEngine(study.dim, scramble=True, seed=study.seed)
        self.restart()

    def restart(self) -> None:
        self.x, self.y = [], []
        self.length, self.successes, self.failures = self.FIRST, 0, 0

    def tell(self, evaluations: list[Evaluation]) -> None:
        for x, y in evaluations:
            self.resize(y)
            super().tell([(x, y)])
        if self.length < self.SMALLEST:
            self.restart()

    def resize(self, y: float) -> None:
        """Counts a success or a failure, and changes the side of the region after enough of them."""
        if len(self.y) < self.study.design:
            return
        best = min(self.y)
        if y < best - 1e-3 * abs(best):
            self.successes, self.failures = self.successes + 1, 0
        else:
            self.successes, self.failures = 0, self.failures + 1
        if self.successes == self.SUCCESSES:
            self.length, self.successes = min(2 * self.length, self.LARGEST), 0
        elif self.failures == self.failures_allowed:
            self.length, self.failures = self.length / 2, 0

    def fitted_region(self, x: Any, y: Any) -> Any:
        """Matérn 5/2 with a lengthscale for each parameter, and the bounds of hyperparameters of the authors' program."""
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import SingleTaskGP
        from gpytorch.constraints import Interval
        from gpytorch.kernels import MaternKernel, ScaleKernel
        from gpytorch.likelihoods import GaussianLikelihood
        from gpytorch.mlls import ExactMarginalLogLikelihood

        lengthscales = Interval(0.005, 2.0)
        kernel = MaternKernel(nu=2.5, ard_num_dims=self.study.dim, lengthscale_constraint=lengthscales)
        covariance = ScaleKernel(kernel, outputscale_constraint=Interval(0.05, 20.0))
        likelihood = GaussianLikelihood(noise_constraint=Interval(5e-4, 0.2))
        model = SingleTaskGP(x, y, covar_module=covariance, likelihood=likelihood, outcome_transform=None)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model, kernel.lengthscale.detach().reshape(-1)

    def ask(self) -> Point:
        from botorch.generation import MaxPosteriorSampling

        torch = self.torch
        if len(self.y) < self.study.design:
            return self.restored(self.sobol.draw(1, dtype=torch.double).reshape(-1).tolist())
        x = torch.tensor(self.x)
        y = -torch.tensor(self.y).unsqueeze(-1)
        spread = y.std().item() or 1.0
        model, lengthscales = self.fitted_region(x, (y - y.mean()) / spread)
        centre = x[y.argmax()]
        # Sides are proportional to the lengthscales, and their product is that of a cube.
        sides = self.length * lengthscales / lengthscales.log().mean().exp()
        low, high = (centre - sides / 2).clamp(0.0, 1.0), (centre + sides / 2).clamp(0.0, 1.0)
        count = min(self.CANDIDATES, 100 * self.study.dim)
        drawn = low + (high - low) * self.sobol.draw(count, dtype=torch.double)
        moved = torch.rand(count, self.study.dim) < min(self.PERTURBED / self.study.dim, 1.0)
        none = ~moved.any(dim=1)
        moved[none, torch.randint(self.study.dim, (int(none.sum()),))] = True
        candidates = torch.where(moved, drawn, centre)
        with torch.no_grad():
            point = MaxPosteriorSampling(model, replacement=False)(candidates, num_samples=1)
        return self.restored(point.reshape(-1).tolist())


PEERS: dict[str, type[Peer]] = {
    "optuna-tpe": OptunaTpe,
    "cma": Cma,
    "optuna-gp": OptunaGp,
    "egobox": Egobox,
    "egobox-viability": EgoboxViability,
    "botorch": Botorch,
    "botorch-nehvi": BotorchNehvi,
    "scikit-optimize": Skopt,
    "smac3": Smac,
    "smac3-folds": SmacOnSeeds,
    "hebo": Hebo,
    "saasbo": Saasbo,
    "map-saas": MapSaas,
    "turbo": Turbo,
}


def answer(**line: Any) -> None:
    """Writes one line to the caller."""
    print(json.dumps(line), file=ANSWERS, flush=True)


def serve(first: dict[str, Any]) -> bool:
    """One study; false after a failure."""
    try:
        peer = PEERS[first["method"]](Study(first))
    except ImportError as error:
        answer(missing=str(error))
        return False
    except Unsupported as why:
        answer(unsupported=str(why))
        return True
    answer(version=version(peer.package))
    began = time.process_time()
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("end"):
            peer.end()
            break
        try:
            if message["tell"]:
                peer.constraints += message["constraints"]
                peer.tell([(x, y) for x, y in message["tell"]])
            x = peer.recommend() if message.get("recommend") else peer.ask()
        except Exception as error:  # noqa: BLE001 - whatever a peer raises is a result of that peer
            answer(failed=f"{type(error).__name__}: {error}"[:300])
            return False
        answer(x=x, seed=peer.seed(), cpu=time.process_time() - began)
    return True


def main() -> None:
    for line in sys.stdin:
        if not serve(json.loads(line)):
            return


# Some peers print: only answers go to the standard output.
sys.stdout, ANSWERS = sys.stderr, sys.stdout

if __name__ == "__main__":
    main()
