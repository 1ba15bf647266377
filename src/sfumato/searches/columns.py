"""The candidate store of a top-down search: what each column shows now, and how each shown value could be refined.

A *slot* is one value a column can show: a tree node, an interval, a still suppressed value. Because every recoding here is
global, the gain of refining a slot depends only on the column's value-by-class counts, never on the groups, and is
computed once when the slot becomes a candidate. The exception is suppression, where disclosing one value changes the
gain of all others of the column.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from sfumato.contracts.algorithm import Attribute, Task
from sfumato.contracts.metric import Refinement, SearchMetric
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.data.text import SUPPRESSED, Line, interval_label, to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Codes, Ints
from sfumato.recodings.discretization import Discretization
from sfumato.recodings.subtree_generalization import SubtreeGeneralization
from sfumato.recodings.value_suppression import ValueSuppression

__all__ = ["Column", "IntervalColumn", "SuppressColumn", "TaxonomyColumn", "open_column", "open_columns"]


class Column(ABC):
    """One quasi-identifier in a top-down search; starts in its most masked state.

    ``child[code]`` is the position of a code among the children of its current slot. ``children[slot]`` counts them (0 for
    slots that are not candidates). ``gain``, ``beneficial`` and ``position`` (for ties) are indexed by slot.
    """

    suppressing = False

    def __init__(self, attribute: Attribute, values: Sequence[Hashable], counts: Ints, slots: int) -> None:
        self.attribute = attribute
        self.name = attribute.name
        self.values = values
        self.counts = counts  # values x classes
        self.child = np.zeros(len(values), np.int32)
        self.children = np.zeros(slots, np.int32)
        self.gain = np.zeros(slots)
        self.beneficial = np.zeros(slots, bool)
        self.position = np.zeros(slots, np.int64)
        self.alive = np.zeros(slots, bool)

    @abstractmethod
    def refine(self, slot: int) -> Codes:
        """Perform a candidate: return the slots of its children; the column's candidates are updated."""

    @abstractmethod
    def label(self, slot: int) -> str:
        """Return how the candidate value is called in a trace."""

    @abstractmethod
    def parts(self, slot: int) -> tuple[str, ...]:
        """Return what the children of a candidate would be called."""

    @abstractmethod
    def label_of_code(self, code: int) -> str:
        """Return what a raw code is published as now."""

    @abstractmethod
    def recoding(self) -> ColumnRecoding:
        """Return the current state as a recoding."""

    @property
    def born(self) -> int:
        """How many slots there are so far: the others were never shown."""
        return len(self.children)

    def candidates(self) -> Ints:
        """Return the slots that could be refined, valid or not, in tie order."""
        slots = np.flatnonzero(self.children[: self.born])
        return slots[np.argsort(self.position[slots], kind="stable")]

    def split_at(self, slot: int) -> Hashable:
        """Return where a candidate would cut a range; ``None`` where nothing is cut."""
        return None

    def _offer(self, slot: int, step: Refinement, metric: SearchMetric, children: int, way: int = 0) -> None:
        """Make a slot a candidate."""
        self._value(slot, step, float(metric.gain(step)[way]), children)

    def _value(self, slot: int, step: Refinement, gain: float, children: int) -> None:
        self.children[slot] = children
        self.gain[slot] = gain
        self.beneficial[slot] = int((step.parent_classes > 0).sum()) > 1
        self.alive[slot] = True

    def _close(self, slot: int) -> None:
        self.children[slot] = 0
        self.alive[slot] = False


class TaxonomyColumn(Column):
    """Generalization along a tree: ``v -> child(v)`` for all records that carry v; slots are tree nodes."""

    def __init__(self, attribute: Attribute, values: Sequence[Hashable], counts: Ints, metric: SearchMetric) -> None:
        assert attribute.tree is not None
        self.tree: Tree = attribute.tree
        super().__init__(attribute, values, counts, len(self.tree))
        self.metric = metric
        self.leaf = self.tree.encode(values, column=attribute.name)
        self.code_of_leaf = np.full(len(self.tree.leaves), -1, np.int64)
        self.code_of_leaf[self.leaf] = np.arange(len(values))
        by_leaf = np.zeros((len(self.tree.leaves), counts.shape[1]), np.int64)
        by_leaf[self.leaf] = counts
        self.before = np.vstack([np.zeros((1, counts.shape[1]), np.int64), by_leaf.cumsum(axis=0)])
        self.cut = {0}
        self.node_of_code = np.zeros(len(values), np.int32)
        self.position = np.arange(len(self.tree), dtype=np.int64)
        self._open(0)

    def _classes(self, node: int | list[int]) -> Ints:
        return np.asarray(self.before[self.tree.leaf_last[node]] - self.before[self.tree.leaf_first[node]])

    def _open(self, node: int) -> None:
        below = self.tree.children[node]
        if not below or (classes := self._classes(node)).sum() == 0:
            return
        domain = len(self.tree.leaves)
        step = Refinement(
            classes,
            self._classes(list(below))[None],
            float(self.tree.leaf_count[node]) / domain,
            (self.tree.leaf_count[list(below)] / domain)[None],
        )
        self._tell_leaves(self.child, node, range(len(below)))
        self._offer(node, step, self.metric, len(below))

    def _tell_leaves(self, told: Codes, node: int, each: Sequence[int]) -> None:
        """Give the codes below each child of a node what is meant for that child; the leaves of children lie side by side."""
        codes = self.code_of_leaf[self.tree.leaf_first[node] : self.tree.leaf_last[node]]
        meant = np.repeat(np.array(each, np.int32), self.tree.leaf_count[list(self.tree.children[node])])
        told[codes[codes >= 0]] = meant[codes >= 0]

    def refine(self, slot: int) -> Codes:
        """Replace a node of the cut by its children."""
        below = self.tree.children[slot]
        self._close(slot)
        self.cut.remove(slot)
        self.cut.update(below)
        self._tell_leaves(self.node_of_code, slot, below)
        for child in below:
            self._open(child)
        return np.array(below, np.int32)

    def label(self, slot: int) -> str:
        """Return the label of a node."""
        return self.tree.labels[slot]

    def parts(self, slot: int) -> tuple[str, ...]:
        """Return the labels of the nodes below."""
        return tuple(self.tree.labels[child] for child in self.tree.children[slot])

    def label_of_code(self, code: int) -> str:
        """Return the label of the cut node above a value."""
        return self.tree.labels[int(self.node_of_code[code])]

    def recoding(self) -> ColumnRecoding:
        """Return the cut."""
        cut = tuple(self.tree.labels[node] for node in sorted(self.cut))
        return SubtreeGeneralization(tree=self.tree, hierarchy=self.attribute.builder, cut=cut)


class IntervalColumn(Column):
    """Discretization: split one interval in two at the point of highest gain; slots are intervals in order of birth.

    Split points are the values that occur, except the smallest of the interval. Privacy plays no part in choosing the
    point. Gains within 1e-12 are ties and the smallest value wins.
    """

    def __init__(
        self,
        attribute: Attribute,
        values: Sequence[Hashable],
        counts: Ints,
        metric: SearchMetric,
        midpoint: bool = False,
    ) -> None:
        super().__init__(attribute, values, counts, max(2 * len(values), 1))
        self.metric = metric
        self.midpoint = midpoint
        given = cast("Sequence[float]", values)
        low, high = attribute.range if attribute.range is not None else (given[0], given[-1])
        line = Line.of(given)
        self.origin = line.origin
        self.numbers = replace(line, unit=1.0).places(values)
        if given[0] < low or given[-1] > high:
            raise BadRequest(
                f"holds numbers outside its declared range {interval_label(low, high)}",
                column=attribute.name,
            )
        self.closed = given[-1] == high
        self.before = np.vstack([np.zeros((1, counts.shape[1]), np.int64), counts.cumsum(axis=0)])
        self.width = float(high - self.origin) - float(low - self.origin)
        self.bounds: list[tuple[Any, Any]] = [(low, high)]
        self.codes: list[tuple[int, int]] = [(0, len(values))]
        self.split: dict[int, tuple[int, Any]] = {}
        self.current = {0}
        self.slot_of_code = np.zeros(len(values), np.int32)
        self._open(0)

    @property
    def born(self) -> int:
        """How many intervals there were so far."""
        return len(self.codes)

    def _open(self, slot: int) -> None:
        first, last = self.codes[slot]
        low, high = (float(bound - self.origin) for bound in self.bounds[slot])
        self.position[slot] = first
        if last - first < 2:
            return
        inner = self.before[first + 1 : last]
        left, right = inner - self.before[first], self.before[last] - inner
        points = self.numbers[first + 1 : last]
        scale = self.width or 1.0
        share = np.stack([(points - low) / scale, (high - points) / scale], axis=1)
        step = Refinement(
            self.before[last] - self.before[first],
            np.stack([left, right], axis=1),
            (high - low) / scale,
            share,
        )
        gains = self.metric.gain(step)
        merits = self.metric.merit(step, gains)
        best = int(np.flatnonzero(merits >= merits.max() - 1e-12)[0])
        code = first + 1 + best
        point = self.values[code]
        if self.midpoint:
            point = (self.numbers[code - 1] + self.numbers[code]) / 2
            if self.origin:
                point = self.origin + math.ceil(point)
        self.split[slot] = (code, point)
        self.child[first:code] = 0
        self.child[code:last] = 1
        self._value(slot, step, float(gains[best]), 2)

    def refine(self, slot: int) -> Codes:
        """Replace an interval by its two parts."""
        code, point = self.split[slot]
        first, last = self.codes[slot]
        low, high = self.bounds[slot]
        born = len(self.codes)
        self.codes += [(first, code), (code, last)]
        self.bounds += [(low, point), (point, high)]
        self._close(slot)
        self.current.remove(slot)
        self.current.update((born, born + 1))
        self.slot_of_code[first:code] = born
        self.slot_of_code[code:last] = born + 1
        self._open(born)
        self._open(born + 1)
        return np.array([born, born + 1], np.int32)

    def label(self, slot: int) -> str:
        """Return ``[low-high)``; the last interval is closed if its upper edge occurs."""
        low, high = self.bounds[slot]
        return interval_label(low, high, closed=self.closed and self.codes[slot][1] == len(self.values))

    def parts(self, slot: int) -> tuple[str, ...]:
        """Return the two intervals."""
        (low, high), (_, point) = self.bounds[slot], self.split[slot]
        last = self.closed and self.codes[slot][1] == len(self.values)
        return interval_label(low, point), interval_label(point, high, closed=last)

    def label_of_code(self, code: int) -> str:
        """Return the interval that holds a value."""
        return self.label(int(self.slot_of_code[code]))

    def split_at(self, slot: int) -> Hashable:
        """Return the split point."""
        return self.split[slot][1] if slot in self.split else None

    def recoding(self) -> ColumnRecoding:
        """Return the edges of the current intervals."""
        bounds = sorted(self.bounds[slot] for slot in self.current)
        return Discretization(edges=(*(low for low, _ in bounds), bounds[-1][1]), closed=self.closed)


class SuppressColumn(Column):
    """Suppression of values without a tree: disclose one value in all records that hold it; slots are value codes."""

    suppressing = True

    def __init__(self, attribute: Attribute, values: Sequence[Hashable], counts: Ints, metric: SearchMetric) -> None:
        super().__init__(attribute, values, counts, len(values))
        if any(to_text(value) == SUPPRESSED for value in values):
            raise BadRequest(
                f"holds the value {SUPPRESSED!r}, which stands for suppressed values", column=attribute.name
            )
        self.metric = metric
        self.child = np.arange(len(values), dtype=np.int32)
        self.position = np.arange(len(values), dtype=np.int64)
        self.hidden = np.ones(len(values), bool)
        self.alive[:] = True
        self._reopen()

    def _reopen(self) -> None:
        left = np.flatnonzero(self.hidden)
        self.children[:] = 0
        if len(left) == 0:
            return
        domain = len(self.values)
        parent = self.counts[left].sum(axis=0)
        own = self.counts[left]
        share = np.tile(np.array([1.0, max(len(left) - 1, 0)]) / domain, (len(left), 1))
        step = Refinement(parent, np.stack([own, parent - own], axis=1), len(left) / domain, share)
        self.children[left] = 2
        self.gain[left] = self.metric.gain(step)
        self.beneficial[left] = int((parent > 0).sum()) > 1

    def refine(self, slot: int) -> Codes:
        """Disclose one value; the gains of the others are computed anew."""
        self._close(slot)
        self.hidden[slot] = False
        self._reopen()
        return np.array([1, 0], np.int32)

    def label(self, slot: int) -> str:
        """Return the value that would be disclosed."""
        return to_text(self.values[slot])

    def parts(self, slot: int) -> tuple[str, ...]:
        """Return the value and the symbol for the rest."""
        return to_text(self.values[slot]), SUPPRESSED

    def label_of_code(self, code: int) -> str:
        """Return the value or the symbol."""
        return SUPPRESSED if self.hidden[code] else to_text(self.values[code])

    def recoding(self) -> ColumnRecoding:
        """Return the disclosed values."""
        disclosed = tuple(value for value, gone in zip(self.values, self.hidden, strict=True) if not gone)
        return ValueSuppression(disclosed=disclosed, domain=tuple(self.values))


def open_columns(task: Task, metric: SearchMetric, *, midpoint: bool = False) -> list[Column]:
    """Return every attribute of a task in its most masked state."""
    return [open_column(task, index, metric, midpoint=midpoint) for index in range(len(task.attributes))]


def open_column(task: Task, index: int, metric: SearchMetric, *, midpoint: bool = False) -> Column:
    """Return one attribute of a task in its most masked state."""
    table, attribute = task.table, task.attributes[index]
    if task.target is not None:
        classes = table.extra_codes[:, table.extra.index(task.target)].astype(np.int64)
        width = max(len(table.dictionaries[task.target]), 1)
    else:
        classes, width = np.zeros(len(table), np.int64), 1
    values = table.dictionaries[attribute.name].values
    key = table.codes[:, index].astype(np.int64) * width + classes
    counts = np.bincount(key, weights=table.weights, minlength=len(values) * width)
    by_value = counts.astype(np.int64).reshape(len(values), width)
    match attribute.kind:
        case "taxonomy":
            return TaxonomyColumn(attribute, values, by_value, metric)
        case "interval":
            return IntervalColumn(attribute, values, by_value, metric, midpoint)
        case "suppress":
            return SuppressColumn(attribute, values, by_value, metric)


def recodings(columns: Sequence[Column]) -> dict[str, ColumnRecoding]:
    """Return the current state of all columns as recodings."""
    return {column.name: column.recoding() for column in columns}
