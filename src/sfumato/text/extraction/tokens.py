"""Words, numbers and signs of a text with the places where they stand; every sign that is no space belongs to one of them."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.kernels.arrays import Ints

__all__ = ["Tokens", "tokenized"]

_BEYOND = (0xE0100, 0xE01F0)  # variation selectors; other marks lie below
_MARKED = 0x20000
_PLAIN = re.compile(r"[^\W\d_]+|\d+|\S")  # a token of a text without marks on letters, found faster
_GLUED, _SPACED, _BROKEN = range(3)


@frozen(eq=False)
class Tokens:
    """Tokens in order: what they say, where they begin and end, and what is before them (0 nothing, 1 space, 2 a new line)."""

    words: list[str]
    starts: Ints
    ends: Ints
    gaps: Ints

    def __len__(self) -> int:
        return len(self.words)


@cache
def _forms() -> tuple[frozenset[str], re.Pattern[str]]:
    """Return the marks, and the pattern of a token: letters with the marks upon them, digits, or one sign with its marks.

    Marks (accents, vowel signs, joiners) are no letters to ``re``; a word that they stand in must not fall apart.
    """
    marks = "".join(
        chr(code)
        for code in (*range(0x300, _MARKED), *range(*_BEYOND))
        if unicodedata.category(chr(code)) in ("Mn", "Mc", "Me", "Cf")
    )
    held = f"[{re.escape(marks)}]"
    return frozenset(marks), re.compile(rf"[^\W\d_]+(?:{held}+[^\W\d_]*)*|\d+|\S{held}*")


def tokenized(text: str) -> Tokens:
    """Return the tokens of a text.

    >>> tokenized("Dr. Müller,\\n41").words, tokenized("Dr. Müller,\\n41").gaps.tolist()
    (['Dr', '.', 'Müller', ',', '41'], [2, 0, 1, 0, 2])
    """
    marks, marked = _forms()
    form = _PLAIN if text.isascii() or marks.isdisjoint(set(text)) else marked
    words: list[str] = form.findall(text)
    starts = np.fromiter((found.start() for found in form.finditer(text)), np.int64, len(words))
    ends = starts + np.fromiter(map(len, words), np.int64, len(words))
    lines = np.array([found.start() for found in re.finditer(r"[\n\r\u2028\u2029]", text)], np.int64)
    seen = np.searchsorted(lines, starts)
    gaps = np.full(len(words), _BROKEN, np.int64)
    if len(words) > 1:
        after = np.where(starts[1:] == ends[:-1], _GLUED, _SPACED)
        gaps[1:] = np.where(seen[1:] > seen[:-1], _BROKEN, after)
    return Tokens(words, starts, ends, gaps)
