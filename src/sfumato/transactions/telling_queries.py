"""Queries that tell who asked them: rare ones with a person's name, long runs of digits, numbers of a known form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from sfumato.catalogue import things
from sfumato.contracts.identifier import Identifier
from sfumato.data.frozen import frozen
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.identifiers.person_name import PersonName
from sfumato.transactions.query_log import QueryLog, tokens

__all__ = ["DIGITS", "NAME", "TellingQuery", "telling_queries"]

NAME, DIGITS = PersonName.id, "digits"

_ORDINARY = ("url",)  # people type addresses of well-known sites into search fields


@frozen(repr=False)
class TellingQuery:
    """A query that may tell who asked it: the places in the log, how many users asked it, and what it looks like.

    ``reasons`` are ``person-name``, ``digits``, or ids of identifiers.
    """

    places: tuple[int, ...]
    users: int
    reasons: tuple[str, ...]

    def __repr__(self) -> str:
        return f"TellingQuery({', '.join(self.reasons)}; asked by {self.users:,} users)"


def telling_queries(log: QueryLog, *, users: int = 5, digits: int = 5) -> list[TellingQuery]:
    """Return what fewer than so many users asked and looks like a name, or holds digits in a run of this length or longer.

    A query is like a name if a given name stands beside another name: people search for themselves. Digits
    and what a recogniser of identifiers finds (e-mail and IP addresses, IBANs, ...) count however many users asked, since a
    number that many ask for is still somebody's. Blanks, points and hyphens inside a run of digits are not counted.

    >>> log = QueryLog.of([("u1", "Anna Schmidt dresden"), ("u2", "jazz"), ("u3", "record 44-17-749")])
    >>> [(one.reasons, one.users) for one in telling_queries(log)]
    [(('person-name',), 1), (('digits',), 1)]

    References
    ----------
    Adar, "User 4XXXXX9: anonymizing query logs", 2007.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.7.
    """
    for name, value in (("users", users), ("digits", digits)):
        if value < 1:
            raise BadRequest("must be at least 1", parameter=name, value=value)
    places: dict[str, list[int]] = {}
    for at, query in enumerate(log.queries):
        places.setdefault(query.strip(), []).append(at)
    asked = Counter({query: len({log.users[at] for at in held}) for query, held in places.items()})
    out = []
    for query, held in places.items():
        reasons = [NAME] if asked[query] < users and _name_like(tokens(query)) else []
        reasons += [DIGITS] if _longest_run(query) >= digits else []
        reasons += [one.id for one in _recognisers() if one.search(query)]
        if reasons:
            out.append(TellingQuery(tuple(held), asked[query], tuple(reasons)))
    return out


def _name_like(words: Sequence[str]) -> bool:
    plain, name = [word.removesuffix("'s") for word in words], PersonName()
    return any(name.match(a) and name.match(b) and name.telling(f"{a} {b}") for a, b in pairwise(plain))


def _longest_run(query: str) -> int:
    runs = re.findall(r"\d(?:[ .\-/]?\d)*", query)
    return max((sum(sign.isdigit() for sign in run) for run in runs), default=0)


@cache
def _recognisers() -> tuple[Identifier, ...]:
    """Return what names a person and can be found inside a longer text."""
    found = [thing() for thing in things("identifier") if issubclass(thing, Identifier) and thing.id not in _ORDINARY]
    return tuple(one for one in found if one.inside is not None and one.traits.role is Role.IDENTIFIER)
