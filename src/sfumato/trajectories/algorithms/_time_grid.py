"""Paths on a common clock: every path sampled at whole steps, its span trimmed to whole periods."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints
from sfumato.trajectories.moving_objects import clock, metres
from sfumato.trajectories.times import length_of
from sfumato.trajectories.trajectories import Moment, Trajectories

__all__ = ["Sampled", "sampled"]


@frozen(eq=False)
class Sampled:
    """Points of all paths at the steps of a clock: row by row from step ``first`` to ``last`` of ``times``, both included.

    ``classes`` are the places of persons with the same span, in the order of spans; ``discarded`` persons have none.
    ``lost_ends`` counts points before the first and after the last step of a span.
    """

    x: Floats
    y: Floats
    starts: Ints
    first: Ints
    last: Ints
    times: tuple[Moment, ...]
    names: tuple[str, ...]
    classes: tuple[Ints, ...]
    discarded: int
    lost_ends: int

    def points(self, members: Ints) -> tuple[Floats, Floats]:
        """Return the points of persons of one class, a row for each."""
        width = int(self.last[members[0]] - self.first[members[0]]) + 1
        at = self.starts[members][:, None] + np.arange(width)
        return self.x[at], self.y[at]


def sampled(paths: Trajectories, step: str | float | None, pi: int, *, interpolate: bool) -> Sampled:
    """Return the paths at whole steps, between their first and last point trimmed to whole periods of ``pi`` steps.

    Steps are counted from zero, or from 1970 on. Between two points a path is a straight line.
    """
    east, north = metres(paths)
    stamps = np.array([clock(moment) for moment in paths.moments], np.float64)
    length = _step(paths, stamps, step)
    at = stamps[paths.times]
    there = paths.lengths > 0
    begin, end = np.zeros(len(paths)), np.full(len(paths), -1.0)
    begin[there], end[there] = at[paths.starts[:-1][there]], at[paths.starts[1:][there] - 1]
    first = (np.ceil(np.ceil(begin / length - 1e-9) / pi) * pi).astype(np.int64)
    last = (np.floor(np.floor(end / length + 1e-9) / pi) * pi).astype(np.int64)
    kept = there & (first < last)
    counts = np.where(kept, last - first + 1, 0)
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    owners = np.repeat(np.arange(len(paths)), counts)
    wanted = (np.arange(starts[-1]) - starts[owners] + first[owners]) * length
    # One line of all paths, one after the other, is looked up at once.
    reach = float(stamps.max(initial=0.0) - stamps.min(initial=0.0)) + 2 * length
    low = float(stamps.min(initial=0.0))
    held, asked = paths.owners * reach + (at - low), owners * reach + (wanted - low)
    if not interpolate:
        met = np.minimum(np.searchsorted(held, asked - length * 1e-6), max(len(held) - 1, 0))
        gaps = int((np.abs(held[met] - asked) > length * 1e-6).sum()) if len(held) else 0
        if gaps:
            raise BadRequest(say("moving.gaps", count=gaps), parameter="never-walk-alone.interpolate")
    x, y = np.interp(asked, held, east), np.interp(asked, held, north)
    keys = np.stack((first, last))[:, kept]
    order = np.lexsort((np.flatnonzero(kept), keys[1], keys[0]))
    cuts = np.flatnonzero((np.diff(keys[:, order]) != 0).any(axis=0)) + 1
    classes = tuple(np.split(np.flatnonzero(kept)[order], cuts)) if kept.any() else ()
    bottom = int(first[kept].min()) if kept.any() else 0
    top = int(last[kept].max()) if kept.any() else -1
    inside = (
        kept[paths.owners] & (at >= first[paths.owners] * length - 1e-9) & (at <= last[paths.owners] * length + 1e-9)
    )
    names = paths.persons or tuple(str(one) for one in range(len(paths)))
    return Sampled(
        x,
        y,
        starts,
        first - bottom,
        last - bottom,
        tuple(_moment(one * length, paths.moments) for one in range(bottom, top + 1)),
        names,
        classes,
        int((~kept).sum()),
        int((~inside & kept[paths.owners]).sum()),
    )


def _step(paths: Trajectories, stamps: Floats, step: str | float | None) -> float:
    if step is not None:
        given = length_of(step)
        numbers = bool(paths.moments) and isinstance(paths.moments[0], (int, float))
        if isinstance(given, timedelta) == numbers:
            raise BadRequest("does not fit the times", parameter="never-walk-alone.step", value=step)
        days = bool(paths.moments) and isinstance(paths.moments[0], date) and not isinstance(paths.moments[0], datetime)
        return given.total_seconds() / (86_400 if days else 1) if isinstance(given, timedelta) else float(given)
    gaps = np.diff(stamps)
    return float(gaps.min()) if len(gaps) else 1.0


def _moment(value: float, like: tuple[Moment, ...]) -> Moment:
    """Return a number of the clock as a time of the kind that paths have."""
    kind = like[0]
    if isinstance(kind, datetime):
        return datetime(1970, 1, 1) + timedelta(seconds=value)
    if isinstance(kind, date):
        return date.fromordinal(date(1970, 1, 1).toordinal() + round(value))
    return round(value) if isinstance(kind, int) and value == round(value) else value
