"""Pictures of paths: where and when points are left, and how long paths are."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from sfumato.contracts.picture import Bars, Cells, Curves, Line, Picture
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.kernels.arrays import Ints
from sfumato.trajectories.attack import TrajectoryKnowledge
from sfumato.trajectories.attacks.unicity_curve import UnicityCurve, UnicityShares
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["pictures_of", "suppressed_of", "unicity_of"]

_PLACES = 30
_TIMES = 48
_FEW = 5


def pictures_of(after: Trajectories, before: Trajectories | None) -> list[Picture]:
    """Return the grid of published points by place and time, and the lengths of paths, beside those before masking.

    Pages that stay in the house hold no value of a single person: of the paths before, only places and cells of several.
    """
    out: list[Picture] = []
    shown = after if before is None else before
    names = _busiest(shown, 1 if before is None else _FEW)
    labels, _ = _columns(shown)
    if names and labels:
        kept = _counts(after, names, labels, shown)
        out.append(
            Cells(
                title=say("trails.grid"),
                rows=names,
                columns=labels,
                values=kept.tolist(),
                caption=say("trails.grid_of"),
            )
        )
        if before is not None:
            held = _counts(before, names, labels, shown)
            lost = np.where(held >= _FEW, 1 - kept / np.maximum(held, 1), np.nan)
            values = [[None if np.isnan(one) else one for one in row] for row in lost.tolist()]
            out.append(
                Cells(
                    title=say("trails.lost_grid"),
                    rows=names,
                    columns=labels,
                    values=values,
                    caption=say("trails.lost_grid_of"),
                )
            )
    longest = int(max(shown.lengths.max(initial=0), 0))
    width = max(1, -(-(longest + 1) // 25))
    bins = longest // width + 1
    spans = [str(at) if width == 1 else f"{at * width}-{at * width + width - 1}" for at in range(bins)]
    sizes = [np.bincount(one.lengths // width, minlength=bins).tolist() for one in (after, before) if one is not None]
    out.append(
        Bars(
            title=say("trails.lengths_of_paths"),
            labels=spans,
            after=sizes[0],
            before=sizes[1] if before is not None else None,
        )
    )
    return out


def suppressed_of(after: Trajectories, before: Trajectories) -> list[Picture]:
    """Return how many pairs nobody has any more, by place and hour; a cell is told if several points are lost there."""
    gone = [pair for pair in before.pairs if pair not in after.code_of]
    if not gone:
        return []
    hours, column = _hours(before)
    places = sorted({pair.place for pair in gone})
    row, at = {name: at for at, name in enumerate(places)}, {moment: at for at, moment in enumerate(before.moments)}
    pairs, points = np.zeros((2, len(row), len(hours)), np.int64)
    for pair in gone:
        cell = row[pair.place], int(column[at[pair.time]])
        pairs[cell] += 1
        points[cell] += before.supports[before.code_of[pair]]
    told = np.where(points >= _FEW, pairs, 0)
    shown = [one for one in np.argsort(-told.sum(axis=1), kind="stable")[:_PLACES].tolist() if told[one].any()]
    if not shown:
        return []
    return [
        Cells(
            title=say("trails.suppressed"),
            caption=say("trails.suppressed_of", count=len(gone), few=_FEW),
            rows=[places[one] for one in sorted(shown)],
            columns=hours,
            values=[[one or None for one in told[at].tolist()] for at in sorted(shown)],
        )
    ]


def unicity_of(after: Trajectories, before: Trajectories | None) -> list[Picture]:
    """Return the share of persons whom nobody shares 1, 2, ... points with that are drawn at random: unicity."""
    lines = []
    for paths in (after, before):
        if paths is None or not len(paths.places):
            continue
        # A page is the same each time it is made: what is drawn protects nobody.
        found = UnicityCurve(sample=2_000).on(paths, TrajectoryKnowledge(), Run(rng=np.random.default_rng(20130325)))
        assert isinstance(found.details, UnicityShares)
        points = [(float(one.points), one.alone) for one in found.details.curve]
        name = say("trails.unicity_after") if paths is after else say("trails.unicity_before")
        lines.append(Line(name=name, points=points, before=paths is not after))
    if not lines:
        return []
    return [
        Curves(
            title=say("trails.unicity"),
            caption=say("trails.unicity_caption"),
            across=say("trails.unicity_points"),
            up=say("trails.unicity_share"),
            lines=lines,
        )
    ]


def _busiest(paths: Trajectories, least: int) -> list[str]:
    """Return the names of the places with most points, and no fewer than so many, by name."""
    counts = np.bincount(paths.places, minlength=len(paths.names))
    chosen = np.argsort(-counts, kind="stable")[:_PLACES]
    return [paths.names[at] for at in sorted(chosen.tolist()) if counts[at] >= least]


def _hours(paths: Trajectories) -> tuple[list[str], Ints]:
    """Return the hours of the day, and that of each time; where times have none, what they are."""
    hours = [one.hour for one in paths.moments if isinstance(one, datetime)]
    if len(hours) < len(paths.moments):
        return _columns(paths)
    return [f"{hour:02}" for hour in range(24)], np.array(hours, np.int64)


def _columns(paths: Trajectories) -> tuple[list[str], Ints]:
    """Return labels of times, and the label of each: hours of the day where times are many, or runs of them."""
    if len(paths.moments) <= _TIMES:
        return [to_text(one) for one in paths.moments], np.arange(len(paths.moments))
    hours = {one.hour for one in paths.moments if isinstance(one, datetime)}
    if len(hours) > 1 and all(isinstance(one, datetime) for one in paths.moments):
        return _hours(paths)
    run = np.arange(len(paths.moments)) * 24 // len(paths.moments)
    first = np.searchsorted(run, np.arange(24))
    return [to_text(paths.moments[at]) for at in first.tolist()], run


def _counts(paths: Trajectories, names: Sequence[str], labels: Sequence[str], shown: Trajectories) -> Ints:
    """Return how many points are at each place and time that is shown."""
    row = {name: at for at, name in enumerate(names)}
    rows = np.array([row.get(name, -1) for name in paths.names], np.int64)
    _, column = _columns(shown)
    columns = {moment: int(column[at]) for at, moment in enumerate(shown.moments)}
    own = np.array([columns.get(moment, -1) for moment in paths.moments], np.int64)
    if not len(paths.places):
        return np.zeros((len(names), len(labels)), np.int64)
    at, when = rows[paths.places], own[paths.times]
    there = (at >= 0) & (when >= 0)
    flat = np.bincount(at[there] * len(labels) + when[there], minlength=len(names) * len(labels))
    return flat.reshape(len(names), len(labels)).astype(np.int64)
