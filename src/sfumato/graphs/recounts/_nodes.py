"""Nodes and their links as plain texts: what models of graphs are recounted from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

from sfumato.recounts import Groups, Level, Text

__all__ = ["Nodes", "sized"]


@dataclass(frozen=True)
class Nodes:
    """The neighbours of every node, its label, and its place among copies."""

    near: Mapping[Text, tuple[Text, ...]]
    label: Mapping[Text, tuple[Text, ...]]
    place: Mapping[Text, tuple[Text, Text]]


def sized(groups: Groups, k: int, tolerated: float, key: Callable[[Nodes], Mapping[Text, Hashable]]) -> Level:
    """Judge classes of nodes with the same key, or the sizes of super-nodes where these are written; a share may be spared."""
    sizes = [int(rows[("size",)]) for rows in groups.values() if ("size",) in rows]
    if not sizes:
        near = {node[0]: next(iter(rows)) for node, rows in groups.items()}
        told = {node[0]: node for node in groups}
        nodes = Nodes(
            near, {one: node[3:] for one, node in told.items()}, {one: (node[1], node[2]) for one, node in told.items()}
        )
        sizes = list(Counter(key(nodes).values()).values())
    spared = int(tolerated * sum(sizes) + 1e-9)
    small = [size for size in sizes if size < k]
    met, smallest = 0, None
    for size in sorted(sizes):
        met += size
        if met > spared:
            smallest = size
            break
    return Level(smallest, len(small), sum(small) <= spared)
