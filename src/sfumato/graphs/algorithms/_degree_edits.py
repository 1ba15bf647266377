"""Giving nodes the degrees that were chosen for them: links between those that lack some, and the help of common degrees.

A hub that needs hundreds of new neighbours finds few others that lack links too. So nodes of a common degree are raised (or
lowered) by one: as long as k of them stay, or none, and k have the degree they come to, nobody is told apart by it.
"""

from __future__ import annotations

import numpy as np

from sfumato.graphs.degree_sequence_kernels import join_residuals
from sfumato.graphs.graph import Graph
from sfumato.kernels.arrays import Ints

__all__ = ["Links", "given_degrees", "with_dummies"]


class Links:
    """The links of a graph while they are edited; only nodes that were touched are held as sets."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.added: set[tuple[int, int]] = set()
        self.removed: set[tuple[int, int]] = set()
        self._near: dict[int, set[int]] = {}

    def near(self, node: int) -> set[int]:
        """Return the neighbours of a node as they are now."""
        if node not in self._near:
            # Whoever was touched is held already, so that the links of the input are right for all others.
            self._near[node] = set(self.graph.neighbours(node).tolist())
        return self._near[node]

    def flip(self, one: int, other: int) -> None:
        """Add a link that is not there, or remove one that is."""
        here, there = self.near(one), self.near(other)
        pair = (min(one, other), max(one, other))
        if other in here:
            here.discard(other)
            there.discard(one)
            undone, done = self.added, self.removed
        else:
            here.add(other)
            there.add(one)
            undone, done = self.removed, self.added
        if pair in undone:
            undone.discard(pair)
        else:
            done.add(pair)

    def arrays(self) -> tuple[Ints, Ints]:
        """Return the links added and those removed."""
        return _pairs(self.added), _pairs(self.removed)


def given_degrees(graph: Graph, targets: Ints, k: int) -> Graph | None:
    """Return the graph with links added and removed so that degrees are k-anonymous, near the targets; or nothing.

    Nodes that lack links are joined with each other, those with too many lose what they share; a link is moved from one that
    has too many to one that lacks some; what is left is taken from, or given to, nodes of common degrees.
    """
    residual = targets - graph.degrees
    links = Links(graph)
    made, lacking = join_residuals(graph.starts, graph.targets, np.maximum(residual, 0))
    for one, other in made.tolist():
        links.flip(one, other)
    surplus = _parted(links, np.maximum(-residual, 0))
    lacking, surplus = _moved(links, lacking, surplus)
    classes = _Classes(targets, k)
    for missing, step in ((lacking, 1), (surplus, -1)):
        if missing.any() and not classes.serve(links, missing, step):
            return None
    return graph.edited(*links.arrays())


def with_dummies(graph: Graph, targets: Ints, k: int) -> Graph:
    """Return the graph with nodes added that take every link that finds no other end; their degrees are all the same.

    Of D added nodes, D at least k and the largest number of links that one node lacks, each gets ``ceil(S / D)`` of the S open
    ends in turn; those that got one less are joined in pairs, so D is chosen to leave an even number of them.
    """
    residual = np.maximum(targets - graph.degrees, 0)
    made, lacking = join_residuals(graph.starts, graph.targets, residual)
    total = int(lacking.sum())
    edges = [graph.edges, made]
    if not total:
        return graph.edited(made, np.empty((0, 2), np.int64))
    count = max(k, int(lacking.max()))
    while (-total) % count % 2:
        count += 1
    ends = len(graph) + np.arange(total) % count
    edges.append(np.stack((np.repeat(np.arange(len(graph)), lacking), ends), axis=1))
    spare = len(graph) + np.arange(total % count, count) if total % count else np.empty(0, np.int64)
    edges.append(spare.reshape(-1, 2))
    return graph.joined(count, np.concatenate(edges).astype(np.int64))


def _parted(links: Links, surplus: Ints) -> Ints:
    """Remove links between nodes that both have too many, those with most first; return what is too much still."""
    left = surplus.copy()
    for node in sorted(np.flatnonzero(left).tolist(), key=lambda at: (-left[at], at)):
        shared = sorted((at for at in links.near(node) if left[at] > 0), key=lambda at: (-left[at], at))
        for other in shared[: int(left[node])]:
            links.flip(node, other)
            left[node] -= 1
            left[other] -= 1
    return left


def _moved(links: Links, lacking: Ints, surplus: Ints) -> tuple[Ints, Ints]:
    """Move links from nodes that have too many to nodes that lack some: the neighbour of the one becomes the other's."""
    need, much = lacking.copy(), surplus.copy()
    givers = sorted(np.flatnonzero(much).tolist(), key=lambda at: (-much[at], at))
    for node in sorted(np.flatnonzero(need).tolist(), key=lambda at: (-need[at], at)):
        for giver in givers:
            if need[node] == 0:
                break
            if much[giver] == 0 or giver == node:
                continue
            free = sorted(links.near(giver) - links.near(node) - {node})
            for other in free[: int(min(need[node], much[giver]))]:
                links.flip(giver, other)
                links.flip(node, other)
                need[node] -= 1
                much[giver] -= 1
    return need, much


class _Classes:
    """The nodes of each degree, of which some move by one step: as many as leave every degree with k nodes or none."""

    def __init__(self, targets: Ints, k: int) -> None:
        self.k = k
        self.members: dict[int, list[int]] = {}
        for node, degree in enumerate(targets.tolist()):
            self.members.setdefault(degree, []).append(node)

    def serve(self, links: Links, missing: Ints, step: int) -> bool:
        """Give every open end of a link a node of some degree, which moves by one step; tell whether all were served."""
        open_ = {node: int(missing[node]) for node in np.flatnonzero(missing).tolist()}
        while open_:
            total = sum(open_.values())
            for degree in sorted(self.members, key=lambda at: (-self._supply(at, total, step), at)):
                if self._supply(degree, total, step) <= 0:
                    return self._joined(links, open_, step)
                if self._moved(links, open_, degree, step):
                    break
            else:
                return False
        return True

    def _supply(self, degree: int, total: int, step: int) -> int:
        """Return how many nodes of a degree can move at most for so many open ends."""
        held, there = len(self.members[degree]), len(self.members.get(degree + step, ()))
        if degree + step < 0:
            return 0
        most = held if held <= total else min(total, held - self.k)
        return most if there + most >= self.k else 0

    def _moved(self, links: Links, open_: dict[int, int], degree: int, step: int) -> bool:
        """Give open ends to nodes of one degree; tell whether any were, and leave all as it was if too few would stay."""
        pool, total = self.members[degree], sum(open_.values())
        left = dict(open_)
        limit = self._supply(degree, total, step)
        chosen: list[tuple[int, int]] = []
        for node in pool:
            if len(chosen) == limit:
                break
            for hub in sorted(left, key=lambda at: (-left[at], at)):
                if hub != node and (node in links.near(hub)) == (step < 0):
                    chosen.append((hub, node))
                    left[hub] -= 1
                    if not left[hub]:
                        del left[hub]
                    break
        there = len(self.members.get(degree + step, ()))
        if limit == len(pool) and len(chosen) < limit:  # all were to go, and some cannot
            del chosen[max(len(pool) - self.k, 0) :]
        if not chosen or there + len(chosen) < self.k:
            return False
        for hub, node in chosen:
            links.flip(hub, node)
            open_[hub] -= 1
            if not open_[hub]:
                del open_[hub]
        self._move(degree, {node for _, node in chosen}, step)
        return True

    def _joined(self, links: Links, open_: dict[int, int], step: int) -> bool:
        """Serve a few open ends where too few nodes would come to a degree: others come along and are joined in pairs."""
        total = sum(open_.values())
        for degree in sorted(self.members):
            held, there = len(self.members[degree]), len(self.members.get(degree + step, ()))
            least = max(total, self.k - there)
            for count in (least + (least - total) % 2, held):
                fits = (count <= held - self.k or count == held) and count >= least and (count - total) % 2 == 0
                if fits and degree + step >= 0 and self._paired(links, open_, degree, count, step):
                    return True
        return False

    def _paired(self, links: Links, open_: dict[int, int], degree: int, count: int, step: int) -> bool:
        pool = list(self.members[degree])
        ends = [hub for hub, lacking in open_.items() for _ in range(lacking)]
        pairs: list[tuple[int, int]] = []
        while len(pairs) < len(ends) + (count - len(ends)) // 2:
            one = ends[len(pairs)] if len(pairs) < len(ends) else pool.pop(0) if pool else -1
            fitting = [
                at for at in pool if at != one and (at in links.near(one)) == (step < 0) and (one, at) not in pairs
            ]
            if one < 0 or not fitting:
                return False
            pairs.append((one, fitting[0]))
            pool.remove(fitting[0])
        moving = {at for one, other in pairs[: len(ends)] for at in (other,)}
        moving |= {at for pair in pairs[len(ends) :] for at in pair}
        for pair in pairs:
            links.flip(*pair)
        self._move(degree, moving, step)
        open_.clear()
        return True

    def _move(self, degree: int, moving: set[int], step: int) -> None:
        held = self.members[degree]
        self.members[degree] = [node for node in held if node not in moving]
        if not self.members[degree]:
            del self.members[degree]
        self.members.setdefault(degree + step, []).extend(sorted(moving))


def _pairs(held: set[tuple[int, int]]) -> Ints:
    return np.array(sorted(held), np.int64).reshape(-1, 2)
