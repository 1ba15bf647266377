"""Equivalence classes of a series as nodes of trees: what every comparison of its releases counts on."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.data.text import SUPPRESSED, as_held, parse_interval, to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.distinct import found_among
from sfumato.groups.stats import CodedKeys, GroupStats, Histogram
from sfumato.kernels.arrays import Codes, Ints
from sfumato.sequels.series import Series

__all__ = ["Classes", "SeriesClasses", "column_trees", "is_antichain"]


@frozen(eq=False)
class Classes:
    """The classes of one release, and their groups by sensitive value.

    Codes of ``histogram`` index the sensitive values of the whole series. A *group* of a class is the records of one value.
    """

    groups: GroupStats
    histogram: Histogram

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def sizes(self) -> Ints:
        """Number of records in each class."""
        return self.groups.sizes


@frozen(eq=False)
class SeriesClasses:
    """The classes of all releases of a series, counted over the sensitive values of all of them."""

    series: Series
    releases: tuple[Classes, ...]

    @classmethod
    def of(cls, series: Series) -> SeriesClasses:
        """Count the classes of every release; refuse releases without the columns of the series, and missing values."""
        series.alike()
        counted = [series.groups(number) for number in range(len(series))]
        for groups in counted:
            for name, keys in zip(series.qid, groups.keys, strict=True):
                if (CodedKeys.of(keys).codes < 0).any():
                    raise BadRequest("releases of a series must not have missing values", column=name)
        place: dict[Hashable, int] = {}
        for groups in counted:
            for value in groups.histograms[series.protected].values:
                place.setdefault(value, len(place))
        releases = []
        for groups in counted:
            held = groups.histograms[series.protected]
            code = np.array([place[value] for value in held.values], np.int64)
            releases.append(Classes(groups, Histogram(tuple(place), held.start, code[held.code], held.count)))
        return cls(series, tuple(releases))

    @cached_property
    def trees(self) -> tuple[Tree, ...]:
        """A tree for each column that the labels of all releases are nodes of."""
        return column_trees(self.series)

    @cached_property
    def nodes(self) -> tuple[Codes, ...]:
        """The node that each class of each release shows in each column."""
        out = []
        for one in self.releases:
            shown = np.empty((len(one), len(self.trees)), np.int32)
            for at, (name, tree, keys) in enumerate(zip(self.series.qid, self.trees, one.groups.keys, strict=True)):
                coded = CodedKeys.of(keys)
                shown[:, at] = nodes_of(tree, coded.values, column=name)[coded.codes]
            out.append(shown)
        return tuple(out)

    @cached_property
    def cuts(self) -> tuple[tuple[Ints, ...], ...]:
        """The nodes that each release shows in each column."""
        return tuple(tuple(np.unique(column).astype(np.int64) for column in nodes.T) for nodes in self.nodes)

    @cached_property
    def uncut(self) -> str | None:
        """The column in which a release shows a value and another one above it; ``None`` if every release is a cut."""
        for shown in self.cuts:
            for name, tree, nodes in zip(self.series.qid, self.trees, shown, strict=True):
                if not is_antichain(tree, nodes):
                    return name
        return None

    @property
    def is_cut(self) -> bool:
        """Whether every release is a cut of one common tree in each column."""
        try:
            return self.uncut is None
        except Unsupported:  # intervals of no common tree
            return False

    def refuse_uncut(self) -> None:
        """Refuse releases that are no cuts: there comparable classes are not found by hashing."""
        if self.uncut is not None:
            raise Unsupported(
                f"column {self.uncut!r} shows a value and another one above it in one release: closed forms hold for cuts of "
                "one hierarchy only",
                thing="bcf-anonymity",
                alternatives=["bcf-anonymity with attacks: exact", "bcf-oracle"],
            )

    def class_of(self, release: int, table: Table) -> tuple[Ints, Ints]:
        """Return the class of each distinct raw row in a release, -1 where none covers it, and the rows' numbers of records.

        Raw rows climb from their leaf to the node that the release shows; each release is a cut.
        """
        self.refuse_uncut()
        cells = table.groups(self.series.qid)
        nodes = np.empty((len(cells), len(self.trees)), np.int32)
        for at, (name, tree, keys) in enumerate(zip(self.series.qid, self.trees, cells.keys, strict=True)):
            coded = CodedKeys.of(keys)
            shown = shown_above(tree, self.cuts[release][at])
            nodes[:, at] = shown[nodes_of(tree, coded.values, column=name)][coded.codes]
        return found_among(self.nodes[release], nodes), cells.sizes


def nodes_of(tree: Tree, labels: Sequence[Hashable], *, column: str) -> Codes:
    """Return the node of each label, or of the leaf that a raw value is; labels without a node are refused by number."""
    found = [tree.node_of.get(to_text(label), -1) for label in labels]
    for at, label in enumerate(labels):
        leaf = tree.leaf_number.get(label)
        if leaf is not None and (found[at] < 0 or not isinstance(label, str)):
            found[at] = int(tree.leaf_nodes[leaf])
    lacking = [label for label, node in zip(labels, found, strict=True) if node < 0]
    if lacking:
        raise tree.unknown(lacking, column=column)
    return np.array(found, np.int32)


def is_antichain(tree: Tree, nodes: Ints) -> bool:
    """Tell whether no node lies above another one: the nodes are those of a cut, or of a part of one."""
    rising = np.sort(nodes)  # pre-order: whoever is above comes first, and nothing lies between that is not below it
    return bool((tree.leaf_last[rising[:-1]] <= tree.leaf_first[rising[1:]]).all())


def shown_above(tree: Tree, cut: Ints) -> Codes:
    """Return for each node the node of a cut at or above it, -1 where there is none."""
    held = np.zeros(len(tree), bool)
    held[cut] = True
    found = np.full(len(tree), -1, np.int32)
    for node, above in enumerate(tree.parent):  # parents come first
        found[node] = node if held[node] else found[above] if above >= 0 else -1
    return found


def column_trees(series: Series) -> tuple[Tree, ...]:
    """Return a tree for each quasi-identifier: the one of the series, or one that the labels themselves make.

    Without a hierarchy a label stands for itself and ``*`` for everything; intervals are nested by what they contain.
    Intervals that overlap and do not contain each other are of no common tree and refused.

    >>> series = Series.of([{"Age": ["[20-40)"], "S": ["x"]}, {"Age": ["[20-30)", "[30-40)"], "S": ["x", "y"]}],
    ...                    qid=["Age"], sensitive="S")
    >>> column_trees(series)[0].to_levels()
    [('[20-30)', '[20-40)', '*'), ('[30-40)', '[20-40)', '*')]
    """
    return tuple(series.trees[name] if name in series.trees else _made_tree(series, name) for name in series.qid)


def _made_tree(series: Series, column: str) -> Tree:
    labels = sorted(
        {to_text(value) for table in series.releases for value in table.dictionary(column).values} - {SUPPRESSED}
    )
    if not labels:
        return Tree.from_nested(SUPPRESSED)
    ranges = {label: found for label in labels if (found := parse_interval(label)) is not None}
    if not ranges:
        return Tree.flat(labels, column=column)
    points = {label: as_held(label, ColumnType.NUMBER) for label in labels if label not in ranges}
    ranges |= {label: (point, point, True) for label, point in points.items() if isinstance(point, (int, float))}
    if len(ranges) < len(labels):
        raise BadRequest("shows intervals and other values: give the hierarchy of the column", column=column)
    # Wider ones first at equal beginnings, so that whatever contains an interval comes before it.
    order = sorted(labels, key=lambda label: (ranges[label][0], -ranges[label][1], not ranges[label][2]))
    below: dict[str, list[object]] = {SUPPRESSED: []}
    path: list[str] = []
    for label in order:
        low, high, closed = ranges[label]
        while path and _ends(ranges[path[-1]]) <= (low, False):
            path.pop()
        if path and _ends(ranges[path[-1]]) < (high, closed):
            raise Unsupported(
                f"column {column!r} shows intervals that overlap and are of no common hierarchy",
                thing="bcf-anonymity",
                alternatives=["bcf-oracle"],
            )
        below[label] = []
        below[path[-1] if path else SUPPRESSED].append({label: below[label]})
        path.append(label)
    return Tree.from_nested({SUPPRESSED: below[SUPPRESSED]}, column=column)


def _ends(bounds: tuple[float, float, bool]) -> tuple[float, bool]:
    return bounds[1], bounds[2]
