"""What every protocol between holders offers: its messages, one holder's side, and a run of all sides in one process."""

from __future__ import annotations

import secrets
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Generic, Literal, TypeVar

import numpy as np

from sfumato.contracts.run import Run
from sfumato.contracts.thing import Thing
from sfumato.data.json import Json
from sfumato.errors import BadRequest
from sfumato.parties.conversation.local import Conversation, converse
from sfumato.parties.conversation.message import Body
from sfumato.parties.conversation.party import Party, Seat, Talk

if TYPE_CHECKING:
    from sfumato.parties.collaboration import Collaboration
    from sfumato.parties.contract import Contract

__all__ = ["Joint", "Protocol", "ReleasingProtocol"]

Own = TypeVar("Own")
R = TypeVar("R")


class Joint(Thing):
    """Anything that several holders do together or that tells how it went; a protocol is one that sends messages."""

    kind: ClassVar[str] = "protocol"


class Protocol(Joint, Generic[Own, R]):
    """Several holders work out something together: ``talk`` is the side of one of them, who brings ``own``.

    ``bodies`` are all messages that can travel, those of protocols inside it too. Semi-honest holders are assumed unless a
    protocol says otherwise: they follow it, and try to learn from what they see.
    """

    bodies: ClassVar[Sequence[type[Body]]] = ()
    least_parties: ClassVar[int] = 2
    most_parties: ClassVar[int | None] = None

    def spoken(self) -> Sequence[type[Body]]:
        """Return the messages that can travel with these parameters."""
        return self.bodies

    @abstractmethod
    def talk(self, seat: Seat, own: Own) -> Talk[R]:
        """Hold one holder's side of the conversation; return what it knows in the end."""

    def party(
        self,
        name: str,
        names: Sequence[str],
        own: Own,
        *,
        secret: Callable[[int], bytes] = secrets.token_bytes,
    ) -> Party[R]:
        """Return one holder as a state machine; ``names`` are all holders in public order."""
        self.refuse_holders(names)
        seat = Seat(name, names, secret=secret)
        return Party(seat, self.talk(seat, own))

    def refuse_holders(self, names: Sequence[str]) -> None:
        """Refuse a number of holders for which this is not made, and names that are no names."""
        if len(set(names)) != len(names) or not all(names):
            raise BadRequest("must have different names", parameter="parties", value=list(names))
        most = self.most_parties
        if len(names) < self.least_parties or (most is not None and len(names) > most):
            wanted = f"at least {self.least_parties}" if most is None else f"{self.least_parties} to {most}"
            raise BadRequest(f"{self.id} needs {wanted} holders", parameter="parties", value=len(names))

    def simulate(
        self,
        own: Mapping[str, Own],
        *,
        run: Run | None = None,
        order: np.random.Generator | None = None,
        secret: Callable[[int], bytes] = secrets.token_bytes,
        keep: bool = False,
    ) -> Conversation[R]:
        """Run all holders in this process, in the order in which they are given.

        ``order`` shuffles deliveries, for tests; ``keep`` keeps what was said.
        """
        names = list(own)
        parties = [self.party(name, names, own[name], secret=secret) for name in names]
        return converse(parties, self.spoken(), run=run, order=order, keep=keep)


class ReleasingProtocol(Protocol[Own, R]):
    """A protocol that ends with a joint table: what ``sfumato party`` runs.

    ``partition`` says how the joint table lies with the holders: columns of the same persons (``vertical``), or persons with
    the same columns (``horizontal``).
    """

    partition: ClassVar[Literal["vertical", "horizontal"]]

    @abstractmethod
    def central(self) -> Mapping[str, Json]:
        """Return the algorithm that one holder of everything would use, with its parameters: both must find the same."""

    @abstractmethod
    def collaborate(
        self, contract: Contract, sources: Mapping[str, object], *, run: Run, order: np.random.Generator | None = None
    ) -> Collaboration:
        """Open what each holder brings, run all of them in this process, and return what they found."""
