"""Where entries lie: two databases behind one small interface, tables that only grow, one writer at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from threading import RLock
from typing import TypeAlias

from sfumato.errors import BadRequest
from sfumato.ledger.entry import Body, Entry

__all__ = ["CHARGES", "COLUMNS", "Damaged", "Store", "Value", "is_address"]

Value: TypeAlias = int | str | bytes
"""What a cell can hold."""

COLUMNS = "number, at, kind, series, about, facts, body, head, signature"
CHARGES = "number, budget, purpose, at, epsilon, delta"
_TYPES = (int, int, str, str, int, str, bytes, bytes, bytes)


def is_address(place: str | Path) -> bool:
    """Tell whether a ledger lies in a PostgreSQL database and not in a file."""
    return str(place).startswith(("postgresql://", "postgres://"))


class Damaged(BadRequest):
    """What the database holds cannot be read as a ledger."""


class Store(ABC):
    """A database with the tables ``entries``, ``bodies`` and ``charges``; SQL that both databases read.

    ``where`` is how messages call it, without any password.
    """

    where: str

    def __init__(self) -> None:
        self._alone = RLock()  # threads of one process take turns, for a whole transaction

    @abstractmethod
    def rows(self, query: str, *values: Value) -> list[tuple[Value, ...]]:
        """Ask; ``?`` stands for a value."""

    @abstractmethod
    def run(self, statement: str, *values: Value) -> None:
        """Change something, inside :meth:`writing`."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[None]:
        """Keep other writers out; what is done inside lasts when it ends, all of it or nothing."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[None]:
        """See one state, whatever others write meanwhile."""

    @abstractmethod
    def faults(self) -> Sequence[str]:
        """Return what the database itself finds wrong with its files and tables."""

    @abstractmethod
    def scrub(self) -> None:
        """See that nothing of what was erased is left in the files."""

    @abstractmethod
    def hold(self, token: str) -> Callable[[], None]:
        """Show that this process is at work under a token; the function that comes back ends it, and so does any end of it."""

    @abstractmethod
    def under_way(self, token: str) -> bool:
        """Tell whether a process is at work under a token."""

    @abstractmethod
    def tidy(self) -> None:
        """Remove what processes left behind that were killed."""

    @abstractmethod
    def close(self) -> None:
        """Let the database go."""

    @abstractmethod
    def discard(self) -> None:
        """Remove what was just made, because its beginning failed."""

    # ---- derived -----------------------------------------------------------------------------------------------------

    def entries(self, condition: str = "", *values: Value) -> Iterator[Entry]:
        """Return entries in order; those that a condition chooses."""
        for row in self.rows(f"SELECT {COLUMNS} FROM entries {condition} ORDER BY number", *values):
            yield _entry(row)

    def last(self) -> Entry | None:
        """Return the last entry."""
        found = self.rows(f"SELECT {COLUMNS} FROM entries ORDER BY number DESC LIMIT 1")
        return _entry(found[0]) if found else None

    def add(self, entry: Entry, salt: bytes, body: Body | None, charges: Iterable[tuple[Value, ...]]) -> None:
        """Write an entry with its body and what it takes from budgets."""
        values = (entry.number, entry.at, entry.kind, entry.series, entry.about, entry.text, entry.body)
        self.run(
            f"INSERT INTO entries ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *values, entry.head, entry.signature
        )
        if body is not None:
            held = (entry.number, body.kind, salt, body.content)
            self.run("INSERT INTO bodies (number, kind, salt, content) VALUES (?, ?, ?, ?)", *held)
        for row in charges:
            self.run(f"INSERT INTO charges ({CHARGES}) VALUES (?, ?, ?, ?, ?, ?)", *row)

    def body(self, number: int) -> tuple[bytes, Body] | None:
        """Return salt and body of an entry, nothing if it has none any more."""
        found = self.rows("SELECT salt, kind, content FROM bodies WHERE number = ?", number)
        if not found:
            return None
        salt, kind, content = found[0]
        if not isinstance(salt, bytes) or not isinstance(kind, str) or not isinstance(content, bytes):
            raise Damaged(f"the body of entry {number} is damaged", where=self.where)
        return salt, Body(kind, content)


def _entry(row: Sequence[Value]) -> Entry:
    if tuple(type(value) for value in row) != _TYPES:
        number = row[0] if isinstance(row[0], int) else "?"
        raise Damaged(f"entry {number} is damaged", parameter="ledger")
    return Entry(*row)  # type: ignore[arg-type]
