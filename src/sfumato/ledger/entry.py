"""One entry of the ledger, and the chain that binds it to all before it.

An entry may have a private body. The chain holds only a salted digest of it, so that the body can be erased and the chain still
closes; the salt goes with it, so that nobody can find out by guessing what was erased.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import sha256

from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.ledger.facts import Facts, facts_of

__all__ = ["NOTHING", "Body", "Entry", "body_digest", "next_head"]

NOTHING = bytes(32)
"""The head of a ledger without entries."""

_VERSION = b"sfumato ledger 1\n"


@frozen
class Body:
    """What stays private about an entry: bytes that the ledger does not look into, and what kind of bytes they are."""

    kind: str
    content: bytes


@frozen
class Entry:
    """What is kept for ever: number, microseconds since 1970, kind, series, the entry it is about, facts, digest of the body.

    ``head`` is the digest of the chain up to here, ``signature`` that of the checkpoint (origin, number, head).
    """

    number: int
    at: int
    kind: str
    series: str
    about: int
    text: str
    body: bytes = b""
    head: bytes = b""
    signature: bytes = b""

    @property
    def facts(self) -> Facts:
        """What the entry says."""
        return facts_of(self.kind, self.text)

    @property
    def time(self) -> datetime:
        """When it was written."""
        return datetime.fromtimestamp(self.at / 1e6, UTC)

    def document(self) -> dict[str, Json]:
        """Return it for JSON: what it says, without a private body."""
        told: dict[str, Json] = {"number": self.number, "time": self.time.isoformat(), "kind": self.kind}
        about: dict[str, Json] = {"about": self.about} if self.about else {}
        series: dict[str, Json] = {"series": self.series} if self.series else {}
        return {**told, **series, **about, **json.loads(self.text)}


def body_digest(salt: bytes, body: Body) -> bytes:
    """Return ``SHA-256(salt, kind, content)``; who does not know the 32 random bytes of the salt cannot guess the content."""
    return sha256(salt + body.kind.encode() + b"\0" + body.content).digest()


def next_head(before: bytes, entry: Entry) -> bytes:
    """Return the head of the chain with one more entry: ``SHA-256(version, head before, what the entry holds)``."""
    held = [entry.number, entry.at, entry.kind, entry.series, entry.about, entry.text, entry.body.hex()]
    return sha256(_VERSION + before + json.dumps(held, separators=(",", ":")).encode()).digest()
