"""LKC-privacy of paths, recounted: who fits any few known points, and how sure a sensitive value is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from fractions import Fraction
from itertools import combinations

from sfumato.recounts import Groups, Level, minimal_sets
from sfumato.trajectories.recounts.kinds.recoded_trajectories import CLASS

__all__ = ["level"]


def level(
    groups: Groups,
    *,
    L: int,
    K: int,
    C: float,
    sensitive: str | None,
    values: Collection[str] | None,
    knowledge: str,
) -> Level:
    """Judge all sequences of at most L points; what is told of a person is a column and its value, one after the other.

    A path is the texts ``place@time`` of its points, in the order of time.
    """
    most = Fraction(str(C)) if sensitive is not None else Fraction(1)
    found = []
    for way in ("pair", "location", "time") if knowledge == "any" else (knowledge,):
        chosen: dict[tuple[str | None, ...], dict[tuple[str | None, ...], float]] = {}
        for path, inside in groups.items():
            known = tuple(_known(str(point), way) for point in path)
            held = chosen.setdefault(known, {})
            for told, count in inside.items():
                mine = tuple(value for name, value in zip(told[::2], told[1::2], strict=True) if name == sensitive)
                held[mine] = held.get(mine, 0) + count
        found.append(
            _places(chosen, L, K, most, values) if way == "location" else minimal_sets(chosen, L, K, most, values)
        )
    rarest = [int(one.measured) for one in found if one.measured is not None]
    broken = sum(one.violating for one in found)
    return Level(min(rarest, default=None), broken, broken == 0)


def _known(point: str, way: str) -> str:
    beside, sign, seen = point.rpartition(CLASS)
    place, _, time = seen.rpartition("@")
    return beside + sign + (seen if way == "pair" else place if way == "location" else time)


def _places(groups: Groups, size: int, least: int, most: Fraction, values: Collection[str] | None) -> Level:
    """Judge sequences of places in their order, a place once more where it is met again."""
    supports: Counter[tuple[str | None, ...]] = Counter()
    shares: dict[tuple[str | None, ...], Counter[str | None]] = {}
    for path, inside in groups.items():
        persons = int(sum(inside.values()))
        held: Counter[str | None] = Counter()
        for secret, count in inside.items():
            for value in secret:
                if values is None or value in values:
                    held[value] += int(count)
        for sequence in {one for length in range(1, size + 1) for one in combinations(path, length)}:
            supports[sequence] += persons
            shares.setdefault(sequence, Counter()).update(held)
    bad = {
        sequence
        for sequence, support in supports.items()
        if support < least
        or (most < 1 and any(n * most.denominator > most.numerator * support for n in shares[sequence].values()))
    }
    minimal, looked = 0, []
    for sequence, support in supports.items():
        parts = {part for length in range(1, len(sequence)) for part in combinations(sequence, length)}
        if not parts & bad:
            looked.append(support)
            minimal += sequence in bad
    return Level(min(looked, default=None), minimal, minimal == 0)
