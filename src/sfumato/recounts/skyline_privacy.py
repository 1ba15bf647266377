"""Skyline privacy, recounted: how sure of one value whoever knows up to (l,k,m) pieces may be."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import comb

from sfumato.recounts._handed_out import Chances, certainly_below, elsewhere
from sfumato.recounts._level import Groups, Level, Number, counts_of, named

__all__ = ["applies", "level"]


def applies(kind: str, reading: str) -> bool:
    """Implications add up group by group; equal values of persons in several groups do not."""
    return reading == "implication"


def level(groups: Groups, *, value: object, skyline: Sequence[tuple[int, int, int, float]], missing: str) -> Level:
    """Judge the highest confidence in the value for each triplet."""
    held = counts_of(groups, missing)
    spelled = named({text for texts in held for text in texts}, [value])
    sizes = [int(sum(texts.values())) for texts in held]
    having = [int(sum(count for text, count in texts.items() if text in spelled)) for texts in held]
    others = [sorted((count for text, count in texts.items() if text not in spelled), reverse=True) for texts in held]
    highest: list[float] = []
    exposed: set[int] = set()
    for l, k, m, threshold in skyline:
        rest = elsewhere([_untied(size, count, k, m) for size, count in zip(sizes, having, strict=True)])
        for group, (size, count) in enumerate(zip(sizes, having, strict=True)):
            left = size - count - sum(others[group][:l])
            found = _confidence(size, count, left, rest[group], k, m)
            highest.append(found)
            if not certainly_below(found, threshold):
                exposed.add(group)
    return Level(max(highest, default=None), len(exposed), not exposed)


def _confidence(size: int, count: int, left: Number, rest: Chances, k: int, m: int) -> float:
    """Return the confidence that a member of a group has the value: ``left`` rows may refute it."""
    if not count:
        return 0.0
    own = _untied(size - 1, count, k, m)
    refuted = min(
        max(left - known, 0) * own[known][tied] * rest[k - known][m - tied]
        for known in range(k + 1)
        for tied in range(m + 1)
    )
    return count / (count + refuted)


@cache
def _untied(persons: int, having: int, k: int, m: int) -> Chances:
    """Return the least chance that none of up to m persons has the value, up to k others being known not to have it."""
    out = [[1.0] * (m + 1) for _ in range(k + 1)]
    for known in range(k + 1):
        for tied in range(m + 1):
            chances = [1.0]
            if known <= max(persons - having, 0) and tied <= persons - known:
                chances.append(comb(max(persons - known - having, 0), tied) / comb(persons - known, tied))
            if known:
                chances.append(out[known - 1][tied])
            if tied:
                chances.append(out[known][tied - 1])
            out[known][tied] = min(chances)
    return out
