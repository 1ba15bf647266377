"""Sums, means and extremes from an anatomized or permuted release: exact for whole groups, with bounds for parts of groups.

Quasi-identifiers are exact, so it is known how many records of each group a query selects. Which of the group's sensitive
numbers these have is not: they may be its smallest or its largest ones. Where all records of a group are selected there
is no doubt.

References
----------
Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.2.5.
Zhang, Koudas, Srivastava, Yu, "Aggregate query answering on anonymized tables", 2007, doi:10.1109/ICDE.2007.367857.
"""

from __future__ import annotations

import numpy as np

from sfumato.contracts.release import Parts, ReleaseKind
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Ints
from sfumato.releases.grouped import GroupedKind
from sfumato.utility.conditions import CountQuery

__all__ = ["Aggregate", "GroupedAggregates"]


@frozen
class Aggregate:
    """An answer that lies between ``low`` and ``high``; ``estimate`` takes every value of a group for equally likely."""

    estimate: float
    low: float
    high: float

    @property
    def exact(self) -> bool:
        """Whether there is no doubt."""
        return self.low == self.high


class GroupedAggregates:
    """Answers about the sensitive number of the records that meet conditions on quasi-identifiers.

    >>> import numpy as np
    >>> from sfumato.engines import from_rows
    >>> from sfumato.releases.permuted_table import PermutedTable
    >>> from sfumato.utility.conditions import Between
    >>> table = from_rows(["Age", "Income"], [(30, 10), (32, 20), (36, 40), (38, 50)])
    >>> made = PermutedTable.build(table, [1, 1, 2, 2], ["Age"], "Income", np.random.default_rng(0))
    >>> answers = GroupedAggregates(made.kind, made.tables)
    >>> answers.sum(CountQuery({"Age": Between(30, 32)}))
    Aggregate(estimate=30.0, low=30.0, high=30.0)
    >>> answers.sum(CountQuery({"Age": Between(30, 36)}))
    Aggregate(estimate=75.0, low=70.0, high=80.0)
    """

    def __init__(self, kind: ReleaseKind, parts: Parts) -> None:
        if not isinstance(kind, GroupedKind):
            raise Unsupported(f"a {kind.id} has no groups of exact records", thing=kind.id)
        if len(kind.sensitive) != 1:
            raise Unsupported("aggregates are of one sensitive column", thing=kind.id)
        cells = kind.cells(parts)
        if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in cells.keys[1]):
            raise BadRequest("must hold numbers", column=kind.sensitive[0])
        self.columns = kind.qid
        group = np.repeat(np.array(list(cells.keys[0]), np.int64), cells.sizes)
        value = np.repeat(np.array(list(cells.keys[1]), np.float64), cells.sizes)
        order = np.lexsort((value, group))
        ids, self._start, self._size = np.unique(group[order], return_index=True, return_counts=True)
        self._value = value[order]
        self._summed = np.concatenate([[0.0], np.cumsum(self._value)])
        listed = kind.records(parts).groups([kind.group, *kind.qid])
        self._records = listed.sizes
        self._of_record = np.searchsorted(ids, np.array(list(listed.keys[0]), np.int64))
        self._keys = dict(zip(kind.qid, (list(keys) for keys in listed.keys[1:]), strict=True))

    def _chosen(self, query: CountQuery) -> Ints:
        """Return how many records of each group meet the query."""
        meets = np.ones(len(self._records), bool)
        for name, condition in query.where.items():
            if name not in self._keys:
                raise BadRequest("is not a quasi-identifier of the release", column=name, available=self.columns)
            meets &= np.array(condition.each(self._keys[name]), bool)
        return np.bincount(self._of_record[meets], self._records[meets], len(self._size)).astype(np.int64)

    def _summing(self, first: Ints, count: Ints) -> float:
        return float((self._summed[first + count] - self._summed[first]).sum())

    def count(self, query: CountQuery) -> int:
        """Return how many records meet the query, which is exact."""
        return int(self._chosen(query).sum())

    def sum(self, query: CountQuery) -> Aggregate:
        """Return the sum of the numbers."""
        chosen = self._chosen(query)
        low = self._summing(self._start, chosen)
        high = self._summing(self._start + self._size - chosen, chosen)
        whole = self._summed[self._start + self._size] - self._summed[self._start]
        return Aggregate(float((whole * chosen / self._size).sum()), low, high)

    def mean(self, query: CountQuery) -> Aggregate:
        """Return the mean of the numbers; refuse a query that selects nobody."""
        total, count = self.sum(query), self._some(query)
        return Aggregate(total.estimate / count, total.low / count, total.high / count)

    def minimum(self, query: CountQuery) -> Aggregate:
        """Return the smallest number: at least the smallest of its groups; the estimate is the middle of the bounds."""
        self._some(query)
        chosen = self._chosen(query)
        touched = chosen > 0
        low = float(self._value[self._start[touched]].min())
        high = float(self._value[(self._start + self._size - chosen)[touched]].min())
        return Aggregate((low + high) / 2, low, high)

    def maximum(self, query: CountQuery) -> Aggregate:
        """Return the largest number: at most the largest of its groups; the estimate is the middle of the bounds."""
        self._some(query)
        chosen = self._chosen(query)
        touched = chosen > 0
        low = float(self._value[(self._start + chosen - 1)[touched]].max())
        high = float(self._value[(self._start + self._size - 1)[touched]].max())
        return Aggregate((low + high) / 2, low, high)

    def _some(self, query: CountQuery) -> int:
        count = self.count(query)
        if not count:
            raise BadRequest("selects no record", parameter="query")
        return count
