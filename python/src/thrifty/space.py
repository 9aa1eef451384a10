"""Search spaces: parameters in order, some of them active under conditions only."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from . import _thrifty
from ._checks import plain, real

Number: TypeAlias = int | float
Numbers: TypeAlias = list[Number | None]
"""One number per parameter: a value, the index of a choice, None where it is inactive."""


class Space:
    """Search space, built parameter by parameter.

    Bounds are inclusive. Errors are raised when the space is first used, and by :meth:`check`.

    Examples
    --------
    >>> space = Space().categorical("solver", ["sgd", "adam"]).float("momentum", 0, 1).when("solver", ["sgd"])
    >>> space.names
    ['solver', 'momentum']
    >>> Space().float("x", 2, 1).check()
    Traceback (most recent call last):
        ...
    ValueError: parameter x has bounds [2, 1], expected low <= high, finite and a finite range
    """

    def __init__(self) -> None:
        self._parameters: list[dict[str, Any]] = []
        self._choices: dict[str, tuple[Any, ...]] = {}

    def float(self, name: str, low: float, high: float, *, log: bool = False, step: float | None = None) -> Space:
        """Adds real numbers from `low` to `high`, searched evenly or by the logarithm, or in steps."""
        if step is None:
            return self._add(name, kind="float", low=_finite(name, low), high=_finite(name, high), log=bool(log))
        if log:
            raise ValueError(f"{name}: log and step of a float exclude each other")
        return self._add(name, kind="step_float", low=_finite(name, low), high=_finite(name, high),
                         step=_finite(name, step))

    def int(self, name: str, low: int, high: int, *, log: bool = False, step: int = 1) -> Space:
        """Adds whole numbers `low, low + step, ...` up to `high`, searched evenly or by the logarithm."""
        low, high, step = _whole(name, low), _whole(name, high), _whole(name, step)
        return self._add(name, kind="int", low=low, high=high, step=step, log=bool(log))

    def categorical(self, name: str, choices: Iterable[Any]) -> Space:
        """Adds values without order: any objects. Numbers, texts and truth values are named in journals as they are."""
        values = _listed(name, choices)
        self._choices[name] = values
        if any(_index(values[:at], value) is not None for at, value in enumerate(values)):
            raise ValueError(f"{name}: a choice is there twice")
        named = [_number(value) for value in values]
        are_plain = all(_is_plain(value) for value in named)
        return self._add(name, kind="categorical", choices=named if are_plain else _labels(values))

    def when(self, parent: str, values: Iterable[Any]) -> Space:
        """Makes the parameter added last active only while the earlier parameter `parent` has one of `values`."""
        if not self._parameters:
            raise ValueError("a condition comes after its parameter")
        values = _listed(parent, values)
        found = next((p for p in self._parameters if p["name"] == parent), None)
        if found is not None and parent in self._choices:
            coded = [found["choices"][self._index_of(parent, value)] for value in values]
        else:
            coded = [plain(value) if hasattr(value, "tolist") else value for value in values]
        self._parameters[-1].setdefault("conditions", []).append({"parent": parent, "values": coded})
        return self

    @property
    def names(self) -> list[str]:
        """Names of the parameters in order."""
        return [parameter["name"] for parameter in self._parameters]

    def check(self) -> Space:
        """Returns the space, or raises `ValueError` with what is wrong with it."""
        problem = _thrifty.check_space(self.to_json())
        if problem is not None:
            raise ValueError(problem)
        return self

    def copy(self) -> Space:
        """A space with the same parameters and the same objects as choices."""
        copied = Space()
        copied._parameters = [{name: list(value) if isinstance(value, list) else value for name, value in parameter.items()}
                              for parameter in self._parameters]
        copied._choices = dict(self._choices)
        return copied

    def to_json(self) -> str:
        """The space as the Rust crates and study files know it."""
        return json.dumps(self._parameters)

    def encode(self, params: Mapping[str, Any]) -> Numbers:
        """Numbers of a configuration, or of a part of one.

        Raises
        ------
        ValueError
            For a name or a choice that is not of the space.
        """
        unknown = set(params) - set(self.names)
        if unknown:
            raise ValueError(f"no parameter {sorted(unknown)[0]}, expected one of {', '.join(self.names)}")
        return [self._code(parameter, params[name]) if (name := parameter["name"]) in params else None
                for parameter in self._parameters]

    def named(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Configuration with the choices as journals and settings name them: an object by its label."""
        return {name: self._named(name, value) for name, value in params.items()}

    def decode(self, numbers: Sequence[Number | None]) -> dict[str, Any]:
        """Configuration of numbers, without inactive parameters."""
        return {parameter["name"]: self._value(parameter, number)
                for parameter, number in zip(self._parameters, numbers, strict=True) if number is not None}

    def __repr__(self) -> str:
        return f"Space({', '.join(self.names)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self.to_json() == other.to_json() and self._choices == other._choices

    __hash__ = None  # type: ignore[assignment]

    def _add(self, name: str, **kind: Any) -> Space:
        self._parameters.append({"name": str(name), **kind})
        return self

    def _index_of(self, name: str, value: Any) -> Any:
        index = _index(self._choices[name], value)
        if index is None:
            raise ValueError(f"{name} is {value!r}, expected one of {list(self._choices[name])!r}")
        return index

    def _code(self, parameter: dict[str, Any], value: Any) -> Number:
        name = parameter["name"]
        if name in self._choices:
            index: Number = self._index_of(name, value)
            return index
        # A float with equal bounds is a choice of one value in Rust.
        is_index = _is_single(parameter) and value == parameter["low"]
        code: Number = _whole(name, value) if parameter["kind"] == "int" else 0 if is_index else real(name, value)
        return code

    def _named(self, name: str, value: Any) -> Any:
        index = _index(self._choices.get(name, ()), value)
        if index is None:
            return value
        parameter = next(parameter for parameter in self._parameters if parameter["name"] == name)
        return parameter["choices"][index]

    def _value(self, parameter: dict[str, Any], number: Number) -> Any:
        name = parameter["name"]
        if name in self._choices:
            return self._choices[name][number]  # type: ignore[index]
        return parameter["low"] if _is_single(parameter) else number


def _is_single(parameter: dict[str, Any]) -> bool:
    return bool(parameter["kind"] == "float" and parameter["low"] == parameter["high"])


def _finite(name: str, value: Any) -> Any:
    number = real(name, value)
    if not math.isfinite(number):
        raise ValueError(f"{name} has the bound or step {value!r}, expected a finite number")
    return number


def _whole(name: str, value: Any) -> Any:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):  # NaN and infinity among others
        number = None
    if isinstance(value, bool) or number is None or number != value:
        raise ValueError(f"{name} is {value!r}, expected a whole number")
    if not _fits(number):
        # Python refuses to write out the digits of a number that is much larger.
        raise ValueError(f"{name} is a whole number of {number.bit_length()} bits, expected at most 63 and a sign")
    return number


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | bool | int) and type(value) in (str, bool, int) and _fits(value) or (
        type(value) is float and math.isfinite(value))


def _fits(value: Any) -> bool:
    return not isinstance(value, int) or -(2**63) <= value < 2**63


def _listed(name: str, values: Any) -> tuple[Any, ...]:
    """Values as a tuple; a text is one value, not a list of its letters."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ValueError(f"{name} has {values!r}, expected a list of values")
    return tuple(values)


_BRACKETS: dict[type[Any], tuple[str, str]] = {tuple: ("(", ")"), list: ("[", "]"), set: ("{", "}"), frozenset: ("frozenset({", "})")}
"""Texts before and after the elements of objects that are written element by element."""


def _labels(values: Sequence[Any]) -> list[str]:
    """A text per choice that is not plain; its place comes first, as two objects may look the same.

    The texts are the same in the next process, which has to find them in a journal.
    """
    return [f"{at}: {_text(value, str)[:80]}" for at, value in enumerate(values)]


def _text(value: Any, of: Callable[[Any], str] = repr) -> str:
    """The text of an object without addresses, and with the elements of sets in the order of their texts: both differ between processes."""
    kind = type(value)
    if kind not in _BRACKETS or not value:
        return re.sub(" at 0x[0-9a-fA-F]+", "", of(value))
    texts = [_text(element) for element in value]
    if kind in (set, frozenset) and not all(map(_has_fixed_hash, value)):
        texts.sort()
    left, right = _BRACKETS[kind]
    comma = "," if kind is tuple and len(texts) == 1 else ""
    return f"{left}{', '.join(texts)}{comma}{right}"


def _has_fixed_hash(value: Any) -> bool:
    """True of numbers, and of tuples and sets of numbers: in a set their order is the same in every process."""
    if type(value) in (tuple, frozenset):
        return all(map(_has_fixed_hash, value))
    return type(value) in (bool, int) or type(value) is float and not math.isnan(value)


def _index(choices: Sequence[Any], value: Any) -> Any:
    """Place of a value: 1, 1.0 and True are three choices, and NaN is one. A scalar of numpy is its number."""
    value = _number(value)
    for at, choice in enumerate(map(_number, choices)):
        if choice is value:
            return at
        if type(choice) is type(value) and _same(choice, value):
            return at
    return None


def _number(value: Any) -> Any:
    """A scalar of numpy as Python's number, text or truth value; anything else as it is."""
    is_scalar = type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0
    return value.item() if is_scalar else value


def _same(a: Any, b: Any) -> bool:
    try:
        return bool(a == b) or (isinstance(a, float) and math.isnan(a) and math.isnan(b))
    except (TypeError, ValueError):  # arrays
        return False
