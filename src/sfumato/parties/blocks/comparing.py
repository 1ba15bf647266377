"""Two holders find out which of their numbers is larger, many pairs at a time: the messages of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.parties.blocks.ciphers import Curve
from sfumato.parties.blocks.duels import KEY_BITS, answered, challenged
from sfumato.parties.blocks.points import joined, parted_sets
from sfumato.parties.conversation.message import Body
from sfumato.parties.conversation.party import Seat, Talk

__all__ = ["COMPARING", "CompareAnswer", "CompareAsk", "answer_larger", "ask_larger"]


@frozen(kw_only=True)
class CompareAsk(Body):
    """Prefixes of the asker's numbers, as points under keys that it alone has."""

    type: ClassVar[str] = "cmp.ask"
    points: bytes

    def reveals(self) -> str:
        """Points under a key that the receiver lacks tell nothing."""
        return say("blocks.points")


@frozen(kw_only=True)
class CompareAnswer(Body):
    """The asker's points under both keys, in no order, and those of the other's numbers under the other's keys."""

    type: ClassVar[str] = "cmp.answer"
    doubles: bytes
    points: bytes

    def reveals(self) -> str:
        """One bit for each pair."""
        return say("blocks.larger")


COMPARING: tuple[type[Body], ...] = (CompareAsk, CompareAnswer)


def ask_larger(seat: Seat, other: str, values: Sequence[int], context: bytes, bits: int = KEY_BITS) -> Talk[list[bool]]:
    """Ask of each own number whether it is larger than the other holder's; only the asker learns it."""
    group = Curve()
    challenge = challenged(values, context, group, bits, seat.secret)
    seat.send(other, CompareAsk(points=joined([point for points in challenge.points for point in points])))
    heard = yield from seat.hear(other, CompareAnswer)
    return challenge.decided(parted_sets(heard.doubles, bits), parted_sets(heard.points, bits), group)


def answer_larger(seat: Seat, other: str, values: Sequence[int], context: bytes, bits: int = KEY_BITS) -> Talk[None]:
    """Answer what the other holder asks of the own numbers; learn nothing."""
    heard = yield from seat.hear(other, CompareAsk)
    doubles, points = answered(values, parted_sets(heard.points, bits), context, Curve(), bits, seat.secret)
    flat = (joined([point for one in sets for point in one]) for sets in (doubles, points))
    seat.send(other, CompareAnswer(doubles=next(flat), points=next(flat)))
