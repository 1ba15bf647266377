"""Classes of persons who are shown alike: which lie nearest to each other, and what is shown of those that became one."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.kernels.arrays import Bools, Codes, Floats, Ints
from sfumato.searches.box_space import BoxSpace

__all__ = ["PersonClasses"]


@dataclass(eq=False)
class PersonClasses:
    """Persons as points of the space of their columns, and the members of each class; those of one that went are none.

    ``low`` and ``high`` are the corners of the smallest box around a class. Two classes are as far from each other as the box
    around both is wide: the mean over the columns of ``(leaves under the lowest common node - 1) / (leaves - 1)``, or of the
    length of the interval over the whole (the normalized certainty penalty).
    """

    space: BoxSpace
    points: Codes
    members: list[Ints]
    low: Codes = field(init=False)
    high: Codes = field(init=False)
    there: Bools = field(init=False)
    merged: Bools = field(init=False)

    def __post_init__(self) -> None:
        """Find the boxes."""
        self.low = np.array([self.points[which].min(axis=0) for which in self.members], np.int32)
        self.high = np.array([self.points[which].max(axis=0) for which in self.members], np.int32)
        self.there = np.ones(len(self.members), np.bool_)
        self.merged = np.zeros(len(self.members), np.bool_)

    def merge(self, at: int) -> int:
        """Let a class join the nearest one, of equally near ones the smallest, then the first; return which."""
        low, high = np.minimum(self.low, self.low[at]), np.maximum(self.high, self.high[at])
        sizes = np.array([len(which) for which in self.members])
        able = np.flatnonzero(self.there & (np.arange(len(sizes)) != at))
        into = int(able[np.lexsort((able, sizes[able], self.spread(low[able], high[able])))[0]])
        self.low[into], self.high[into] = low[into], high[into]
        self.members[into] = np.sort(np.concatenate((self.members[into], self.members[at])))
        self.members[at] = self.members[at][:0]
        self.there[at], self.merged[into] = False, True
        return into

    def spread(self, low: Codes, high: Codes) -> Floats:
        """Return how wide boxes are: 0 for a point, 1 for everything."""
        axes, out = self.space.axes, np.zeros(len(low))
        for at, attribute in enumerate(self.space.attributes):
            if attribute.tree is None:
                line = axes.position[axes.place[at] :]
                width = line[high[:, at]] - line[low[:, at]]
            else:
                tree, node = attribute.tree, attribute.tree.leaf_nodes[low[:, at]]
                while (below := tree.leaf_last[node] <= high[:, at]).any():
                    node = np.where(below, tree.parent[node], node)
                width = tree.leaf_count[node] - 1.0
            out += width / max(float(axes.span[at]), 1e-300)
        return out / len(self.space.attributes)

    def shown(self, masked: Table) -> dict[str, list[object]]:
        """Return what is shown of each person, by column: for classes that became one the smallest box, else what was."""
        labels = self.space.box_labels(self.low, self.high)
        columns = [list(column) for column in zip(*masked.select(self.space.names).to_rows(), strict=True)]
        for number in np.flatnonzero(self.there & self.merged).tolist():
            for person in self.members[number].tolist():
                for at, column in enumerate(columns):
                    column[person] = labels[at][number]
        return dict(zip(self.space.names, columns, strict=True))
