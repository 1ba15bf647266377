"""r-gather: clusters of at least r records with a nearly least radius; centre, size and radius are published."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.algorithms.groupings._gathering import Gathered, gather, gather_most
from sfumato.contracts.algorithm import ROWS_COMPARED, Algorithm, AlgorithmTraits, Outcome, Task, suppression_budget
from sfumato.contracts.columns import arrow_of, made
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import GroupFacts
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.groups.distinct import distinct_rows
from sfumato.kernels.arrays import Floats, Ints
from sfumato.releases.cluster_release import ClusterRelease
from sfumato.searches.grouping import group_size, left_out, records_of
from sfumato.searches.points import points_of, scales_of

__all__ = ["RGather"]

# In a cluster of more distinct points than this the best centre is not looked for; the one of the search stays.
_MOST_TRIED = 4096


class RGather(Algorithm):
    """Clusters of at least r records with a radius of at most twice the least possible; centres are published, not records.

    All quasi-identifiers are numbers and make a space; r is the k of k-anonymity. Let OPT be the smallest possible
    largest radius of clusters of at least r records around records. For a length L, points that are more than L apart are
    picked as centres until all are covered, and a maximum flow gives r records within L to each of them, no record twice;
    what is left goes to the nearest centre. This succeeds for every ``L >= 2 OPT``, and a search between failure and
    success ends at an ``L <= 2 OPT``: **the radius is at most 2 OPT**.

    (r,ε)-gather leaves out up to ``floor(ε n)`` records. The least L is taken at which all but so many have r records
    within L; full balls become clusters and the others join the nearest centre: **the radius is at most 4 OPT**. ε is
    ``epsilon``, or ``limits.suppress_at_most`` of the policy; it may not exceed that limit.

    The release is a ``cluster-release``: number of the cluster, centre, size, radius, and the sensitive values of each
    cluster. What it says is true of every record of a cluster, none of which is published but the centres. A centre is a
    record; with ``centre="mean"`` it is nobody's, and the radius around it may be up to twice as large. At most one
    sensitive column is listed; plain columns and the target are not published.

    The facts hold ``radius`` (around centres that are records), ``optimum_at_least``, a lower bound of OPT that the
    search proves, ``guarantee`` (2 or 4), ``clusters`` and ``records_suppressed``.

    Adversary: knows the quasi-identifiers of a person and looks for the record. Cost: centres times distinct points for
    each of some dozen lengths; with ε the square of the distinct points.

    Examples
    --------
    >>> import sfumato
    >>> policy = {
    ...     "columns": {"X": {"role": "quasi-identifier"}, "Disease": {"role": "sensitive"}},
    ...     "requirements": [{"id": "k-anonymity", "k": 2}],
    ...     "algorithm": RGather(distance="euclidean").spec(),
    ... }
    >>> rows = [(0, "Flu"), (1, "HIV"), (2, "Flu"), (9, "Flu"), (11, "HIV")]
    >>> release = sfumato.anonymize(sfumato.from_rows(["X", "Disease"], rows), policy)
    >>> sorted(row[1:] for row in release.tables["clusters"].to_rows())
    [(1.0, 3, 1.0), (9.0, 2, 2.0)]
    >>> release.private.facts["radius"], release.private.facts["optimum_at_least"]
    (2.0, 1.0)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.1.3.2.
    Aggarwal, Feder, Kenthapadi, Khuller, Panigrahy, Thomas, Zhu, "Achieving anonymity via clustering", 2006.
    """

    id: ClassVar[str] = "r-gather"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="clusters",
        release="cluster-release",
        optimal=False,
        deterministic=False,
        truthful=True,
        anytime=False,
        model_needs=("by_size_alone",),
        numeric_without_hierarchy=True,
        suppresses_records=True,
        cost="centres times distinct points for each of some dozen lengths",
        works_on="rows",
        most_rows=ROWS_COMPARED,
    )

    epsilon: float | None = param(
        default=None,
        ge=0,
        lt=1,
        doc="share of records that may be left out as outliers; limits.suppress_at_most if not given",
    )
    distance: str = param(
        default="scaled",
        choices=("scaled", "euclidean"),
        doc="Euclidean distance, with or without dividing each column by its range",
    )
    centre: str = param(default="member", choices=("member", "mean"), doc="whether a centre is a record or the mean")

    def run(self, task: Task, run: Run) -> Outcome:
        """Cluster the records and build the release; only the numbers of clusters are drawn."""
        raw = records_of(task, self.id)
        r = group_size(task, self.id, ["tdr"])
        sensitive = self._sensitive(task)
        points = points_of(raw, task.qids)
        leave = self._leave(task, len(points), r)
        scales = scales_of(points, task.qids, task.attributes, self.distance)
        distinct, place = distinct_rows(points / scales)
        weights = np.bincount(place)
        found = gather_most(distinct, weights, r, leave, run) if leave else gather(distinct, weights, r, run)
        cluster = _of_records(found, place, run.rng)
        numbers = run.rng.permutation(len(found.centres)) + 1
        kept = np.flatnonzero(cluster >= 0)
        table = raw if len(kept) == raw.rows else _rows(raw, kept, (*task.qids, *([sensitive] if sensitive else [])))
        groups = numbers[cluster[kept]]
        centres, radius = _centres(found, groups, numbers, place[kept], distinct)
        built = ClusterRelease.build(
            table,
            groups,
            task.qids,
            sensitive,
            scales=None if self.distance == "euclidean" else scales.tolist(),
            centre="mean" if self.centre == "mean" else "member",
            centres=None if self.centre == "mean" else centres,
        )
        gone = raw.rows - len(kept)
        warnings = left_out(task, self.id, (*task.qids, *([sensitive] if sensitive else [])))
        if gone:
            warnings.append(say("records.outliers", count=gone, share=gone / raw.rows))
        if self.centre == "member":
            warnings.append(say("caution.centre"))
        return Outcome(
            built=built,
            warnings=warnings,
            facts=GroupFacts(
                radius=radius,
                optimum_at_least=found.length / 2,
                guarantee=4 if leave else 2,
                clusters=len(found.centres),
                records_suppressed=gone,
            ),
        )

    def _sensitive(self, task: Task) -> str | None:
        if len(task.sensitive) > 1:
            raise Unsupported(
                f"{self.id} lists the values of one sensitive column by cluster, there are {len(task.sensitive)}: "
                f"{', '.join(task.sensitive)}",
                thing=self.id,
            )
        return next(iter(task.sensitive), None)

    def _leave(self, task: Task, records: int, r: int) -> int:
        """Return how many records may be left out."""
        if self.epsilon is not None and self.epsilon > task.suppress_at_most:
            raise BadRequest(
                f"must be at most limits.suppress_at_most of the policy, {task.suppress_at_most:g}",
                parameter=f"{self.id}.epsilon",
                value=self.epsilon,
            )
        share = task.suppress_at_most if self.epsilon is None else self.epsilon
        if share >= 1:
            raise BadRequest("must be below 1", parameter="limits.suppress_at_most", value=share)
        leave = suppression_budget(share, records)
        if records - leave < r:
            raise Infeasible(
                f"r={r} is larger than the number of records without the outliers that may be left out, {records - leave}",
                measured=records - leave,
                bound=r,
                requirement=task.models[0].id if task.models else None,
            )
        return leave


def _of_records(found: Gathered, place: Ints, rng: np.random.Generator) -> Ints:
    """Return the cluster of each record, -1 for outliers; which of equal records goes where is drawn."""
    out = np.full(len(place), -1, np.int64)
    drawn = rng.permutation(len(place))
    records = drawn[np.argsort(place[drawn], kind="stable")]  # point by point
    by_point = np.lexsort((found.cluster, found.point))
    inside = np.isin(place[records], found.point)
    out[records[inside]] = np.repeat(found.cluster[by_point], found.records[by_point])
    return out


def _rows(table: Table, kept: Ints, columns: tuple[str, ...]) -> Table:
    held = arrow_of(table, columns)
    return made({name: held.column(name).take(kept) for name in columns}, table.home)


def _centres(found: Gathered, groups: Ints, numbers: Ints, place: Ints, points: Floats) -> tuple[dict[int, int], float]:
    """Return a record in the middle of each cluster and the largest radius around these.

    The middle is the point from which the farthest is nearest, where clusters are small enough to try all.
    """
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)[1:]
    members = np.split(order, np.cumsum(sizes)[:-1])
    centres, largest = {}, 0.0
    of_number = np.empty(len(numbers), np.int64)
    of_number[numbers - 1] = np.arange(len(numbers))
    for number, inside in enumerate(members, start=1):
        own, first = np.unique(place[inside], return_index=True)
        chosen = int(found.centres[of_number[number - 1]])
        tried = own if len(own) <= _MOST_TRIED else np.array([chosen])
        best = np.inf
        for point in tried.tolist():
            far = float(np.sqrt(((points[own] - points[point]) ** 2).sum(axis=1)).max())
            if far < best:
                best, chosen = far, point
        centres[number] = int(inside[first[np.searchsorted(own, chosen)]])
        largest = max(largest, best)
    return centres, largest
