"""What entries take from budgets, as rows that can be summed; they follow from the entries, and verification compares both."""

from __future__ import annotations

from sfumato.ledger.entry import Entry
from sfumato.ledger.facts import Asked, Charged, Refunded
from sfumato.ledger.store import Value

__all__ = ["charge_rows", "purpose_of"]


def charge_rows(entry: Entry) -> list[tuple[Value, ...]]:
    """Return what an entry takes from budgets, or gives back: number, budget, purpose, time, epsilon, delta."""
    facts = entry.facts
    if isinstance(facts, Charged):
        told = (purpose_of(facts.key), entry.at, facts.epsilon, facts.delta)
        return [(entry.number, name, *told) for name in facts.budgets]
    if isinstance(facts, Refunded):
        told = (f"refund {entry.about}", facts.at, -facts.epsilon, -facts.delta)
        return [(entry.number, name, *told) for name in facts.budgets]
    if isinstance(facts, Asked):
        told = (purpose_of(f"{entry.series} {facts.key}"), entry.at, facts.epsilon, facts.delta)
        return [(entry.number, name, *told) for name in facts.budgets]
    return []


def purpose_of(key: str) -> str:
    """Return what a charge under a key is called; unique in each budget."""
    return f"charge {key}"
