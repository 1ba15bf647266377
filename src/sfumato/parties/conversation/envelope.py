"""Messages on the wire: signed, chained, bound to one session and its contract, and sealed where somebody else carries them.

An envelope is canonical JSON ``{v, session, contract, from, to, round, seq, type, body, prev, sig}``. ``prev`` is the hash of
the envelope that its sender sent to that receiver before, ``seq`` counts them from 0. A receiver takes each one once, in order.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256

from sfumato.data.json import Json
from sfumato.errors import BadRequest
from sfumato.parties.conversation.identity import Identity, Pinned
from sfumato.parties.conversation.message import LARGEST, Body, Message, OutOfProtocol, canonical

__all__ = ["VERSION", "Envelopes", "Repeated", "Stray"]

VERSION = 1
_FIELDS = {"v", "session", "contract", "from", "to", "round", "seq", "type", "body", "prev", "sig"}


class Stray(OutOfProtocol):
    """An envelope that nobody who takes part has sent as the next one: it is left aside, and the session goes on."""


class Repeated(Stray):
    """An envelope that was taken already: whoever sent it again gets the same answer, and nothing changes."""


class Envelopes:
    """What one holder sends and takes in one session; ``sealed``: a relay carries them, and may not read them."""

    def __init__(
        self,
        identity: Identity,
        others: Mapping[str, Pinned],
        session: str,
        contract: str,
        bodies: Sequence[type[Body]],
        *,
        sealed: bool = False,
        most: int = LARGEST,
    ) -> None:
        self.identity, self.others, self.session, self.contract = identity, others, session, contract
        self.bodies, self.is_sealed, self.most = bodies, sealed, most
        self._sent: dict[str, tuple[int, str]] = {}
        self._taken: dict[str, tuple[int, str]] = {}

    def wrapped(self, message: Message) -> bytes:
        """Return the envelope of a message; each one counts."""
        seq, prev = self._sent.get(message.receiver, (0, ""))
        document: dict[str, Json] = {
            "v": VERSION,
            "session": self.session,
            "contract": self.contract,
            "seq": seq,
            "prev": prev,
            **message.plain,
        }
        document["sig"] = b64encode(self.identity.sign(canonical(document))).decode()
        text = canonical(document)
        self._sent[message.receiver] = (seq + 1, sha256(text).hexdigest())
        return self.others[message.receiver].sealed(text) if self.is_sealed else text

    def taken(self, text: bytes) -> Message:
        """Return the message of an envelope that comes next from its sender; anything else is refused and changes nothing.

        One that its sender did sign as the next one, and that holds no message of the protocol, is the sender's fault: it is
        out of protocol, not astray.
        """
        if len(text) > self.most:
            raise Stray(f"is longer than {self.most} bytes", parameter="envelope")
        if self.is_sealed:
            try:
                text = self.identity.opened(text)
            except BadRequest:
                raise Stray("is not sealed for this holder", parameter="envelope") from None
        document = self._document(text)
        sender = self.others.get(str(document["from"]))
        if sender is None or document["to"] != self.identity.name:
            raise Stray("is not for this holder, or of nobody who takes part", parameter="envelope")
        unsigned = {key: value for key, value in document.items() if key != "sig"}
        if not self._genuine(sender, unsigned, document["sig"]) or canonical(document) != text:
            raise Stray("is not signed by its sender as it is", parameter="envelope")
        if (document["session"], document["contract"]) != (self.session, self.contract):
            raise Stray("belongs to another session or contract", parameter="envelope")
        seq, prev = self._taken.get(sender.name, (0, ""))
        if isinstance(document["seq"], int) and document["seq"] < seq:
            raise Repeated("was taken already", parameter="envelope")
        if document["seq"] != seq or document["prev"] != prev:
            raise Stray("is not the one that comes next", parameter="envelope")
        inner = {key: document[key] for key in ("from", "to", "round", "type", "body")}
        message = Message.of(inner, self.bodies, self.most)
        self._taken[sender.name] = (seq + 1, sha256(text).hexdigest())
        return message

    def _document(self, text: bytes) -> dict[str, Json]:
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            raise Stray("is no JSON", parameter="envelope") from None
        if not isinstance(document, dict) or set(document) != _FIELDS or document["v"] != VERSION:
            raise Stray("does not have the fields of an envelope", parameter="envelope")
        return document

    def _genuine(self, sender: Pinned, unsigned: dict[str, Json], signature: Json) -> bool:
        try:
            return sender.signed(canonical(unsigned), b64decode(str(signature), validate=True))
        except (ValueError, RecursionError):  # what has no canonical form was never signed
            return False
