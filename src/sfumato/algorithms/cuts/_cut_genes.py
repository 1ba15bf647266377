"""Cuts as strings of bits: one bit for each place where a column could be shown in more detail.

A column with a tree has a bit for each inner node ("its children are shown"), which counts only if the bits of all nodes
above it are set, so every string is a cut. A column of numbers has a bit for each boundary between neighbouring values, a
column without a tree one for each value ("it is disclosed").
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import cast

import numpy as np

from sfumato.contracts.algorithm import Attribute, Task
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.data.text import SUPPRESSED, interval_label, number_array, to_text
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools, Floats, Ints
from sfumato.recodings.discretization import Discretization
from sfumato.recodings.subtree_generalization import SubtreeGeneralization
from sfumato.recodings.value_suppression import ValueSuppression

__all__ = ["ColumnGenes", "genes_of"]

Bits = Bools
Slots = Ints


class ColumnGenes(ABC):
    """The bits of one column: how many, what they show of each code, what that costs, and the recoding they stand for.

    ``width`` bounds the slots from above. ``cuts`` counts the different states.
    """

    def __init__(self, attribute: Attribute, values: Sequence[Hashable], bits: int, width: int, cuts: int) -> None:
        self.attribute = attribute
        self.values = values
        self.bits = bits
        self.width = width
        self.cuts = cuts

    @abstractmethod
    def decode(self, bits: Bits) -> tuple[Slots, Floats]:
        """Return for each code the slot it is shown as, and the share of the domain that this leaves open."""

    @abstractmethod
    def recoding(self, bits: Bits) -> ColumnRecoding:
        """Return the state as a recoding."""


class TreeGenes(ColumnGenes):
    """One bit for each inner node above a value that occurs, in pre-order; slots are nodes."""

    def __init__(self, attribute: Attribute, values: Sequence[Hashable]) -> None:
        assert attribute.tree is not None
        self.tree = tree = attribute.tree
        leaf = tree.encode(values, column=attribute.name)
        # From the root down to the leaf, which repeats: it has no bit, so nothing is read past it.
        paths = np.repeat(tree.leaf_nodes[leaf][:, None], tree.height + 1, axis=1).astype(np.int64)
        for code, node in enumerate(tree.leaf_nodes[leaf].tolist()):
            way = [node]
            while tree.parent[way[-1]] >= 0:
                way.append(int(tree.parent[way[-1]]))
            paths[code, : len(way)] = way[::-1]
        self.paths = paths
        inner = [node for node in np.unique(paths).tolist() if tree.children[node]]
        self.inner = np.array(inner, np.int64)
        self.cost = (tree.leaf_count - 1) / max(len(tree.leaves) - 1, 1)
        super().__init__(attribute, values, len(inner), len(tree), tree.cut_count())

    def decode(self, bits: Bits) -> tuple[Slots, Floats]:
        """Follow the bits from the root until one is not set."""
        opened = np.zeros(len(self.tree), np.int64)
        opened[self.inner] = bits
        depth = np.cumprod(opened[self.paths], axis=1).sum(axis=1)
        slots = self.paths[np.arange(len(self.paths)), depth]
        return slots, self.cost[slots]

    def recoding(self, bits: Bits) -> ColumnRecoding:
        """Return the cut; branches without any value stay closed."""
        opened = set(self.inner[bits].tolist())
        cut, stack = [], [0]
        while stack:
            node = stack.pop()
            if node in opened:
                stack.extend(reversed(self.tree.children[node]))
            else:
                cut.append(self.tree.labels[node])
        return SubtreeGeneralization(tree=self.tree, hierarchy=self.attribute.builder, cut=tuple(cut))


class IntervalGenes(ColumnGenes):
    """One bit for each value but the smallest: an interval begins there; slots are intervals from low to high."""

    def __init__(self, attribute: Attribute, values: Sequence[Hashable]) -> None:
        # As they were given: whole numbers stay whole.
        self.given = cast("Sequence[float]", values)
        self.numbers = number_array(values)
        self.low, self.high = attribute.range or (self.given[0], self.given[-1])
        if self.numbers[0] < self.low or self.numbers[-1] > self.high:
            raise BadRequest(
                f"holds numbers outside its declared range {interval_label(self.low, self.high)}", column=attribute.name
            )
        super().__init__(attribute, values, len(values) - 1, len(values), 2 ** (len(values) - 1))

    def decode(self, bits: Bits) -> tuple[Slots, Floats]:
        """Number the intervals and take their widths."""
        slots = np.zeros(len(self.numbers), np.int64)
        np.cumsum(bits, out=slots[1:])
        edges = np.concatenate([number_array([self.low]), self.numbers[1:][bits], number_array([self.high])])
        span = float(self.high - self.low)
        return slots, np.asarray(np.diff(edges) / (span or 1.0), np.float64)[slots]

    def recoding(self, bits: Bits) -> ColumnRecoding:
        """Return the edges of the intervals."""
        inner = [value for value, begins in zip(self.given[1:], bits.tolist(), strict=True) if begins]
        return Discretization(edges=(self.low, *inner, self.high), closed=bool(self.numbers[-1] == self.high))


class ValueGenes(ColumnGenes):
    """One bit for each value: it is disclosed; slot 0 is the symbol for all the others."""

    def __init__(self, attribute: Attribute, values: Sequence[Hashable]) -> None:
        if any(to_text(value) == SUPPRESSED for value in values):
            raise BadRequest(
                f"holds the value {SUPPRESSED!r}, which stands for suppressed values", column=attribute.name
            )
        super().__init__(attribute, values, len(values), len(values) + 1, 2 ** len(values))

    def decode(self, bits: Bits) -> tuple[Slots, Floats]:
        """Show a value or the symbol, which stands for all that are hidden."""
        hidden = len(bits) - int(bits.sum())
        slots = np.where(bits, np.arange(1, len(bits) + 1), 0)
        return slots, np.where(bits, 0.0, max(hidden - 1, 0) / max(len(bits) - 1, 1))

    def recoding(self, bits: Bits) -> ColumnRecoding:
        """Return the disclosed values."""
        disclosed = tuple(value for value, shown in zip(self.values, bits.tolist(), strict=True) if shown)
        return ValueSuppression(disclosed=disclosed, domain=tuple(self.values))


def genes_of(task: Task) -> list[ColumnGenes]:
    """Return the genes of every attribute of a task, in order."""
    kinds: dict[str, type[TreeGenes] | type[IntervalGenes] | type[ValueGenes]] = {
        "taxonomy": TreeGenes,
        "interval": IntervalGenes,
        "suppress": ValueGenes,
    }
    return [
        kinds[attribute.kind](attribute, task.table.dictionaries[attribute.name].values)
        for attribute in task.attributes
    ]
