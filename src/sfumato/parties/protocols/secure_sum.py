"""Secure sum: holders add up numbers, and nobody learns more than the sum, or than whether it reaches a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.parties.blocks.counting import COUNTING, Counting
from sfumato.parties.blocks.masks import MODULUS, mask, masked, ring_messages, ring_sum, shared_seed, unmasked_sum
from sfumato.parties.conversation.message import Body, OutOfProtocol
from sfumato.parties.conversation.party import Seat, Talk
from sfumato.parties.conversation.protocol import Protocol

__all__ = ["SecureSum", "mask", "masked", "ring_messages", "ring_sum", "shared_seed", "unmasked_sum"]


@frozen(kw_only=True)
class Ring(Body):
    """What was added up so far, beginning with the leader's random number."""

    type: ClassVar[str] = "sum.ring"
    values: tuple[int, ...]

    def reveals(self) -> str:
        """A random number, unless the neighbours of the sender talk to each other."""
        return say("blocks.ring")


class SecureSum(Protocol[Sequence[int], tuple[int, ...]]):
    """Add up one number of each holder, or several side by side, without showing any of them.

    ``pairwise``: each pair of holders i < j derives masks from X25519 and HKDF-SHA256; i sends
    ``x_i + sum over j > i of m_ij - sum over j < i of m_ji`` modulo 2^64. The masks cancel, all learn the sum, and even all but
    two holders together learn nothing else. ``ring``: the first holder adds a random number, each passes on what it was given
    plus its own, and the first takes the random number off again; it alone learns the sum (the others get nothing back), and
    two neighbours of a holder can learn its number together. ``threshold``: all learn whether the sum is at least
    ``threshold``, 1 or 0, and nobody learns the sum: with two holders i, j and a bound ``c >= y`` they compare ``x + c`` with
    ``threshold - 1 - y + c``; with more, all share their numbers out to two of them first.

    A sum of two tells each the other's number, so that two holders can only ask for a threshold. Holders are semi-honest: one
    who brings a false number makes a false sum.

    Examples
    --------
    >>> from sfumato.parties.protocols import SecureSum
    >>> SecureSum().simulate({"a": [4], "b": [9], "c": [2]}).results["b"]
    (15,)
    >>> SecureSum(mode="threshold", threshold=5).simulate({"a": [4], "b": [0]}).results
    {'a': (0,), 'b': (0,)}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 12.3.
    Bonawitz et al., "Practical secure aggregation for privacy-preserving machine learning", 2017, doi:10.1145/3133956.3133982.
    """

    id: ClassVar[str] = "secure-sum"
    bodies: ClassVar[Sequence[type[Body]]] = (Ring, *COUNTING)

    mode: Literal["pairwise", "ring", "threshold"] = param(
        default="pairwise", choices=("pairwise", "ring", "threshold"), doc="how numbers are hidden, and what is learnt"
    )
    threshold: int = param(default=1, ge=0, doc="what the sum must reach, where only that is learnt")
    largest: int = param(default=1 << 32, ge=1, lt=1 << 48, doc="largest number that a holder may bring")

    def refuse_holders(self, names: Sequence[str]) -> None:
        """Refuse two holders who want to know a sum."""
        super().refuse_holders(names)
        if self.mode != "threshold" and len(names) < 3:
            raise BadRequest(
                "a sum of two tells each the other's number: use the threshold",
                parameter=f"{self.id}.mode",
                value=self.mode,
                available=["threshold"],
            )

    def talk(self, seat: Seat, own: Sequence[int]) -> Talk[tuple[int, ...]]:
        """Return the sums, or 1 and 0 for thresholds; in the ring, those who do not lead return nothing."""
        values = [int(one) for one in own]
        if any(not 0 <= one <= self.largest for one in values):
            raise BadRequest(f"must be whole numbers from 0 to {self.largest}", parameter=f"{self.id}.values")
        if self.mode == "ring":
            found = yield from self._ring(seat, values)
            return found
        counting = Counting(seat, "bits" if self.mode == "threshold" else "sum", self.largest)
        yield from counting.prepare()
        if self.mode == "threshold":
            bits = yield from counting.reached(values, [self.threshold] * len(values), [0] * len(values))
            return tuple(int(bit) for bit in bits)
        return tuple((yield from counting.sums(values)))

    def _ring(self, seat: Seat, values: Sequence[int]) -> Talk[tuple[int, ...]]:
        after = seat.names[(seat.index + 1) % len(seat.names)]
        before = seat.names[seat.index - 1]
        if seat.index > 0:
            heard = self._checked(values, (yield from seat.hear(before, Ring)))
            seat.send(after, Ring(values=self._moved(heard, values)))
            return ()
        offsets = [int.from_bytes(seat.secret(8), "big") for _ in values]
        seat.send(after, Ring(values=self._moved(offsets, values)))
        last = self._checked(values, (yield from seat.hear(before, Ring)))
        return tuple(ring_sum(one, offset, MODULUS) for one, offset in zip(last, offsets, strict=True))

    def _moved(self, running: Sequence[int], values: Sequence[int]) -> tuple[int, ...]:
        return tuple((one + own) % MODULUS for one, own in zip(running, values, strict=True))

    def _checked(self, values: Sequence[int], heard: Ring) -> Sequence[int]:
        if len(heard.values) != len(values) or any(not 0 <= one < MODULUS for one in heard.values):
            raise OutOfProtocol("does not hold as many numbers as this holder adds", parameter=Ring.type)
        return heard.values
