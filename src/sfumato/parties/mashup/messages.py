"""What holders say to each other in a joint top-down search."""

from __future__ import annotations

from typing import ClassVar

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.parties.conversation.message import Body, OutOfProtocol
from sfumato.parties.mashup.refinery import Parting, packed, unpacked

__all__ = ["Ack", "Bid", "Checked", "Done", "Instruct", "Judged"]


@frozen(kw_only=True)
class Bid(Body):
    """The sender's best step as a number that steps are compared by; 0 if it has none, or does not contribute."""

    type: ClassVar[str] = "bid"

    key: str  # more than the 53 bits that every reader of JSON keeps

    def reveals(self) -> str:
        """The score of the best step."""
        return say("party.leak.bid")

    def number(self) -> int:
        """Return the key; refuse what is none."""
        if not (self.key.isascii() and self.key.isdigit() and len(self.key) <= 25 and int(self.key) < 1 << 80):
            raise OutOfProtocol("is not a number of at most 80 bits", parameter="bid.key")
        return int(self.key)


@frozen(kw_only=True)
class Instruct(Body):
    """How a value of the winner parts: the child of each record that carries it, in the order of record numbers."""

    type: ClassVar[str] = "instruct"

    attribute: int
    born: int
    value: str
    children: tuple[str, ...]
    records: int
    parts: bytes

    def reveals(self) -> str:
        """A partition that is no finer than the release."""
        return say("party.leak.instruct")

    @classmethod
    def of(cls, parting: Parting) -> Instruct:
        """Pack a step."""
        return cls(
            attribute=parting.index,
            born=parting.born,
            value=parting.value,
            children=parting.children,
            records=len(parting.parts),
            parts=packed(parting.parts, len(parting.children)),
        )

    def parting(self) -> Parting:
        """Unpack the step; refuse what is none."""
        parts = unpacked(self.parts, len(self.children), self.records)
        return Parting(self.attribute, self.born, self.value, self.children, parts)


@frozen(kw_only=True)
class Judged(Body):
    """Whether the sender, who alone holds a sensitive column, lets a step pass."""

    type: ClassVar[str] = "judged"

    accepted: bool

    def reveals(self) -> str:
        """One bit about a sensitive column, and the parts of a step that nobody publishes."""
        return say("party.leak.verdict")


@frozen(kw_only=True)
class Checked(Body):
    """Whether the sender's step keeps what is asked of sensitive columns that others hold, as both have found out."""

    type: ClassVar[str] = "checked"

    accepted: bool

    def reveals(self) -> str:
        """One bit about a sensitive column."""
        return say("party.leak.bit")


@frozen(kw_only=True)
class Ack(Body):
    """The groups of the sender after a step, as a hash."""

    type: ClassVar[str] = "ack"
    control: ClassVar[bool] = True

    groups: str

    def reveals(self) -> str:
        """Nothing."""
        return say("party.leak.ack")


@frozen(kw_only=True)
class Done(Body):
    """The groups of the sender in the end, as a hash."""

    type: ClassVar[str] = "done"
    control: ClassVar[bool] = True

    groups: str

    def reveals(self) -> str:
        """Nothing."""
        return say("party.leak.done")
