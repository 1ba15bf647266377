"""Where a text speaks of known terms: words as they are written, terms of several words first, case aside."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

__all__ = ["Found", "Terms", "folded", "signs_of", "words_of"]

# Signs that nobody sees (a soft hyphen, spaces of no width) and marks that stand on the letter before belong to its word.
_UNSEEN = dict.fromkeys((0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
_UNDOTTED = {0x0131: "i"}  # Turkish writes I without and İ with a dot: with or without, it is the same name
_WORD = re.compile(
    r"\w[\w\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f\u00ad\u200b-\u200d\u2060\ufeff]*"
)


class Found(NamedTuple):
    """A term in a text, from its first sign to behind its last."""

    start: int
    end: int
    term: str


def words_of(text: str) -> Iterator[Found]:
    """Yield the words of a text, each as it is compared: composed, without regard to case and to signs that nobody sees."""
    plain = text.isascii()  # then nothing is to be composed, and lower case is all that casefold does
    for match in _WORD.finditer(text):
        yield Found(match.start(), match.end(), match[0].lower() if plain else folded(match[0]))


def folded(word: str) -> str:
    """Return a word as it is compared.

    >>> folded("Ann") == folded("ANN"), folded("İpek") == folded("IPEK") == folded("ıpek")
    (True, True)
    """
    if word.isascii():
        return word.lower()
    seen = unicodedata.normalize("NFKC", word.translate(_UNSEEN)).casefold()
    return seen.translate(_UNDOTTED).replace("i\u0307", "i")


def signs_of(text: str) -> int:
    """Return how many signs the words of a text have; what has one is found everywhere and tells of nobody.

    >>> signs_of("O'"), signs_of("Ann Lee")
    (1, 6)
    """
    return sum(len(one.term) for one in words_of(text))


@dataclass(frozen=True, eq=False)
class Terms:
    """Known terms by their first word, longest first.

    >>> [found.term for found in Terms.of(["heart", "heart attack"]).found("A Heart  attack; his heart")]
    ['heart attack', 'heart']
    """

    by_first: Mapping[str, Mapping[int, Mapping[tuple[str, ...], str]]]
    """Terms by their first word and how many words they have, the longest first."""

    @classmethod
    def of(cls, terms: Iterable[str]) -> Self:
        """Return an index of terms; one without a word in it is found nowhere."""
        first: dict[str, dict[int, dict[tuple[str, ...], str]]] = {}
        for term in terms:
            words = tuple(found.term for found in words_of(term))
            if words:
                first.setdefault(words[0], {}).setdefault(len(words), {}).setdefault(words, term)
        return cls({word: dict(sorted(held.items(), reverse=True)) for word, held in first.items()})

    def found(self, text: str) -> list[Found]:
        """Return the terms in a text in its order; none overlaps another."""
        places = list(_WORD.finditer(text))
        fold = str.lower if text.isascii() else folded
        words, out, behind = [fold(match[0]) for match in places], list[Found](), 0
        for at, word in enumerate(words):
            if at < behind or word not in self.by_first:
                continue
            for length, terms in self.by_first[word].items():
                term = terms.get(tuple(words[at : at + length]))
                if term is not None:
                    behind = at + length
                    out.append(Found(places[at].start(), places[behind - 1].end(), term))
                    break
        return out
