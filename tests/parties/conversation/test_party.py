"""Holders in one process: the order in which messages arrive changes nothing, and neither does what breaks the rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from sfumato.errors import BadRequest
from sfumato.parties.conversation.message import Body, Message, OutOfProtocol, canonical
from sfumato.parties.conversation.party import Seat, Talk
from sfumato.parties.conversation.protocol import Protocol


@dataclass(frozen=True, kw_only=True)
class Number(Body):
    type: ClassVar[str] = "number"

    number: int
    names: tuple[str, ...] = ()
    packed: bytes = b""
    nothing: str | None = None

    def reveals(self) -> str:
        return "a number"


@dataclass(frozen=True, kw_only=True)
class Seen(Body):
    type: ClassVar[str] = "seen"
    control: ClassVar[bool] = True

    right: bool

    def reveals(self) -> str:
        return "nothing new"


class OpenSum(Protocol[int, int]):
    """Everybody tells everybody a number, twice."""

    id: ClassVar[str] = "open-sum"
    bodies = (Number, Seen)

    def talk(self, seat: Seat, own: int) -> Talk[int]:
        total = 0
        for number in (1, 2):
            seat.round = number
            heard = yield from seat.exchange(Number(number=own * number))
            total += sum(body.number for body in heard.values())
        seat.tell(Seen(right=True))
        yield from seat.gather(Seen)
        return total


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_delivery_does_not_matter(seed: int) -> None:
    told = OpenSum().simulate({"a": 1, "b": 20, "c": 300}, order=np.random.default_rng(seed))
    assert told.results == {"a": 963, "b": 963, "c": 963}
    assert told.traffic.logical_messages == 12
    assert told.traffic.all_messages == 18
    assert told.traffic.rounds == 2


def test_every_message_has_its_entry_in_the_ledger() -> None:
    told = OpenSum().simulate({"a": 1, "b": 2}, keep=True)
    assert [(leak.source, leak.message, leak.times) for leak in told.ledger.learnt_by("a")] == [
        ("b", "number", 2),
        ("b", "seen", 1),
    ]
    assert told.traffic.all_bytes == sum(len(message.text()) for message in told.said)


def test_messages_survive_their_canonical_form() -> None:
    body = Number(number=-(2**80), names=("ä", "b"), packed=bytes(1000), nothing=None)
    message = Message(sender="a", receiver="b", round=3, body=body)
    assert Message.read(message.text(), [Number]) == message
    assert len(message.text()) < 200
    assert canonical({"b": 1, "a": "ä"}) == '{"a":"ä","b":1}'.encode()


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"{",
        b"[" * 100_000,
        b'{"body":{},"from":"a","round":1,"to":"b","type":"number"}',
        b'{"body":{"right":1},"from":"a","round":1,"to":"b","type":"seen"}',
        b'{"body":{"right":true},"from":"a","round":true,"to":"b","type":"seen"}',
        b'{"body":{"right":true},"from":"a","round":1,"to":"b","type":"other"}',
        b'{"body":{"right":true},"from":"a","round":1,"to":"b","type":["seen"]}',
        b'{"body":{"names":[],"nothing":null,"number":1,"packed":"!"},"from":"a","round":1,"to":"b","type":"number"}',
        b'{"body":{"names":[1],"nothing":null,"number":1,"packed":""},"from":"a","round":1,"to":"b","type":"number"}',
    ],
)
def test_what_is_no_message_is_refused(text: bytes) -> None:
    with pytest.raises(OutOfProtocol):
        Message.read(text, [Number, Seen])


def test_what_would_grow_beyond_the_limit_is_refused() -> None:
    bomb = Message(sender="a", receiver="b", round=1, body=Number(number=1, packed=bytes(100_000)))
    with pytest.raises(OutOfProtocol):
        Message.read(bomb.text(), [Number], most=10_000)


def test_a_message_that_does_not_fit_changes_nothing() -> None:
    anna = OpenSum().party("a", ["a", "b"], 1)
    bert = OpenSum().party("b", ["a", "b"], 2)
    (first,) = anna.start()
    (answer,) = bert.start()
    for wrong in (
        Message(sender="b", receiver="a", round=2, body=Number(number=1)),
        Message(sender="b", receiver="a", round=1, body=Seen(right=True)),
        Message(sender="c", receiver="a", round=1, body=Number(number=1)),
        Message(sender="b", receiver="b", round=1, body=Number(number=1)),
    ):
        with pytest.raises(OutOfProtocol):
            anna.handle(wrong)
    waiting = [*bert.handle(first), *anna.handle(answer)]
    while waiting:
        message = waiting.pop(0)
        waiting += (anna if message.receiver == "a" else bert).handle(message)
    assert anna.result == bert.result == 9
    with pytest.raises(OutOfProtocol):
        anna.handle(answer)


def test_a_conversation_that_broke_stays_broken() -> None:
    class Picky(OpenSum):
        """Refuses numbers below 0."""

        id: ClassVar[str] = "picky-sum"

        def talk(self, seat: Seat, own: int) -> Talk[int]:
            heard = yield from seat.exchange(Number(number=own))
            if min(body.number for body in heard.values()) < 0:
                raise OutOfProtocol("is below 0", parameter="number")
            return 0

    anna = Picky().party("a", ["a", "b"], 1)
    anna.start()
    for number, told in ((-1, "below 0"), (1, "nothing is expected")):
        with pytest.raises(OutOfProtocol, match=told):
            anna.handle(Message(sender="b", receiver="a", round=0, body=Number(number=number)))
        assert not anna.done


def test_what_is_said_before_a_long_step_goes_out_first() -> None:
    steps: list[str] = []

    class Slow(OpenSum):
        """Takes a long step between what it says."""

        id: ClassVar[str] = "slow-sum"

        def talk(self, seat: Seat, own: int) -> Talk[int]:
            seat.tell(Number(number=own))
            yield from seat.let_out()
            steps.append(seat.name)
            heard = yield from seat.gather(Number)
            return own + sum(body.number for body in heard.values())

    anna, bert = (Slow().party(name, ["a", "b"], at) for at, name in enumerate("ab"))
    going = anna.started()
    (first,) = next(going)
    assert steps == []
    assert next(going) == []
    assert steps == ["a"]
    assert next(going, None) is None
    (answer,) = bert.start()
    assert [*anna.handle(answer), *bert.handle(first)] == []
    assert anna.result == bert.result == 1


def test_nobody_speaks_far_ahead_of_the_others() -> None:
    anna = OpenSum().party("a", ["a", "b", "c"], 1)
    anna.start()
    early = Message(sender="c", receiver="a", round=1, body=Number(number=1))
    for _ in range(1000):
        anna.handle(early)
    with pytest.raises(OutOfProtocol, match="had their turn"):
        anna.handle(early)


def test_one_holder_alone_is_refused() -> None:
    with pytest.raises(BadRequest):
        OpenSum().simulate({"a": 1})
