"""Query logs as baskets: the words that a person ever asked for, or those of each query."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.thing import Thing, param
from sfumato.data.frozen import frozen
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.query_log import QueryLog, tokens

__all__ = ["LoadedLog", "QueryLogAsTransactions"]


@frozen
class LoadedLog:
    """The baskets of a log, how many different words there are, and which share of (basket, word) pairs occurs."""

    baskets: Baskets
    vocabulary: int
    density: float
    queries: int


class QueryLogAsTransactions(Thing):
    """The words that a person ever asked for become one basket, so that everything for baskets serves query logs.

    A query is split into words: small letters, one Unicode form, without signs and stop words. All queries of a user are one
    basket, because it is the person who is protected; ``by="query"`` makes a basket of each query, and then a promise about
    baskets is one about queries, not about persons. With ``items="queries"`` an item is a whole query, its words in order.
    Neither users nor times are part of what is published.

    Examples
    --------
    >>> log = QueryLog.of([("u1", "tennis racket"), ("u2", "jazz"), ("u1", "Jazz!")])
    >>> loaded = QueryLogAsTransactions().load(log)
    >>> [sorted(one) for one in loaded.baskets], loaded.vocabulary, round(loaded.density, 3)
    ([['jazz', 'racket', 'tennis'], ['jazz']], 3, 0.667)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.6.
    """

    id: ClassVar[str] = "query-log-as-transactions"
    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = True

    by: str = param(default="person", choices=("person", "query"), doc="whether a basket is a person's or a query's")
    items: str = param(default="words", choices=("words", "queries"), doc="whether items are words or whole queries")
    stop: tuple[str, ...] = param(default=(), doc="words that are left out, in small letters")

    def load(self, log: QueryLog) -> LoadedLog:
        """Return the baskets of a log; who has asked nothing but stop words has an empty one."""
        split = [tokens(query, frozenset(self.stop)) for query in log.queries]
        words = [
            frozenset([" ".join(one)] if one else []) if self.items == "queries" else frozenset(one) for one in split
        ]
        if self.by == "query":
            baskets = Baskets.of(words)
        else:
            baskets = Baskets.of(
                {user: frozenset().union(*(words[at] for at in places)) for user, places in log.by_user.items()}
            )
        pairs = len(baskets) * len(baskets.items)
        return LoadedLog(baskets, len(baskets.items), len(baskets.codes) / pairs if pairs else 0.0, len(log))
