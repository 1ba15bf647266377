"""Who calls: every request is signed, because a server does not tell an application whose certificate a connection showed."""

from __future__ import annotations

import secrets
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping
from hashlib import sha256

from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.parties.conversation.identity import Identity, Pinned
from sfumato.parties.conversation.message import canonical

__all__ = ["AGE", "Callers", "signed_headers"]

AGE = 300
"""Seconds for which a request is young enough; one with the same nonce is not taken again within them."""


def signed_headers(identity: Identity, server: Pinned, path: str, body: bytes) -> dict[str, str]:
    """Return the headers that say who calls, when, and by a signature what, and whom: nobody else can use it elsewhere."""
    at, nonce = str(int(time.time())), secrets.token_hex(16)
    signature = identity.sign(_text(server, path, at, nonce, body))
    return {"party": identity.name, "party-at": at, "party-nonce": nonce, "party-sig": b64encode(signature).decode()}


def _text(server: Pinned, path: str, at: str, nonce: str, body: bytes) -> bytes:
    return canonical(["sfumato/call/v2", server.key.hex(), path, at, nonce, sha256(body).hexdigest()])


class Callers:
    """Everybody who may call a server, by name.

    What is signed names the server by its key: else a holder could show another one what an auditor has signed for itself.
    """

    def __init__(self, server: Pinned, known: Mapping[str, Pinned]) -> None:
        self.server, self.known = server, dict(known)
        self._seen: dict[str, int] = {}
        self._swept = 0
        self._lock = threading.Lock()

    def caller(self, path: str, headers: Mapping[str, str], body: bytes) -> str:
        """Return who calls; refuse strangers, old requests, and those that were heard already."""
        name, at, nonce = (headers.get(key, "") for key in ("party", "party-at", "party-nonce"))
        pinned = self.known.get(name)
        now = int(time.time())
        if pinned is None or not at.isdecimal() or len(at) > 12 or not 16 <= len(nonce) <= 64:
            raise BadRequest(say("party.bad.unknown"), parameter="request")
        try:
            signature = b64decode(headers.get("party-sig", ""), validate=True)
        except ValueError:
            signature = b""
        if not pinned.signed(_text(self.server, path, at, nonce, body), signature):
            raise BadRequest(say("party.bad.sender"), parameter="request")
        if abs(now - int(at)) > AGE:  # told to whoever has signed it alone
            raise BadRequest(say("party.bad.clock", seconds=AGE), parameter="request")
        with self._lock:
            if now - self._swept > AGE:  # now and then: a relay is called many times in a second
                self._swept = now
                self._seen = {key: when for key, when in self._seen.items() if now - when <= 2 * AGE}
            if f"{name} {nonce}" in self._seen:
                raise BadRequest(say("party.bad.heard"), parameter="request")
            self._seen[f"{name} {nonce}"] = now
        return name
