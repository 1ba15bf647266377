"""The space that boxes of records lie in: an axis for each quasi-identifier, coordinates of values, labels of sides.

Numbers lie on a line by size, values of a tree at its leaves from left to right, all other values on a line in their order.
A side of a box is a run of coordinates; what is published of it is an interval, a node of the tree, or ``first..last``.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypedDict, cast

import numpy as np

from sfumato.contracts.algorithm import Attribute
from sfumato.contracts.engine import Table
from sfumato.data.compressed import CompressedTable, Dictionary
from sfumato.data.text import SUPPRESSED, Line, interval_label, number_text, to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Codes, Floats, Ints
from sfumato.kernels.axes import Axes
from sfumato.recodings.cell_generalization import CellGeneralization
from sfumato.recodings.multidimensional_generalization import MultidimensionalGeneralization

__all__ = ["BoxSpace", "rows_of_codes", "rows_of_records"]

_BITS = 62


class Scales(TypedDict, total=False):
    """What says how values of a column cover others: its tree, the range of its numbers, or the order of its texts."""

    trees: dict[str, Tree]
    ranges: dict[str, tuple[float, float]]
    orders: dict[str, tuple[str, ...]]


class BoxSpace:
    """The axes of some attributes, over the values that occur."""

    def __init__(self, attributes: Sequence[Attribute], dictionaries: Mapping[str, Dictionary]) -> None:
        self.attributes = tuple(attributes)
        self.names = tuple(attribute.name for attribute in attributes)
        self.values = [dictionaries[name].values for name in self.names]
        self.lines: list[Line | None] = []  # where numbers lie; None for other values
        self.places: list[Codes | None] = []  # coordinate of each code; None where they are the same
        lines: list[Floats] = []
        leaves: list[Ints] = []
        nodes: list[tuple[Ints, Codes, Codes, list[tuple[int, ...]]]] = []
        self.node_at: list[int] = []
        known = 0
        for attribute, values in zip(self.attributes, self.values, strict=True):
            self.node_at.append(known)
            tree = attribute.tree
            numeric = tree is None and attribute.type.numeric
            self.lines.append(Line.of(cast("Sequence[float]", values)) if numeric else None)
            if tree is not None:
                self.places.append(tree.encode(values, column=attribute.name))
                lines.append(np.zeros(len(tree.leaves)))
                leaves.append(tree.leaf_nodes.astype(np.int64) + known)
                parent = np.where(tree.parent < 0, -1, tree.parent + known).astype(np.int64)
                below = [tuple(child + known for child in children) for children in tree.children]
                nodes.append((parent, tree.leaf_first, tree.leaf_last, below))
                known += len(tree)
                continue
            self.places.append(None)
            leaves.append(np.full(len(values), -1, np.int64))
            line = self.lines[-1]
            if line is not None:
                lines.append(line.places(values))
            else:
                self._refuse_texts(attribute.name, values)
                lines.append(np.arange(len(values), dtype=np.float64))
        self.axes = self._joined(lines, leaves, nodes)

    def _refuse_texts(self, name: str, values: Sequence[Hashable]) -> None:
        """Refuse values that could be mistaken for a run of values."""
        texts = [to_text(value) for value in values]
        if len(set(texts)) < len(texts) or any(".." in text or text == SUPPRESSED for text in texts):
            raise BadRequest(
                "needs a hierarchy: a run of its values would be written first..last, and some hold .. or are *",
                column=name,
                parameter="hierarchy",
            )

    def _joined(
        self,
        lines: Sequence[Floats],
        leaves: Sequence[Ints],
        nodes: Sequence[tuple[Ints, Codes, Codes, list[tuple[int, ...]]]],
    ) -> Axes:
        spans = [
            len(line) - 1.0 if attribute.tree is not None else float(line[-1] - line[0]) if len(line) else 0.0
            for attribute, line in zip(self.attributes, lines, strict=True)
        ]
        below = [children for _, _, _, listed in nodes for children in listed]
        ends = np.cumsum([0, *(len(children) for children in below)])
        whole = np.zeros(0, np.int64)
        return Axes(
            tree=np.array([attribute.tree is not None for attribute in self.attributes], np.bool_),
            place=np.cumsum([0, *(len(line) for line in lines[:-1])]).astype(np.int64),
            position=np.concatenate(lines),
            span=np.array(spans, np.float64),
            leaf=np.concatenate(leaves),
            parent=np.concatenate([whole, *(part[0] for part in nodes)]),
            first=np.concatenate([whole, *(part[1] for part in nodes)]).astype(np.int64),
            last=np.concatenate([whole, *(part[2] for part in nodes)]).astype(np.int64),
            child_from=ends[:-1].astype(np.int64),
            child_to=ends[1:].astype(np.int64),
            child=np.array([child for children in below for child in children], np.int64),
        )

    def points(self, codes: Codes) -> Codes:
        """Return coordinates for codes; a copy that may be changed."""
        out = np.empty(codes.shape, np.int32)
        for at, place in enumerate(self.places):
            out[:, at] = codes[:, at] if place is None else place[codes[:, at]]
        return out

    # ---- what is published -------------------------------------------------------------------------------------------

    def scales(self) -> Scales:
        """Return the trees, ranges and orders of the columns, as recodings of whole records take them."""
        out: Scales = {}
        for attribute, values in zip(self.attributes, self.values, strict=True):
            if attribute.tree is not None:
                out.setdefault("trees", {})[attribute.name] = attribute.tree
            elif attribute.type.numeric:
                out.setdefault("ranges", {})[attribute.name] = self._ends(attribute, cast("Sequence[float]", values))
            else:
                out.setdefault("orders", {})[attribute.name] = tuple(to_text(value) for value in values)
        return out

    def _ends(self, attribute: Attribute, values: Sequence[float]) -> tuple[float, float]:
        low, high = attribute.range or (values[0], values[-1])
        return min(low, values[0]), max(high, values[-1])

    def box_labels(self, low: Codes, high: Codes) -> list[list[str]]:
        """Return the labels of boxes, column by column: the smallest that cover the lowest to the highest coordinate."""
        out = []
        for at, attribute in enumerate(self.attributes):
            pairs, number = _pairs(low[:, at], high[:, at])
            labels = [self._box_label(at, attribute, *pair) for pair in pairs]
            out.append([labels[place] for place in number.tolist()])
        return out

    def _box_label(self, at: int, attribute: Attribute, low: int, high: int) -> str:
        values: Any = self.values[at]
        if attribute.tree is not None:
            tree = attribute.tree
            node = int(tree.leaf_nodes[low])
            while tree.leaf_last[node] <= high:
                node = int(tree.parent[node])
            return tree.labels[node]
        if low == high:
            return to_text(values[low])
        if attribute.type.numeric:
            return interval_label(values[low], values[high], closed=True)
        return f"{to_text(values[low])}..{to_text(values[high])}"

    def region_labels(self, low: Codes, high: Codes) -> list[list[str]]:
        """Return the labels of regions, column by column: from a coordinate up to one that is outside; nodes of trees."""
        out = []
        for at, attribute in enumerate(self.attributes):
            pairs, number = _pairs(low[:, at], high[:, at])
            labels = [self._region_label(at, attribute, *pair) for pair in pairs]
            out.append([labels[place] for place in number.tolist()])
        return out

    def _region_label(self, at: int, attribute: Attribute, low: int, high: int) -> str:
        values: Any = self.values[at]
        if attribute.tree is not None:
            return attribute.tree.labels[low - self.node_at[at]]
        if not attribute.type.numeric:
            return self._box_label(at, attribute, low, high - 1)
        least, most = self._ends(attribute, values)
        first = least if low == 0 else values[low]
        if high < len(values):
            return interval_label(first, values[high])
        return number_text(most) if first == most else interval_label(first, most, closed=True)

    def boxes(self, labels: Sequence[Sequence[str]]) -> MultidimensionalGeneralization:
        """Return the recoding of whole records that publishes boxes, given by the labels of their sides."""
        boxes = tuple(zip(*labels, strict=True))
        return MultidimensionalGeneralization(qid=self.names, boxes=boxes, **self.scales())

    def cells(self, labels: Sequence[Sequence[str]], group: Ints, low: Codes, high: Codes) -> CellGeneralization:
        """Return the recoding of single cells that publishes the box of each record's group; single values stay."""
        cells: list[tuple[int, str, str]] = []
        for at, name in enumerate(self.names):
            rows = np.flatnonzero((low[:, at] < high[:, at])[group])
            shown = labels[at]
            cells += [(row, name, shown[box]) for row, box in zip(rows.tolist(), group[rows].tolist(), strict=True)]
        return CellGeneralization(cells=tuple(cells), **self.scales())

    def cut_label(self, at: int, cut: int, upper: int) -> str:
        """Return how a cut is named: the node that falls into its children, or the first value of the upper part."""
        tree = self.attributes[at].tree
        return to_text(self.values[at][upper]) if tree is None else tree.labels[cut - self.node_at[at]]


def _pairs(low: Codes, high: Codes) -> tuple[list[tuple[int, int]], Ints]:
    """Return the different pairs of bounds, and for each box which of them it has."""
    room = int(high.max(initial=0)) + 1
    keys, number = np.unique(low.astype(np.int64) * room + high, return_inverse=True)
    first, last = np.divmod(keys, room)
    return list(zip(first.tolist(), last.tolist(), strict=True)), number.reshape(-1)


def rows_of_records(table: CompressedTable, raw: Table) -> Ints:
    """Return for each different record of a table, in order, the first row of its compressed form that is like it."""
    return rows_of_codes(table, np.column_stack([held.codes for held in raw.counts(table.columns).keys]))


def rows_of_codes(table: CompressedTable, codes: Codes) -> Ints:
    """Return the first row of a compressed table that has some codes; any row where there is none.

    Rows of a compressed table stand in the order of their codes, so a row is found by halving.
    """
    own, asked = np.zeros(len(table), np.int64), np.zeros(len(codes), np.int64)
    used = 0
    for at, name in enumerate(table.columns):
        bits = max(len(table.dictionaries[name]) - 1, 0).bit_length()
        if used + bits > _BITS:
            # Out of bits: the combinations so far are replaced by their rank.
            fresh = np.append(True, own[1:] != own[:-1])
            known = own[fresh]
            own, asked = np.cumsum(fresh) - 1, np.searchsorted(known, asked)
            used = len(known).bit_length()
        own = own << bits | table.codes[:, at]
        asked = asked << bits | codes[:, at]
        used += bits
    order = np.argsort(asked)
    out = np.empty(len(asked), np.int64)
    out[order] = np.searchsorted(own, asked[order])  # neighbours are found near each other
    return np.minimum(out, len(own) - 1)
