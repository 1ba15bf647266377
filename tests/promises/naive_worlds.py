"""What an adversary believes who goes through all worlds of groups: by hand, on the few persons that knowledge is about.

A world hands the sensitive values of each group out to its members. Groups are independent, and within one the values of a
few persons are draws without putting back, so a handful of persons is all that has to be written out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product

from naive import Asked, Row, _held, _number

Held = Mapping[str, int]


def worlds(held: Held, persons: int) -> Iterator[tuple[tuple[str, ...], Fraction]]:
    """Return what the first persons of a group may have, each time with its probability."""
    size = sum(held.values())
    for values in product(held, repeat=persons):
        left, chance = Counter(held), Fraction(1)
        for at, value in enumerate(values):
            chance *= Fraction(left[value], size - at)
            left[value] -= 1
        if chance:
            yield values, chance


def implications(asked: Asked, groups: Sequence[Sequence[Row]], qid: Sequence[str], raw: Sequence[Row]) -> bool:
    """(c,k)-safety: the worst units are ``A1 -> A, ..., Ak -> A``, so ``P(A) / (P(A) + P(none of them))`` counts."""
    k = int(str(asked["k"]))
    tables = [_held(asked, group) for group in groups]
    free = [_rarest(table, k) for table in tables]
    worst = Fraction(0)
    for at, table in enumerate(tables):
        others = [table for place, table in enumerate(free) if place != at]
        for value in table:
            likely = Fraction(table[value], sum(table.values()))
            none = min(
                own * _spread(others, k - few) for few, own in enumerate(_rarest(table, k, denied=value)) if few <= k
            )
            worst = max(worst, likely / (likely + none))
    return float(worst) < _number(asked, "c") - 1e-9


def _rarest(held: Held, most: int, denied: str | None = None) -> list[Fraction]:
    """Return the least chance that 0, 1, ... atoms about persons of a group are false, one person being denied a value."""
    persons = min(most + 1, sum(held.values()))
    seen = list(worlds(held, persons))
    atoms = [(person, value) for person in range(persons) for value in held]
    first = [] if denied is None else [(0, denied)]
    out = []
    for few in range(most + 1):
        chosen = combinations(atoms, min(few, len(atoms)))
        out.append(
            min(
                sum((c for v, c in seen if all(v[p] != s for p, s in [*first, *denial])), Fraction(0))
                for denial in chosen
            )
        )
    return out


def _spread(tables: Sequence[Sequence[Fraction]], atoms: int) -> Fraction:
    """Return the least chance that some atoms are false that may be about anybody in other groups."""
    best = [Fraction(1)] + [Fraction(2)] * atoms
    for table in tables:
        best = [min(best[few - own] * table[own] for own in range(few + 1)) for few in range(atoms + 1)]
    return min(one for one in best if one <= 1)


def skyline(asked: Asked, groups: Sequence[Sequence[Row]], qid: Sequence[str], raw: Sequence[Row]) -> bool:
    """Knowledge up to (l,k,m) with l, k, m at most 1: values the victim lacks, another's value, an implication."""
    value = str(asked["value"])
    tables = [_held(asked, group) for group in groups]
    for l, k, m, threshold in asked["skyline"]:  # type: ignore[attr-defined]
        worst = max(
            (
                _believed(tables, at, value, few)
                for at in range(len(tables))
                for few in product(*map(_up_to, (l, k, m)))
            ),
            default=0.0,
        )
        if worst >= float(threshold) - 1e-9:
            return False
    return True


def _up_to(most: int) -> range:
    return range(most + 1)


def _believed(tables: Sequence[Held], at: int, value: str, few: tuple[int, ...]) -> float:
    """Return the highest belief that a victim of one group has a value, over all knowledge of exactly some size."""
    l, k, m = few
    own, best = tables[at], Fraction(0)
    if not own.get(value):
        return 0.0
    excluded: list[str | None] = [v for v in own if v != value] if l else []
    for without in [None, *excluded]:
        for tied in range(len(tables)) if m else [None]:
            for known in sorted({at, at if tied is None else tied}) if k else [None]:
                best = max(best, _conditional(tables, at, value, without, tied, known))
    return float(best)


def _conditional(
    tables: Sequence[Held], at: int, value: str, without: str | None, tied: int | None, known: int | None
) -> Fraction:
    """Return the highest P(victim has the value) where one value is excluded, one person tied and one value told."""
    here = 1 + (tied == at) + (known == at)
    away = tied if tied not in (None, at) else None
    there = 0 if away is None else 1 + (known == away)
    if here > sum(tables[at].values()) or (away is not None and there > sum(tables[away].values())):
        return Fraction(0)
    told_values = [None] if known is None else list(tables[known])
    best = Fraction(0)
    for told in told_values:
        yes = every = Fraction(0)
        for mine, chance in worlds(tables[at], here):
            if mine[0] == without or (known == at and mine[-1] != told):
                continue
            for theirs, other in worlds(tables[away], there) if away is not None else [((), Fraction(1))]:
                if known is not None and known == away and theirs[-1] != told:
                    continue
                neighbour = None if tied is None else mine[1] if tied == at else theirs[0]
                if neighbour == value and mine[0] != value:
                    continue
                every += chance * other
                yes += chance * other * (mine[0] == value)
        best = max(best, yes / every if every else Fraction(0))
    return best


def even_handed(asked: Asked, groups: Sequence[Sequence[Row]], qid: Sequence[str], raw: Sequence[Row]) -> bool:
    """Without knowledge the most even-handed belief is the share in the group."""
    tables = [_held(asked, group) for group in groups]
    return all(max(t.values()) <= _number(asked, "threshold") * sum(t.values()) * (1 + 1e-9) for t in tables)
