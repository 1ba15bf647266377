"""Giving nodes the degrees that were chosen for them: links between those that lack some, and the help of common degrees.

A hub that needs hundreds of new neighbours finds few others that lack links too. So nodes of a common degree are raised (or
lowered) by one: as long as k of them stay, or none, and k have the degree they come to, nobody is told apart by it.
"""

from __future__ import annotations

from bisect import bisect_left, insort

import numpy as np

from sfumato.graphs.degree_sequence_kernels import join_residuals
from sfumato.graphs.graph import Graph
from sfumato.kernels.arrays import Ints

__all__ = ["Links", "given_degrees", "with_dummies"]

_LABEL = 1 << 40  # more than any degree: how far the numbers of two labels lie apart


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


def given_degrees(
    graph: Graph, targets: Ints, k: int, *, exchange: bool = False, labels: Ints | None = None
) -> Graph | None:
    """Return the graph with links added and removed so that degrees are k-anonymous, near the targets; or nothing.

    Nodes that lack links are joined with each other, those with too many lose what they share; a link is moved from one that
    has too many to one that lacks some; what is left is taken from, or given to, nodes of common degrees. Where these do not
    suffice and links may be exchanged, two links of a node that has too many become one between their other ends, and a link
    is led through a node that lacks two: nobody else's degree changes. With labels, nodes move among those of their own.
    """
    residual = targets - graph.degrees
    links = Links(graph)
    made, lacking = join_residuals(graph.starts, graph.targets, np.maximum(residual, 0))
    for one, other in made.tolist():
        links.flip(one, other)
    surplus = _parted(links, np.maximum(-residual, 0))
    lacking, surplus = _moved(links, lacking, surplus)
    classes = _Classes(targets if labels is None else targets + labels * _LABEL, k)
    for missing, step in ((lacking, 1), (surplus, -1)):
        left = classes.serve(links, missing, step)
        if left and not (exchange and _exchanged(links, left, step, classes)):
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


def _exchanged(links: Links, open_: dict[int, int], step: int, classes: _Classes) -> bool:
    """Take links from nodes in pairs and join the other ends, or lead links through nodes; tell whether all were served.

    With an odd number, a node of a common degree comes along.
    """
    ends = [hub for hub, count in sorted(open_.items()) for _ in range(count)]
    if len(ends) % 2:
        another = classes.spared(step)
        if another is None:
            return False
        ends.append(another)
    if step > 0:
        spare = iter(links.graph.edges.tolist())
        for one, other in zip(ends[::2], ends[1::2], strict=True):
            for here, there in spare:
                fits = (
                    not {here, there} & {one, other} and here not in links.near(one) and there not in links.near(other)
                )
                if fits and there in links.near(here):
                    links.flip(here, there)
                    links.flip(one, here)
                    links.flip(other, there)
                    break
            else:
                return False
        return True
    for one, other in zip(ends[::2], ends[1::2], strict=True):
        # Ends with few links are seldom linked already, and the link between them is then a new one.
        around = [sorted(links.near(node), key=lambda at: (len(links.near(at)), at)) for node in (one, other)]
        found = next(
            (
                (here, there)
                for here in around[0]
                for there in around[1]
                if here != there and not {here, there} & {one, other} and there not in links.near(here)
            ),
            None,
        )
        if found is None:
            return False
        links.flip(one, found[0])
        links.flip(other, found[1])
        links.flip(*found)
    return True


class _Classes:
    """The nodes of each degree, of which some move by one step: as many as leave every degree with k nodes or none.

    What is called a degree here may be a label and a degree in one number.
    """

    def __init__(self, targets: Ints, k: int) -> None:
        self.k = k
        self.members: dict[int, list[int]] = {}
        for node, degree in enumerate(targets.tolist()):
            self.members.setdefault(degree, []).append(node)

    def serve(self, links: Links, missing: Ints, step: int) -> dict[int, int]:
        """Give every open end of a link a node of some degree, which moves by one step; return what could not be served."""
        open_ = {node: int(missing[node]) for node in np.flatnonzero(missing).tolist()}
        reach, hubs = set[int](), 0  # who has a link that may go, when there were so many hubs
        while open_:
            if step < 0 and (not hubs or len(open_) < 0.8 * hubs):
                reach, hubs = set().union(*(links.near(hub) for hub in open_)), len(open_)
            total = sum(open_.values())
            for degree in sorted(self.members, key=lambda at: (-self._supply(at, total, step), at)):
                if self._supply(degree, total, step) <= 0:
                    return {} if self._joined(links, open_, step) else open_
                pool = self.members[degree]
                near = [node for node in pool if node in reach] if step < 0 else pool
                if self._moved(links, open_, degree, step, near):
                    break
            else:
                break
        return open_

    def _supply(self, degree: int, total: int, step: int) -> int:
        """Return how many nodes of a degree can move at most for so many open ends."""
        held, there = len(self.members[degree]), len(self.members.get(degree + step, ()))
        if degree % _LABEL + step < 0:
            return 0
        most = held if held <= total else min(total, held - self.k)
        return most if there + most >= self.k else 0

    def _moved(self, links: Links, open_: dict[int, int], degree: int, step: int, near_hubs: list[int]) -> bool:
        """Give open ends to nodes of one degree; tell whether any were, and leave all as it was if too few would stay."""
        pool, total = self.members[degree], sum(open_.values())
        # Hubs that lack most first; a hub that is served once takes its new place.
        left = sorted((-lacking, hub) for hub, lacking in open_.items())
        lacking = dict(open_)
        limit = self._supply(degree, total, step)
        chosen: list[tuple[int, int]] = []
        for node in near_hubs:
            if len(chosen) == limit or not left:
                break
            near = links.near(node)
            if step < 0:
                fitting = [(-lacking[at], at) for at in near if lacking.get(at)]
                first = min(fitting, default=None)
            else:
                first = next((one for one in left if one[1] != node and one[1] not in near), None)
            if first is None:
                continue
            hub = first[1]
            chosen.append((hub, node))
            lacking[hub] -= 1
            del left[bisect_left(left, first)]
            if lacking[hub]:
                insort(left, (-lacking[hub], hub))
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
                if fits and degree % _LABEL + step >= 0 and self._paired(links, open_, degree, count, step):
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

    def spared(self, step: int) -> int | None:
        """Return a node that may move by one step, because k others have its degree and k the one it comes to."""
        for degree in sorted(self.members):
            held, there = self.members[degree], self.members.get(degree + step, ())
            if len(held) > self.k <= len(there):
                node = held[-1]
                self._move(degree, {node}, step)
                return node
        return None

    def _move(self, degree: int, moving: set[int], step: int) -> None:
        held = self.members[degree]
        self.members[degree] = [node for node in held if node not in moving]
        if not self.members[degree]:
            del self.members[degree]
        self.members.setdefault(degree + step, []).extend(sorted(moving))


def _pairs(held: set[tuple[int, int]]) -> Ints:
    return np.array(sorted(held), np.int64).reshape(-1, 2)
