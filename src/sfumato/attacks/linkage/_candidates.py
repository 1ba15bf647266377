"""The published records that may be a victim's, all together: the union of the groups that cover her values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np

from sfumato.attacks._matching import look_up_one
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.data.frozen import frozen
from sfumato.kernels.arrays import Ints

__all__ = ["Candidates", "candidates"]


@frozen(eq=False)
class Candidates:
    """The groups that cover a victim, their number of records, and the share of each sensitive value among them."""

    groups: Ints
    size: int
    shares: Mapping[Hashable, float]


def candidates(seen: Seen, knowledge: TableKnowledge, victim: Mapping[str, Hashable]) -> Candidates:
    """Look up a victim by her values in the columns that are linked by; there is a column to learn."""
    covering = look_up_one(seen, knowledge, victim)
    histogram = seen.groups(knowledge).histograms[knowledge.secret]
    counts = histogram.taken(covering).per_value()
    size = int(counts.sum())
    shares = {histogram.values[code]: float(counts[code] / size) for code in np.flatnonzero(counts).tolist()}
    return Candidates(covering, size, shares)
