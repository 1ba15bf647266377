"""Recursive histogram: space is cut in halves where many records lie, and only boxes with counts are published."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.algorithms.mechanisms._isolation import isolation_audit, isolation_notes, refuse_few
from sfumato.algorithms.mechanisms._isolation_algorithm import IsolationAlgorithm
from sfumato.algorithms.mechanisms._procedures import only_procedure
from sfumato.algorithms.mechanisms._recursive_cells import recursive_cells
from sfumato.contracts.algorithm import ROWS_IN_MEMORY, AlgorithmTraits, Outcome, Task
from sfumato.contracts.facts import MechanismFacts
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.models.c_t_isolation import CTIsolation
from sfumato.releases.histogram_release import HistogramRelease
from sfumato.searches.grouping import left_out, records_of
from sfumato.searches.points import declared_ranges, points_of

__all__ = ["RecursiveHistogram"]

LISTED = 6


class RecursiveHistogram(IsolationAlgorithm):
    """Space is cut in the middle of every side where more than 2t records lie; boxes and counts are published.

    The quasi-identifiers must be numbers; records are points. The box of the declared ranges (of the observed ones,
    where a column declares none) is cut at the midpoint of all d sides into ``2^d`` boxes, and so is every box with
    more than 2t points; a point on a midpoint goes up. Boxes without a point are not published: they are what the
    others leave free. Where more than 2t points are equal, the cuts end at ``max_depth`` and a note says so.

    t is that of the requirement ``c-t-isolation``. What cannot be promised by form alone is measured before publishing:
    the share of records that an adversary isolates who knows some columns of a victim and guesses the centre of the
    nearest box, against guesses without the release; it may rise by ``rise`` at most. The certificate says so; nobody
    can repeat that without the input. In many dimensions boxes are mostly empty, and hold few records: use few columns.

    The release is a ``histogram-release``: counts are **true**, and no record is published; counts can be as small as
    1. The facts hold ``cells`` (with the empty ones, up to six columns), ``non_empty_cells`` and ``depth``.

    Examples
    --------
    >>> import sfumato
    >>> rows = [(1, 1), (1, 2), (2, 1), (2, 3), (3, 3), (6, 6), (7, 7), (6, 1)]
    >>> table = sfumato.from_rows(["x", "y"], rows)
    >>> policy = {
    ...     "columns": {name: {"role": "quasi-identifier", "range": [0, 8]} for name in ("x", "y")},
    ...     "requirements": [{"id": "c-t-isolation", "c": 2, "t": 1}],
    ...     "algorithm": RecursiveHistogram().spec(),
    ... }
    >>> release = sfumato.anonymize(table, policy)
    >>> release.table.to_rows()[-1], release.private.facts["non_empty_cells"]
    ((4, 8, 4, 8, 2), 6)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.1.3.3.
    Chawla, Dwork, McSherry, Smith, Wee, "Toward privacy in public databases", 2005, doi:10.1007/978-3-540-30576-7_20.
    """

    id: ClassVar[str] = "recursive-histogram"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="none",
        release="histogram-release",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        model_needs=(),
        numeric_without_hierarchy=True,
        suppresses_records=False,
        cost="records times depth",
        works_on="rows",
        most_rows=ROWS_IN_MEMORY,
    )

    max_depth: int = param(default=16, ge=1, doc="how often a side may be halved")

    def run(self, task: Task, run: Run) -> Outcome:
        """Cut the space, audit the boxes and build the release."""
        model = only_procedure(task, self, CTIsolation)
        raw, names = records_of(task, self.id), task.qids
        points = points_of(raw, names)
        refuse_few(points, model.t, model.id)
        declared = declared_ranges(task.attributes)
        low = [
            float(declared[name][0]) if name in declared else float(points[:, at].min())
            for at, name in enumerate(names)
        ]
        high = [
            float(declared[name][1]) if name in declared else float(points[:, at].max())
            for at, name in enumerate(names)
        ]
        listed = len(names) <= LISTED
        cells = recursive_cells(points, low, high, 2 * model.t, max_depth=self.max_depth, empty=listed, progress=run)
        width = np.where(np.array(high) > np.array(low), np.array(high) - np.array(low), 1.0)
        full = np.flatnonzero(cells.counts > 0)
        centres = ((cells.low + cells.high) / 2)[full]
        audit = isolation_audit(model, points / width, centres / width, names, self.known, self.rise, run)
        boxes = {
            int(at): list(zip(cells.low[at].tolist(), cells.high[at].tolist(), strict=True)) for at in full.tolist()
        }
        warnings = [*left_out(task, self.id, names), *isolation_notes(names)]
        observed = [name for name in names if name not in declared]
        if observed:
            warnings.append(say("warning.extremes_published", names=", ".join(observed)))
        if cells.crowded:
            warnings.append(say("warning.crowded", crowded=cells.crowded, most=2 * model.t))
        return Outcome(
            built=HistogramRelease.build(raw, cells.cell, names, boxes=boxes),
            audits=(audit,),
            warnings=warnings,
            facts=MechanismFacts(
                cells=[
                    [[list(side) for side in zip(begin, end, strict=True)], count]
                    for begin, end, count in zip(
                        cells.low.tolist(), cells.high.tolist(), cells.counts.tolist(), strict=True
                    )
                ],
                non_empty_cells=len(full),
                depth=cells.depth,
                isolation=dict(audit.witness),
            ),
        )
