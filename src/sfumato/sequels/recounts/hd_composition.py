"""HD-composition, recounted: the share of worlds in which a person carries a value; without persons, its share of a group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product

from sfumato.errors import BadRequest
from sfumato.sequels.recounts._texts import Level, Text, writes

__all__ = ["Groups", "applies", "level"]

Groups = Mapping[tuple[Text, ...], Sequence[tuple[Text, str]]]
"""A group -> the person and the sensitive value of each of its rows; nobody where a row is invented or nobody tells."""

_Group = tuple[int, frozenset[str], int]  # release, members, carriers
_MOST = 20


def applies(releases: int, persons: bool) -> bool:
    """Who is in which group is the holder's secret: a stranger decides about one release."""
    return persons or releases <= 1


def level(releases: Sequence[Groups], *, permanent: Sequence[object], l: int) -> Level:
    """Judge that nobody is linked to a permanent value with more than 1/l: by trying all sets of carriers, where persons are
    told; else by the share of the value in each group.
    """
    told = any(person is not None for groups in releases for rows in groups.values() for person, _ in rows)
    shares = [share for value in permanent for share in (_linked if told else _shown)(releases, value)]
    above = sum(share > Fraction(1, l) for share in shares)
    return Level(float(max(shares, default=Fraction(0))), above, not above)


def _shown(releases: Sequence[Groups], value: object) -> list[Fraction]:
    """Return the share of the value in each group."""
    return [
        Fraction(sum(writes(text, value) for _, text in rows), len(rows)) for one in releases for rows in one.values()
    ]


def _linked(releases: Sequence[Groups], value: object) -> list[Fraction]:
    """Return the share of worlds in which each person carries the value; rows without a person are somebody of their own."""
    groups = [
        (
            at,
            frozenset(f"?{at} {key} {row}" if who is None else f"={who}" for row, (who, _) in enumerate(rows)),
            sum(writes(text, value) for _, text in rows),
        )
        for at, held in enumerate(releases)
        for key, rows in held.items()
    ]
    shares: list[Fraction] = []
    while groups:
        part, persons = [groups.pop()], set[str]()
        for group in part:  # grows while it is read
            persons |= group[1]
            part += [other for other in groups if other[1] & persons]
            groups = [other for other in groups if not other[1] & persons]
        shares += _part(sorted(persons), part)
    return shares


def _part(persons: Sequence[str], groups: Sequence[_Group]) -> list[Fraction]:
    """Return the shares of persons whom groups link: carriers from the beginning, or where none fit, from some release on."""
    if len(persons) > _MOST:
        raise BadRequest("has too many persons who are linked to be tried one by one", parameter="series")
    always = [dict.fromkeys(chosen, 0) for size in range(len(persons) + 1) for chosen in combinations(persons, size)]
    worlds = [one for one in always if _fits(one, groups)]
    if not worlds:
        times = [[None, *sorted({at for at, members, _ in groups if who in members})] for who in persons]
        started = (dict(zip(persons, begun, strict=True)) for begun in product(*times))
        named = ({who: at for who, at in one.items() if at is not None} for one in started)
        worlds = [one for one in named if _fits(one, groups)]
    if not worlds:
        raise BadRequest("no set of carriers fits all releases: a value is not permanent", parameter="series")
    real = [who for who in persons if who.startswith("=")]
    return [Fraction(sum(who in one for one in worlds), len(worlds)) for who in real]


def _fits(carriers: Mapping[str, int], groups: Sequence[_Group]) -> bool:
    """Tell whether each group has as many carriers as it has rows with the value."""
    return all(sum(carriers.get(who, at + 1) <= at for who in members) == count for at, members, count in groups)
