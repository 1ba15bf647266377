"""Query logs: who asked what, when, and which address was clicked; and the words of a query."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.data.text import to_text
from sfumato.engines import read
from sfumato.errors import BadRequest

__all__ = ["QueryLog", "tokens"]

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def tokens(query: str, stop: Collection[str] = ()) -> tuple[str, ...]:
    """Return the words of a query in order, in small letters and one Unicode form, without stop words.

    >>> tokens("The Café at Fahrer's corner, 2nd floor", stop=["the", "at"])
    ('café', "fahrer's", 'corner', '2nd', 'floor')
    """
    plain = unicodedata.normalize("NFC", query.casefold())
    return tuple(word for word in _WORD.findall(plain) if word not in stop)


@frozen(eq=False, repr=False)
class QueryLog:
    """Queries in the order in which they were asked; ``times`` and ``urls`` may be missing, an url of no click is ``None``.

    Examples
    --------
    >>> log = QueryLog.of([("u1", "tennis racket"), ("u2", "jazz"), ("u1", "jazz")])
    >>> len(log), log.distinct_users, log.users_of["jazz"]
    (3, 2, 2)
    """

    users: tuple[str, ...]
    queries: tuple[str, ...]
    times: tuple[str, ...] | None = None
    urls: tuple[str | None, ...] | None = None

    @classmethod
    def of(
        cls,
        source: object,
        *,
        user: str = "user",
        query: str = "query",
        time: str | None = None,
        url: str | None = None,
    ) -> QueryLog:
        """Read a log from pairs (user, query), or from a frame or a file with columns of these names.

        With ``time`` queries are put in its order. Rows without a query are left out; one without a user is refused.
        """
        if isinstance(source, QueryLog):
            return source
        if isinstance(source, Sequence) and not isinstance(source, (str, bytes)) and not isinstance(source, Table):
            return cls._of_pairs(source)
        table = source if isinstance(source, Table) else read(source)
        names = [user, query, *([time] if time else []), *([url] if url else [])]
        for name, key in zip(names, ("user", "query", "time", "url"), strict=False):
            if name not in table.types:
                raise BadRequest("is not a column", parameter=key, value=name, available=table.columns)
        rows = [row for row in table.select(names).to_rows() if row[1] is not None]
        if any(row[0] is None for row in rows):
            raise BadRequest("rows do not say who asked", column=user)
        if time is not None:
            if any(row[2] is None for row in rows):
                raise BadRequest("rows do not say when", column=time)
            rows.sort(key=lambda row: row[2])
        return cls(
            tuple(to_text(row[0]) for row in rows),
            tuple(to_text(row[1]) for row in rows),
            None if time is None else tuple(to_text(row[2]) for row in rows),
            None if url is None else tuple(None if row[-1] is None else to_text(row[-1]) for row in rows),
        )

    @classmethod
    def _of_pairs(cls, pairs: Iterable[object]) -> QueryLog:
        listed = list(pairs)
        for one in listed:
            if not isinstance(one, (tuple, list)) or len(one) != 2 or not all(isinstance(text, str) for text in one):
                raise BadRequest("must be pairs of a user and a query, both texts", parameter="source")
        held = [(str(one[0]), str(one[1])) for one in listed if isinstance(one, (tuple, list))]
        return cls(tuple(user for user, _ in held), tuple(query for _, query in held))

    def __post_init__(self) -> None:
        """Refuse columns of different length."""
        lengths = {len(held) for held in (self.users, self.queries, self.times, self.urls) if held is not None}
        if len(lengths) > 1:
            raise BadRequest("has columns of different length", parameter="query log")

    def __len__(self) -> int:
        return len(self.queries)

    def __repr__(self) -> str:  # queries tell of persons
        return f"QueryLog({len(self):,} queries of {self.distinct_users:,} users)"

    @cached_property
    def distinct_users(self) -> int:
        """How many users asked something."""
        return len(set(self.users))

    @cached_property
    def by_user(self) -> Mapping[str, tuple[int, ...]]:
        """User -> the places of the queries, in order of the first query of each user."""
        found: dict[str, list[int]] = {}
        for at, user in enumerate(self.users):
            found.setdefault(user, []).append(at)
        return {user: tuple(places) for user, places in found.items()}

    @cached_property
    def users_of(self) -> Mapping[str, int]:
        """Query, its words in order -> how many distinct users asked it."""
        pairs = {(" ".join(tokens(query)), user) for query, user in zip(self.queries, self.users, strict=True)}
        return Counter(query for query, _ in pairs)
