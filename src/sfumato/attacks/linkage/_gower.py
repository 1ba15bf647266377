"""Gower's distance between published and raw records: a table of labels by values for each column, and their weighted mean."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from datetime import date, datetime, timedelta

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Reading
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.data.text import MISSING_LABEL, parse_interval, to_text
from sfumato.data.tree import Tree
from sfumato.kernels.arrays import Codes, Floats, Ints
from sfumato.recodings.scales import TreeScale

__all__ = ["STEPS", "GowerDistances"]

STEPS = 1 << 40  # steps of distances, so that what is equally far is so on every machine


@frozen(eq=False)
class GowerDistances:
    """Codes of published and raw rows, column by column, and of each column the weighted distances of label and value.

    The last entry of both sides stands for what is missing, so that the code -1 finds it.
    """

    published: Codes
    raw: Codes
    tables: tuple[Floats, ...]

    @classmethod
    def of(
        cls,
        published: Table,
        raw: Table,
        columns: Sequence[str],
        weights: Sequence[float],
        readings: Mapping[str, Reading],
    ) -> GowerDistances:
        """Measure every published value of a column from every raw one."""
        tables = []
        for name, weight in zip(columns, weights, strict=True):
            labels, values = published.dictionary(name).values, raw.dictionary(name).values
            found = _column(labels, values, raw.types[name], readings.get(name))
            tables.append(found * (weight / sum(weights)))
        return cls(published.as_rows().codes(columns), raw.as_rows().codes(columns), tuple(tables))

    @property
    def raw_rows(self) -> int:
        """Number of raw records."""
        return len(self.raw)

    def steps(self, rows: slice) -> Ints:
        """Return the distances of some published records from all raw ones, in whole steps."""
        out = np.zeros((len(self.published[rows]), len(self.raw)))
        for at, table in enumerate(self.tables):
            out += table[np.ix_(self.published[rows, at], self.raw[:, at])]
        return np.rint(out * STEPS).astype(np.int64)


def _column(
    labels: Sequence[Hashable], values: Sequence[Hashable], kind: ColumnType, reading: Reading | None
) -> Floats:
    """Return the distance of each label from each value; a label that is missing lies 0 from what is missing alone."""
    out = np.ones((len(labels) + 1, len(values) + 1))
    out[-1, -1] = 0.0
    absent = [at for at, label in enumerate(labels) if label == MISSING_LABEL]
    if MISSING_LABEL not in values:
        out[absent, -1] = 0.0
    known = [at for at in range(len(labels)) if at not in absent or MISSING_LABEL in values]
    shown = [labels[at] for at in known]
    points = _points(shown, kind), _points(values, kind)
    nodes = (
        (None, None)
        if not isinstance(reading, TreeScale)
        else (_nodes(reading.tree, shown), _nodes(reading.tree, values))
    )
    if points[0] is not None and points[1] is not None:
        found = _gaps(points[0], points[1])
    elif nodes[0] is not None and nodes[1] is not None and isinstance(reading, TreeScale):
        found = _shares(reading.tree, nodes[0], nodes[1])
    else:
        texts = {to_text(value): at for at, value in enumerate(values)}
        found = np.ones((len(shown), len(values)))
        for at, label in enumerate(shown):
            if (place := texts.get(to_text(label))) is not None:
                found[at, place] = 0.0
    out[np.ix_(known, range(len(values)))] = found
    return out


def _gaps(labels: Floats, values: Floats) -> Floats:
    apart = np.abs(labels[:, None] - values)
    span = float(np.ptp(values)) if len(values) else 0.0
    return apart / span if span > 0 else (apart > 0).astype(np.float64)


def _points(values: Sequence[Hashable], kind: ColumnType) -> Floats | None:
    """Return values as numbers, dates as days, intervals as their middle; nothing if one is none of these."""
    if not (kind.numeric or kind in (ColumnType.DATE, ColumnType.DATETIME)):
        return None
    out = []
    for value in values:
        point = _point(value, numeric=kind.numeric)
        if point is None:
            return None
        out.append(point)
    return np.array(out, np.float64)


def _point(value: Hashable, *, numeric: bool) -> float | None:
    if isinstance(value, datetime):
        return (value.replace(tzinfo=None) - datetime(1, 1, 1)) / timedelta(days=1)
    if isinstance(value, date):
        return float((value - date(1, 1, 1)).days)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    bounds = parse_interval(value) if isinstance(value, str) and numeric else None
    if bounds is not None:
        return (bounds[0] + bounds[1]) / 2
    try:
        return float(str(value)) if numeric else None
    except ValueError:
        return None


def _nodes(tree: Tree, values: Sequence[Hashable]) -> Ints | None:
    """Return where values stand in a tree, as a leaf or as a label; nothing if one has no place."""
    out = []
    for value in values:
        leaf = tree.leaf_number.get(value)
        node = int(tree.leaf_nodes[leaf]) if leaf is not None else tree.node_of.get(to_text(value))
        if node is None:
            return None
        out.append(node)
    return np.array(out, np.int64)


def _shares(tree: Tree, labels: Ints, values: Ints) -> Floats:
    """Return the share of leaves below the lowest node above both, 0 where both are the same."""
    out = np.zeros((len(labels), len(values)))
    first, last, count = tree.leaf_first, tree.leaf_last, tree.leaf_count
    for at, label in enumerate(labels.tolist()):
        node, left = label, np.flatnonzero(values != label)
        while len(left):
            inside = (first[values[left]] >= first[node]) & (last[values[left]] <= last[node])
            out[at, left[inside]] = count[node] / count[0]
            left, node = left[~inside], int(tree.parent[node])
    return out
