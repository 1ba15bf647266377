"""What holders found together: the joint table, how they got there, what it took, and what each of them learnt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from sfumato.contracts.engine import Table
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.data.frozen import frozen
from sfumato.parties.contract import Contract
from sfumato.parties.conversation.leakage import Ledger
from sfumato.parties.conversation.local import Traffic

__all__ = ["Collaboration", "Proposal", "Round"]


@frozen
class Proposal:
    """A step that a holder would take next: a value of one of its columns, and what that is worth."""

    attribute: str
    value: str
    score: float


@frozen
class Round:
    """One round: the best step of each holder, known to itself alone, who won, and what the value became.

    ``winner`` is nobody in the last round; ``rejected``: the holder of a sensitive column said no.
    """

    proposals: Mapping[str, Proposal | None]
    winner: str | None = None
    attribute: str | None = None
    value: str | None = None
    children: tuple[str, ...] = ()
    score: float | None = None
    rejected: bool = False


@frozen(eq=False)
class Collaboration:
    """A joint table that holders found together.

    ``table`` has the masked columns in public order, then what else is published, record by record; ``raw`` is the table before
    masking and ``persons`` who they are, which only a simulation has. ``local`` are the rounds that holders had alone.
    ``shares`` is what each holder contributed, and what it got from others, as scores.
    """

    contract: Contract
    table: Table
    recodings: Mapping[str, ColumnRecoding]
    rounds: Sequence[Round]
    traffic: Traffic
    ledger: Ledger
    raw: Table | None = None
    persons: Sequence[str] = ()
    local: Mapping[str, Sequence[Round]] = field(default_factory=dict)
    shares: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    warnings: Sequence[str] = ()

    @property
    def performed(self) -> list[Round]:
        """The rounds in which a step was taken."""
        return [one for one in self.rounds if one.winner is not None and not one.rejected]
