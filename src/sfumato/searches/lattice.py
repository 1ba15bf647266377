"""The lattice of full-domain generalizations: one level per attribute, and the groups of the table at any node.

A node is a tuple of levels; level 0 is the raw value, the top level the root. Groups of a node are made from those of any
node below it, never from the rows again: sizes and histograms add up. Group tables that were made are kept as long as there
is room, and every new one is made from the smallest that lies below it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import field
from functools import cached_property
from itertools import product
from math import prod

import numpy as np

from sfumato.contracts.algorithm import Attribute
from sfumato.data.compressed import CompressedTable
from sfumato.data.frozen import frozen
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.estimates.attack_payoff import bits_left_open
from sfumato.groups.stats import CodedKeys, GroupStats, Histogram
from sfumato.kernels.arrays import Codes, Floats, Ints
from sfumato.kernels.rollup import merge_counts, merge_groups, merge_packed_groups, merge_wide_groups, smallest_below

__all__ = ["GroupTable", "Lattice", "Merged", "Node", "Rollup", "listed"]

Node = tuple[int, ...]

_LONG = 4096  # groups from which on a way to a node is worth a halting place
_FAR = 0.1  # what is left of the value combinations where a way is long
_WORD = 62  # bits of a key that are used in one word
_DENSE = 1 << 22  # cells of a histogram that are counted in a table; more are sorted


class Lattice:
    """The levels of all attributes, as codes: what each value becomes on each level, and how nodes are ordered."""

    def __init__(self, attributes: Sequence[Attribute], table: CompressedTable) -> None:
        self.names = tuple(attribute.name for attribute in attributes)
        self.attributes = tuple(attributes)
        self.trees = tuple(_tree(attribute, table) for attribute in attributes)
        self.top: Node = tuple(tree.height for tree in self.trees)
        self.bottom: Node = (0,) * len(self.trees)
        self.shape = tuple(level + 1 for level in self.top)
        self.size = prod(self.shape)
        # values[i][l]: the tree nodes that attribute i can show at level l; code[i][l]: what each raw code becomes there.
        self.values: list[list[Ints]] = []
        self.code: list[list[Codes]] = []
        for name, tree in zip(self.names, self.trees, strict=True):
            leaf = tree.encode(table.dictionaries[name].values, column=name)
            shown = [np.unique(level[leaf], return_inverse=True) for level in tree.level_nodes]
            self.values.append([nodes.astype(np.int64) for nodes, _ in shown])
            self.code.append([codes.astype(np.int32) for _, codes in shown])
        self._lay_out()

    def _lay_out(self) -> None:
        """Put what every code of a level becomes on every higher level into one array that kernels can read."""
        deepest = max(self.shape)
        self.offset = np.zeros((len(self.shape), deepest, deepest), np.int64)
        parts: list[Codes] = []
        at = 0
        for i, levels in enumerate(self.code):
            for low in range(self.shape[i]):
                for high in range(low, self.shape[i]):
                    becomes = np.zeros(len(self.values[i][low]), np.int32)
                    becomes[levels[low]] = levels[high]
                    self.offset[i, low, high] = at
                    parts.append(becomes)
                    at += len(becomes)
        self.maps = np.concatenate(parts)
        # The key of a group: the codes side by side, each in as many bits as its raw domain needs.
        self.word = np.zeros(len(self.shape), np.int64)
        self.shift = np.zeros(len(self.shape), np.int64)
        widths = [max(len(values[0]) - 1, 1).bit_length() for values in self.values]
        self.mask = np.array([(1 << width) - 1 for width in widths], np.int64)
        word, used = 0, 0
        for i, width in enumerate(widths):
            if used + width > _WORD:
                word, used = word + 1, 0
            self.word[i], self.shift[i] = word, used
            used += width
        self.words = word + 1
        self.widths = np.zeros((len(self.shape), deepest), np.int64)
        for i, shown in enumerate(self.values):
            self.widths[i, : len(shown)] = [len(nodes) for nodes in shown]
        self.order = tuple(sorted(range(len(self.shape)), key=lambda i: (-self.widths[i, 0], i)))
        self._bits = np.ceil(np.log2(np.maximum(self.widths, 1))).astype(np.int64)

    def bits_at(self, levels: Ints) -> int:
        """Return how many bits tell apart the values that are shown at some levels."""
        return int(self._bits[np.arange(len(levels)), levels].sum())

    @property
    def height(self) -> int:
        """The height of the top node."""
        return sum(self.top)

    def nodes(self) -> Iterator[Node]:
        """Yield all nodes in lexicographic order."""
        return product(*(range(count) for count in self.shape))

    def above(self, node: Node) -> list[Node]:
        """Return the nodes one step more general, in attribute order."""
        return [(*node[:i], level + 1, *node[i + 1 :]) for i, level in enumerate(node) if level < self.top[i]]

    def below(self, node: Node) -> list[Node]:
        """Return the nodes one step more specific, in attribute order."""
        return [(*node[:i], level - 1, *node[i + 1 :]) for i, level in enumerate(node) if level > 0]

    def minimal(self, nodes: Sequence[Node]) -> list[Node]:
        """Return those nodes that have no other one below them.

        >>> Lattice.minimal(None, [(1, 0), (1, 1), (0, 2)])
        [(0, 2), (1, 0)]
        """
        ordered = sorted(nodes, key=lambda node: (sum(node), node))
        out: list[Node] = []
        for node in ordered:
            if not any(all(a <= b for a, b in zip(other, node, strict=True)) for other in out):
                out.append(node)
        return sorted(out)

    def labels(self, index: int, level: int) -> list[str]:
        """Return the published values of an attribute at a level, by code."""
        return [self.trees[index].labels[node] for node in self.values[index][level].tolist()]


def _tree(attribute: Attribute, table: CompressedTable) -> Tree:
    if attribute.tree is not None:
        return attribute.tree
    if attribute.kind == "interval":
        raise BadRequest(
            "a number needs a hierarchy here: levels of intervals, which nobody should choose silently",
            column=attribute.name,
            parameter="hierarchy",
            available=["intervals", "ordered", "taxonomy"],
        )
    return Tree.flat(table.dictionaries[attribute.name].values, column=attribute.name)


@frozen(eq=False)
class GroupTable:
    """The groups of the table at one node: keys (``words x groups``), sizes, histograms of sensitive columns.

    Histograms are ``groups x values`` where that takes little room, and lists of what occurs where it does not. ``people``
    counts persons of a population, ``weighed`` adds up sampling weights.
    """

    node: Node
    keys: Ints
    sizes: Ints
    histograms: dict[str, Codes | Histogram] = field(default_factory=dict)
    people: Ints | None = None
    weighed: Ints | None = None

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def bytes(self) -> int:
        """What keeping it costs."""
        beside = [one.nbytes for one in (self.people, self.weighed) if one is not None]
        held = self.keys.nbytes + self.sizes.nbytes + sum(beside)
        for counts in self.histograms.values():
            if isinstance(counts, Histogram):
                held += counts.start.nbytes + counts.code.nbytes + counts.count.nbytes
            else:
                held += counts.nbytes
        return held


@frozen(eq=False)
class Merged:
    """How the groups of one table merge into those of a node above it."""

    node: Node
    base: GroupTable
    target: Codes
    keys: Ints
    sizes: Ints
    _counted: dict[str, Codes | Histogram] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.sizes)

    def counts(self, column: str) -> Codes | Histogram:
        """Return the merged histograms."""
        known = self._counted.get(column)
        if known is None:
            held = self.base.histograms[column]
            if isinstance(held, Histogram):
                known = held.merge(self.target.astype(np.int64), len(self))
                if len(self) * len(held.values) <= _DENSE:
                    known = known.dense().astype(np.int32)
            else:
                known = merge_counts(self.target, len(self), held)
            self._counted[column] = known
        return known

    @cached_property
    def people(self) -> Ints | None:
        """The people of a population who look like each group."""
        held = self.base.people
        return None if held is None else _summed(self.target, len(self), held)

    @cached_property
    def weighed(self) -> Ints | None:
        """The sampling weights of each group."""
        held = self.base.weighed
        return None if held is None else _summed(self.target, len(self), held)


def listed(values: tuple[Hashable, ...], counts: Codes | Histogram, groups: Ints | None = None) -> Histogram:
    """Return the histograms of all or some groups by the values that occur."""
    if isinstance(counts, Histogram):
        return counts if groups is None else counts.taken(groups)
    chosen = counts if groups is None else counts[groups]
    place = np.flatnonzero(chosen)  # a flat view is quicker to search than rows and columns
    group, code = np.divmod(place, chosen.shape[1])
    start = np.searchsorted(group, np.arange(len(chosen) + 1))
    return Histogram(values, start.astype(np.int64), code, chosen.reshape(-1)[place].astype(np.int64))


class Rollup:
    """Groups at any node of a lattice, made from the smallest group table at hand that lies below it."""

    def __init__(
        self,
        lattice: Lattice,
        table: CompressedTable,
        needs: Sequence[str] = (),
        room: int = 96 << 20,
        weights: Ints | None = None,
    ) -> None:
        self.lattice = lattice
        self.table = table
        self.weights = weights
        self.needs = tuple(dict.fromkeys(needs))
        self.room = room
        self.held = 0
        self.kept: list[GroupTable] = []
        self._held: GroupTable | None = None
        self._levels = np.zeros((64, len(lattice.shape)), np.int32)
        self._lengths = np.zeros(64, np.int64)
        self._futile: set[tuple[Node, Node]] = set()  # ways to halting places that hardly have fewer groups
        self.base = self._base()
        self.read = 0

    def _keys(self) -> Ints:
        lattice, table = self.lattice, self.table
        keys = np.zeros((lattice.words, len(table)), np.int64)
        for i in range(len(lattice.shape)):
            # Dictionary codes may be finer than level 0 where two values share a leaf.
            codes = lattice.code[i][0][table.codes[:, i]].astype(np.int64)
            keys[lattice.word[i]] |= codes << lattice.shift[i]
        return keys

    @cached_property
    def group_of_row(self) -> Codes:
        """The group of ``base`` that each row of the table belongs to."""
        nothing = np.empty(0, np.int64)
        return self._merge(self._keys(), self.table.weights, nothing, nothing)[0]

    def _base(self) -> GroupTable:
        lattice, table, keys = self.lattice, self.table, self._keys()
        nothing = np.empty(0, np.int64)
        whole = all(
            len(shown[0]) == len(table.dictionaries[n]) for n, shown in zip(lattice.names, lattice.values, strict=True)
        )
        if whole and not self.needs and not table.extra and table.people is None:
            # Every row is a group of its own.
            return GroupTable(lattice.bottom, keys, table.weights, {}, weighed=self.weights)
        target, new_keys, sizes = self._merge(keys, table.weights, nothing, nothing)
        histograms = {}
        for name in self.needs:
            code = table.extra_codes[:, table.extra.index(name)].astype(np.int64)
            values = table.dictionaries[name].values
            histograms[name] = _counted(values, target, len(sizes), code, table.weights)
        people, weighed = (
            None if one is None else _summed(target, len(sizes), one) for one in (table.people, self.weights)
        )
        return GroupTable(lattice.bottom, new_keys, sizes, histograms, people, weighed)

    def _merge(self, keys: Ints, sizes: Ints, changed: Ints, offsets: Ints) -> tuple[Codes, Ints, Ints]:
        lattice = self.lattice
        shifts, masks = lattice.shift[changed], lattice.mask[changed]
        if lattice.words == 1:
            target, merged, counted = merge_groups(keys[0], sizes, shifts, masks, offsets, lattice.maps)
            return target, merged.reshape(1, -1), counted
        found: tuple[Codes, Ints, Ints] = merge_wide_groups(
            keys, sizes, lattice.word[changed], shifts, masks, offsets, lattice.maps
        )
        return found

    # ---- making groups -----------------------------------------------------------------------------------------------

    def merged(self, node: Node) -> Merged:
        """Return how the groups of the nearest table at hand merge at a node."""
        return self.merged_from(self.nearest(node), node)

    def merged_from(self, base: GroupTable, node: Node) -> Merged:
        """Return how the groups of one table merge at a node above it."""
        lattice, low, high = self.lattice, np.array(base.node, np.int64), np.array(node, np.int64)
        if lattice.words > 1 and lattice.bits_at(high) <= _WORD:
            packed = merge_packed_groups(
                base.keys,
                base.sizes,
                low,
                high,
                lattice.word,
                lattice.shift,
                lattice.mask,
                lattice.offset,
                lattice.maps,
                lattice.widths,
            )
            return Merged(node, base, *packed)
        changed = np.flatnonzero(low != high)
        offsets = lattice.offset[changed, low[changed], high[changed]]
        return Merged(node, base, *self._merge(base.keys, base.sizes, changed, offsets))

    def group_table(self, merged: Merged) -> GroupTable:
        """Return merged groups as a table of their own."""
        counted = {name: merged.counts(name) for name in self.needs}
        return GroupTable(merged.node, merged.keys, merged.sizes, counted, merged.people, merged.weighed)

    def codes(self, groups: GroupTable | Merged) -> Codes:
        """Return the codes of the published values, ``attributes x groups``."""
        lattice = self.lattice
        found = (groups.keys[lattice.word] >> lattice.shift[:, None]) & lattice.mask[:, None]
        return found.astype(np.int32)

    def bits_left_open(self, groups: GroupTable | Merged) -> Floats:
        """Return the share of a record's bits that the published values of each group leave open."""
        lattice, codes = self.lattice, self.codes(groups)
        cover = [
            lattice.trees[i].leaf_count[lattice.values[i][level]][codes[i]].astype(np.float64)
            for i, level in enumerate(groups.node)
        ]
        return bits_left_open(
            np.stack(cover, axis=1), np.array([len(tree.leaves) for tree in lattice.trees], np.float64)
        )

    def nearest(self, node: Node, *, halts: bool = True) -> GroupTable:
        """Return the smallest table from which a node can be made; long ways get a halting place that others can use too.

        ``read`` grows by the groups that are read on the way.
        """
        row = smallest_below(self._levels, self._lengths, len(self.kept), np.array(node, np.int32))
        base = self.base if row < 0 else self.kept[row]
        while halts and len(base) > _LONG:
            between = self._between(base.node, node)
            if between is None:
                break
            merged = self.merged_from(base, between)
            self.read += len(base)
            if 10 * len(merged) > 9 * len(base):
                self._futile.add((base.node, between))
                break
            base = self.group_table(merged)
            self._store(base)
        self.read += len(base)
        return base

    def _between(self, low: Node, high: Node) -> Node | None:
        """Return a node on the way that should halve the groups: the attributes with most values climb first."""
        lattice, node = self.lattice, list(low)
        share = {i: lattice.widths[i, high[i]] / lattice.widths[i, low[i]] for i in lattice.order if low[i] < high[i]}
        if prod(share.values()) > _FAR:
            return None
        left, half = 1.0, prod(share.values()) ** 0.5
        for i, own in share.items():
            node[i] = high[i]
            left *= own
            if left <= half:
                break
        between = tuple(node)
        return None if between == high or (low, between) in self._futile else between

    def keep(self, merged: Merged) -> None:
        """Keep the groups of a node for nodes above it, if they are fewer than those they came from and there is room."""
        if 4 * len(merged) > 3 * len(merged.base):
            return
        self._store(self.group_table(merged))

    def hold(self, node: Node) -> None:
        """Keep the groups of a node however many they are, until another is held: many nodes above it will be asked for."""
        self._held = self.group_table(self.merged(node))
        self._store(self._held)

    def _store(self, made: GroupTable) -> None:
        if made.bytes > self.room:
            return
        row = len(self.kept)
        while self.held + made.bytes > self.room:
            # The oldest make room: the search has moved on since.
            oldest = 1 if row > 1 and self.kept[0] is self._held else 0
            self.held -= self.kept.pop(oldest).bytes
            row -= 1
            self._levels[oldest:row] = self._levels[oldest + 1 : row + 1]
            self._lengths[oldest:row] = self._lengths[oldest + 1 : row + 1]
        if row == len(self._lengths):
            self._levels = np.concatenate([self._levels, np.zeros_like(self._levels)])
            self._lengths = np.concatenate([self._lengths, np.zeros_like(self._lengths)])
        self.kept.append(made)
        self._levels[row] = made.node
        self._lengths[row] = len(made)
        self.held += made.bytes

    # ---- for those who want to look ----------------------------------------------------------------------------------

    def stats(self, node: Node, needs: Sequence[str] | None = None) -> GroupStats:
        """Return the groups at a node with their published values."""
        return self.stats_of(self.group_table(self.merged(node)), needs)

    def stats_of(self, groups: GroupTable, needs: Sequence[str] | None = None) -> GroupStats:
        """Return the statistics of a group table."""
        lattice = self.lattice
        codes = self.codes(groups)
        keys = tuple(CodedKeys(lattice.labels(i, level), codes[i]) for i, level in enumerate(groups.node))
        wanted = self.needs if needs is None else needs
        return GroupStats(
            lattice.names,
            keys,
            groups.sizes,
            {name: listed(self.table.dictionaries[name].values, groups.histograms[name]) for name in wanted},
            {name: self.table.dictionaries[name].counts for name in wanted},
            self.table.table_records,
            groups.people,
        )


def _summed(target: Codes, groups: int, counts: Ints) -> Ints:
    return np.bincount(target, weights=counts, minlength=groups).astype(counts.dtype)


def _counted(values: tuple[Hashable, ...], target: Codes, groups: int, code: Ints, weights: Ints) -> Codes | Histogram:
    """Return the histogram of a column by group; the pairs need no sorting if a table of them fits."""
    if groups * len(values) > 8 * _DENSE:
        return Histogram.from_pairs(groups, values, target.astype(np.int64), code, weights)
    cells = np.bincount(target.astype(np.int64) * len(values) + code, weights=weights, minlength=groups * len(values))
    return cells.astype(np.int32).reshape(groups, len(values))
