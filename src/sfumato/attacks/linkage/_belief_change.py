"""What an adversary believes of each sensitive value before and after she sees a person's group."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np

from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.data.frozen import frozen
from sfumato.data.text import MISSING_LABEL, to_text
from sfumato.kernels.arrays import Floats
from sfumato.models.shares import Shares

__all__ = ["Belief", "belief_at", "changes", "shares_of", "value_text"]


@frozen
class Belief:
    """One sensitive value in one published group, before and after; for the steward's eyes."""

    group: tuple[Hashable, ...]
    size: int
    value: Hashable
    prior: float
    posterior: float

    @property
    def difference(self) -> float:
        """How much the belief has grown."""
        return self.posterior - self.prior

    @property
    def ratio(self) -> float:
        """How many times as strong the belief is; infinite if the value was held impossible."""
        return self.posterior / self.prior if self.prior else float("inf")


def shares_of(seen: Seen, knowledge: TableKnowledge, prior: Mapping[str, float] | None = None) -> Shares:
    """Return the shares of the sensitive values in the groups beside those in the whole table, or those of a given belief.

    A given belief holds weights of values by their text. A value that it does not name was held impossible.
    """
    histogram = seen.groups(knowledge).histograms[knowledge.secret]
    whole = seen.groups(knowledge).whole_table(knowledge.secret)
    total = whole.sum().item()
    if prior is not None:
        whole = np.array([prior.get(value_text(value), 0.0) for value in histogram.values], np.float64)
        total = float(sum(prior.values()))
    return Shares(histogram.values, histogram.start, histogram.code, histogram.count, histogram.totals(), whole, total)


def value_text(value: Hashable) -> str:
    """Return how a value is named in a given belief; a missing one is ``?``."""
    return MISSING_LABEL if value is None else to_text(value)


def changes(shares: Shares) -> tuple[Floats, Floats]:
    """Return by how much each value grows more probable in each group that holds it, and how many times as probable it gets."""
    difference, ratio = np.empty(len(shares.code)), np.empty(len(shares.code))
    for _, entries, part in shares.parts():
        difference[entries] = part.surplus / (part.entry_size * part.total)
        with np.errstate(divide="ignore"):
            ratio[entries] = part.ratio
    return difference, ratio


def belief_at(seen: Seen, knowledge: TableKnowledge, shares: Shares, entry: int) -> Belief:
    """Return what is believed of the value of one entry."""
    group = shares.group_at(entry)
    return Belief(
        seen.groups(knowledge).key(group),
        int(shares.size[group]),
        shares.values[shares.code[entry]],
        *shares.beliefs(entry),
    )
