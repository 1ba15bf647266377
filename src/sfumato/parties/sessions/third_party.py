"""Columns that are not masked, row by row, for a recipient that is no holder: sealed under pseudonyms that it drops.

Each owner seals its own columns for the recipient, every row under a pseudonym, ``HMAC-SHA256(key, record number)`` with a key
that only the holders have. The recipient joins them; no holder sees what another brings, and the recipient learns no number.
"""

from __future__ import annotations

import hmac
import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Contradiction
from sfumato.parties.contract import Contract
from sfumato.parties.conversation.identity import Identity, Pinned
from sfumato.parties.conversation.message import Body, canonical
from sfumato.parties.conversation.party import Seat, Talk
from sfumato.parties.sessions.session_end import SessionEnd, counted

__all__ = ["SEALING", "opened_rows", "recipient", "sealed_columns"]


@frozen(kw_only=True)
class PseudonymKey(Body):
    """The key of the pseudonyms of rows, for holders alone."""

    type: ClassVar[str] = "third.key"
    control: ClassVar[bool] = True
    key: bytes

    def reveals(self) -> str:
        """Nothing about the data."""
        return say("blocks.key")


@frozen(kw_only=True)
class Sealed(Body):
    """Columns of the sender under pseudonyms, which only the recipient can open."""

    type: ClassVar[str] = "third.sealed"
    columns: bytes

    def reveals(self) -> str:
        """Nothing to a holder."""
        return say("party.leak.sealed")


SEALING: tuple[type[Body], ...] = (PseudonymKey, Sealed)


def recipient(contract: Contract) -> Pinned:
    """Return who may open what is sealed: the contract pins it, and it is no holder."""
    entry = contract.recipient
    if entry is None or entry.certificate is None:
        raise BadRequest(say("party.bad.network_certificate"), parameter="recipient.certificate")
    found = Pinned(entry.name, entry.certificate)
    if any(
        one.certificate is not None and Pinned("", one.certificate).key == found.key
        for one in contract.holders.values()
    ):
        raise BadRequest(say("party.bad.third_holder"), parameter="recipient")
    return found


def sealed_columns(
    seat: Seat, columns: Mapping[str, Sequence[str]], records: int, to: Pinned
) -> Talk[tuple[tuple[str, str], ...]]:
    """Seal the own columns for the recipient; return what all have sealed, by holder, the same for everybody."""
    if seat.index == 0:
        drawn = PseudonymKey(key=seat.secret(32))
        seat.tell(drawn)
    else:
        drawn = yield from seat.hear(seat.names[0], PseudonymKey)
    names = [hmac.digest(drawn.key, b"%d" % at, "sha256").hex()[:32] for at in range(records)]
    rows = sorted([name, *(values[at] for values in columns.values())] for at, name in enumerate(names))
    text = canonical({"columns": list(columns), "rows": [list(row) for row in rows]})
    heard = yield from seat.exchange(Sealed(columns=to.sealed(text)))
    return tuple((name, b64encode(heard[name].columns).decode()) for name in seat.names)


def opened_rows(end: SessionEnd, identity: Identity) -> SessionEnd:
    """Return what a session ended with, with the rows that its recipient opens and joins; pseudonyms are dropped."""
    joined: dict[str, dict[str, str]] = {}
    for holder, text in end.sealed:
        try:
            document = json.loads(identity.opened(b64decode(text, validate=True)))
            columns, rows = list(map(str, document["columns"])), [list(map(str, row)) for row in document["rows"]]
            found = {row[0]: dict(zip(columns, row[1:], strict=True)) for row in rows}
        except (ValueError, TypeError, KeyError, IndexError):
            raise Contradiction(say("party.bad.sealed_else"), parameter="holder", value=holder) from None
        if len(found) != len(rows) or (joined and found.keys() != joined.keys()):
            raise Contradiction(say("party.bad.sealed_others"), parameter="holder", value=holder)
        for name, cells in found.items():
            joined.setdefault(name, {}).update(cells)
    if any(set(cells) != set(end.columns) for cells in joined.values()):
        raise Contradiction(say("party.bad.not_published"), parameter="columns", value=list(end.columns))
    return replace(end, counted=counted(tuple(cells[name] for name in end.columns) for cells in joined.values()))
