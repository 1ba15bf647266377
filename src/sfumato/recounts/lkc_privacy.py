"""LKC-privacy, recounted: who fits any few known texts, and how sure their sensitive value is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from sfumato.recounts._confidence import largest_share
from sfumato.recounts._level import Groups, Key, Level, Number, Text, at_most, counts_of, named

__all__ = ["level"]


def level(
    groups: Groups,
    *,
    L: int,
    K: int,
    C: float,
    sensitive: str | None,
    values: Sequence[object] | None,
    missing: str,
    cells: str,
) -> Level:
    """Judge every combination of texts of at most L columns; ``cells="absent"``: nobody can know a missing one.

    Where every cell can be known, who knows less fits more rows and is less sure: sets of exactly L columns decide.
    """
    held: Sequence[Mapping[Text, Number]] = (
        [{None: sum(rows.values())} for rows in groups.values()] if sensitive is None else counts_of(groups, missing)
    )
    secret = named({text for texts in held for text in texts}, values) if values is not None else None
    width = len(next(iter(groups), ()))
    unknown = cells == "absent" and any(None in key for key in groups)
    smallest: Number | None = None
    broken = 0
    for few in range(1 if unknown else min(L, width), min(L, width) + 1):
        for chosen in combinations(range(width), few):
            for fitting in _fitting(groups, held, chosen, unknown):
                size = sum(fitting.values())
                smallest = size if smallest is None else min(smallest, size)
                surest = 0 if sensitive is None else largest_share(fitting, secret)
                broken += size < K or not at_most(surest, float(C))
    return Level(smallest, broken, broken == 0)


def _fitting(
    groups: Groups, held: Sequence[Mapping[Text, Number]], chosen: Sequence[int], unknown: bool
) -> Iterable[Mapping[Text, Number]]:
    """Return the sensitive texts of the rows that fit each combination of texts in the chosen columns."""
    found: dict[Key, dict[Text, Number]] = {}
    for key, texts in zip(groups, held, strict=True):
        known = tuple([key[at] for at in chosen])
        if unknown and None in known:
            continue
        fitting = found.setdefault(known, {})
        for text, count in texts.items():
            fitting[text] = fitting.get(text, 0) + count
    return found.values()
