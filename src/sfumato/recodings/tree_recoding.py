"""What all recodings along a tree share: every leaf has one published node, later values climb until they meet one.

Recodings of one tree are ordered leaf by leaf: one is finer than another if it publishes every leaf as the same node or as
one below it. The lower of two nodes for every leaf is a recoding again, their common refinement.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np

from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.recoding import ColumnRecoding, Mapped, Recoding
from sfumato.contracts.thing import param
from sfumato.data.json import Json
from sfumato.data.schema import ColumnType
from sfumato.data.text import from_text, to_text, type_of_value
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Codes, Floats

__all__ = ["TreeRecoding", "as_tree", "tree_state"]


def as_tree(given: Any) -> Tree:
    """Return a tree from a tree, a nested mapping, or the saved state of either."""
    if isinstance(given, Tree):
        return given
    if not isinstance(given, Mapping) or "nested" not in given:
        return Tree.from_nested(given)
    tree = Tree.from_nested(given["nested"])
    kinds = [ColumnType(kind) for kind in given["leaf_types"]]
    kinds = kinds * len(tree.leaves) if len(kinds) == 1 else kinds
    leaves = tuple(from_text(text, kind) for text, kind in zip(given["leaves"], kinds, strict=True))
    return replace(tree, leaves=leaves)


def tree_state(tree: Tree) -> dict[str, Json]:
    """Return the JSON form of a tree, with the type of its leaves: one for all, or one each where they differ."""
    kinds = [str(type_of_value(leaf)) for leaf in tree.leaves]
    return {
        "nested": tree.to_nested(),
        "leaf_types": kinds[:1] if len(set(kinds)) == 1 else kinds,
        "leaves": [to_text(leaf) for leaf in tree.leaves],
    }


class TreeRecoding(ColumnRecoding):
    """A set of nodes of a tree: each leaf is published as the nearest of them at or above it."""

    tree: Any = param(doc="the tree of the column: a Tree, or a nested mapping of value and children")
    hierarchy: Any = param(default=None, doc="the builder that finds a place for values that came later")

    def validate(self) -> None:
        """Take a nested mapping for a tree."""
        object.__setattr__(self, "tree", as_tree(self.tree))
        if self.hierarchy is not None and not isinstance(self.hierarchy, HierarchyBuilder):
            raise BadRequest("must be a hierarchy", parameter=f"{self.id}.hierarchy")

    @abstractmethod
    def cut_nodes(self) -> tuple[int, ...]:
        """Return the published nodes, left to right."""

    @cached_property
    def node_of_leaf(self) -> Codes:
        """The published node of each leaf."""
        out = np.full(len(self.tree.leaves), -1, np.int32)
        for node in self.cut_nodes():  # from left to right a node comes before those below it, so the nearest stays
            out[self.tree.leaf_first[node] : self.tree.leaf_last[node]] = node
        return out

    @cached_property
    def represented(self) -> dict[str, tuple[Hashable, ...]]:
        """The leaves that each published label stands for: those below it that no published node below it catches."""
        out: dict[str, list[Hashable]] = {label: [] for label in self.published()}
        for leaf, node in zip(self.tree.leaves, self.node_of_leaf.tolist(), strict=True):
            out[self.tree.labels[node]].append(leaf)
        return {label: tuple(leaves) for label, leaves in out.items()}

    def published(self) -> tuple[str, ...]:
        """Return the published labels, left to right."""
        return tuple(self.tree.labels[node] for node in self.cut_nodes())

    @property
    def identity(self) -> bool:
        """Whether every leaf is published as itself, under its own name."""
        tree: Tree = self.tree
        return bool(np.array_equal(self.node_of_leaf, tree.leaf_nodes)) and all(
            to_text(leaf) == tree.labels[node] for leaf, node in zip(tree.leaves, tree.leaf_nodes, strict=True)
        )

    def map(self, values: Sequence[Hashable], *, column: str = "", unknown: str = "declared") -> Mapped:
        tree: Tree = self.tree
        leaf = np.array(list(map(tree.leaf_number.get, values, repeat(-1))), np.int64)
        nodes = np.where(leaf >= 0, self.node_of_leaf[leaf], 0)
        depth = np.where(leaf >= 0, tree.depth[tree.leaf_nodes[leaf]], 0).astype(np.int64)
        missing: list[int] = []
        outside: list[int] = []
        for position in np.flatnonzero(leaf < 0).tolist():
            node, steps = self._climb(values[position])
            if node is None:
                missing.append(position)
                continue
            outside.append(position)
            nodes[position] = node
            depth[position] = tree.depth[node] + steps
        if missing and unknown != "root":
            raise tree.unknown([values[position] for position in missing], column=column)
        return Mapped(
            labels=tuple([tree.labels[node] for node in nodes.tolist()]),
            covered=self._stands_for[nodes],
            domain=float(len(tree.leaves)),
            climbed=np.maximum(depth - tree.depth[nodes], 0),
            root_climb=depth,
            outside=tuple(sorted(outside + missing)),
        )

    @cached_property
    def _published_nodes(self) -> frozenset[int]:
        return frozenset(self.cut_nodes())

    @cached_property
    def _stands_for(self) -> Floats:
        """Number of leaves that each node stands for; the root as a refuge for new values stands for all."""
        out = np.bincount(self.node_of_leaf, minlength=len(self.tree)).astype(np.float64)
        if 0 not in self._published_nodes:
            out[0] = len(self.tree.leaves)
        return out

    def _climb(self, value: Hashable) -> tuple[int | None, int]:
        """Follow the builder's path of a new value up to the first known node, and on to a published one."""
        if self.hierarchy is None:
            return None, 0
        try:
            path = self.hierarchy.path(value)
        except (KeyError, BadRequest):
            return None, 0
        tree: Tree = self.tree
        for steps, label in enumerate(path):
            node = tree.node_of.get(label)
            if node is None:
                continue
            above = node
            while above >= 0 and above not in self._published_nodes:
                above = int(tree.parent[above])
            # None: all published nodes lie below, and this branch would need a node nobody checked.
            return (None, 0) if above < 0 else (above, steps + int(tree.depth[node] - tree.depth[above]))
        return None, 0

    # ---- states ------------------------------------------------------------------------------------------------------

    def is_finer_than(self, other: Recoding) -> bool:
        """Tell whether every leaf is published as the other's node or below it."""
        return bool((self._depth_of_leaf >= self._alike(other)._depth_of_leaf).all())

    def common_refinement(self, other: Recoding) -> TreeRecoding:
        """Return the recoding that publishes every leaf as the lower of the two nodes: a cut if both are."""
        rival = self._alike(other)
        if self.is_finer_than(other):
            return self
        if other.is_finer_than(self):
            return rival
        lower = np.where(self._depth_of_leaf >= rival._depth_of_leaf, self.node_of_leaf, rival.node_of_leaf)
        labels = tuple(self.tree.labels[node] for node in sorted(set(lower.tolist())))
        if self.tree.is_cut(labels):
            from sfumato.recodings.subtree_generalization import SubtreeGeneralization

            return SubtreeGeneralization(tree=self.tree, hierarchy=self.hierarchy, cut=labels)
        from sfumato.recodings.sibling_generalization import SiblingGeneralization

        return SiblingGeneralization(tree=self.tree, hierarchy=self.hierarchy, nodes=labels)

    @cached_property
    def _depth_of_leaf(self) -> Codes:
        """Depth of the published node of each leaf, at the lowest level where levels repeat a label."""
        tree: Tree = self.tree
        return tree.depth[[tree.node_of[tree.labels[node]] for node in self.node_of_leaf]]

    def _alike(self, other: Recoding) -> TreeRecoding:
        if not isinstance(other, TreeRecoding) or self.tree != other.tree:
            raise Unsupported(f"{self.id} is compared with recodings of the same tree only", thing=self.id)
        return other

    def draw(self) -> str:
        """Return the tree down to the published nodes: these are filled and say how many values they stand for."""
        tree: Tree = self.tree
        published = self._published_nodes
        drawn: set[int] = set()
        for node in published:
            while node >= 0 and node not in drawn:
                drawn.add(node)
                node = int(tree.parent[node])
        lines: list[str] = []

        def add(node: int, before: str, here: str) -> None:
            leaf = not tree.children[node]
            count = (
                "" if leaf or node not in published else f" ({int(self._stands_for[node])} of {tree.leaf_count[node]})"
            )
            lines.append(f"{before}{here}{'●' if node in published else '○'} {tree.labels[node]}{count}")
            below = [child for child in tree.children[node] if child in drawn]
            indent = before + {"": "", "├─ ": "│  ", "└─ ": "   "}[here]
            for child in below:
                add(child, indent, "└─ " if child == below[-1] else "├─ ")

        add(0, "", "")
        return "\n".join(lines)

    def state(self) -> Mapping[str, object]:
        """Return the saved form: tree, builder, and the parameters of the cut."""
        out = dict(self.spec())
        out["tree"] = tree_state(self.tree)
        return out
