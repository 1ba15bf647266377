"""Lists of elements as they travel: side by side, 32 bytes each."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.parties.conversation.message import OutOfProtocol

__all__ = ["WIDTH", "joined", "parted", "parted_sets"]

WIDTH = 32


def joined(elements: Sequence[bytes]) -> bytes:
    """Return elements side by side."""
    return b"".join(elements)


def parted(text: bytes, width: int = WIDTH) -> list[bytes]:
    """Return the elements of a text; refuse one that ends within an element."""
    if len(text) % width:
        raise OutOfProtocol("ends within an element", parameter="points")
    return [text[at : at + width] for at in range(0, len(text), width)]


def parted_sets(text: bytes, size: int) -> list[list[bytes]]:
    """Return sets of as many elements each."""
    found = parted(text)
    if len(found) % size:
        raise OutOfProtocol(f"must be sets of {size} points", parameter="points")
    return [found[at : at + size] for at in range(0, len(found), size)]
