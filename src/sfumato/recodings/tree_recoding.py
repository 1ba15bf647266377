"""What all recodings along a tree share: every leaf has one published node, later values climb until they meet one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.recoding import ColumnRecoding, Mapped
from sfumato.contracts.thing import param
from sfumato.data.schema import ColumnType
from sfumato.data.text import from_text, to_text, type_of_value
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest

__all__ = ["TreeRecoding", "as_tree", "tree_state"]


def as_tree(given: Tree | Mapping[str, Any]) -> Tree:
    """Return a tree from a tree, a nested mapping, or the saved state of either."""
    if isinstance(given, Tree):
        return given
    if "nested" not in given:
        return Tree.from_nested(given)
    tree = Tree.from_nested(given["nested"])
    kinds = [ColumnType(kind) for kind in given["leaf_types"]]
    kinds = kinds * len(tree.leaves) if len(kinds) == 1 else kinds
    leaves = tuple(from_text(text, kind) for text, kind in zip(given["leaves"], kinds, strict=True))
    return Tree(tree.labels, tree.parent, leaves, tree.leaf_nodes)


def tree_state(tree: Tree) -> dict[str, Any]:
    """Return the JSON form of a tree, with the type of its leaves: one for all, or one each where they differ."""
    kinds = [str(type_of_value(leaf)) for leaf in tree.leaves]
    return {
        "nested": tree.to_nested(),
        "leaf_types": kinds[:1] if len(set(kinds)) == 1 else kinds,
        "leaves": [to_text(leaf) for leaf in tree.leaves],
    }


@dataclass(frozen=True, kw_only=True)
class TreeRecoding(ColumnRecoding):
    """A cut through a tree: each leaf is published as the one node of the cut above it."""

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
    def node_of_leaf(self) -> npt.NDArray[np.int32]:
        """The published node of each leaf."""
        out = np.full(len(self.tree.leaves), -1, np.int32)
        for node in self.cut_nodes():
            out[self.tree.leaf_first[node] : self.tree.leaf_last[node]] = node
        return out

    def published(self) -> tuple[str, ...]:
        """Return the labels of the cut, left to right."""
        return tuple(self.tree.labels[node] for node in self.cut_nodes())

    @property
    def identity(self) -> bool:
        """Whether the cut consists of leaves only, each under its own name."""
        tree: Tree = self.tree
        return bool(np.array_equal(self.node_of_leaf, tree.leaf_nodes)) and all(
            to_text(leaf) == tree.labels[node] for leaf, node in zip(tree.leaves, tree.leaf_nodes, strict=True)
        )

    def map(self, values: Sequence[Hashable], *, column: str = "", unknown: str = "declared") -> Mapped:
        """Return the label of each value; see :class:`ColumnRecoding`."""
        tree: Tree = self.tree
        nodes = np.zeros(len(values), np.int32)
        depth = np.zeros(len(values), np.int64)
        missing: list[int] = []
        outside: list[int] = []
        for position, value in enumerate(values):
            leaf = tree.leaf_number.get(value)
            if leaf is not None:
                nodes[position] = self.node_of_leaf[leaf]
                depth[position] = tree.depth[tree.leaf_nodes[leaf]]
                continue
            node, steps = self._climb(value)
            if node is None:
                missing.append(position)
                continue
            outside.append(position)
            nodes[position] = node
            depth[position] = tree.depth[node] + steps
        if missing and unknown != "root":
            raise tree.unknown([values[position] for position in missing], column=column)
        return Mapped(
            labels=tuple(tree.labels[node] for node in nodes),
            covered=tree.leaf_count[nodes].astype(np.float64),
            domain=float(len(tree.leaves)),
            climbed=np.maximum(depth - tree.depth[nodes], 0),
            root_climb=depth,
            outside=tuple(sorted(outside + missing)),
        )

    def _climb(self, value: Hashable) -> tuple[int | None, int]:
        """Follow the builder's path of a new value up to the first known node at or below the cut."""
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
            cut = self.node_of_leaf[tree.leaf_first[node]]
            if tree.depth[cut] <= tree.depth[node]:
                return int(cut), steps + int(tree.depth[node] - tree.depth[cut])
            return None, 0  # the cut runs below: publishing this branch would need a node nobody checked
        return None, 0

    def state(self) -> Mapping[str, Any]:
        """Return the saved form: tree, builder, and the parameters of the cut."""
        out = dict(self.spec())
        out["tree"] = tree_state(self.tree)
        return out
