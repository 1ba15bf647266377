"""Columns that all holders may see: for each record a number, what numbers are called, and how often each row occurs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.engine import RowTable
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.engines.packing import distinct_rows
from sfumato.kernels.arrays import Codes, Ints
from sfumato.parties.conversation.message import Body, OutOfProtocol
from sfumato.parties.sessions.session_end import Counted

__all__ = ["Coded", "Column", "counted_rows"]


@frozen(kw_only=True)
class Column(Body):
    """A column as all may see it, record by record: numbers, and what each of them is called."""

    type: ClassVar[str] = "share.column"
    name: str
    codes: bytes
    labels: tuple[str, ...]

    def reveals(self) -> str:
        """The column itself: the contract says that it is shared, or published."""
        return say("blocks.column", name=self.name)


@frozen(eq=False)
class Coded:
    """A column of texts: for each record the place of its text among ``labels``, which are in order, each once."""

    codes: Ints
    labels: tuple[str, ...]

    @classmethod
    def of(cls, codes: Ints | Codes, called: Sequence[str]) -> Coded:
        """Return a column of numbers that are called something; several may be called the same.

        >>> found = Coded.of(np.array([2, 0, 1, 2]), ["b", "b", "a"])
        >>> found.codes.tolist(), found.labels
        ([0, 1, 1, 0], ('a', 'b'))
        """
        used = np.zeros(len(called), bool)
        used[codes] = True
        texts = [called[at] for at in np.flatnonzero(used).tolist()]
        labels = tuple(sorted(set(texts)))
        at = {label: number for number, label in enumerate(labels)}
        place = np.zeros(len(called), np.int64)
        place[used] = [at[text] for text in texts]
        return cls(place[codes], labels)

    @classmethod
    def held(cls, table: RowTable, name: str) -> Coded:
        """Return a column of a table; what is missing, and may be, is an empty text."""
        return cls.of(table.codes([name])[:, 0], [*map(to_text, table.dictionary(name).values), ""])

    @classmethod
    def told(cls, body: Column, records: int) -> Coded:
        """Return a column that was sent; refuse other numbers of records, and numbers that are called nothing."""
        if len(body.codes) != 4 * records:
            raise OutOfProtocol("does not have one value for each record", parameter=Column.type)
        codes = np.frombuffer(body.codes, np.int32)
        if len(codes) and (codes.min() < 0 or codes.max() >= len(body.labels)):
            raise OutOfProtocol("holds values that it does not name", parameter=Column.type)
        return cls.of(codes, body.labels)

    def body(self, name: str) -> Column:
        """Return the column as it is sent."""
        return Column(name=name, codes=self.codes.astype(np.int32).tobytes(), labels=self.labels)

    def texts(self) -> list[str]:
        """Return the text of each record."""
        return [self.labels[at] for at in self.codes.tolist()]

    def taken(self, order: Ints) -> Coded:
        """Return the column in another order of records."""
        return Coded(self.codes[order], self.labels)

    def shows(self, known: Coded) -> bool:
        """Tell whether this is what was known before; an empty text was not."""
        at = {label: number for number, label in enumerate(self.labels)}
        told = np.array([at.get(label, -1) for label in known.labels], np.int64)[known.codes]
        unnamed = np.array([not label for label in known.labels], bool)[known.codes]
        return bool(((told == self.codes) | unnamed).all())


def counted_rows(columns: Mapping[str, Coded]) -> Counted:
    """Return every different row with how often it occurs, in the order of texts.

    >>> counted_rows({"a": Coded.of(np.array([0, 1, 0]), ["x", "y"])})
    ((('x',), 2), (('y',), 1))
    """
    held = list(columns.values())
    codes, sizes = [one.codes.astype(np.int32) for one in held], [len(one.labels) for one in held]
    different, times = distinct_rows(codes, sizes, len(codes[0]))
    texts = [[one.labels[at] for at in own.tolist()] for one, own in zip(held, different, strict=True)]
    return tuple(zip(zip(*texts, strict=True), times.tolist(), strict=True))
