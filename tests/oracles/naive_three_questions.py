"""The three questions by brute force: intervals as roots of their equations, every row against every person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import floor, sqrt
from statistics import NormalDist
from typing import Any

__all__ = ["covered", "distance", "fits", "guess", "nearest", "risk_interval", "wilson"]

UNIT = 2**40


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return low


def wilson(successes: int, attempts: int, confidence: float) -> tuple[float, float]:
    """Return the shares that a score test does not reject."""
    z, share = NormalDist().inv_cdf((1 + confidence) / 2), successes / attempts

    def error(p: float) -> float:
        return z * sqrt(p * (1 - p) / attempts)

    return _root(lambda p: share - p - error(p), 0.0, share), _root(lambda p: share + error(p) - p, share, 1.0)


def risk_interval(release: tuple[int, int], control: tuple[int, int], confidence: float) -> tuple[float, float]:
    """Return ``1 - ratio`` for the ratios at which the interval of ``failed - ratio * missed`` begins or ends in 0."""
    failed, missed = 1 - release[0] / release[1], 1 - control[0] / control[1]
    failed_low, failed_high = (1 - end for end in reversed(wilson(*release, confidence)))
    missed_low, missed_high = (1 - end for end in reversed(wilson(*control, confidence)))

    def begins(ratio: float) -> float:
        return failed - ratio * missed - sqrt((failed - failed_low) ** 2 + (ratio * (missed_high - missed)) ** 2)

    def ends(ratio: float) -> float:
        return failed - ratio * missed + sqrt((failed_high - failed) ** 2 + (ratio * (missed - missed_low)) ** 2)

    least, most = _root(begins, 0.0, 1e6), _root(ends, 0.0, 1e6)
    risk = max(0.0, 1 - failed / missed)
    low, high = (min(max(1 - ratio, 0.0), 1.0) for ratio in (most, least))
    return min(low, risk), max(high, risk)


def _ends(label: Any) -> tuple[float, float, bool] | None:
    text = str(label)
    if text.startswith("["):
        low, high = text[1:-1].split("-")
        return float(low), float(high), text.endswith("]")
    try:
        return float(text), float(text), True
    except ValueError:
        return None


def covered(label: Any, value: Any) -> bool:
    """Tell whether a label is ``*``, the value, or an interval that holds it."""
    if label is None or value is None:
        return False
    ends = _ends(label) if isinstance(value, (int, float)) else None
    if ends is not None:
        return ends[0] <= value < ends[1] or (ends[2] and value == ends[1])
    return str(label) in ("*", str(value))


def _extent(column: Sequence[Any], people: Sequence[Any]) -> float:
    ends = [end for label in column if label is not None and (found := _ends(label)) for end in found[:2]]
    ends += [value for value in people if isinstance(value, (int, float))]
    return max(ends) - min(ends) if ends else 0.0


def distance(rows: Sequence[Any], people: Sequence[Any], row: int, person: int) -> int:
    """Return how far a row lies from a person, in whole steps of 2^-40."""
    total = 0
    for at, (label, value) in enumerate(zip(rows[row], people[person], strict=True)):
        if covered(label, value):
            continue
        ends = None if label is None or not isinstance(value, (int, float)) else _ends(label)
        if ends is None:
            total += UNIT
            continue
        extent = _extent([one[at] for one in rows], [one[at] for one in people])
        gap = max(ends[0] - value, value - ends[1], 0.0)
        total += max(floor(gap * (UNIT / extent) + 0.5), 1)
    return total


def nearest(rows: Sequence[Any], people: Sequence[Any], person: int, neighbours: int) -> tuple[list[int], list[int]]:
    """Return the rows before the n-th nearest distance, and those at it; all rows and none if there are fewer."""
    far = [distance(rows, people, row, person) for row in range(len(rows))]
    if len(rows) < neighbours:
        return list(range(len(rows))), []
    bound = sorted(far)[neighbours - 1]
    return [row for row, one in enumerate(far) if one < bound], [row for row, one in enumerate(far) if one == bound]


def guess(values: Sequence[Any], tolerance: float | None) -> Any:
    """Return the smallest value that would be right for most of these; ``None`` if there is none."""
    known = Counter(value for value in values if value not in (None, "*"))

    def right(value: Any) -> int:
        if tolerance is None:
            return known[value]
        return sum(count for true, count in known.items() if abs(value - true) <= tolerance * abs(true))

    return min(known, key=lambda value: (-right(value), value), default=None)


def fits(asked: Sequence[Any], person: Sequence[Any]) -> bool:
    """Tell whether a person has what is asked: nothing (``None``), a range of numbers, or a label that covers the value."""
    return all(
        one is None
        or (value is not None and (one[0] <= value <= one[1] if isinstance(one, tuple) else covered(one, value)))
        for one, value in zip(asked, person, strict=True)
    )
