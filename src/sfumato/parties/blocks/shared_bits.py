"""Comparisons whose outcome nobody learns: two holders end with random halves of each bit, which they can go on adding up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.kernels.arrays import Ints
from sfumato.parties.blocks.ciphers import Curve
from sfumato.parties.blocks.duels import answered, challenged_both_ways
from sfumato.parties.blocks.points import joined, parted_sets
from sfumato.parties.blocks.transfers import give_texts, take_texts
from sfumato.parties.conversation.message import Body, OutOfProtocol
from sfumato.parties.conversation.party import Seat, Talk

__all__ = ["HIDING", "SHARED_BITS", "ask_bits", "give_bits", "random_numbers"]

HIDING = 40
"""Bits of the random number that hides a count: all but one in 2^40 of them tell nothing of it."""


@frozen(kw_only=True)
class TurnAsk(Body):
    """Prefixes of the asker's numbers and of what they lack, as points under keys that it alone has."""

    type: ClassVar[str] = "cmp.turn"
    points: bytes
    turned: bytes

    def reveals(self) -> str:
        """Points under a key that the receiver lacks tell nothing."""
        return say("blocks.points")


@frozen(kw_only=True)
class TurnAnswer(Body):
    """One of both sets of each pair, under both keys, and the points of the other's numbers turned the same way."""

    type: ClassVar[str] = "cmp.turned"
    doubles: bytes
    points: bytes

    def reveals(self) -> str:
        """A random bit for each pair."""
        return say("blocks.turned")


SHARED_BITS: tuple[type[Body], ...] = (TurnAsk, TurnAnswer)


def ask_bits(seat: Seat, other: str, values: Sequence[int], context: bytes, bits: int) -> Talk[Ints]:
    """Return one half of each bit "own number larger than the other's": own half less the other's half is the bit."""
    group = Curve()
    challenge, turned = challenged_both_ways(values, context, group, bits, seat.secret)
    flat = [joined([point for one in sets for point in one]) for sets in (challenge.points, turned)]
    seat.send(other, TurnAsk(points=flat[0], turned=flat[1]))
    heard = yield from seat.hear(other, TurnAnswer)
    told = challenge.decided(parted_sets(heard.doubles, bits), parted_sets(heard.points, bits), group)
    texts = yield from take_texts(seat, other, [int(bit) for bit in told], 2, context)
    if any(len(text) != 8 for text in texts):
        raise OutOfProtocol("does not hold a number for each pair", parameter="ot.texts")
    return np.frombuffer(b"".join(texts), "<i8").astype(np.int64)


def give_bits(seat: Seat, other: str, values: Sequence[int], context: bytes, bits: int) -> Talk[Ints]:
    """Return the other half of each bit; a coin for each pair turns the comparison round, so that the asker learns nothing.

    ``x <= y`` iff ``2^bits - 1 - x > 2^bits - 2 - y``: an answer to the turned question is the opposite of the bit.
    """
    heard = yield from seat.hear(other, TurnAsk)
    sets = [parted_sets(text, bits) for text in (heard.points, heard.turned)]
    if any(len(one) != len(values) for one in sets):
        raise OutOfProtocol("does not ask of every pair", parameter=TurnAsk.type)
    coins = [byte & 1 for byte in seat.secret(len(values))] if values else []
    top = (1 << bits) - 2
    mine = [top - value if coin else value for value, coin in zip(values, coins, strict=True)]
    asked = [sets[coin][at] for at, coin in enumerate(coins)]
    doubles, points = answered(mine, asked, context, Curve(), bits, seat.secret)
    flat = [joined([point for one in both for point in one]) for both in (doubles, points)]
    seat.send(other, TurnAnswer(doubles=flat[0], points=flat[1]))
    halves = random_numbers(seat, len(values))
    texts = [
        [(half + (told ^ coin)).to_bytes(8, "little") for told in (0, 1)]
        for half, coin in zip(halves.tolist(), coins, strict=True)
    ]
    yield from give_texts(seat, other, texts, context)
    return halves


def random_numbers(seat: Seat, count: int) -> Ints:
    """Return random numbers of ``HIDING`` bits."""
    drawn = np.frombuffer(seat.secret(8 * count), "<u8") if count else np.empty(0, np.uint64)
    return (drawn >> np.uint64(64 - HIDING)).astype(np.int64)
