"""Making neighbourhoods alike by adding links: a node joins a class that is large already, or k unsafe ones become alike.

To join a class costs the links of one node only, so it is tried first, the cheapest first. What an added link does to
the neighbourhoods around it is seen in the next round.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.tree import Tree
from sfumato.graphs.algorithms._degree_edits import Links
from sfumato.graphs.algorithms._labels import common_label
from sfumato.graphs.algorithms._neighborhood_shapes import WHOLE, aligned, fitted, own_term, sums, term
from sfumato.graphs.candidates import Classes
from sfumato.graphs.graph import Graph
from sfumato.graphs.measures import triangle_counts
from sfumato.kernels.arrays import Ints

__all__ = ["next_graph"]

_FRAGILE = 1 << 20  # a link at a node whose class it would break is worse than any number of others
_INNER = 8  # a link among neighbours costs as much as so many to others
_TRIED = 6  # classes that a node is compared with
_SEARCHED = 200  # nodes that are looked at for one that may be linked


def next_graph(
    graph: Graph, classes: Classes, k: int, budget: int | None, run: Run, *, tolerated: int = 0, force: bool = False
) -> Graph | None:
    """Return the graph after one round of at most so many added links; nothing if none of them helped.

    What is tried is kept if fewer nodes are unsafe then, by what can be counted of their neighbourhoods; with ``force`` one
    group of k is made alike whatever that does to others. When the run is to stop, what helped so far is returned.
    """
    edit = _Round(graph, classes, k, budget, run)
    unsafe = np.flatnonzero(classes.sizes < k).tolist()
    if force:
        edit.forced(unsafe)
    else:
        edit.work(unsafe, tolerated)
    return edit.made()


@frozen(eq=False)
class _Drawn:
    """The neighbours of a node by the parts that hang together, largest first, in one row, and the links among them."""

    parts: list[list[int]]
    places: list[int]
    pairs: Ints


class _Round:
    """The links and labels of a graph while neighbourhoods are made alike.

    What can be counted of a neighbourhood (how many neighbours each neighbour shares with its centre, by label) is kept as a
    sum of hashes, which a link changes by a few terms. Equal sums are taken for equal counts; the next round compares exactly.
    """

    def __init__(self, graph: Graph, classes: Classes, k: int, budget: int | None, run: Run) -> None:
        self.graph, self.k, self.budget, self.run = graph, k, budget, run
        self.links = Links(graph)
        self.labels: dict[str, list[str | None]] = {name: list(graph.columns[name]) for name in graph.label}
        self.codes = {tuple(text or "" for text in label): at for at, label in enumerate(graph.label_names)}
        self.inner = triangle_counts(graph)
        sizes = self.sizes = classes.sizes
        self.flips: list[tuple[int, int]] = []
        self.renamed: list[tuple[list[str | None], int, str | None]] = []
        self.touched: dict[int, int] = {}  # nodes whose neighbourhood was changed, with the sum before
        # One node stands for each class that is large enough.
        first = np.unique(classes.codes, return_index=True)[1]
        self.models: Ints = first[sizes[first] >= k]
        # Whoever is linked with somebody who lacks links comes from a large class, and each in turn.
        self.spare = deque(np.lexsort((graph.degrees, -sizes)).tolist())
        # Classes as they are at the moment: those of the round before, and counted anew where something was touched.
        self.seen: list[object] = classes.codes.tolist()
        self.counts = Counter(self.seen)
        self.unsafe = int((sizes < k).sum())
        self.sums: list[int] = sums(graph).tolist()
        self.known: dict[int, object] = {self.sums[at]: int(classes.codes[at]) for at in self.models.tolist()}
        self.drawn: dict[int, _Drawn] = {}
        self.at: Ints = np.zeros(len(graph), np.int64)  # places of nodes, where they were asked for last

    def work(self, unsafe: Sequence[int], tolerated: int) -> None:
        """Let unsafe nodes join classes, those that cost least first; if none can, make groups of them alike."""
        joins = []
        for node in unsafe:
            if self.run.stopping() is not None:
                break
            joins += [(cost, node, model) for cost, model in self._nearest(node)]
        helped = 0
        for cost, node, model in sorted(joins):
            if self.unsafe <= tolerated or not self._affords(cost % _FRAGILE) or self.run.stopping() is not None:
                break
            if self.counts[self.seen[node]] < self.k:
                helped += self._tried(partial(self._copy, node, model))
        if helped:
            return
        for group in self._grouped(unsafe):
            if self.unsafe <= tolerated or not self._affords(1) or self.run.stopping() is not None:
                break
            if all(self.counts[self.seen[node]] < self.k for node in group) or len(unsafe) < self.k:
                self._tried(partial(self._alike, group))

    def forced(self, unsafe: Sequence[int]) -> None:
        """Make the cheapest group of unsafe nodes alike."""
        for group in self._grouped(unsafe)[:1]:
            self._alike(group)

    def _grouped(self, unsafe: Sequence[int]) -> list[list[int]]:
        """Return groups of k unsafe nodes that are most like each other, those that lack fewest links first."""
        groups: dict[tuple[int, ...], None] = {}
        for first, second in ((self.graph.degrees, self.inner), (self.inner, self.graph.degrees)):
            rest = sorted(unsafe, key=lambda node: (self._label(node), first[node], second[node], node))
            windows = [rest[at : at + self.k] for at in range(max(len(rest) - self.k, 0) + 1)] if rest else []
            groups |= dict.fromkeys(tuple(sorted(window)) for window in windows)
        found = [list(group) for group in groups]
        if found and len(found[0]) < self.k:
            found = [[*found[0], *self._company(found[0])]]
        return sorted(found, key=self._unlike)

    def _unlike(self, group: Sequence[int]) -> int:
        """Return how far neighbourhoods differ; a link among neighbours changes theirs, one to a spare node hardly does."""
        return int(np.ptp(self.graph.degrees[group]) + _INNER * np.ptp(self.inner[group]))

    # ---- trying and taking back ------------------------------------------------------------------------------------------

    def _tried(self, change: Callable[[], None]) -> bool:
        """Do something and keep it if fewer nodes are unsafe then and it is within the budget; tell whether it was kept."""
        self.flips, self.renamed, self.touched = [], [], {}
        before = self.unsafe
        change()
        if self.renamed:
            for node in self.touched:
                self.sums[node] = self._counted(node)
        old = [(node, self.seen[node]) for node in self.touched]
        for node, _ in old:
            self._put(node, self.known.setdefault(self.sums[node], ("new", len(self.known))))
        if self.flips and self.unsafe < before and self._affords(0):
            return True
        for one, other in reversed(self.flips):
            self.links.flip(one, other)
        for texts, node, text in reversed(self.renamed):
            texts[node] = text
        for node, code in old:
            self._put(node, code)
            self.sums[node] = self.touched[node]
        return False

    def _put(self, node: int, code: object) -> None:
        for held, by in ((self.seen[node], -1), (code, 1)):
            count = self.counts[held]
            self.unsafe += (count + by if count + by < self.k else 0) - (count if count < self.k else 0)
            self.counts[held] += by
        self.seen[node] = code

    def _counted(self, node: int) -> int:
        """Return what can be counted of a neighbourhood, from its links and labels as they are now."""
        near = self.links.near(node)
        return (
            own_term(self._code(node)) + sum(term(self._code(at), len(self.links.near(at) & near)) for at in near)
        ) % WHOLE

    def made(self) -> Graph | None:
        """Return the graph with what was added and generalized; nothing if it is the same."""
        changed = any(tuple(held) != self.graph.columns[name] for name, held in self.labels.items())
        if not self._affords(0) or (not self.links.added and not changed):
            return None
        out = self.graph.edited(*self.links.arrays())
        return replace(out, columns={**out.columns, **{name: tuple(held) for name, held in self.labels.items()}})

    def _flip(self, one: int, other: int) -> None:
        """Add a link: its ends get a neighbour more, and with each common one all three share a neighbour more."""
        here, there = self.links.near(one), self.links.near(other)
        common = here & there
        for node in (one, other, *common):
            self.touched.setdefault(node, self.sums[node])
        self._add(one, term(self._code(other), len(common)))
        self._add(other, term(self._code(one), len(common)))
        for node in common:
            near = self.links.near(node)
            for end, held in ((one, here), (other, there)):
                shared = len(near & held)
                self._add(node, term(self._code(end), shared + 1) - term(self._code(end), shared))
                self._add(end, term(self._code(node), shared + 1) - term(self._code(node), shared))
        self.flips.append((one, other))
        self.links.flip(one, other)

    def _add(self, node: int, term: int) -> None:
        self.sums[node] = (self.sums[node] + term) % WHOLE

    def _code(self, node: int) -> int:
        return self.codes.setdefault(self._label(node), len(self.codes)) if self.labels else 0

    def _affords(self, cost: int) -> bool:
        return self.budget is None or len(self.links.added) + cost <= self.budget

    def _company(self, few: Sequence[int]) -> list[int]:
        """Return safe nodes with the nearest neighbourhoods, for unsafe ones that are too few."""
        degree, inner = self.graph.degrees[few[0]], self.inner[few[0]]
        far = np.abs(self.graph.degrees - degree) * 2 + np.abs(self.inner - inner)
        far[list(few)] = np.iinfo(np.int64).max
        found: list[int] = np.argsort(far, kind="stable")[: self.k - len(few)].tolist()
        return found

    # ---- one node joins a class ------------------------------------------------------------------------------------------

    def _nearest(self, node: int) -> list[tuple[int, int]]:
        """Return classes whose neighbourhood holds that of a node, with the links that are missing, cheapest first."""
        degrees, inner, codes = self.graph.degrees, self.inner, self.graph.label_codes
        more, closer = degrees[self.models] - degrees[node], inner[self.models] - inner[node]
        fits = np.flatnonzero((more >= 0) & (closer >= 0) & (codes[self.models] == codes[node]))
        found = []
        for at in fits[np.argsort((more + closer)[fits], kind="stable")[:_TRIED]].tolist():
            model = int(self.models[at])
            shown = self._drawn(model)
            places = fitted(self._drawn(node).parts, shown.parts)
            if places is None:
                continue
            own, other = self._numbered(node, places), self._numbered(model, shown.places)
            lacking = other[~np.isin(other, own, assume_unique=True)]
            if len(other) - len(lacking) == len(own):  # all of its own are there
                width = np.int64(len(self.graph))
                ends = np.unique(np.concatenate((lacking // width, lacking % width)))
                held = [places[end] for end in ends.tolist() if end < len(places) and places[end] >= 0]
                fragile = int((self.sizes[held] <= self.k).sum())
                cost = int(degrees[model] - degrees[node]) + len(lacking)
                found.append((min(cost, _FRAGILE - 1) + _FRAGILE * fragile, model))
        return sorted(found)

    def _drawn(self, node: int) -> _Drawn:
        """Return the neighbours of a node by parts, and the links among them, as they are before anything is changed."""
        if node not in self.drawn:
            parts = self._parts(node)
            places = [at for part in parts for at in part]
            pairs = [(places[one], places[other]) for one, other in self._inside(places)]
            self.drawn[node] = _Drawn(parts, places, np.array(pairs, np.int64).reshape(-1, 2))
        return self.drawn[node]

    def _numbered(self, node: int, places: Sequence[int]) -> Ints:
        """Return the links among the neighbours of a node as numbers, by the places that these have."""
        for place, at in enumerate(places):
            if at >= 0:
                self.at[at] = place
        pairs = np.sort(self.at[self._drawn(node).pairs], axis=1)
        return pairs[:, 0] * len(self.graph) + pairs[:, 1]

    def _copy(self, node: int, model: int) -> None:
        """Add links around a node until its neighbourhood is that of the model, as the model is now."""
        shown = self._parts(model)
        self._widen(node, sum(map(len, shown)))
        places = fitted(self._parts(node), shown)
        if places is None or -1 in places:
            return
        aims = [at for part in shown for at in part]
        self._link(places, self._inside(aims))
        self._generalize([[node, model], *([one, other] for one, other in zip(places, aims, strict=False))], only=0)

    # ---- k nodes become alike --------------------------------------------------------------------------------------------

    def _alike(self, group: Sequence[int]) -> None:
        """Add links and generalize labels so that the neighbourhoods of a group are alike."""
        width = max(len(self.links.near(node)) for node in group)
        for node in group:
            self._widen(node, width, group)
        places = aligned([self._parts(node) for node in group]) or [self._places(node)[:width] for node in group]
        wanted = set[tuple[int, int]]().union(*(self._inside(held) for held in places))
        for held in places:
            if not self._affords(0):
                return
            self._link(held, wanted)
        self._generalize([list(group), *(list(column) for column in zip(*places, strict=False))])

    def _widen(self, node: int, width: int, group: Sequence[int] = ()) -> None:
        """Link a node with others until it has so many neighbours: those that share none with it, each in turn."""
        near = self.links.near(node)
        seen = 0
        later = list[int]()
        while len(near) < width and self.spare and seen < max(_SEARCHED, 2 * width):
            other = self.spare.popleft()
            seen += 1
            fits = other != node and other not in near and other not in group
            if fits and not (self.links.near(other) & near):
                self._flip(node, other)
            elif fits:
                later.append(other)
            self.spare.append(other)
        for other in later:
            if len(near) < width and other not in near:
                self._flip(node, other)
        for other in range(len(self.graph)):
            if len(near) >= width:
                break
            if other != node and other not in near:
                self._flip(node, other)

    def _link(self, places: Sequence[int], wanted: set[tuple[int, int]]) -> None:
        for one, other in sorted(wanted):
            if other < len(places) and places[other] not in self.links.near(places[one]):
                self._flip(places[one], places[other])

    # ---- reading ---------------------------------------------------------------------------------------------------------

    def _label(self, node: int) -> tuple[str, ...]:
        return tuple([held[node] or "" for held in self.labels.values()]) if self.labels else ()

    def _places(self, node: int) -> list[int]:
        """Return the neighbours of a node in an order: parts that hang together, largest first, each from its middle on."""
        return [at for part in self._parts(node) for at in part]

    def _parts(self, node: int) -> list[list[int]]:
        """Return the parts of the neighbours of a node that hang together, largest first."""
        near = self.links.near(node)
        inside = {at: self.links.near(at) & near for at in near}

        def rank(at: int) -> tuple[object, ...]:
            return (self._label(at), -len(inside[at]), len(self.links.near(at)), at)

        parts: list[list[int]] = []
        left = set(near)
        for first in sorted(near, key=lambda at: (-len(inside[at]), rank(at))):
            if first not in left:
                continue
            part, open_ = [first], [first]
            left.discard(first)
            for at in open_:
                fresh = sorted(inside[at] & left, key=rank)
                left.difference_update(fresh)
                open_ += fresh
                part += fresh
            parts.append(part)
        parts.sort(
            key=lambda part: (-len(part), -sum(len(inside[at]) for at in part), [self._label(at) for at in part])
        )
        return parts

    def _inside(self, places: Sequence[int]) -> set[tuple[int, int]]:
        """Return the links among neighbours, by their places."""
        at = {node: place for place, node in enumerate(places)}
        return {
            (place, at[other])
            for place, node in enumerate(places)
            for other in self.links.near(node) & at.keys()
            if at[other] > place
        }

    def _generalize(self, columns: Sequence[Sequence[int]], only: int | None = None) -> None:
        """Give the nodes of each place a common label: all of them, or one of them where the others have it already."""
        tree: Tree | None = self.graph.tree
        for texts in self.labels.values():
            for nodes in columns:
                shown = {texts[node] for node in nodes}
                if len(shown) > 1:
                    common = common_label(tree, shown)
                    for node in nodes if only is None else nodes[only : only + 1]:
                        self.renamed.append((texts, node, texts[node]))
                        for at in (node, *self.links.near(node)):
                            self.touched.setdefault(at, self.sums[at])
                        texts[node] = common
