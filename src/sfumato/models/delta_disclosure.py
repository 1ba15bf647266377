"""δ-disclosure privacy: in no group does the share of a sensitive value differ by a large factor from the whole table's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Bound, Numbers, TableTraits, Verdict, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Floats, Ints
from sfumato.models.sensitive_model import Counterexamples, SensitiveModel, leveled
from sfumato.models.shares import Shares, by_group_max, single

__all__ = ["DeltaDisclosure"]


class DeltaDisclosure(SensitiveModel):
    """In no group does the share of a sensitive value differ by the factor base^delta or more from the whole table's.

    With ``p_s`` the share of value s in the table and ``q_s`` in a group, the model holds iff ``|log(q_s / p_s)| < delta``
    for every value and group, strictly. It bounds losses as well as gains; ``gain(s) < base^delta - 1`` follows.

    Two things differ between tools and are stated with every verdict: the ``base`` of the logarithm, and what happens to
    a value that a group lacks. The bare formula gives ``|log 0|``, infinite (``absent="violate"``: every group must hold
    every value); with ``absent="skip"`` such pairs are left out and counted. Where a number is infinite no delta helps and
    the strongest level is ``None``; otherwise delta must be larger than the level.

    Closed under merging only with ``absent="violate"``; the declared trait is that of ``skip``.

    Adversary: knows the shares in the table and which group a person is in, and grows more or less sure of a value.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"A": 6, "B": 2, "C": 2}, {"A": 4, "B": 4, "C": 2}], column="Disease")
    >>> verdict = DeltaDisclosure(delta=0.5, sensitive="Disease").check(groups)
    >>> verdict.satisfied, round(verdict.strongest, 4), verdict.violations[0].witness["value"]
    (False, 0.585, 'B')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.8 (skewness attack).
    Brickell, Shmatikov, "The cost of privacy: destruction of data-mining utility in anonymized data publishing", 2008,
    doi:10.1145/1401890.1401904.
    """

    id: ClassVar[str] = "delta-disclosure"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"attribute", "probabilistic"}),
        evaluation="group+table",
        closed_under_merge=False,
        violations_shrink_under_merge=False,
        sensitive="categorical",
    )
    adversary: ClassVar[str] = say("adversary.delta-disclosure")
    level: ClassVar[str] = "delta"
    # The second group lacks B and is not asked about it; merged with the first it makes B rare, 0.1 instead of 0.2.
    counterexamples: ClassVar[Counterexamples] = dict.fromkeys(
        ("closed_under_merge", "violations_shrink_under_merge"),
        (
            GroupStats.from_histograms([{"A": 8, "B": 2}, {"A": 10}, {"A": 30, "B": 10}], column="Disease"),
            (0, 0, 1),
        ),
    )

    delta: float = param(gt=0, doc="smallest logarithm of a ratio of shares that violates")
    base: float = param(default=2, gt=1, doc="base of the logarithm")
    absent: str = param(default="skip", choices=("skip", "violate"), doc="what a value does that a group lacks")

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the largest |log(q_s / p_s)| of each group."""
        shares = Shares.of(groups, self)
        worst = by_group_max(np.abs(self._log(shares.ratio)), shares.start)
        return np.where(_lacking(shares) > 0, np.inf, worst) if self.absent == "violate" else worst

    def bound(self) -> Bound:
        """Logarithms must be smaller than delta."""
        return at_most(self.delta, strict=True)

    def skipped(self, groups: GroupStats) -> int:
        """Return the number of pairs of a group and a value that the group lacks."""
        return int(_lacking(Shares.of(groups, self)).sum())

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge a partition; the verdict states base and treatment of absent values even where they are the default."""
        verdict = super().check(groups, worst=worst)
        skip, bound = self.absent == "skip", verdict.bound
        stated = replace(verdict, parameters={**verdict.parameters, "base": self.base, "absent": self.absent})
        return leveled(stated, bound=say("bound.skipped", bound=bound, count=self.skipped(groups)) if skip else bound)

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the value whose share differs most, and the values that the group lacks."""
        shares = Shares.of(single(groups, self.sensitive, group), self)
        logs = self._log(shares.ratio)
        worst = int(np.argmax(np.abs(logs)))
        here = set(shares.code.tolist())
        return {
            **shares.belief(worst),
            "log_ratio": float(logs[worst]),
            "absent_values": [shares.values[code] for code in shares.occurring.tolist() if code not in here],
        }

    def _log(self, ratio: Floats) -> Floats:
        # Exact for powers of the base, which strict comparison needs.
        if self.base == 2:
            return np.asarray(np.log2(ratio))
        return np.asarray(np.log10(ratio) if self.base == 10 else np.log(ratio) / np.log(self.base))


def _lacking(shares: Shares) -> Ints:
    """Return how many values of the table each group lacks."""
    return len(shares.occurring) - np.diff(shares.start)
