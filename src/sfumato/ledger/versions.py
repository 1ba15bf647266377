"""Versions of a column for recipients of different trust, kept privately: the next one is drawn from its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from sfumato.errors import BadRequest
from sfumato.ledger.book import Book
from sfumato.ledger.entry import Body
from sfumato.ledger.facts import Versioned
from sfumato.ledger.store import Damaged

__all__ = ["Versions"]

_KIND = "version"


class Versions:
    """Versions by name and level; what each record shows in them is the private body of an entry.

    Drawing is done inside the ledger's transaction: of two who ask for the same level at once the second gets what the first
    one drew, and nobody draws from neighbours that are no neighbours any more.
    """

    def __init__(self, book: Book) -> None:
        self._book = book

    @property
    def names(self) -> tuple[str, ...]:
        """What versions are called, in the order of names."""
        return tuple(sorted({facts.versions for _, facts in self._entries()}))

    def levels(self, name: str) -> tuple[Fraction, ...]:
        """Return the levels that were drawn under a name, highest first."""
        return tuple(sorted((Fraction(facts.level) for _, facts in self._entries(name)), reverse=True))

    def held(self, name: str) -> dict[Fraction, bytes]:
        """Return what was drawn under a name, by level; refuse where it was erased."""
        found = {}
        for number, facts in self._entries(name):
            held = self._book.store.body(number)
            if held is None:
                raise BadRequest(
                    f"the version at {facts.level} was erased: nothing can be drawn beside it any more",
                    parameter="series",
                    value=name,
                )
            found[Fraction(facts.level)] = held[1].content
        return found

    def drawn(
        self, name: str, level: Fraction, records: int, values: int, draw: Callable[[Mapping[Fraction, bytes]], bytes]
    ) -> bytes:
        """Return the version at a level: the one that was drawn, or what ``draw`` makes of all others, remembered first."""
        if not name.strip():
            raise BadRequest("must not be empty", parameter="series")
        with self._book.writing():
            for _, facts in self._entries(name):
                if (facts.records, facts.values) != (records, values):
                    raise BadRequest(
                        f"has versions of {facts.records:,} records and {facts.values:,} values; this table has "
                        f"{records:,} and {values:,}: give it a name of its own",
                        parameter="series",
                        value=name,
                    )
            held = self.held(name)
            if level in held:
                return held[level]
            made = draw(held)
            self._book.append(Versioned(name, str(level), records, values), body=Body(_KIND, made))
        return made

    def _entries(self, name: str | None = None) -> list[tuple[int, Versioned]]:
        found = []
        for entry in self._book.store.entries("WHERE kind = ?", Versioned.kind):
            try:
                facts = entry.facts
            except ValueError:
                raise Damaged(f"entry {entry.number} is damaged", parameter="ledger") from None
            if isinstance(facts, Versioned) and name in (None, facts.versions):
                found.append((entry.number, facts))
        return found
