"""k-anonymity: every record shares its quasi-identifier with at least k - 1 others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sfumato.contracts.model import Bound, GroupModel, Numbers, TableTraits, at_least
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.groups.stats import GroupStats

__all__ = ["KAnonymity", "reduce_by_cover"]


class KAnonymity(GroupModel):
    """Every record shares its quasi-identifier with at least k - 1 others.

    Let ``a(qid)`` be the number of records that carry the value ``qid`` on QID and ``A(QID)`` the smallest ``a(qid)`` over
    values that occur. The requirement ``<QID, k>`` holds iff ``A(QID) >= k``. Several requirements, each with its own QID
    and k, hold together iff each holds.

    Adversary: knows the quasi-identifier of a person who is in the table and looks for that person's record.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> verdict = KAnonymity(k=3).check(GroupStats.from_sizes([3, 4]))
    >>> verdict.satisfied, verdict.strongest
    (True, 3)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.1.1.
    Samarati, Sweeney, "Protecting privacy when disclosing information", 1998.
    Fung, Wang, Yu, "Anonymizing classification data for privacy preservation", 2007, definition 1,
    doi:10.1109/TKDE.2007.1015.
    """

    id: ClassVar[str] = "k-anonymity"
    aliases: ClassVar[tuple[str, ...]] = ("anonymity-requirement-multi-qid", "joint-anonymity-requirement")
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record"}),
        evaluation="group",
        closed_under_merge=True,
        violations_shrink_under_merge=True,
        by_size_alone=True,
    )
    adversary: ClassVar[str] = say("adversary.k-anonymity")
    level: ClassVar[str] = "k"

    k: int = param(ge=1, doc="smallest number of records that must look alike")

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the size of each group."""
        return groups.sizes

    def bound(self) -> Bound:
        """Sizes must be at least k."""
        return at_least(self.k)

    def least_size(self) -> int:
        """Return k."""
        return self.k

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the chance of pointing at the right record."""
        return {"record_link_probability": 1 / int(groups.sizes[group])}

    def necessary(self, records: int) -> str | None:
        """A table of fewer than k records cannot be k-anonymous, however much is masked."""
        if records < self.k:
            return f"k={self.k} is larger than the number of records, {records}"
        return None


def reduce_by_cover(
    requirements: Sequence[KAnonymity], qids: Sequence[str] = ()
) -> tuple[list[KAnonymity], list[KAnonymity]]:
    """Split requirements into those that matter and those another one covers.

    ``<QID_j, k_j>`` is covered by ``<QID_i, k_i>`` if ``QID_j`` is a subset of ``QID_i`` and ``k_j <= k_i``, because a
    smaller set of attributes has larger groups. A subset with a larger k stays. Of equal requirements the first stays.
    ``qids`` stands for the quasi-identifier of requirements that name none.
    """
    sets = [frozenset(requirement.qid or qids) for requirement in requirements]

    def covers(i: int, j: int) -> bool:
        if i == j or not sets[j] <= sets[i] or requirements[j].k > requirements[i].k:
            return False
        equal = sets[i] == sets[j] and requirements[i].k == requirements[j].k
        return i < j or not equal

    covered = [any(covers(i, j) for i in range(len(sets))) for j in range(len(sets))]
    kept = [requirement for requirement, gone in zip(requirements, covered, strict=True) if not gone]
    removed = [requirement for requirement, gone in zip(requirements, covered, strict=True) if gone]
    return kept, removed
