"""CAHD: each basket with a private item is grouped with near baskets that share its public items and no private one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.facts import Facts
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Ints
from sfumato.transactions.basket_groups import BasketGroups
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.models.privacy_degree import PrivacyDegree
from sfumato.transactions.recodings.band_matrix import BandMatrix
from sfumato.transactions.releases.grouped_baskets import GroupedBaskets
from sfumato.transactions.task import BasketTask

__all__ = ["Cahd", "CahdFacts", "CahdGroups"]

SINGLE, ATTACHED = "single-group", "attach-nearest-valid"
_OWN = 1  # the window is the basket itself and alpha p - 1 candidates on either side of it


@frozen
class CahdGroups:
    """Groups of baskets by their places, those of the search first; ``leftover`` is what no group took, in the end."""

    groups: tuple[tuple[int, ...], ...]
    leftover: tuple[int, ...]


@frozen(eq=False, repr=False, kw_only=True)
class CahdFacts(Facts):
    """How many groups the search formed, how many baskets were left over, and the degree of the release."""

    groups: int
    leftover: int
    degree: float | None
    bandwidth_before: int | None = None
    bandwidth_after: int | None = None

    def done(self) -> str:
        return f"{self.groups} groups"


class Cahd(Search[BasketTask]):
    """Each basket with private items is grouped with p - 1 near ones that share public items and no private one.

    Baskets are put in the order of a band matrix. For each basket t with a private item, in order: of the nearest
    ``alpha p - 1`` ungrouped baskets on each side that share no private item with t, take the p - 1 that share the most public
    items with it (then the nearer, then the earlier), none of which conflicts with one taken before. If some private item
    would then be left in more than one of p remaining baskets, the group is given up. What is left in the end forms one
    group; the rule keeps its degree at p, so that a feasible task never fails. ``attach-nearest-valid`` lets each leftover
    basket join the group with the largest mean overlap whose degree stays at p, if that works for what remains.

    The window of the book is read as t and ``alpha p - 1`` on either side; the paper takes ``alpha p``.

    Examples
    --------
    >>> baskets = Baskets.of([{"meat", "wine", "x"}, {"meat", "wine"}, {"cream"}, {"cream", "y"}], private=["x", "y"])
    >>> Cahd(alpha=1).group(baskets, 2).groups
    ((0, 1), (2, 3))

    References
    ----------
    Ghinita, Tao, Kalnis, "On the anonymization of sparse high-dimensional data", 2008, doi:10.1109/ICDE.2008.4497480.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.3.2.
    """

    id: ClassVar[str] = "cahd"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release=GroupedBaskets.id,
        optimal=False,
        deterministic=True,
        truthful=False,
        anytime=False,
        cost="baskets with private items x alpha p x items of a basket, after the order",
    )

    alpha: int = param(default=3, ge=1, doc="how far to look: alpha p - 1 candidates on either side of a basket")
    leftovers: str = param(default=SINGLE, choices=(SINGLE, ATTACHED), doc="what becomes of baskets that no group took")
    order: str = param(
        default="band", choices=("band", "given"), doc="baskets in the order of a band matrix, or as they are given"
    )

    def run(self, task: BasketTask, run: Run) -> Outcome:
        """Group the baskets to the degree that the requirement asks for."""
        baskets, model = task.baskets, _asked(task)
        run.stage("ordering")
        band = BandMatrix().order(baskets) if self.order == "band" else None
        found = self.group(baskets, model.p, None if band is None else band.rows, run)
        groups = BasketGroups.of(baskets, found.groups)
        facts = CahdFacts(
            groups=len(found.groups),
            leftover=len(found.leftover),
            degree=None if groups.degree is None else float(groups.degree),
            bandwidth_before=None if band is None else band.before.bandwidth,
            bandwidth_after=None if band is None else band.after.bandwidth,
        )
        return Outcome(built=GroupedBaskets.build(groups, run.rng), facts=facts)

    def group(
        self, baskets: Baskets, p: int, order: Sequence[int] | Ints | None = None, run: Run | None = None
    ) -> CahdGroups:
        """Return groups of privacy degree p or more; ``order`` holds places of baskets, as they come if not given."""
        PrivacyDegree(p=p).refuse_infeasible(baskets)
        placed = list(range(len(baskets))) if order is None else np.asarray(order).tolist()
        if sorted(placed) != list(range(len(baskets))):
            raise BadRequest("must name the place of every basket once", parameter="order")
        if run is not None:
            run.stage("grouping")
        return _Grouping(baskets, p, placed).grouped(self.alpha * p - _OWN, self.leftovers == ATTACHED, run)


class _Grouping:
    """Baskets along an order, of which those without a group form a chain that is walked to both sides."""

    def __init__(self, baskets: Baskets, p: int, order: list[int]) -> None:
        self.p, self.order = p, order
        # Public items stay in their array: as a set for each basket they would take most of the room.
        self.baskets = baskets.without(baskets.private)
        held = np.flatnonzero(baskets.is_private[baskets.codes])
        secrets: dict[int, list[int]] = {}
        for place, code in zip(baskets.owners[held].tolist(), baskets.codes[held].tolist(), strict=True):
            secrets.setdefault(place, []).append(code)
        self.private = [frozenset(secrets.get(place, ())) for place in order]
        self.left = Counter(code for held in self.private for code in held)
        self.remaining = len(order)
        self.free = [True] * len(order)
        self.before = list(range(-1, len(order) - 1))
        self.after = list(range(1, len(order) + 1))

    def _public(self, at: int) -> list[int]:
        """Return the public items of a basket."""
        first, last = self.baskets.starts[self.order[at] : self.order[at] + 2]
        codes: list[int] = self.baskets.codes[first:last].tolist()
        return codes

    def grouped(self, window: int, attach: bool, run: Run | None) -> CahdGroups:
        groups: list[list[int]] = []
        for at, held in enumerate(self.private):
            if held and self.free[at]:
                if run is not None:
                    run.checkpoint()
                members = self._near(at, window)
                if members is not None and self._safe_without(members):
                    groups.append(members)
        leftover = [at for at in range(len(self.order)) if self.free[at]]
        if attach:
            leftover = self._attached(groups, leftover)
        every = [*groups, leftover] if leftover else groups
        named = tuple(tuple(self.order[at] for at in sorted(members)) for members in every)
        return CahdGroups(named, tuple(self.order[at] for at in leftover))

    def _near(self, at: int, window: int) -> list[int] | None:
        """Return a basket with p - 1 near ones that conflict neither with it nor with each other."""
        own, shared = self.private[at], set(self._public(at))
        candidates = []
        for step, end in ((self.before, -1), (self.after, len(self.order))):
            other, found = step[at], 0
            while other != end and found < window:
                if own.isdisjoint(self.private[other]):
                    candidates.append((-sum(map(shared.__contains__, self._public(other))), abs(other - at), other))
                    found += 1
                other = step[other]
        members, taken = [at], set(own)
        for _, _, other in sorted(candidates):
            if len(members) == self.p:
                break
            if taken.isdisjoint(self.private[other]):
                members.append(other)
                taken |= self.private[other]
        return members if len(members) == self.p else None

    def _safe_without(self, members: list[int]) -> bool:
        """Take members away, unless some private item would be in more than one of p baskets that remain."""
        taken = Counter(code for at in members for code in self.private[at])
        self.left -= taken
        if max(self.left.values(), default=0) * self.p > self.remaining - len(members):
            self.left += taken
            return False
        self.remaining -= len(members)
        for at in members:
            self.free[at] = False
            if self.before[at] >= 0:
                self.after[self.before[at]] = self.after[at]
            if self.after[at] < len(self.order):
                self.before[self.after[at]] = self.before[at]
        return True

    def _attached(self, groups: list[list[int]], leftover: list[int]) -> list[int]:
        """Let leftover baskets join groups; return what is left, which is everything if the rest would not be safe."""
        counts = [Counter(code for at in members for code in self.private[at]) for members in groups]
        overlaps = [Counter(code for at in members for code in self._public(at)) for members in groups]
        sizes = [len(members) for members in groups]
        joined: list[tuple[int, int]] = []
        stay = []
        for at in leftover:
            public = self._public(at)
            able = [
                (Fraction(sum(overlaps[number][code] for code in public), sizes[number]), -number)
                for number in range(len(groups))
                if max((counts[number] + Counter(self.private[at])).values(), default=0) * self.p <= sizes[number] + 1
            ]
            if not able:
                stay.append(at)
                continue
            number = -max(able)[1]
            counts[number] += Counter(self.private[at])
            overlaps[number] += Counter(public)
            sizes[number] += 1
            joined.append((at, number))
        rest = Counter(code for at in stay for code in self.private[at])
        if max(rest.values(), default=0) * self.p > len(stay):
            return leftover
        for at, number in joined:
            groups[number].append(at)
        return stay


def _asked(task: BasketTask) -> PrivacyDegree:
    """Return the one requirement that groups of baskets can promise."""
    asked = [model for model in task.models if isinstance(model, PrivacyDegree)]
    if len(asked) != 1 or len(task.models) != 1:
        raise Unsupported(
            f"{Cahd.id} promises one requirement, {PrivacyDegree.id}", thing=Cahd.id, alternatives=[PrivacyDegree.id]
        )
    return asked[0]
