"""Distinct l-diversity: every group holds at least l different sensitive values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Bound, Numbers, TableTraits, at_least
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.models.sensitive_model import SensitiveModel

__all__ = ["DistinctLDiversity", "most_groups"]


class DistinctLDiversity(SensitiveModel):
    """Every group holds at least l different sensitive values.

    With ``m(g)`` the number of different sensitive values in group ``g``, the requirement is ``m(g) >= l`` for every group.
    It implies l-anonymity, and it does not bound how sure an adversary may become: 99 of 100 records may share a value.

    Adversary: knows the quasi-identifier of a person who is in the table and looks for that person's sensitive value.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"Hepatitis": 2, "HIV": 1}, {"Flu": 1, "HIV": 3}], column="Disease")
    >>> verdict = DistinctLDiversity(l=2, sensitive="Disease").check(groups)
    >>> verdict.satisfied, verdict.strongest
    (True, 2)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.1.
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", 2007,
    doi:10.1145/1217299.1217302.
    """

    id: ClassVar[str] = "l-diversity-distinct"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record", "attribute"}),
        evaluation="group",
        closed_under_merge=True,
        violations_shrink_under_merge=True,
        sensitive="categorical",
    )
    adversary: ClassVar[str] = say("adversary.l-diversity-distinct")
    level: ClassVar[str] = "l"

    l: int = param(ge=1, doc="smallest number of different sensitive values in a group")

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the number of different sensitive values of each group."""
        return self.histogram(groups).distinct()

    def bound(self) -> Bound:
        """Each group needs at least l values."""
        return at_least(self.l)

    def least_size(self) -> int:
        """Return l: as many records as values."""
        return self.l

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the values that the adversary still has to choose from, with their shares."""
        size = int(groups.sizes[group])
        return {"shares": {value: count / size for value, count in self.histogram(groups).row(group).items()}}

    def necessary(self, records: int) -> str | None:
        """A table of fewer than l records cannot hold l values."""
        return f"l={self.l} is larger than the number of records, {records}" if records < self.l else None

    def most_groups(self, groups: GroupStats) -> int:
        """Return how many groups a release of the same records could have at most; see :func:`most_groups`."""
        self.histogram(groups)
        return most_groups(groups.whole_table(self.sensitive).tolist(), self.l)


def most_groups(counts: Mapping[Hashable, int] | Sequence[int], l: int) -> int:
    """Return into how many groups a table can be cut at most so that each holds l different sensitive values.

    ``counts`` says how often each sensitive value occurs. A group needs l different values and ``g`` groups can use a value
    at most ``g`` times, so ``g`` groups are possible iff ``sum over values of min(count, g) >= l * g``. Returns the largest
    such ``g``; 0 if not even one group is possible. Worth asking before a search: a rare value limits everything.

    >>> most_groups({"HIV": 5, "Flu": 995}, l=2)
    5
    """
    if isinstance(l, bool) or not isinstance(l, int) or l < 1:
        raise BadRequest("must be a whole number >= 1", parameter="l", value=l)
    given = list(counts.values()) if isinstance(counts, Mapping) else list(counts)
    if any(count < 0 for count in given):
        raise BadRequest("counts must not be negative", parameter="counts")
    held = np.asarray(given, np.int64)
    # sum(min(count, g)) - l * g is concave in g and 0 at g = 0, so the possible g form a run that starts there.
    low, high = 0, int(held.sum()) // l
    while low < high:
        middle = (low + high + 1) // 2
        if int(np.minimum(held, middle).sum()) >= l * middle:
            low = middle
        else:
            high = middle - 1
    return low
