"""Conditions of a count query, a column among some values or between two of them, and what share of a label meets them.

Raw values are taken as spread evenly over what a label stands for: an interval of whole numbers for the whole numbers in
it, one of reals for its width, a node of a tree for its leaves, a suppressed value for all that were suppressed with it.
Reference: Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.2, Example 3.1.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.contracts.recoding import ColumnRecoding
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.data.text import SUPPRESSED, from_text, parse_interval
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools, Ints

__all__ = ["Among", "Between", "Condition", "CountQuery", "PublishedColumn", "Values"]


class Values(list[Hashable]):
    """Values that many conditions are asked about: sorted once, so that each range of them is found by halving.

    >>> Values([3, None, 1, 2]).between(2, 3).tolist()
    [True, False, False, True]
    """

    @cached_property
    def _sorted(self) -> tuple[list[Any], Ints]:
        places: list[int] = sorted((at for at, value in enumerate(self) if value is not None), key=self.__getitem__)  # type: ignore[arg-type]
        return [self[at] for at in places], np.array(places, np.int64)

    def between(self, low: Any, high: Any) -> Bools:
        """Tell of each value whether it lies between two, both included; a missing one never does."""
        values, places = self._sorted
        out = np.zeros(len(self), bool)
        out[places[bisect_left(values, low) : bisect_right(values, high)]] = True
        return out


@frozen
class Among:
    """The column has one of these values.

    >>> Among([38]).holds(38), Among([38]).holds(None)
    (True, False)
    """

    values: frozenset[Hashable]

    def __init__(self, values: Iterable[Hashable]) -> None:
        object.__setattr__(self, "values", frozenset(values))
        if not self.values:
            raise BadRequest("must hold at least one value", parameter="condition")

    def holds(self, value: Hashable) -> bool:
        """Tell whether a value meets the condition; a missing one never does."""
        return value is not None and value in self.values

    def each(self, values: Iterable[Hashable]) -> list[bool]:
        """Tell of each value whether it meets the condition."""
        wanted = self.values - {None}
        return [value in wanted for value in values]


@frozen
class Between:
    """The column lies between two values, both included.

    >>> Between(30, 39).holds(39), Between(30, 39).holds(40)
    (True, False)
    """

    low: Any
    high: Any

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise BadRequest("must rise", parameter="condition", value=f"{self.low} to {self.high}")

    def holds(self, value: Hashable) -> bool:
        """Tell whether a value meets the condition; a missing one never does."""
        return value is not None and bool(self.low <= value <= self.high)

    def each(self, values: Iterable[Hashable]) -> Sequence[bool] | Bools:
        """Tell of each value whether it meets the condition."""
        low, high = self.low, self.high
        if isinstance(values, Values):
            return values.between(low, high)
        return [value is not None and bool(low <= value <= high) for value in values]


Condition = Among | Between


@frozen
class CountQuery:
    """How many records meet all conditions; columns without a condition are free.

    >>> CountQuery({"Age": Between(30, 39), "Disease": Among(["Flu"])}).columns
    ('Age', 'Disease')
    """

    where: Mapping[str, Condition]

    def __post_init__(self) -> None:
        for name, condition in self.where.items():
            if not isinstance(condition, (Among, Between)):
                raise BadRequest("must be Among or Between", column=name, value=type(condition).__name__)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns with a condition."""
        return tuple(self.where)


@frozen(eq=False)
class PublishedColumn:
    """What is known of a masked column: the type of its raw values, how they were masked, and their domain.

    Everything is optional. ``recoding`` says which raw values each label stands for; ``tree`` does so where only a hierarchy is
    known. ``domain`` lists the raw values that exist; that of the recoding or the tree if not given. Without a type, an
    interval between whole numbers is one of whole numbers.

    >>> from sfumato.utility.conditions import Among
    >>> PublishedColumn("Age").share("[35-40)", Among([38]))
    0.2
    """

    name: str
    type: ColumnType | None = None
    recoding: ColumnRecoding | None = None
    tree: Tree | None = None
    domain: Sequence[Hashable] | None = None

    def share(self, label: Hashable, condition: Condition) -> float:
        """Return the share of what a label stands for that meets a condition; 0 for a missing label."""
        if label is None:
            return 0.0
        if not isinstance(label, str):
            return float(condition.holds(label))
        interval = parse_interval(label) if self.type is None or self.type.numeric else None
        if interval is not None:
            return self._interval_share(*interval, condition)
        covered = self._values.get(label)
        if covered is None:
            covered = self._values[label] = Values(self._covered(label))
        return np.count_nonzero(condition.each(covered)) / len(covered)

    def _covered(self, label: str) -> Sequence[Hashable]:
        """Return the raw values that a label may stand for."""
        if label in self._by_label:
            return self._by_label[label]
        tree = self._tree
        if tree is not None and label in tree.node_of:
            node = tree.node_of[label]
            return tree.leaves[tree.leaf_first[node] : tree.leaf_last[node]]
        if label == SUPPRESSED:
            if not self.domain:
                raise BadRequest(
                    "what a suppressed value stands for is not known; give its recoding or its domain", column=self.name
                )
            return self.domain
        try:
            return [from_text(label, self.type or ColumnType.TEXT)]
        except ValueError:
            raise BadRequest(
                "holds labels that stand for nothing known; give the recoding or the hierarchy", column=self.name
            ) from None

    @cached_property
    def _values(self) -> dict[str, Values]:
        """What was found out about labels so far."""
        return {}

    @property
    def _tree(self) -> Tree | None:
        given = getattr(self.recoding, "tree", None)
        return given if isinstance(given, Tree) else self.tree

    @cached_property
    def _by_label(self) -> dict[str, list[Hashable]]:
        """The raw values behind each label, by asking the recoding for the label of every value that exists."""
        if self.recoding is None:
            return {}
        known = self.domain
        if known is None and self._tree is not None:
            known = self._tree.leaves
        if known is None:
            known = getattr(self.recoding, "domain", None) or ()
        out: dict[str, list[Hashable]] = {}
        for value, label in zip(known, self.recoding.map(known, column=self.name).labels, strict=True):
            out.setdefault(label, []).append(value)
        return out

    def _interval_share(self, low: float, high: float, closed: bool, condition: Condition) -> float:
        whole = self.type is ColumnType.INTEGER or (self.type is None and low.is_integer() and high.is_integer())
        if whole:
            first, last = math.ceil(low), math.floor(high) if closed else math.ceil(high) - 1
            if last < first:
                return 0.0
            if isinstance(condition, Between):
                inside = min(last, math.floor(condition.high)) - max(first, math.ceil(condition.low)) + 1
                return float(max(inside, 0) / (last - first + 1))
            inside = sum(_is_whole(value) and first <= value <= last for value in condition.values)  # type: ignore[operator]
            return inside / (last - first + 1)
        if low == high:
            return float(condition.holds(low))
        if isinstance(condition, Between):
            return float(max(min(high, condition.high) - max(low, condition.low), 0.0) / (high - low))
        members = [
            value
            for value in self.domain or ()
            if low <= value < high or (closed and value == high)  # type: ignore[operator]
        ]
        if not members:
            raise BadRequest(
                "a single value has no share in an interval of real numbers; ask for a range or give the domain",
                column=self.name,
            )
        return np.count_nonzero(condition.each(members)) / len(members)


def _is_whole(value: object) -> bool:
    return isinstance(value, (int, float)) and float(value).is_integer()
