"""Where a text speaks of known terms: words as they are written, terms of several words first, case aside."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple, Self

from sfumato.data.frozen import frozen

__all__ = ["Found", "Terms", "Words", "folded", "folded_words", "signs_of", "visible", "words_in", "words_of"]

# Signs that nobody sees (a soft hyphen, spaces of no width, marks of direction) and marks that stand on the letter before
# belong to its word.
_UNSEEN_SIGNS = "\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff"
_UNSEEN = re.compile(f"[{_UNSEEN_SIGNS}]+")
_UNDOTTED = {0x0131: "i"}  # Turkish writes I without and İ with a dot: with or without, it is the same name
_WORD = re.compile(
    r"\w[\w\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
    rf"{_UNSEEN_SIGNS}]*"
)
# Letters of Greek and Cyrillic that look like Latin ones, by their capitals; a name may be written with any of them.
_LOOKS = str.maketrans("авекмнорстухіјѕԁɡαβεζηικνορτυχϲ", "abekmhopctyxijsdgabezhiknoptyxc")
_LOOKS_SMALL = str.maketrans("νυηγᴀɑ", "vunyaa")  # small ones that look like another letter than their capitals
_STRANGE = re.compile("[\u0251\u0261\u0370-\u03ff\u0400-\u052f\u1d00]")
_STRANGE_WORD = re.compile(rf"\w*{_STRANGE.pattern}\w*")
_LOOKS_CASED = _LOOKS | {
    ord(chr(one).upper()): chr(two).upper() for one, two in _LOOKS.items() if len(chr(one).upper()) == 1
}
_LATIN = re.compile("[A-Za-z]")
_BREAK = re.compile(r"(?<=\w)[-\u00ad\u2010\u2011][ \t]*\r?\n[ \t]*(?=\w)")


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


def words_in(text: str) -> list[str]:
    """Return the words of a text as they are written."""
    return _WORD.findall(text)


def folded_words(text: str) -> list[str]:
    """Return the words of a text as they are compared; where they stand is not asked.

    >>> folded_words("Ann  LEE")
    ['ann', 'lee']
    """
    return _WORD.findall(text.lower()) if text.isascii() else [folded(word) for word in _WORD.findall(text)]


def visible(text: str) -> tuple[str, list[int] | None]:
    """Return a text as a reader sees it, and where each of its signs stood if that is another text.

    Signs that nobody sees are left out; in words of several scripts letters are those that they look like.

    >>> visible("Sm\u200bith"), visible("Smith"), visible("Ѕmith")[0] == "Smith"
    (('Smith', [0, 1, 3, 4, 5]), ('Smith', None), True)
    """
    if text.isascii():
        return text, None
    mixed = [match for match in _STRANGE_WORD.finditer(text) if _LATIN.search(match[0])]
    if not mixed and _UNSEEN.search(text) is None:
        return text, None
    signs = list(text)
    for match in mixed:
        signs[match.start() : match.end()] = match[0].translate(_LOOKS_SMALL).translate(_LOOKS_CASED)
    kept = [at for at, sign in enumerate(signs) if not _UNSEEN.fullmatch(sign)]
    return "".join(signs[at] for at in kept), kept


def folded(word: str) -> str:
    """Return a word as it is compared.

    Letters that look alike are one, whatever script they are of.

    >>> folded("Ann") == folded("ANN"), folded("İpek") == folded("IPEK") == folded("ıpek")
    (True, True)
    >>> folded("Ѕmіth") == folded("Smith") == folded("Sm\u200bith")
    True
    """
    if word.isascii():
        return word.lower()
    seen = unicodedata.normalize("NFKC", _UNSEEN.sub("", word))
    if len(seen) > 1 and _STRANGE.search(seen):  # a single one is a sign of its own: an alpha, a beta
        if _LATIN.search(seen):
            seen = seen.translate(_LOOKS_SMALL)
        return seen.casefold().translate(_LOOKS)
    return seen.casefold().translate(_UNDOTTED).replace("i\u0307", "i")


def signs_of(text: str) -> int:
    """Return how many signs the words of a text have; what has one is found everywhere and tells of nobody.

    >>> signs_of("O'"), signs_of("Ann Lee")
    (1, 6)
    """
    return sum(map(len, folded_words(text)))


class Words:
    """The words of a text, to be looked through more than once: as they are written, and as they are compared.

    What begins at one of the places that are ``taken`` need not be looked for: whoever asks knows it already.
    """

    def __init__(self, text: str, taken: Iterable[tuple[int, int]] = ()) -> None:
        self.text = text
        self._taken = bytearray()
        for start, end in taken:
            self._taken = self._taken or bytearray(len(text))
            self._taken[start:end] = b"\1" * (end - start)
        self.said = words_in(text)
        fold = str.lower if text.isascii() else folded
        self.folds = {word: fold(word) for word in set(self.said)}

    @cached_property
    def starts(self) -> list[int]:
        """Where they begin."""
        return [match.start() for match in _WORD.finditer(self.text)]

    def is_taken(self, start: int) -> bool:
        """Tell whether a sign lies in a place that is known already."""
        return bool(self._taken) and self._taken[start] == 1

    def among(self, known: Container[str], but: Container[str] | None = None) -> list[int]:
        """Return which words are among these as they are written, outside of places that are taken.

        Where it is said which are left out there (``but``), all others count in such places, too.
        """
        said, taken, starts = self.said, self._taken, self.starts
        met = [at for at, word in enumerate(said) if word in known]
        if not taken:
            return met
        return [at for at in met if not taken[starts[at]] or (but is not None and said[at] not in but)]

    def end(self, at: int) -> int:
        """Return where a word ends."""
        return self.starts[at] + len(self.said[at])

    @cached_property
    def breaks(self) -> list[tuple[int, int]]:
        """Where a line breaks a word with a hyphen."""
        return [match.span() for match in _BREAK.finditer(self.text)]

    def with_breaks(self, find: Callable[[Words], list[Found]]) -> list[Found]:
        """Return what is found in the text, and in the text whose words are put together that a line breaks with a hyphen."""
        found = find(self)
        if not self.breaks:
            return found
        edges, gone, parts, at = list[int](), [0], list[str](), 0
        for start, end in self.breaks:
            parts.append(self.text[at:start])
            edges.append(start - gone[-1])
            gone.append(gone[-1] + end - start)
            at = end
        again = [
            Found(one.start + gone[first], one.end + gone[behind], one.term)
            for one in find(Words("".join([*parts, self.text[at:]])))
            if (first := bisect_right(edges, one.start)) < (behind := bisect_left(edges, one.end))
        ]
        if not again:
            return found
        begins = [one.start for one in again]
        apart = [one for one in found if not (at := bisect_left(begins, one.end)) or again[at - 1].end <= one.start]
        return sorted([*apart, *again])


@frozen(eq=False)
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
            words = tuple(folded_words(term))
            if words:
                first.setdefault(words[0], {}).setdefault(len(words), {}).setdefault(words, term)
        return cls({word: dict(sorted(held.items(), reverse=True)) for word, held in first.items()})

    def found(self, text: str | Words) -> list[Found]:
        """Return the terms in a text in its order; none overlaps another."""
        return (text if isinstance(text, Words) else Words(text)).with_breaks(self._found)

    def _found(self, words: Words) -> list[Found]:
        said, folds, out, behind = words.said, words.folds, list[Found](), 0
        known = {word: self.by_first[fold] for word, fold in folds.items() if fold in self.by_first}
        if not known:
            return out
        alone = {  # words that begin no longer term: nothing is to be put together
            word: terms[1][folds[word],] for word, terms in known.items() if len(terms) == 1 and 1 in terms
        }
        second = {
            word: {term[1] for length, terms in known[word].items() if length > 1 for term in terms}
            for word in known.keys() - alone.keys()
        }
        starts, last = words.starts, len(said) - 1
        for at in words.among(known, but=alone):
            if at < behind:
                continue
            word = said[at]
            if word in alone:
                out.append(Found(starts[at], starts[at] + len(word), alone[word]))
                continue
            longer = at < last and folds[said[at + 1]] in second[word]
            for length, terms in known[word].items():
                if length > 1 and not longer:
                    continue
                term = terms.get(tuple([folds[one] for one in said[at : at + length]]))
                if term is not None:
                    behind = at + length
                    out.append(Found(starts[at], words.end(behind - 1), term))
                    break
        return out
