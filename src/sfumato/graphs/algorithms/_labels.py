"""Labels of nodes made more general: what several have in common, and classes of equal labels that are large enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from sfumato.data.tree import Tree
from sfumato.graphs.graph import Graph

__all__ = ["ROOT", "common_label", "large_labels"]

ROOT = "*"


def common_label(tree: Tree | None, shown: Collection[str | None]) -> str:
    """Return the lowest node of the taxonomy above some labels; its root, or a star, where there is none."""
    if tree is None:
        return ROOT
    return tree.labels[_lowest(tree, shown)]


def large_labels(graph: Graph, k: int) -> Graph:
    """Return the graph with labels made more general until k nodes have each: the rarest with the one most like it, in turn."""
    rows = list(zip(*(graph.columns[name] for name in graph.label), strict=True))
    while True:
        counts = Counter(rows)
        if len(counts) < 2 or min(counts.values()) >= k:
            break
        rarest = min(counts, key=lambda row: (counts[row], repr(row)))
        tree = graph.tree if len(graph.label) == 1 else None
        depth = {row: 0 if tree is None else _depth(tree, [rarest[0], row[0]]) for row in counts}
        others = [row for row in counts if row != rarest]
        like = min(others, key=lambda row: (-depth[row], not _starred(row), counts[row], repr(row)))
        made = tuple(common_label(tree, {rarest[at], like[at]}) for at in range(len(rarest)))
        rows = [made if row in (rarest, like) else row for row in rows]
    held = {name: tuple(row[at] for row in rows) for at, name in enumerate(graph.label)}
    return replace(graph, columns={**graph.columns, **held})


def _starred(row: tuple[str | None, ...]) -> bool:
    return all(text == ROOT for text in row)


def _lowest(tree: Tree, shown: Collection[str | None]) -> int:
    if any(text not in tree.node_of for text in shown):
        return 0
    paths = []
    for text in shown:
        at, path = tree.node_of[text or ""], []
        while at > 0:
            path.append(at)
            at = int(tree.parent[at])
        paths.append([0, *path[::-1]])
    common = 0
    for level in zip(*paths, strict=False):
        if len(set(level)) > 1:
            break
        common = level[0]
    return common


def _depth(tree: Tree, shown: Collection[str | None]) -> int:
    """Return how many steps below the root what labels have in common lies."""
    at, steps = _lowest(tree, shown), 0
    while at > 0:
        at, steps = int(tree.parent[at]), steps + 1
    return steps
