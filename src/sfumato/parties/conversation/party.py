"""A holder in a protocol: a pure state machine that takes a message and gives messages, with no clock, file or network.

The logic of a protocol is written as a conversation from the view of one holder: a generator that sends, waits for what it
needs from whom, and returns what it knows in the end. :class:`Party` drives it, so that ``handle(message) -> messages`` is all
that a transport sees. Protocols inside protocols are ``yield from``.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Generic, TypeAlias, TypeVar

from sfumato.data.frozen import frozen
from sfumato.errors import InternalError
from sfumato.parties.conversation.message import Body, Message, OutOfProtocol

__all__ = ["Awaited", "Party", "Seat", "Talk"]


_AHEAD = 1000  # messages of one holder that may wait until others have spoken

R = TypeVar("R")
B = TypeVar("B", bound=Body)


@frozen
class Awaited:
    """Whose message of which type comes next, in which round."""

    sender: str
    body: type[Body]
    round: int


Talk: TypeAlias = Generator[Awaited | None, Body, R]
"""A conversation from the view of one holder, ending with what it knows then; where it waits for nobody, what was said goes
out before it goes on."""


class Seat:
    """The place of one holder at the table: its name, who else sits there in public order, and what it can do there.

    ``round`` is written on every message that is sent and asked of every message that is heard. ``secret(n)`` gives ``n`` bytes
    that nobody can guess; only tests bring their own.
    """

    def __init__(
        self, name: str, names: Sequence[str], *, secret: Callable[[int], bytes] = secrets.token_bytes
    ) -> None:
        self.name = name
        self.names = tuple(names)
        self.others = tuple(one for one in names if one != name)
        self.index = self.names.index(name)
        self.round = 0
        self.secret = secret
        self.learnt: list[str] = []
        self.sent: list[Message] = []

    def send(self, receiver: str, body: Body) -> None:
        """Say something to one holder."""
        self.sent.append(Message(sender=self.name, receiver=receiver, round=self.round, body=body))

    def tell(self, body: Body) -> None:
        """Say the same to every other holder."""
        for other in self.others:
            self.send(other, body)

    def let_out(self) -> Talk[None]:
        """Let what was said go out before a long step: others work on it at the same time."""
        yield None

    def hear(self, sender: str, body: type[B]) -> Talk[B]:
        """Wait for the next message of a holder, which must be of this type and round."""
        heard = yield Awaited(sender, body, self.round)
        assert isinstance(heard, body)
        return heard

    def gather(self, body: type[B], senders: Sequence[str] | None = None) -> Talk[dict[str, B]]:
        """Wait for one message of this type from each of some holders, from all others if none is named."""
        found: dict[str, B] = {}
        for sender in self.others if senders is None else senders:
            found[sender] = yield from self.hear(sender, body)
        return found

    def exchange(self, body: B) -> Talk[dict[str, B]]:
        """Say something to everybody and hear the same from everybody; the own one is among what is returned."""
        self.tell(body)
        heard = yield from self.gather(type(body))
        return {name: body if name == self.name else heard[name] for name in self.names}

    def learns(self, sentence: str) -> None:
        """Note what this holder learns that no single message says."""
        if sentence not in self.learnt:
            self.learnt.append(sentence)


class Party(Generic[R]):
    """One holder's side of a conversation, driven by the messages that arrive.

    Messages of one sender are taken in the order in which they come; those of other senders wait until the conversation asks
    for them. A message that the conversation cannot take is refused and changes nothing; one that breaks it
    when it is read ends the conversation for good.
    """

    def __init__(self, seat: Seat, talk: Talk[R]) -> None:
        self.seat = seat
        self._talk = talk
        self._inbox: Mapping[str, deque[Message]] = {other: deque() for other in seat.others}
        self._awaited: Awaited | None = None
        self._result: list[R] = []
        self._begun = False
        self._resting = False
        self._broken = False

    @property
    def name(self) -> str:
        """Who this is."""
        return self.seat.name

    @property
    def done(self) -> bool:
        """Tell whether the conversation is over."""
        return bool(self._result)

    @property
    def result(self) -> R:
        """What this holder knows in the end."""
        if not self._result:
            raise InternalError(f"the conversation of {self.name} is not over")
        return self._result[0]

    def start(self) -> list[Message]:
        """Begin; return what is said first."""
        return [message for spoken in self.started() for message in spoken]

    def handle(self, message: Message) -> list[Message]:
        """Take a message; return what is said in answer, which may be nothing as long as others are waited for."""
        return [answer for spoken in self.handled(message) for answer in spoken]

    def started(self) -> Iterator[list[Message]]:
        """Begin, like :meth:`start`; what is said comes as soon as it may go out, and the rest when it is asked for."""
        if self._begun:
            raise InternalError(f"the conversation of {self.name} has begun already")
        self._begun = True
        with self._ending_when_broken():
            self._go_on(None)
        yield from self._answers()

    def handled(self, message: Message) -> Iterator[list[Message]]:
        """Take a message, like :meth:`handle`; answers come as soon as they may go out, and the rest when it is asked for."""
        self._refuse(message)
        self._inbox[message.sender].append(message)
        yield from self._answers()

    def _answers(self) -> Iterator[list[Message]]:
        """Go on until somebody is waited for who has said nothing yet; give what is said whenever it may go out."""
        while True:
            with self._ending_when_broken():
                while (awaited := self._awaited) is not None and (waiting := self._inbox[awaited.sender]):
                    self._fits(waiting[0], awaited)
                    self._go_on(waiting.popleft().body)
            yield self._spoken()
            if not self._resting:
                return
            with self._ending_when_broken():
                self._go_on(None)

    @contextmanager
    def _ending_when_broken(self) -> Iterator[None]:
        """End the conversation for good when what was taken turns out to break it: a later message does not mend that."""
        try:
            yield
        except BaseException:
            self._broken = True
            self._talk.close()
            raise

    def _refuse(self, message: Message) -> None:
        """Refuse what cannot be taken, before anything changes."""
        if message.receiver != self.name or message.sender not in self._inbox:
            raise OutOfProtocol("is not for this holder, or of nobody who takes part", parameter="message")
        if not self._begun or self.done or self._broken:
            raise OutOfProtocol("comes when nothing is expected", parameter="message")
        if len(self._inbox[message.sender]) >= _AHEAD:
            raise OutOfProtocol("comes before others had their turn", parameter="message")
        awaited = self._awaited
        if awaited is not None and message.sender == awaited.sender and not self._inbox[message.sender]:
            self._fits(message, awaited)

    def _fits(self, message: Message, awaited: Awaited) -> None:
        if type(message.body) is not awaited.body or message.round != awaited.round:
            raise OutOfProtocol(
                f"of {message.sender} is not the {awaited.body.type} of round {awaited.round} that comes next",
                parameter="message",
                value=f"{message.body.type} of round {message.round}",
            )

    def _go_on(self, heard: Body | None) -> None:
        try:
            self._awaited = next(self._talk) if heard is None else self._talk.send(heard)
        except StopIteration as end:
            self._awaited = None
            self._resting = False
            self._result.append(end.value)
        else:
            self._resting = self._awaited is None

    def _spoken(self) -> list[Message]:
        spoken, self.seat.sent = self.seat.sent, []
        return spoken
