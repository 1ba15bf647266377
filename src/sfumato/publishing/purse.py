"""The budgets that a policy names, charged when a mechanism is about to draw; what was charged goes into the certificate."""

from __future__ import annotations

from dataclasses import field, replace

from sfumato.contracts.asked import Asked
from sfumato.contracts.certificate import ChargeEntry
from sfumato.contracts.published import Release
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, InternalError

__all__ = ["LedgerPurse"]


@frozen
class LedgerPurse:
    """Budgets of the ledger at some place, and what they paid so far; noise is fresh each time, and so is its charge."""

    place: str
    names: tuple[str, ...]
    purpose: str
    paid: list[ChargeEntry] = field(default_factory=list)

    @classmethod
    def of(cls, asked: Asked) -> LedgerPurse:
        """Return who pays as a policy says; refuse a ledger or a budget that is not there, before any work."""
        if asked.ledger is None:
            raise BadRequest("is required with a budget", parameter="ledger")
        from sfumato.ledger.ledger import Ledger

        with Ledger(asked.ledger) as ledger:
            for name in asked.budgets:
                ledger.budgets.quote(name, epsilon=0)
        return cls(asked.ledger, asked.budgets, asked.search().id)

    def charge(self, epsilon: float, delta: float) -> None:
        """Charge what is about to be drawn; refuse what is not covered, with what is spent, asked and left."""
        from sfumato.ledger.budgets import MICRO, NANO
        from sfumato.ledger.ledger import Ledger

        with Ledger(self.place) as ledger:
            entry, cost = ledger.budgets.charge_draw(self.names, epsilon=epsilon, delta=delta, purpose=self.purpose)
            amounts = cost.epsilon / MICRO, cost.delta / NANO
            self.paid.append(ChargeEntry(ledger.origin, entry.number, entry.head.hex(), self.names, *amounts))

    def told(self, release: Release) -> Release:
        """Return the release with what was paid for it in its certificate."""
        if not self.paid:
            raise InternalError(f"{self.purpose} drew noise that nobody was charged for")
        return replace(release, certificate=replace(release.certificate, charges=tuple(self.paid)))
