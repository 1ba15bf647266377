"""Which schemes allow a recoding: from raw and recoded rows, the generalization schemes that could have made them.

From the narrowest to the widest, each a special case of the next:

``full-domain``
    every value of a column at one level of its tree
``subtree``
    the published nodes of a column are a cut: if one child of a node is generalized to it, so are the others
``sibling``
    every value becomes its nearest published node
``single-dimensional``
    equal values of a column are published alike
``multidimensional``
    equal records are published alike
``cell``
    every value becomes itself or a node above it

Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from sfumato.contracts.engine import Table
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.recodings.tree_recoding import as_tree

__all__ = ["SCHEMES", "schemes_allowing"]

SCHEMES = ("full-domain", "subtree", "sibling", "single-dimensional", "multidimensional", "cell")

T = TypeVar("T", bound=Hashable)
Rows = Table | Sequence[Sequence[Hashable]]


def schemes_allowing(raw_rows: Rows, recoded_rows: Rows, trees: Mapping[str, object]) -> list[str]:
    """Return the schemes that could have turned the raw into the recoded rows, narrowest first; none if no scheme could.

    Rows are tables, or sequences with one value for each column of ``trees``, in that order. Only values that occur are
    judged: a scheme is allowed if some recoding of it agrees with the rows.

    >>> job = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
    >>> raw = [("Engineer",), ("Engineer",), ("Lawyer",)]
    >>> schemes_allowing(raw, [("Professional",), ("Engineer",), ("Professional",)], {"Job": job})
    ['cell']
    >>> schemes_allowing(raw, [("Professional",), ("Professional",), ("Lawyer",)], {"Job": job})
    ['sibling', 'single-dimensional', 'multidimensional', 'cell']
    """
    known = {name: as_tree(tree) for name, tree in trees.items()}
    raw, recoded = _rows(raw_rows, list(known)), _rows(recoded_rows, list(known))
    if len(raw) != len(recoded):
        raise BadRequest(
            "needs as many recoded as raw rows", parameter="recoded_rows", value=len(recoded), available=[len(raw)]
        )
    columns = []
    for at, (name, tree) in enumerate(known.items()):
        leaves = tree.encode([row[at] for row in raw], column=name).tolist()
        nodes = [_node(tree, row[at], name) for row in recoded]
        columns.append((tree, leaves, nodes))
    if not all(
        _above(tree, node, leaf) for tree, leaves, nodes in columns for leaf, node in zip(leaves, nodes, strict=True)
    ):
        return []
    allowed = ["cell"]
    before = [tuple(row) for row in zip(*(leaves for _, leaves, _ in columns), strict=True)]
    after = [tuple(row) for row in zip(*(nodes for _, _, nodes in columns), strict=True)]
    if _function(before, after) is None:
        return allowed
    allowed.insert(0, "multidimensional")
    recodings: list[tuple[Tree, dict[int, int]]] = []
    for tree, leaves, nodes in columns:
        node_of = _function(leaves, nodes)
        if node_of is None:
            return allowed
        recodings.append((tree, node_of))
    allowed.insert(0, "single-dimensional")
    for scheme, agrees in (("sibling", _sibling), ("subtree", _subtree), ("full-domain", _full_domain)):
        if not all(agrees(tree, node_of) for tree, node_of in recodings):
            break
        allowed.insert(0, scheme)
    return allowed


def _rows(rows: Rows, names: list[str]) -> list[Sequence[Hashable]]:
    if isinstance(rows, Table):
        return list(rows.select(names).to_rows())
    for row in rows:
        if len(row) != len(names):
            raise BadRequest("needs one value for each tree", parameter="rows", value=len(row), available=names)
    return list(rows)


def _node(tree: Tree, shown: Hashable, column: str) -> int:
    """Return the node of a published value: a label, or a leaf that kept its type."""
    number = tree.leaf_number.get(shown)
    if number is not None:
        return tree.node_of[tree.labels[tree.leaf_nodes[number]]]
    return tree.node(to_text(shown), column=column)


def _above(tree: Tree, node: int, leaf: int) -> bool:
    return bool(tree.leaf_first[node] <= leaf < tree.leaf_last[node])


def _function(before: Sequence[T], after: Sequence[T]) -> dict[T, T] | None:
    """Return the mapping that sends each entry to its counterpart, or ``None`` if one has two."""
    out: dict[T, T] = {}
    for old, new in zip(before, after, strict=True):
        if out.setdefault(old, new) != new:
            return None
    return out


def _sibling(tree: Tree, node_of: Mapping[int, int]) -> bool:
    """Tell whether no value lies below a published node and is published above it."""
    published = set(node_of.values())
    return all(
        tree.depth[own] >= tree.depth[node]
        for leaf, own in node_of.items()
        for node in published
        if _above(tree, node, leaf)
    )


def _subtree(tree: Tree, node_of: Mapping[int, int]) -> bool:
    """Tell whether every value below a published node is published as that node."""
    published = set(node_of.values())
    return all(own == node for leaf, own in node_of.items() for node in published if _above(tree, node, leaf))


def _full_domain(tree: Tree, node_of: Mapping[int, int]) -> bool:
    """Tell whether one level shows every value as it is published."""
    return any(
        all(tree.labels[level[leaf]] == tree.labels[own] for leaf, own in node_of.items()) for level in tree.level_nodes
    )
