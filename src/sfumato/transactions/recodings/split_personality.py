"""Split personality: the queries of a user under several pseudonyms, one for each interest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log, sqrt
from typing import ClassVar

import numpy as np

from sfumato.contracts.thing import Thing, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.transactions.query_log import QueryLog, tokens

__all__ = ["SplitLog", "SplitPersonality"]

Words = Sequence[str]


@frozen(eq=False, repr=False)
class SplitLog:
    """Rows (pseudonym, query) in a random order, what was lost, and what is not promised.

    ``profiles`` counts the profiles of each user, in no order. ``pairs_lost`` is the share of the pairs of queries of one user
    that are not under one pseudonym any more: that is what the release costs.
    """

    rows: tuple[tuple[str, str], ...]
    profiles: tuple[int, ...]
    pairs_lost: float
    dropped: int
    statement: str


class SplitPersonality(Thing):
    """Queries of a user that are not alike get different pseudonyms, so that no profile holds all interests of a person.

    Two queries are linked if their similarity is at least ``threshold``, and the connected parts are the profiles (single
    linkage). ``jaccard``: shared words of all words; ``cosine``: of the vectors of ``tf ln(N / df)`` over the queries of the
    user; ``urls``: 1 if the same address was clicked. With more than ``most`` profiles the most similar are joined.
    Profiles with fewer than ``least`` queries are dropped, or pooled into one. Pseudonyms are drawn at random, with nothing in
    common, and rows are shuffled. No formal guarantee: a profile may still hold a name, an address, a rare query.

    Examples
    --------
    >>> queries = [["tennis", "racket"], ["tennis", "wimbledon"], ["jazz", "music"]]
    >>> SplitPersonality(threshold=0.2).profiles(queries)
    ((0, 1), (2,))

    References
    ----------
    Adar, "User 4XXXXX9: anonymizing query logs", 2007.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.6.3.
    """

    id: ClassVar[str] = "split-personality"
    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = True

    threshold: float = param(default=0.2, gt=0, le=1, doc="similarity from which on two queries are of one interest")
    similarity: str = param(default="jaccard", choices=("jaccard", "cosine", "urls"), doc="how queries are compared")
    most: int | None = param(default=None, ge=1, doc="largest number of profiles of a user; any if not given")
    least: int = param(default=1, ge=1, doc="smallest number of queries of a profile")
    small: str = param(default="drop", choices=("drop", "pool"), doc="what becomes of smaller profiles")

    def profiles(
        self, queries: Sequence[Words], urls: Sequence[str | None] | None = None
    ) -> tuple[tuple[int, ...], ...]:
        """Return the profiles of one user: places of queries, given as words, that belong together."""
        n = len(queries)
        if self.similarity == "urls" and (urls is None or len(urls) != n):
            raise BadRequest("needs the address that was clicked for each query", parameter="urls")
        alike = self._similarities(queries, urls)
        pairs = sorted(((-value, first, second) for (first, second), value in alike.items()))
        home = list(range(n))

        def root(at: int) -> int:
            while home[at] != at:
                home[at] = home[home[at]]
                at = home[at]
            return at

        parts = n
        for value, first, second in pairs:
            if -value < self.threshold and (self.most is None or parts <= self.most):
                break
            one, other = root(first), root(second)
            if one != other:
                home[max(one, other)] = min(one, other)
                parts -= 1
        if self.most is not None and parts > self.most:  # queries without anything in common are joined in their order
            for at in range(n):
                if parts > self.most and root(at) != root(0):
                    home[root(at)] = root(0)
                    parts -= 1
        found: dict[int, list[int]] = {}
        for at in range(n):
            found.setdefault(root(at), []).append(at)
        return self._large(tuple(tuple(one) for one in found.values()))

    def _large(self, profiles: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
        large = tuple(one for one in profiles if len(one) >= self.least)
        rest = sorted(at for one in profiles if len(one) < self.least for at in one)
        return (*large, tuple(rest)) if self.small == "pool" and len(rest) >= self.least else large

    def _similarities(
        self, queries: Sequence[Words], urls: Sequence[str | None] | None
    ) -> Mapping[tuple[int, int], float]:
        """Return the similarity of every pair of queries that have something in common."""
        if self.similarity == "urls":
            held: Sequence[Mapping[str, float]] = [{} if one is None else {one: 1.0} for one in urls or ()]
        elif self.similarity == "jaccard":
            held = [dict.fromkeys(query, 1.0) for query in queries]
        else:
            df = Counter(word for query in queries for word in set(query))
            held = [
                {word: count * log(len(queries) / df[word]) for word, count in Counter(one).items()} for one in queries
            ]
        having: dict[str, list[int]] = {}
        for at, weights in enumerate(held):
            for word in weights:
                having.setdefault(word, []).append(at)
        shared: dict[tuple[int, int], float] = {}
        for word, places in having.items():
            for number, first in enumerate(places):
                for second in places[number + 1 :]:
                    pair = (first, second)
                    shared[pair] = shared.get(pair, 0.0) + held[first][word] * held[second][word]
        if self.similarity == "cosine":
            norms = [sqrt(sum(weight**2 for weight in weights.values())) for weights in held]
            return {
                (first, second): value / (norms[first] * norms[second])
                for (first, second), value in shared.items()
                if value > 0
            }
        return {
            (first, second): value / (len(held[first]) + len(held[second]) - value)
            for (first, second), value in shared.items()
        }

    def split(self, queries: QueryLog, rng: np.random.Generator) -> SplitLog:
        """Return a log under pseudonyms drawn from the generator; who knows its seed can undo them."""
        rows: list[tuple[str, str]] = []
        counts, before, after = [], 0, 0
        for places in queries.by_user.values():
            words = [tokens(queries.queries[at]) for at in places]
            urls = None if queries.urls is None else [queries.urls[at] for at in places]
            found = self.profiles(words, urls)
            counts.append(len(found))
            before += len(places) * (len(places) - 1) // 2
            after += sum(len(one) * (len(one) - 1) // 2 for one in found)
            for one in found:
                name = rng.bytes(8).hex()
                rows += [(name, queries.queries[places[at]]) for at in one]
        shuffled = tuple(rows[at] for at in rng.permutation(len(rows)).tolist())
        return SplitLog(
            shuffled,
            tuple(sorted(counts)),
            1 - after / before if before else 0.0,
            len(queries) - len(rows),
            say("statement.split_personality"),
        )
