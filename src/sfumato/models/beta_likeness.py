"""β-likeness: in no group does a sensitive value gain much over its share in the whole table."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import RELATIVE_SLACK, Bound, Numbers, TableTraits, Verdict, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Bools, Floats
from sfumato.models.sensitive_model import Counterexamples, SensitiveModel, leveled
from sfumato.models.shares import Shares, by_group_max, single

__all__ = ["BasicBetaLikeness", "EnhancedBetaLikeness"]

TRAITS = TableTraits(
    prevents=frozenset({"attribute", "probabilistic"}),
    evaluation="group+table",
    closed_under_merge=True,
    violations_shrink_under_merge=False,
    sensitive="categorical",
)

# Half the table is A: the one record of the first group drags the ten of the second with it.
COUNTEREXAMPLES: Counterexamples = {
    "violations_shrink_under_merge": (
        GroupStats.from_histograms([{"A": 1}, {"A": 6, "B": 4}, {"A": 13, "B": 16}], column="Disease"),
        [0, 0, 1],
    )
}


class BasicBetaLikeness(SensitiveModel):
    """In no group is a sensitive value more than 1 + beta times as frequent as in the whole table.

    With ``p_s`` the share of value s in the table and ``q_s`` in a group, ``gain(s) = (q_s - p_s) / p_s``. The model holds
    iff ``gain(s) <= beta`` for every value and group. Only gains are bounded: a value that gets rarer or vanishes never
    violates. ``q_s`` is bounded by a constant of the table, so merging keeps the model.

    Adversary: knows the shares in the table and which group a person is in, and grows more sure of a sensitive value.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"A": 6, "B": 2, "C": 2}, {"A": 4, "B": 4, "C": 2}], column="Disease")
    >>> verdict = BasicBetaLikeness(beta=0.2, sensitive="Disease").check(groups)
    >>> verdict.satisfied, round(verdict.strongest, 4), verdict.violations[0].witness["value"]
    (False, 0.3333, 'B')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.8 (skewness attack).
    Cao, Karras, "Publishing microdata with a robust privacy guarantee", 2012, doi:10.14778/2350229.2350255.
    """

    id: ClassVar[str] = "basic-beta-likeness"
    traits: ClassVar[TableTraits] = TRAITS
    adversary: ClassVar[str] = say("adversary.basic-beta-likeness")
    level: ClassVar[str] = "beta"
    counterexamples: ClassVar[Counterexamples] = COUNTEREXAMPLES

    beta: float = param(gt=0, doc="largest relative gain of a value's share in a group")

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the largest gain in each group."""
        shares = Shares.of(groups, self)
        return by_group_max(shares.gain, shares.start)

    def bound(self) -> Bound:
        """Gains must be at most beta."""
        return at_most(self.beta)

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the value that gains most, its shares, and every value that gains too much."""
        shares = Shares.of(single(groups, self.sensitive, group), self)
        worst = int(np.argmax(shares.gain))
        return {
            **shares.belief(worst),
            "gain": float(shares.gain[worst]),
            "violating_values": _named(shares, ~self.bound().holds(shares.gain)),
        }


class EnhancedBetaLikeness(SensitiveModel):
    """Basic beta-likeness with a cap on the gain of frequent values, so that no group is homogeneous.

    With ``p_s`` the share of value s in the table and ``q_s`` in a group, ``gain(s) = (q_s - p_s) / p_s``. The model holds
    iff ``gain(s) <= min(beta, -ln p_s)`` for every value and group. Because ``1/p - 1 > -ln p`` for p < 1, the cap forbids
    ``q_s = 1`` unless the table itself has one value only.

    Where a gain exceeds its cap, no beta helps: the group's number is infinite and the strongest level is ``None``; the
    witness tells the value, its gain and its cap.

    Adversary: knows the shares in the table and which group a person is in, and grows more sure of a sensitive value.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"A": 6, "B": 2, "C": 2}, {"A": 4, "B": 4, "C": 2}], column="Disease")
    >>> model = EnhancedBetaLikeness(beta=0.2, sensitive="Disease")
    >>> verdict = model.check(groups)
    >>> verdict.satisfied, round(verdict.strongest, 4)
    (False, 0.3333)
    >>> model.check(GroupStats.from_histograms([{"A": 5}, {"A": 3, "B": 2}], column="Disease")).strongest is None
    True

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.8 (skewness attack).
    Cao, Karras, "Publishing microdata with a robust privacy guarantee", 2012, doi:10.14778/2350229.2350255.
    """

    id: ClassVar[str] = "enhanced-beta-likeness"
    traits: ClassVar[TableTraits] = TRAITS
    adversary: ClassVar[str] = BasicBetaLikeness.adversary
    level: ClassVar[str] = "beta"
    counterexamples: ClassVar[Counterexamples] = COUNTEREXAMPLES

    beta: float = param(gt=0, doc="largest relative gain of a value's share in a group")

    def caps(self, groups: GroupStats) -> dict[Hashable, float]:
        """Return ``-ln p_s`` of each value of the table."""
        shares = Shares.of(groups, self)
        caps = _caps(shares)
        return {shares.values[code]: float(caps[code]) for code in shares.occurring}

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the largest gain in each group; infinite where a gain exceeds its cap."""
        shares = Shares.of(groups, self)
        gain = np.where(_over_cap(shares), np.inf, shares.gain)
        return by_group_max(gain, shares.start)

    def bound(self) -> Bound:
        """Gains must be at most beta."""
        return at_most(self.beta)

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge a partition; the strongest level is ``None`` where a cap is exceeded."""
        return leveled(super().check(groups, worst=worst))

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the value furthest beyond its limit, its shares and cap, and every value that gains too much."""
        shares = Shares.of(single(groups, self.sensitive, group), self)
        gains, caps = shares.gain, _caps(shares)[shares.code]
        limits = np.minimum(self.beta, caps)
        beyond = ~self.bound().holds(gains) | _over_cap(shares)
        # A table of one value has the cap 0 and the gain 0.
        worst = int(np.argmax(np.divide(gains, limits, out=np.zeros_like(gains), where=limits > 0)))
        return {
            **shares.belief(worst),
            "gain": float(gains[worst]),
            "cap": float(caps[worst]),
            "violating_values": _named(shares, beyond),
        }


def _caps(shares: Shares) -> Floats:
    """Return ``-ln p_s`` by code; infinite for values that do not occur."""
    caps = np.full(len(shares.values), np.inf)
    np.divide(shares.total, shares.whole, out=caps, where=shares.whole > 0)
    return np.asarray(np.log(caps))


def _over_cap(shares: Shares) -> Bools:
    return np.asarray(shares.gain > _caps(shares)[shares.code] * (1 + RELATIVE_SLACK))


def _named(shares: Shares, chosen: Bools) -> list[Hashable]:
    return [shares.values[code] for code in shares.code[chosen]]
