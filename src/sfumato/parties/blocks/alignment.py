"""Which persons all holders have, found on tokens that carry the keys of all: nobody shows a person to anybody.

Each holder hides the points of its persons under a key that it throws away, and sends them round: every other holder puts its
own key on them. Back home the first key is taken off and the own one put on: tokens under the keys of all, which nobody else
has seen.
The first holder gets all tokens and says which are in every list; the order of tokens is the order of records from then on.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.parties.blocks.ciphers import Curve
from sfumato.parties.blocks.points import joined, parted
from sfumato.parties.conversation.message import Body, OutOfProtocol
from sfumato.parties.conversation.party import Seat, Talk

__all__ = ["ALIGNING", "aligned_persons"]


@dataclass(frozen=True, kw_only=True)
class Hidden(Body):
    """Persons of one holder under a key that it throws away, and the keys of those they have been to."""

    type: ClassVar[str] = "align.hidden"
    owner: int
    points: bytes

    def reveals(self) -> str:
        """How many persons the owner has."""
        return say("blocks.hidden")


@dataclass(frozen=True, kw_only=True)
class Tokens(Body):
    """Persons of the sender under the keys of all, in no order."""

    type: ClassVar[str] = "align.tokens"
    points: bytes

    def reveals(self) -> str:
        """Which of its own persons the receiver shares with the sender."""
        return say("blocks.tokens")


@dataclass(frozen=True, kw_only=True)
class Common(Body):
    """The tokens that are in every list."""

    type: ClassVar[str] = "align.common"
    points: bytes

    def reveals(self) -> str:
        """Which of its own persons all holders have."""
        return say("blocks.common")


ALIGNING: tuple[type[Body], ...] = (Hidden, Tokens, Common)


def aligned_persons(seat: Seat, persons: Sequence[str], *, exact: bool) -> Talk[list[int]]:
    """Return the own rows of the persons that all have, in the same order at every holder, which tells nothing."""
    group, count = Curve(), len(seat.names)
    once, own = group.key(seat.secret), group.key(seat.secret)
    texts = [unicodedata.normalize("NFC", person).strip().encode() for person in persons]
    if len(set(texts)) != len(texts):
        raise BadRequest(f"{seat.name} has a person twice", parameter="person")
    points = group.encrypted(once, group.hashed(texts, "|".join(seat.names).encode()))
    after, before = seat.names[(seat.index + 1) % count], seat.names[seat.index - 1]
    seat.send(after, Hidden(owner=seat.index, points=joined(points)))
    back: list[bytes] = []
    for step in range(1, count + 1):
        heard = yield from seat.hear(before, Hidden)
        if heard.owner != (seat.index - step) % count:
            raise OutOfProtocol("comes out of turn", parameter=Hidden.type)
        if step == count:
            back = parted(heard.points)
        else:
            seat.send(after, Hidden(owner=heard.owner, points=joined(group.encrypted(own, parted(heard.points)))))
    if len(back) != len(texts):
        raise OutOfProtocol("does not hold every person once", parameter=Hidden.type)
    tokens = group.encrypted(own, group.decrypted(once, back))
    places = {token: at for at, token in enumerate(tokens)}
    common = yield from _common(seat, sorted(tokens))
    missing = len(tokens) - len(common)
    if exact and missing:
        raise BadRequest(
            f"{seat.name} has {missing:,} persons that another holder does not have; align: intersection takes those that all "
            "have, and tells each holder which these are",
            parameter="align",
        )
    if not common:
        raise BadRequest("have no person in common", parameter="holders", value=list(seat.names))
    if any(token not in places for token in common):
        raise OutOfProtocol("holds persons that this holder does not have", parameter=Common.type)
    return [places[token] for token in common]


def _common(seat: Seat, tokens: list[bytes]) -> Talk[list[bytes]]:
    first = seat.names[0]
    if seat.index:
        seat.send(first, Tokens(points=joined(tokens)))
        return parted((yield from seat.hear(first, Common)).points)
    heard = yield from seat.gather(Tokens)
    common = set(tokens).intersection(*(parted(one.points) for one in heard.values()))
    found = sorted(common)
    seat.tell(Common(points=joined(found)))
    return found
