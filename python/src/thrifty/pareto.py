"""Pareto fronts of losses, that is, of objectives that are minimized.

Points are rows: a two-dimensional array (numpy's, or what numpy takes for one, such as a frame of pandas), or a sequence of rows.

>>> hypervolume([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]], reference=[4.0, 4.0])
6.0
>>> ranks([[1.0, 3.0], [2.0, 2.0], [2.0, 4.0]])
[0, 0, 1]
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from . import _thrifty

__all__ = ["contributions", "crowding_distance", "front", "hypervolume", "log_expected_improvement", "ranks"]


def hypervolume(points: Any, reference: Sequence[float]) -> float:
    """Volume that the points dominate, up to a reference point. Exact.

    Raises
    ------
    ValueError
        For numbers that are not finite, for rows of another length than the reference, and where the exact volume of so many
        points would take too long.
    """
    return _thrifty.hypervolume(_bytes(points, len(reference))[0], _floats(reference))


def contributions(points: Any, reference: Sequence[float]) -> list[float]:
    """Volume that each point dominates alone."""
    return _thrifty.contributions(_bytes(points, len(reference))[0], _floats(reference))


def ranks(points: Any) -> list[int]:
    """Rank of each point: 0 on the front, 1 on the front of the rest, and so on."""
    return _thrifty.ranks(*_bytes(points))


def front(points: Any, *, unique: bool = False) -> list[int]:
    """Indices of the points that no other dominates; of equal points all, or the first where `unique`."""
    return _thrifty.front(*_bytes(points), unique)


def crowding_distance(points: Any) -> list[float]:
    """Crowding distance of each point of a front; infinite at its ends."""
    return _thrifty.crowding(*_bytes(points))


def log_expected_improvement(points: Any, reference: Sequence[float], means: Any, std_devs: Any) -> list[float]:
    """Logarithm of the expected hypervolume improvement at each row of `means`.

    Objectives are independent and normal there. Exact, for two to four objectives.

    >>> [round(value, 3) for value in log_expected_improvement([[1.0, 1.0]], [2.0, 2.0], [[0.5, 1.5]], [[0.1, 0.1]])]
    [-1.386]
    """
    columns = len(reference)
    return _thrifty.log_expected_improvement(_bytes(points, columns)[0], _floats(reference), _bytes(means, columns)[0],
                                             _bytes(std_devs, columns)[0])


def _floats(values: Sequence[float]) -> list[float]:
    return [float(value) for value in values]


def _bytes(points: Any, columns: int | None = None) -> tuple[bytes, int]:
    """The doubles of rows, and the number of columns."""
    if hasattr(points, "__array__"):
        data, found = _of_array(points)
    else:
        lists: Any = points.tolist() if isinstance(points, memoryview) else points
        rows = [[float(value) for value in row] for row in lists]
        # A front without points has no objectives to count.
        found = len(rows[0]) if rows else columns or 1
        if any(len(row) != found for row in rows):
            raise ValueError("rows of different lengths")
        data = array("d", [value for row in rows for value in row]).tobytes()
    if columns is not None and found != columns and data:
        raise ValueError(f"points have {found} objectives, the reference has {columns}")
    if found == 0:
        raise ValueError("points without objectives")
    return data, found


def _of_array(points: Any) -> tuple[bytes, int]:
    """The doubles of what numpy takes for an array, such as a frame of pandas, and the number of columns."""
    import numpy

    found = numpy.asarray(points, dtype=numpy.float64)
    if found.ndim != 2:
        raise ValueError(f"points have the shape {found.shape}, expected rows and columns")
    return found.tobytes(), found.shape[1]
