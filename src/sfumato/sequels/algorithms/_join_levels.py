"""What the check of a join holds: classes of the earlier releases, values on X, and the worst of them by group."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.kernels.arrays import Codes, Floats, Ints
from sfumato.sequels._matching import Classes

__all__ = ["Levels", "Tree1", "XEntry"]


@frozen(eq=False)
class Levels:
    """The worst values on X of some groups: the largest share of a protected value on Y, and the least of what k counts."""

    share: Floats
    count: Ints

    @classmethod
    def room(cls, groups: int) -> Levels:
        """Return levels that say nothing yet."""
        return cls(np.zeros(groups), np.full(groups, np.iinfo(np.int64).max, np.int64))

    def grown(self, groups: int) -> Levels:
        """Return the same levels with room for more groups."""
        more = Levels.room(max(groups - len(self.share), 0))
        return Levels(np.concatenate([self.share, more.share]), np.concatenate([self.count, more.count]))


@frozen(eq=False)
class Tree1:
    """The earlier releases put together: classes ("atoms") by join attributes, values on X and on Y; they never change."""

    atoms: Classes
    x: Codes
    x_at: Ints
    y: Codes


@dataclass
class XEntry:
    """A value on X: how many joined rows have it, and how many of them each protected value on Y."""

    rows: int = 0
    values: dict[Hashable, int] = field(default_factory=dict)
