"""Super-nodes: groups of nodes of which only sizes and numbers of links are told."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from math import comb, exp, lgamma

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.graphs.graph import Graph
from sfumato.kernels.arrays import Ints

__all__ = ["Supernodes"]


@frozen(eq=False)
class Supernodes:
    """A partition of nodes as it is published: the size of each super-node, and the links inside and between them.

    ``between`` has a row ``(X, Y, d(X, Y))`` for each pair ``X <= Y`` with links. ``member`` says in which super-node each node
    is, in the house only. Every graph with these numbers is a possible world; there are
    ``prod_X C(|X|(|X| - 1)/2, d(X, X)) prod_{X < Y} C(|X||Y|, d(X, Y))`` of them (Fung et al. 2010, Eq. 15.1; Hay et al. 2008).

    Examples
    --------
    >>> graph = Graph.of([("a", "b"), ("b", "c"), ("c", "d")])
    >>> found = Supernodes.of(graph, [["a", "b"], ["c", "d"]])
    >>> found.weights, found.worlds
    ({(0, 0): 1, (0, 1): 1, (1, 1): 1}, 4)
    """

    sizes: Ints
    between: Ints
    member: Ints | None = None

    @classmethod
    def of(cls, graph: Graph, parts: Sequence[Iterable[Hashable]]) -> Supernodes:
        """Return the super-nodes of a partition by names; a node in none or in two is refused."""
        member = np.full(len(graph), -1, np.int64)
        for at, part in enumerate(parts):
            numbers = graph.numbers(part)
            if (member[numbers] >= 0).any() or len(set(numbers)) < len(numbers):
                raise BadRequest("a node is in two super-nodes", parameter="partition")
            member[numbers] = at
        if (member < 0).any():
            raise BadRequest("a node is in no super-node", parameter="partition")
        return cls.of_members(graph, member)

    @classmethod
    def of_members(cls, graph: Graph, member: Ints) -> Supernodes:
        """Return the super-nodes of a partition, given as the super-node of each node."""
        count = int(member.max(initial=-1)) + 1
        ends = np.sort(member[graph.edges], axis=1)
        keys, weights = np.unique(ends[:, 0] * max(count, 1) + ends[:, 1], return_counts=True)
        between = np.stack((keys // max(count, 1), keys % max(count, 1), weights), axis=1).astype(np.int64)
        return cls(np.bincount(member, minlength=count).astype(np.int64), between, member)

    @property
    def weights(self) -> dict[tuple[int, int], int]:
        """How many links there are inside and between super-nodes, where there are any."""
        return {(one, other): count for one, other, count in self.between.tolist()}

    @property
    def links(self) -> int:
        """How many links there are in all."""
        return int(self.between[:, 2].sum())

    @cached_property
    def rooms(self) -> Ints:
        """How many links there could be, for each row of ``between``."""
        one, other = self.sizes[self.between[:, 0]], self.sizes[self.between[:, 1]]
        return np.where(self.between[:, 0] == self.between[:, 1], one * (one - 1) // 2, one * other)

    @property
    def worlds(self) -> int:
        """The number of possible worlds, exactly; see ``log_worlds`` for large graphs."""
        out = 1
        for room, count in zip(self.rooms.tolist(), self.between[:, 2].tolist(), strict=True):
            out *= comb(room, count)
        return out

    @property
    def log_worlds(self) -> float:
        """The natural logarithm of the number of possible worlds."""
        return sum(
            lgamma(room + 1) - lgamma(count + 1) - lgamma(room - count + 1)
            for room, count in zip(self.rooms.tolist(), self.between[:, 2].tolist(), strict=True)
        )

    @property
    def utility(self) -> float:
        """One by the number of possible worlds."""
        return exp(-self.log_worlds)

    def sampled(self, rng: np.random.Generator) -> Graph:
        """Return one of the possible worlds, each as likely as any other: as many links in each place as are told."""
        first = np.concatenate(([0], np.cumsum(self.sizes)))
        made = []
        for (one, other, count), room in zip(self.between.tolist(), self.rooms.tolist(), strict=True):
            drawn = rng.choice(room, size=count, replace=False)
            if one == other:
                # Pairs in a row: the pair (a, b) with a < b has the number b(b - 1)/2 + a.
                high = ((1 + np.sqrt(1 + 8 * drawn.astype(np.float64))) / 2).astype(np.int64)
                high -= high * (high - 1) // 2 > drawn
                low = drawn - high * (high - 1) // 2
                made.append(np.stack((first[one] + low, first[one] + high), axis=1))
            else:
                width = int(self.sizes[other])
                made.append(np.stack((first[one] + drawn // width, first[other] + drawn % width), axis=1))
        edges = np.concatenate(made) if made else np.empty((0, 2), np.int64)
        return Graph.of_edges(int(self.sizes.sum()), edges.astype(np.int64))

    def world(self, rng: np.random.Generator) -> Graph:
        """Return one of the possible worlds with its nodes in the order of the input; only in the house."""
        if self.member is None:
            raise BadRequest("does not say whose nodes are in which super-node", parameter="supernodes")
        drawn = self.sampled(rng)
        return drawn.with_edges(np.argsort(self.member, kind="stable")[drawn.edges])
