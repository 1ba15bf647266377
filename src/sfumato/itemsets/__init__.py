"""Sets of items and how many records hold them: the one engine for baskets, paths and mining results.

Sparse data come first. Nothing is counted that does not occur: from each set that goes on, the records that hold it are walked
and their further items counted. Whoever asks says by a rule which sets are violations.
"""

from __future__ import annotations

from sfumato.itemsets.database import Database
from sfumato.itemsets.exposure import exposures
from sfumato.itemsets.frequent import frequent_sets, maximal_frequent_sets
from sfumato.itemsets.hitting_sets import greedy_hitting_set, greedy_trade, optimal_hitting_set
from sfumato.itemsets.violations import Rule, Sets, violations

__all__ = [
    "Database",
    "Rule",
    "Sets",
    "exposures",
    "frequent_sets",
    "greedy_hitting_set",
    "greedy_trade",
    "maximal_frequent_sets",
    "optimal_hitting_set",
    "violations",
]
