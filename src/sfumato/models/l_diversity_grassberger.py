"""Entropy l-diversity by Grassberger's estimator: few records are no proof that few values are all there are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Bound, Numbers, TableTraits, at_least
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Floats, Ints
from sfumato.models.sensitive_model import Counterexamples, SensitiveModel

__all__ = ["GrassbergerLDiversity"]


class GrassbergerLDiversity(SensitiveModel):
    """In every group the entropy of the sensitive value, estimated as Grassberger does, is at least log(l).

    A group of n records in which the values occur ``f_s`` times is seen as a sample, from which Shannon's formula
    underestimates the entropy. The estimate is ``H = G(n) - (1/n) sum_s f_s G(f_s)`` with
    ``G(2j) = G(2j + 1) = -gamma - ln 2 + 2 sum_{i=1..j} 1/(2i - 1)``; a group is worth ``exp(H)`` values, and needs l.

    **It is looser than** ``l-diversity-entropy`` **for small groups**: two records with different values count as 7.39. And it
    is not kept when groups are merged: two groups of the same two values, once each, hold for l = 3, and together they are
    worth 1.95. So only searches that do not rely on merging take it; what counts for an adversary who sees the group as it
    is, is ``l-diversity-entropy``. ARX offers it, but sums up in the order of a hash table and stops early.

    Adversary: knows the quasi-identifier of a person who is in the table and looks for that person's sensitive value.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"Flu": 1, "HIV": 1}, {"Flu": 2, "HIV": 2}], column="Disease")
    >>> GrassbergerLDiversity(l=3, sensitive="Disease").measure(groups).round(4).tolist()
    [7.3891, 1.9477]

    References
    ----------
    Grassberger, "Entropy estimates from insufficient samplings", 2003, arXiv:physics/0307138.
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", 2007,
    doi:10.1145/1217299.1217302.
    """

    id: ClassVar[str] = "l-diversity-grassberger"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record", "attribute"}),
        evaluation="group",
        closed_under_merge=False,
        violations_shrink_under_merge=False,
        sensitive="categorical",
    )
    counterexamples: ClassVar[Counterexamples] = {
        name: (GroupStats.from_histograms([{"s0": 1, "s1": 1}, {"s0": 1, "s1": 1}], column="Disease"), [0, 0])
        for name in ("closed_under_merge", "violations_shrink_under_merge")
    }
    adversary: ClassVar[str] = say("adversary.l-diversity-grassberger")
    level: ClassVar[str] = "l"

    l: float = param(ge=1, doc="number of equally frequent sensitive values that a group must be worth, as estimated")

    def entropy(self, groups: GroupStats) -> Floats:
        """Return the estimate of each group, in nats."""
        histogram, sizes = self.histogram(groups), groups.sizes
        if len(sizes) == 0:
            return np.empty(0, np.float64)
        if histogram.count.dtype.kind == "f":
            raise BadRequest(f"{self.id} counts whole records, and no weights", parameter="weights")
        table = _table(int(sizes.max()).bit_length())
        held = np.add.reduceat(histogram.count * table[histogram.count], histogram.start[:-1])
        return np.asarray(table[sizes] - held / sizes, np.float64)

    def measure(self, groups: GroupStats) -> Numbers:
        """Return exp(entropy) of each group."""
        return np.exp(self.entropy(groups))

    def bound(self) -> Bound:
        """Each group must reach l; the slack applies to whole l too, because logarithms are rounded."""
        return at_least(float(self.l))

    def least_size(self) -> int:
        """Return the size from which different values alone are worth l."""
        size, worth = 1, 0.0
        while not self.bound().holds(np.exp([worth])).all():
            size += 1 if size == 1 else 2  # an odd number is worth as much as the even one below it
            worth += 2 / (size - 1)
        return size

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the shares that the adversary sees."""
        size = int(groups.sizes[group])
        return {"shares": {value: count / size for value, count in self.histogram(groups).row(group).items()}}


@cache
def _table(bits: int) -> Floats:
    """Return G of every number below a power of two."""
    numbers: Ints = np.arange(1, 1 << max(bits - 1, 0), dtype=np.int64)
    sums = np.concatenate([[0.0], np.cumsum(2 / (2 * numbers - 1))])
    return np.asarray(np.repeat(sums, 2) - np.euler_gamma - np.log(2), np.float64)
