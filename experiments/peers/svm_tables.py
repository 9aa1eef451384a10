"""scikit-learn: errors of support vector machines on a grid, for `run fcvopt/late` and `run fcvopt/verified`, with `--data DATA`.

    venv/bin/python svm_tables.py --data DATA ionosphere vehicle sonar

reads DATA/uci/NAME.csv and writes DATA/tabular/svm_NAME.json. A table has for each C = 2^-5 .. 2^15 and γ = 2^-15 .. 2^5 the number of
misclassified test rows of every fold of repeated stratified cross-validations. Columns are standardized on the training rows of a fold.
"""

from __future__ import annotations

import argparse
import csv
import json
import platform
import warnings
from pathlib import Path

import common  # noqa: F401  (one thread, before NumPy is imported)
import numpy as np
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

LOG2_C = range(-5, 16)
LOG2_GAMMA = range(-15, 6)
FOLDS = 10
# Machines that are far from separating the classes stop here, with a warning of scikit-learn.
MAX_ITERATIONS = 200_000

# True where the file has a header. The class is the last column, the others are numbers.
HEADERS = {"ionosphere": False, "sonar": False, "vehicle": True}


def load(data: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows and their classes, numbered in the order of their names."""
    with open(data / "uci" / f"{name}.csv", newline="") as file:
        rows = [row for row in csv.reader(file) if row][int(HEADERS[name]) :]
    classes = sorted({row[-1] for row in rows})
    x = np.array([[float(value) for value in row[:-1]] for row in rows])
    return x, np.array([classes.index(row[-1]) for row in rows])


def squared_distances(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Squared distances between the rows of two matrices."""
    return np.maximum((a * a).sum(1)[:, None] + (b * b).sum(1)[None] - 2 * a @ b.T, 0.0)


def errors_of_fold(x: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Misclassified test rows by C, then γ. Kernels are computed once for all C."""
    scaler = StandardScaler().fit(x[train])
    inner, outer = scaler.transform(x[train]), scaler.transform(x[test])
    among, across = squared_distances(inner, inner), squared_distances(outer, inner)
    np.fill_diagonal(among, 0.0)
    errors = np.zeros((len(LOG2_C), len(LOG2_GAMMA)), dtype=int)
    for j, log2_gamma in enumerate(LOG2_GAMMA):
        kernel, against = np.exp(-(2.0**log2_gamma) * among), np.exp(-(2.0**log2_gamma) * across)
        for i, log2_c in enumerate(LOG2_C):
            machine = SVC(C=2.0**log2_c, kernel="precomputed", tol=1e-3, max_iter=MAX_ITERATIONS)
            errors[i, j] = (machine.fit(kernel, y[train]).predict(against) != y[test]).sum()
    return errors


def table(data: Path, name: str, repeats: int) -> dict[str, object]:
    """Table of a data set, with what it was computed by."""
    x, y = load(data, name)
    by_fold, rows = [], []
    for repeat in range(repeats):
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=1000 + repeat).split(x, y):
            by_fold.append(errors_of_fold(x, y, train, test))
            rows.append(len(test))
        print(f"{name}: repeat {repeat + 1} of {repeats}", flush=True)
    return {
        "meta": {
            "dataset": name,
            "rows": len(y),
            "repeats": repeats,
            "folds": FOLDS,
            "sklearn": sklearn.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        "log2_C": list(LOG2_C),
        "log2_gamma": list(LOG2_GAMMA),
        "n_test": rows,
        "errors": np.stack(by_fold, axis=-1).tolist(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with uci/NAME.csv")
    parser.add_argument("--repeats", type=int, default=6)
    parser.add_argument("names", nargs="+", choices=sorted(HEADERS))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    folder = arguments.data / "tabular"
    folder.mkdir(exist_ok=True)
    for name in arguments.names:
        text = json.dumps(table(arguments.data, name, arguments.repeats), separators=(",", ":"))
        (folder / f"svm_{name}.json").write_text(text)


if __name__ == "__main__":
    main()
