"""Level by level: which sets of items violate a rule while none of their parts does."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.errors import Unsupported
from sfumato.itemsets.database import Database, Rows
from sfumato.itemsets.level_kernels import (
    extended,
    holding_records,
    named_sets,
    occurrences,
    secret_maxima,
    summed_tails,
)
from sfumato.kernels.arrays import Bools, Codes, Ints

__all__ = [
    "Level",
    "Levels",
    "Rule",
    "Sets",
    "extensions",
    "grown_level",
    "levels",
    "shared",
    "single_items",
    "violations",
    "walked",
]

_BLOCK = 1_000_000  # occurrences of extensions that are counted at once
_MOST_WALKED = 20_000_000_000  # items that are walked for one level: some minutes
_MOST_PAIRS = 16_000_000  # pairs of items that have a bit each
_NOBODY = Rows(np.zeros(1, np.int64), np.empty(0, np.int32), 0)
_MOST_KEPT = 120_000_000  # places that are kept of the sets of one level: half a gigabyte


@frozen
class Rule:
    """When a set of items violates: too few records hold it, or too many of these share a secret.

    ``support < least``, or ``sharing * denominator > numerator * support`` where ``share`` is given: whole numbers, so that
    three fifths do not exceed 0.6. A set that nobody holds violates nothing.
    """

    least: int
    share: tuple[int, int] | None = None

    def broken(self, supports: Ints, sharing: Ints) -> Bools:
        """Tell which sets violate."""
        few: Bools = supports < self.least
        if self.share is None:
            return few
        numerator, denominator = self.share
        return few | (sharing * denominator > numerator * supports)


@frozen(eq=False)
class Sets:
    """Sets of one size: rows of rising codes, the support of each, how many of its records share one secret, and which."""

    members: Codes
    supports: Ints
    sharing: Ints
    secret: Codes

    def __len__(self) -> int:
        return len(self.members)

    @property
    def size(self) -> int:
        """How many items each set has."""
        return int(self.members.shape[1])

    def taken(self, which: Ints | Bools) -> Sets:
        """Return some of the sets."""
        return Sets(self.members[which], self.supports[which], self.sharing[which], self.secret[which])


@frozen(eq=False)
class Level:
    """Sets that go on, in the order of their members: the parent and the last item of each, and where it ends in records."""

    parents: Codes
    last: Codes
    members: Codes
    starts: Ints
    places: Codes

    def tails(self, rows: Rows) -> Ints:
        """Return how many further items the records of each set hold."""
        return summed_tails(rows.starts, rows.owners, self.starts, self.places)


@frozen(eq=False)
class Levels:
    """What was found at one size, in the order of the walk: supports, what is shared, and which sets violate.

    There may be millions: their members are made for those that somebody asks for. ``grown`` are the sets as extensions of
    those of the ``level`` before, ``order`` the codes that items have in the database.
    """

    rows: Rows
    order: Codes
    level: Level
    supports: Ints
    sharing: Ints
    secret: Codes
    violating: Bools
    grown: tuple[Codes, Codes] | None = None

    def __len__(self) -> int:
        return len(self.supports)

    def members(self, which: Ints | Bools) -> Codes:
        """Return the members of some of the sets, each with rising codes."""
        if self.grown is not None:
            sets, items = self.grown
            return named_sets(self.order, self.level.members, sets[which], items[which])
        return np.sort(self.order[self.level.members[which]], axis=1)

    def taken(self, which: Ints | Bools) -> Sets:
        """Return some of the sets, each with rising codes."""
        return Sets(self.members(which), self.supports[which], self.sharing[which], self.secret[which])

    @cached_property
    def broken(self) -> Sets:
        """The sets that violate, in the order of their members."""
        return _sorted(self.taken(self.violating))

    def broken_members(self) -> Codes:
        """Return the members alone of :attr:`broken`: there may be millions."""
        members = self.members(self.violating)
        order = _order(members)
        return members if order is None else members[order]

    @cached_property
    def good(self) -> Sets:
        """The sets that do not, in the order of their members."""
        return _sorted(self.taken(~self.violating))

    def owners(self) -> Ints:
        """Return the records that hold a violating set, in order."""
        rows, level = self.rows, self.level
        if self.grown is None:
            places = _chosen(level, self.violating).places
            return np.flatnonzero(np.bincount(rows.owners[places], minlength=len(rows)))
        sets, items = self.grown
        return np.flatnonzero(
            holding_records(
                rows.starts,
                rows.codes,
                rows.owners,
                level.starts,
                level.places,
                sets,
                items,
                self.violating,
                rows.width,
            )
        )


def violations(database: Database, rule: Rule, most: int) -> list[Sets]:
    """Return the minimal violating sets of up to ``most`` items, by size: none of their parts violates.

    >>> from sfumato.itemsets.database import Database
    >>> starts, codes = np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 0], np.int32)
    >>> [sets.members.tolist() for sets in violations(Database.of(starts, codes, 2), Rule(3), 2)]
    [[[1]], []]
    """
    return [level.broken for level in levels(database, rule, most)]


def levels(database: Database, rule: Rule, most: int, *, minimal: bool = True) -> Iterator[Levels]:
    """Yield sizes 1, 2, ... up to ``most``: occurring sets that violate and sets that do not, all parts of which do not.

    Every part of an extended set must go on as well; the seed of the search is the level before (Fung et al. 2010, Algorithm
    13.2.10, with all parts asked for). With ``minimal`` false whatever occurs goes on, and all violating sets are found.
    Sets are in the order of their members.
    """
    rows, only = database.items, database.only
    order = walked(rows, most)
    if only is not None:
        order = order[only[:, order].any(axis=0)]
    if most > 2 or only is not None:
        rows = rows.taken(order)
    single = single_items(rows)
    secrets = database.secrets if rule.share is not None else _NOBODY
    found, sharing, secret, broken = judged(rows, secrets, rule, single)
    yield Levels(rows, order, single, found, sharing, secret, broken)
    if minimal:
        keep = single.last[~broken]
        rows, order = rows.taken(keep), order[keep]
        single = single_items(rows)
    level, tries = single, [np.empty(0, np.int64)]
    for size in range(2, most + 1):
        if len(level.last) == 0:
            return
        last_level = size == most
        grown, supports = extensions(rows, level, tries, minimal=minimal)
        if only is not None:  # a part of a set that somebody may know is one, so what is dropped here leads nowhere
            there = _parts(only, order[level.members][grown[0]], order[grown[1]])
            grown, supports = (grown[0][there], grown[1][there]), supports[there]
        kept = (supports >= rule.least) | (not minimal)
        if last_level and not secrets.width:
            kept[:] = False
        next_level = grown_level(rows, level, grown, supports, kept)
        sharing, secret = _nothing_shared(len(supports))
        if secrets.width:
            sharing, secret = sharing.copy(), secret.copy()
            sharing[kept], secret[kept] = shared(rows, secrets, next_level, supports[kept] >= rule.least)
        broken = rule.broken(supports, sharing)
        yield Levels(rows, order, level, supports, sharing, secret, broken, grown)
        if last_level:
            return
        on = np.ones(len(broken), np.bool_) if not minimal else ~broken
        level = _chosen(next_level, on[kept])
        tries.append(level.parents.astype(np.int64) * rows.width + level.last)


def walked(rows: Rows, most: int) -> Codes:
    """Return the items in the order of the walk: from rare to frequent where sets may have more than two."""
    if most > 2:
        return np.argsort(rows.supports, kind="stable").astype(np.int32)
    return np.arange(rows.width, dtype=np.int32)


def _parts(only: Bools, members: Codes, last: Codes) -> Bools:
    """Tell which sets, given by all members but one and the last, are parts of one of some sets."""
    there = np.zeros(len(last), np.bool_)
    for held in only:
        there |= held[members].all(axis=1) & held[last]
    return there


def single_items(rows: Rows) -> Level:
    """Return the items that occur as sets of one."""
    starts, places = rows.places
    held = np.flatnonzero(rows.supports > 0).astype(np.int32)
    return Level(
        np.zeros(len(held), np.int32), held, held[:, None], np.concatenate((starts[held], starts[-1:])), places
    )


def judged(rows: Rows, secrets: Rows, rule: Rule, level: Level) -> tuple[Ints, Ints, Codes, Bools]:
    supports = np.diff(level.starts)
    sharing, secret = shared(rows, secrets, level, supports >= rule.least)
    return supports, sharing, secret, rule.broken(supports, sharing)


def shared(rows: Rows, secrets: Rows, level: Level, wanted: Bools) -> tuple[Ints, Codes]:
    if not secrets.width:
        return _nothing_shared(len(wanted))
    return secret_maxima(rows.owners, level.starts, level.places, wanted, secrets.starts, secrets.codes, secrets.width)


def _nothing_shared(count: int) -> tuple[Ints, Codes]:
    """Return that no secret is shared, without a number for each of what may be millions of sets."""
    return np.broadcast_to(np.int64(0), count), np.broadcast_to(np.int32(-1), count)


def extensions(rows: Rows, level: Level, tries: list[Ints], *, minimal: bool) -> tuple[tuple[Codes, Codes], Ints]:
    """Return (set, further item) of every extension all of whose parts go on, and the support of each."""
    tails = level.tails(rows)
    if int(tails.sum()) > _MOST_WALKED:
        raise Unsupported(
            f"records are too long to look at all sets of {level.members.shape[1] + 1} items: {int(tails.sum()):,} would be "
            "walked; ask for smaller sets, or leave out the longest records",
            thing="itemsets",
        )
    walked = np.concatenate(([0], np.cumsum(tails)))
    sets, items, supports = [], [], []
    first = 0
    while first < len(level.last):
        stop = int(np.searchsorted(walked, walked[first] + _BLOCK, side="right")) - 1
        stop = min(max(stop, first + 1), len(level.last))
        capacity = int(np.minimum(tails[first:stop], rows.width).sum())
        parents = level.parents if minimal else level.parents[:0]
        found = extended(
            rows.starts,
            rows.codes,
            rows.owners,
            level.starts,
            level.places,
            parents,
            level.last,
            first,
            stop,
            rows.width,
            capacity,
        )
        if minimal and level.members.shape[1] > 1:
            whole = _whole(level, tries, found[0], found[1], rows.width)
            found = (found[0][whole], found[1][whole], found[2][whole])
        sets.append(found[0].copy())
        items.append(found[1].copy())
        supports.append(found[2].copy())
        first = stop
    counted = np.concatenate(supports, dtype=np.int64)
    del supports  # each is let go before the next is put together
    grown_sets = np.concatenate(sets)
    del sets
    return (grown_sets, np.concatenate(items)), counted


def _whole(level: Level, tries: list[Ints], sets: Codes, items: Codes, width: int) -> Bools:
    """Tell of extensions whether the parts without one of the earlier items go on; the kernel asked for the last one."""
    size = level.members.shape[1]
    members = level.members[sets]
    there = np.ones(len(sets), np.bool_)
    if size == 2 and width * width <= _MOST_PAIRS:
        pairs = np.zeros(width * width, np.bool_)
        pairs[tries[1]] = True  # sets of one are numbered by their item, so that a pair is a number by itself
        found: Bools = pairs[members[:, 1].astype(np.int64) * width + items]
        return found
    for left_out in range(size - 1):
        path = [members[:, at] for at in range(size) if at != left_out] + [items]
        node = path[0].astype(np.int64)
        for depth, item in enumerate(path[1:], 1):
            wanted = node * width + item
            at = np.searchsorted(tries[depth], wanted)
            at[at == len(tries[depth])] = 0
            there &= tries[depth][at] == wanted
            node = at
    return there


def grown_level(rows: Rows, level: Level, grown: tuple[Codes, Codes], supports: Ints, kept: Bools) -> Level:
    """Return the kept extensions with where they end in records."""
    sets, items = grown[0][kept], grown[1][kept]
    starts = _starts(supports[kept])
    if int(starts[-1]) > _MOST_KEPT:
        raise Unsupported(
            f"there are too many sets of {level.members.shape[1] + 1} items to go on: ask for smaller sets",
            thing="itemsets",
        )
    places = _places(rows, level, sets, items, starts)
    members = np.column_stack((level.members[sets], items)).astype(np.int32)
    return Level(sets, items, members, starts, places)


def _starts(supports: Ints) -> Ints:
    return np.concatenate(([0], np.cumsum(supports)))


def _places(rows: Rows, level: Level, sets: Codes, items: Codes, starts: Ints) -> Codes:
    """Return where extensions of sets end in the records that hold them."""
    return occurrences(
        rows.starts, rows.codes, rows.owners, level.starts, level.places, sets, items, starts, rows.width
    )


def _chosen(level: Level, which: Bools) -> Level:
    if which.all():
        return level
    lengths = np.diff(level.starts)
    starts = np.concatenate(([0], np.cumsum(lengths[which])))
    return Level(
        level.parents[which], level.last[which], level.members[which], starts, level.places[np.repeat(which, lengths)]
    )


def _sorted(sets: Sets) -> Sets:
    """Return sets in the order of their members, where the search went another way."""
    order = _order(sets.members)
    return sets if order is None else sets.taken(order)


def _order(members: Codes) -> Ints | None:
    """Return the order of sets by their members; nothing where they are in order."""
    if members.shape[1] <= 2 and _rising(members):
        return None
    return np.lexsort(tuple(members[:, at] for at in range(members.shape[1] - 1, -1, -1)))


def _rising(members: Codes) -> bool:
    first, last = members[:, 0], members[:, -1]
    steps = first[1:] >= first[:-1]
    steps &= (first[1:] > first[:-1]) | (last[1:] > last[:-1])
    return bool(steps.all() and (last >= first).all())
