"""A taxonomy where nobody knows one: neighbours in the order of their names or numbers share a node."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.data.tree import Tree

__all__ = ["neighbour_tree"]


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
