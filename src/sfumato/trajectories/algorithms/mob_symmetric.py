"""Symmetric anonymization: who hides behind somebody also hides that one."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.algorithm import SearchTraits
from sfumato.contracts.run import Run
from sfumato.trajectories.algorithms._hiding import Hidden, MobSearch, Near, classes_of, refuse_too_few
from sfumato.trajectories.moving_objects import MovingObjects
from sfumato.trajectories.releases.region_paths import RegionPaths

__all__ = ["MobSymmetric"]


class MobSymmetric(MobSearch):
    """Each object hides among k or more, and every one of these hides among others that include it.

    ``HS(O) = {O}`` at first. In the order of objects: while ``|HS(O)| < k``, the nearest object that is not in it joins, and O
    joins the hiding set of each of its members. At each t the sets HS(O) with ``t in QID(O)`` that share an object are merged
    into classes, whose members get the smallest box around them.

    Examples
    --------
    >>> objects = MovingObjects.of({"A": [(2, 1)], "B": [(3, 6)], "C": [(2, 2)], "D": [(4, 5)]})
    >>> MobSymmetric().hide(objects, 2).sets
    ((0, 2), (1, 3), (0, 2), (1, 3))

    References
    ----------
    Yarovoy, Bonchi, Lakshmanan, Wang, "Anonymizing moving objects: how to hide a MOB in a crowd?", 2009,
    doi:10.1145/1516360.1516370.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.4.2.
    """

    id: ClassVar[str] = "mob-symmetric"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release=RegionPaths.id,
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="objects squared x times that may be known; less on the Hilbert curve",
    )

    def hide(self, objects: MovingObjects, k: int, run: Run | None = None) -> Hidden:
        """Return the hiding sets, their times, and the classes."""
        refuse_too_few(objects, k)
        near = Near(objects, self.distance)
        sets: list[set[int]] = [{one} for one in range(len(objects))]
        for one, own in enumerate(sets):
            if run is not None:
                run.checkpoint()
            for other in near.nearest(one, k - len(own), sorted(own - {one})):
                own.add(other)
                sets[other].add(one)
        ordered = tuple(tuple(sorted(own)) for own in sets)
        return Hidden(ordered, objects.qid, classes_of(objects, ordered, objects.qid))
