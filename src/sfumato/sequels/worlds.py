"""Possible worlds of a permanent value: who may carry it, given who was in which group and how many rows there showed it."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.sequels._sampled_worlds import Sampled, sampled_linkage
from sfumato.sequels.series import Series
from sfumato.sequels.signatures import Signatures

__all__ = [
    "Acquired",
    "CarrierGroup",
    "Sampled",
    "Value",
    "Worlds",
    "carrier_groups",
    "judged_worlds",
    "possible_worlds",
]

STATES = 200_000
_SEED = 0  # whoever judges a release draws the same samples

State = tuple[int, ...]

Value = str | int | float | bool

Acquired = Literal["never", "where-needed", "anytime"]
"""Whether a permanent value may have been acquired between releases."""


@frozen
class CarrierGroup:
    """The members of one published group, and how many of its rows show the value; ``release`` says when, 0 first."""

    members: tuple[Hashable, ...]
    count: int
    release: int = 0


@frozen(eq=False)
class Worlds:
    """The worlds that fit all releases: ``count`` of them, and for each person the share in which she carries the value.

    Persons in ``unknown`` belong to parts that are too large to be counted; nothing is said about them, and ``count`` is that
    of the other parts. Where such parts were sampled, ``sampled`` has what was estimated of their persons. No world at all
    means that groups contradict each other: a value was not permanent.
    """

    count: int
    linkage: Mapping[Hashable, Fraction]
    unknown: frozenset[Hashable] = frozenset()
    sampled: Mapping[Hashable, Sampled] = field(default_factory=dict)
    _parts: tuple[_Part, ...] = field(default=(), repr=False)

    @property
    def highest(self) -> Fraction:
        """The largest share of a person, 0 if there is none."""
        return max(self.linkage.values(), default=Fraction(0))

    def upper(self) -> dict[Hashable, Fraction]:
        """Return what each person may be linked with at most: her share, the upper end of her interval, 1 if nothing is known.

        Rows without a person are left out.
        """
        estimated = {who: Fraction(one.high) for who, one in self.sampled.items()}
        every = {**self.linkage, **estimated, **dict.fromkeys(self.unknown, Fraction(1))}
        return {who: share for who, share in every.items() if not isinstance(who, tuple)}

    def sets(self, most: int = 10_000) -> list[tuple[Hashable, ...]]:
        """Return the sets of carriers, members in the order in which persons were met; refuse more than ``most``."""
        if self.count > most:
            raise BadRequest(f"there are {self.count} worlds", parameter="most", value=most)
        found: list[tuple[Hashable, ...]] = [()]
        for part in self._parts:
            found = [(*one, *more) for one in found for more in part.sets()]
        place = {person: at for at, person in enumerate(self.linkage)}
        ordered = [tuple(sorted(one, key=place.__getitem__)) for one in found]
        return sorted(dict.fromkeys(ordered), key=lambda one: [place[person] for person in one])


def carrier_groups(series: Series, value: Hashable, group: str | None = None) -> list[CarrierGroup]:
    """Return the groups of all releases by the holder's copies; a row without a person is somebody who is nowhere else."""
    found = Signatures(series, group)
    code = found.values.index(value) if value in found.values else -1
    out = []
    for number, hosts in enumerate(found.releases):
        for at in range(len(hosts.signature)):
            inside = slice(int(hosts.start[at]), int(hosts.start[at + 1]))
            members = tuple(
                found.persons[who] if who >= 0 else ("counterfeit", number, row)
                for row, who in enumerate(hosts.person[inside].tolist(), inside.start)
            )
            out.append(CarrierGroup(members, int((hosts.value[inside] == code).sum()), number))
    return out


def judged_worlds(series: Series, value: Hashable, group: str | None, most: int, samples: int) -> Worlds:
    """Count the worlds of a value by the holder's copies, sampling what is too large; the same for whoever judges them."""
    groups = carrier_groups(series, value, group)
    return possible_worlds(groups, most=most, samples=samples, rng=np.random.default_rng(_SEED))


def possible_worlds(
    groups: Sequence[CarrierGroup],
    *,
    acquired: Acquired = "where-needed",
    most: int = STATES,
    samples: int = 0,
    rng: np.random.Generator | None = None,
) -> Worlds:
    """Count the worlds of a permanent value: sets of carriers with as many of them in each group as rows show it.

    Persons who share groups are counted together, part by part, and persons in the same groups at once. If the value may be
    ``acquired`` at any time, a person carries it from then on, and each time at which she may have acquired it is a world of
    its own; ``where-needed`` lets this be in parts that no set of carriers from the beginning fits. A part that needs more
    than ``most`` states at once is sampled so many times by a generator, or left unknown if it has no ``samples``.

    Reasoning
    ---------
    Persons are decided one after the other; all that matters of those decided is how many carriers each group still lacks. The
    numbers of worlds from the front and from the back, multiplied for each choice, give the share of each person exactly.

    >>> found = possible_worlds([CarrierGroup(("h", "d"), 1), CarrierGroup(("h", "x"), 1, 1), CarrierGroup(("d", "y"), 0, 1)])
    >>> found.count, found.sets(), found.linkage["h"]
    (1, [('h',)], Fraction(1, 1))
    """
    for group in groups:
        if not 0 <= group.count <= len(group.members) or len(set(group.members)) < len(group.members):
            raise BadRequest(
                f"a group of {len(group.members)} members cannot have {group.count} carriers", parameter="groups"
            )
    order = dict.fromkeys(person for group in groups for person in group.members)
    count, linkage, unknown = 1, {person: Fraction(0) for person in order}, set[Hashable]()
    parts: list[_Part] = []
    sampled: dict[Hashable, Sampled] = {}
    for persons, own in _components(order, groups):
        part = _Part(persons, own, acquired == "anytime", most)
        fits = part.counted()
        if fits and not part.total and acquired == "where-needed":
            part = _Part(persons, own, True, most)
            fits = part.counted()
        if fits:
            parts.append(part)
            count *= part.total
            linkage |= part.linkage()
            continue
        estimated = {} if rng is None or not samples else sampled_linkage(part, samples, rng, most)
        if rng is not None and samples and not estimated and acquired == "where-needed":
            estimated = sampled_linkage(_Part(persons, own, True, most), samples, rng, most)
        sampled |= estimated
        unknown |= set() if estimated else set(persons)
    known = {person: share for person, share in linkage.items() if person not in unknown and person not in sampled}
    return Worlds(count, known, frozenset(unknown), sampled, tuple(parts))


def _components(
    order: Mapping[Hashable, None], groups: Sequence[CarrierGroup]
) -> Iterator[tuple[list[Hashable], list[CarrierGroup]]]:
    """Yield persons that groups link, each time with the groups that link them."""
    above: dict[Hashable, Hashable] = {person: person for person in order}

    def root(person: Hashable) -> Hashable:
        while above[person] != person:
            above[person] = above[above[person]]
            person = above[person]
        return person

    for group in groups:
        for person in group.members[1:]:
            above[root(person)] = root(group.members[0])
    parts: dict[Hashable, tuple[list[Hashable], list[CarrierGroup]]] = {}
    for person in order:
        parts.setdefault(root(person), ([], []))[0].append(person)
    for group in groups:
        if group.members:
            parts[root(group.members[0])][1].append(group)
    yield from parts.values()


@frozen
class _Choice:
    """One way to decide a unit of persons: how many carriers each of its groups gets, in how many ways, and how many carry."""

    takes: tuple[tuple[int, int], ...]
    ways: int
    carriers: int


class _Part:
    """Persons that groups link, and the number of worlds by what their groups still lack."""

    def __init__(self, persons: list[Hashable], groups: list[CarrierGroup], acquired: bool, most: int) -> None:
        self.groups, self.most = groups, most
        inside: dict[Hashable, list[int]] = {person: [] for person in persons}
        for at, group in enumerate(groups):
            for person in group.members:
                inside[person].append(at)
        units: dict[Hashable, list[Hashable]] = {}
        for person in persons:
            units.setdefault(person if acquired else tuple(inside[person]), []).append(person)
        self.units = _near_first(list(units.values()), inside)
        self.choices = [self._choices(inside[unit[0]], len(unit), acquired) for unit in self.units]
        self.touched = [tuple(inside[unit[0]]) for unit in self.units]
        room = [len(group.members) for group in groups]
        self.room: list[tuple[int, ...]] = []
        self.open: list[tuple[int, ...]] = [()]
        for unit, touched in zip(self.units, self.touched, strict=True):
            for at in touched:
                room[at] -= len(unit)
            self.room.append(tuple(room[at] for at in touched))
            begun = dict.fromkeys([*self.open[-1], *touched])
            self.open.append(tuple(at for at in begun if room[at]))
        self.forward: list[dict[State, int]] = []
        self.backward: list[dict[State, int]] = []
        self.total = 0

    def _choices(self, groups: list[int], size: int, acquired: bool) -> list[_Choice]:
        if not acquired:
            return [
                _Choice(tuple((at, taken) for at in groups), comb(size, taken), taken) for taken in range(size, -1, -1)
            ]
        times = sorted({self.groups[at].release for at in groups})
        begun = [tuple((at, 1) for at in groups if self.groups[at].release >= time) for time in times]
        return [*(_Choice(takes, 1, 1) for takes in begun), _Choice((), 1, 0)]

    def _step(self, state: State, unit: int, choice: _Choice) -> State | None:
        """Return what groups lack after a choice; nothing if one has too many carriers, or can no longer get enough.

        Kept are the groups of which some members are decided and others are not; the state before lists them in order.
        """
        lacks = dict(zip(self.open[unit], state, strict=True))
        taken = dict(choice.takes)
        for at, room in zip(self.touched[unit], self.room[unit], strict=True):
            lacks[at] = lacks.get(at, self.groups[at].count) - taken.get(at, 0)
            if not 0 <= lacks[at] <= room:
                return None
        return tuple(lacks[at] for at in self.open[unit + 1])

    def step(self, state: State, unit: int, choice: int) -> State | None:
        """Return what groups lack after a choice of a unit, given by its number; nothing if it does not fit."""
        return self._step(state, unit, self.choices[unit][choice])

    def counted(self) -> bool:
        """Count from the front and from the back; tell whether there was room for it."""
        self.forward = [{(): 1}]
        for unit, choices in enumerate(self.choices):
            found: dict[State, int] = {}
            for state, ways in self.forward[-1].items():
                for choice in choices:
                    after = self._step(state, unit, choice)
                    if after is not None:
                        found[after] = found.get(after, 0) + ways * choice.ways
                if len(found) > self.most:
                    return False
            self.forward.append(found)
        self.total = self.forward[-1].get((), 0)
        self.backward = [{(): 1}]
        for unit in range(len(self.units) - 1, -1, -1):
            found = {}
            for state in self.forward[unit]:
                steps = [(choice, self._step(state, unit, choice)) for choice in self.choices[unit]]
                ways = sum(choice.ways * self.backward[0].get(after, 0) for choice, after in steps if after is not None)
                if ways:
                    found[state] = ways
            self.backward.insert(0, found)
        return True

    def linkage(self) -> dict[Hashable, Fraction]:
        """Return the share of worlds in which each person carries the value."""
        out: dict[Hashable, Fraction] = {}
        for unit, persons in enumerate(self.units):
            carried = 0
            for state, ways in self.forward[unit].items():
                for choice in self.choices[unit]:
                    after = self._step(state, unit, choice) if choice.carriers else None
                    if after is not None:
                        carried += ways * choice.ways * choice.carriers * self.backward[unit + 1].get(after, 0)
            share = Fraction(carried, self.total * len(persons)) if self.total else Fraction(0)
            out |= dict.fromkeys(persons, share)
        return out

    def sets(self) -> Iterator[tuple[Hashable, ...]]:
        """Yield the carriers of every world."""

        def walk(unit: int, state: State) -> Iterator[tuple[Hashable, ...]]:
            if unit == len(self.units):
                yield ()
                return
            for choice in self.choices[unit]:
                after = self._step(state, unit, choice)
                if after is None or after not in self.backward[unit + 1]:
                    continue
                for chosen in combinations(self.units[unit], choice.carriers):
                    for rest in walk(unit + 1, after):
                        yield (*chosen, *rest)

        return walk(0, ())


def _near_first(units: list[list[Hashable]], inside: Mapping[Hashable, list[int]]) -> list[list[Hashable]]:
    """Return units so that those who share groups are decided soon after each other: few groups are open at once."""
    of_group: dict[int, list[int]] = {}
    for number, unit in enumerate(units):
        for at in inside[unit[0]]:
            of_group.setdefault(at, []).append(number)
    order, seen, waiting = [], {0}, deque([0])
    while waiting:
        number = waiting.popleft()
        order.append(units[number])
        for at in inside[units[number][0]]:
            for other in of_group.pop(at, []):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
    return order
