"""The axes of a space of records: lines of ordered values, and trees whose leaves are numbered from left to right.

A coordinate is the place of a value on its axis. The nodes of all trees are numbered together, parents before children, and
a node covers the coordinates ``first[node]`` to ``last[node] - 1`` of its own axis.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sfumato.kernels.jit import njit

__all__ = ["Axes", "below", "lowest_cover", "width"]

Array = Any


class Axes(NamedTuple):
    """All axes in flat arrays: those by value start at ``place[a]``, those by node hold every tree.

    ``tree``: whether an axis is a tree. ``position``: the number behind a coordinate of a line. ``span``: what a group that
    holds both ends of an axis measures on it. ``leaf``: the node of a coordinate of a tree. ``child[child_from[node]
    :child_to[node]]`` are the children of a node, from left to right.
    """

    tree: Array
    place: Array
    position: Array
    span: Array
    leaf: Array
    parent: Array
    first: Array
    last: Array
    child_from: Array
    child_to: Array
    child: Array


@njit(cache=True, nogil=True)
def lowest_cover(axes: Axes, axis: int, low: int, high: int) -> int:
    """Return the lowest node of a tree that covers two coordinates, the lower one first."""
    node = axes.leaf[axes.place[axis] + low]
    while axes.last[node] <= high:
        node = axes.parent[node]
    return int(node)


@njit(cache=True, nogil=True)
def width(axes: Axes, axis: int, low: int, high: int) -> float:
    """Return how far two coordinates lie apart, as a share of the whole axis."""
    if low == high:
        return 0.0
    if axes.tree[axis]:
        node = lowest_cover(axes, axis, low, high)
        return float((axes.last[node] - axes.first[node] - 1) / axes.span[axis])
    at = axes.place[axis]
    return float((axes.position[at + high] - axes.position[at + low]) / axes.span[axis])


@njit(cache=True, nogil=True)
def below(axes: Axes, axis: int, node: int, coordinate: int) -> int:
    """Return the child of a node that covers a coordinate."""
    found = axes.leaf[axes.place[axis] + coordinate]
    while axes.parent[found] != node:
        found = axes.parent[found]
    return int(found)
