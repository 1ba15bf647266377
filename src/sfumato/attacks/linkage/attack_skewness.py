"""Skewness: how far a group makes a sensitive value more probable than it is in the whole table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from sfumato.attacks.linkage._belief_change import Belief, belief_at, changes, shares_of
from sfumato.contracts.attack import AttackTraits, Risk, TableAttack, spread
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.kernels.arrays import Floats
from sfumato.models.shares import Shares, by_group_max

__all__ = ["AttackSkewness", "Skewness"]


@frozen(kw_only=True, eq=False)
class Skewness(Risk):
    """The largest growth of a belief for every record, group by group; :meth:`worst` is for the steward's eyes.

    ``difference`` and ``ratio`` belong to the pairs of a group and a value that it holds, in the order of ``shares``.
    """

    seen: Seen
    knowledge: TableKnowledge
    shares: Shares

    @property
    def difference(self) -> Floats:
        """By how much each value grows more probable."""
        return changes(self.shares)[0]

    @property
    def ratio(self) -> Floats:
        """How many times as probable each value gets."""
        return changes(self.shares)[1]

    def worst(self, count: int = 10, *, by_ratio: bool = False) -> list[Belief]:
        """Return the pairs of group and value in which belief grows most, by difference or by ratio, largest first."""
        order = np.argsort(-(self.ratio if by_ratio else self.difference), kind="stable")[:count]
        return [belief_at(self.seen, self.knowledge, self.shares, entry) for entry in order.tolist()]


class AttackSkewness(TableAttack):
    """Learn from a group whose sensitive values are distributed otherwise than in the whole table.

    Before she sees a person's group, an adversary believes in the value ``s`` as far as it is frequent in the whole table,
    ``p_s``; afterwards as far as it is frequent in the group, ``q_s``. The risk of each record of a group is the largest
    growth ``max_s (q_s - p_s)``, which is never below 0; the largest ratio ``q_s / p_s`` is told as well. A group may be
    diverse and still say much: 5% in the table and half of the group is ten times as much.

    A missing sensitive value counts as a value.

    Adversary: knows how frequent sensitive values are in the whole table, and which group a person is in.

    Examples
    --------
    >>> import sfumato
    >>> rows = [("x", "Flu"), ("x", "HIV"), *[("y", "Flu")] * 94, *[("y", "HIV")] * 4]
    >>> found = sfumato.attack(
    ...     sfumato.from_rows(["Zip", "Disease"], rows), AttackSkewness(), qid=["Zip"], sensitive="Disease"
    ... )
    >>> round(found.highest, 9), found.details["largest_ratio"]
    (0.45, 10.0)
    >>> [(belief.value, belief.prior, belief.posterior) for belief in found.worst(1)]
    [('HIV', 0.05, 0.5)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.8.
    Li, Li, Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and l-diversity", 2007,
    doi:10.1109/ICDE.2007.367856.
    """

    id: ClassVar[str] = "attack-skewness"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute", "probabilistic"}),
        knowledge="how frequent sensitive values are in the whole table, and which group a person is in",
        needs=frozenset({"qid", "sensitive"}),
        victims="records",
    )
    adversary: ClassVar[str] = say("adversary.attack-skewness")

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> Skewness:
        """Return the largest growth of a belief, for all records of each group."""
        self.refuse_unfit(seen, knowledge)
        shares = shares_of(seen, knowledge)
        sizes = np.asarray(shares.size, np.int64)
        growth, ratios = np.empty(len(sizes)), np.empty(len(sizes))
        most, worst = -np.inf, None
        for groups, entries, part in shares.parts():
            difference, ratio = changes(part)
            growth[groups], ratios[groups] = by_group_max(difference, part.start), by_group_max(ratio, part.start)
            if difference.max() > most:
                most, worst = difference.max(), entries.start + int(np.argmax(difference))
        highest, mean = spread(growth, sizes)
        prior, posterior = (0.0, 0.0) if worst is None else shares.beliefs(worst)
        details = {
            "records": int(sizes.sum()),
            "groups": len(sizes),
            "largest_difference": highest,
            "mean_difference": mean,
            "largest_ratio": float(ratios.max(initial=0.0)),
            "records_with_a_value_at_least_twice_as_likely": int(sizes[ratios >= 2].sum()),
            "prior_at_largest_difference": prior,
            "posterior_at_largest_difference": posterior,
        }
        return Skewness(
            attack=self.id,
            per_victim=growth,
            counts=sizes,
            highest=highest,
            mean=mean,
            reading=_reading(details),
            details=details,
            seen=seen,
            knowledge=knowledge,
            shares=shares,
        )


def _reading(details: Mapping[str, float]) -> str:
    return say(
        "reading.skewness",
        records=details["records"],
        points=100 * details["largest_difference"],
        prior=details["prior_at_largest_difference"],
        posterior=details["posterior_at_largest_difference"],
        twice=details["records_with_a_value_at_least_twice_as_likely"],
        factor=details["largest_ratio"],
    )
