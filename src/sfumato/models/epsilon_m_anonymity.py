"""(ε,m)-anonymity: in every group at most 1/m of the records lie close to any sensitive number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import RELATIVE_SLACK, Bound, Numbers, TableTraits, at_least
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Floats, Ints
from sfumato.models.sensitive_model import Counterexamples, SensitiveModel
from sfumato.models.shares import by_group_max, numbers_of, refuse_counting, single

__all__ = ["EpsilonMAnonymity"]

# A closed interval stays closed although its ends are rounded.
_ROUNDING = 1e-12


class EpsilonMAnonymity(SensitiveModel):
    """In every group at most 1/m of the records lie within epsilon of any sensitive number.

    For every centre s the records of a group with a value in ``[s - epsilon, s + epsilon]``, or in
    ``[s - epsilon |s|, s + epsilon |s|]`` where epsilon is relative, are at most ``1/m`` of the group; intervals are closed.
    Centres are the group's own values, or those of the whole table (``centres="table"``, stricter).

    The number of a group is the largest whole m it allows, ``floor(size / records in the fullest interval)``.

    With own centres the model is not closed under merging: a value of one group may sit in the middle of a cluster of the
    other. With table centres it is; the declared trait is the weaker one.

    Adversary: knows which group a person is in and guesses the person's number, content with a near miss.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{30: 2, 31: 1, 32: 2, 33: 1, 34: 1, 35: 2, 80: 1}], column="Salary")
    >>> verdict = EpsilonMAnonymity(epsilon=1, m=2, sensitive="Salary").check(groups)
    >>> verdict.satisfied, verdict.strongest
    (True, 2)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.7.
    Li, Tao, Xiao, "Preservation of proximity privacy in publishing numerical sensitive data", 2008,
    doi:10.1145/1376616.1376666.
    """

    id: ClassVar[str] = "epsilon-m-anonymity"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"attribute"}),
        evaluation="group+table",
        closed_under_merge=False,
        violations_shrink_under_merge=False,
        sensitive="numeric",
    )
    adversary: ClassVar[str] = say("adversary.epsilon-m-anonymity")
    level: ClassVar[str] = "m"
    # The 1 of the second group has the 0 and the 2 of the first within epsilon.
    counterexamples: ClassVar[Counterexamples] = dict.fromkeys(
        ("closed_under_merge", "violations_shrink_under_merge"),
        (GroupStats.from_histograms([{0: 1, 2: 1}, {1: 1, 20: 1}], column="Salary"), (0, 0)),
    )

    epsilon: float = param(ge=0, doc="how near a value is close, as a difference or a share of the centre")
    m: int = param(ge=1, doc="at most 1/m of a group may be close to a value")
    relative: bool = param(default=False, doc="whether epsilon is a share of the centre's size")
    centres: str = param(default="group", choices=("group", "table"), doc="whose values are the centres")

    def validate(self) -> None:
        """Refuse to count missing values as numbers, and a relative epsilon above 1, whose intervals reach beyond 0."""
        super().validate()
        refuse_counting(self)
        if self.relative and self.epsilon > 1:
            raise BadRequest("must be <= 1 where it is relative", parameter=f"{self.id}.epsilon", value=self.epsilon)

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the largest whole m that each group allows."""
        fullest = self._fullest(groups)
        if np.issubdtype(fullest.dtype, np.integer):
            return np.floor_divide(groups.sizes, fullest)
        return np.floor(groups.sizes / fullest * (1 + RELATIVE_SLACK)).astype(np.int64)

    def shares(self, groups: GroupStats) -> Floats:
        """Return the share of each group in its fullest interval."""
        return np.asarray(self._fullest(groups) / groups.sizes)

    def bound(self) -> Bound:
        """The largest m of each group must be at least the one asked for."""
        return at_least(self.m)

    def least_size(self) -> int:
        """Return m: in a smaller group one record is too much."""
        return self.m

    def necessary(self, records: int) -> str | None:
        """In a table of fewer than m records each one is more than 1/m of it."""
        return f"m={self.m} is larger than the number of records, {records}" if records < self.m else None

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the fullest interval, its centre and the share of the group inside."""
        alone = single(groups, self.sensitive, group)
        histogram, numbers = numbers_of(alone, self.sensitive)
        close, centre = self._close(alone)
        worst = int(np.argmax(close))
        code = int(centre[worst])
        low, high = self._interval(numbers[code : code + 1])
        return {
            "centre": histogram.values[code],
            "interval": (float(low[0]), float(high[0])),
            "share": float(close[worst] / groups.sizes[group]),
        }

    def _fullest(self, groups: GroupStats) -> Numbers:
        """Return the number of records in the fullest interval of each group."""
        return by_group_max(self._close(groups)[0], numbers_of(groups, self.sensitive)[0].start)

    def _interval(self, centres: Floats) -> tuple[Floats, Floats]:
        reach = self.epsilon * np.abs(centres) if self.relative else np.full(len(centres), float(self.epsilon))
        return centres - reach, centres + reach

    def _close(self, groups: GroupStats) -> tuple[Numbers, Ints]:
        """Return, for each entry of the histogram, the group's records in one interval and the code of its centre.

        With own centres the interval is that of the entry's value. With table centres it is the last one of the table that
        still holds the value: any interval whose lowest record is this one lies inside it as far as the group goes, so
        the fullest interval is among them.
        """
        histogram, numbers = numbers_of(groups, self.sensitive)
        order = np.argsort(numbers, kind="stable")
        order = order[~np.isnan(numbers[order])]
        value = numbers[order]
        rank = np.full(len(numbers), -1, np.int64)
        rank[order] = np.arange(len(order))
        low, high = self._interval(value)
        slack = _ROUNDING * (np.abs(value) + self.epsilon)
        low, high = low - slack, high + slack
        # Both ends rise with the centre, so one interval of ranks belongs to each.
        centre = np.arange(len(value))
        if self.centres == "table":
            centre = np.searchsorted(low, value, side="right") - 1
        from_rank, to_rank = np.searchsorted(value, low, side="left"), np.searchsorted(value, high, side="right")
        width = len(value) + 1
        group, entry_rank = histogram.group(), rank[histogram.code]
        key = group * width + entry_rank
        turn = np.argsort(key, kind="stable")
        ahead = np.concatenate([np.zeros(1, histogram.count.dtype), np.cumsum(histogram.count[turn])])
        chosen = centre[entry_rank]
        first = np.searchsorted(key[turn], group * width + from_rank[chosen], side="left")
        last = np.searchsorted(key[turn], group * width + to_rank[chosen], side="left")
        return ahead[last] - ahead[first], order[chosen]
