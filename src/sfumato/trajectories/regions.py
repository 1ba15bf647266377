"""Regions: for each object and time a box of grid cells in which it is somewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from sfumato.contracts.model import Model
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools, Ints
from sfumato.trajectories.moving_objects import MovingObjects
from sfumato.trajectories.trajectories import Moment

__all__ = ["Box", "Cloaked", "RegionModel", "Regions"]

Box = tuple[tuple[int, int], tuple[int, int]]
"""The first and the last cell of a box: ``((x1, y1), (x2, y2))``, both inside."""


@frozen(eq=False, repr=False)
class Regions:
    """Boxes of whole cells by object and time: from ``low[i, t]`` to ``high[i, t]``, each x and y, where ``seen[i, t]``.

    Examples
    --------
    >>> regions = Regions.of({"O1": [((2, 1), (2, 2)), ((6, 2), (6, 2))]})
    >>> regions.areas.tolist()
    [[2, 1]]
    """

    low: Ints
    high: Ints
    seen: Bools
    times: tuple[Moment | str, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, boxes: Mapping[str, Sequence[Box | None]], times: Sequence[Moment | str] | None = None) -> Regions:
        """Return regions from a list of boxes for each object, one for each time; ``None`` where it was not seen."""
        lengths = {len(one) for one in boxes.values()}
        if len(lengths) > 1 or (times is not None and lengths - {len(times)}):
            raise BadRequest("must have one box of every object for each time", parameter="boxes")
        width = next(iter(lengths), 0)
        nowhere = ((0, 0), (-1, -1))
        flat = np.array([nowhere if box is None else box for path in boxes.values() for box in path], np.int64)
        held = flat.reshape(len(boxes), width, 2, 2)
        seen = np.array([box is not None for path in boxes.values() for box in path], np.bool_).reshape(
            len(boxes), width
        )
        if (held[:, :, 0] > held[:, :, 1])[seen].any():
            raise BadRequest("a box ends before it begins", parameter="boxes")
        named = tuple(range(width)) if times is None else tuple(times)
        return cls(held[:, :, 0], held[:, :, 1], seen, named, tuple(boxes))

    @classmethod
    def around(cls, objects: MovingObjects) -> Regions:
        """Return boxes of the one cell in which each object is; coordinates must be whole numbers."""
        both = np.stack((objects.x, objects.y), axis=2)
        if (both[objects.seen] != np.rint(both[objects.seen])).any():
            raise BadRequest("must be whole numbers of cells: give the width of a cell", parameter="cell")
        cells = np.where(objects.seen[:, :, None], np.nan_to_num(both), 0).astype(np.int64)
        return cls(cells, cells.copy(), objects.seen, objects.times, objects.names)

    def __len__(self) -> int:
        return len(self.low)

    def __repr__(self) -> str:
        return f"Regions({len(self):,} objects, {len(self.times):,} times)"

    @cached_property
    def areas(self) -> Ints:
        """How many cells each box has: ``(x2 - x1 + 1) (y2 - y1 + 1)``; 0 where nothing was seen."""
        return np.where(self.seen, (self.high - self.low + 1).prod(axis=2), 0)

    def middles(self, cell: float = 1.0) -> MovingObjects:
        """Return the middles of the boxes as points; a cell is so wide."""
        middle = np.where(self.seen[:, :, None], (self.low + self.high + 1) * (cell / 2), np.nan)
        return MovingObjects(middle[:, :, 0], middle[:, :, 1], self.times, self.names)


@frozen(eq=False, repr=False)
class Cloaked:
    """Where individuals were, as far as it is told, beside the regions that are published of them, in the same order.

    ``individuals`` are boxes of one cell where the raw points are at hand. Who has the release alone takes the published
    regions themselves: whatever is found then holds for the true points too, which lie in them. ``known`` says at which times
    an adversary may know where each was: QID(O).
    """

    individuals: Regions
    published: Regions
    known: Bools

    @classmethod
    def of(cls, raw: MovingObjects, published: Regions) -> Cloaked:
        """Return raw objects on whole cells beside their regions; refuse what does not fit together."""
        if raw.names != published.names or raw.times != published.times:
            raise BadRequest("regions must be of the same objects at the same times", parameter="published")
        found = cls(Regions.around(raw), published, raw.qid)
        if (found.known & ~published.seen).any():
            raise BadRequest("a time that may be known has no region", parameter="published")
        return found

    def __len__(self) -> int:
        return len(self.published)

    def __repr__(self) -> str:
        return f"Cloaked({len(self):,} objects)"


class RegionModel(Model[Cloaked]):
    """A requirement that can be read from published regions."""
