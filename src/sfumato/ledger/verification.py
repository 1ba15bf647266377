"""Whether a ledger is what it was: chain, signatures, bodies and sums by itself; its history against what witnesses saw.

By itself a ledger shows every change that was made without its key. That its end was cut off, that it was written anew with the
key, or that it is one of two copies that both went on, only a witness can show: a certificate says how long the ledger was
when it was made, and what its head was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sfumato.contracts.certificate import Certificate, ChargeEntry, LedgerEntry
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.ledger.book import Book
from sfumato.ledger.budgets import MICRO, NANO
from sfumato.ledger.charges import charge_rows
from sfumato.ledger.checkpoint import Checkpoint
from sfumato.ledger.entry import NOTHING, Entry, body_digest, next_head
from sfumato.ledger.facts import Added, Cancelled, Charged, Erased, Opened, Prepared, Refunded, Released, Reserved
from sfumato.ledger.series import open_reservations
from sfumato.ledger.store import CHARGES, Value

__all__ = ["LedgerVerification", "Problem", "Witness", "Witnessed", "verified", "witnesses_of"]

Standing = Literal["agrees", "longer", "shorter", "rewritten", "another ledger", "not recorded"]


@frozen
class Witness:
    """Somebody who saw the ledger: what a certificate says of it, and the SHA-256 of its file, if that is at hand."""

    seen: LedgerEntry | ChargeEntry
    name: str = "certificate"
    certificate: str = ""


def witnesses_of(certificate: Certificate, name: str = "certificate", digest: str = "") -> list[Witness]:
    """Return what a certificate saw of a ledger: when the release was reserved, and when its noise was paid for."""
    entries = (*certificate.charges, *(() if certificate.ledger is None else (certificate.ledger,)))
    if not entries:
        raise BadRequest("says nothing of a ledger", parameter="against", value=name)
    return [Witness(seen, name, digest) for seen in entries]


@frozen
class Witnessed:
    """What a witness shows, in one word and in one sentence."""

    witness: Witness
    standing: Standing
    text: str

    def __bool__(self) -> bool:
        return self.standing in ("agrees", "longer")


@frozen
class Problem:
    """What is wrong with the ledger itself, and at which entry, if it can be said."""

    text: str
    entry: int | None = None


@frozen
class LedgerVerification:
    """What was found: true if the ledger closes and no witness saw another one.

    ``open`` are reservations that were neither committed nor cancelled: a release is being made, or one was interrupted.
    """

    checkpoint: Checkpoint | None
    problems: tuple[Problem, ...] = ()
    witnesses: tuple[Witnessed, ...] = ()
    open: tuple[Entry, ...] = ()
    erased: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return not self.problems and all(self.witnesses)

    def document(self) -> dict[str, Json]:
        """Return it for JSON."""
        here = self.checkpoint
        return {
            "verified": bool(self),
            "size": None if here is None else here.size,
            "head": None if here is None else here.head.hex(),
            "problems": [{"text": one.text, "entry": one.entry} for one in self.problems],
            "witnesses": [
                {"name": one.witness.name, "standing": one.standing, "text": one.text} for one in self.witnesses
            ],
            "open": [entry.number for entry in self.open],
            "erased": self.erased,
        }


@dataclass
class _Read:
    """What a walk over all entries leaves behind."""

    heads: dict[int, bytes] = field(default_factory=dict)
    broken: list[int] = field(default_factory=list)  # entries at which the chain does not close
    ends: dict[int, Entry] = field(default_factory=dict)  # of reservations
    reserved: set[int] = field(default_factory=set)
    bodies: dict[int, bytes] = field(default_factory=dict)
    erased: dict[int, int] = field(default_factory=dict)
    charges: list[tuple[Value, ...]] = field(default_factory=list)
    paid: dict[int, Charged] = field(default_factory=dict)  # charges that were not taken back


def verified(book: Book, witnesses: Sequence[Witness] = ()) -> LedgerVerification:
    """Read everything once, in one state, and compare."""
    read = _Read()
    try:
        with book.store.reading():
            problems = list(_problems(book, read))
            last, pending = book.last(), tuple(open_reservations(book))
    except BadRequest as error:
        return LedgerVerification(None, (Problem(say("ledger.problem.unreadable", told=str(error))),))
    seen = sorted(witnesses, key=lambda one: one.seen.size)
    shown: list[Witnessed] = []
    for witness in seen:
        shown.append(_compared(book, read, last, witness, max((w.witness.seen.size for w in shown if w), default=0)))
    here = Checkpoint(book.opened.origin, last.number, last.head)
    return LedgerVerification(here, tuple(problems), tuple(shown), pending, tuple(sorted(read.erased)))


# ---- the ledger by itself ------------------------------------------------------------------------------------------------


def _problems(book: Book, read: _Read) -> Iterator[Problem]:
    for fault in book.store.faults():
        yield Problem(say(f"ledger.problem.{fault}"))
    before, at, number = NOTHING, 0, 0
    for entry in book.store.entries():
        number += 1
        if entry.number != number:
            read.broken.append(number)
            yield Problem(say("ledger.problem.gap", entry=number), number)
            number = entry.number
        if next_head(before, entry) != entry.head:
            read.broken.append(entry.number)
            yield Problem(say("ledger.problem.mismatch", entry=entry.number), entry.number)
        elif not book.signed(entry):
            yield Problem(say("ledger.problem.unsigned", entry=entry.number), entry.number)
        if entry.at < at:
            yield Problem(say("ledger.problem.clock", entry=entry.number), entry.number)
        yield from _told(book, entry, read)
        before, at = entry.head, max(at, entry.at)
    yield from _bodies(book, read)
    found = sorted(book.store.rows(f"SELECT {CHARGES} FROM charges"), key=repr)
    if found != sorted(read.charges, key=repr):
        yield Problem(say("ledger.problem.charges"))


def _told(book: Book, entry: Entry, read: _Read) -> Iterator[Problem]:
    """Note what an entry says; the first one must be that of this ledger and this key."""
    read.heads[entry.number] = entry.head
    if entry.body:
        read.bodies[entry.number] = entry.body
    try:
        facts = entry.facts
        read.charges += charge_rows(entry)
    except ValueError:
        yield Problem(say("ledger.problem.mismatch", entry=entry.number), entry.number)
        return
    if isinstance(facts, Opened) != (entry.number == 1):
        yield Problem(say("ledger.problem.mismatch", entry=entry.number), entry.number)
    if isinstance(facts, Opened) and facts.public_key != book.key.public_key(facts.signature):
        yield Problem(say("ledger.problem.key"), entry.number)
    if isinstance(facts, Erased):
        read.erased[entry.about] = entry.number
    elif isinstance(facts, Charged):
        read.paid[entry.number] = facts
    elif isinstance(facts, Refunded):
        read.paid.pop(entry.about, None)
    elif isinstance(facts, Reserved):
        read.reserved.add(entry.number)
    elif isinstance(facts, (Prepared, Released, Cancelled)):
        read.ends[entry.about] = entry


def _bodies(book: Book, read: _Read) -> Iterator[Problem]:
    """Compare bodies with the digests in the chain; one that is gone must have a tombstone."""
    held = {int(row[0]) for row in book.store.rows("SELECT number FROM bodies")}
    for number in sorted(held | set(read.bodies)):
        body = book.store.body(number) if number in held else None
        if number not in read.bodies or (body is not None and body_digest(*body) != read.bodies[number]):
            yield Problem(say("ledger.problem.body", entry=number), number)
        elif body is None and number not in read.erased:
            yield Problem(say("ledger.problem.gone", entry=number), number)
        elif body is not None and number in read.erased:
            yield Problem(say("ledger.problem.back", entry=number), number)


# ---- what witnesses saw --------------------------------------------------------------------------------------------------


def _compared(book: Book, read: _Read, last: Entry, witness: Witness, agreed: int) -> Witnessed:
    """Compare one witness; ``agreed`` is the largest size at which an earlier one saw this ledger."""
    seen, size = witness.seen, last.number

    def told(standing: Standing, sentence: str, **facts: object) -> Witnessed:
        text = say(f"ledger.witness.{sentence}", name=witness.name, entry=seen.size, size=size, **facts)
        return Witnessed(witness, standing, text)

    if seen.origin != book.opened.origin:
        return told("another ledger", "another")
    if seen.size > size:
        return told("shorter", "shorter", count=seen.size - size)
    if read.heads.get(seen.size, NOTHING).hex() != seen.head:
        return told("rewritten", "rewritten", first=agreed + 1)
    broken = min(read.broken, default=seen.size + 1)
    if broken <= seen.size:  # the head is there, and does not follow from what stands before it
        return told("rewritten", "broken", first=broken)
    missing = _unpaid(read, seen) if isinstance(seen, ChargeEntry) else _unrecorded(book, read, witness)
    if missing is not None:
        return told("not recorded", missing)
    return told("longer", "longer", count=size - seen.size) if size > seen.size else told("agrees", "agrees")


def _unpaid(read: _Read, seen: ChargeEntry) -> str | None:
    """Say what is wrong with the charge that a certificate names: it is not there, was another one, or was taken back."""
    paid, told = read.paid.get(seen.size), (seen.budgets, round(seen.epsilon * MICRO), round(seen.delta * NANO))
    return "unpaid" if paid is None or (paid.budgets, paid.epsilon, paid.delta) != told else None


def _unrecorded(book: Book, read: _Read, witness: Witness) -> str | None:
    """Say what is wrong with the reservation that a certificate names: it was cancelled, or became another release."""
    end = read.ends.get(witness.seen.size)
    facts = None if end is None else end.facts
    if witness.seen.size not in read.reserved or (isinstance(facts, Cancelled) and not _recorded(book, witness)):
        return "cancelled"
    ended = isinstance(facts, (Prepared, Released)) and facts.certificate != witness.certificate
    return "other" if witness.certificate and ended else None


def _recorded(book: Book, witness: Witness) -> bool:
    """Tell whether a release whose reservation was cancelled was added afterwards."""
    held = [entry.facts for entry in book.store.entries("WHERE kind = ?", Added.kind)]
    return any(isinstance(facts, Added) and facts.certificate == witness.certificate for facts in held)
