"""(X,Y)-anonymity: every value on X goes together with at least k different values on Y."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sfumato.contracts.model import Bound, Numbers, TableTraits, at_least
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.groups.stats import GroupStats
from sfumato.models._xy_model import XYModel

__all__ = ["XYAnonymity"]


class XYAnonymity(XYModel):
    """Every value on X goes together with at least k different values on Y.

    ``a_Y(x)`` is the number of different values on Y among the records with ``x`` on X, ``A_Y(X)`` the smallest over all
    ``x`` that occur. The requirement holds iff ``A_Y(X) >= k``. X is ``qid``, Y is ``y`` and disjoint from it.

    With Y a key it is k-anonymity on X; with Y a sensitive column it is distinct l-diversity with ``l = k``.

    Where one person has several records, counting records promises too much: six records may be two people. With Y = the
    column that identifies the owner of a record, k different people share every value on X. That is the remedy.

    Adversary: knows the values on X of a person who is in the table and looks for that person's value on Y.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms({"Engineer": {"p1": 3, "p2": 3}, "Dancer": {"p3": 3}}, column="Person")
    >>> verdict = XYAnonymity(y=("Person",), k=2).check(groups)
    >>> verdict.satisfied, verdict.strongest, verdict.violations[0].witness
    (False, 1, {'records': 3, 'distinct': 1})

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.1.2, definition 2.1.
    Wang, Fung, "Anonymizing sequential releases", 2006.
    """

    id: ClassVar[str] = "xy-anonymity"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record"}),
        evaluation="group",
        closed_under_merge=True,
        violations_shrink_under_merge=True,
    )
    adversary: ClassVar[str] = say("adversary.xy-anonymity")
    level: ClassVar[str] = "k"

    k: int = param(ge=1, doc="smallest number of different values on Y for each value on X")

    def measure(self, groups: GroupStats) -> Numbers:
        """Return a_Y(x) of each group."""
        return self.histogram(groups).distinct()

    def bound(self) -> Bound:
        """Each value on X needs at least k values on Y."""
        return at_least(self.k)

    def least_size(self) -> int:
        """Return k: as many records as values."""
        return self.k

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return how many records hide how few values; Y may name people, so its values are not told."""
        return {"records": int(groups.sizes[group]), "distinct": int(self.measure(groups)[group])}

    def necessary(self, records: int) -> str | None:
        """A table of fewer than k records cannot hold k values."""
        return f"k={self.k} is larger than the number of records, {records}" if records < self.k else None
