"""Mondrian over several sites, without their rows: which questions are asked next, and what the answers decide.

Every question is of one form: each site works out a whole number, and all want to know whether the sum reaches a threshold.
Minimum, maximum and median are found by halving a public domain, sizes and sites of parts are such sums themselves. Whoever
knows the answers can follow every decision, so that all sites keep the same state and nobody has to be believed. Questions
about all groups that are still open go out together: a round costs one exchange of messages, however many groups there are.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from math import floor
from typing import Literal

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Infeasible
from sfumato.kernels.arrays import Ints
from sfumato.parties.blocks.halving import Halving

__all__ = ["Axis", "Below", "Cut", "Cutting", "Part", "Promise", "Question", "Region", "SiteRows"]

_SCALE = 2.0**40  # widths are compared in whole steps of this fraction, as the central algorithm compares them


@frozen(eq=False)
class Axis:
    """One quasi-identifier as all sites know it: a tree, or a range of whole numbers (decimals times ``scale``)."""

    name: str
    low: int
    high: int
    scale: int = 1
    tree: Tree | None = None

    @classmethod
    def of_tree(cls, name: str, tree: Tree) -> Axis:
        """Return the axis of a tree: coordinates are leaves from left to right."""
        return cls(name, 0, len(tree.leaves) - 1, tree=tree)

    def places(self, values: Sequence[object]) -> Ints:
        """Return the coordinates of values; refuse what lies outside the domain that all agreed on."""
        if self.tree is not None:
            return self.tree.encode(values, column=self.name).astype(np.int64)
        try:
            numbers = np.array([float(value) * self.scale for value in values], np.float64)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise BadRequest("must hold numbers, or needs a hierarchy that all sites share", column=self.name) from None
        found = np.rint(numbers)
        if not np.allclose(found, numbers, rtol=0, atol=1e-6):
            raise BadRequest("has more decimals than the agreed scale", column=self.name, parameter="scale")
        if len(found) and (found.min() < self.low or found.max() > self.high):
            raise BadRequest("has values outside the domain that all sites agreed on", column=self.name)
        return found.astype(np.int64)

    def number(self, place: int) -> float:
        """Return the number behind a coordinate, whole where it is one."""
        return place // self.scale if place % self.scale == 0 else place / self.scale

    def cover(self, low: int, high: int) -> int:
        """Return the lowest node of the tree above two leaves."""
        assert self.tree is not None
        node = int(self.tree.leaf_nodes[low])
        while self.tree.leaf_last[node] <= high:
            node = int(self.tree.parent[node])
        return node

    def width(self, low: int, high: int, root: tuple[int, int]) -> float:
        """Return how far two coordinates lie apart, as a share of the whole, in steps of 2^-40."""
        if self.tree is not None:
            node = self.cover(low, high)
            share = (int(self.tree.leaf_last[node]) - int(self.tree.leaf_first[node]) - 1) / (self.high - self.low)
        else:
            first, last, least, most = (float(self.number(one)) for one in (low, high, *root))
            share = (last - first) / (most - least)
        return floor(share * _SCALE + 0.5)


@frozen
class Promise:
    """What every group must keep: k records, records of l sites, l values of a sensitive column, k' without any one site."""

    k: int = 1
    sites: int = 1
    values: int = 1
    residual: int = 0


@frozen
class Below:
    """Are there enough records of a group up to a coordinate: one (first), all (last), or half of them (middle)?"""

    group: int
    axis: int
    guess: int
    of: Literal["first", "last", "middle"]

    @property
    def threshold(self) -> int:
        """Return what the sum must reach."""
        return 1 if self.of == "first" else 0


@frozen
class Part:
    """Does what lies between two coordinates of a group reach a threshold: in records, in sites, in records with a value?

    ``axis`` -1 is the whole group. ``without`` leaves the records of one site out.
    """

    group: int
    axis: int
    first: int
    last: int
    counted: Literal["records", "sites", "value"]
    threshold: int
    value: int = -1
    without: int = -1


Question = Below | Part


@frozen
class Cut:
    """A group falls into parts along an axis: runs of coordinates, with the numbers of the groups that they become."""

    group: int
    axis: int
    at: int
    """The median, which is the last coordinate of the lower part; the node of a tree whose children are the parts."""
    parts: tuple[tuple[int, int], ...]
    into: tuple[int, ...] = ()


@dataclass(eq=False)
class Region:
    """A group as all sites know it: the coordinates its records span, and those that it was cut down to."""

    low: list[int]
    high: list[int]
    bounds: tuple[tuple[int, int], ...]
    leader: int


class Cutting:
    """The state that all sites share. Ask :attr:`questions`, hand over the answers, cut the own rows as :attr:`fresh` says.

    A group that has been cut stays known by its number; :attr:`leaves` are those that are published.
    """

    def __init__(
        self, axes: Sequence[Axis], promise: Promise, sites: int, values: int = 0, *, rotate: bool = True
    ) -> None:
        self.axes, self.promise, self.sites, self.values, self.rotate = tuple(axes), promise, sites, values, rotate
        whole = tuple((axis.low, axis.high) for axis in self.axes)
        self.regions = [Region([axis.low for axis in self.axes], [axis.high for axis in self.axes], whole, 0)]
        self.cuts: list[Cut] = []
        self.fresh: list[Cut] = []
        self.leaves: list[int] = []
        self._root: tuple[tuple[int, int], ...] | None = None
        self._searches: dict[int, Generator[list[Question], list[bool], Cut | None]] = {}
        self._asked: dict[int, list[Question]] = {}
        self._open(0)

    @property
    def questions(self) -> list[Question]:
        """Return what is to be asked now; empty when all is decided."""
        return [one for asked in self._asked.values() for one in asked]

    def leader(self, question: Question) -> int:
        """Return the site that gathers the answers to a question: another one in each branch."""
        return self.regions[question.group].leader

    def answer(self, bits: Sequence[bool]) -> None:
        """Go on with the answers to all questions, in their order."""
        asked, self._asked, self.fresh = self._asked, {}, []
        if len(bits) != sum(map(len, asked.values())):
            raise BadRequest("must answer every question", parameter="bits", value=len(bits))
        at = 0
        for group, questions in asked.items():
            own = [bool(bit) for bit in bits[at : at + len(questions)]]
            at += len(questions)
            self._advance(group, own)

    # ---- one group ---------------------------------------------------------------------------------------------------

    def _open(self, group: int) -> None:
        self._searches[group] = self._search(group)
        self._advance(group, None)

    def _advance(self, group: int, bits: list[bool] | None) -> None:
        search = self._searches[group]
        try:
            self._asked[group] = next(search) if bits is None else search.send(bits)
        except StopIteration as ended:
            del self._searches[group]
            if ended.value is None:
                self.leaves.append(group)
            else:
                self._cut(ended.value)

    def _cut(self, cut: Cut) -> None:
        region = self.regions[cut.group]
        into = []
        for number, (first, last) in enumerate(cut.parts):
            low, high, bounds = list(region.low), list(region.high), list(region.bounds)
            low[cut.axis], high[cut.axis] = max(first, low[cut.axis]), min(last, high[cut.axis])
            bounds[cut.axis] = (max(first, bounds[cut.axis][0]), min(last, bounds[cut.axis][1]))
            into.append(len(self.regions))
            leader = (region.leader + 1 + number) % self.sites if self.rotate else region.leader
            self.regions.append(Region(low, high, tuple(bounds), leader))
        made = Cut(cut.group, cut.axis, cut.at, cut.parts, tuple(into))
        self.cuts.append(made)
        self.fresh.append(made)
        for group in into:
            self._open(group)

    def _search(self, group: int) -> Generator[list[Question], list[bool], Cut | None]:
        region = self.regions[group]
        if group == 0:
            yield from self._refuse_hopeless()
        yield from self._find_bounds(group, region)
        if self._root is None:
            self._root = tuple(zip(region.low, region.high, strict=True))
        spread = [at for at in range(len(self.axes)) if region.low[at] < region.high[at]]
        root = self._root
        wide = {at: self.axes[at].width(region.low[at], region.high[at], root[at]) for at in spread}
        for axis in sorted(spread, key=lambda at: (-wide[at], at)):
            proposed = yield from self._proposed(group, axis, region)
            if proposed is None:
                continue
            if (yield from self._allowed(group, axis, proposed.parts)):
                return proposed
        return None

    def _refuse_hopeless(self) -> Generator[list[Question], list[bool], None]:
        if not (yield from self._allowed(0, -1, ((0, 0),))):
            raise Infeasible("all records of all sites together do not meet the requirements")

    def _find_bounds(self, group: int, region: Region) -> Generator[list[Question], list[bool], None]:
        """Find the least and the greatest coordinate on every axis, all of them at a time."""
        kinds: tuple[Literal["first", "last"], ...] = ("first", "last")
        searches = {(at, of): Halving(region.low[at], region.high[at]) for at in range(len(self.axes)) for of in kinds}
        while asked := [key for key, search in searches.items() if not search.done]:
            bits = yield [Below(group, at, searches[at, of].guess, of) for at, of in asked]
            for key, bit in zip(asked, bits, strict=True):
                searches[key] = searches[key].told(bit)
        for at in range(len(self.axes)):
            region.low[at], region.high[at] = searches[at, "first"].low, searches[at, "last"].low

    def _proposed(self, group: int, axis: int, region: Region) -> Generator[list[Question], list[bool], Cut | None]:
        """Return the cut of a line at its lower median, or of a tree into the children that have a record."""
        low, high = region.low[axis], region.high[axis]
        tree = self.axes[axis].tree
        if tree is None:
            search = Halving(low, high)
            while not search.done:
                (bit,) = yield [Below(group, axis, search.guess, "middle")]
                search = search.told(bit)
            middle = search.low
            first, last = region.bounds[axis]
            return None if middle == high else Cut(group, axis, middle, ((first, middle), (middle + 1, last)))
        node = self.axes[axis].cover(low, high)
        runs = [(int(tree.leaf_first[child]), int(tree.leaf_last[child]) - 1) for child in tree.children[node]]
        held = yield [Part(group, axis, first, last, "records", 1) for first, last in runs]
        return Cut(group, axis, node, tuple(run for run, bit in zip(runs, held, strict=True) if bit))

    def _allowed(
        self, group: int, axis: int, parts: Sequence[tuple[int, int]]
    ) -> Generator[list[Question], list[bool], bool]:
        """Ask whether every part keeps the promise: all of it in one round."""
        promise = self.promise
        asked: list[Question] = []
        for first, last in parts:
            asked.append(Part(group, axis, first, last, "records", promise.k))
            if promise.sites > 1:
                asked.append(Part(group, axis, first, last, "sites", promise.sites))
            if promise.residual:
                for site in range(self.sites):
                    asked += [
                        Part(group, axis, first, last, "records", least, without=site)
                        for least in (promise.residual, 1)
                    ]
            if promise.values > 1:
                asked += [Part(group, axis, first, last, "value", 1, value=one) for one in range(self.values)]
        bits = iter((yield asked))
        kept = True
        for _ in parts:
            kept &= next(bits)
            if promise.sites > 1:
                kept &= next(bits)
            if promise.residual:
                for _ in range(self.sites):
                    enough, some = next(bits), next(bits)
                    kept &= enough or not some  # a part that one site holds alone has no residual
            if promise.values > 1:
                kept &= sum(next(bits) for _ in range(self.values)) >= promise.values
        return bool(kept)


class SiteRows:
    """The rows of one site, in the groups that all sites know: what it answers, and how it follows a cut."""

    def __init__(self, site: int, coordinates: Ints, values: Ints | None = None) -> None:
        self.site, self.coordinates, self.values = site, coordinates, values
        self.rows: dict[int, Ints] = {}
        self._sorted: dict[int, list[Ints]] = {}
        self._keep(0, np.arange(len(coordinates)))

    def weight(self, question: Question) -> int:
        """Return the number that this site adds to the sum of a question."""
        if isinstance(question, Below):
            column = self._sorted[question.group][question.axis]
            up_to = int(np.searchsorted(column, question.guess, side="right"))
            whole = len(column)
            return {"first": up_to, "last": up_to - whole, "middle": 2 * up_to - whole}[question.of]
        if question.without == self.site:
            return 0
        held = self._held(question)
        return int(held > 0) if question.counted == "sites" else held

    def _held(self, question: Part) -> int:
        if question.counted == "value":
            assert self.values is not None
            rows = self.rows[question.group]
            inside = self.values[rows] == question.value
            if question.axis >= 0:
                column = self.coordinates[rows, question.axis]
                inside &= (column >= question.first) & (column <= question.last)
            return int(np.count_nonzero(inside))
        if question.axis < 0:
            return len(self.rows[question.group])
        column = self._sorted[question.group][question.axis]
        ends = np.searchsorted(column, [question.first, question.last + 1])
        return int(ends[1] - ends[0])

    def cut(self, cut: Cut) -> None:
        """Share the rows of a group out among its parts."""
        rows = self.rows.pop(cut.group)
        del self._sorted[cut.group]
        column = self.coordinates[rows, cut.axis]
        for (first, last), group in zip(cut.parts, cut.into, strict=True):
            self._keep(group, rows[(column >= first) & (column <= last)])

    def _keep(self, group: int, rows: Ints) -> None:
        self.rows[group] = rows
        self._sorted[group] = [np.sort(self.coordinates[rows, at]) for at in range(self.coordinates.shape[1])]
