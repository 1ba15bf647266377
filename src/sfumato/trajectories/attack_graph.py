"""The attack graph of regions: whose region each one may be, and what is left when only whole assignments count."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools, Ints
from sfumato.trajectories.attack_graph_kernels import fitting_regions, strong_components
from sfumato.trajectories.regions import Cloaked

__all__ = ["AttackGraph"]

_COUNTED = 20  # objects in a component: the number of matchings takes 2^n steps


@frozen(eq=False, repr=False)
class AttackGraph:
    """Edges from individual i to published object j: for all t in QID(i), where i was lies in the region of j at t.

    The edges of ``i`` are ``targets[starts[i]:starts[i + 1]]``, rising. Every individual fits its own object, so there is a
    perfect matching, the identity; an edge (i, j) lies in some perfect matching if and only if there is a way back from j to i.

    Examples
    --------
    >>> from sfumato.trajectories.moving_objects import MovingObjects
    >>> from sfumato.trajectories.regions import Regions
    >>> raw = MovingObjects.of({"A": [(1, 1)], "B": [(2, 2)]})
    >>> graph = AttackGraph.of(Cloaked.of(raw, Regions.of({"A": [((1, 1), (1, 1))], "B": [((1, 1), (2, 2))]})))
    >>> graph.edges(), graph.candidates()
    ({0: (0, 1), 1: (1,)}, {0: (0,), 1: (1,)})

    References
    ----------
    Yarovoy, Bonchi, Lakshmanan, Wang, "Anonymizing moving objects: how to hide a MOB in a crowd?", 2009,
    doi:10.1145/1516360.1516370.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.4.1, Definition 14.12.
    """

    starts: Ints
    targets: Ints

    @classmethod
    def of(cls, view: Cloaked) -> AttackGraph:
        """Return the graph of what is known and published; a region that does not hold its own object is refused."""
        own, published = view.individuals, view.published
        starts, targets = fitting_regions(
            own.low, own.high, published.low, published.high, published.seen, np.ascontiguousarray(view.known)
        )
        graph = cls(starts, targets)
        if not graph._has(np.arange(len(view)), np.arange(len(view))).all():
            raise BadRequest("a region does not hold the object that it stands for", parameter="published")
        return graph

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def owners(self) -> Ints:
        """The individual of each edge."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def _has(self, one: Ints, other: Ints) -> Bools:
        keys = self.owners * np.int64(len(self)) + self.targets  # rising
        wanted = one * np.int64(len(self)) + other
        at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        found: Bools = keys[at] == wanted if len(keys) else np.zeros(len(wanted), np.bool_)
        return found

    @cached_property
    def mirrored(self) -> Bools:
        """Which edges (i, j) have the edge (j, i) too."""
        return self._has(self.targets, self.owners)

    @cached_property
    def possible(self) -> Bools:
        """Which edges lie in some perfect matching."""
        component = strong_components(self.starts, self.targets)
        same: Bools = component[self.owners] == component[self.targets]
        return same

    @property
    def degrees(self) -> Ints:
        """How many objects each individual fits."""
        return np.diff(self.starts)

    @property
    def object_degrees(self) -> Ints:
        """How many individuals fit each object."""
        return np.bincount(self.targets, minlength=len(self)).astype(np.int64)

    @property
    def symmetric(self) -> bool:
        """Whether every edge is mirrored."""
        return bool(self.mirrored.all())

    @property
    def mutual(self) -> Ints:
        """How many mirrored edges each individual has, the own object among them."""
        return np.bincount(self.owners[self.mirrored], minlength=len(self)).astype(np.int64)

    @property
    def left(self) -> Ints:
        """How many objects each individual may be when only perfect matchings count; 1 if it is re-identified."""
        return np.bincount(self.owners[self.possible], minlength=len(self)).astype(np.int64)

    def edges(self) -> dict[int, tuple[int, ...]]:
        """Return the objects that each individual fits."""
        return _rows(self.owners, self.targets, len(self))

    def candidates(self) -> dict[int, tuple[int, ...]]:
        """Return the objects that each individual may be when only perfect matchings count."""
        return _rows(self.owners[self.possible], self.targets[self.possible], len(self))

    def perfect_matchings(self) -> int | None:
        """Return how many whole assignments fit; ``None`` if a part of the graph is too large to count them."""
        component = strong_components(self.starts, self.targets)
        fitting = self.candidates()
        total = 1
        for number in range(int(component.max(initial=-1)) + 1):
            members = np.flatnonzero(component == number).tolist()
            if len(members) > _COUNTED:
                return None
            place = {node: at for at, node in enumerate(members)}
            ways = {0: 1}  # objects that are taken -> in how many ways
            for node in members:
                following: dict[int, int] = {}
                for taken, count in ways.items():
                    for other in fitting[node]:
                        bit = 1 << place[other]
                        if not taken & bit:
                            following[taken | bit] = following.get(taken | bit, 0) + count
                ways = following
            total *= sum(ways.values())
        return total


def _rows(owners: Ints, targets: Ints, count: int) -> dict[int, tuple[int, ...]]:
    out: dict[int, list[int]] = {at: [] for at in range(count)}
    for one, other in zip(owners.tolist(), targets.tolist(), strict=True):
        out[one].append(other)
    return {one: tuple(others) for one, others in out.items()}
