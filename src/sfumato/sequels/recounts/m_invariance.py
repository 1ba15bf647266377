"""m-invariance, recounted: groups without equal values, and persons who stay among the same ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from sfumato.errors import BadRequest
from sfumato.sequels.recounts._texts import Level, Text

__all__ = ["Groups", "applies", "level"]

Groups = Mapping[tuple[Text, ...], Sequence[tuple[Text, str]]]
"""A group -> the person and the sensitive value of each of its rows; nobody where a row is invented or nobody tells."""


def applies(releases: int, persons: bool) -> bool:
    """Who stays is the holder's secret: a stranger decides about one release, and can refute a series but not confirm it."""
    return persons or releases <= 1


def level(releases: Sequence[Groups], *, m: int, returning: str = "refuse") -> Level:
    """Judge that each group has m rows or more, all with different values, and that hosts of a person have the same values."""
    hosts: dict[str, list[tuple[int, frozenset[str]]]] = {}
    sizes, broken, doubled = [], 0, False
    for number, groups in enumerate(releases):
        for rows in groups.values():
            values = frozenset(value for _, value in rows)
            sizes.append(len(values))
            doubled |= len(values) < len(rows)
            broken += len(values) < max(m, len(rows))
            for person, _ in rows:
                if person is not None:
                    hosts.setdefault(person, []).append((number, values))
    stays = [(one, two) for held in hosts.values() for one, two in pairwise(held)]
    if any(two[0] == one[0] for one, two in stays):
        raise BadRequest("a release has several rows of one person", parameter="series")
    if returning == "refuse" and any(two[0] > one[0] + 1 for one, two in stays):
        raise BadRequest("persons were away for a release and came back", parameter="m-invariance.returning")
    changed = any(one[1] != two[1] for one, two in stays)
    return Level(None if changed or doubled else min(sizes, default=None), broken, not broken and not changed)
