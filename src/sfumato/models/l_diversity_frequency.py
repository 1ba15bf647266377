"""Frequency l-diversity: in every group the most frequent sensitive value has a share of at most 1/l."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sfumato.contracts.model import Bound, Numbers, TableTraits, at_least
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.groups.stats import GroupStats
from sfumato.models.sensitive_model import Counterexamples, SensitiveModel, fewest_records

__all__ = ["FrequencyLDiversity"]


class FrequencyLDiversity(SensitiveModel):
    """In every group the most frequent sensitive value has a share of at most 1/l.

    With ``p_s(g)`` the share of the value ``s`` in group ``g``: ``max_s p_s(g) <= 1/l``. The measured value of a group is
    ``1 / max_s p_s(g)``, the l that it reaches. It is confidence bounding with ``h = 1/l`` on every value, and what "l-diverse"
    means for anatomized tables and as a case of LKC-privacy. It implies the entropy and the distinct variant.

    Adversary: knows the quasi-identifier of a person who is in the table and guesses the most frequent sensitive value.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"Hepatitis": 2, "HIV": 2}, {"Flu": 1, "HIV": 2}], column="Disease")
    >>> verdict = FrequencyLDiversity(l=2, sensitive="Disease").check(groups)
    >>> verdict.satisfied, verdict.strongest, verdict.violations[0].witness["value"]
    (False, 1.5, 'HIV')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 2.2.6 and 3.2.
    Xiao, Tao, "Anatomy: simple and effective privacy preservation", 2006.
    """

    id: ClassVar[str] = "l-diversity-frequency"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record", "attribute"}),
        evaluation="group",
        closed_under_merge=True,
        violations_shrink_under_merge=False,
        sensitive="categorical",
    )
    # Nine records violate; merged with ten that do not, all nineteen do.
    counterexamples: ClassVar[Counterexamples] = {
        "violations_shrink_under_merge": (
            GroupStats.from_histograms([{"s0": 9}, {"s0": 5, "s1": 5}], column="Disease"),
            [0, 0],
        )
    }
    adversary: ClassVar[str] = say("adversary.l-diversity-frequency")
    level: ClassVar[str] = "l"

    l: float = param(ge=1, doc="one sensitive value may make up at most 1/l of a group")

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the l of each group: its size over the count of its most frequent value."""
        return groups.sizes / self.histogram(groups).largest()

    def bound(self) -> Bound:
        """Each group must reach l."""
        return at_least(self.l)

    def least_size(self) -> int:
        """Return l rounded up: even one record each is a share of 1/size."""
        return fewest_records(self.l)

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the most frequent value and its share, the adversary's certainty."""
        row = self.histogram(groups).row(group)
        value = max(row, key=lambda known: row[known])
        return {"value": value, "share": row[value] / int(groups.sizes[group])}

    def necessary(self, records: int) -> str | None:
        """A table of fewer than l records cannot hold l values."""
        return f"l={self.l:g} is larger than the number of records, {records}" if records < self.least_size() else None
