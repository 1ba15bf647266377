"""All sets of few items, counted in plain Python: which records hold them is one long number for each item."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction
from math import prod

from sfumato.recounts._level import Groups, Level

__all__ = ["minimal_sets"]


def minimal_sets(groups: Groups, size: int, least: int, most: Fraction, values: Collection[str] | None = None) -> Level:
    """Judge sets of public items none of whose parts violates; the rarest of them is the level.

    ``groups`` are records by their public items, and in them by their private ones. A set violates if fewer than ``least``
    records hold it, or if one private item is in more than ``most`` of them.
    """
    held: dict[str, int] = {}
    secret: dict[str, int] = {}
    records = 0
    for public, inside in groups.items():
        for private, count in inside.items():
            places = ((1 << int(count)) - 1) << records
            records += int(count)
            for name in public:
                held[str(name)] = held.get(str(name), 0) | places
            for name in private:
                if values is None or name in values:
                    secret[str(name)] = secret.get(str(name), 0) | places
    alike: dict[int, list[str]] = {}  # in minimal sets each takes the place of the others, and no two are together
    for name in sorted(held):
        alike.setdefault(held[name], []).append(name)
    first = {names[0]: places for places, names in alike.items()}
    good: dict[tuple[str, ...], int] = {(): (1 << records) - 1}
    smallest: int | None = None
    broken = 0
    for _ in range(size):
        following: dict[tuple[str, ...], int] = {}
        for members, places in _next(good, first):
            support = places.bit_count()
            smallest = support if smallest is None else min(smallest, support)
            sure = max(((places & those).bit_count() for those in secret.values()), default=0) if most < 1 else 0
            if support < least or sure * most.denominator > most.numerator * support:
                broken += prod(len(alike[first[name]]) for name in members)
            else:
                following[members] = places
        good = following
    return Level(smallest, broken, broken == 0)


def _next(good: dict[tuple[str, ...], int], held: dict[str, int]) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield sets with one item more that occur and all parts of which are good, with the records that hold them."""
    further: dict[tuple[str, ...], list[str]] = {}
    for members in sorted(good):
        if members:
            further.setdefault(members[:-1], []).append(members[-1])
    for members, places in good.items():
        for name in sorted(held) if not members else further[members[:-1]]:
            if members and name <= members[-1]:
                continue
            both = places & held[name]
            grown = (*members, name)
            if both and all((*grown[:at], *grown[at + 1 :]) in good for at in range(len(grown))):
                yield grown, both
