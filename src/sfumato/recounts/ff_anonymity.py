"""FF-anonymity, recounted: how likely any observable texts make a sensitive value."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

from sfumato.recounts._level import Groups, Key, Level, Number, at_most, named

__all__ = ["level"]

Secret = tuple[str, object, float]
"""A column, a value of it, and how likely it may become."""


def level(
    groups: Groups, *, columns: Sequence[str], needs: Sequence[str], sensitive: Sequence[Secret], max_x: int | None
) -> Level:
    """Judge the surest way to each sensitive value.

    A column without sensitive texts divides the rows of whatever else is known, so as many of these as allowed are known.
    """
    rows = {key + texts: count for key, part in groups.items() for texts, count in part.items()}
    names = [*columns, *needs]
    hidden: list[set[str | None]] = [set() for _ in names]
    for name, value, _ in sensitive:
        hidden[names.index(name)] |= named({row[names.index(name)] for row in rows}, [value])
    surest = []
    for name, value, threshold in sensitive:
        own = names.index(name)
        others = [at for at in range(len(names)) if at != own]
        mixed = [at for at in others if hidden[at]]
        plain = [at for at in others if not hidden[at]]
        most = len(others) if max_x is None else min(max_x, len(others))
        wanted = named({row[own] for row in rows}, [value])
        sets = (
            [*some, *rest]
            for few in range(min(most, len(mixed)) + 1)
            for some in combinations(mixed, few)
            for rest in combinations(plain, min(len(plain), most - few))
        )
        surest.append((max((_likeliest(rows, hidden, own, wanted, chosen) for chosen in sets), default=0.0), threshold))
    broken = sum(not at_most(chance, float(threshold)) for chance, threshold in surest)
    return Level(max(chance for chance, _ in surest) if groups else None, broken, broken == 0)


def _likeliest(
    rows: Mapping[Key, Number],
    hidden: Sequence[Collection[str | None]],
    own: int,
    wanted: Collection[str | None],
    chosen: Sequence[int],
) -> Number:
    """Return the largest share of a sensitive value among the rows with the same observable texts in some columns."""
    fitting: dict[Key, list[Number]] = {}
    for row, count in rows.items():
        if not any(row[at] in hidden[at] for at in chosen):
            found = fitting.setdefault(tuple([row[at] for at in chosen]), [0, 0])
            found[0] += count
            found[1] += count if row[own] in wanted else 0
    return max((having / size for size, having in fitting.values()), default=0.0)
