"""All holders of a protocol in one process: messages are passed on as bytes, counted, and told by what they reveal."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Generic, TypeVar

import numpy as np

from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.errors import InternalError
from sfumato.parties.conversation.leakage import Leak, Ledger
from sfumato.parties.conversation.message import Body, Message
from sfumato.parties.conversation.party import Party

__all__ = ["Conversation", "Traffic", "converse"]


R = TypeVar("R")


@frozen
class Traffic:
    """How much was said: messages and bytes by type, and how many of the messages only confirm."""

    messages: Mapping[str, int] = field(default_factory=dict)
    bytes: Mapping[str, int] = field(default_factory=dict)
    control: frozenset[str] = frozenset()
    rounds: int = 0

    @property
    def logical_messages(self) -> int:
        """Number of messages that say something new: what the formulas of the literature count."""
        return sum(count for name, count in self.messages.items() if name not in self.control)

    @property
    def all_messages(self) -> int:
        """Number of messages."""
        return sum(self.messages.values())

    @property
    def all_bytes(self) -> int:
        """Number of bytes of all messages in their canonical form, without what transport adds."""
        return sum(self.bytes.values())


@frozen
class Conversation(Generic[R]):
    """What each holder knows in the end, how much was said, and who learnt what; ``said`` is kept where it was asked for."""

    results: Mapping[str, R]
    traffic: Traffic
    ledger: Ledger
    said: Sequence[Message] = ()


def converse(
    parties: Sequence[Party[R]],
    bodies: Sequence[type[Body]],
    *,
    run: Run | None = None,
    order: np.random.Generator | None = None,
    keep: bool = False,
) -> Conversation[R]:
    """Let holders talk until everybody is done.

    What is sent by one holder to another arrives in that order; among the pairs ``order`` chooses who is served next, or the
    one that waits longest. A holder whose message is refused ends the conversation for all.
    """
    run = Run.of(run)
    seats = {party.name: party for party in parties}
    channels: dict[tuple[str, str], deque[bytes]] = {}
    messages: dict[str, int] = {}
    sizes: dict[str, int] = {}
    leaks: list[Leak] = []
    said: list[Message] = []
    rounds = 0

    def post(spoken: Sequence[Message]) -> None:
        nonlocal rounds
        for message in spoken:
            text = message.text()
            kind = message.body.type
            messages[kind] = messages.get(kind, 0) + 1
            sizes[kind] = sizes.get(kind, 0) + len(text)
            leaks.append(Leak.of(message))
            if keep:
                said.append(message)
            if message.round > rounds:
                rounds = message.round
                run.tick(rounds)
            channels.setdefault((message.sender, message.receiver), deque()).append(text)

    for party in parties:
        post(party.start())
    while channels:
        waiting = list(channels)
        pair = waiting[0 if order is None else int(order.integers(len(waiting)))]
        text = channels[pair].popleft()
        left = channels.pop(pair)
        if left:
            channels[pair] = left  # whoever was served stands last
        post(seats[pair[1]].handle(Message.read(text, bodies)))
    silent = [party.name for party in parties if not party.done]
    if silent:
        raise InternalError(f"nobody speaks any more, and {', '.join(silent)} still waits")
    leaks += [Leak(who, who, "", rounds, what) for who, party in seats.items() for what in party.seat.learnt]
    control = frozenset(body.type for body in bodies if body.control)
    return Conversation(
        {party.name: party.result for party in parties},
        Traffic(messages, sizes, control, rounds),
        Ledger.of(leaks),
        said,
    )
