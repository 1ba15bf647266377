"""The ledger as its users see it: opened or made, appended to, asked, verified, repaired, exported."""

from __future__ import annotations

import json
import os
import secrets
from base64 import b64encode
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Self

from sfumato.contracts.certificate import Certificate
from sfumato.data.json import Json
from sfumato.errors import BadRequest
from sfumato.ledger import series as serial
from sfumato.ledger.book import Book, Clock
from sfumato.ledger.budgets import Budgets
from sfumato.ledger.checkpoint import Checkpoint
from sfumato.ledger.entry import Body, Entry
from sfumato.ledger.facts import FORMAT, Asked, Erased, Opened
from sfumato.ledger.key import ED25519, HMAC, SIGNATURES, VARIABLE, Key
from sfumato.ledger.questions import Questions
from sfumato.ledger.series import Past, Reservation, Settled
from sfumato.ledger.store import Damaged, Store, is_address
from sfumato.ledger.verification import LedgerVerification, Witness, verified, witnesses_of
from sfumato.ledger.versions import Versions

__all__ = ["Ledger"]


def _now() -> datetime:
    return datetime.now(UTC)


class Ledger:
    """What has left the house, in one file (or a PostgreSQL database) that only grows.

    Entries are chained: ``head(n) = SHA-256(head(n-1), entry n)``, with a salted digest in place of each private body. After
    every append the checkpoint (origin, size, head) is signed with the key of the ledger. Certificates carry size and head, so
    that everybody who has one is a witness. ``budgets`` are the privacy budgets that it remembers, ``versions`` what recipients
    of different trust were given.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Ledger.create(Path(folder.name) / "people.ledger") as ledger:
    ...     made = ledger.budgets.allot("survey", epsilon=1.0)
    ...     charged = ledger.budgets.charge("survey", epsilon=0.3, key="question 1")
    ...     print(ledger.budgets.quote("survey", epsilon=0.3).times, ledger.size, bool(ledger.verify()))
    2 3 True
    >>> folder.cleanup()

    References
    ----------
    Schneier, Kelsey (1999), Secure audit logs to support computer forensics; Crosby, Wallach (2009), Efficient data structures
    for tamper-evident logging; C2SP tlog-checkpoint for the form of what is signed.
    """

    budgets: Budgets
    versions: Versions
    questions: Questions

    def __init__(self, place: str | Path, *, key: str | Path | None = None, clock: Clock = _now) -> None:
        store = _store(place)
        try:
            first = next(store.entries("WHERE number = ?", 1), None)
            opened = _opened(first, store.where)
            self._begin(Book(store, Key.read(_key_file(place, key)), opened, clock, _base(place)))
        except BaseException:
            store.close()
            raise

    @classmethod
    def create(
        cls,
        place: str | Path,
        *,
        key: str | Path | None = None,
        signature: str | None = None,
        clock: Clock = _now,
    ) -> Self:
        """Make a new ledger, with its key in the file ``key`` (``PLACE.key`` if none is named); a key that is there is used.

        ``signature`` is ``ed25519`` (needs the extra ``sign``; the default where that is installed) or ``hmac-sha256``.
        """
        signature = signature or (ED25519 if find_spec("cryptography") else HMAC)
        if signature not in SIGNATURES:
            raise BadRequest("is not a signature", parameter="signature", value=signature, available=SIGNATURES)
        path = _key_file(place, key)
        held = Key.read(path) if path.exists() else None
        store = _store(place, create=True)
        try:
            held = held or Key.create(path)
            opened = Opened(secrets.token_hex(16), signature, held.public_key(signature))
            made = cls.__new__(cls)
            made._begin(Book(store, held, opened, clock, _base(place)))
            with made._book.writing():
                made._book.append(opened)
        except BaseException:
            store.discard()
            raise
        return made

    def _begin(self, book: Book) -> None:
        if book.opened.version != FORMAT:
            raise BadRequest(
                f"has version {book.opened.version}; this program reads version {FORMAT}", parameter="ledger"
            )
        self._book, self.budgets, self.versions = book, Budgets(book), Versions(book)
        self.questions = Questions(book, self.budgets)

    def close(self) -> None:
        """Let the database go."""
        self._book.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # ---- what it says ------------------------------------------------------------------------------------------------

    @property
    def origin(self) -> str:
        """The name that this ledger was born with; a copy has the same."""
        return self._book.opened.origin

    @property
    def checkpoint(self) -> Checkpoint:
        """How far the ledger goes now."""
        last = self._book.last()
        return Checkpoint(self.origin, last.number, last.head)

    @property
    def size(self) -> int:
        """How many entries there are."""
        return self.checkpoint.size

    @property
    def series(self) -> tuple[str, ...]:
        """The series that have entries, in the order of their names."""
        rows = self._book.store.rows(
            "SELECT DISTINCT series FROM entries WHERE series <> '' AND kind <> ? ORDER BY series", Asked.kind
        )
        return tuple(str(row[0]) for row in rows)

    def entries(self, series: str | None = None) -> Iterator[Entry]:
        """Return the entries in order, all or those of a series."""
        return self._book.store.entries() if series is None else self._book.store.entries("WHERE series = ?", series)

    def entry(self, number: int) -> Entry:
        """Return one entry by its number, counted from 1."""
        there = 0 < number < 2**63  # what databases count up to
        found = next(self._book.store.entries("WHERE number = ?", number), None) if there else None
        if found is None:
            raise BadRequest(f"is not there; the ledger has {self.size}", parameter="entry", value=number)
        return found

    def body(self, number: int) -> Body | None:
        """Return the private body of an entry; nothing if it has none, or it was erased."""
        held = self._book.store.body(self.entry(number).number)
        return None if held is None else held[1]

    def history(self, series: str) -> tuple[Past, ...]:
        """Return the releases of a series in order, with what was remembered privately about each."""
        return serial.history(self._book, series)

    def pseudonym(self, person: str, *, namespace: str = "") -> str:
        """Return the keyed name under which a person may be remembered; raw ids never are."""
        return self._book.key.pseudonym(namespace, person)

    # ---- what is added -----------------------------------------------------------------------------------------------

    def reserve(self, series: str, place: str | Path, *, kind: str = "", after: int | None = None) -> Reservation:
        """Reserve the next release of a series, whose folder will be ``place``; nobody else can make one meanwhile.

        ``kind`` is that of the series and never changes. With ``after`` the series must have exactly so many releases: those
        that the next one was made to follow. Use it in a ``with``: what is not committed at its end is cancelled.
        """
        return serial.reserve(self._book, series, Path(place), kind, after)

    def add(self, folder: str | Path, series: str, *, kind: str = "", body: Body | None = None) -> Entry:
        """Record a release folder that was published without a reservation, as the next of a series."""
        return serial.add(self._book, Path(folder), series, kind, body)

    def erase(self, number: int, reason: str) -> Entry:
        """Erase the private body of an entry and return the tombstone; the chain still closes."""
        if not reason.strip():
            raise BadRequest("must say why, in words", parameter="reason")
        book = self._book
        with book.writing():
            if self.body(number) is None:
                raise BadRequest("has no body, or it was erased already", parameter="entry", value=number)
            if any(entry.number == number for entry in serial.open_reservations(book)):
                raise BadRequest("is a reservation that is still open", parameter="entry", value=number)
            tombstone = book.append(Erased(reason), about=number)
            book.store.run("DELETE FROM bodies WHERE number = ?", number)
        book.store.scrub()
        return tombstone

    # ---- whether it is what it was -----------------------------------------------------------------------------------

    def verify(self, against: Sequence[Certificate | Witness] = ()) -> LedgerVerification:
        """Check chain, signatures, bodies and sums, and compare with what certificates say of the ledger."""
        seen = [[one] if isinstance(one, Witness) else witnesses_of(one) for one in against]
        return verified(self._book, list(chain.from_iterable(seen)))

    def repair(self) -> tuple[Settled, ...]:
        """Settle every reservation that nobody works on, by digests: committed if its folder is there, else cancelled."""
        self._book.store.tidy()
        return tuple(serial.settle(self._book, entry) for entry in serial.open_reservations(self._book))

    def document(self) -> dict[str, Json]:
        """Return for JSON what the ledger holds: series, versions, desks, budgets, and how far it goes."""
        here = self.checkpoint
        return {
            "origin": here.origin,
            "size": here.size,
            "head": here.head.hex(),
            "series": {name: len(self.history(name)) for name in self.series},
            "versions": {name: [str(level) for level in self.versions.levels(name)] for name in self.versions.names},
            "desks": list(self.questions.desks),
            "budgets": [str(self.budgets.quote(name, epsilon=0)) for name in self.budgets.names],
        }

    def export(self) -> Iterator[str]:
        """Yield the ledger as lines of JSON: everything but the private bodies, enough to follow the chain."""
        for entry in self.entries():
            yield json.dumps(
                {
                    "number": entry.number,
                    "at": entry.at,
                    "kind": entry.kind,
                    "series": entry.series,
                    "about": entry.about,
                    "facts": entry.text,
                    "body": entry.body.hex(),
                    "head": entry.head.hex(),
                    "signature": b64encode(entry.signature).decode(),
                },
                ensure_ascii=False,
            )


def _store(place: str | Path, *, create: bool = False) -> Store:
    if is_address(place):
        from sfumato.ledger.postgres import PostgresStore

        return PostgresStore(str(place), create=create)
    from sfumato.ledger.sqlite import SqliteStore

    return SqliteStore(Path(place), create=create)


def _base(place: str | Path) -> Path | None:
    return None if is_address(place) else Path(place).absolute().parent


def _key_file(place: str | Path, key: str | Path | None) -> Path:
    named = key or os.environ.get(VARIABLE)
    if named:
        return Path(named)
    if is_address(place):
        raise BadRequest(
            f"a ledger in a database needs the file of its key; name it by --key or {VARIABLE}", parameter="key"
        )
    return Path(f"{place}.key")


def _opened(first: Entry | None, where: str) -> Opened:
    try:
        facts = None if first is None else first.facts
    except ValueError:
        facts = None
    if not isinstance(facts, Opened):
        raise Damaged("is not a ledger, or it is damaged", parameter="ledger", value=where)
    return facts
