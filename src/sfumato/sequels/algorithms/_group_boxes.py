"""Boxes of small groups: a bucket is halved until each group has one record of each value, and a group shows its span."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.data.text import SUPPRESSED, Line, interval_label, to_text
from sfumato.data.tree import Tree
from sfumato.data.words import counted
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Codes, Floats, Ints
from sfumato.sequels.algorithms._halving_kernels import halve

__all__ = ["Axis", "axes_of", "boxes_of", "halved", "places_of"]


@frozen(eq=False)
class Axis:
    """One quasi-identifier as an order: numbers by size, leaves of a tree from left to right, other values by themselves."""

    name: str
    values: tuple[Hashable, ...]
    place: Floats
    tree: Tree | None
    numeric: bool

    def labels(self, codes: Codes, start: Ints) -> list[str]:
        """Return what each group shows: its span, the lowest common node, or the symbol of everything.

        Codes of a group lie side by side from its start on. A group of one record must not show a single value: it takes
        its neighbour in.
        """
        held = codes if self.tree is None else self.place[codes].astype(np.int64)
        alone = np.diff(start, append=len(codes)) == 1
        ends = zip(np.minimum.reduceat(held, start), np.maximum.reduceat(held, start), alone, strict=True)
        known: dict[tuple[int, int, bool], str] = {}
        out = []
        for low, high, widen in ends:
            span = int(low), int(high), bool(widen)
            if span not in known:
                known[span] = self._label(*span)
            out.append(known[span])
        return out

    def _label(self, low: int, high: int, widen: bool) -> str:
        """Return the label of a span, of codes or of leaves."""
        if self.numeric:
            if widen and low == high:
                low, high = (low, high + 1) if high + 1 < len(self.values) else (max(low - 1, 0), high)
            return interval_label(self.values[low], self.values[high], closed=True)  # type: ignore[arg-type]
        if self.tree is None:
            return SUPPRESSED if widen or low != high else to_text(self.values[low])
        node = int(self.tree.leaf_nodes[low])
        if widen and low == high and node:
            node = int(self.tree.parent[node])
        while self.tree.leaf_last[node] <= high:
            node = int(self.tree.parent[node])
        return self.tree.labels[node]


def axes_of(table: Table, names: Sequence[str], trees: Mapping[str, Tree]) -> list[Axis]:
    """Return every quasi-identifier as an axis; places are scaled to one unit over what occurs."""
    out = []
    for name in names:
        held = table.dictionary(name)
        if held.missing:
            raise BadRequest(f"{counted(held.missing, 'record has', 'records have')} no value", column=name)
        tree, numeric = trees.get(name), table.types[name].numeric and name not in trees
        if tree is not None:
            place = tree.encode(held.values, column=name).astype(np.float64)
        elif numeric:
            place = np.asarray(Line.of(held.values).places(held.values), np.float64)  # type: ignore[arg-type]
        else:
            place = np.arange(len(held.values), dtype=np.float64)
        out.append(Axis(name, held.values, place, tree, numeric))
    return out


def places_of(axes: Sequence[Axis], codes: Codes) -> Floats:
    """Return the place of each record on each axis, from 0 to 1."""
    out = np.empty(codes.shape, np.float64)
    for at, axis in enumerate(axes):
        place = axis.place[codes[:, at]]
        width = float(place.max(initial=0.0) - place.min(initial=0.0)) or 1.0
        out[:, at] = place / width
    return out


def halved(lists: Sequence[Sequence[int]], places: Floats) -> list[Ints]:
    """Return the groups of a bucket, one record of each value: a list for each value, all as long, -1 a counterfeit."""
    parted = np.array(lists, np.int64)
    if places.shape[1]:
        halve(parted, places)
    return list(parted.T)


def boxes_of(axes: Sequence[Axis], codes: Codes, groups: Sequence[Sequence[int] | Ints]) -> list[tuple[str, ...]]:
    """Return what each group of records shows, none of them empty, in every quasi-identifier."""
    sizes = np.array([len(group) for group in groups], np.int64)
    some, start = np.concatenate([np.asarray(group, np.int64) for group in groups]), np.cumsum(sizes) - sizes
    shown = [axis.labels(codes[some, at], start) for at, axis in enumerate(axes)]
    return list(zip(*shown, strict=True)) if axes else [()] * len(groups)
