"""Judging all sets of few items by a rule: how many violate, whose records hold one, and the worst of them."""

from __future__ import annotations

from heapq import merge
from itertools import groupby, islice, repeat

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.itemsets.database import Database
from sfumato.itemsets.twins import Twins
from sfumato.itemsets.violations import Levels, Rule, levels
from sfumato.kernels.arrays import Bools, Floats, Ints

__all__ = ["Judged", "Worst", "judged_sets"]


@frozen
class Worst:
    """One minimal violating set: its members, how many records hold it, and how many of these share the secret (-1: none)."""

    members: tuple[int, ...]
    support: int
    sharing: int
    secret: int

    @property
    def confidence(self) -> float:
        """The share of the records that have the secret; 0 without one."""
        return self.sharing / self.support if self.secret >= 0 else 0.0

    @property
    def witness(self) -> dict[str, object]:
        """What an adversary sees there, but for the name of the secret."""
        told: dict[str, object] = {"record_link_probability": 1 / self.support}
        return told | ({"confidence": self.confidence} if self.secret >= 0 else {})


@frozen
class Judged:
    """The rarest set that was looked at, how many were, how many of them violate, which records hold one, and the worst."""

    smallest: int | None
    looked: int
    broken: int
    touched: Bools
    worst: tuple[Worst, ...]


def judged_sets(database: Database, rule: Rule, most: int, worst: int) -> Judged:
    """Judge all sets of up to ``most`` items; what is told are minimal ones that violate, rare ones first, then sure ones."""
    smallest: int | None = None
    looked = broken = 0
    touched = np.zeros(len(database), np.bool_)
    told: list[Worst] = []
    twins = Twins.of(database, most)
    for level in levels(twins.database, rule, most):
        if len(level):
            least = int(level.supports.min())
            smallest = least if smallest is None else min(smallest, least)
        violating = twins.broken(level)
        looked += twins.looked(level)
        broken += violating
        if violating:
            touched[level.owners()] = True
            told += _worst(level, rule, worst, twins, secrets=database.secrets.width > 0)
    told.sort(key=lambda one: (min(one.support, rule.least), -one.confidence, len(one.members)))
    return Judged(smallest, looked, broken, touched, tuple(told[:worst]))


def _worst(level: Levels, rule: Rule, worst: int, twins: Twins, *, secrets: bool) -> list[Worst]:
    """Return the worst of the sets of one size that violate."""
    most = min(worst, int(level.violating.sum()))
    if most == 0:
        return []
    badness: Ints | Floats = level.supports  # without secrets whatever is rarer than the others violates
    if secrets:
        surest = np.minimum(level.supports, rule.least) - level.sharing / level.supports
        badness = np.where(level.violating, surest, np.inf)
    # There may be millions: only those that are shown are put in order.
    limit = np.partition(badness, most - 1)[most - 1]
    shown = np.concatenate((np.flatnonzero(badness < limit), np.flatnonzero(badness == limit)[:most]))[:most]
    shown = shown[np.argsort(badness[shown], kind="stable")]
    sets = level.taken(shown)
    told = zip(
        badness[shown].tolist(), sets.supports.tolist(), sets.sharing.tolist(), sets.secret.tolist(), strict=True
    )
    out: list[Worst] = []
    for _, alike in groupby(zip(told, sets.members.tolist(), strict=True), key=lambda one: one[0][0]):
        every = merge(*(zip(twins.one_by_one(members), repeat(one[1:])) for one, members in alike))
        for places, one in islice(every, worst - len(out)):
            out.append(Worst(tuple(sorted(twins.walk[list(places)].tolist())), *one))
    return out
