"""Releases of a series, one after the other: reserved, prepared, given their name, committed; any crash can be settled.

``reserve`` says that the next release is being made and keeps others out. Its checkpoint goes into the certificate.
``prepare`` notes the digest of the certificate, and what must be remembered privately, when everything is written and verified.
Then the folder gets its name, and ``commit`` says so. Whoever finds a reservation that nobody works on any more compares
digests: the folder is there, or the release was never made.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, Self, runtime_checkable

from sfumato.contracts.certificate import LedgerEntry
from sfumato.contracts.published import Release
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.ledger.book import Book
from sfumato.ledger.entry import Body, Entry
from sfumato.ledger.facts import Added, Cancelled, Prepared, Released, Reserved
from sfumato.ledger.folder import certificate_digest, refuse_changed

__all__ = [
    "Guarding",
    "Past",
    "Reservation",
    "SeriesGuard",
    "Settled",
    "add",
    "history",
    "open_reservations",
    "reserve",
    "settle",
]

PLACE = "place"

Outcome = Literal["committed", "cancelled", "under way", "changed"]


@frozen
class Past:
    """A release that has left the house: its number in the series, when, its certificate, and what was remembered privately.

    ``entry`` is the number of the entry that certificates name (the reservation), ``private`` that of the entry with the body,
    ``place`` where the folder was put.
    """

    book: Book = field(repr=False, compare=False)
    series: str
    release: int
    entry: int
    private: int
    at: int
    certificate: str
    place: Path | None = None
    kind: str = ""

    @property
    def body(self) -> Body | None:
        """What was remembered privately, read from the ledger, which must be open; nothing if there is nothing, or no more."""
        held = self.book.store.body(self.private)
        return None if held is None or held[1].kind == PLACE else held[1]


class SeriesGuard(Protocol):
    """Whoever judges the next release of a series against all before it; series of different kinds have different ones."""

    def admit(self, earlier: Sequence[Past], release: Release) -> Body | None:
        """Raise if the release may not follow the earlier ones; return what must be remembered privately about it.

        Asked after the series is reserved, so that nothing can come between.
        """


@runtime_checkable
class Guarding(Protocol):
    """A shape whose releases follow each other: it says who judges the next one."""

    def guard(self, release: Release) -> SeriesGuard:
        """Return whoever judges a release against all before it."""


@frozen
class Settled:
    """What became of a reservation that was open; ``ready`` if its folder was about to get its name, or had it."""

    entry: int
    series: str
    release: int
    outcome: Outcome
    ready: bool = False


@dataclass
class Reservation:
    """The right to make the next release of a series; left without a commit it is settled, as repair does it."""

    book: Book = field(repr=False)
    series: str
    release: int
    entry: Entry
    earlier: tuple[Past, ...]
    _let_go: Callable[[], None] = field(repr=False)
    _open: bool = True

    @property
    def certified(self) -> LedgerEntry:
        """What the certificate of the release says about the ledger."""
        opened, entry, kind = self.book.opened, self.entry, _reserved(self.entry).series_kind
        earlier = tuple(past.certificate for past in self.earlier)
        told = (kind, earlier) if kind else (None, None)
        return LedgerEntry(opened.origin, entry.number, entry.head.hex(), self.series, self.release, *told)

    def prepare(self, certificate: str, body: Body | None = None) -> None:
        """Note the SHA-256 of the certificate that is about to get its name, and what is to be remembered privately."""
        with self.book.writing():
            self._refuse_closed()
            if self.book.about(self.entry.number, Prepared):
                raise BadRequest("is prepared already", parameter="reservation", value=self.entry.number)
            self.book.append(Prepared(certificate), series=self.series, about=self.entry.number, body=body)

    def commit(self) -> None:
        """Say that the folder has its name."""
        with self.book.writing():
            self._refuse_closed()
            _commit(self.book, self.entry)
        self._end()

    def cancel(self) -> None:
        """Say that there will be no release."""
        with self.book.writing():
            self._refuse_closed()
            self.book.append(Cancelled(), series=self.series, about=self.entry.number)
        self._end()

    def _refuse_closed(self) -> None:
        if not self._open or self.book.about(self.entry.number, Released, Cancelled):
            raise BadRequest("is closed already", parameter="reservation", value=self.entry.number)

    def _end(self) -> None:
        self._open = False
        self._let_go()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._open:
            self._end()
            with suppress(BadRequest):  # what led here matters more; repair can still settle it
                settle(self.book, self.entry)


def reserve(book: Book, series: str, place: Path, kind: str, after: int | None) -> Reservation:
    """Reserve the next release of a series, which will have its folder at a place."""
    _refuse_nameless(series)
    token = secrets.token_hex(8)
    let_go = book.store.hold(token)
    try:
        with book.writing():
            earlier = history(book, series)
            for entry in open_reservations(book, series):
                rule = (
                    "is being written by somebody else"
                    if book.store.under_way(_reserved(entry).token)
                    else "has a release that was begun and not ended; sfumato ledger verify --repair settles it"
                )
                raise BadRequest(rule, parameter="series", value=series)
            if after is not None and after != len(earlier):
                raise BadRequest(
                    f"has {len(earlier)} releases by now, and the next one was made after {after}; make it again",
                    parameter="series",
                    value=series,
                )
            _refuse_other_kind(earlier, kind)
            body = Body(PLACE, _told_place(book, place).encode())
            facts = Reserved(len(earlier) + 1, token, kind)
            entry = book.append(facts, series=series, body=body)
    except BaseException:
        let_go()
        raise
    return Reservation(book, series, facts.release, entry, earlier, let_go)


def add(book: Book, folder: Path, series: str, kind: str, body: Body | None) -> Entry:
    """Record a release that was published without a reservation, or whose reservation was cancelled because it was moved."""
    _refuse_nameless(series)
    refuse_changed(folder)
    digest = certificate_digest(folder)
    assert digest is not None
    with book.writing():
        earlier = history(book, series)
        if any(past.certificate == digest for past in earlier):
            raise BadRequest("is in the ledger already", parameter="release", value=str(folder))
        if open_reservations(book, series):
            raise BadRequest("has a release that was begun and not ended", parameter="series", value=series)
        kind = kind or (earlier[-1].kind if earlier else "")
        _refuse_other_kind(earlier, kind)
        prepared = book.store.entries("WHERE kind = ? AND series = ?", Prepared.kind, series)
        begun = next((entry.about for entry in prepared if _prepared(entry).certificate == digest), 0)
        held = body or Body(PLACE, _told_place(book, folder).encode())
        return book.append(Added(len(earlier) + 1, digest, kind), series=series, about=begun, body=held)


def history(book: Book, series: str) -> tuple[Past, ...]:
    """Return the releases of a series in order."""
    entries = {entry.number: entry for entry in book.store.entries("WHERE series = ?", series)}
    private = {entry.about: entry.number for entry in entries.values() if entry.kind == Prepared.kind}
    out = []
    for entry in entries.values():
        facts = entry.facts
        if isinstance(facts, Added):
            kind, put = facts.series_kind, entry
        elif isinstance(facts, Released):
            put = entries[entry.about]
            kind = _reserved(put).series_kind
        else:
            continue
        begun = entry.about or entry.number
        held = private.get(begun, entry.number)
        place = _place(book, put)
        out.append(Past(book, series, facts.release, begun, held, entry.at, facts.certificate, place, kind))
    return tuple(out)


def _refuse_other_kind(earlier: Sequence[Past], kind: str) -> None:
    """Refuse a kind that the series does not have; one that has none yet may get one, and the check of that kind decides."""
    known = earlier[-1].kind if earlier else ""
    if known and known != kind:
        raise BadRequest(f"is of another kind ({known})", parameter="series", value=kind or earlier[-1].series)


def open_reservations(book: Book, series: str | None = None) -> list[Entry]:
    """Return the reservations that were neither committed nor cancelled."""
    where = (
        ("WHERE kind = ?", Reserved.kind)
        if series is None
        else ("WHERE kind = ? AND series = ?", Reserved.kind, series)
    )
    return [entry for entry in book.store.entries(*where) if not book.about(entry.number, Released, Cancelled)]


def settle(book: Book, entry: Entry) -> Settled:
    """End a reservation that nobody works on: committed if its folder is there, cancelled if not; others are left alone.

    A folder is there if its certificate has the digest that was prepared. If files of it are not those of the certificate any
    more, the reservation stays open and is told as ``changed``.
    """
    facts, prepared = _reserved(entry), book.about(entry.number, Prepared)

    def told(outcome: Outcome) -> Settled:
        return Settled(entry.number, entry.series, facts.release, outcome, prepared is not None)

    if book.store.under_way(facts.token):
        return told("under way")
    with book.writing():
        ended = book.about(entry.number, Released, Cancelled)
        if ended is not None:  # somebody else was quicker
            return told("committed" if ended.kind == Released.kind else "cancelled")
        folder = _place(book, entry)
        digest = None if folder is None else certificate_digest(folder)
        if folder is None or prepared is None or digest != _prepared(prepared).certificate:
            book.append(Cancelled(), series=entry.series, about=entry.number)
            return told("cancelled")
        try:
            refuse_changed(folder)
        except BadRequest:
            return told("changed")
        _commit(book, entry)
        return told("committed")


def _commit(book: Book, entry: Entry) -> None:
    prepared = book.about(entry.number, Prepared)
    if prepared is None:
        raise BadRequest("was not prepared", parameter="reservation", value=entry.number)
    facts = Released(_reserved(entry).release, _prepared(prepared).certificate)
    book.append(facts, series=entry.series, about=entry.number)


def _reserved(entry: Entry) -> Reserved:
    facts = entry.facts
    assert isinstance(facts, Reserved)
    return facts


def _prepared(entry: Entry) -> Prepared:
    facts = entry.facts
    assert isinstance(facts, Prepared)
    return facts


def _told_place(book: Book, place: Path) -> str:
    """Return a place as the ledger keeps it: from its own folder, so that both can be moved together."""
    return str(place.absolute()) if book.base is None else os.path.relpath(place.absolute(), book.base)


def _place(book: Book, entry: Entry) -> Path | None:
    """Return where a folder was put, if that was noted and not erased."""
    found = book.store.rows("SELECT content FROM bodies WHERE number = ? AND kind = ?", entry.number, PLACE)
    if not found or not isinstance(found[0][0], bytes):
        return None
    told = Path(found[0][0].decode())
    return told if book.base is None else Path(os.path.normpath(book.base / told))


def _refuse_nameless(series: str) -> None:
    if not series.strip() or not series.isprintable():
        raise BadRequest("must be a name", parameter="series", value=series)
