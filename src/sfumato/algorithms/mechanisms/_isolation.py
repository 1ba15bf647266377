"""What sanitizers of points share: the points in one scale, how far the t-th neighbour is, and the audit of the release."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import numpy as np

from sfumato.contracts.algorithm import Attribute
from sfumato.contracts.columns import arrow_of, made
from sfumato.contracts.engine import Table
from sfumato.contracts.model import Audit, at_most
from sfumato.contracts.progress import Progress
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.errors import BadRequest, Infeasible
from sfumato.kernels.arrays import Floats
from sfumato.models.c_t_isolation import CTIsolation
from sfumato.searches.points import declared_ranges

__all__ = ["isolation_audit", "isolation_notes", "moved_table", "neighbour_reach", "refuse_few"]

_CELLS = 1 << 22


def refuse_few(points: Floats, t: int, requirement: str) -> None:
    """Refuse a table with fewer points than have to be near."""
    if t > len(points):
        raise Infeasible(
            f"t={t} is larger than the number of records, {len(points)}",
            measured=len(points),
            bound=t,
            requirement=requirement,
        )


def neighbour_reach(points: Floats, t: int) -> Floats:
    """Return the distance from each point to its t-th nearest other point; copies of a point are others at distance 0.

    >>> neighbour_reach(np.array([[0.0], [1.0], [5.0]]), 1).tolist()
    [1.0, 1.0, 4.0]
    """
    if t >= len(points):
        raise Infeasible(
            f"t={t} needs more than {t} records, the table has {len(points)}", measured=len(points), bound=t + 1
        )
    try:
        tree = import_module("scipy.spatial").KDTree(points, balanced_tree=False)
    except ModuleNotFoundError:
        step = max(1, _CELLS // points.size)
        parts = []
        for start in range(0, len(points), step):
            away = ((points[start : start + step, None, :] - points[None, :, :]) ** 2).sum(axis=2)
            parts.append(np.sqrt(np.partition(away, t, axis=1)[:, t]))
        return np.concatenate(parts)
    found: Floats = tree.query(points, k=[t + 1])[0][:, 0]
    return found


def isolation_audit(
    model: CTIsolation,
    points: Floats,
    released: Floats,
    columns: Sequence[str],
    known: Sequence[str] | None,
    rise: float,
    progress: Progress | None = None,
) -> Audit:
    """Compare the victims that are isolated with the release and without it; the worst of what an adversary may know.

    An adversary knows the columns ``known`` of a victim, or each column alone if none are named, guesses the published
    point that is nearest in these, and without the release the average of the other columns. ``rise`` is the largest share
    of victims by which the release may raise the isolated ones.
    """
    for name in known or ():
        if name not in columns:
            raise BadRequest("is not a column of the points", parameter="known", value=name, available=columns)
    tried = [list(known)] if known else [[name] for name in columns]
    worst: Audit | None = None
    for at, names in enumerate(tried):
        if progress is not None:
            progress.tick(at / len(tried), f"auditing what follows from {', '.join(names)}")
        audit = model.audit(points, released=released, known=[columns.index(name) for name in names])
        if worst is None or audit.measured > worst.measured:
            worst = model.audited(audit.measured, at_most(float(rise)), {**audit.witness, "known": tuple(names)})
    assert worst is not None
    if not worst.satisfied:
        raise Infeasible(
            f"the release would isolate {worst.measured:.2%} more of the records than guesses without it, at most "
            f"{rise:.2%} may be; take a larger t, or allow it with the parameter rise",
            measured=worst.measured,
            bound=rise,
            requirement=model.id,
        )
    return worst


def isolation_notes(columns: Sequence[str]) -> list[str]:
    """Return what a publisher should know about the audit."""
    if len(columns) > 1:
        return []
    return [say("warning.one_column")]


def moved_table(raw: Table, columns: Sequence[str], points: Floats, attributes: Sequence[Attribute]) -> Table:
    """Return the table with these columns replaced, sorted; whole numbers are rounded, declared ranges are kept."""
    declared = declared_ranges(attributes)
    held = arrow_of(raw, raw.columns)
    out = {name: held.column(name) for name in raw.columns}
    for at, name in enumerate(columns):
        low, high = declared.get(name, (-np.inf, np.inf))
        moved = np.clip(points[:, at], low, high)
        whole = raw.types[name] is ColumnType.INTEGER
        out[name] = np.clip(np.round(moved), np.ceil(low), np.floor(high)).astype(np.int64) if whole else moved
    return made(out, raw.home).sort()
