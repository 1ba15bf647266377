"""Records that meet in a column that names nobody: who meets whom, with all tables at hand or by messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.parties.conversation.message import Body
from sfumato.parties.conversation.party import Seat, Talk
from sfumato.parties.protocols.general_join import GeneralJoin

__all__ = ["JOINING", "Met", "met", "met_by_messages"]


@frozen(kw_only=True)
class Meeting(Body):
    """The joining value of every record of the sender that has one, in the order of values."""

    type: ClassVar[str] = "join.values"
    values: tuple[str, ...]

    def reveals(self) -> str:
        """The column itself: who agrees to this join says that it may be shown."""
        return say("party.leak.meeting")


@frozen(kw_only=True)
class Numbers(Body):
    """What pairs are numbered by."""

    type: ClassVar[str] = "join.numbers"
    control: ClassVar[bool] = True
    seed: bytes

    def reveals(self) -> str:
        """Nothing about the data."""
        return say("party.leak.numbers")


JOINING: tuple[type[Body], ...] = (Meeting, Numbers)


@frozen
class Met:
    """The rows of both holders side by side, pair by pair, and how often one record appears at most."""

    rows: tuple[list[int], list[int]]
    most: int

    def warnings(self) -> list[str]:
        """Say that records are not persons, where that is so."""
        return [say("party.duplicates", most=self.most)] if self.most > 1 else []


def met(join: GeneralJoin, values: Mapping[str, Sequence[str | None]], rng: np.random.Generator) -> Met:
    """Return who meets whom, given the joining values of both holders row by row, in an order that is drawn."""
    first, second = ([(str(at), one) for at, one in enumerate(given)] for given in values.values())
    found = join.of(first, second, rng=rng)
    if not found.pairs:
        raise BadRequest(say("party.bad.no_meeting"), parameter="align", value=list(values))
    pairs = sorted(found.pairs)
    return Met(([int(one) for _, one, _ in pairs], [int(one) for _, _, one in pairs]), max(found.multiplicity))


def met_by_messages(seat: Seat, values: Sequence[str | None], join: GeneralJoin) -> Talk[tuple[list[int], Met]]:
    """Return the own rows pair by pair, in the same order at both holders; the column is shown, the rows are not."""
    own = sorted((join.form(one), row) for row, one in enumerate(values) if one is not None)
    heard = yield from seat.exchange(Meeting(values=tuple(one for one, _ in own)))
    if seat.index == 0:
        drawn = Numbers(seed=seat.secret(32))
        seat.tell(drawn)
    else:
        drawn = yield from seat.hear(seat.names[0], Numbers)
    rng = np.random.default_rng(int.from_bytes(drawn.seed, "big"))
    found = met(join, {name: heard[name].values for name in seat.names}, rng)
    return [own[at][1] for at in found.rows[seat.index]], found
