"""Which persons all holders have, found on tokens that carry the keys of all: nobody shows a person to anybody.

Each holder hides the points of its persons under a key that it throws away, and sends them round: every other holder puts its
own key on them. Back home the first key is taken off and the own one put on: tokens under the keys of all, which nobody else
has seen.
The first holder gets all tokens and says which are in every list; the order of tokens is the order of records from then on.
Two holders need neither a key to throw away nor somebody who compares: each has the other's list under both keys.

Where all must have the same persons, one token of each whole list tells whether they have, and then no person is sent at all:
records are in an order that follows from a key which the holders have drawn (the words of ``SHAKE256(key)``), not from names.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256, shake_256
from typing import ClassVar, NamedTuple

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints
from sfumato.parties.blocks.ciphers import Curve
from sfumato.parties.blocks.points import joined, parted
from sfumato.parties.conversation.message import Body, OutOfProtocol
from sfumato.parties.conversation.party import Seat, Talk

__all__ = ["ALIGNING", "Apart", "aligned_persons"]


@frozen(kw_only=True)
class Hidden(Body):
    """Persons of one holder under a key that it throws away, and the keys of those they have been to."""

    type: ClassVar[str] = "align.hidden"
    owner: int
    points: bytes

    def reveals(self) -> str:
        """How many persons the owner has."""
        return say("blocks.hidden")


@frozen(kw_only=True)
class Tokens(Body):
    """Persons of the sender under the keys of all, in no order."""

    type: ClassVar[str] = "align.tokens"
    points: bytes

    def reveals(self) -> str:
        """Which of its own persons the receiver shares with the sender."""
        return say("blocks.tokens")


@frozen(kw_only=True)
class Common(Body):
    """The tokens that are in every list."""

    type: ClassVar[str] = "align.common"
    points: bytes

    def reveals(self) -> str:
        """Which of its own persons all holders have."""
        return say("blocks.common")


@frozen(kw_only=True)
class OrderKey(Body):
    """The key under which persons are put in order where all have the same, for holders alone."""

    type: ClassVar[str] = "align.key"
    control: ClassVar[bool] = True
    key: bytes

    def reveals(self) -> str:
        """Nothing about the data."""
        return say("blocks.key")


class WholeHidden(Hidden):
    """The whole list of one holder as one point, on its way round."""

    type: ClassVar[str] = "align.whole.hidden"

    def reveals(self) -> str:
        """One bit, once it is back."""
        return say("blocks.same")


class WholeTokens(Tokens):
    """The whole list of the sender as one token under the keys of all."""

    type: ClassVar[str] = "align.whole.tokens"

    def reveals(self) -> str:
        """One bit."""
        return say("blocks.same")


class WholeCommon(Common):
    """The token of the whole list, if it is that of all; nothing if not."""

    type: ClassVar[str] = "align.whole.common"

    def reveals(self) -> str:
        """One bit."""
        return say("blocks.same")


class Apart(BadRequest):
    """Lists of persons that a contract does not bring together."""


class _Spoken(NamedTuple):
    """The messages in which lists are compared: of persons, or of the whole list of each holder."""

    hidden: type[Hidden]
    tokens: type[Tokens]
    common: type[Common]


_PERSONS, _WHOLE = _Spoken(Hidden, Tokens, Common), _Spoken(WholeHidden, WholeTokens, WholeCommon)
ALIGNING: tuple[type[Body], ...] = (OrderKey, *_WHOLE, *_PERSONS)


def aligned_persons(seat: Seat, persons: Sequence[str], *, exact: bool) -> Talk[Ints]:
    """Return the own rows of the persons that all have, in the same order at every holder, which tells nothing.

    Names of persons are in their normal form (NFC, no white space around them), or equal ones would not be alike.
    """
    if len(set(persons)) != len(persons):
        raise BadRequest(say("party.bad.twice", holder=seat.name), parameter="person")
    if exact and (same := (yield from _same(seat, persons))) is not None:
        return same
    tokens, common = yield from _compared(seat, [person.encode() for person in persons], _PERSONS)
    missing = len(tokens) - len(common)
    if exact and missing:
        raise Apart(say("party.bad.persons", holder=seat.name, count=missing), parameter="align")
    if not common:
        raise Apart(say("party.bad.nobody"), parameter="holders", value=list(seat.names))
    places = {token: at for at, token in enumerate(tokens)}
    return np.array([places[token] for token in common], np.int64)


def _same(seat: Seat, persons: Sequence[str]) -> Talk[Ints | None]:
    """Return the own rows in the order that all have, or nothing if not all have the same persons."""
    # Before the key is there: all do it at the same time. Texts are in the order of their bytes in UTF-8.
    ordered = sorted(range(len(persons)), key=persons.__getitem__)
    listed = [persons[at] for at in ordered]
    joint = "".join(listed)
    sizes = map(len, listed) if joint.isascii() else (len(person.encode()) for person in listed)
    lengths = np.array([len(listed), *sizes], "<i8").tobytes()  # where one person ends and the next begins
    if seat.index == 0:
        drawn = OrderKey(key=seat.secret(32))
        seat.tell(drawn)
    else:
        drawn = yield from seat.hear(seat.names[0], OrderKey)
    if len(drawn.key) != 32:
        raise OutOfProtocol("is not a key", parameter=OrderKey.type)
    # A hash of the list itself could be tried out; as a point under the keys of all it is compared once, and never again.
    whole = sha256(drawn.key + lengths + joint.encode()).digest()
    mixed = np.frombuffer(shake_256(drawn.key).digest(8 * len(ordered)), "<u8").argsort(kind="stable")
    order = np.array(ordered, np.int64)[mixed]
    _, common = yield from _compared(seat, [whole], _WHOLE)
    return order if common else None


def _compared(seat: Seat, texts: Sequence[bytes], spoken: _Spoken) -> Talk[tuple[list[bytes], list[bytes]]]:
    """Return the token of each own text, and in order those that all holders have."""
    group, count = Curve(), len(seat.names)
    own = group.key(seat.secret)
    once = own if count == 2 else group.key(seat.secret)
    points = group.encrypted(once, group.hashed(texts, "|".join(seat.names).encode()))
    order = sorted(range(len(points)), key=points.__getitem__)  # where a person stands in the own table tells nothing
    after, before = seat.names[(seat.index + 1) % count], seat.names[seat.index - 1]
    seat.send(after, spoken.hidden(owner=seat.index, points=joined([points[at] for at in order])))
    back: list[bytes] = []
    passed: list[bytes] = []
    for step in range(1, count + 1):
        heard = yield from seat.hear(before, spoken.hidden)
        if heard.owner != (seat.index - step) % count:
            raise OutOfProtocol("comes out of turn", parameter=spoken.hidden.type)
        if step == count:
            back = parted(heard.points)
        else:
            passed = group.encrypted(own, parted(heard.points))
            seat.send(after, spoken.hidden(owner=heard.owner, points=joined(passed)))
    if len(back) != len(texts):
        raise OutOfProtocol("does not hold every person once", parameter=spoken.hidden.type)
    if count > 2:  # the key that is thrown away comes off as the own one is put on
        back = group.encrypted(group.product(own, group.inverse(once)), back)
    tokens = [b""] * len(back)
    for at, token in zip(order, back, strict=True):
        tokens[at] = token
    if count == 2:
        return tokens, sorted(set(tokens).intersection(passed))
    return tokens, (yield from _common(seat, sorted(tokens), spoken))


def _common(seat: Seat, tokens: list[bytes], spoken: _Spoken) -> Talk[list[bytes]]:
    first = seat.names[0]
    if seat.index:
        seat.send(first, spoken.tokens(points=joined(tokens)))
        found = parted((yield from seat.hear(first, spoken.common)).points)
        if not set(found) <= set(tokens):
            raise OutOfProtocol("holds persons that this holder does not have", parameter=spoken.common.type)
        return found
    heard = yield from seat.gather(spoken.tokens)
    found = sorted(set(tokens).intersection(*(parted(one.points) for one in heard.values())))
    seat.tell(spoken.common(points=joined(found)))
    return found
