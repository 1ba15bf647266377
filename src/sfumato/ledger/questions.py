"""Questions that desks were asked: what was decided, and what it cost, in the same transaction as the answer that is kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sfumato.errors import BadRequest
from sfumato.ledger.book import Book
from sfumato.ledger.budgets import Budgets, Cost
from sfumato.ledger.entry import Body, Entry
from sfumato.ledger.facts import Allotted, Asked

__all__ = ["Questions"]

_DESK = "desk of a ledger"


class Questions:
    """The questions in a ledger, by desk; a desk is called like a series and is none."""

    def __init__(self, book: Book, budgets: Budgets) -> None:
        self._book, self._budgets = book, budgets

    @property
    def desks(self) -> tuple[str, ...]:
        """The desks that were asked something, in the order of their names."""
        rows = self._book.store.rows("SELECT DISTINCT series FROM entries WHERE kind = ? ORDER BY series", Asked.kind)
        return tuple(str(row[0]) for row in rows)

    def named(self, kind: str, text: str) -> str:
        """Return the keyed name of a question or a table: without the key nobody can tell it by guessing."""
        return self._book.key.pseudonym(f"{_DESK} {kind}", text)

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Keep other askers out; what is settled inside lasts when it ends, all of it or nothing, before any answer leaves."""
        with self._book.writing():
            yield

    def since(self, number: int = 0) -> Iterator[tuple[Entry, Asked]]:
        """Yield what desks were asked after an entry, in order; an entry belongs to the desk that it has as its series."""
        for entry in self._book.store.entries("WHERE kind = ? AND number > ?", Asked.kind, number):
            facts = entry.facts
            if isinstance(facts, Asked):
                yield entry, facts

    def body(self, number: int) -> bytes:
        """Return what is kept of a question; nothing is given out of one whose body was erased."""
        held = self._book.store.body(number)
        if held is None:
            raise BadRequest("was erased, and the desk cannot go on without it", parameter="entry", value=number)
        return held[1].content

    def settle(self, desk: str, facts: Asked, body: Body) -> Entry:
        """Write down a question and charge it; inside :meth:`answering`. What a budget does not cover is refused."""
        if facts.budgets:
            self._budgets.refuse_uncovered(facts.budgets, Cost(facts.epsilon, facts.delta))
        return self._book.append(facts, series=desk, body=body)

    def allot(self, budget: str, epsilon: float) -> None:
        """Make a budget if there is none of that name; inside :meth:`answering`."""
        if budget not in self._budgets.names:
            cost = Cost.of(epsilon)
            self._book.append(Allotted(budget, cost.epsilon, cost.delta))
