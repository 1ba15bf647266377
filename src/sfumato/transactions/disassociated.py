"""Disassociated baskets: clusters in which parts of baskets are listed apart, so that nobody knows which belong together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.transactions.baskets import Baskets

__all__ = ["Cluster", "Disassociated", "parts_of"]


@frozen
class Cluster:
    """So many baskets: ``chunks`` list the parts of them that hold some items, ``terms`` further items that some of them hold.

    No item is in two chunks, or in a chunk and among the terms. Parts are not empty and in the order of their items.
    """

    baskets: int
    chunks: tuple[tuple[tuple[str, ...], ...], ...]
    terms: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse what no baskets can have been taken apart to."""
        own = [{name for part in chunk for name in part} for chunk in self.chunks] + [set(self.terms)]
        if sum(map(len, own)) > len(set().union(*own)):
            raise BadRequest("an item is in two chunks of a cluster", parameter="chunks")
        if self.baskets < 1 or any(not 1 <= len(chunk) <= self.baskets for chunk in self.chunks):
            raise BadRequest("a chunk has more parts than its cluster has baskets, or none", parameter="chunks")
        if len(self.chunks) > 1 and not self.terms:
            # Nobody could say which baskets would be empty if parts of the same ones belong together.
            raise BadRequest("a cluster with several chunks needs an item that is in none of them", parameter="terms")


@frozen(eq=False, repr=False)
class Disassociated:
    """Clusters of baskets that were taken apart.

    Examples
    --------
    >>> cluster = Cluster(3, ((("a", "b"), ("a", "b")), (("c",), ("c",))), ("d",))
    >>> apart = Disassociated((cluster,))
    >>> len(apart.as_baskets()), [sorted(one) for one in apart.reconstructed(np.random.default_rng(0))]
    (7, [['a', 'b', 'd'], ['c'], ['a', 'b', 'c']])
    """

    clusters: tuple[Cluster, ...]

    @property
    def records(self) -> int:
        """How many baskets there are."""
        return sum(cluster.baskets for cluster in self.clusters)

    def as_baskets(self) -> Baskets:
        """Return sets of which k^m-anonymity says what it says of the clusters.

        The parts, their items called by cluster and chunk, and for each basket of a cluster one set that holds the cluster:
        every combination of few items must come k times in its chunk, and every cluster must have k baskets. Items of
        different chunks, and the terms, may be together in any k baskets of the cluster.
        """
        return Baskets.of(list(self._sets()))

    def _sets(self) -> Iterator[frozenset[str]]:
        for number, cluster in enumerate(self.clusters, 1):
            yield from [frozenset({str(number)})] * cluster.baskets
            for at, chunk in enumerate(cluster.chunks, 1):
                yield from (frozenset(f"{number}.{at} {name}" for name in part) for part in chunk)

    def reconstructed(self, rng: np.random.Generator) -> list[frozenset[str]]:
        """Return baskets that may have been taken apart to this: parts put together at random, each term in one basket."""
        out: list[frozenset[str]] = []
        for cluster in self.clusters:
            made: list[set[str]] = [set() for _ in range(cluster.baskets)]
            for chunk in cluster.chunks:
                for part, at in zip(chunk, rng.permutation(cluster.baskets).tolist(), strict=False):
                    made[at] |= set(part)
            empty = [at for at, one in enumerate(made) if not one]
            for number, name in enumerate(cluster.terms):
                at = empty[number] if number < len(empty) else int(rng.integers(cluster.baskets))
                made[at].add(name)
            out += [frozenset(one) for one in made]
        return out


def parts_of(baskets: Sequence[frozenset[str]], domain: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return what baskets hold of some items, the empty parts left out, in the order of their items."""
    held = (tuple(sorted(one.intersection(domain))) for one in baskets)
    return tuple(sorted(part for part in held if part))
