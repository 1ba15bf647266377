"""What an adversary knows of a path, point by point: a place and a time, a place alone, or a time alone."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sfumato.contracts.knowledge import Reading
from sfumato.data.text import SUPPRESSED, parse_interval, parse_number, to_text
from sfumato.kernels.arrays import Ints
from sfumato.trajectories.trajectories import Moment, Trajectories

__all__ = ["Known", "fitting", "known_points", "matching"]


class Known(NamedTuple):
    """One known point: ``place@time``, ``place`` or ``@time``; what is not known is missing."""

    place: str | None
    time: Moment | None

    def strange(self, paths: Trajectories) -> bool:
        """Tell whether nobody was ever at this place, or at this time."""
        return (self.place is not None and self.place not in paths.names) or self.time not in (None, *paths.moments)

    def __str__(self) -> str:
        return (self.place or "") + ("" if self.time is None else f"@{to_text(self.time)}")


def known_points(texts: Sequence[str], paths: Trajectories) -> list[Known]:
    """Read what is known from texts; a time is one that occurs in the paths, or else it fits nobody.

    Points are in the order of time. If all of them say when, their own times order them.
    """
    times = {to_text(moment): moment for moment in paths.moments}
    out: list[Known] = []
    for text in texts:
        place, sign, when = text.rpartition("@")
        if not sign or (when not in times and text in paths.names):  # a name may have an @ of its own
            out.append(Known(text, None))
        else:
            out.append(Known(place or None, times.get(when, float("nan"))))
    if all(one.time is not None and one.time == one.time for one in out):
        out.sort(key=lambda one: paths.moments.index(one.time) if one.time is not None else 0)
    return out


def matching(paths: Trajectories, known: Sequence[Known]) -> Ints:
    """Return the persons whose paths have what is known, in this order: a true subsequence, not only a subset.

    Each known point is met as early as it can be after the one before, so that a later one has all the room there is.

    >>> paths = Trajectories.of([[("a", 1), ("b", 2)], [("b", 1), ("a", 2)]])
    >>> matching(paths, [Known("a", None), Known("b", None)]).tolist()
    [0]
    """
    at, persons = paths.starts[:-1].copy(), np.arange(len(paths))
    codes = {name: code for code, name in enumerate(paths.names)}
    moments = {moment: code for code, moment in enumerate(paths.moments)}
    for one in known:
        fits = np.ones(len(paths.places), np.bool_)
        if one.place is not None:
            fits &= paths.places == codes.get(one.place, -1)
        if one.time is not None:
            fits &= paths.times == moments.get(one.time, -1)
        found = np.append(np.flatnonzero(fits), len(fits))
        met = found[np.searchsorted(found, at)]
        there = met < paths.starts[persons + 1]
        at, persons = met[there] + 1, persons[there]
    return persons


def fitting(
    paths: Trajectories, values: Mapping[str, object], readings: Mapping[str, Reading] | None = None
) -> Trajectories:
    """Return the persons whose columns show what is known, or something that stands for it.

    >>> paths = Trajectories.of([[("a", 1)], [("b", 1)]], columns={"age": ["[30-40)", "50"]})
    >>> len(fitting(paths, {"age": 34})), len(fitting(paths, {"age": 51}))
    (1, 0)
    """
    if not values:
        return paths
    there = np.ones(len(paths), np.bool_)
    for name, value in values.items():
        keys = paths.column(name)
        stands = [_stands_for(label, value, (readings or {}).get(name)) for label in keys.values]
        there &= np.array([*stands, False])[keys.codes]  # -1 is a missing value
    return paths.taken(np.flatnonzero(there))


def _stands_for(label: Hashable, value: object, reading: Reading | None) -> bool:
    """Tell whether a label is a value, everything, an interval around it, or above it in the hierarchy of its column."""
    shown, text = to_text(label), to_text(value)
    if shown in (text, SUPPRESSED):
        return True
    if reading is not None and reading.knows(shown):
        rank, first, last = reading.runs([shown], [text])
        own, _, _ = reading.runs([], [value]) if isinstance(value, Hashable) else (rank, first, last)
        return any(first[0] <= at < last[0] for at in (rank[0], own[0]) if at >= 0)
    bounds = parse_interval(shown)
    try:
        number = parse_number(text)
    except ValueError:
        return False
    if bounds is None:
        return False
    low, high, closed = bounds
    return low <= number < high or (closed and number == high)
