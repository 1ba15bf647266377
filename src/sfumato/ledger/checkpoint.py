"""A signed statement of how far a ledger goes: origin, size, head.

A chain alone cannot show that its end was cut off, that it was written anew, or that it goes on in two copies. Whoever holds a
checkpoint can: every later state of the ledger must have that head at that size. Certificates carry one.
"""

from __future__ import annotations

from base64 import b64encode

from sfumato.data.frozen import frozen

__all__ = ["Checkpoint"]


@frozen
class Checkpoint:
    """Which ledger, how many entries, and the head of the chain up to the last of them."""

    origin: str
    size: int
    head: bytes

    @property
    def text(self) -> bytes:
        """The bytes that are signed, in the form of transparency logs (C2SP tlog-checkpoint): a line for each part."""
        return f"sfumato ledger {self.origin}\n{self.size}\n{b64encode(self.head).decode()}\n".encode()
