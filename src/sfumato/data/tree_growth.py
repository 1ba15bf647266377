"""Trees from paths: what lies above leaves is shared by many of them, so it is climbed once and leaves are hung below it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sfumato.data.levels import runs
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Codes

__all__ = ["TWO_NODES", "Grown", "grown"]

TWO_NODES = "hierarchy uses a label for two different nodes"


@dataclass
class Grown:
    """The parts of a tree in pre-order, while it is written down."""

    labels: list[str] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    leaves: list[Hashable] = field(default_factory=list)
    leaf_nodes: list[int] = field(default_factory=list)
    span: list[int] = field(default_factory=list)

    def arrays(self) -> tuple[tuple[str, ...], Codes, tuple[Hashable, ...], Codes, Codes]:
        """Return labels, parents, leaves, nodes of leaves, and spans."""
        parent, nodes, span = (np.array(numbers, np.int32) for numbers in (self.parent, self.leaf_nodes, self.span))
        return tuple(self.labels), parent, tuple(self.leaves), nodes, span


@dataclass
class _Inner:
    """A node above leaves: its inner nodes and its leaves, each with the place of the first leaf at or below it."""

    label: str
    levels: int
    first: int
    below: dict[str, _Inner] = field(default_factory=dict)
    leaves: list[int] = field(default_factory=list)


def grown(
    labels: Sequence[str],
    values: Sequence[Hashable],
    above: Sequence[tuple[str, ...]],
    place: Sequence[int],
    *,
    column: str = "",
) -> Grown:
    """Hang each leaf below the labels ``above[place[leaf]]``, nearest first and root last.

    Equal prefixes from the root share nodes; a repeated label is one node on as many levels, and paths must agree in that.
    Siblings keep the order of their first leaf. Equal leaves of equal value are one.
    """
    if not labels:
        raise BadRequest("hierarchy has no leaf", column=column or None)
    roots = dict.fromkeys(path[-1] for path in above)
    if len(roots) > 1:
        raise BadRequest("hierarchy must have one root", column=column or None, value=list(roots))
    climbs = [runs(path) for path in above]
    label = next(iter(roots))
    if len({steps[-1][1] for steps in climbs}) > 1:
        raise BadRequest(TWO_NODES, column=column or None, value=label)
    root = _Inner(label, climbs[0][-1][1], 0)
    hung: list[list[int] | None] = [None] * len(above)
    for leaf in _once(labels, values, place, column):
        at = place[leaf]
        held = hung[at]
        if held is None:
            held = hung[at] = _climbed(root, climbs[at], leaf, column).leaves
        held.append(leaf)
    return _in_order(root, labels, values)


def _once(labels: Sequence[str], values: Sequence[Hashable], place: Sequence[int], column: str) -> Sequence[int]:
    """Return the leaves, each once; refuse one that stands for two values."""
    if len(set(labels)) == len(labels):
        return range(len(labels))
    first: dict[tuple[int, str], int] = {}
    for leaf, key in enumerate(zip(place, labels, strict=True)):
        known = first.setdefault(key, leaf)
        if values[known] != values[leaf]:
            raise BadRequest("two values share one leaf", column=column or None, value=[values[known], values[leaf]])
    return list(first.values())


def _climbed(root: _Inner, steps: Sequence[tuple[str, int]], leaf: int, column: str) -> _Inner:
    """Return the node at the end of a path, made where it is not there yet."""
    node = root
    for label, levels in reversed(steps[:-1]):
        node = node.below.setdefault(label, _Inner(label, levels, leaf))
        if node.levels != levels:
            raise BadRequest(TWO_NODES, column=column or None, value=label)
    return node


def _in_order(root: _Inner, labels: Sequence[str], values: Sequence[Hashable]) -> Grown:
    """Write the nodes down, from the root and from left to right."""
    out = Grown()
    stack: list[tuple[_Inner | Sequence[int], int]] = [(root, -1)]
    while stack:
        entry, parent = stack.pop()
        if isinstance(entry, _Inner):
            node = len(out.labels)
            out.labels.append(entry.label)
            out.parent.append(parent)
            out.span.append(entry.levels)
            stack.extend((below, node) for below in reversed(_siblings(entry)))
            continue
        start = len(out.labels)
        out.labels.extend([labels[leaf] for leaf in entry])
        out.leaves.extend([values[leaf] for leaf in entry])
        out.leaf_nodes.extend(range(start, start + len(entry)))
        out.parent.extend([parent] * len(entry))
        out.span.extend([1] * len(entry))
    return out


def _siblings(node: _Inner) -> list[_Inner | Sequence[int]]:
    """Return what hangs below a node, in the order of first leaves; leaves side by side stay together."""
    if not node.below:
        return [node.leaves]
    out: list[_Inner | Sequence[int]] = []
    at = 0
    for inner in sorted(node.below.values(), key=lambda one: one.first):
        stop = int(np.searchsorted(node.leaves, inner.first))
        out += [node.leaves[at:stop], inner]
        at = stop
    return [*out, node.leaves[at:]]
