"""Publishing rows of several sites together so that nobody can tell whose they are: a decryption mix.

Each row is sealed for every site in turn, all to one length. The batch goes round: each site takes its seal off and passes on
what is inside in the order of its bytes, which tells nothing about the order in which it came. The last site publishes the
rows. One site that does not talk is enough to cut the link between a row and its sender. Empty rows hide how many a site has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported
from sfumato.parties.blocks.points import joined, parted
from sfumato.parties.conversation.message import Body, OutOfProtocol
from sfumato.parties.conversation.party import Seat, Talk

if TYPE_CHECKING:
    from nacl.public import PrivateKey, PublicKey

__all__ = ["LAYER", "MIXING", "mixed", "opened", "padded", "peeled", "sealed"]

LAYER = 48
"""Bytes that a seal adds: an ephemeral public key and a tag."""


@frozen(kw_only=True)
class MixKey(Body):
    """A fresh public key that rows are sealed for."""

    type: ClassVar[str] = "mix.key"
    public: bytes

    def reveals(self) -> str:
        """Nothing about the data."""
        return say("blocks.key")


@frozen(kw_only=True)
class Batch(Body):
    """Rows under the seals that are left, in no order."""

    type: ClassVar[str] = "mix.batch"
    rows: bytes

    def reveals(self) -> str:
        """How many rows there are, empty ones among them."""
        return say("blocks.batch")


@frozen(kw_only=True)
class Union(Body):
    """The rows of all sites, in the order of their bytes."""

    type: ClassVar[str] = "mix.union"
    rows: bytes

    def reveals(self) -> str:
        """What is published."""
        return say("blocks.union")


MIXING: tuple[type[Body], ...] = (MixKey, Batch, Union)


def padded(row: bytes, length: int) -> bytes:
    """Return a row with its length before it, filled up; rows without a byte are empty ones.

    >>> padded(b"ab", 6)
    b'\\x00\\x02ab\\x00\\x00'
    """
    if len(row) > length - 2:
        raise BadRequest(f"must have at most {length - 2} bytes as text", parameter="row", value=len(row))
    return len(row).to_bytes(2, "big") + row.ljust(length - 2, b"\0")


def opened(text: bytes) -> bytes:
    """Return the row that was filled up."""
    size = int.from_bytes(text[:2], "big")
    if size > len(text) - 2 or any(text[2 + size :]):
        raise OutOfProtocol("is not filled up as it should be", parameter=Batch.type)
    return text[2 : 2 + size]


def sealed(row: bytes, keys: Sequence[PublicKey]) -> bytes:
    """Seal a row for every key, the last one innermost."""
    from nacl.public import SealedBox

    for key in reversed(keys):
        row = bytes(SealedBox(key).encrypt(row))
    return row


def peeled(rows: Sequence[bytes], key: PrivateKey) -> list[bytes]:
    """Take one seal off each row; return them in the order of their bytes. A row that comes twice is refused."""
    from nacl.exceptions import CryptoError
    from nacl.public import SealedBox

    if len(set(rows)) != len(rows):  # who sends a copy of another's row could follow it
        raise OutOfProtocol("holds a row twice", parameter=Batch.type)
    box = SealedBox(key)
    try:
        return sorted(box.decrypt(row) for row in rows)
    except (CryptoError, ValueError, TypeError):
        raise OutOfProtocol("is not sealed for this site", parameter=Batch.type) from None


def mixed(seat: Seat, rows: Sequence[bytes], *, length: int, slots: int = 0) -> Talk[list[bytes]]:
    """Publish the rows of all sites; ``slots`` is how many rows a site seems to have, 0 shows how many there are.

    The site that is next to publish sees how many rows are empty, and nobody which sites sent them.
    """
    try:
        from nacl.public import PrivateKey, PublicKey
    except ImportError:
        raise Unsupported('a mix needs PyNaCl: pip install "sfumato[parties]"', thing="distributed-mondrian") from None
    if slots and len(rows) > slots:
        raise BadRequest("has more rows than a site may bring to the mix", parameter="slots", value=slots)
    own = PrivateKey(seat.secret(32))
    heard = yield from seat.exchange(MixKey(public=bytes(own.public_key)))
    try:
        keys = [PublicKey(heard[name].public) for name in seat.names]
    except (ValueError, TypeError):
        raise OutOfProtocol("is not a public key", parameter=MixKey.type) from None
    filled = [*rows, *[b""] * (slots - len(rows) if slots else 0)]
    batch = [sealed(padded(row, length), keys) for row in filled]
    names, last = seat.names, len(seat.names) - 1
    width = length + LAYER * (len(names) - seat.index)
    if seat.index == 0:
        given = yield from seat.gather(Batch)
        whole = batch + [row for one in given.values() for row in parted(one.rows, width)]
    else:
        seat.send(names[0], Batch(rows=joined(batch)))
        whole = parted((yield from seat.hear(names[seat.index - 1], Batch)).rows, width)
    inner = peeled(whole, own)
    if seat.index < last:
        seat.send(names[seat.index + 1], Batch(rows=joined(inner)))
        public = parted((yield from seat.hear(names[last], Union)).rows, length)
    else:
        seat.tell(Union(rows=joined(inner)))
        public = inner
    return [row for row in map(opened, public) if row]
