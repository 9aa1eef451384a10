"""Compares FractionalSearchCV with RandomizedSearchCV and HalvingRandomSearchCV at equal numbers of fits.

Declared before the run. Claim: on a data set the configuration chosen by `fractional` has a higher mean score over all
folds than the one chosen by `randomized`; and likewise against `halving`. Test: Wilcoxon's signed-rank test over seeds,
one-sided, margin 0, at 5 % with Holm's correction over data sets; the converse claims are tested in the same way. `n` is
the number of seeds. `one_fold` is made worse on purpose: it is `fractional` with random configurations and folds in place
of its model. The score on held-out rows is shown as well, without a test.

Fits of a halving search count by their share of the rows. Run `python benchmarks/search.py --seeds 20 --fits 50`; rows
that are in the file already are not run again.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import time
import warnings
from pathlib import Path
from typing import Any

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
    X, y = datasets.make_friedman1(600, noise=1.0, random_state=seed)
    return *split(X, (y - y.mean()) / y.std(), 200, seed), svr, numbers


DATA = ["cancer", "digits", "wine", "moons", "classification", "diabetes", "friedman"]


def split(X: Any, y: Any, rows: int, seed: int) -> list[Any]:
    """Training data of so many rows, and the rest."""
    labels = y if len(set(y)) < 20 else None
    return list(train_test_split(X, y, train_size=rows, random_state=seed, stratify=labels))


def searches(estimator: Any, space: Any, fits: int, cv: Any, seed: int, rows: int) -> dict[str, Any]:
    """The searches, each with so many fits."""
    common = {"cv": cv, "random_state": seed}
    # c candidates on a third of the rows, then a third of them on all: two thirds of c full evaluations, rounded up.
    candidates = max(3, int(1.5 * fits / FOLDS))
    fractional = {"n_fits": fits, "verify": 1, **common}
    return {
        "randomized": RandomizedSearchCV(estimator, space, n_iter=fits // FOLDS, **common),
        "halving": HalvingRandomSearchCV(estimator, space, n_candidates=candidates, factor=3, min_resources=rows // 3, **common),
        "fractional": FractionalSearchCV(estimator, space, **fractional),
        "one_fold": FractionalSearchCV(estimator, space, settings={"initial": {"random": fits}}, **fractional),
    }


def run(name: str, seed: int, fits: int) -> list[dict[str, Any]]:
    """All searches on a data set: scores on all folds and on held-out rows."""
    X, X_test, y, y_test, estimator, space = problem(name, seed)
    kind = StratifiedKFold if is_classifier(estimator) else KFold
    cv = kind(FOLDS, shuffle=True, random_state=seed)
    found = []
    for method, search in searches(estimator, space, fits, cv, seed, len(X)).items():
        began = time.process_time()
        search.fit(X, y)
        seconds = time.process_time() - began
        chosen = clone(estimator).set_params(**search.best_params_)
        truth = cross_val_score(chosen, X, y, cv=cv).mean()
        spent = fits if "halving" != method else halving_fits(search, len(X))
        found.append({"data": name, "seed": seed, "fits": fits, "method": method, "spent": spent, "cv": truth,
                      "test": search.score(X_test, y_test), "claimed": search.best_score_, "seconds": seconds})
    return found


def halving_fits(search: Any, rows: int) -> float:
    """Fits by their share of the rows."""
    return float(np.sum(search.cv_results_["n_resources"]) * FOLDS / rows)


def summary(rows: list[dict[str, Any]]) -> None:
    """Prints means, paired differences and verdicts."""
    for fits in sorted({row["fits"] for row in rows}):
        here = [row for row in rows if row["fits"] == fits]
        print(f"\n{fits} fits of {FOLDS} folds; mean score on all folds (and on held-out rows) of the chosen configuration")
        for name in dict.fromkeys(row["data"] for row in here):
            cells = []
            for method in ("randomized", "halving", "one_fold", "fractional"):
                one = [row for row in here if row["data"] == name and row["method"] == method]
                cv, test = (np.mean([float(row[key]) for row in one]) for key in ("cv", "test"))
                cells.append(f"{method} {cv:.4f} ({test:.4f})")
            print(f"  {name:15} n = {len(one)}: " + ", ".join(cells))
        for rival in ("randomized", "halving", "one_fold"):
            verdicts(here, rival)


def verdicts(rows: list[dict[str, Any]], rival: str) -> None:
    """Prints in how many data sets the search is better, and worse, than a rival."""
    values = {(row["data"], row["seed"], row["method"]): float(row["cv"]) for row in rows}
    names = list(dict.fromkeys(row["data"] for row in rows))
    for claim, side in (("better", 1.0), ("worse", -1.0)):
        p = []
        for name in names:
            seeds = [seed for data, seed, method in values if data == name and method == rival]
            gap = np.array([side * (values[name, seed, "fractional"] - values[name, seed, rival]) for seed in seeds])
            p.append(1.0 if not gap.any() else float(wilcoxon(gap, alternative="greater").pvalue))
        held = holm(p)
        shown = ", ".join(f"{name} {value:.3g}" for name, value in zip(names, p, strict=True))
        print(f"  fractional {claim} than {rival} on {sum(held)} of {len(names)} (Holm, 5 %): p = {shown}")


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
    parser.add_argument("--fits", type=int, nargs="+", default=[50])
    parser.add_argument("--data", nargs="+", default=DATA)
    parser.add_argument("--out", type=Path, default=Path("search.csv"))
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    if arguments.out.exists():
        with arguments.out.open() as file:
            rows = [{**row, "seed": int(row["seed"]), "fits": int(row["fits"])} for row in csv.DictReader(file)]
    done = {(row["data"], row["seed"], row["fits"]) for row in rows}
    warnings.simplefilter("ignore")
    for seed, fits, name in itertools.product(range(arguments.seeds), arguments.fits, arguments.data):
        if (name, seed, fits) in done:
            continue
        found = run(name, seed, fits)
        rows.extend(found)
        with arguments.out.open("a", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(found[0]))
            if file.tell() == 0:
                writer.writeheader()
            writer.writerows(found)
    summary(rows)


if __name__ == "__main__":
    main()
