"""Times of points: numbers, days, or days with their time; of one zone, and cut into bins where that is asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from datetime import UTC, date, datetime, timedelta

from sfumato.errors import BadRequest
from sfumato.trajectories.repairs import Repairs
from sfumato.trajectories.trajectories import Moment

__all__ = ["binned", "in_one_zone", "length_of", "moment"]

_LENGTH = re.compile(r"(\d+)\s*(s|min|h|d|w)")
_SECONDS = {"s": 1, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_FIRST = datetime(1970, 1, 5)  # a Monday


def length_of(bin: str | float) -> timedelta | float:  # noqa: A002
    """Return the length of a bin: a number for times that are numbers, else seconds, minutes, hours, days or weeks.

    >>> length_of("15min"), length_of(10)
    (datetime.timedelta(seconds=900), 10)
    """
    if not isinstance(bin, str) and not isinstance(bin, bool) and bin > 0:
        return bin
    found = _LENGTH.fullmatch(str(bin).strip())
    if found is None or int(found[1]) == 0:
        raise BadRequest(
            "must be a length of time such as 30s, 15min, 1h, 1d or 1w, or a number where times are numbers",
            parameter="time.bin",
            value=bin,
        )
    return timedelta(seconds=int(found[1]) * _SECONDS[found[2]])


def in_one_zone(values: Sequence[Hashable], counts: Sequence[int], repairs: Repairs) -> list[Moment]:
    """Return the times of distinct values; texts with a zone are read as times, and refused if they are of several zones.

    ``counts`` says how many points have each value. Times of one zone are those of its clocks.
    """
    read = [moment(value) for value in values]
    zones = [one.utcoffset() if isinstance(one, datetime) else None for one in read]
    of_zone: Counter[timedelta | None] = Counter()
    for zone, count in zip(zones, counts, strict=True):
        of_zone[zone] += count
    other = of_zone.total() - max(of_zone.values(), default=0)
    if repairs.way("time-zones", other):
        return [
            one.astimezone(UTC).replace(tzinfo=None) if isinstance(one, datetime) and one.tzinfo else one
            for one in read
        ]
    return [one.replace(tzinfo=None) if isinstance(one, datetime) else one for one in read]


def moment(value: Hashable) -> Moment:
    """Return a value as a time: a number or a date as it is, a text as the number, day or time that it writes."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    if isinstance(value, date):
        return value
    if isinstance(value, str):
        if re.fullmatch(r"-?\d+", value):
            return int(value)
        if re.fullmatch(r"-?\d+\.\d+", value):
            return float(value)
        try:
            return date.fromisoformat(value) if len(value) == 10 else datetime.fromisoformat(value)
        except ValueError:
            pass
    raise BadRequest(
        "must be numbers, days (2026-11-16) or times (2026-11-16T08:30, with or without a zone)", parameter="time"
    )


def binned(times: Sequence[Moment], bin: str | float) -> list[Moment]:  # noqa: A002
    """Return the beginning of the bin that each time lies in; weeks begin on Mondays, all others at midnight.

    >>> binned([datetime(2026, 11, 16, 8, 40)], "1h"), binned([17, -1], 10)
    ([datetime.datetime(2026, 11, 16, 8, 0)], [10, -10])
    """
    length = length_of(bin)
    out: list[Moment] = []
    for one in times:
        if isinstance(one, (int, float)):
            if isinstance(length, timedelta):
                raise BadRequest("times are numbers: give a number", parameter="time.bin", value=bin)
            out.append(one // length * length)
        elif not isinstance(length, timedelta):
            raise BadRequest(
                "times are days or times of day: give a length such as 1h", parameter="time.bin", value=bin
            )
        elif isinstance(one, datetime):
            out.append(_FIRST + (one - _FIRST) // length * length)
        elif length % timedelta(days=1):
            raise BadRequest("times are days: give a length such as 1d or 1w", parameter="time.bin", value=bin)
        else:
            start = datetime(one.year, one.month, one.day)
            out.append((_FIRST + (start - _FIRST) // length * length).date())
    return out
