"""Metrics on baskets: what they read, the baskets before and after masking side by side."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sfumato.contracts.metric import ReleaseMetric
from sfumato.data.frozen import frozen
from sfumato.data.tree import Tree
from sfumato.kernels.arrays import Codes
from sfumato.transactions.baskets import Baskets

__all__ = ["BasketMetric", "Masked"]


@frozen(eq=False)
class Masked:
    """Baskets before and after masking, in the same order."""

    before: Baskets
    after: Baskets

    @property
    def tree(self) -> Tree | None:
        """The taxonomy, where there is one."""
        return self.before.tree

    @cached_property
    def public(self) -> Codes:
        """The places in ``before.codes`` of public items: what may be masked."""
        return np.flatnonzero(~self.before.is_private[self.before.codes]).astype(np.int32)

    @cached_property
    def shown(self) -> Codes:
        """What is published for each public occurrence: a code of ``after``, -1 if it was left out.

        The item itself if the basket still holds it, or the lowest node above it that the basket holds.
        """
        before, after = self.before, self.after
        width = max(len(after.items), 1)
        held = after.owners * np.int64(width) + after.codes  # rising
        owners, codes = before.owners[self.public], before.codes[self.public]
        out = np.full(len(codes), -1, np.int32)
        labels = [before.climb(name) for name in before.items]
        for height in range(max(map(len, labels), default=0)):
            code = np.array([after.code_of.get(path[height], -1) if height < len(path) else -1 for path in labels])[
                codes
            ]
            open_ = np.flatnonzero((out < 0) & (code >= 0))
            wanted = owners[open_] * np.int64(width) + code[open_]
            at = np.minimum(np.searchsorted(held, wanted), max(len(held) - 1, 0))
            found = open_[held[at] == wanted] if len(held) else open_[:0]
            out[found] = code[found]
        return out

    @property
    def is_generalization(self) -> bool:
        """Whether every public item is shown by itself or a node above it, and every shown one covers an item of its basket."""
        if (self.shown < 0).any():
            return False
        after = self.after
        held = np.unique(self.before.owners[self.public] * np.int64(max(len(after.items), 1)) + self.shown)
        return len(held) == int((~after.is_private[after.codes]).sum())


class BasketMetric(ReleaseMetric[Masked]):
    """Scores masked baskets beside those before."""
