"""Information loss of regions: how much less likely it is to hit the cell where an object is."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.data.frozen import frozen
from sfumato.errors import Unsupported
from sfumato.trajectories.metric import Masked, TrajectoryMetric
from sfumato.trajectories.regions import Regions

__all__ = ["MaskedByRegions", "MobInformationLoss"]


@frozen(eq=False)
class MaskedByRegions(Masked):
    """Paths before and after masking, with the regions that are published of them."""

    regions: Regions


class MobInformationLoss(TrajectoryMetric):
    """The sum over all objects and times of ``1 - 1 / area``, the area in cells: 0 for exact positions.

    The book prints ``1 - area`` summed from j = i on; what is meant is how much less likely it is to hit the true cell. The
    largest value is the number of published regions.

    Examples
    --------
    >>> regions = Regions.of({"O1": [((2, 1), (2, 2)), ((6, 2), (6, 2))]})
    >>> MobInformationLoss().measure(regions).value
    0.5

    References
    ----------
    Yarovoy, Bonchi, Lakshmanan, Wang, "Anonymizing moving objects: how to hide a MOB in a crowd?", 2009,
    doi:10.1145/1516360.1516370.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.4.1.
    """

    id: ClassVar[str] = "mob-information-loss"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    def measure(self, published: Masked | Regions) -> Measured:
        regions = published.regions if isinstance(published, MaskedByRegions) else published
        if not isinstance(regions, Regions):
            raise Unsupported(f"{self.id} measures regions, and points were published", thing=self.id)
        areas = regions.areas[regions.seen]
        return Measured(self.id, float((1 - 1 / areas).sum()), lowest=0.0, highest=float(np.size(areas)))
