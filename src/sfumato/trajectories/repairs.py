"""What may be mended of paths on reading, and what is counted instead of refused."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.errors import BadRequest

__all__ = ["REPAIRS", "Repairs", "checked_repairs"]

REPAIRS: Mapping[str, tuple[str, ...]] = {
    "two-places": ("first", "last"),
    "unsorted": ("sort",),
    "no-points": ("keep", "drop"),
    "incomplete": ("drop",),
    "time-zones": ("utc",),
    "swapped": ("swap",),
    "out-of-range": ("drop",),
    "varying": ("first",),
    "percent": ("share",),
}
"""Mistakes by name, and what can be done about each.

``two-places``: somebody is at several places at one time; the first or last reading counts. ``unsorted``: points of a person
are not in the order of time. ``no-points``: a person has none. ``incomplete``: a row has a place without a time, or the
other way round. ``time-zones``: times of several zones become those of UTC. ``swapped``: longitude and latitude
are the wrong way round. ``out-of-range``: coordinates are nowhere on earth. ``varying``: a column has several values for one
person. ``percent``: a requirement gives its C in percent, 20 or 20%, where the share 0.2 is meant."""


def checked_repairs(repair: Mapping[str, str]) -> Mapping[str, str]:
    """Return repairs as they were asked for; refuse those that nobody knows."""
    for name, way in repair.items():
        if name not in REPAIRS:
            raise BadRequest("is not a repair", parameter="repair", value=name, available=REPAIRS)
        if way not in REPAIRS[name]:
            raise BadRequest("is no way to mend it", parameter=f"repair.{name}", value=way, available=REPAIRS[name])
    return repair


# What is wrong once and several times, and what is said in either case.
_MISTAKES: Mapping[str, tuple[str, str, str]] = {
    "two-places": ("time", "times", "a person is at two places at one time"),
    "unsorted": ("point is", "points are", "earlier than the one before of the same person"),
    "no-points": ("person has", "persons have", "no point"),
    "incomplete": ("row has", "rows have", "a place without a time, or a time without a place"),
    "time-zones": ("time is", "times are", "in another zone than most, or in none"),
    "swapped": ("point has", "points have", "longitude and latitude the wrong way round"),
    "out-of-range": (
        "point is",
        "points are",
        "nowhere on earth: a longitude is from -180 to 180, a latitude from -90 to 90",
    ),
    "varying": ("person has", "persons have", "several values in one column"),
}


class Repairs:
    """Which repairs are wanted, and how often each was done."""

    def __init__(self, wanted: Mapping[str, str]) -> None:
        self._wanted = checked_repairs(wanted)
        self.counts: dict[str, int] = {}

    def way(self, name: str, count: int) -> str | None:
        """Return how a mistake is mended that occurs so often, and count it; refuse it where nobody wants it mended."""
        if not count:
            return None
        if name not in self._wanted:
            one, several, what = _MISTAKES[name]
            raise BadRequest(
                f"{count:,} {one if count == 1 else several} {what}; a repair can be asked for",
                parameter=f"repair.{name}",
                available=REPAIRS[name],
            )
        self.counts[name] = count
        return self._wanted[name]
