"""How the labels of one column relate to its values and to each other: a tree, a range of numbers, or an order.

A label stands for a set of raw values. A scale tells which, how many, whether one label lies inside another, what two
have in common, and into which parts a label falls. Recodings of whole records use it for the sides of their boxes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.text import interval_label, number_text, parse_interval, parse_number, to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Codes, Floats

__all__ = ["NumberScale", "OrderScale", "Scale", "TreeScale", "flat_scale"]

ANYTHING = "*"


class Scale(ABC):
    """What labels of a column mean."""

    continuous: bool = False

    @property
    @abstractmethod
    def root(self) -> str:
        """The label that covers everything."""

    @property
    @abstractmethod
    def domain(self) -> float:
        """What the root covers."""

    @abstractmethod
    def knows(self, label: str) -> bool:
        """Tell whether a text is a label of this column."""

    @abstractmethod
    def places(self, value: Hashable) -> bool:
        """Tell whether a raw value lies in the domain."""

    @abstractmethod
    def holds(self, label: str, value: Hashable) -> bool:
        """Tell whether a label stands for a raw value."""

    @abstractmethod
    def covered(self, label: str) -> float:
        """Return how many raw values a label stands for; widths for numbers."""

    @abstractmethod
    def within(self, label: str, other: str) -> bool:
        """Tell whether everything that a label stands for is covered by the other."""

    @abstractmethod
    def meet(self, label: str, other: str) -> str | None:
        """Return the label of what two labels have in common; ``None`` if nothing."""

    @abstractmethod
    def parts(self, label: str, at: object = None) -> tuple[str, ...]:
        """Return what a label falls into in one step: the children of a node, or the two sides of ``at``."""

    @abstractmethod
    def single(self, label: str) -> bool:
        """Tell whether a text is the label of a single raw value."""

    @abstractmethod
    def ends(self, label: str) -> tuple[Any, Any]:
        """Return where the run of a label begins and ends; one label covers another if its run does."""

    @abstractmethod
    def runs(self, labels: Sequence[str], values: Sequence[Hashable]) -> tuple[Codes, Codes, Codes]:
        """Return the rank of each value, -1 without a place, and the first rank and the one after the last of each label.

        A label stands for the values with ranks in its run: ``first <= rank < last``.
        """

    def apart(self, labels: Sequence[str], values: Sequence[Hashable]) -> Floats:
        """Return how far each value lies from each label, labels x values: 0 inside; outside 1, numbers less if near."""
        ranks, first, last = self.runs(labels, values)
        return np.where((ranks >= first[:, None]) & (ranks < last[:, None]), 0.0, 1.0)

    def nested(self, labels: Iterable[str]) -> bool:
        """Tell whether one of these different labels lies inside another."""
        runs = sorted((self.ends(label) for label in labels), key=lambda run: run[1], reverse=True)
        runs.sort(key=lambda run: run[0])
        # From left to right, longer runs first: whoever ends inside an earlier one lies in it.
        reached = None
        for _, end in runs:
            if reached is not None and end <= reached:
                return True
            reached = end
        return False

    def climbs(self, value: Hashable, label: str) -> tuple[int, int]:
        """Return the levels from a value to a label and to the root; -1 without levels."""
        return -1, -1

    def raw(self, value: Hashable) -> str:
        """Return the label of a value that is published as it is."""
        return to_text(value)


@frozen(eq=False)
class TreeScale(Scale):
    """Labels are the nodes of a tree."""

    tree: Tree

    @property
    def root(self) -> str:
        """The root of the tree."""
        return self.tree.labels[0]

    @property
    def domain(self) -> float:
        """Number of leaves."""
        return float(len(self.tree.leaves))

    def knows(self, label: str) -> bool:
        """Tell whether a text is the label of a node."""
        return label in self.tree.node_of

    def places(self, value: Hashable) -> bool:
        """Tell whether a value is a leaf."""
        return value in self.tree.leaf_number

    def raw(self, value: Hashable) -> str:
        """Return the label of the leaf."""
        number = self.tree.leaf_number.get(value)
        return to_text(value) if number is None else self.tree.labels[self.tree.leaf_nodes[number]]

    def holds(self, label: str, value: Hashable) -> bool:
        """Tell whether a leaf lies at or below a node."""
        number = self.tree.leaf_number.get(value)
        node = self.tree.node_of[label]
        return number is not None and bool(self.tree.leaf_first[node] <= number < self.tree.leaf_last[node])

    def covered(self, label: str) -> float:
        """Return the number of leaves below a node."""
        return float(self.tree.leaf_count[self.tree.node_of[label]])

    def within(self, label: str, other: str) -> bool:
        """Tell whether a node lies at or below the other."""
        inner, outer = self.tree.node_of[label], self.tree.node_of[other]
        return bool(
            self.tree.leaf_first[outer] <= self.tree.leaf_first[inner]
            and self.tree.leaf_last[inner] <= self.tree.leaf_last[outer]
            # In a chain of only children all nodes have the same leaves, and the lower one is the finer.
            and self.tree.depth[outer] <= self.tree.depth[inner]
        )

    def meet(self, label: str, other: str) -> str | None:
        """Return the lower of two nodes on one path."""
        return label if self.within(label, other) else other if self.within(other, label) else None

    def parts(self, label: str, at: object = None) -> tuple[str, ...]:
        """Return the labels of the children; a leaf has none."""
        return tuple(self.tree.labels[child] for child in self.tree.children[self.tree.node_of[label]])

    def single(self, label: str) -> bool:
        """Tell whether a text is the label of a leaf."""
        node = self.tree.node_of.get(label)
        return node is not None and not self.tree.children[node]

    def ends(self, label: str) -> tuple[int, int]:
        """Return the first leaf below a node and the one after its last."""
        node = self.tree.node_of[label]
        return int(self.tree.leaf_first[node]), int(self.tree.leaf_last[node])

    def runs(self, labels: Sequence[str], values: Sequence[Hashable]) -> tuple[Codes, Codes, Codes]:
        """Return leaves as ranks, in the order of the tree."""
        ranks = np.array([self.tree.leaf_number.get(value, -1) for value in values], np.int32)
        nodes = np.array([self.tree.node_of[label] for label in labels], np.int64)
        return ranks, self.tree.leaf_first[nodes], self.tree.leaf_last[nodes]

    def climbs(self, value: Hashable, label: str) -> tuple[int, int]:
        """Return the levels from a leaf to a node and to the root."""
        number = self.tree.leaf_number.get(value)
        if number is None:  # a new value that is published as the root climbs no level anybody knows
            return 0, 0
        depth = int(self.tree.depth[self.tree.leaf_nodes[number]])
        return depth - int(self.tree.depth[self.tree.node_of[label]]), depth


@frozen(eq=False)
class NumberScale(Scale):
    """Labels are single numbers, half-open or closed intervals, and ``*`` for the whole range."""

    low: float
    high: float
    continuous = True

    @property
    def root(self) -> str:
        """The symbol of the whole range."""
        return ANYTHING

    @property
    def domain(self) -> float:
        """Width of the range."""
        return float(self.high - self.low)

    def knows(self, label: str) -> bool:
        """Tell whether a text is an interval or a number, and lies in the range."""
        bounds = self._read(label)
        return label == ANYTHING or (bounds is not None and self.low <= bounds[0] <= bounds[1] <= self.high)

    def places(self, value: Hashable) -> bool:
        """Tell whether a value is a number in the range."""
        return _is_number(value) and self.low <= value <= self.high

    def holds(self, label: str, value: Hashable) -> bool:
        """Tell whether a number lies in an interval."""
        if not self.places(value):
            return False
        low, high, closed = self._bounds(label)
        return bool(low <= value < high or (closed and value == high))  # type: ignore[operator]

    def covered(self, label: str) -> float:
        """Return the width of an interval."""
        low, high, _ = self._bounds(label)
        return float(high - low)

    def within(self, label: str, other: str) -> bool:
        """Tell whether an interval lies in the other; the symbol of the whole range lies in itself alone."""
        if ANYTHING in (label, other):
            return other == ANYTHING
        inner, outer = self._bounds(label), self._bounds(other)
        return outer[0] <= inner[0] and (inner[1], inner[2]) <= (outer[1], outer[2])

    def meet(self, label: str, other: str) -> str | None:
        """Return the interval that two intervals share; the given one where it lies in the other."""
        if self.within(label, other) or self.within(other, label):
            return label if self.within(label, other) else other
        first, second = self._bounds(label), self._bounds(other)
        low, (high, closed) = max(first[0], second[0]), min(first[1:], second[1:])
        if low > high or (low == high and not closed):
            return None
        return number_text(low) if low == high else interval_label(low, high, closed=closed)

    def parts(self, label: str, at: object = None) -> tuple[str, ...]:
        """Return what lies below a number, and what lies at or above it."""
        low, high, closed = self._bounds(label)
        if not _is_number(at) or not low < at <= high or (at == high and not closed):
            raise BadRequest(f"must be a number that cuts {label} in two", parameter="at", value=at)
        above = number_text(high) if at == high else interval_label(at, high, closed=closed)
        return interval_label(low, at), above

    def single(self, label: str) -> bool:
        """Tell whether a text is a number in the range."""
        return label != ANYTHING and parse_interval(label) is None and self.knows(label)

    def ends(self, label: str) -> tuple[float, tuple[float, bool]]:
        """Return the lower bound, and the upper one with whether it belongs to the interval."""
        low, high, closed = self._bounds(label)
        return low, (high, closed)

    def runs(self, labels: Sequence[str], values: Sequence[Hashable]) -> tuple[Codes, Codes, Codes]:
        """Return values by size as ranks."""
        known: list[Any] = sorted({value for value in values if self.places(value)})
        rank = {value: number for number, value in enumerate(known)}
        # Only numbers in the range have a rank: True equals 1 and is none.
        ranks = [rank[value] if self.places(value) else -1 for value in values]
        bounds = [self._bounds(label) for label in labels]
        return (
            np.array(ranks, np.int32),
            np.array([bisect_left(known, low) for low, _, _ in bounds], np.int32),
            np.array([(bisect_right if closed else bisect_left)(known, high) for _, high, closed in bounds], np.int32),
        )

    def apart(self, labels: Sequence[str], values: Sequence[Hashable]) -> Floats:
        """Return gaps to intervals as shares of the range; what is no number is a whole range away."""
        numbers = np.array([value if _is_number(value) else np.nan for value in values], np.float64)
        bounds = np.array([self._bounds(label)[:2] for label in labels], np.float64).reshape(-1, 2)
        gaps = np.maximum(np.maximum(bounds[:, :1] - numbers, numbers - bounds[:, 1:]), 0.0)
        return np.nan_to_num(gaps / (self.domain or 1.0), nan=1.0)

    def _bounds(self, label: str) -> tuple[float, float, bool]:
        bounds = (self.low, self.high, True) if label == ANYTHING else self._read(label)
        if bounds is None:
            raise BadRequest("is no interval", value=label)
        return bounds

    @cached_property
    def _known(self) -> dict[str, tuple[float, float, bool] | None]:
        return {}

    def _read(self, label: str) -> tuple[float, float, bool] | None:
        """Read a label; thousands of boxes ask for the same ones over and over."""
        if label not in self._known:
            self._known[label] = _bounds(label)
        return self._known[label]


@frozen(eq=False)
class OrderScale(Scale):
    """Labels are runs of an order, ``first..last``, single values, and ``*`` for the whole; values go by their text."""

    order: tuple[str, ...]

    @cached_property
    def _place(self) -> dict[str, int]:
        return {text: place for place, text in enumerate(self.order)}

    @property
    def root(self) -> str:
        """The symbol of the whole order."""
        return ANYTHING

    @property
    def domain(self) -> float:
        """Number of values."""
        return float(len(self.order))

    def knows(self, label: str) -> bool:
        """Tell whether a text is a value or a run of values."""
        return self._run(label) is not None

    def places(self, value: Hashable) -> bool:
        """Tell whether a value has a place in the order."""
        return value is not None and to_text(value) in self._place

    def holds(self, label: str, value: Hashable) -> bool:
        """Tell whether a value lies in a run."""
        first, last = self._ends(label)
        return self.places(value) and first <= self._place[to_text(value)] <= last

    def covered(self, label: str) -> float:
        """Return the length of a run."""
        first, last = self._ends(label)
        return float(last - first + 1)

    def within(self, label: str, other: str) -> bool:
        """Tell whether a run lies in the other; the symbol of the whole order lies in itself alone."""
        if ANYTHING in (label, other):
            return other == ANYTHING
        inner, outer = self._ends(label), self._ends(other)
        return outer[0] <= inner[0] and inner[1] <= outer[1]

    def meet(self, label: str, other: str) -> str | None:
        """Return the run that two runs share; the given one where it lies in the other."""
        if self.within(label, other) or self.within(other, label):
            return label if self.within(label, other) else other
        first, second = self._ends(label), self._ends(other)
        low, high = max(first[0], second[0]), min(first[1], second[1])
        return self._label(low, high) if low <= high else None

    def parts(self, label: str, at: object = None) -> tuple[str, ...]:
        """Return what comes before a value, and the run that starts with it."""
        first, last = self._ends(label)
        place = self._place.get(to_text(at), -1)
        if not first < place <= last:
            raise BadRequest(
                f"must be a value that cuts {label} in two",
                parameter="at",
                value=at,
                available=self.order[first + 1 : last + 1],
            )
        return self._label(first, place - 1), self._label(place, last)

    def single(self, label: str) -> bool:
        """Tell whether a text is a value of the order."""
        return label in self._place

    def ends(self, label: str) -> tuple[int, int]:
        """Return the places of the first and the last value of a run."""
        return self._ends(label)

    def runs(self, labels: Sequence[str], values: Sequence[Hashable]) -> tuple[Codes, Codes, Codes]:
        """Return places in the order as ranks."""
        ranks = np.array([self._place[to_text(value)] if self.places(value) else -1 for value in values], np.int32)
        ends = np.array([self._ends(label) for label in labels], np.int32).reshape(-1, 2)
        return ranks, ends[:, 0], ends[:, 1] + np.int32(1)

    def _label(self, first: int, last: int) -> str:
        return self.order[first] if first == last else f"{self.order[first]}..{self.order[last]}"

    def _run(self, label: str) -> tuple[int, int] | None:
        if label == ANYTHING:
            return 0, len(self.order) - 1
        if label in self._place:
            return self._place[label], self._place[label]
        first, _, last = label.partition("..")
        run = self._place.get(first, -1), self._place.get(last, -1)
        return run if 0 <= run[0] < run[1] else None

    def _ends(self, label: str) -> tuple[int, int]:
        run = self._run(label)
        if run is None:
            raise BadRequest("is no run of the order", value=label, available=self.order)
        return run


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _bounds(label: str) -> tuple[float, float, bool] | None:
    """Read an interval or a single number."""
    interval = parse_interval(label)
    if interval is not None:
        return interval
    try:
        number = parse_number(label)
    except ValueError:
        return None
    return number, number, True


def flat_scale(values: Sequence[Hashable], marker: str) -> TreeScale:
    """Return the scale of a column without a hierarchy: its values, one level below the symbol of a suppressed one."""
    # Rows that were suppressed before hold the symbol itself; it is the root and no value.
    leaves = [value for value in values if to_text(value) != marker]
    if not leaves:
        return TreeScale(Tree.from_nested({"value": marker}))
    return TreeScale(Tree.from_paths([(to_text(value), marker) for value in leaves], leaves))
