"""An open ledger from inside: the store, the key, the clock, and the one way to add an entry."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from sfumato.errors import BadRequest
from sfumato.ledger.charges import charge_rows
from sfumato.ledger.checkpoint import Checkpoint
from sfumato.ledger.entry import NOTHING, Body, Entry, body_digest, next_head
from sfumato.ledger.facts import Facts, Opened, written
from sfumato.ledger.key import Key, signed_by
from sfumato.ledger.store import Damaged, Store

__all__ = ["Book", "Clock"]

Clock = Callable[[], datetime]
_SLACK = 2_000_000  # microseconds that clocks may differ or be set back without anybody having meant it


@dataclass
class Book:
    """What every part of the room works with. ``base`` is the folder of a ledger in a file, ``seen`` how far it went last."""

    store: Store
    key: Key
    opened: Opened
    clock: Clock
    base: Path | None = None
    seen: Checkpoint | None = None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keep other writers out; what is appended inside lasts when it ends, all of it or nothing."""
        before, ended = self.seen, False
        try:
            with self.store.writing():
                before = (
                    self.seen
                )  # once nobody else writes: another thread may have gone on, or taken its entries back
                try:
                    yield
                except BaseException:
                    self.seen = before
                    raise
                ended = True
        except BaseException:
            if ended:  # what was appended could not be made to last
                self.seen = before
            raise

    def last(self) -> Entry:
        """Return the last entry."""
        last = self.store.last()
        if last is None:
            raise Damaged("is empty", parameter="ledger", value=self.store.where)
        return last

    def about(self, number: int, *kinds: type[Facts]) -> Entry | None:
        """Return the first entry of some kinds that is about another one."""
        wanted = {kind.kind for kind in kinds}
        return next((one for one in self.store.entries("WHERE about = ?", number) if one.kind in wanted), None)

    def now(self) -> int:
        """Return the time for the next entry, in microseconds since 1970; refuse a clock that is older than the last one."""
        last, now = self.store.last(), int(self.clock().timestamp() * 1_000_000)
        if last is None or now >= last.at:
            return now
        if last.at - now > _SLACK:
            raise BadRequest(
                f"the clock is older than the last entry ({last.time:%Y-%m-%d %H:%M:%S} UTC); set it right first",
                parameter="ledger",
                value=self.store.where,
            )
        return last.at

    def append(self, facts: Facts, *, series: str = "", about: int = 0, body: Body | None = None) -> Entry:
        """Add an entry at the end and sign the new checkpoint; inside :meth:`writing`, where nobody else writes."""
        last = self.store.last()
        if last is not None:
            self._refuse_strange(last)
        salt = secrets.token_bytes(32)
        entry = Entry(
            number=1 if last is None else last.number + 1,
            at=self.now(),
            kind=facts.kind,
            series=series,
            about=about,
            text=written(facts),
            body=b"" if body is None else body_digest(salt, body),
        )
        here = Checkpoint(self.opened.origin, entry.number, next_head(NOTHING if last is None else last.head, entry))
        entry = replace(entry, head=here.head, signature=self.key.signature(self.opened.signature, here.text))
        self.store.add(entry, salt, body, charge_rows(entry))
        self.seen = here
        return entry

    def signed(self, entry: Entry) -> bool:
        """Tell whether the checkpoint of an entry is signed with the key."""
        text = Checkpoint(self.opened.origin, entry.number, entry.head).text
        return signed_by(self.opened.signature, self.opened.public_key, self.key, text, entry.signature)

    def _refuse_strange(self, last: Entry) -> None:
        """Refuse to go on from an end that nobody with this key wrote, or that does not come after what was seen here."""
        seen = self.seen
        held = None if seen is None else next(self.store.entries("WHERE number = ?", seen.size), None)
        ours = self.key.public_key(self.opened.signature) == self.opened.public_key and self.signed(last)
        if not ours or (seen is not None and (held is None or held.head != seen.head)):
            raise Damaged(
                "does not go on from what was signed with this key; see what sfumato ledger verify says",
                parameter="ledger",
                value=self.store.where,
            )
