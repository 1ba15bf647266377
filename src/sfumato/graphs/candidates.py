"""Candidate sets: whom an adversary cannot tell from her victim by what she knows; every knowledge ends here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from functools import cached_property

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.graphs.graph import Graph
from sfumato.kernels.arrays import Codes, Floats, Ints

__all__ = ["CandidateLists", "Candidates", "Classes"]


class Candidates(ABC):
    """The candidate set of every node: the nodes that fit what is known of it, itself among them."""

    @property
    @abstractmethod
    def sizes(self) -> Ints:
        """How many candidates each node has."""

    @abstractmethod
    def of(self, node: int) -> Ints:
        """Return the candidates of a node, rising."""

    @property
    def risks(self) -> Floats:
        """The chance to find each node by guessing among its candidates; 0 for one that does not fit what is known of it."""
        return np.divide(1.0, self.sizes, out=np.zeros(len(self.sizes)), where=self.sizes > 0)

    @property
    def smallest(self) -> int | None:
        """The size of the smallest candidate set: the largest k for which all have k candidates; nothing without nodes."""
        return int(self.sizes.min()) if len(self.sizes) else None

    @property
    def alone(self) -> int:
        """How many nodes are their only candidate."""
        return int((self.sizes == 1).sum())


@frozen(eq=False)
class Classes(Candidates):
    """Candidate sets that are classes: nodes of one class fit each other."""

    codes: Codes

    @cached_property
    def counts(self) -> Ints:
        """How many nodes each class has."""
        return np.bincount(self.codes).astype(np.int64)

    @cached_property
    def sizes(self) -> Ints:
        return self.counts[self.codes] if len(self.codes) else np.empty(0, np.int64)

    def of(self, node: int) -> Ints:
        return np.flatnonzero(self.codes == self.codes[node])

    def sets(self) -> list[Ints]:
        """Return the classes as nodes, in the order of their first one."""
        order = np.argsort(self.codes, kind="stable")
        parts = np.split(order, np.cumsum(self.counts)[:-1]) if len(order) else []
        return sorted((part for part in parts if len(part)), key=lambda part: int(part[0]))

    def named(self, graph: Graph) -> list[list[Hashable]]:
        """Return the classes by the names of their nodes."""
        return [[graph.names[at] for at in part.tolist()] for part in self.sets()]


@frozen(eq=False)
class CandidateLists(Candidates):
    """Candidate sets of their own for each node: node ``i`` has ``members[starts[i]:starts[i + 1]]``."""

    starts: Ints
    members: Ints

    @classmethod
    def listed(cls, lists: list[Ints]) -> CandidateLists:
        """Return the sets of a list for each node."""
        starts = np.concatenate(([0], np.cumsum([len(one) for one in lists]))).astype(np.int64)
        return cls(starts, np.concatenate([np.empty(0, np.int64), *lists]))

    @cached_property
    def sizes(self) -> Ints:
        return np.diff(self.starts)

    def of(self, node: int) -> Ints:
        return self.members[self.starts[node] : self.starts[node + 1]]
