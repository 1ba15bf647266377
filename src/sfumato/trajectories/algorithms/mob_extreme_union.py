"""Extreme union: each object hides among its nearest at all times that may be known of any of them."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import SearchTraits
from sfumato.contracts.run import Run
from sfumato.trajectories.algorithms._hiding import Hidden, MobSearch, classes_of, refuse_too_few
from sfumato.trajectories.moving_objects import MovingObjects
from sfumato.trajectories.releases.region_paths import RegionPaths

__all__ = ["MobExtremeUnion"]


class MobExtremeUnion(MobSearch):
    """Each object hides among its k - 1 nearest at every time in the quasi-identifier of any of them.

    ``AG(O)``: O and the k - 1 others with the least ``sum over t in QID(O) of dist_t(O, O')``, ties to the first; ``T(O)``: the
    union of ``QID(O')`` over ``AG(O)``. At each t the sets AG(O) with ``t in T(O)`` that share an object are merged into
    classes, and all members of a class get the smallest box around them; who is in no class keeps the exact cell. Merging by
    QID(O) alone, as the definition of the book says, would leave people re-identified (its Table 14.8).

    ``distance: hilbert`` takes differences of places on the Hilbert curve and finds the nearest by the threshold algorithm.

    Examples
    --------
    >>> objects = MovingObjects.of({"A": [(2, 1)], "B": [(3, 6)], "C": [(2, 2)], "D": [(4, 5)]})
    >>> MobExtremeUnion().hide(objects, 2).classes.tolist()
    [[0, 1, 0, 1]]

    References
    ----------
    Yarovoy, Bonchi, Lakshmanan, Wang, "Anonymizing moving objects: how to hide a MOB in a crowd?", 2009,
    doi:10.1145/1516360.1516370.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.4.2.
    """

    id: ClassVar[str] = "mob-extreme-union"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release=RegionPaths.id,
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="objects squared x times that may be known; less on the Hilbert curve",
    )

    def hide(self, objects: MovingObjects, k: int, run: Run | None = None) -> Hidden:
        """Return the groups of the nearest, the union of their times, and the classes."""
        refuse_too_few(objects, k)
        sets = self.nearest_groups(objects, k, run)
        held = np.array([objects.qid[list(members)].any(axis=0) for members in sets]).reshape(objects.qid.shape)
        return Hidden(sets, held, classes_of(objects, sets, held))
