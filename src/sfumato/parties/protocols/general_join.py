"""General join: records of two holders that meet in a column that is no key, under fresh numbers."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.parties.conversation.protocol import Joint

__all__ = ["GeneralJoin", "JoinedRecords"]

Records = Mapping[str, str | None] | Sequence[tuple[str, str | None]]


@frozen
class JoinedRecords:
    """Pairs that meet, as (fresh number, first, second), what meets nobody, and how often one record appears at most."""

    pairs: tuple[tuple[int, str, str], ...]
    unmatched: tuple[tuple[str, ...], tuple[str, ...]]
    multiplicity: tuple[int, int]


class GeneralJoin(Joint):
    """Join the records of two holders on a column that is no key, and give every pair a fresh number.

    Values are compared as texts in normal form (NFC, trimmed, on request without case); missing ones never meet. A record that
    meets nobody is left out, one that meets several appears several times: then k records are no longer k persons, and the
    join is refused unless ``allow_duplicates`` says that this is meant. Numbers are drawn; without a generator they follow
    the order of both names. The column is exchanged openly, so it must not be sensitive; otherwise
    ``minimal-information-sharing`` finds who meets. In a contract between two holders ``align: {id: general-join}`` brings
    records together so, by the column that ``join`` names for each of them.

    Examples
    --------
    >>> GeneralJoin().of({"a1": "x", "a2": "y"}, {"b1": "y ", "b2": None}).pairs
    ((1, 'a2', 'b1'),)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 11.2.1.2.
    """

    id: ClassVar[str] = "general-join"

    allow_duplicates: bool = param(default=False, doc="whether a record may appear several times")
    fold_case: bool = param(default=False, doc="whether upper and lower case are alike")

    def of(self, first: Records, second: Records, *, rng: np.random.Generator | None = None) -> JoinedRecords:
        """Return who meets whom, given the joining value of each record by its name."""
        left, right = (self._by_value(given) for given in (first, second))
        pairs = sorted(
            (one, other) for value in left.keys() & right.keys() for one in left[value] for other in right[value]
        )
        most = tuple(_most([pair[at] for pair in pairs]) for at in (0, 1))
        if max(most) > 1 and not self.allow_duplicates:
            raise BadRequest(
                f"would make up to {max(most)} records of one: k records would no longer be k persons",
                parameter=f"{self.id}.allow_duplicates",
            )
        numbers = np.arange(len(pairs)) if rng is None else rng.permutation(len(pairs))
        joined = tuple((int(number) + 1, *pair) for number, pair in zip(numbers, pairs, strict=True))
        met = [{pair[at] for pair in pairs} for at in (0, 1)]
        alone = tuple(
            tuple(name for name, _ in _listed(given) if name not in seen)
            for given, seen in zip((first, second), met, strict=True)
        )
        return JoinedRecords(joined, (alone[0], alone[1]), (most[0], most[1]))

    def _by_value(self, given: Records) -> Mapping[str, list[str]]:
        out: dict[str, list[str]] = defaultdict(list)
        seen: set[str] = set()
        for name, value in _listed(given):
            if name in seen:
                raise BadRequest("names two records alike", parameter=self.id)
            seen.add(name)
            if value is not None:
                out[self.form(value)].append(name)
        return out

    def form(self, value: str) -> str:
        """Return a joining value in the form in which values are compared."""
        text = unicodedata.normalize("NFC", str(value)).strip()
        return text.casefold() if self.fold_case else text


def _listed(given: Records) -> Sequence[tuple[str, str | None]]:
    return list(given.items()) if isinstance(given, Mapping) else given


def _most(names: Sequence[str]) -> int:
    counts: dict[str, int] = defaultdict(int)
    for name in names:
        counts[name] += 1
    return max(counts.values(), default=0)
