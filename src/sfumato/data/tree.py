"""The tree every value climbs: immutable arrays in pre-order, so that a node covers a run of leaves.

Leaves are raw values. Level 0 is the leaf, level ``height`` the root. A leaf above the deepest level behaves as if it
repeated itself downwards, so every level of an unbalanced tree is a cut. A label that a row repeats is one node on several
levels (its *span*): steps from node to node do not see the repeats, levels do.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product, repeat
from typing import Any, cast

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.levels import level_table
from sfumato.data.text import SUPPRESSED, to_text
from sfumato.data.tree_growth import TWO_NODES, grown
from sfumato.errors import BadRequest, misspelt
from sfumato.kernels.arrays import Codes

__all__ = ["Tree"]

Ints = Codes


@frozen(eq=False)
class Tree:
    """A rooted tree over the values of one column; nodes are numbered in pre-order, leaves from left to right.

    >>> tree = Tree.from_nested({"value": "*", "children": [{"value": "a"}, {"value": "b"}]})
    >>> tree.leaves, tree.height, tree.cut_count()
    (('a', 'b'), 1, 2)
    """

    labels: tuple[str, ...]
    parent: Ints
    leaves: tuple[Hashable, ...]
    leaf_nodes: Ints
    span: Ints

    # ---- making ------------------------------------------------------------------------------------------------------

    @classmethod
    def from_nested(cls, nested: object, *, column: str = "") -> Tree:
        """Build from ``{"value": label, "children": [...]}``; also accepts ``{label: [...] or {...}}`` and plain labels."""
        labels: list[str] = []
        parent: list[int] = []
        leaves: list[Hashable] = []
        leaf_nodes: list[int] = []
        span: list[int] = []
        stack: list[tuple[object, int]] = [(nested, -1)]
        while stack:
            entry, above = stack.pop()
            label, children = _entry(entry, column)
            levels = 1
            while len(children) == 1 and (only := _entry(children[0], column))[0] == label:
                children, levels = only[1], levels + 1
            node = len(labels)
            labels.append(label)
            parent.append(above)
            span.append(levels)
            if not children:
                leaves.append(label)
                leaf_nodes.append(node)
            stack.extend((child, node) for child in reversed(children))
        arrays = (np.array(numbers, np.int32) for numbers in (leaf_nodes, span))
        tree = cls(tuple(labels), np.array(parent, np.int32), tuple(leaves), *arrays)
        tree._refuse_duplicates(column)
        return tree

    @classmethod
    def from_paths(
        cls, paths: Sequence[Sequence[str]], leaves: Sequence[Hashable] | None = None, *, column: str = ""
    ) -> Tree:
        """Build from one label path per leaf, leaf first and root last; equal prefixes from the root share nodes.

        Repeats at the leaf end are padding and collapse. Further up a repeated label is one node on as many
        levels as the paths through it repeat it. Siblings keep the order of their first leaf. ``leaves`` gives the raw values
        where they are not the leaf labels themselves.
        """
        parted = [_parted(path) for path in paths]
        above = {path: number for number, path in enumerate(dict.fromkeys(path for _, path in parted))}
        labels = [label for label, _ in parted]
        if () in above:
            return cls._of_root(parted, labels if leaves is None else leaves, column)
        place = [above[path] for _, path in parted]
        return cls.from_leaves(labels, list(above), place, leaves, column=column)

    @classmethod
    def from_leaves(
        cls,
        labels: Sequence[str],
        above: Sequence[tuple[str, ...]],
        place: Sequence[int],
        leaves: Sequence[Hashable] | None = None,
        *,
        column: str = "",
    ) -> Tree:
        """Build from the labels of leaves, the different paths above them, and which of these is above each leaf.

        >>> Tree.from_leaves(["1", "2", "3"], [("odd", "*"), ("even", "*")], [0, 1, 0]).to_levels()
        [('1', 'odd', '*'), ('3', 'odd', '*'), ('2', 'even', '*')]
        """
        made = grown(labels, labels if leaves is None else leaves, above, place, column=column)
        tree = cls(*made.arrays())
        tree._refuse_duplicates(column)
        return tree

    @classmethod
    def _of_root(cls, parted: Sequence[tuple[str, tuple[str, ...]]], leaves: Sequence[Hashable], column: str) -> Tree:
        """Return the tree of a single node; a path that ends where it begins leaves no room for others."""
        roots = dict.fromkeys(above[-1] if above else label for label, above in parted)
        root = next(iter(roots))
        if len(roots) > 1:
            raise BadRequest("hierarchy must have one root", column=column or None, value=list(roots))
        if any(above for _, above in parted):
            raise BadRequest("hierarchy has a leaf that is called like its root", column=column or None, value=root)
        if len(set(leaves)) > 1:
            raise BadRequest("two values share one leaf", column=column or None, value=list(leaves[:2]))
        only = np.zeros(1, np.int32)
        return cls((root,), only - 1, tuple(leaves[:1]), only, only + 1)

    @classmethod
    def flat(cls, values: Sequence[Hashable], *, column: str = "") -> Tree:
        """Build the tree of values that have none: each value, and above all of them the symbol for suppressed ones.

        >>> Tree.flat(["red", "blue"]).to_levels()
        [('red', '*'), ('blue', '*')]
        """
        texts = [to_text(value) for value in values]
        if SUPPRESSED in texts:
            raise BadRequest(
                f"holds the value {SUPPRESSED!r}, which stands for suppressed values", column=column or None
            )
        return cls.from_paths([(text, SUPPRESSED) for text in texts], values, column=column)

    @classmethod
    def from_levels(cls, rows: Iterable[Sequence[object]], *, column: str = "") -> Tree:
        """Build from a level table as other tools write it: one row per leaf, raw value first, root last."""
        return cls.from_paths(level_table(rows, column=column).rows, column=column)

    def to_nested(self) -> dict[str, Any]:
        """Return ``{"value": ..., "children": [...]}``, the inverse of :meth:`from_nested`."""
        out: list[dict[str, Any]] = [{"value": label} for label in self.labels]
        whole: dict[str, Any] = {}
        for entry, parent, levels in zip(out, self.parent.tolist(), self.span.tolist(), strict=True):
            for _ in range(1, levels):
                entry = {"value": entry["value"], "children": [entry]}
            above = out[parent] if parent >= 0 else whole
            above.setdefault("children", []).append(entry)
        return cast("dict[str, Any]", whole["children"][0])

    def to_levels(self) -> list[tuple[str, ...]]:
        """Return one row per leaf, level 0 first: the inverse of :meth:`from_levels`."""
        return [tuple(self.labels[node] for node in column) for column in self.level_nodes.T]

    def _refuse_duplicates(self, column: str) -> None:
        if len(set(self.labels)) == len(self.labels):
            return
        first: dict[str, int] = {}
        for node, label in enumerate(self.labels):
            if label in first and not self._unary_chain(first[label], node):
                raise BadRequest(TWO_NODES, column=column or None, value=label)
            first[label] = node

    def _unary_chain(self, upper: int, lower: int) -> bool:
        """Tell whether ``lower`` hangs below ``upper`` through only children: a level that repeats, not a second meaning."""
        return bool(self.leaf_first[upper] == self.leaf_first[lower] and self.leaf_last[upper] == self.leaf_last[lower])

    # ---- shape -------------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.labels)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Tree)
            and self.labels == other.labels
            and self.leaves == other.leaves
            and bool(np.array_equal(self.parent, other.parent))
            and bool(np.array_equal(self.span, other.span))
        )

    def __hash__(self) -> int:
        return hash((self.labels, self.leaves))

    @cached_property
    def depth(self) -> Ints:
        """Depth of each node at its lowest level; the root has 0."""
        depth = [0]
        for above, levels in zip(self.parent[1:].tolist(), self.span[1:].tolist(), strict=True):
            depth.append(depth[above] + levels)
        return np.array(depth, np.int32)

    @cached_property
    def rise(self) -> Ints:
        """Levels from the deepest leaf below each node up to the lowest level of the node; leaves have 0."""
        rise, parent, span = [0] * len(self), self.parent.tolist(), self.span.tolist()
        for node in range(len(self) - 1, 0, -1):
            above = parent[node]
            rise[above] = max(rise[above], rise[node] + span[node])
        return np.array(rise, np.int32)

    @cached_property
    def height(self) -> int:
        """Number of levels above the raw values."""
        return int(self.depth.max() + self.span[0]) - 1

    @cached_property
    def leaf_first(self) -> Ints:
        """First leaf (as leaf number) below each node."""
        return self._runs[0]

    @cached_property
    def leaf_last(self) -> Ints:
        """One past the last leaf below each node."""
        return self._runs[1]

    @cached_property
    def _runs(self) -> tuple[Ints, Ints]:
        # In pre-order a node and all below it are a run of nodes, and so their leaves are one.
        size, parent = [1] * len(self), self.parent.tolist()
        for node in range(len(self) - 1, 0, -1):
            size[parent[node]] += size[node]
        nodes = np.arange(len(self))
        first, last = (np.searchsorted(self.leaf_nodes, ends) for ends in (nodes, nodes + size))
        return first.astype(np.int32), last.astype(np.int32)

    @cached_property
    def leaf_count(self) -> Ints:
        """Number of leaves below each node."""
        return self.leaf_last - self.leaf_first

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Children of each node, left to right."""
        out: list[list[int]] = [[] for _ in self.labels]
        for node, above in enumerate(self.parent[1:].tolist(), 1):
            out[above].append(node)
        return tuple(tuple(nodes) for nodes in out)

    @cached_property
    def level_nodes(self) -> Ints:
        """``level x leaf -> node``: the node that stands for each leaf at each level, ``height + 1`` levels."""
        table = np.empty((self.height + 1, len(self.leaves)), np.int32)
        table[0] = self.leaf_nodes
        # A leaf at depth d < height stands for itself on the lowest levels.
        left = self.height - (self.depth + self.span[0] - 1)[self.leaf_nodes] + self.span[self.leaf_nodes]
        for level in range(1, self.height + 1):
            left -= 1
            climbing = left == 0
            table[level] = np.where(climbing, self.parent[table[level - 1]], table[level - 1])
            left[climbing] = self.span[table[level, climbing]]
        return table

    # ---- looking up --------------------------------------------------------------------------------------------------

    @cached_property
    def leaf_number(self) -> dict[Hashable, int]:
        """Raw value -> leaf number."""
        return {value: number for number, value in enumerate(self.leaves)}

    @cached_property
    def node_of(self) -> dict[str, int]:
        """Label -> node."""
        # In a chain of equal labels the lowest node wins: later entries replace earlier ones.
        return {label: node for node, label in enumerate(self.labels)}

    def node(self, label: str, *, column: str = "") -> int:
        """Return the node with this label."""
        try:
            return self.node_of[label]
        except KeyError:
            raise BadRequest(
                "is not a node of the hierarchy", column=column or None, value=label, available=self.labels
            ) from None

    def encode(self, values: Iterable[Hashable], *, column: str = "") -> Ints:
        """Return the leaf number of each value; values without a leaf are refused all at once."""
        held = tuple(values)
        numbers = np.array(list(map(self.leaf_number.get, held, repeat(-1))), np.int32)
        if (numbers < 0).any():
            raise self.unknown([held[at] for at in np.flatnonzero(numbers < 0)], column=column)
        return numbers

    def unknown(self, values: Sequence[Hashable], *, column: str = "") -> BadRequest:
        """Return the refusal that counts values without a leaf and shows those that misspell one."""
        return BadRequest(
            f"{len(values)} value{'s have' if len(values) > 1 else ' has'} no leaf in the hierarchy",
            column=column or None,
            values=values,
            shown=misspelt(values, self.leaves),
            available=self.leaves,
        )

    # ---- cuts --------------------------------------------------------------------------------------------------------

    def is_cut(self, nodes: Iterable[int | str]) -> bool:
        """Tell whether exactly one of the nodes lies on every path from the root to a leaf."""
        covered = np.zeros(len(self.leaves), np.int64)
        for entry in nodes:
            node = self.node(entry) if isinstance(entry, str) else entry
            covered[self.leaf_first[node] : self.leaf_last[node]] += 1
        return bool((covered == 1).all())

    def cut_count(self) -> int:
        """Return the number of cuts: ``C(leaf) = 1``, ``C(v) = 1 + product of C(child)``."""
        counts = [1] * len(self)
        for node in range(len(self) - 1, -1, -1):
            if self.children[node]:
                inner = 1
                for child in self.children[node]:
                    inner *= counts[child]
                counts[node] = 1 + inner
        return counts[0]

    def cuts(self, node: int = 0) -> Iterator[tuple[int, ...]]:
        """Enumerate all cuts below a node, the node itself first. There are :meth:`cut_count` of them: small trees only."""
        yield (node,)
        if self.children[node]:
            for parts in product(*(list(self.cuts(child)) for child in self.children[node])):
                yield tuple(entry for part in parts for entry in part)


def _parted(path: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the leaf of a path, and what lies above it; repeats of the leaf are padding."""
    labels = tuple(map(str, path))
    above = 1
    while above < len(labels) and labels[above] == labels[0]:
        above += 1
    return labels[0], labels[above:]


def _entry(entry: object, column: str) -> tuple[str, list[object]]:
    if isinstance(entry, Mapping):
        if _is_node(entry):
            return str(entry["value"]), _below(entry.get("children"))
        if len(entry) == 1:
            label, below = next(iter(entry.items()))
            return str(label), _below(below)
        raise BadRequest("hierarchy must have one root", column=column or None, value=[str(key) for key in entry])
    if entry is None or isinstance(entry, (list, tuple)):
        raise BadRequest("hierarchy node must be a label or a mapping", column=column or None)
    return str(entry), []


def _is_node(entry: Mapping[str, object]) -> bool:
    """Tell ``{"value": label, ...}`` from the short form of a node that happens to be called "value"."""
    return entry.get("value") is not None and not isinstance(entry["value"], (Mapping, list, tuple))


def _below(below: object) -> list[object]:
    """List the children, however they are written: a list, a mapping, one label, or nothing."""
    if below is None:
        return []
    if isinstance(below, Mapping) and not _is_node(below):
        return [{key: value} for key, value in below.items()]
    return list(below) if isinstance(below, (list, tuple)) else [below]
