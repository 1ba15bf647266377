"""Density-based perturbation: every point moves by about the distance to its t-th neighbour."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.algorithms.mechanisms._isolation import neighbour_reach, refuse_few
from sfumato.algorithms.mechanisms._isolation_algorithm import IsolationAlgorithm, moving_traits
from sfumato.algorithms.mechanisms._procedures import only_procedure
from sfumato.contracts.algorithm import AlgorithmTraits, Outcome, Task
from sfumato.contracts.facts import MechanismFacts
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.models.c_t_isolation import CTIsolation
from sfumato.searches.grouping import records_of
from sfumato.searches.points import points_of, scales_of

__all__ = ["DensityPerturbation"]


class DensityPerturbation(IsolationAlgorithm):
    """Every record moves by about the distance to its t-th neighbour: little in dense places, far where it is alone.

    The quasi-identifiers must be numbers; records are points in d columns. With ``rho`` the distance of a record to its
    t-th nearest other one, spherical Gaussian noise of standard deviation ``scale rho / sqrt(d)`` in each column is
    added, so that the expected squared distance moved is ``(scale rho)^2``. Whole numbers are rounded and declared
    ranges kept. Other columns are published as they are. How far points lie apart in the release tells roughly how far
    they lay apart before.

    t is that of the requirement ``c-t-isolation``; whether the release isolates more records than guesses without it is
    measured before publishing and may rise by ``rise`` at most. Nobody can repeat that without the input. There is no
    formal guarantee.

    The release is a ``perturbed-table``: **not truthful at record level**, sums and means stay within the noise. The
    facts hold ``mean_move`` (in the unit of the distance) and the ``isolation`` found.

    Examples
    --------
    >>> import sfumato
    >>> table = sfumato.from_rows(["x", "y"], [(float(i % 7), float(i // 7)) for i in range(49)])
    >>> policy = {
    ...     "columns": {"x": {"role": "quasi-identifier"}, "y": {"role": "quasi-identifier"}},
    ...     "requirements": [{"id": "c-t-isolation", "c": 4, "t": 3}],
    ...     "algorithm": DensityPerturbation(rise=0.1).spec(),
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

    id: ClassVar[str] = "density-perturbation"
    traits: ClassVar[AlgorithmTraits] = moving_traits("one search for neighbours per record")

    scale: float = param(default=1.0, gt=0, doc="how far records move, in distances to their t-th neighbour")
    distance: str = param(
        default="scaled",
        choices=("scaled", "euclidean"),
        doc="Euclidean distance, with or without dividing each column by its range",
    )

    def run(self, task: Task, run: Run) -> Outcome:
        """Move the points, audit them and build the release."""
        model = only_procedure(task, self, CTIsolation)
        names = task.qids
        points = points_of(records_of(task, self.id), names)
        refuse_few(points, model.t, model.id)
        unit = scales_of(points, names, task.attributes, self.distance)
        near = points / unit
        sigma = self.scale * neighbour_reach(near, model.t) / np.sqrt(len(names))
        moved = near + run.rng.normal(size=near.shape) * sigma[:, None]
        still = int((sigma == 0).sum())
        return self.published(
            task,
            moved * unit,
            unit,
            run,
            settings={"scale": self.scale, "distance": self.distance},
            facts=MechanismFacts(mean_move=float(np.sqrt(((moved - near) ** 2).sum(axis=1)).mean())),
            notes=[say("warning.unmoved", still=still, t=model.t)] if still else [],
        )
