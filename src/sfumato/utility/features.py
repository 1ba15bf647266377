"""Columns as learners take them: which kind a column is, and how its values become numbers or codes.

A ``number`` stays a number. An ``interval`` (a label such as ``[17-39)``) becomes its lower bound for a classifier and its
middle for a clustering. A ``category`` becomes one yes-or-no column for each value, or a code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from datetime import date, datetime
from importlib import import_module
from types import ModuleType
from typing import Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from sfumato.data.text import interval_label, parse_interval, to_text
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Array, Bools, Floats, Ints

__all__ = [
    "KINDS",
    "ColumnKind",
    "Columns",
    "Features",
    "Mask",
    "as_codes",
    "as_matrix",
    "as_numbers",
    "coded",
    "floats",
    "listed",
    "lower_bound",
    "middle",
    "readable",
    "sklearn",
]

ColumnKind = Literal["number", "interval", "category"]
KINDS: tuple[ColumnKind, ...] = ("number", "interval", "category")
Columns: TypeAlias = "Mapping[str, Sequence[Hashable] | Array]"
Mask = Bools
Features = Sequence[tuple[str, ColumnKind, list[Hashable]]]

# A text column with thousands of values would fill the memory with columns that hold hardly a "yes".
_MOST_VALUES = 500
_NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_INTERVAL = re.compile(rf"[\[(]({_NUMBER})(?:-|\.\.)({_NUMBER})[\])]", re.IGNORECASE)


def readable(values: Sequence[Hashable], *, numeric: bool = False) -> tuple[ColumnKind, list[Hashable]]:
    """Return the kind of a column as it was published, and its values in the form of that kind.

    Numbers and dates are numbers; a column of intervals, or of intervals and single numbers, is an interval; all others
    are categories. Missing values make a column of numbers a category. With ``numeric`` texts that are numbers count as
    numbers: masked columns of a file are read as text.

    >>> readable([3, 4]), readable(["[1-37)", "40"]), readable(["[1-37)", "*"])
    (('number', [3, 4]), ('interval', ['[1-37)', '[40-40]']), ('category', ['[1-37)', '*']))
    """
    given = listed(values)
    distinct = set(given)
    if distinct and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in distinct):
        return "number", given
    if distinct and all(isinstance(value, date) for value in distinct):
        return "number", [_day(value) for value in given if isinstance(value, date)]
    intervals = {value: _interval(value) for value in distinct}
    if numeric and None not in intervals.values() and not any(parse_interval(to_text(value)) for value in distinct):
        return "number", [float(to_text(value)) for value in given]
    if any(isinstance(value, str) and parse_interval(value) for value in distinct) and None not in intervals.values():
        return "interval", [intervals[value] for value in given]
    texts = {value: "" if value is None else to_text(value) for value in distinct}
    return "category", [texts[value] for value in given]


def _interval(value: Hashable) -> str | None:
    """Return an interval label as it is, and a single number as an interval of no width."""
    text = "" if value is None else to_text(value)
    if parse_interval(text) is not None:
        return text
    try:
        number = float(text)
    except ValueError:
        return None
    return interval_label(number, number, closed=True) if np.isfinite(number) else None


def _day(value: date) -> float:
    if isinstance(value, datetime):
        return value.toordinal() + (value.hour * 3600 + value.minute * 60 + value.second) / 86400
    return float(value.toordinal())


def lower_bound(label: str, *, column: str = "") -> float:
    """Return the lower bound of an interval label.

    >>> lower_bound("[17-39)"), lower_bound("[-5..3)"), lower_bound("[1e-05-0.5]")
    (17.0, -5.0, 1e-05)
    """
    return _bounds(label, column)[0]


def middle(label: str, *, column: str = "") -> float:
    """Return the mean of the bounds of an interval label.

    >>> middle("[17-39)"), middle("[-5..3)")
    (28.0, -1.0)
    """
    low, high = _bounds(label, column)
    return (low + high) / 2


def _bounds(label: str, column: str) -> tuple[float, float]:
    match = _INTERVAL.fullmatch(str(label))
    if match is None:
        raise BadRequest("is not an interval such as [17-39)", column=column or None, value=str(label))
    return float(match.group(1)), float(match.group(2))


def listed(values: Sequence[Hashable] | Array) -> list[Hashable]:
    """Return the values as Python objects."""
    return cast("list[Hashable]", values.tolist()) if isinstance(values, np.ndarray) else list(values)


def coded(values: list[Hashable]) -> tuple[Ints, list[Hashable]]:
    """Number the values in an order that depends on nothing but themselves."""
    domain = sorted(Counter(values), key=lambda value: (type(value).__name__, str(value)))
    position = {value: number for number, value in enumerate(domain)}
    return np.fromiter((position[value] for value in values), np.int64, len(values)), domain


def floats(name: str, values: list[Hashable]) -> Floats:
    """Return numbers; texts and missing values are refused by the name of the column."""
    try:
        numbers = np.array(values, np.float64)
    except (TypeError, ValueError):
        raise BadRequest("holds values that are not numbers", column=name, parameter="kinds", value="number") from None
    if np.isnan(numbers).any():
        raise BadRequest("has missing values; drop those records first", column=name)
    return numbers


def _lower_bounds(name: str, values: list[Hashable]) -> Floats:
    bounds = {label: lower_bound(str(label), column=name) for label in Counter(values)}
    return np.fromiter((bounds[label] for label in values), np.float64, len(values))


def as_numbers(name: str, kind: ColumnKind, values: list[Hashable], train: Mask) -> npt.NDArray[np.float32]:
    """Return a column as one or several columns of numbers, in single precision, which is what tree learners use."""
    if kind == "number":
        return floats(name, values).astype(np.float32)[:, None]
    if kind == "interval":
        return _lower_bounds(name, values).astype(np.float32)[:, None]
    codes, domain = coded(values)
    # Values that only the test part holds give a learner nothing to learn: they are "no" everywhere.
    counts = np.bincount(codes[train], minlength=len(domain))
    kept = np.flatnonzero(counts)
    if len(kept) > _MOST_VALUES:
        kept = np.sort(np.argsort(-counts, kind="stable")[:_MOST_VALUES])
    place = np.full(len(domain), -1)
    place[kept] = np.arange(len(kept))
    hot = np.zeros((len(values), len(kept)), np.float32)
    rows = np.flatnonzero(place[codes] >= 0)
    hot[rows, place[codes[rows]]] = 1
    return hot


def as_matrix(features: Features, train: Mask) -> npt.NDArray[np.float32]:
    """Return all columns side by side as numbers."""
    return np.column_stack([as_numbers(name, kind, values, train) for name, kind, values in features])


def as_codes(name: str, kind: ColumnKind, values: list[Hashable], train: Mask, bins: int) -> tuple[Ints, int]:
    """Return a code for each row and the number of codes; the domain is that of the whole published file."""
    if kind != "number":
        codes, domain = coded(values)
        return codes, len(domain)
    numbers = floats(name, values)
    edges = np.unique(np.quantile(numbers[train], np.linspace(0, 1, bins + 1)[1:-1]))
    return np.searchsorted(edges, numbers, side="right").astype(np.int64), len(edges) + 1


def sklearn(module: str, parameter: str = "classifier") -> ModuleType:
    """Return a module of scikit-learn, or say how to install it."""
    try:
        return import_module(f"sklearn.{module}")
    except ImportError:
        raise BadRequest(
            "needs scikit-learn, which is not installed: pip install sfumato[experiments]", parameter=parameter
        ) from None
