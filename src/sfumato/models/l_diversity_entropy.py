"""Entropy l-diversity: in every group the entropy of the sensitive value is at least log(l)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Bound, Numbers, TableTraits, at_least
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Floats
from sfumato.models.sensitive_model import Counterexamples, SensitiveModel, fewest_records

__all__ = ["EntropyLDiversity"]


class EntropyLDiversity(SensitiveModel):
    """In every group the entropy of the sensitive value is at least log(l).

    With ``p_s(g)`` the share of the value ``s`` in group ``g``: ``-sum_s p_s(g) log p_s(g) >= log l``, in any base of the
    logarithm. The measured value of a group is ``exp(entropy)``, the number of equally frequent values that would be as
    uncertain. The whole table must reach l too, so a table with one very frequent value cannot have a large l.

    Adversary: knows the quasi-identifier of a person who is in the table and looks for that person's sensitive value.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"Hepatitis": 2, "HIV": 1}, {"Flu": 1, "HIV": 3}], column="Disease")
    >>> verdict = EntropyLDiversity(l=1.7, sensitive="Disease").check(groups)
    >>> verdict.satisfied, round(verdict.strongest, 4)
    (True, 1.7548)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.1, equation 2.1.
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", 2007,
    doi:10.1145/1217299.1217302.
    """

    id: ClassVar[str] = "l-diversity-entropy"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record", "attribute"}),
        evaluation="group",
        closed_under_merge=True,
        violations_shrink_under_merge=False,
        sensitive="categorical",
    )
    counterexamples: ClassVar[Counterexamples] = {
        "violations_shrink_under_merge": (
            GroupStats.from_histograms([{"s0": 30}, {"s0": 5, "s1": 5}], column="Disease"),
            [0, 0],
        )
    }
    adversary: ClassVar[str] = say("adversary.l-diversity-entropy")
    level: ClassVar[str] = "l"

    l: float = param(ge=1, doc="number of equally frequent sensitive values that a group must be worth")

    def entropy(self, groups: GroupStats) -> Floats:
        """Return the entropy of the sensitive value in each group, in nats."""
        histogram, sizes = self.histogram(groups), groups.sizes
        if len(sizes) == 0:
            return np.empty(0, np.float64)
        weighted = np.add.reduceat(histogram.count * np.log(histogram.count), histogram.start[:-1])
        # Never below 0: the difference of two equal logarithms may round to less.
        return np.asarray(np.maximum(np.log(sizes) - weighted / sizes, 0.0), np.float64)

    def measure(self, groups: GroupStats) -> Numbers:
        """Return exp(entropy) of each group."""
        return np.exp(self.entropy(groups))

    def bound(self) -> Bound:
        """Each group must reach l; the slack applies to whole l too, because logarithms are rounded."""
        return at_least(float(self.l))

    def least_size(self) -> int:
        """Return l rounded up: a group is worth at most as many values as it has records."""
        return fewest_records(self.l)

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the entropy and the shares that the adversary sees."""
        size, row = int(groups.sizes[group]), self.histogram(groups).row(group)
        shares = {value: count / size for value, count in row.items()}
        entropy = max(0.0, -sum(share * float(np.log(share)) for share in shares.values()))
        return {"entropy": entropy, "shares": shares}

    def necessary(self, records: int) -> str | None:
        """A table of fewer than l records cannot hold l values."""
        return f"l={self.l:g} is larger than the number of records, {records}" if records < self.least_size() else None
