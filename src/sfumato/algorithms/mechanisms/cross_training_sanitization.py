"""Cross-training sanitization: one half of the records says how much noise the other half needs."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.algorithms.mechanisms._isolation import refuse_few
from sfumato.algorithms.mechanisms._isolation_algorithm import IsolationAlgorithm, moving_traits
from sfumato.algorithms.mechanisms._procedures import only_procedure
from sfumato.algorithms.mechanisms._recursive_cells import sides_at
from sfumato.contracts.algorithm import AlgorithmTraits, Outcome, Task
from sfumato.contracts.facts import MechanismFacts
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.errors import Infeasible
from sfumato.models.c_t_isolation import CTIsolation
from sfumato.searches.grouping import records_of
from sfumato.searches.points import points_of, scales_of

__all__ = ["CrossTrainingSanitization"]


class CrossTrainingSanitization(IsolationAlgorithm):
    """Records are halved at random; the histogram of one half says how much noise each record of the other half gets.

    The quasi-identifiers must be numbers; records are points. Half B is cut into a recursive histogram (boxes of at
    most 2t points, as in ``recursive-histogram``). A record of half A gets Gaussian noise whose standard deviation in
    each column is ``scale`` times the side of the box of B that holds it (a box without points of B is not cut
    further), or of the nearest one if it lies outside. So the noise of a record does not depend on any other record of
    its own half and gives nothing away about them. Then the halves change places, and every record is published once.
    Whole numbers are rounded and declared ranges kept. Other columns are published as they are.

    t is that of the requirement ``c-t-isolation``; whether the release isolates more records than guesses without it is
    measured before publishing and may rise by ``rise`` at most. Nobody can repeat that without the input. There is no
    formal guarantee.

    The release is a ``perturbed-table``: **not truthful at record level**. The facts hold ``mean_side`` (the average
    standard deviation by column) and the ``isolation`` found.

    Examples
    --------
    >>> import sfumato
    >>> table = sfumato.from_rows(["x", "y"], [(float(i % 7), float(i // 7)) for i in range(49)])
    >>> policy = {
    ...     "columns": {"x": {"role": "quasi-identifier"}, "y": {"role": "quasi-identifier"}},
    ...     "requirements": [{"id": "c-t-isolation", "c": 4, "t": 3}],
    ...     "algorithm": CrossTrainingSanitization(rise=0.1).spec(),
    ...     "seed": 7,
    ... }
    >>> release = sfumato.anonymize(table, policy)
    >>> release.table.rows, release.certificate["release"]["truthful"]
    (49, False)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.1.3.3.
    Chawla, Dwork, McSherry, Smith, Wee, "Toward privacy in public databases", 2005, doi:10.1007/978-3-540-30576-7_20.
    """

    id: ClassVar[str] = "cross-training-sanitization"
    traits: ClassVar[AlgorithmTraits] = moving_traits("records times depth")

    scale: float = param(default=1.0, gt=0, doc="standard deviation of the noise, in sides of the box")
    max_depth: int = param(default=16, ge=1, doc="how often a side may be halved")
    distance: str = param(
        default="scaled",
        choices=("scaled", "euclidean"),
        doc="distances of the audit, with or without dividing each column by its range",
    )

    def run(self, task: Task, run: Run) -> Outcome:
        """Halve the records, move each half by the histogram of the other, audit and build the release."""
        model = only_procedure(task, self, CTIsolation)
        names = task.qids
        points = points_of(records_of(task, self.id), names)
        refuse_few(points, model.t, model.id)
        if len(points) < 2:
            raise Infeasible(
                "two halves need at least two records", measured=len(points), bound=2, requirement=model.id
            )
        order = run.rng.permutation(len(points))
        halves = (np.sort(order[: len(points) // 2]), np.sort(order[len(points) // 2 :]))
        sides = np.empty_like(points)
        for half, other in (halves, halves[::-1]):
            sides[half] = sides_at(points[half], points[other], 2 * model.t, max_depth=self.max_depth, progress=run)
        moved = points + run.rng.normal(size=points.shape) * sides * self.scale
        unit = scales_of(points, names, task.attributes, self.distance)
        return self.published(
            task,
            moved,
            unit,
            run,
            settings={"scale": self.scale, "max_depth": self.max_depth},
            facts=MechanismFacts(mean_side=dict(zip(names, (sides.mean(axis=0) * self.scale).tolist(), strict=True))),
        )
