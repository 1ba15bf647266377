"""Sums over all holders, and whether they reach a threshold: the messages of a count in which nobody shows a number.

``sum``: numbers under pairwise masks go to a leader, who learns the sums and tells all whether they reach their thresholds.
``bits``: the numbers are shared out between the leader and a helper, who compare their halves; nobody learns a sum. Two holders
are enough for that, because the answer is one bit; leader and helper together could read the sums of more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.parties.blocks.ciphers import Curve
from sfumato.parties.blocks.comparing import COMPARING, CompareAnswer, CompareAsk, answer_larger
from sfumato.parties.blocks.duels import challenged
from sfumato.parties.blocks.masks import masked, shared_seed, unmasked_sum
from sfumato.parties.blocks.points import joined, parted_sets
from sfumato.parties.conversation.message import Body, OutOfProtocol
from sfumato.parties.conversation.party import Seat, Talk

__all__ = ["COUNTING", "Bits", "Counting", "MaskKey", "Masked", "Mode", "Shares"]

Mode = Literal["sum", "bits"]

_HIDING = 40  # bits by which a random share exceeds what it hides


@frozen(kw_only=True)
class MaskKey(Body):
    """A fresh public key of X25519, from which each pair derives its masks."""

    type: ClassVar[str] = "sum.key"
    public: bytes

    def reveals(self) -> str:
        """Nothing about the data."""
        return say("blocks.key")


@frozen(kw_only=True)
class Masked(Body):
    """The sender's numbers under masks that cancel in the sum."""

    type: ClassVar[str] = "sum.masked"
    values: tuple[int, ...]

    def reveals(self) -> str:
        """The sum, once all are there."""
        return say("blocks.masked")


@frozen(kw_only=True)
class Shares(Body):
    """One of two random halves of the sender's numbers."""

    type: ClassVar[str] = "sum.shares"
    values: tuple[int, ...]

    def reveals(self) -> str:
        """A random number."""
        return say("blocks.shares")


@frozen(kw_only=True)
class Bits(Body):
    """Which sums reach their threshold."""

    type: ClassVar[str] = "sum.bits"
    reached: tuple[bool, ...]

    def reveals(self) -> str:
        """One bit for each sum."""
        return say("blocks.bits")


COUNTING: tuple[type[Body], ...] = (MaskKey, Masked, Shares, Bits, *COMPARING)


class Counting:
    """The sums of one session from the view of one holder; ``most`` bounds what a holder can bring to a sum, up or down."""

    def __init__(self, seat: Seat, mode: Mode, most: int) -> None:
        if mode == "sum" and len(seat.names) < 3:
            raise BadRequest(
                "a sum of two tells each the other's number: use bits", parameter="mode", value=mode, available=["bits"]
            )
        self.seat, self.mode, self.most = seat, mode, most
        self.holders = len(seat.names)
        self._seeds: dict[int, bytes] = {}
        self._batch = 0
        if self.holders == 2:
            self._offset = 4 * most
        else:
            self._offset = 4 * self.holders * most << _HIDING
        self._bits = (2 * self._offset).bit_length()

    def prepare(self) -> Talk[None]:
        """Agree on masks with each other holder; comparisons need none."""
        if self.mode == "bits":
            return
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        seat = self.seat
        own = seat.secret(32)
        public = X25519PrivateKey.from_private_bytes(own).public_key().public_bytes_raw()
        heard = yield from seat.exchange(MaskKey(public=public))
        label = "|".join(seat.names)
        self._seeds = {seat.names.index(name): shared_seed(own, heard[name].public, label) for name in seat.others}

    def reached(self, values: Sequence[int], thresholds: Sequence[int], leaders: Sequence[int]) -> Talk[list[bool]]:
        """Tell of each sum whether it reaches its threshold; ``leaders`` says who gathers it. All holders learn all bits."""
        if any(abs(one) > self.most for one in values):
            raise BadRequest(f"must lie between -{self.most} and {self.most}", parameter="values")
        self._batch += 1
        asked = {lead: [at for at, one in enumerate(leaders) if one == lead] for lead in sorted(set(leaders))}
        gather = self._summed if self.mode == "sum" else self._compared
        own = yield from gather(values, thresholds, asked)
        seat = self.seat
        if seat.index in asked:
            seat.tell(Bits(reached=tuple(own)))
        out = [False] * len(values)
        for lead, places in asked.items():
            found = own if lead == seat.index else (yield from seat.hear(seat.names[lead], Bits)).reached
            if len(found) != len(places):
                raise OutOfProtocol("does not answer every question", parameter=Bits.type)
            for at, bit in zip(places, found, strict=True):
                out[at] = bit
        return out

    def sums(self, values: Sequence[int]) -> Talk[list[int]]:
        """Return the sums of numbers; every holder learns them."""
        self._batch += 1
        heard = yield from self.seat.exchange(Masked(values=self._under_masks(values, range(len(values)))))
        return self._added([one.values for one in heard.values()], len(values))

    # ---- sums under masks --------------------------------------------------------------------------------------------

    def _under_masks(self, values: Sequence[int], places: Sequence[int]) -> tuple[int, ...]:
        label, index = "|".join(self.seat.names), self.seat.index
        return tuple(masked(values[at], index, self._seeds, label, self._batch, str(at)) for at in places)

    def _added(self, sent: Sequence[tuple[int, ...]], count: int) -> list[int]:
        if any(len(one) != count for one in sent):
            raise OutOfProtocol("does not hold as many numbers as were asked for", parameter=Masked.type)
        return [unmasked_sum(column) for column in zip(*sent, strict=True)]

    def _summed(
        self, values: Sequence[int], thresholds: Sequence[int], asked: Mapping[int, Sequence[int]]
    ) -> Talk[list[bool]]:
        seat = self.seat
        for lead, places in asked.items():
            if lead != seat.index:
                seat.send(seat.names[lead], Masked(values=self._under_masks(values, places)))
        if seat.index not in asked:
            return []
        places = asked[seat.index]
        heard = yield from seat.gather(Masked)
        sums = self._added([self._under_masks(values, places), *(one.values for one in heard.values())], len(places))
        seat.learns(say("blocks.sums"))
        return [total >= thresholds[at] for total, at in zip(sums, places, strict=True)]

    # ---- bits ----------------------------------------------------------------------------------------------------------

    def _compared(
        self, values: Sequence[int], thresholds: Sequence[int], asked: Mapping[int, Sequence[int]]
    ) -> Talk[list[bool]]:
        """Share the numbers out to each leader and its helper, then let them compare: leader's half > threshold - helper's."""
        seat = self.seat
        helper = {lead: (lead + 1) % self.holders for lead in asked}
        givers = {lead: [at for at in range(self.holders) if at not in (lead, helper[lead])] for lead in asked}
        for lead, places in asked.items():
            if seat.index in givers[lead]:
                random = [int.from_bytes(seat.secret(16), "big") % (2 * self.most << _HIDING) for _ in places]
                seat.send(seat.names[lead], Shares(values=tuple(-one for one in random)))
                kept = tuple(values[at] + one for at, one in zip(places, random, strict=True))
                seat.send(seat.names[helper[lead]], Shares(values=kept))
        halves: dict[int, list[int]] = {}
        for lead, places in asked.items():
            if seat.index in (lead, helper[lead]):
                halves[lead] = [values[at] for at in places]
                for giver in givers[lead]:
                    heard = yield from seat.hear(seat.names[giver], Shares)
                    self._refuse_shares(heard.values, len(places))
                    halves[lead] = [one + more for one, more in zip(halves[lead], heard.values, strict=True)]
        group, challenge = Curve(), None
        if seat.index in asked:
            raised = [half + self._offset for half in halves[seat.index]]
            challenge = challenged(raised, self._context(seat.index), group, self._bits, seat.secret)
            points = joined([point for one in challenge.points for point in one])
            seat.send(seat.names[helper[seat.index]], CompareAsk(points=points))
        for lead, places in asked.items():
            if helper[lead] == seat.index:
                rest = zip(places, halves[lead], strict=True)
                lowered = [thresholds[at] - 1 - half + self._offset for at, half in rest]
                yield from answer_larger(seat, seat.names[lead], lowered, self._context(lead), self._bits)
        if challenge is None:
            return []
        answer = yield from seat.hear(seat.names[helper[seat.index]], CompareAnswer)
        return challenge.decided(parted_sets(answer.doubles, self._bits), parted_sets(answer.points, self._bits), group)

    def _context(self, lead: int) -> bytes:
        return f"{'|'.join(self.seat.names)}|{self._batch}|{lead}".encode()

    def _refuse_shares(self, values: tuple[int, ...], count: int) -> None:
        if len(values) != count or any(abs(one) > self._offset // self.holders for one in values):
            raise OutOfProtocol("does not hold shares of the size that was agreed", parameter=Shares.type)
