"""Which documents are about the same person: by equal keys first, then by how much agreement weighs against chance."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import log2

from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.text import bare
from sfumato.errors import BadRequest
from sfumato.text.documents import Documents
from sfumato.text.terms import words_of

__all__ = ["Comparison", "Linking", "PossibleLink", "link_documents", "similarity"]

_LARGEST_BLOCK = 200
_DIGIT = re.compile(r"\d")
_LEAST_CHANCE = 1e-6


@frozen
class Comparison:
    """How documents without an equal key are compared: Fellegi and Sunter's weights, with two thresholds.

    What documents tell of a type agrees if it is as similar as ``alike`` (:func:`similarity`), numbers if they are equal.
    Documents of one person agree with the probability ``m``, which is ``truly``, others with ``u``, the counted chance that two
    tell the same by accident. Agreement weighs ``log2(m / u)``, disagreement ``log2((1 - m) / (1 - u))``, what one of them does
    not tell nothing. From ``link_at`` on two documents are of one person; from ``review_at`` on somebody should look.
    """

    types: tuple[str, ...]
    link_at: float = 8.0
    review_at: float = 3.0
    alike: float = 0.9
    truly: float = 0.95

    def __post_init__(self) -> None:
        if self.review_at > self.link_at:
            raise BadRequest("must not be above link_at", parameter="linking.review_at", value=self.review_at)

    def weight(self, agrees: bool, chance: float) -> float:
        """Return what it weighs that two documents agree, or do not, on a type with this chance of agreeing by accident.

        >>> Comparison(("name",)).weight(True, 1 / 64).__round__(2), Comparison(("name",)).weight(False, 0.5).__round__(2)
        (5.93, -3.32)
        """
        u = min(max(chance, _LEAST_CHANCE), self.truly)
        return log2(self.truly / u) if agrees else log2((1 - self.truly) / (1 - u))


@frozen
class PossibleLink:
    """Two documents that may be about one person, for somebody to look at: where they stand, and what that weighs."""

    first: int
    second: int
    weight: float
    agree: tuple[str, ...]


@frozen(eq=False, repr=False)
class Linking:
    """The person of each document, p1, p2, … in the order of the documents, and pairs that somebody should look at."""

    persons: tuple[str, ...]
    review: tuple[PossibleLink, ...] = ()
    exact: int = 0
    """Links by an equal key."""
    weighed: int = 0
    """Links by weight."""


def link_documents(
    documents: Documents, keys: Sequence[str], comparison: Comparison | None = None, run: Run | None = None
) -> Linking:
    """Return whose document each is.

    Documents are of one person if they say so. If some do not, also if they tell the same of one of the ``keys`` (spaces and
    case aside), and then if what else they tell weighs enough. They are compared in their order, where they share a word of
    what is compared; what is linked is joined.

    >>> notes = Documents.of(["<mrn>7</mrn> Ann", "MRN <mrn>7</mrn>", "<mrn>8</mrn>"], tagged=True)
    >>> link_documents(notes, ["mrn"]).persons
    ('p1', 'p1', 'p2')

    References
    ----------
    Fellegi, Sunter, "A theory for record linkage", 1969, doi:10.1080/01621459.1969.10501049.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 16.3.2.
    """
    run = Run.of(run)
    sets = _Sets(len(documents))
    said = all(document.person is not None for document in documents)
    exact = sum(sets.join(one, two) for one, two in _equal(documents, () if said else keys))
    review, weighed = list[PossibleLink](), 0
    if comparison is not None and not said:
        for pair in _compared(documents, comparison, sets, run):
            if pair.weight >= comparison.link_at:
                weighed += sets.join(pair.first, pair.second)
            else:
                review.append(pair)
    number: dict[int, str] = {}
    persons = tuple(number.setdefault(sets.root(at), f"p{len(number) + 1}") for at in range(len(documents)))
    apart = tuple(one for one in review if persons[one.first] != persons[one.second])
    return Linking(persons, apart, exact, weighed)


def similarity(one: str, two: str) -> float:
    """Return how alike two texts are, from 0 to 1: Jaro's similarity, raised by up to four equal first letters (Winkler).

    >>> round(similarity("martha", "marhta"), 4), round(similarity("dixon", "dicksonx"), 4), similarity("a", "")
    (0.9611, 0.8133, 0.0)

    References
    ----------
    Winkler, "String comparator metrics and enhanced decision rules in the Fellegi-Sunter model of record linkage", 1990.
    """
    if one == two:
        return 1.0
    reach = max(max(len(one), len(two)) // 2 - 1, 0)
    taken, matched = set[int](), list[str]()
    for at, sign in enumerate(one):
        near = range(max(0, at - reach), min(len(two), at + reach + 1))
        found = next((place for place in near if place not in taken and two[place] == sign), None)
        if found is not None:
            taken.add(found)
            matched.append(sign)
    common = len(matched)
    if not common:
        return 0.0
    moved = sum(sign != two[place] for sign, place in zip(matched, sorted(taken), strict=True)) // 2
    jaro = (common / len(one) + common / len(two) + (common - moved) / common) / 3
    first = next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    return jaro + min(first, 4) * 0.1 * (1 - jaro)


class _Sets:
    """Documents joined to persons: the first document of a person stands for all."""

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))

    def root(self, at: int) -> int:
        while self._parent[at] != at:
            self._parent[at] = self._parent[self._parent[at]]
            at = self._parent[at]
        return at

    def join(self, one: int, two: int) -> bool:
        """Join two persons; tell whether they were apart."""
        first, second = sorted((self.root(one), self.root(two)))
        self._parent[second] = first
        return first != second


def _equal(documents: Documents, keys: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield documents with the one that told the same key first."""
    first: dict[tuple[str, str], int] = {}
    for at, document in enumerate(documents):
        marks = [(span.type, bare(document.said(span)).casefold()) for span in document.spans if span.type in keys]
        if document.person is not None:
            marks.append(("\0person", document.person))
        for mark in marks:
            before = first.setdefault(mark, at)
            if before != at:
                yield before, at


def _compared(documents: Documents, comparison: Comparison, sets: _Sets, run: Run) -> Iterator[PossibleLink]:
    """Yield pairs of documents that weigh enough to be looked at, in the order of the documents."""
    told = [_told(documents, at, comparison.types) for at in range(len(documents))]
    chance = {name: _chance([one[name] for one in told if name in one]) for name in comparison.types}
    blocks: dict[tuple[str, str], list[int]] = {}
    for at, one in enumerate(told):
        words = {(name, word.term[:3]) for name, values in one.items() for value in values for word in words_of(value)}
        for key in sorted(words):
            blocks.setdefault(key, []).append(at)
    # What very many documents begin with tells nobody apart, and comparing all of them would take for ever.
    pairs = {pair for block in blocks.values() if len(block) <= _LARGEST_BLOCK for pair in combinations(block, 2)}
    run.stage("linking", len(pairs))
    for done, (first, second) in enumerate(sorted(pairs)):
        run.tick(done)
        if sets.root(first) == sets.root(second):
            continue
        both = [name for name in comparison.types if name in told[first] and name in told[second]]
        agree = tuple(name for name in both if _agrees(told[first][name], told[second][name], comparison.alike))
        weight = sum(comparison.weight(name in agree, chance[name]) for name in both)
        if agree and weight >= comparison.review_at:
            yield PossibleLink(first, second, weight, agree)
    run.tick(len(pairs))


def _told(documents: Documents, at: int, types: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Return what a document tells of some types, words in the order of letters: Lee, Ann is Ann Lee."""
    document, out = documents.held[at], dict[str, list[str]]()
    for span in document.spans:
        if span.type in types:
            words = sorted(word.term for word in words_of(document.said(span)))
            if words:
                out.setdefault(span.type, []).append(" ".join(words))
    return {name: tuple(dict.fromkeys(values)) for name, values in out.items()}


def _agrees(one: Sequence[str], two: Sequence[str], alike: float) -> bool:
    return any(a == b or (not _DIGIT.search(a + b) and similarity(a, b) >= alike) for a in one for b in two)


def _chance(told: Sequence[Sequence[str]]) -> float:
    """Return how likely two documents tell the same of a type by accident: ``sum_v p(v) ** 2`` over first mentions."""
    counts = Counter(values[0] for values in told)
    total = counts.total()
    return sum((count / total) ** 2 for count in counts.values()) if total else 1.0
