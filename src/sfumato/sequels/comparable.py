"""Which generalized values can be of one person: those on one path of a hierarchy, found by hashing and not pair by pair."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sfumato.data.tree import Tree
from sfumato.kernels.arrays import Codes

__all__ = ["comparable", "envelope"]


def comparable(tree: Tree, one: int, other: int) -> bool:
    """Tell whether two nodes lie on one path from the root: one is the other or above it, so they share a leaf.

    >>> tree = Tree.from_nested({"ANY": [{"Europe": ["UK", "France"]}, "US"]})
    >>> [comparable(tree, tree.node("Europe"), tree.node(name)) for name in ("UK", "ANY", "US")]
    [True, True, False]
    """
    upper, lower = min(one, other), max(one, other)  # pre-order: whoever is above has the smaller number
    return bool(tree.leaf_first[upper] <= tree.leaf_first[lower] and tree.leaf_last[lower] <= tree.leaf_last[upper])


def envelope(tree: Tree, *cuts: Iterable[int]) -> Codes:
    """Return for each node the topmost node of several cuts on its path to the root, itself included; -1 if there is none.

    For nodes u and v of two cuts, ``u ~ v`` exactly if their envelopes are equal, so comparable classes are found by hashing
    on the vector of envelopes.

    Reasoning
    ---------
    Let w be the topmost cut node at or above u. If u ~ v, the lower of the two has the other on its path, and whatever cut
    node lies above either lies above both, so w is the same. If the envelopes are equal to w, say w is of u's cut: then u = w,
    because no two nodes of a cut lie on one path, and v is below u.

    >>> tree = Tree.from_nested({"ANY": [{"Europe": ["UK", "France"]}, "US"]})
    >>> nodes = {name: tree.node(name) for name in tree.labels}
    >>> found = envelope(tree, [nodes["Europe"], nodes["US"]], [nodes["UK"], nodes["France"], nodes["US"]])
    >>> [tree.labels[found[nodes[name]]] for name in ("UK", "France", "Europe", "US")]
    ['Europe', 'Europe', 'Europe', 'US']
    """
    held = np.zeros(len(tree), bool)
    for cut in cuts:
        held[np.fromiter(cut, np.int64)] = True
    found = np.full(len(tree), -1, np.int32)
    for node, above in enumerate(tree.parent):  # parents come first
        found[node] = found[above] if above >= 0 and found[above] >= 0 else node if held[node] else -1
    return found
