"""What is read of a token and its neighbours: attributes by name, the same for training and for tagging.

Of the token itself: its word, beginnings and ends of up to three signs, the shape of its letters and digits, lists that hold
it, recognisers that found it, and the space before it. Of the neighbours up to two away the word, the shape and what was found;
of those three and four before the word alone. Pairs of words and runs of three shapes join neighbours.

Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 16.3.2; Gardner, Xiong, "HIDE", 2008.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.identifiers.person_name import PersonName
from sfumato.kernels.arrays import Ints
from sfumato.text.documents import Span
from sfumato.text.extraction.gazetteers import Gazetteers
from sfumato.text.extraction.tokens import Tokens, tokenized
from sfumato.text.recognised import loose_forms, proven

__all__ = ["VERSION", "Attributes", "Read", "read"]

VERSION = 1
"""Of the attributes; a model is used with those that it was trained with."""

_OFFSETS = (0, -1, 1, -2, 2, -3, -4)
_PADDING = 4
_BITS = 20  # of the number of a key or a shape, three of which are one number
_MASK = (1 << _BITS) - 1
_MOST = 50_000  # keys that are remembered
_LONGEST, _PREFERRED = 1024, 512  # tokens of a sequence
# A key is all that the attributes of one place depend on: its word, the space before it, and what was found there. It is a
# text because texts, unlike tuples, cost the collector of garbage nothing.
_GAPS = ("\x1c", "\x1d", "\x1e")
_MARK = "\x1f"
_PAD = _GAPS[0]


@frozen(eq=False)
class Read:
    """A text as tokens with their keys, and the spans that recognisers prove."""

    tokens: Tokens
    keys: list[str]
    proven: tuple[Span, ...]

    @cached_property
    def starts(self) -> list[int]:
        """Where tokens begin."""
        return [*self.tokens.starts.tolist()]

    @cached_property
    def ends(self) -> list[int]:
        """Where tokens end."""
        return [*self.tokens.ends.tolist()]

    def sequences(self) -> list[tuple[int, int]]:
        """Return the tokens in pieces: long texts are cut where a line ends, or anywhere if none does."""
        out, start, size = list[tuple[int, int]](), 0, len(self.keys)
        while size - start > _LONGEST:
            ends = np.flatnonzero(self.tokens.gaps[start + _PREFERRED : start + _LONGEST] == 2)
            stop = start + (_PREFERRED + int(ends[0]) if len(ends) else _LONGEST)
            out.append((start, stop))
            start = stop
        return [*out, (start, size)] if size else []


def read(text: str, gazetteers: Gazetteers) -> Read:
    """Return a text as a chain reads it."""
    tokens, found = tokenized(text), proven(text)
    keys = [word + _GAPS[gap] for word, gap in zip(tokens.words, tokens.gaps.tolist(), strict=True)]
    hints = [*found, *((start, end, f"~{form}") for start, end, form in loose_forms(text))]
    if hints:
        first = np.searchsorted(tokens.ends, [start for start, _, _ in hints], side="right").tolist()
        last = np.searchsorted(tokens.starts, [end for _, end, _ in hints], side="left").tolist()
        for (_, _, form), begin, behind in zip(hints, first, last, strict=True):
            for at in range(begin, behind):
                keys[at] += f"{_MARK}{form}{'+' if at > begin else ''}"
    for begin, behind, name in gazetteers.terms([word.lower() for word in tokens.words]):
        for at in range(begin, behind):
            keys[at] += f"{_MARK}in {name}{'+' if at > begin else ''}"
    return Read(tokens, keys, found)


def shape(word: str) -> str:
    """Return the kinds of signs: capitals X, other letters x, both once for a run, and each digit of up to eight.

    >>> shape("Müller"), shape("McDonald"), shape("2024"), shape("USA")
    ('Xx', 'XxXx', 'dddd', 'X')
    """
    if word.isdecimal():
        return "d" * min(len(word), 8)
    out = ""
    for sign in word:
        kind = "X" if sign.isupper() else "x" if sign.isalpha() else sign
        if not out.endswith(kind):
            out += kind
    return out


def _number(word: str) -> str:
    value = int(word) if len(word) <= 4 else -1
    for bound, name in ((0, "0"), (12, "month"), (31, "day"), (120, "age")):
        if 0 <= value <= bound:
            return name
    return "year" if 1900 <= value <= 2035 else str(min(len(word), 17))


class _Word(NamedTuple):
    """What is read of a word wherever it stands."""

    small: str
    shape: str
    near: tuple[str, ...]
    whole: tuple[str, ...]


class _Table:
    """Rows of attributes by key, as one array that grows; -1 is none."""

    def __init__(self) -> None:
        self.rows = np.full((1024, 8), -1, np.int64)
        self.sizes = np.zeros(1024, np.int64)

    def put(self, at: int, rows: Sequence[int]) -> None:
        """Hold the rows of a key."""
        height, width = self.rows.shape
        if at >= height or len(rows) > width:
            grown = np.full((max(height, 2 * at), max(width, len(rows))), -1, np.int64)
            grown[:height, :width] = self.rows
            self.rows, self.sizes = grown, np.resize(self.sizes, len(grown))
        self.rows[at, : len(rows)], self.rows[at, len(rows) :] = rows, -1
        self.sizes[at] = len(rows)

    def taken(self, used: Ints, ids: Ints) -> Ints:
        """Return the rows of keys, as wide as the used ones need."""
        return self.rows[:, : int(self.sizes[used].max(initial=0))][ids]


@dataclass
class Attributes:
    """Attributes by name with their rows; ``grow`` gives a row to each new one, as training does."""

    rows: dict[str, int]
    gazetteers: Gazetteers
    grow: bool = False
    _words: dict[str, _Word] = field(default_factory=dict, repr=False)
    _keys: dict[str, int] = field(default_factory=dict, repr=False)
    _held: list[_Word] = field(default_factory=list, repr=False)
    _shapes: dict[str, int] = field(default_factory=dict, repr=False)
    _shape_of: list[int] = field(default_factory=list, repr=False)
    _joins: dict[str, dict[int, int]] = field(default_factory=dict, repr=False)
    _tables: list[_Table] = field(default_factory=lambda: [_Table() for _ in _OFFSETS], repr=False)

    def of(self, sequences: Iterable[Sequence[str]]) -> tuple[Ints, list[int]]:
        """Return the rows of the attributes of each place, and where each sequence begins; -1 is none."""
        if len(self._keys) > _MOST:
            self._keys.clear()
            for held in (self._held, self._shape_of, self._shapes, self._joins):
                held.clear()
        places, begins = [self._key(_PAD)] * _PADDING, list[int]()
        known = self._keys.get
        for keys in sequences:
            begins.append(len(places) - _PADDING)
            places += [self._key(key) if (at := known(key)) is None else at for key in keys]
            places += places[:_PADDING]
        return self._rows(places), begins

    def _rows(self, places: list[int]) -> Ints:
        ids, size = np.array(places, np.int64), len(places) - 2 * _PADDING
        inside = slice(_PADDING, _PADDING + size)
        blocks = [
            table.taken(ids, ids[_PADDING + offset : _PADDING + offset + size])
            for table, offset in zip(self._tables, _OFFSETS, strict=True)
        ]
        shapes = np.array(self._shape_of, np.int64)[ids]
        before, after = slice(_PADDING - 1, _PADDING + size - 1), slice(_PADDING + 1, _PADDING + size + 1)
        held = self._held
        pairs = self._joined(
            "ww", ids[before] << _BITS | ids[inside], lambda one, two: f"{held[one].small} {held[two].small}"
        )
        nexts = self._joined(
            "wx", ids[inside] << _BITS | ids[after], lambda one, two: f"{held[one].small} {held[two].small}"
        )
        names = list(self._shapes)
        forms = self._joined(
            "ss",
            (shapes[before] << _BITS | shapes[inside]) << _BITS | shapes[after],
            lambda two, three: f"{names[two >> _BITS]} {names[two & _MASK]} {names[three]}",
        )
        blocks.append(np.array([pairs, nexts, forms], np.int64).reshape(3, size).T)
        return np.concatenate(blocks, axis=1)

    def _joined(self, mark: str, codes: Ints, words: Callable[[int, int], str]) -> list[int]:
        """Return the rows of what neighbours are together, by the numbers of both; remembered, because they come again."""
        known, out = self._joins.setdefault(mark, {}), list[int]()
        for code in codes.tolist():
            row = known.get(code)
            if row is None:
                row = known[code] = self._row(f"{mark} {words(code >> _BITS, code & _MASK)}")
            out.append(row)
        return out

    def _row(self, name: str) -> int:
        return self.rows.setdefault(name, len(self.rows)) if self.grow else self.rows.get(name, -1)

    def _key(self, key: str) -> int:
        at = self._keys.get(key)
        if at is None:
            at = self._keys[key] = len(self._held)
            word = self._new(key, at)
            self._held.append(word)
            self._shape_of.append(self._shapes.setdefault(word.shape, len(self._shapes)))
        return at

    def _new(self, key: str, at: int) -> _Word:
        begin, *found = key.split(_MARK)
        said, gap = begin[:-1], _GAPS.index(begin[-1])
        word = self._words.get(said) or self._word(said)
        marks = tuple(f"m {mark}" for mark in found)
        by_offset = {
            0: (*word.whole, *marks, f"g {gap}", f"gs {gap} {word.shape}"),
            -1: (*word.near, *marks, f"g {gap}"),
            1: (*word.near, *marks, f"g {gap}"),
            -2: (*word.near, *marks),
            2: (*word.near, *marks),
            -3: word.near[:1],
            -4: word.near[:1],
        }
        for table, offset in zip(self._tables, _OFFSETS, strict=True):
            names = [f"{max(offset, -3)} {name}" for name in by_offset[offset]]
            table.put(at, [row for row in map(self._row, names) if row >= 0])
        return word

    def _word(self, word: str) -> _Word:
        small, form = word.lower(), shape(word)
        hints: tuple[str, ...]
        if word.isdecimal():
            hints, small = (f"n {_number(word)}",), f"#{len(word)}" if len(word) > 2 else "#"
            parts = [f"p {word[:2]}"]
        else:
            hints = tuple(f"l {name}" for name in self.gazetteers.of_word(small))
            if len(word) > 1 and _NAMES.match(word):
                hints = (*hints, "l person")
            parts = [f"p {small[:size]}" for size in (1, 2, 3)] + [f"e {small[-size:]}" for size in (1, 2, 3)]
        near = (f"w {small}", f"s {form}", *hints)
        made = _Word(small, form, near, (*near, *parts))
        if len(self._words) > _MOST:
            self._words.clear()
        self._words[word] = made
        return made


_NAMES = PersonName()
