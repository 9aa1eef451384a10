"""Kernels for :class:`thrifty.GaussianProcessRegressor`: scikit-learn's own, composed by `+` and `*`.

The classes are those of `sklearn.gaussian_process.kernels`, so that `theta`, `bounds`, `clone_with_theta` and parameters of a
grid search are as known. The regressor computes with them in Rust.

>>> from thrifty.kernels import RBF, ConstantKernel, WhiteKernel
>>> kernel = ConstantKernel(2.0) * RBF([1.0, 3.0]) + WhiteKernel(0.1)
>>> len(kernel.theta)
4
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import (
    RBF,
    ConstantKernel,
    DotProduct,
    ExpSineSquared,
    Hyperparameter,
    Kernel,
    Matern,
    Product,
    RationalQuadratic,
    Sum,
    WhiteKernel,
)

__all__ = [
    "RBF",
    "ConstantKernel",
    "DotProduct",
    "ExpSineSquared",
    "Matern",
    "RationalQuadratic",
    "WhiteKernel",
]

SMOOTHNESS = (0.5, 1.5, 2.5)
"""Values of `nu` of `Matern` with a closed form; with infinity it is `RBF`."""


class Composed:
    """A kernel in the form of the compiled regressor: a tree without white noise, and the noise.

    Raises
    ------
    ValueError
        For what is no kernel or not one of this module, for `WhiteKernel` anywhere but as a term of the whole sum, and for lengthscales
        whose number is not that of the columns.
    """

    def __init__(self, kernel: Kernel, columns: int) -> None:
        if not isinstance(kernel, Kernel):
            raise ValueError(f"kernel is {kernel!r}, expected a name or a kernel of thrifty.kernels")
        self.white: WhiteKernel | None = None
        self._columns = columns
        self._order: list[bool] = []
        tree = self._sum(kernel)
        if tree is None:
            raise ValueError("the kernel is white noise alone")
        self.tree: dict[str, Any] = tree
        self.is_white = np.array(self._order, dtype=bool)
        """Of each learnt hyperparameter in the order of `theta`, true for the variance of the noise."""

    @property
    def learns_noise(self) -> bool:
        """True if the variance of white noise is learnt."""
        return self.white is not None and not self.white.hyperparameter_noise_level.fixed

    def to_theirs(self, theta: Any) -> list[float]:
        """Values for the compiled regressor, which has the noise last."""
        values = np.exp(np.asarray(theta, dtype=float))
        return [*values[~self.is_white], *values[self.is_white]]

    def to_theta(self, values: Any) -> Any:
        """The vector `theta` of the compiled regressor's values."""
        return np.log(self.in_order(values))

    def in_order(self, found: Any) -> Any:
        """Numbers of the compiled regressor in the order of `theta`."""
        made = np.empty(len(self.is_white))
        count = int((~self.is_white).sum())
        made[~self.is_white], made[self.is_white] = found[:count], found[count:]
        return made

    def _sum(self, kernel: Kernel) -> dict[str, Any] | None:
        """A term of the whole sum; None for white noise."""
        if type(kernel) is Sum:
            left, right = self._sum(kernel.k1), self._sum(kernel.k2)
            return {"kind": "sum", "left": left, "right": right} if left and right else left or right
        if type(kernel) is WhiteKernel:
            if self.white is not None:
                raise ValueError("the kernel has two terms WhiteKernel")
            self.white = kernel
            self._order += [True] * len(kernel.theta)
            return None
        return self._part(kernel)

    def _part(self, kernel: Kernel) -> dict[str, Any]:
        if type(kernel) in (Sum, Product):
            left, right = self._part(kernel.k1), self._part(kernel.k2)
            return {"kind": type(kernel).__name__.lower(), "left": left, "right": right}
        if type(kernel) is WhiteKernel:
            raise ValueError("WhiteKernel is not a term of the whole sum")
        # Asking a kernel for its hyperparameters is slow.
        known = {hyper.name: hyper for hyper in kernel.hyperparameters}
        self._order += [False] * sum(hyper.n_elements for hyper in known.values() if not hyper.fixed)

        def one(name: str) -> dict[str, Any]:
            return _all(kernel, known[name])[0]

        if type(kernel) is ConstantKernel:
            return {"kind": "constant", "value": one("constant_value")}
        if type(kernel) is RBF or (type(kernel) is Matern and kernel.nu == np.inf):
            return {"kind": "rbf", **self._scales(kernel, known)}
        if type(kernel) is Matern:
            if kernel.nu not in SMOOTHNESS:
                raise ValueError(f"nu of Matern is {kernel.nu}, expected one of {SMOOTHNESS}")
            return {"kind": "matern", "nu": float(kernel.nu), **self._scales(kernel, known)}
        if type(kernel) is RationalQuadratic:
            return {"kind": "rational_quadratic", "alpha": one("alpha"), "length_scale": one("length_scale")}
        if type(kernel) is ExpSineSquared:
            return {"kind": "exp_sine_squared", "length_scale": one("length_scale"), "periodicity": one("periodicity")}
        if type(kernel) is DotProduct:
            return {"kind": "dot_product", "sigma_0": one("sigma_0")}
        raise ValueError(f"{type(kernel).__name__} is none of thrifty.kernels")

    def _scales(self, kernel: Kernel, known: dict[str, Hyperparameter]) -> dict[str, Any]:
        scales = _all(kernel, known["length_scale"])
        if kernel.anisotropic and len(scales) != self._columns:
            raise ValueError(f"{len(scales)} lengthscales for {self._columns} columns")
        return {"length_scale": scales, "is_isotropic": not kernel.anisotropic}


def _all(kernel: Kernel, known: Hyperparameter) -> list[dict[str, Any]]:
    """Values of a hyperparameter, with their bounds."""
    values = np.atleast_1d(np.asarray(getattr(kernel, known.name), dtype=float))
    if known.fixed:
        return [{"value": float(v), "low": float(v), "high": float(v), "is_fixed": True} for v in values]
    bounds = np.broadcast_to(known.bounds, (len(values), 2))
    return [{"value": float(v), "low": float(low), "high": float(high), "is_fixed": False}
            for v, (low, high) in zip(values, bounds, strict=True)]
