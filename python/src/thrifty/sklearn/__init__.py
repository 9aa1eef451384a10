"""A search for scikit-learn that fits single folds.

>>> from scipy.stats import loguniform
>>> from sklearn.datasets import load_iris
>>> from sklearn.svm import SVC
>>> from thrifty.sklearn import FractionalSearchCV
>>> X, y = load_iris(return_X_y=True)
>>> space = {"C": loguniform(1e-2, 1e3), "gamma": loguniform(1e-4, 1e1)}
>>> search = FractionalSearchCV(SVC(), space, n_fits=30, random_state=0).fit(X, y)
>>> search.best_score_ > 0.95
True
"""

from ._distributions import space_of
from ._search import FractionalSearchCV, Price

__all__ = ["FractionalSearchCV", "Price", "space_of"]
