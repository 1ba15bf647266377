"""BCF-anonymity, recounted: what every two releases of a growing table leave, from their texts and hierarchies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sfumato.errors import BadRequest

__all__ = ["Level", "applies", "level"]

Label = tuple[str, ...]
Release = Mapping[Label, Mapping[str, int]]
"""Labels of a class -> sensitive value -> number of rows."""

Parents = Mapping[str, str]
"""Label -> the label above it; every path ends with the root, or with ``*`` where a column has no hierarchy."""


@dataclass(frozen=True)
class Level:
    """The fewest records left (``None`` where there is nobody), how many classes or pairs violate, and whether it holds."""

    measured: int | None
    violating: int
    satisfied: bool


def applies(releases: int, targets: str, attacks: str) -> bool:
    """More than two releases together are a program of many unknowns, and real targets are nobody's to see from outside."""
    return targets == "published" and (releases <= 2 or attacks == "pairs")


def level(releases: Sequence[Release], *, parents: Sequence[Parents], k: int) -> Level:
    """Judge the smallest class of each release, and what forward, cross and backward attacks leave of every two."""
    left = [sum(held.values()) for release in releases for held in release.values()]
    for at, later in enumerate(releases):
        for earlier in releases[:at]:
            left += _left(earlier, later, parents)
    broken = sum(one < k for one in left)
    return Level(min(left, default=None), broken, broken == 0)


def _left(one: Release, two: Release, parents: Sequence[Parents]) -> Iterator[int]:
    """Yield the records left of each comparable pair of classes to people of before, and of each later class to newcomers.

    Classes are comparable if the topmost shown labels above theirs are the same in every column.
    """
    tops = [_tops({key[at] for release in (one, two) for key in release}, above) for at, above in enumerate(parents)]
    regions: dict[Label, tuple[list[Label], list[Label]]] = {}
    for side, release in enumerate((one, two)):
        for key in release:
            top = tuple(tops[at][label] for at, label in enumerate(key))
            regions.setdefault(top, ([], []))[side].append(key)
    new = sum(map(_rows, two.values())) - sum(map(_rows, one.values()))
    for before, after in regions.values():
        past, now = (
            sum((Counter(release[key]) for key in keys), Counter[str]())
            for release, keys in ((one, before), (two, after))
        )
        if any(count > now[value] for value, count in past.items()):
            raise BadRequest("a later release is not about everybody of an earlier one", parameter="series")
        for p in before:
            for q in after:
                yield sum(min(count, two[q].get(value, 0)) for value, count in one[p].items())
        for q in after if new else ():
            yield sum(min(count, now[value] - past[value]) if past[value] else count for value, count in two[q].items())


def _tops(shown: set[str], above: Parents) -> dict[str, str]:
    """Return the topmost shown label on the path of each shown label."""
    out = {}
    for label in shown:
        top, at = label, label
        while at in above:
            at = above[at]
            top = at if at in shown else top
        out[label] = "*" if not above and "*" in shown else top
    return out


def _rows(held: Mapping[str, int]) -> int:
    return sum(held.values())
