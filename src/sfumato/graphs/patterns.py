"""Rooted patterns: links that an adversary knows around her victim, and the nodes that they fit."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import field

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.graphs.graph import Graph, Pair
from sfumato.kernels.arrays import Ints

__all__ = ["Matches", "Pattern", "grown", "matches"]


@frozen
class Pattern:
    """Links around a ``root`` that stands for the victim, by any names, and labels of some of its nodes."""

    root: Hashable
    links: tuple[Pair, ...]
    labels: Mapping[Hashable, str] = field(default_factory=dict)

    @property
    def edge_facts(self) -> int:
        """How many links are known: the power of the knowledge."""
        return len(self.links)

    @classmethod
    def of(
        cls, root: Hashable, links: Iterable[Iterable[Hashable]], labels: Mapping[Hashable, str] | None = None
    ) -> Pattern:
        """Return a pattern of pairs; one that is no pair, a loop, or a repeated link is refused."""
        held = [tuple(pair) for pair in links]
        if any(len(pair) != 2 or pair[0] == pair[1] for pair in held):
            raise BadRequest("a link of a pattern is a pair of two nodes", parameter="pattern")
        once = {frozenset(pair) for pair in held}
        if len(once) < len(held):
            raise BadRequest("a link of a pattern is there twice", parameter="pattern")
        return cls(root, tuple((pair[0], pair[1]) for pair in held), dict(labels or {}))


@frozen(eq=False)
class Matches:
    """The nodes that a pattern fits, and those of which it is not known within the steps allowed: they count as candidates."""

    fitting: Ints
    undecided: Ints

    @property
    def candidates(self) -> Ints:
        """Both together, rising."""
        return np.union1d(self.fitting, self.undecided)


def matches(graph: Graph, pattern: Pattern, steps: int = 100_000) -> Matches:
    """Return the nodes to which the root can be mapped, different nodes to different ones, links to links (15.1.2.1)."""
    nodes = list(dict.fromkeys([pattern.root, *(end for pair in pattern.links for end in pair)]))
    near: dict[Hashable, set[Hashable]] = {node: set() for node in nodes}
    for one, other in pattern.links:
        near[one].add(other)
        near[other].add(one)
    order = [pattern.root]
    while len(order) < len(nodes):  # those with most links to the ones before come first
        rest = [node for node in nodes if node not in order]
        order.append(max(rest, key=lambda node: (len(near[node] & set(order)), len(near[node]))))
    labels = [graph.label_of(node) for node in range(len(graph))] if pattern.labels else []
    degrees, adjacency = graph.degrees, graph.adjacency

    def fits(asked: Hashable, node: int) -> bool:
        wanted = pattern.labels.get(asked)
        return degrees[node] >= len(near[asked]) and (wanted is None or labels[node] == wanted)

    found: list[int] = []
    unsure: list[int] = []
    for start in range(len(graph)):
        if not fits(pattern.root, start):
            continue
        left = [steps]
        image: dict[Hashable, int] = {pattern.root: start}
        answer = _placed(order, 1, image, near, adjacency, fits, left)
        (found if answer else unsure if left[0] < 0 else []).append(start)
    return Matches(np.array(found, np.int64), np.array(unsure, np.int64))


def _placed(
    order: list[Hashable],
    at: int,
    image: dict[Hashable, int],
    near: Mapping[Hashable, set[Hashable]],
    adjacency: Sequence[frozenset[int]],
    fits: Callable[[Hashable, int], bool],
    left: list[int],
) -> bool:
    if at == len(order):
        return True
    asked = order[at]
    known = [image[other] for other in near[asked] if other in image]
    choices: Iterable[int] = range(len(adjacency))
    if known:
        choices = frozenset.intersection(*(adjacency[node] for node in known))
    used = set(image.values())
    for node in sorted(choices):
        left[0] -= 1
        if left[0] < 0:
            return False
        if node in used or not fits(asked, node):
            continue
        image[asked] = node
        if _placed(order, at + 1, image, near, adjacency, fits, left):
            return True
        del image[asked]
    return False


def grown(graph: Graph, node: int, facts: int) -> Pattern:
    """Return what is known by so many links around a node: breadth first, neighbours in order (Hay et al. 2008)."""
    seen, open_ = {node}, [node]
    links: list[tuple[int, int]] = []
    while open_ and len(links) < facts:
        here = open_.pop(0)
        for other in graph.neighbours(here).tolist():
            pair = (min(here, other), max(here, other))
            if pair not in links and len(links) < facts:
                links.append(pair)
                if other not in seen:
                    seen.add(other)
                    open_.append(other)
    return Pattern(node, tuple(links))
