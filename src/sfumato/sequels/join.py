"""The join of a series: releases with different columns, put together by whoever kept them all; counted, never written out."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Names
from sfumato.data.frozen import frozen
from sfumato.data.text import SUPPRESSED, to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.cells import Cells
from sfumato.groups.stats import CodedKeys, GroupStats, Histogram
from sfumato.kernels.arrays import Bools, Codes, Ints
from sfumato.sequels._joined_groups import NOBODY, counted_pieces
from sfumato.sequels._matching import Classes, merged, together
from sfumato.sequels.series import Series

__all__ = ["Inconsistency", "JoinColumn", "Linkage", "SequentialJoin"]

PAIRS = 4_000_000
_PLACED = re.compile(r"T([1-9][0-9]*)\.(.+)")


@dataclass(frozen=True, order=True)
class JoinColumn:
    """A column of one release of a series; written ``T1.Job``, the oldest release being the first."""

    release: int
    name: str

    def __str__(self) -> str:
        return f"T{self.release + 1}.{self.name}"


@frozen
class Inconsistency:
    """Two values that no person has at once, in two different columns of two releases; so have none of the values below them.

    >>> Inconsistency("T1.Sex", "Male", "T2.Condition", "Pregnant").other_value
    'Pregnant'
    """

    one: str
    value: str
    other: str
    other_value: str


@frozen
class Linkage:
    """What X tells of Y on a join: ``anonymity`` is A_Y(X), ``linkability`` L_Y(X); both ``None`` if nothing matches.

    ``values`` is the number of values on X that occur, ``rows`` that of the joined rows.
    """

    values: int
    rows: int
    anonymity: int | None
    linkability: Fraction | None


@frozen(eq=False)
class SequentialJoin:
    """Records of every release that can be one person's, put together: what an adversary has who kept all releases.

    A tuple of records, one of each release, is a match if in every common categorical attribute their labels lie pairwise on
    one path of the hierarchy (without a hierarchy: are equal), and no two of them meet a declared :class:`Inconsistency`. A
    missing value stands for everything. Numbers without a hierarchy take no part. The join keeps a common column once for
    each release: ``T1.Job`` and ``T2.Job``. It is *lossy*: most matches are of different persons, and that is what protects.

    Nothing is written out: records that look alike are counted once, and their numbers multiplied.

    Examples
    --------
    >>> first = {"Job": ["Banker", "Banker", "Clerk", "Driver"], "Disease": ["Cancer", "Cancer", "HIV", "Cancer"]}
    >>> then = {"Name": ["Alice", "Alice", "Bob", "Bob"], "Job": ["Banker", "Banker", "Clerk", "Driver"]}
    >>> join = SequentialJoin.of([first, then])
    >>> join.size, join.groups(["Name"], ["Disease"]).as_dict()
    (6, {('Alice',): 4, ('Bob',): 2})
    >>> join.linkage(["Name"], ["Disease"])
    Linkage(values=2, rows=6, anonymity=1, linkability=Fraction(1, 1))

    References
    ----------
    Wang, Fung, "Anonymizing sequential releases", 2006, doi:10.1145/1150402.1150449.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 9.1.2.3 and 9.4.
    """

    releases: tuple[Table, ...]
    trees: Mapping[str, Tree]
    attributes: Names
    inconsistent: tuple[Inconsistency, ...] = ()
    _ends: tuple[tuple[JoinColumn, str, JoinColumn, str], ...] = field(default=(), repr=False)

    @classmethod
    def of(
        cls,
        releases: Sequence[object],
        *,
        hierarchies: Mapping[str, object] | None = None,
        join: Sequence[str] | None = None,
        inconsistent: Sequence[Inconsistency | Sequence[str]] = (),
    ) -> SequentialJoin:
        """Open whatever holds the releases; ``join`` are the attributes to match, all common categorical ones if not given."""
        named = Series.of(releases, qid=(), hierarchies=hierarchies)
        return cls.of_series(named, join=join, inconsistent=inconsistent)

    @classmethod
    def of_series(
        cls,
        series: Series,
        *,
        join: Sequence[str] | None = None,
        inconsistent: Sequence[Inconsistency | Sequence[str]] = (),
    ) -> SequentialJoin:
        """Return the join of a series, by its hierarchies."""
        declared = tuple(one if isinstance(one, Inconsistency) else _inconsistency(one) for one in inconsistent)
        common = _common(series)
        named = tuple(common if join is None else join)
        for name in named:
            if sum(name in table.types for table in series.releases) < 2:
                raise BadRequest("is not a column of two releases", parameter="join", value=name, available=common)
        if not named and len(series) > 1:
            raise BadRequest(
                "the releases share no categorical column, so that everybody matches everybody", parameter="join"
            )
        ends = tuple(_end_columns(one, series.releases) for one in declared)
        used = list(dict.fromkeys([*named, *(end.name for one in ends for end in (one[0], one[2]))]))
        told = [(end.name, label) for one in ends for end, label in (one[:2], one[2:])]
        trees = {name: series.trees.get(name) or _flat(name, series.releases, told) for name in used}
        return cls(series.releases, trees, named, declared, ends)

    def __post_init__(self) -> None:
        """Refuse more declarations than there are bits."""
        if len(self.inconsistent) > 62:
            raise BadRequest("more than 62 pairs are declared", parameter="inconsistent", value=len(self.inconsistent))

    @property
    def join_trees(self) -> list[Tree]:
        """The hierarchies of what the join reads, one for each column of its classes."""
        return list(self.trees.values())

    # ---- columns -----------------------------------------------------------------------------------------------------

    def columns(self, names: Sequence[str], *, parameter: str = "x") -> tuple[JoinColumn, ...]:
        """Return columns of the join: ``T1.Job``, or ``Job`` for that of every release which has it."""
        found: list[JoinColumn] = []
        for name in names:
            placed = _PLACED.fullmatch(name)
            if placed and int(placed[1]) <= len(self.releases):
                asked = [JoinColumn(int(placed[1]) - 1, placed[2])]
            else:
                asked = [JoinColumn(at, name) for at, table in enumerate(self.releases) if name in table.types]
            if not asked or any(one.name not in self.releases[one.release].types for one in asked):
                held = [str(JoinColumn(at, name)) for at, table in enumerate(self.releases) for name in table.types]
                raise BadRequest("is not a column of the join", parameter=parameter, value=name, available=held)
            found += asked
        return tuple(dict.fromkeys(found))

    def expanded(self, x: Sequence[str]) -> tuple[JoinColumn, ...]:
        """Return X with each column that several releases have taken from all of them: an adversary sees every copy."""
        asked = self.columns(x)
        return tuple(dict.fromkeys([*asked, *self.columns([one.name for one in asked])]))

    def free(self, x: Sequence[JoinColumn]) -> Names:
        """Return the join attributes outside X: while there is one, a finer release may be the safer one."""
        held = {one.name for one in x}
        return tuple(name for name in self.trees if name not in held)

    def ends(self, release: int) -> list[tuple[int, JoinColumn, str]]:
        """Return the ends of declared inconsistencies that lie in a release: number, column, label."""
        both = [(bit, *end) for bit, one in enumerate(self._ends) for end in (one[:2], one[2:])]
        return [end for end in both if end[1].release == release]

    # ---- counting ----------------------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """Number of joined rows."""
        return sum(int(groups.sizes.sum()) for groups in self.pieces((), ()))

    def matches(self, most: int = 1_000_000) -> list[tuple[int, ...]]:
        """Return the matches as row numbers, one of each release; refuse more than ``most``."""
        if self.size > most:
            raise Unsupported(f"the join has more than {most} rows; groups and linkage count them without a list")
        found = self._rows_of(0)
        for release in range(1, len(self.releases)):
            found = merged(self.join_trees, found, self._rows_of(release))
        return sorted(map(tuple, found.keys.tolist()))

    def dangling(self) -> tuple[int, ...]:
        """Return for each release how many records match nobody of another: 0 everywhere means *population-related*.

        Every record of each table must match one of each other table. It holds for projections of one table, and generalizing
        keeps it.
        """
        sides = [self.classes(release, ()) for release in range(len(self.releases))]
        alone = [np.zeros(len(side), bool) for side in sides]
        for one in range(len(sides)):
            for other in range(one + 1, len(sides)):
                matched, start = together(self.join_trees, sides[one], sides[other])
                alone[other] |= np.diff(start) == 0
                found = np.zeros(len(sides[one]), bool)
                found[matched] = True
                alone[one] |= ~found
        return tuple(int(side.weights[gone].sum()) for side, gone in zip(sides, alone, strict=True))

    def groups(self, x: Sequence[str], y: Sequence[str] = ()) -> GroupStats:
        """Return the joined rows by their values on X, with the combined values on Y counted; X is taken as it is given."""
        (found,) = self.pieces(self.columns(x), self.columns(y, parameter="y"), most=1 << 62)
        return found

    def pieces(self, x: Sequence[JoinColumn], y: Sequence[JoinColumn], most: int = PAIRS) -> Iterator[GroupStats]:
        """Yield the groups on X some at a time; about ``most`` pairs of classes are in memory at once."""
        shared = [str(one) for one in x if one in y]
        if shared:
            raise BadRequest("X and Y must not share a column", parameter="y", value=shared[0])
        last = len(self.releases) - 1
        wanted = [tuple(dict.fromkeys(one.name for one in (*x, *y) if one.release == at)) for at in range(last + 1)]
        hers = self.classes(last, wanted[last])
        mine = self.history(wanted) if last else NOBODY
        yield from counted_pieces(self, wanted, mine, hers, x, y, most)

    def linkage(
        self, x: Sequence[str], y: Sequence[str], values: Sequence[Hashable | Sequence[Hashable]] | None = None
    ) -> Linkage:
        """Return A_Y(X) and L_Y(X): the fewest values on Y that go with a value on X, and the largest share of one.

        With ``values`` shares of these values on Y alone count. Common columns in X are taken from every release.
        """
        known = None if values is None else {tuple(one) if isinstance(one, list) else one for one in values}
        met, rows, least, most = 0, 0, None, None
        for groups in self.pieces(self.expanded(x), self.columns(y, parameter="y")):
            if not len(groups):
                continue
            (histogram,) = groups.histograms.values()
            met, rows = met + len(groups), rows + int(groups.sizes.sum())
            fewest = int(histogram.distinct().min())
            least = fewest if least is None else min(least, fewest)
            share = largest_share(groups.sizes, histogram, known)
            most = share if most is None else max(most, share)
        return Linkage(met, rows, least, most)

    # ---- classes -----------------------------------------------------------------------------------------------------

    def classes(self, release: int, names: Sequence[str]) -> Classes:
        """Return the classes of a release by what the join reads, and the codes of some columns more as keys."""
        table = self.releases[release]
        read = list(dict.fromkeys([*(name for name in self.trees if name in table.types), *names]))
        cells = table.counts(read) if read else Cells((), (), np.array([table.rows]))
        held = dict(zip(read, cells.keys, strict=True))
        keys = np.empty((len(cells), len(names)), np.int32)
        for at, name in enumerate(names):
            keys[:, at] = held[name].codes
        return self._classes(release, held, keys, cells.sizes)

    def _rows_of(self, release: int) -> Classes:
        table = self.releases[release].as_rows()
        read = [name for name in self.trees if name in table.types]
        codes = table.codes(read)
        held = {name: CodedKeys(table.dictionary(name).values, codes[:, at]) for at, name in enumerate(read)}
        rows = np.arange(table.rows, dtype=np.int32)[:, None]
        return self._classes(release, held, rows, np.ones(table.rows, np.int64))

    def _classes(self, release: int, held: Mapping[str, CodedKeys], keys: Codes, weights: Ints) -> Classes:
        nodes = np.zeros((len(weights), len(self.trees)), np.int32)
        for at, (name, tree) in enumerate(self.trees.items()):
            if name in held and name in self.attributes:
                nodes[:, at] = nodes_of(tree, held[name].values, column=name)[held[name].codes]
        marks = np.zeros(len(weights), np.int64)
        for bit, end, label in self.ends(release):
            tree = self.trees[end.name]
            met = nodes_of(tree, held[end.name].values, column=end.name)[held[end.name].codes]
            marks |= below(tree, tree.node(label, column=end.name), met).astype(np.int64) << bit
        return Classes(nodes, marks, keys, weights)

    def history(self, wanted: Sequence[Names]) -> Classes:
        """Return all releases but the last put together, class by class; the keys are the wanted columns of each in turn."""
        found = self.classes(0, wanted[0])
        for release in range(1, len(self.releases) - 1):
            found = merged(self.join_trees, found, self.classes(release, wanted[release]))
        return found


def largest_share(sizes: Ints, histogram: Histogram, known: set[Hashable] | None = None) -> Fraction:
    """Return the largest share that a value, or one of those that are named, has in a group; exact."""
    counts = histogram.count
    if known is not None:
        kept = np.array([value in known for value in histogram.values], bool)
        counts = np.where(kept[histogram.code], counts, 0)
    of = sizes[histogram.group()]
    top = int(np.argmax(counts / of))
    return Fraction(int(counts[top]), int(of[top]))


def below(tree: Tree, node: int, nodes: Codes) -> Bools:
    """Tell which nodes are a node or lie below it."""
    inside: Bools = (tree.leaf_first[node] <= tree.leaf_first[nodes]) & (tree.leaf_last[nodes] <= tree.leaf_last[node])
    return inside & (nodes >= node)


def nodes_of(tree: Tree, values: Sequence[Hashable], *, column: str = "") -> Codes:
    """Return the node of each value, a leaf or a label further up; the last entry, which code -1 finds, is the root."""
    out = np.zeros(len(values) + 1, np.int32)
    unknown = []
    for code, value in enumerate(values):
        text = to_text(value)
        number = tree.leaf_number.get(value)
        if number is not None:
            out[code] = tree.leaf_nodes[number]
        elif text in tree.node_of:
            out[code] = tree.node_of[text]
        elif text != SUPPRESSED:
            unknown.append(value)
    if unknown:
        raise tree.unknown(unknown, column=column)
    return out


def _flat(name: str, releases: Sequence[Table], told: Sequence[tuple[str, str]]) -> Tree:
    """Return the tree of an attribute without one: values that occur or are declared, below the suppressed one."""
    known: dict[str, Hashable] = {label: label for column, label in told if column == name}
    for table in releases:
        if name in table.types:
            known |= {to_text(value): value for value in table.dictionary(name).values}
    known.pop(SUPPRESSED, None)
    return Tree.flat(list(known.values()) or [""], column=name)


def _common(series: Series) -> list[str]:
    """Return the columns that join: those of two releases that are no bare numbers."""
    names = list(dict.fromkeys(name for table in series.releases for name in table.types))
    return [
        name
        for name in names
        if sum(name in table.types for table in series.releases) > 1
        and name != series.person
        and (
            name in series.trees
            or not any(table.types[name].numeric for table in series.releases if name in table.types)
        )
    ]


def _inconsistency(given: Sequence[str]) -> Inconsistency:
    if isinstance(given, str) or len(given) != 4:
        raise BadRequest(
            "must be two columns, each with a value: T1.A, a, T2.B, b", parameter="inconsistent", value=given
        )
    return Inconsistency(*map(str, given))


def _end_columns(one: Inconsistency, releases: Sequence[Table]) -> tuple[JoinColumn, str, JoinColumn, str]:
    """Return the columns that a declaration speaks of, one of each of two releases."""
    found = []
    for name in (one.one, one.other):
        placed = _PLACED.fullmatch(name)
        known = [str(JoinColumn(at, held)) for at, table in enumerate(releases) for held in table.types]
        if placed is None or name not in known:
            raise BadRequest("is not a column of the join", parameter="inconsistent", value=name, available=known)
        found.append(JoinColumn(int(placed[1]) - 1, placed[2]))
    if found[0].release == found[1].release or found[0].name == found[1].name:
        raise BadRequest(
            "must name two different columns of two releases", parameter="inconsistent", value=(one.one, one.other)
        )
    return found[0], one.value, found[1], one.other_value
