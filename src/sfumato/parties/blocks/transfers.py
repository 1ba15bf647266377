"""Oblivious transfer: of several texts a receiver gets the one that it chooses; who gives them does not learn which.

The giver sends ``A = a G``, the receiver ``B = b G + c A`` for its choice c. The key of text j is a hash of ``a B - j a A``;
the receiver knows that of text c alone, ``b A``. Each text travels in a sealed box under its key.

References
----------
Chou, Orlandi, "The simplest protocol for oblivious transfer", 2015, doi:10.1007/978-3-319-22174-8_3.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, ClassVar

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported
from sfumato.parties.blocks.ciphers import Curve
from sfumato.parties.blocks.points import WIDTH, joined, parted
from sfumato.parties.conversation.message import Body, OutOfProtocol
from sfumato.parties.conversation.party import Seat, Talk

if TYPE_CHECKING:
    from nacl.secret import SecretBox

__all__ = ["TRANSFERRING", "give_texts", "take_texts"]

_SEAL = 16  # bytes that a sealed box adds
_NONCE = bytes(24)  # every key seals one text


@frozen(kw_only=True)
class TransferKey(Body):
    """The public point of the giver."""

    type: ClassVar[str] = "ot.key"
    point: bytes

    def reveals(self) -> str:
        """Nothing about the data."""
        return say("blocks.key")


@frozen(kw_only=True)
class Choices(Body):
    """What the receiver chooses, hidden by random points."""

    type: ClassVar[str] = "ot.choices"
    points: bytes

    def reveals(self) -> str:
        """Nothing: every choice looks like a random point."""
        return say("blocks.choices")


@frozen(kw_only=True)
class Texts(Body):
    """All texts, each under a key of its own."""

    type: ClassVar[str] = "ot.texts"
    texts: bytes

    def reveals(self) -> str:
        """Of each choice one text."""
        return say("blocks.texts")


TRANSFERRING: tuple[type[Body], ...] = (TransferKey, Choices, Texts)


def take_texts(seat: Seat, giver: str, choices: Sequence[int], ways: int, context: bytes) -> Talk[list[bytes]]:
    """Return of each row of ``ways`` texts the one that is chosen; the giver does not learn which."""
    group = Curve()
    theirs = (yield from seat.hear(giver, TransferKey)).point
    keys = [group.key(seat.secret) for _ in choices]
    multiples = [b"", *group.multiples(theirs, ways - 1)]
    seat.send(giver, Choices(points=joined(group.offset(group.points(keys), [multiples[one] for one in choices]))))
    texts = (yield from seat.hear(giver, Texts)).texts
    width, rest = divmod(len(texts), max(len(choices) * ways, 1))
    if rest or (choices and width <= _SEAL):
        raise OutOfProtocol("does not hold a text for each choice", parameter=Texts.type)
    shared = [group.encrypted(key, [theirs])[0] for key in keys]
    box, out = _box(), []
    for at, (one, point) in enumerate(zip(choices, shared, strict=True)):
        place = (at * ways + one) * width
        try:
            out.append(box(_key(context, at, point)).decrypt(texts[place : place + width], _NONCE))
        except Exception as error:  # the library has an error of its own for a box that does not open
            raise OutOfProtocol("does not open", parameter=Texts.type) from error
    return out


def give_texts(seat: Seat, receiver: str, texts: Sequence[Sequence[bytes]], context: bytes) -> Talk[None]:
    """Offer rows of texts, all of the same length; learn nothing of what is chosen."""
    group, ways = Curve(), len(texts[0]) if texts else 1
    own = group.key(seat.secret)
    (mine,) = group.points([own])
    seat.send(receiver, TransferKey(point=mine))
    chosen = parted((yield from seat.hear(receiver, Choices)).points)
    if len(chosen) != len(texts):
        raise OutOfProtocol("does not choose once for each row", parameter=Choices.type)
    shared = group.encrypted(own, chosen)
    multiples = group.multiples(group.encrypted(own, [mine])[0], ways - 1)
    box, sealed = _box(), []
    for at, row in enumerate(texts):
        points = [shared[at], *(group.taken_off(shared[at], one) for one in multiples)]
        sealed += [
            box(_key(context, at, point)).encrypt(text, _NONCE).ciphertext
            for point, text in zip(points, row, strict=True)
        ]
    seat.send(receiver, Texts(texts=b"".join(sealed)))


def _key(context: bytes, at: int, point: bytes) -> bytes:
    if len(point) != WIDTH:
        raise BadRequest("is not an element of the group", parameter="elements")
    return sha256(
        b"sfumato/ot/v1|" + len(context).to_bytes(4, "big") + context + at.to_bytes(8, "big") + point
    ).digest()


def _box() -> type[SecretBox]:
    try:
        from nacl.secret import SecretBox
    except ImportError:
        raise Unsupported('oblivious transfer needs PyNaCl: pip install "sfumato[parties]"', thing="party") from None
    found: type[SecretBox] = SecretBox
    return found
