"""The tree of distinct rows that a bottom-up search works on: growing it, trying a merge, making it permanent.

Each level of the tree is one column, each path from the root (node 0) to a leaf one distinct row with its number of records
in ``count``. ``value[x]`` is what node x shows, as a node of its column's hierarchy; ``shift[level]`` is where the column
begins in arrays over all hierarchies (``above``: parent in the hierarchy, ``head``: first node that shows a value).
``first`` and ``after`` chain the children of a node, ``ahead`` and ``behind`` the nodes of one level that show one value; -1
ends a chain. A leaf that was merged into another one has no records.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.kernels.jit import njit

__all__ = ["count_nodes", "grow", "merge", "passing", "try_merge"]

IntArray = Any


@njit(cache=True, nogil=True)
def count_nodes(shown: IntArray) -> int:
    """Return how many nodes the tree of sorted rows has, its root included."""
    rows, levels = shown.shape
    nodes = 1
    for i in range(rows):
        level = 0
        if i > 0:
            while level < levels and shown[i, level] == shown[i - 1, level]:
                level += 1
        nodes += levels - level
    return nodes


@njit(cache=True, nogil=True)
def grow(
    shown: IntArray,
    weights: IntArray,
    shift: IntArray,
    value: IntArray,
    parent: IntArray,
    first: IntArray,
    after: IntArray,
    ahead: IntArray,
    behind: IntArray,
    head: IntArray,
    count: IntArray,
    leaf: IntArray,
) -> None:
    """Fill the arrays of the tree from sorted rows; ``leaf[i]`` becomes the leaf of row i. All links are -1 before."""
    rows, levels = shown.shape
    path = np.zeros(levels + 1, np.int64)
    nodes = 1
    for i in range(rows):
        level = 0
        if i > 0:
            while level < levels and shown[i, level] == shown[i - 1, level]:
                level += 1
        while level < levels:
            x = nodes
            nodes += 1
            above = path[level]
            value[x] = shown[i, level]
            parent[x] = above
            after[x] = first[above]
            first[above] = x
            slot = shift[level] + shown[i, level]
            ahead[x] = head[slot]
            if head[slot] >= 0:
                behind[head[slot]] = x
            head[slot] = x
            level += 1
            path[level] = x
        count[path[levels]] += weights[i]
        leaf[i] = path[levels]


@njit(cache=True, nogil=True)
def passing(
    leaves: IntArray,
    value: IntArray,
    parent: IntArray,
    first: IntArray,
    after: IntArray,
    shift: IntArray,
    above: IntArray,
    valid: IntArray,
    found: IntArray,
) -> None:
    """Walk up from the leaves; ``found[level]`` becomes the one generalization that could lift all of them, or -1.

    A generalization passes on a level if every leaf's path runs through a node that it would merge with a sibling.
    """
    levels = len(found)
    here = leaves.copy()
    for level in range(levels - 1, -1, -1):
        base = shift[level]
        target = above[base + value[here[0]]]
        holds = target >= 0 and valid[base + target] == 1
        for i in range(len(here)):
            if not holds:
                break
            x = here[i]
            if above[base + value[x]] != target:
                holds = False
                break
            joined = False
            y = first[parent[x]]
            while y >= 0:
                if y != x and above[base + value[y]] == target:
                    joined = True
                    break
                y = after[y]
            holds = joined
        found[level] = target if holds else -1
        for i in range(len(here)):
            here[i] = parent[here[i]]


@njit(cache=True, nogil=True)
def _parents(
    children: IntArray, base: int, parent: IntArray, ahead: IntArray, head: IntArray, mark: IntArray
) -> IntArray:
    """Return the nodes that have a child showing one of the values, each once; ``mark`` is 0 before and after."""
    total = 0
    for c in children:
        x = head[base + c]
        while x >= 0:
            if mark[parent[x]] == 0:
                mark[parent[x]] = 1
                total += 1
            x = ahead[x]
    out = np.empty(total, np.int64)
    at = 0
    for c in children:
        x = head[base + c]
        while x >= 0:
            if mark[parent[x]] == 1:
                mark[parent[x]] = 0
                out[at] = parent[x]
                at += 1
            x = ahead[x]
    return out


@njit(cache=True, nogil=True)
def try_merge(
    level: int,
    target: int,
    children: IntArray,
    value: IntArray,
    parent: IntArray,
    first: IntArray,
    after: IntArray,
    ahead: IntArray,
    head: IntArray,
    count: IntArray,
    shift: IntArray,
    above: IntArray,
    held: IntArray,
    mark: IntArray,
    tally: IntArray,
    place: IntArray,
    buffer: IntArray,
    stack: IntArray,
) -> int:
    """Return the size of the smallest row if a generalization were applied, at most ``len(held) - 1``.

    ``held[i]`` counts the rows of i records (the last entry: of that many or more). Nothing is changed; only rows that
    would be merged with others are looked at. ``mark`` and ``tally`` are 0 before and after; ``buffer`` and ``stack`` (x 3)
    have room for every node.
    """
    levels = len(shift)
    cap = len(held) - 1
    left = held.copy()
    least = cap
    seen = np.empty(len(tally), np.int64)
    for q in _parents(children, shift[level], parent, ahead, head, mark):
        top = 0
        x = first[q]
        while x >= 0:
            if above[shift[level] + value[x]] == target:
                buffer[top] = x
                top += 1
            x = after[x]
        if top < 2:
            continue
        stack[0, 0], stack[0, 1], stack[0, 2] = 0, top, level
        depth = 1
        while depth > 0:
            depth -= 1
            low, high, at = stack[depth, 0], stack[depth, 1], stack[depth, 2]
            if at == levels - 1:
                total = 0
                for i in range(low, high):
                    total += count[buffer[i]]
                    left[min(count[buffer[i]], cap)] -= 1
                least = min(least, total)
                continue
            base = shift[at + 1]
            kinds = 0
            for i in range(low, high):
                y = first[buffer[i]]
                while y >= 0:
                    slot = base + value[y]
                    if tally[slot] == 0:
                        seen[kinds] = slot
                        kinds += 1
                    tally[slot] += 1
                    y = after[y]
            for k in range(kinds):
                slot = seen[k]
                place[slot] = -1
                if tally[slot] > 1:
                    place[slot] = top
                    stack[depth, 0], stack[depth, 1], stack[depth, 2] = top, top + tally[slot], at + 1
                    depth += 1
                    top += tally[slot]
                tally[slot] = 0
            for i in range(low, high):
                y = first[buffer[i]]
                while y >= 0:
                    slot = base + value[y]
                    if place[slot] >= 0:
                        buffer[place[slot]] = y
                        place[slot] += 1
                    y = after[y]
    for size in range(least):
        if left[size] > 0:
            return size
    return least


@njit(cache=True, nogil=True)
def merge(
    level: int,
    target: int,
    children: IntArray,
    value: IntArray,
    parent: IntArray,
    first: IntArray,
    after: IntArray,
    ahead: IntArray,
    behind: IntArray,
    head: IntArray,
    count: IntArray,
    into: IntArray,
    shift: IntArray,
    above: IntArray,
    held: IntArray,
    mark: IntArray,
    tally: IntArray,
    place: IntArray,
    buffer: IntArray,
    stack: IntArray,
) -> int:
    """Apply a generalization to the tree; return how many rows were merged into others (``into`` says which).

    A node that none of its siblings joins is only relabelled. Otherwise the first one stays, takes the children of the
    others, and children that show the same value are merged in turn.
    """
    levels = len(shift)
    cap = len(held) - 1
    gone = 0
    own = shift[level]
    seen = np.empty(len(tally), np.int64)
    touched = _parents(children, own, parent, ahead, head, mark)
    for c in children:
        head[own + c] = -1
    for q in touched:
        top = 0
        x = first[q]
        first[q] = -1
        while x >= 0:
            following = after[x]
            if above[own + value[x]] == target:
                buffer[top] = x
                top += 1
            else:
                after[x] = first[q]
                first[q] = x
            x = following
        kept = buffer[0]
        value[kept] = target
        after[kept] = first[q]
        first[q] = kept
        behind[kept] = -1
        ahead[kept] = head[own + target]
        if head[own + target] >= 0:
            behind[head[own + target]] = kept
        head[own + target] = kept
        if top < 2:
            continue
        stack[0, 0], stack[0, 1], stack[0, 2] = 0, top, level
        depth = 1
        while depth > 0:
            depth -= 1
            low, high, at = stack[depth, 0], stack[depth, 1], stack[depth, 2]
            kept = buffer[low]
            if at == levels - 1:
                for i in range(low, high):
                    held[min(count[buffer[i]], cap)] -= 1
                for i in range(low + 1, high):
                    count[kept] += count[buffer[i]]
                    count[buffer[i]] = 0
                    into[buffer[i]] = kept
                    gone += 1
                held[min(count[kept], cap)] += 1
                continue
            base = shift[at + 1]
            kinds = 0
            for i in range(low, high):
                y = first[buffer[i]]
                while y >= 0:
                    slot = base + value[y]
                    if tally[slot] == 0:
                        seen[kinds] = slot
                        kinds += 1
                    tally[slot] += 1
                    y = after[y]
            for k in range(kinds):
                slot = seen[k]
                place[slot] = -1
                if tally[slot] > 1:
                    place[slot] = top
                    stack[depth, 0], stack[depth, 1], stack[depth, 2] = top, top + tally[slot], at + 1
                    depth += 1
                    top += tally[slot]
            chain = -1
            for i in range(low, high):
                y = first[buffer[i]]
                first[buffer[i]] = -1
                while y >= 0:
                    following = after[y]
                    slot = base + value[y]
                    if place[slot] >= 0:
                        buffer[place[slot]] = y
                        place[slot] += 1
                    if tally[slot] > 0:
                        # The first child that shows the value stays; a tally of 0 says that there is one already.
                        tally[slot] = 0
                        parent[y] = kept
                        after[y] = chain
                        chain = y
                    else:
                        if behind[y] >= 0:
                            ahead[behind[y]] = ahead[y]
                        else:
                            head[slot] = ahead[y]
                        if ahead[y] >= 0:
                            behind[ahead[y]] = behind[y]
                    y = following
            first[kept] = chain
    return gone
