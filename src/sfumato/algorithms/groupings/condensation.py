"""Condensation: groups of near records are reduced to their moments, and records are drawn from these."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np

from sfumato.algorithms.groupings._condensing import condense, condense_stream
from sfumato.contracts.algorithm import ROWS_COMPARED, Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.columns import linked
from sfumato.contracts.facts import GroupFacts
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import Infeasible
from sfumato.estimates.moments import Moments
from sfumato.releases.condensed_table import CondensedTable
from sfumato.searches.grouping import group_size, left_out, records_of
from sfumato.searches.points import declared_ranges, points_of, scales_of

__all__ = ["Condensation"]


class Condensation(Algorithm):
    """Groups of at least k near records are reduced to mean and covariance, and new records are drawn from these.

    Quasi-identifiers and sensitive columns must be numbers and are condensed together. *Static*: a random record and its
    ``k - 1`` nearest become a group until fewer than k are left; these join the group with the nearest mean. *Streamed*
    (``stream=True``): records come in the order of the table, each joins the group with the nearest mean, and a group
    that reaches 2k is split into two of k along its first principal axis, by its moments alone; no record is kept. Either
    way a group stands for k to 2k - 1 records. Of each group only the count, the sums and the sums of products remain
    (:class:`~sfumato.estimates.moments.Moments`). As many rows as it has records are drawn for it, uniformly along each
    principal axis with the variance of the group. Means and covariances of the whole table are kept up to sampling,
    rounding of whole numbers, and declared ranges, at whose ends values stop.

    The release is a ``condensed-table``: drawn rows, and the sizes of the groups. **It is not truthful at record level**:
    a row belongs to nobody. k is that of k-anonymity, and at least 2: it says that a row was drawn from at least k
    records, not that no row equals one. Groups without variance give copies, which a note counts. Other requirements are
    refused. Plain columns and the target are not published.

    The facts hold ``groups``, ``smallest_group``, ``groups_without_variance`` and ``moments`` (count, mean and covariance
    of each group).

    Adversary: knows the quasi-identifiers of a person and looks for the record. Who knows the seed can take the drawing
    back: it stays private, and is fresh if the policy names none. Cost: ``n^2 / k`` static, ``n`` times the number of
    groups streamed.

    Examples
    --------
    >>> import sfumato
    >>> policy = {
    ...     "columns": {"Age": {"role": "quasi-identifier"}, "Income": {"role": "sensitive"}},
    ...     "requirements": [{"id": "k-anonymity", "k": 3}],
    ...     "algorithm": Condensation().spec(),
    ...     "seed": 7,
    ... }
    >>> rows = [(20 + i, 100.0 * i + i % 7) for i in range(20)]
    >>> release = sfumato.anonymize(sfumato.from_rows(["Age", "Income"], rows), policy)
    >>> release.table.rows, release.certificate["guarantee"], release.certificate["release"]["truthful"]
    (20, {'smallest_group': 3}, False)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 3.3.3 and 5.1.3.1.
    Aggarwal, Yu, "A condensation approach to privacy preserving data mining", 2004.
    """

    id: ClassVar[str] = "condensation"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="none",
        release="condensed-table",
        optimal=False,
        deterministic=False,
        truthful=False,
        anytime=False,
        model_needs=("by_size_alone",),
        numeric_without_hierarchy=True,
        suppresses_records=False,
        cost="records squared over k; streamed: records times groups",
        works_on="rows",
        most_rows=ROWS_COMPARED,
    )

    stream: bool = param(default=False, doc="read records one by one and keep moments only, splitting groups at 2k")
    distance: str = param(
        default="scaled",
        choices=("scaled", "euclidean"),
        doc="Euclidean distance, with or without dividing each column by its range",
    )

    def run(self, task: Task, run: Run) -> Outcome:
        """Condense the records and draw the release."""
        raw = records_of(task, self.id)
        k = max(2, group_size(task, self.id, ["tdr"]))
        names = (*task.qids, *task.sensitive)
        points = points_of(raw, names)
        if len(points) < k:
            raise Infeasible(
                f"k={k} is larger than the number of records, {len(points)}; no group can be made",
                measured=len(points),
                bound=k,
                requirement=task.models[0].id if task.models else None,
            )
        ranges = declared_ranges(task.attributes)
        scale = scales_of(points, names, task.attributes, self.distance)
        origin = points.mean(axis=0)
        near = (points - origin) / scale
        settings = {"k": k, "stream": self.stream, "distance": self.distance}
        types = {name: raw.types[name] for name in names}
        groups = None
        if self.stream:
            moments = condense_stream(near, k, run)
        else:
            groups = condense(near, k, run.rng, run)
            moments = Moments.of(near, groups)
        built = CondensedTable.drawn(
            moments,
            types,
            run.rng,
            origin=origin,
            scale=scale,
            ranges=ranges,
            settings=settings,
            engine=raw.home,
            linking=None if groups is None else partial(linked, raw, names, groups),
        )
        covariance = moments.covariance * np.multiply.outer(scale, scale)
        # A variance is the difference of sums that are exact to some 1e-16 of the squared spread of the column.
        variances = np.einsum("gii->gi", moments.covariance)
        flat = int((variances <= 1e-12 * np.ptp(near, axis=0) ** 2).all(axis=1).sum())
        warnings = left_out(task, self.id, names)
        warnings.append(say("warning.rows_drawn"))
        if flat:
            warnings.append(say("warning.flat_groups", flat=flat, groups=len(moments)))
        if len(names) >= k:
            warnings.append(say("warning.singular", columns=len(names), k=k))
        return Outcome(
            built=built,
            warnings=warnings,
            facts=GroupFacts(
                groups=len(moments),
                smallest_group=int(moments.count.min()),
                groups_without_variance=flat,
                moments={
                    "count": moments.count.tolist(),
                    "mean": (moments.mean * scale + origin).tolist(),
                    "covariance": covariance.tolist(),
                },
            ),
        )
