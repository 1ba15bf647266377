"""Publisher payout: what publishing brings, less what attacks on it cost."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from sfumato.contracts.metric import DataMetric, Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest
from sfumato.estimates.attack_payoff import bits_left_open, least_people, payouts
from sfumato.groups.published import PublishedStats
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["PublisherPayout"]


class PublisherPayout(DataMetric):
    """What publishing the records brings, less what attacks on them cost, summed over published records.

    A record of a group pays ``benefit (1 - L) - (loss * p if gain * p > cost, else 0)``: L is the share of its bits that the
    published values leave open (``entropy-based-information-loss``), ``p = 1 / |group|`` for a ``prosecutor``. To a
    ``journalist`` a group of c among n records stands for ``floor(c N / n)`` people of a ``population`` of N, or for as many as
    were counted in a table of it. A suppressed record pays 0. At most ``benefit * n``.

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.groups.stats import GroupStats
    >>> cover, domain = np.array([[1.0, 1.0], [2.0, 2.0], [1.0, 1.0]]), np.array([4.0, 2.0])
    >>> published = PublishedStats(6, 0, GroupStats.from_sizes([3, 2, 1]), group_cover=cover, cover_domain=domain)
    >>> metric = PublisherPayout(benefit=100, loss=300, gain=60, cost=25)
    >>> metric.payouts(published).round(3).tolist(), round(metric.measure(published).value, 3)
    ([100.0, -116.667, -200.0], -133.333)

    References
    ----------
    Wan, Vorobeychik, Xia, Clayton, Kantarcioglu, Ganta, Heatherly, Malin, "A game theoretic framework for analyzing
    re-identification risk", 2015, doi:10.1371/journal.pone.0120592.
    """

    id: ClassVar[str] = "publisher-payout"
    traits: ClassVar[MetricTraits] = MetricTraits(better="higher", purpose="trade-off")

    benefit: float = param(default=1.0, gt=0, doc="what an unchanged record brings the publisher")
    loss: float = param(default=1.0, ge=0, doc="what the publisher loses when a record is re-identified")
    gain: float = param(default=1.0, ge=0, doc="what finding a record brings the adversary")
    cost: float = param(default=0.2, ge=0, doc="what an attempt costs the adversary")
    attacker: Literal["prosecutor", "journalist"] = param(
        default="prosecutor",
        choices=("prosecutor", "journalist"),
        doc="whether the adversary knows that a person is in the table, or has a table of the population only",
    )
    population: int | None = param(
        default=None, ge=1, doc="size of the journalist's population; counted in a population table if not given"
    )

    def applies(self, published: PublishedStats) -> str | None:
        """Say so if it is not known how much the published values cover, or how many people there are."""
        if published.group_cover is None or published.cover_domain is None:
            return "needs to know how many raw values each published value covers"
        unknown = self.attacker == "journalist" and self.population is None and published.groups.people is None
        return "needs the size of the population, or a table of it" if unknown else None

    def payouts(self, published: PublishedStats) -> Floats:
        """Return what one record of each group pays."""
        refusal, cover, domain = self.applies(published), published.group_cover, published.cover_domain
        if refusal is not None or cover is None or domain is None:
            raise BadRequest(str(refusal), parameter=self.id)
        least = least_people(self.gain, self.cost)
        lost, people = bits_left_open(cover, domain), self._people(published)
        return payouts(lost, people, benefit=self.benefit, loss=self.loss, least=least)

    def measure(self, published: PublishedStats) -> Measured:
        """Return what all published records pay together."""
        real = published.groups.sizes - (0 if published.added is None else published.added)
        highest = self.benefit * published.records
        return Measured(self.id, float(real @ self.payouts(published)), highest=highest)

    def _people(self, published: PublishedStats) -> Ints:
        groups = published.groups
        if self.attacker == "prosecutor":
            return groups.sizes
        if self.population is None and groups.people is not None:
            return groups.people
        share = int(self.population or 0) / max(published.records, 1)
        return np.asarray(np.maximum(np.floor(groups.sizes * share + 1e-9), 1), np.int64)
