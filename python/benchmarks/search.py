"""Compares FractionalSearchCV with other searches of scikit-learn's interface at equal numbers of fits.

Rivals: `RandomizedSearchCV`, `HalvingRandomSearchCV`, `OptunaSearchCV` (optuna-integration, its default sampler) and `BayesSearchCV`
(scikit-optimize); the last two are left out where they are not installed. Declared before the run. Claim: on a data set the
configuration chosen by `fractional` has a higher mean score over all folds than the one chosen by a rival. Test: Wilcoxon's signed-rank
test over seeds, one-sided, margin 0, at 5 % with Holm's correction over data sets; the converse claims are tested in the same way. `n`
is the number of seeds; with fewer than 20 a verdict is called inconclusive. `one_fold` is made worse on purpose: it is `fractional`
with random configurations and folds in place of its model. The score on held-out rows is shown as well, without a test.

The claims are judged with 60 seeds from 300 on at 50 fits. The run before it had the seeds 100 to 119: too few for its gaps to `halving`
and `optuna`. Nothing was changed because of it, and its seeds are not among the new ones. At 150 fits they are judged with 30 seeds from
400 on. The run before that, with 30 seeds from 300 on, completed one configuration in the end; the default is up to three since.

Fits of a halving search count by their share of the rows. Run `python benchmarks/search.py --seeds 60 --first 300`; rows that are in the
file already are not run again, so that a run that was ended goes on, and `--summary --out FILE` prints the tables of a file. `--development` takes other data sets, which judge nothing: settings
are chosen on those alone.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import itertools
import os
import time
import warnings
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np
from scipy.stats import loguniform, randint, wilcoxon
from sklearn import datasets
from sklearn.base import clone, is_classifier
from sklearn.decomposition import PCA
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import (
    HalvingRandomSearchCV,
    KFold,
    RandomizedSearchCV,
    StratifiedKFold,
    cross_val_score,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from thrifty.sklearn import FractionalSearchCV

FOLDS = 10
LIMIT = 100_000
"""Iterations of a support vector machine: without a limit some do not end in minutes."""
BOUNDS = {"C": loguniform(1e-3, 1e3), "gamma": loguniform(1e-5, 10)}


def problem(name: str, seed: int) -> tuple[Any, ...]:
    """Training and held-out data, an estimator and its parameters."""
    classes = {"svc__" + key: value for key, value in BOUNDS.items()} | {"svc__kernel": ["rbf", "sigmoid"]}
    numbers = {"svr__" + key: value for key, value in BOUNDS.items()} | {"svr__epsilon": loguniform(1e-3, 1)}
    svc, svr = make_pipeline(StandardScaler(), SVC(max_iter=LIMIT)), make_pipeline(StandardScaler(), SVR(max_iter=LIMIT))
    if name == "cancer":
        return *split(*datasets.load_breast_cancer(return_X_y=True), 300, seed), svc, classes
    if name == "digits":
        reduced = make_pipeline(StandardScaler(), PCA(random_state=0), SVC(max_iter=100_000))
        space = {key: value for key, value in classes.items() if key != "svc__kernel"} | {"pca__n_components": randint(2, 41)}
        return *split(*datasets.load_digits(return_X_y=True), 400, seed), reduced, space
    if name == "wine":
        return *split(*datasets.load_wine(return_X_y=True), 100, seed), svc, classes
    if name == "moons":
        return *split(*datasets.make_moons(800, noise=0.3, random_state=seed), 250, seed), svc, classes
    if name == "classification":
        made = datasets.make_classification(800, 15, n_informative=6, flip_y=0.05, class_sep=0.7, random_state=seed)
        return *split(*made, 300, seed), svc, classes
    if name == "diabetes":
        X, y = datasets.load_diabetes(return_X_y=True)
        return *split(X, (y - y.mean()) / y.std(), 250, seed), svr, numbers
    if name == "friedman":
        X, y = datasets.make_friedman1(600, noise=1.0, random_state=seed)
        return *split(X, (y - y.mean()) / y.std(), 200, seed), svr, numbers
    return *developed(name, seed), *((svr, numbers) if name.startswith("friedman") else (svc, classes))


def developed(name: str, seed: int) -> list[Any]:
    """A data set on which settings may be chosen."""
    if name == "iris":
        return split(*datasets.load_iris(return_X_y=True), 90, seed)
    if name == "circles":
        return split(*datasets.make_circles(700, noise=0.2, factor=0.5, random_state=seed), 220, seed)
    if name == "gaussian_quantiles":
        return split(*datasets.make_gaussian_quantiles(n_samples=800, n_features=5, n_classes=3, random_state=seed), 300, seed)
    if name == "wide_classes":
        made = datasets.make_classification(700, 30, n_informative=5, n_classes=3, flip_y=0.1, random_state=seed)
        return split(*made, 250, seed)
    make = {"friedman2": datasets.make_friedman2, "friedman3": datasets.make_friedman3}[name]
    X, y = make(600, noise=50.0 if name == "friedman2" else 0.1, random_state=seed)
    return split(X, (y - y.mean()) / y.std(), 220, seed)


DATA = ["cancer", "digits", "wine", "moons", "classification", "diabetes", "friedman"]
DEVELOPMENT = ["iris", "circles", "gaussian_quantiles", "wide_classes", "friedman2", "friedman3"]
METHODS = ["randomized", "halving", "optuna", "bayes", "one_fold", "fractional"]
NEEDS = {"optuna": "optuna_integration", "bayes": "skopt"}
LEAST = 20
"""Fewer seeds decide nothing."""


def split(X: Any, y: Any, rows: int, seed: int) -> list[Any]:
    """Training data of so many rows, and the rest."""
    labels = y if len(set(y)) < 20 else None
    return list(train_test_split(X, y, train_size=rows, random_state=seed, stratify=labels))


def searching(method: str, estimator: Any, space: Any, fits: int, cv: Any, seed: int, rows: int) -> Any:
    """A search with so many fits."""
    common = {"cv": cv, "random_state": seed}
    if method == "randomized":
        return RandomizedSearchCV(estimator, space, n_iter=fits // FOLDS, **common)
    if method == "halving":
        # c candidates on a third of the rows, then a third of them on all: two thirds of c full evaluations, rounded up.
        candidates = max(3, int(1.5 * fits / FOLDS))
        return HalvingRandomSearchCV(estimator, space, n_candidates=candidates, factor=3, min_resources=rows // 3, **common)
    if method == "optuna":
        import optuna
        from optuna_integration import OptunaSearchCV

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        return OptunaSearchCV(estimator, of_optuna(space), n_trials=fits // FOLDS, verbose=0, **common)
    if method == "bayes":
        from skopt import BayesSearchCV

        return BayesSearchCV(estimator, of_skopt(space), n_iter=fits // FOLDS, **common)
    settings = {"initial": {"random": fits}} if method == "one_fold" else None
    return FractionalSearchCV(estimator, space, n_fits=fits, settings=settings, **common)


def of_optuna(space: dict[str, Any]) -> dict[str, Any]:
    """Distributions of scipy as those of Optuna."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    def one(of: Any) -> Any:
        if isinstance(of, list):
            return CategoricalDistribution(of)
        low, high = of.args
        return IntDistribution(low, high - 1) if of.dist.name == "randint" else FloatDistribution(low, high, log=True)

    return {name: one(of) for name, of in space.items()}


def of_skopt(space: dict[str, Any]) -> dict[str, Any]:
    """Distributions of scipy as dimensions of scikit-optimize."""
    from skopt.space import Categorical, Integer, Real

    def one(of: Any) -> Any:
        if isinstance(of, list):
            return Categorical(of)
        low, high = of.args
        return Integer(low, high - 1) if of.dist.name == "randint" else Real(low, high, prior="log-uniform")

    return {name: one(of) for name, of in space.items()}


def run(name: str, seed: int, fits: int, method: str) -> dict[str, Any]:
    """One search on a data set: scores on all folds and on held-out rows."""
    X, X_test, y, y_test, estimator, space = problem(name, seed)
    kind = StratifiedKFold if is_classifier(estimator) else KFold
    cv = kind(FOLDS, shuffle=True, random_state=seed)
    search = searching(method, estimator, space, fits, cv, seed, len(X))
    began = time.process_time()
    search.fit(X, y)
    seconds = time.process_time() - began
    chosen = clone(estimator).set_params(**search.best_params_)
    truth = cross_val_score(chosen, X, y, cv=cv).mean()
    spent = fits if method != "halving" else halving_fits(search, len(X))
    return {"data": name, "seed": seed, "fits": fits, "method": method, "spent": spent, "cv": truth,
            "test": search.score(X_test, y_test), "claimed": search.best_score_, "seconds": seconds}


def halving_fits(search: Any, rows: int) -> float:
    """Fits by their share of the rows."""
    return float(np.sum(search.cv_results_["n_resources"]) * FOLDS / rows)


def summary(rows: list[dict[str, Any]], fits: int, methods: list[str]) -> None:
    """Prints means, paired differences and verdicts over the seeds that all of the methods have."""
    values = {(row["data"], row["seed"], row["method"]): row for row in rows if row["fits"] == fits}
    names = list(dict.fromkeys(data for data, _, _ in values))
    seeds = {name: [seed for seed in sorted({s for d, s, _ in values if d == name})
                    if all((name, seed, method) in values for method in methods)] for name in names}
    names = [name for name in names if seeds[name]]
    print(f"\n{fits} fits of {FOLDS} folds; mean score on all folds (and on held-out rows) of the chosen configuration")
    for name in names:
        mean = {(method, key): np.mean([float(values[name, seed, method][key]) for seed in seeds[name]])
                for method in methods for key in ("cv", "test", "seconds")}
        cells = (f"{method} {mean[method, 'cv']:.4f} ({mean[method, 'test']:.4f}; {mean[method, 'seconds']:.1f} s)" for method in methods)
        print(f"  {name:15} n = {len(seeds[name])}: " + ", ".join(cells))
    least = min(map(len, seeds.values()), default=0)
    if least < LEAST:
        print(f"  inconclusive: {least} seeds of {LEAST}")
    for rival in (method for method in methods if method != "fractional" and "fractional" in methods):
        gaps = {name: np.array([float(values[name, seed, "fractional"]["cv"]) - float(values[name, seed, rival]["cv"])
                                for seed in seeds[name]]) for name in names}
        verdicts(gaps, rival)


def verdicts(gaps: dict[str, Any], rival: str) -> None:
    """Prints in how many data sets the search is better, and worse, than a rival."""
    for claim, side in (("better", 1.0), ("worse", -1.0)):
        p = [1.0 if not gap.any() else float(wilcoxon(side * gap, alternative="greater").pvalue) for gap in gaps.values()]
        held = holm(p)
        shown = ", ".join(f"{name} {value:.2g}" for name, value in zip(gaps, p, strict=True))
        print(f"  fractional {claim} than {rival} on {sum(held)} of {len(gaps)} (Holm, 5 %): p = {shown}")


def holm(p: list[float]) -> list[bool]:
    """True for the hypotheses that are rejected at 5 % in all."""
    order = np.argsort(p)
    rejected = [False] * len(p)
    for rank, at in enumerate(order):
        if p[at] > 0.05 / (len(p) - rank):
            break
        rejected[at] = True
    return rejected


def main() -> None:
    """Runs what the file lacks, and prints the summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--fits", type=int, nargs="+", default=[50])
    parser.add_argument("--data", nargs="+", choices=DATA + DEVELOPMENT)
    parser.add_argument("--development", action="store_true", help="take the data sets that judge nothing")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--out", type=Path, default=Path("search.csv"))
    parser.add_argument("--summary", action="store_true", help="run nothing")
    arguments = parser.parse_args()
    methods = [method for method in arguments.methods if importlib.util.find_spec(NEEDS.get(method, "sklearn")) is not None]
    for method in arguments.methods:
        if method not in methods:
            print(f"{NEEDS[method]} is not installed: {method} is left out")
    rows: list[dict[str, Any]] = []
    if arguments.out.exists():
        with arguments.out.open() as file:
            rows = [{**row, "seed": int(row["seed"]), "fits": int(row["fits"])} for row in csv.DictReader(file)]
    done = {(row["data"], row["seed"], row["fits"], row["method"]) for row in rows}
    warnings.simplefilter("ignore")
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    names = arguments.data or (DEVELOPMENT if arguments.development else DATA)
    for seed, fits, name, method in itertools.product(seeds, arguments.fits, names, methods):
        if arguments.summary or (name, seed, fits, method) in done:
            continue
        found = run(name, seed, fits, method)
        rows.append(found)
        with arguments.out.open("a", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(found), lineterminator="\n")
            if file.tell() == 0:
                writer.writeheader()
            writer.writerow(found)
    for fits in arguments.fits:
        summary([row for row in rows if row["data"] in names and row["seed"] in seeds], fits, methods)


if __name__ == "__main__":
    main()
