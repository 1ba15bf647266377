"""Personal frequency: around every owner who asked, sensitive values occur nearly as often as in the whole table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Bound, Numbers, TableTraits
from sfumato.contracts.thing import param
from sfumato.data.decimals import exact_share
from sfumato.data.messages import say
from sfumato.groups.stats import GroupStats
from sfumato.models.sensitive_model import Counterexamples, SensitiveModel, share_or_shortfall
from sfumato.models.shares import Shares, by_group_max, single

__all__ = ["PersonalFrequency", "PersonalFrequencyPresent"]


class PersonalFrequency(SensitiveModel):
    """In every group that protects an owner, each sensitive value is nearly as frequent as in the whole table.

    With ``f_d`` the share of value d in the table and ``c_d`` of the ``c`` rows of a group carrying it, the requirement holds
    iff ``max over all d of |c_d / c - f_d| <= th_acct``, and the group has at least ``min_block_size`` rows. Whoever knows
    which group a person is in can then hold value d for true with a chance of at most ``f_d + th_acct``.

    It is meant for the owners who asked for protection, and a release keeps the others' records as they are. In a release of
    the kind ``personal-table`` it is asked of the groups that show a general value; asked of any other table (``sfumato
    check``) it is asked of all groups, as if everybody had asked. t-closeness with equal distances and ``t = th_acct``
    implies it.

    Adversary: knows which group a person is in, and how values are distributed in the table.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"Flu": 7, "HIV": 3}, {"Flu": 9, "HIV": 1}], column="Disease")
    >>> verdict = PersonalFrequency(sensitive="Disease", th_acct="0.1").check(groups)
    >>> verdict.satisfied, verdict.strongest
    (True, 0.1)

    References
    ----------
    Compare Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.9, on requirements of
    single owners.
    """

    id: ClassVar[str] = "personal-frequency"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"attribute", "probabilistic"}),
        evaluation="group+table",
        closed_under_merge=True,
        violations_shrink_under_merge=False,
        sensitive="categorical",
    )
    adversary: ClassVar[str] = say("adversary.personal-frequency")
    level: ClassVar[str] = "largest difference of shares"
    scope: ClassVar[str] = "all"
    # One record far from the table drags ten others with it: half the table is A.
    counterexamples: ClassVar[Counterexamples] = {
        "violations_shrink_under_merge": (
            GroupStats.from_histograms([{"A": 1}, {"A": 6, "B": 4}, {"A": 13, "B": 16}], column="Disease"),
            [0, 0, 1],
        )
    }

    th_acct: str | float = param(
        ge=0,
        le=1,
        default="0.1",
        doc="largest difference between a share in a group and in the table; a decimal number",
    )
    min_block_size: int = param(default=1, ge=1, doc="fewest rows of a group that protects an owner")

    def validate(self) -> None:
        """Refuse a threshold that is no decimal number from 0 to 1."""
        super().validate()
        exact_share(self.th_acct, parameter=f"{self.id}.th_acct")

    def least_size(self) -> int:
        """Return the fewest rows of a group."""
        return self.min_block_size

    @cached_property
    def _limit(self) -> float:
        return float(exact_share(self.th_acct, parameter=f"{self.id}.th_acct"))

    def bound(self) -> Bound:
        """Return the largest difference of shares.

        Differences are quotients of whole numbers, rounded once like the threshold: no slack is needed, nor given.
        """
        return Bound(self._limit, "at_most", exact=True)

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the largest difference of shares in each group; above 1 where there are too few rows."""
        shares = Shares.of(groups, self)
        if len(groups) == 0:
            return np.empty(0)
        far = np.abs(shares.surplus) / (shares.entry_size * float(shares.total))
        worst = by_group_max(far, shares.start)
        if self.scope == "all":
            worst = np.maximum(worst, self._absent(shares))
        return share_or_shortfall(np.asarray(worst, np.float64), groups.sizes, self.min_block_size)

    def _absent(self, shares: Shares) -> Numbers:
        """Return the share in the table of the most frequent value that each group lacks, 0 where it lacks none."""
        by_code = np.argsort(shares.code, kind="stable")
        edges = np.searchsorted(shares.code[by_code], np.arange(len(shares.whole) + 1))
        out = np.zeros(len(shares.start) - 1)
        full = np.ones(len(out), bool)
        for code in np.argsort(-shares.whole, kind="stable").tolist():
            has = np.zeros(len(out), bool)
            has[shares.group[by_code[edges[code] : edges[code + 1]]]] = True
            out[full & ~has] = shares.whole[code] / float(shares.total)
            full &= has
            if not full.any():
                break
        return out

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the value that stands out most, with what is believed of it before and after."""
        shares = Shares.of(single(groups, self.sensitive, group), self)
        return shares.belief(int(np.abs(shares.surplus).argmax()))


class PersonalFrequencyPresent(PersonalFrequency):
    """In every group that protects an owner, each value that occurs there is nearly as frequent as in the whole table.

    The weaker reading of ``personal-frequency``: ``max over values d that occur in the group of |c_d / c - f_d| <= th_acct``.
    Values that a group lacks may be ruled out with certainty. Joining groups can break it: a value of one group becomes rarer
    than it should be.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> histograms = [{"Flu": 5, "HIV": 3, "Cold": 2}, {"Flu": 6, "HIV": 4}]
    >>> groups = GroupStats.from_histograms(histograms, column="Disease")
    >>> PersonalFrequencyPresent(sensitive="Disease", th_acct="0.1").check(groups).satisfied
    True

    References
    ----------
    Compare Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.9, on requirements of
    single owners.
    """

    id: ClassVar[str] = "personal-frequency-present"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"attribute", "probabilistic"}),
        evaluation="group+table",
        closed_under_merge=False,
        violations_shrink_under_merge=False,
        sensitive="categorical",
    )
    scope: ClassVar[str] = "present"
    # C is rare enough where it occurs; beside twenty records without it, it is too rare.
    counterexamples: ClassVar[Counterexamples] = {
        **PersonalFrequency.counterexamples,
        "closed_under_merge": (
            GroupStats.from_histograms(
                [{"A": 2, "B": 2, "C": 1}, {"A": 10, "B": 10}, {"A": 13, "B": 13, "C": 9}], column="Disease"
            ),
            [0, 0, 1],
        ),
    }
