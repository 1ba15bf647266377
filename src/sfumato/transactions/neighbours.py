"""Taxonomies where nobody wrote one: neighbours in the order of names or numbers share a node, or named groups do."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, misspelt

__all__ = ["group_tree", "neighbour_tree"]


def neighbour_tree(items: Sequence[str], fan_out: int) -> Tree:
    """Return a tree in which each node has up to ``fan_out`` children: items in order, then runs of them, up to one root.

    Items that are all whole numbers are in the order of numbers. A node is called by its first and last item.

    >>> neighbour_tree(["a", "b", "c"], 2).labels
    ('*', 'a..b', 'a', 'b', 'c')
    """
    numbers = all(name.isascii() and name.isdigit() for name in items)
    ordered = sorted(items, key=(lambda name: (int(name), name)) if numbers else None)
    paths = {name: [name] for name in ordered}
    runs = [[name] for name in ordered]
    while len(runs) > 1:
        joined = []
        for first in range(0, len(runs), fan_out):
            below = runs[first : first + fan_out]
            names = [name for run in below for name in run]
            label = "*" if len(runs) <= fan_out else f"{names[0]}..{names[-1]}"
            if len(below) > 1:  # a run alone stays what it is
                for name in names:
                    paths[name].append(label)
            joined.append(names)
        runs = joined
    return Tree.from_paths([paths[name] if len(ordered) > 1 else [name, "*"] for name in ordered])


def group_tree(items: Sequence[str], groups: Sequence[Sequence[str]]) -> Tree:
    """Return a taxonomy of groups of items that may become one, below a root that stands for nothing.

    >>> group_tree(["a", "b", "c"], [["a", "b"]]).labels
    ('*', 'a | b', 'a', 'b', 'c')
    """
    strange = sorted({name for one in groups for name in one} - set(items))
    if strange:
        raise BadRequest(
            "must be groups of public items that baskets hold",
            parameter="items.groups",
            values=strange,
            shown=misspelt(strange, items),
        )
    label = {name: " | ".join(one) for one in groups for name in one}
    return Tree.from_paths([[name, label[name], "*"] if name in label else [name, "*"] for name in sorted(items)])
