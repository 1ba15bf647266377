"""(c, t)-isolation: an adversary must not point at a place where one person stands nearly alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.contracts.engine import Table
from sfumato.contracts.model import Audit, MechanismModel, ModelTraits, at_most
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools, Floats, Ints

__all__ = ["CTIsolation", "Isolation", "average_guesses", "nearest_guesses"]

Points = Table | npt.ArrayLike

SLACK = 1e-9
CELLS = 1 << 22


@frozen
class Isolation:
    """One guess at one victim: how far off it is, how many points lie in the ball around it, and whether they are few."""

    distance: float
    points_in_ball: int
    isolates: bool


class CTIsolation(MechanismModel):
    """An adversary must not point at a place where one person stands nearly alone.

    Records are points. A guess q at the point p of a victim (c, t)-isolates it iff the closed ball around q with radius
    ``c |q - p|`` holds fewer than t points of the table. Distances are Euclidean; the victim counts, and so does every copy of
    a point. A guess that isolates for (c, t) isolates for every smaller c and larger t.

    It is a tool of evaluation: a release is good if the share of victims that the best guesses isolate does not rise with
    it. An audit compares the two shares, so ``measured`` is that rise and the bound is 0.

    Adversary: knows some coordinates of the victim and guesses the others from the release.

    Examples
    --------
    >>> model = CTIsolation(c=2, t=3)
    >>> points = [[0, 0], [1, 0], [0, 1], [5, 5], [6, 5], [5, 6], [20, 20]]
    >>> model.isolation(points, [19, 20], 6)
    Isolation(distance=1.0, points_in_ball=1, isolates=True)
    >>> audit = model.audit(points, released=points, known=[0])
    >>> audit.satisfied, audit.witness["isolated_with"], audit.witness["isolated_without"]
    (False, 5, 2)
    >>> bool(model.audit(points, released=[[3, 3]] * 6 + [[20, 20]], known=[0]))
    True

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.4.1.
    Chawla, Dwork, McSherry, Smith, Wee, "Toward privacy in public databases", 2005, doi:10.1007/978-3-540-30576-7_20.
    """

    id: ClassVar[str] = "c-t-isolation"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"record", "probabilistic"}), evaluation="mechanism")
    adversary: ClassVar[str] = say("adversary.c-t-isolation")

    c: float = param(ge=1, doc="radius of the ball, in distances between the guess and the victim")
    t: int = param(ge=1, doc="fewer points than this in the ball isolate the victim")

    def isolation(self, points: Points, guess: Sequence[float], victim: int) -> Isolation:
        """Return what one guess does to the victim in row ``victim`` of the points."""
        held = _points(points, "points")
        if not 0 <= victim < len(held):
            raise BadRequest(f"must be a row number from 0 to {len(held) - 1}", parameter="victim", value=victim)
        (aimed,) = _points([guess], "guess", width=held.shape[1])
        away = _lengths(held - aimed)
        inside = int((away <= self._radius(away[victim])).sum())
        return Isolation(float(away[victim]), inside, inside < self.t)

    def isolated(self, points: Points, guesses: Points, victims: Sequence[int] | None = None) -> Bools:
        """Tell for each victim (all points if not given) whether its guess, in the same row of ``guesses``, isolates it."""
        held = _points(points, "points")
        rows = np.arange(len(held)) if victims is None else np.asarray(victims, np.int64)
        if len(rows) == 0 or rows.min() < 0 or rows.max() >= len(held):
            raise BadRequest(f"must be row numbers from 0 to {len(held) - 1}", parameter="victims")
        aimed = _points(guesses, "guesses", width=held.shape[1])
        if len(aimed) != len(rows):
            raise BadRequest("needs one guess for each victim", parameter="guesses", value=len(aimed))
        if self.t > len(held):
            return np.ones(len(rows), np.bool_)
        # Fewer than t points in the ball: the t-th nearest point lies outside.
        reach = _reach(held, aimed, self.t)
        found: Bools = reach > self._radius(_lengths(aimed - held[rows]))
        return found

    def audit(
        self,
        points: Points,
        *,
        released: Points | None = None,
        known: Sequence[int | str] | None = None,
        guesses: Points | None = None,
        guesses_without: Points | None = None,
        columns: Sequence[str] | None = None,
        standardise: bool = False,
    ) -> Audit:
        """Compare the share of victims that are isolated with a release and without it.

        ``points`` and ``released`` are arrays, or tables of which ``columns`` are taken (all if not given). The adversary knows
        the coordinates ``known`` of the victim. With the release it guesses the published point that is nearest in these,
        without it the known coordinates and the average of the others; ``guesses`` and ``guesses_without``, one for each
        point, replace either. ``standardise`` divides every coordinate by its standard deviation in the table.
        """
        names = _names(points, columns)
        held = _points(points, "points", names)
        width = held.shape[1]
        unit = _unit(held) if standardise else np.ones(width)
        held = held / unit
        if guesses is not None:
            aimed = _points(guesses, "guesses", names, width) / unit
        elif released is not None:
            shown = _points(released, "released", names, width) / unit
            aimed = nearest_guesses(held, shown, _known(known, names, width))
        else:
            raise BadRequest("give a release or the guesses of an adversary", parameter="released")
        if guesses_without is not None:
            before = _points(guesses_without, "guesses_without", names, width) / unit
        else:
            before = average_guesses(held, _known(known, names, width))
        after, without = self.isolated(held, aimed), self.isolated(held, before)
        rise = (int(after.sum()) - int(without.sum())) / len(held)
        witness = {
            "victims": len(held),
            "isolated_with": int(after.sum()),
            "isolated_without": int(without.sum()),
            "share_with": float(after.mean()),
            "share_without": float(without.mean()),
            "newly_isolated": int((after & ~without).sum()),
        }
        return self.audited(rise, at_most(0), witness)

    def _radius(self, distance: Floats) -> Floats:
        # The slack keeps points on the rim inside, whatever the rounding; the victim lies on it for c = 1.
        return self.c * distance * (1 + SLACK)


def nearest_guesses(points: Points, released: Points, known: Sequence[int]) -> Floats:
    """Return for each point the published point that is nearest in the known coordinates; of equally near ones the first.

    >>> nearest_guesses([[0, 0], [9, 9]], [[1, 5], [8, 7]], known=[0]).tolist()
    [[1.0, 5.0], [8.0, 7.0]]
    """
    held = _points(points, "points")
    published = _points(released, "released", width=held.shape[1])
    seen = _known(known, None, held.shape[1])
    chosen: Floats = published[_nearest(published[:, seen], held[:, seen])]
    return chosen


def average_guesses(points: Points, known: Sequence[int]) -> Floats:
    """Return for each point its known coordinates and the average of the others.

    >>> average_guesses([[0, 0], [9, 8]], known=[0]).tolist()
    [[0.0, 4.0], [9.0, 4.0]]
    """
    held = _points(points, "points")
    seen = _known(known, None, held.shape[1])
    out = np.tile(held.mean(axis=0), (len(held), 1))
    out[:, seen] = held[:, seen]
    return out


# ---- points --------------------------------------------------------------------------------------------------------------


def _names(source: Points, columns: Sequence[str] | None) -> tuple[str, ...] | None:
    if not isinstance(source, Table):
        return None
    return tuple(source.columns if columns is None else columns)


def _points(source: Points, parameter: str, names: Sequence[str] | None = None, width: int | None = None) -> Floats:
    """Return points as an array, one row each; refuse what is not a finite number."""
    if isinstance(source, Table):
        source = _rows(source, tuple(source.columns) if names is None else names)
    try:
        held = np.asarray(source, np.float64)
    except (TypeError, ValueError):
        raise BadRequest("must be rows of numbers, all of the same length", parameter=parameter) from None
    if held.ndim != 2 or held.size == 0:
        raise BadRequest("must be at least one row of at least one number", parameter=parameter)
    if not np.isfinite(held).all():
        raise BadRequest("must not be missing or infinite", parameter=parameter)
    if width is not None and held.shape[1] != width:
        raise BadRequest(f"must have {width} coordinates", parameter=parameter, value=held.shape[1])
    return held


def _rows(table: Table, names: Sequence[str]) -> list[tuple[float, ...]]:
    missing = table.missing()
    for name in names:
        if name not in table.types:
            raise BadRequest("is not a column of the table", column=name, value=name, available=table.columns)
        if not table.types[name].numeric:
            raise BadRequest("must be a column of numbers", column=name, value=str(table.types[name]))
        if missing[name]:
            raise BadRequest("must not be missing", column=name, value=missing[name])
    return table.select(list(names)).to_rows()


def _known(known: Sequence[int | str] | None, names: Sequence[str] | None, width: int) -> list[int]:
    """Return the positions of the known coordinates, given by position or, of a table, by name."""
    available: list[int | str] = list(range(width)) if names is None else list(names)
    if not known:
        raise BadRequest(
            "say which coordinates of a victim the adversary knows", parameter="known", available=available
        )
    for entry in known:
        if entry not in available:
            raise BadRequest("is not a coordinate of the points", parameter="known", value=entry, available=available)
    return [available.index(entry) for entry in known]


def _unit(held: Floats) -> Floats:
    """Return the standard deviation of each coordinate; 1 where all points agree."""
    spread: Floats = held.std(axis=0)
    return np.where(spread > 0, spread, 1.0)


def _lengths(vectors: Floats) -> Floats:
    lengths: Floats = np.sqrt((vectors**2).sum(axis=-1))
    return lengths


def _chunks(points: Floats, queries: Floats) -> Iterator[Floats]:
    """Yield the distances between queries and all points, some queries at a time."""
    step = max(1, CELLS // points.size)
    for start in range(0, len(queries), step):
        yield _lengths(queries[start : start + step, None, :] - points[None, :, :])


def _tree(points: Floats) -> Any:
    """Return a k-d tree if the library for it is installed; counting is the same without, only slower."""
    try:
        spatial = import_module("scipy.spatial")
    except ModuleNotFoundError:
        return None
    return spatial.KDTree(points, balanced_tree=False)


def _reach(points: Floats, queries: Floats, count: int) -> Floats:
    """Return the distance from each query to its ``count``-th nearest point; equal queries are looked for once."""
    queries, number = np.unique(queries, axis=0, return_inverse=True)
    tree = _tree(points)
    if tree is not None:
        found: Floats = tree.query(queries, k=[count])[0][:, 0]
    else:
        found = np.concatenate([np.partition(away, count - 1)[:, count - 1] for away in _chunks(points, queries)])
    return found[number.reshape(-1)]


def _nearest(points: Floats, queries: Floats) -> Ints:
    """Return the row of the point nearest to each query; of equally near ones the first; equal queries are looked for once."""
    queries, number = np.unique(queries, axis=0, return_inverse=True)
    distinct, first = np.unique(points, axis=0, return_index=True)
    # In order of their first row, so that the first of the distinct points is the first of all.
    order = np.argsort(first)
    distinct, first = distinct[order], first[order]
    tree = _tree(distinct)
    if tree is None:
        rows = np.concatenate([away.argmin(axis=1) for away in _chunks(distinct, queries)])
    else:
        near = tree.query_ball_point(queries, tree.query(queries)[0] * (1 + SLACK) + np.finfo(float).tiny)
        rows = np.array([_first(distinct, query, sorted(found)) for query, found in zip(queries, near, strict=True)])
    chosen: Ints = first[rows][number.reshape(-1)]
    return chosen


def _first(points: Floats, query: Floats, rows: list[int]) -> int:
    return rows[int(_lengths(points[rows] - query).argmin())] if len(rows) > 1 else rows[0]
