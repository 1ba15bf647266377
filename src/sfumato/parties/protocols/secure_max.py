"""Secure maximum: holders find out who has the largest number, and none of them shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.parties.blocks.comparing import COMPARING, answer_larger, ask_larger
from sfumato.parties.blocks.duels import KEY_BITS
from sfumato.parties.blocks.prefixes import exceeds, one_encoding, zero_encoding
from sfumato.parties.conversation.message import Body
from sfumato.parties.conversation.party import Seat, Talk
from sfumato.parties.conversation.protocol import Protocol

__all__ = ["SecureMax", "exceeds", "one_encoding", "zero_encoding"]


@frozen(kw_only=True)
class Key(Body):
    """The sender's number, as it is."""

    type: ClassVar[str] = "max.key"
    key: str  # more than the 53 bits that every reader of JSON keeps

    def reveals(self) -> str:
        """The number itself."""
        return say("blocks.number")


@frozen(kw_only=True)
class Won(Body):
    """Whether the sender's number was larger than that of whoever led before."""

    type: ClassVar[str] = "max.won"
    won: bool

    def reveals(self) -> str:
        """Who of the two has the larger number."""
        return say("blocks.duel")


@frozen(kw_only=True)
class Some(Body):
    """Whether the winner has a number at all."""

    type: ClassVar[str] = "max.some"
    some: bool

    def reveals(self) -> str:
        """Whether anybody has a number."""
        return say("blocks.some")


class SecureMax(Protocol[int, int | None]):
    """Find the holder of the largest number; equal numbers go to the first holder, and 0 means "none".

    ``plain``: everybody shows the number. ``pairwise``: the holders meet one after the other. With
    ``one(x)`` the prefixes of x that end in 1 and ``zero(y)`` the prefixes of y that end in 0, with that 0 made a 1,
    ``x > y`` iff both share an element. Who comes next finds out by a private intersection of the two sets, each filled up to
    80 elements, under keys that are drawn for this comparison alone, and tells all whether it leads now. The last leader says
    whether its number is more than 0. Returned is the place of the winner in public order, or nothing.

    The outcomes of n - 1 comparisons become known, no number does. A holder may lie about its own number.

    Examples
    --------
    >>> from sfumato.parties.protocols import SecureMax, exceeds
    >>> SecureMax(mode="pairwise", bits=8).simulate({"bank": 200, "shop": 201}).results
    {'bank': 1, 'shop': 1}
    >>> exceeds(6, 5, bits=3)
    True

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 11.2.4.1.
    Lin, Tzeng, "An efficient solution to the millionaires' problem based on homomorphic encryption", 2005,
    doi:10.1007/11496137_31.
    """

    id: ClassVar[str] = "secure-max"
    bodies: ClassVar[Sequence[type[Body]]] = (Key, Won, Some, *COMPARING)

    mode: Literal["plain", "pairwise"] = param(
        default="pairwise",
        choices=("plain", "pairwise"),
        doc="whether numbers are shown, or compared without showing them",
    )
    bits: int = param(default=KEY_BITS, ge=1, le=128, doc="length of the numbers")

    def talk(self, seat: Seat, own: int) -> Talk[int | None]:
        """Return the place of the winner; nothing if every number is 0."""
        if not 0 <= own < 1 << self.bits:
            raise BadRequest(f"must be a whole number of at most {self.bits} bits", parameter=f"{self.id}.number")
        found = yield from (self._shown(seat, own) if self.mode == "plain" else self._compared(seat, own))
        return found

    def _shown(self, seat: Seat, own: int) -> Talk[int | None]:
        heard = yield from seat.exchange(Key(key=str(own)))
        keys = [_number(heard[name].key, self.bits) for name in seat.names]
        best = max(range(len(keys)), key=lambda at: (keys[at], -at))
        return best if keys[best] else None

    def _compared(self, seat: Seat, own: int) -> Talk[int | None]:
        leader = 0
        for challenger in range(1, len(seat.names)):
            context = f"{'|'.join(seat.names)}|{seat.round}|{leader}|{challenger}".encode()
            if seat.index == challenger:
                (won,) = yield from ask_larger(seat, seat.names[leader], [own], context, self.bits)
                seat.tell(Won(won=won))
            else:
                if seat.index == leader:
                    yield from answer_larger(seat, seat.names[challenger], [own], context, self.bits)
                won = (yield from seat.hear(seat.names[challenger], Won)).won
            leader = challenger if won else leader
        if seat.index == leader:
            seat.tell(Some(some=own > 0))
            return leader if own else None
        some = (yield from seat.hear(seat.names[leader], Some)).some
        return leader if some else None


def _number(text: str, bits: int) -> int:
    from sfumato.parties.conversation.message import OutOfProtocol

    if not text.isascii() or not text.isdigit() or len(text) > bits or int(text) >= 1 << bits:
        raise OutOfProtocol(f"is not a number of at most {bits} bits", parameter=Key.type)
    return int(text)
