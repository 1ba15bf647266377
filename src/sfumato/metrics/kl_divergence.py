"""Kullback-Leibler divergence: how far the distribution that a release suggests is from that of the raw records."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from sfumato.contracts.metric import DataMetric, Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest
from sfumato.groups.published import PublishedStats

__all__ = ["KLDivergence"]


class KLDivergence(DataMetric):
    """How far the distribution that a release suggests is from that of the raw records, in bits.

    ``KL = sum over distinct raw records r of f(r) log2(f(r) / o(r))``, with ``f(r)`` the share of raw records equal to r and
    ``o(r)`` the share that a reader of the release expects who spreads each group evenly over the raw combinations that its
    published values cover: ``o(r) = (|G|/n) / |G covers| + (S/n) / |all combinations|``; S suppressed records may be
    anything. Of a number without hierarchy the values that occur are counted. 0 if the release tells everything.

    ARX (``variant="arx"``) sums over *records* instead of distinct ones, so that a record that occurs r times counts r times,
    and takes ``o`` from the record's own group alone, or ``(S/n) / |all combinations|`` if it is suppressed. That is not a
    divergence: it can be below 0, merging groups can lower it, and a table that is mostly suppressed may score less than a
    generalized one.

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_sizes([4])
    >>> raw = {"raw_sizes": np.array([3, 1]), "raw_group": np.array([0, 0])}
    >>> one = PublishedStats(4, 0, groups, group_cover=np.array([[2.0]]), cover_domain=np.array([2.0]), **raw)
    >>> round(KLDivergence().measure(one).value, 4)
    0.1887

    References
    ----------
    Kifer, Gehrke, "Injecting utility into anonymized datasets", 2006, doi:10.1145/1142473.1142499.
    """

    id: ClassVar[str] = "kl-divergence"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", monotone_under_merge=True)

    variant: Literal["literature", "arx"] = param(
        default="literature", choices=("literature", "arx"), doc="whether distinct records are summed, or all records"
    )

    def validate(self) -> None:
        """Claim less for the variant arx."""
        if self.variant == "arx":
            object.__setattr__(self, "traits", replace(self.traits, monotone_under_merge=False))

    def applies(self, published: PublishedStats) -> str | None:
        """Say so if it is not known which group each raw record went to."""
        known = (published.raw_sizes, published.raw_group, published.group_cover, published.cover_domain)
        return "needs to know which group each raw record became part of" if any(x is None for x in known) else None

    def measure(self, published: PublishedStats) -> Measured:
        """Return the divergence of what a release suggests from the raw records."""
        sizes, group = published.raw_sizes, published.raw_group
        cover, domain = published.group_cover, published.cover_domain
        if sizes is None or group is None or cover is None or domain is None:
            raise BadRequest(str(self.applies(published)), parameter=self.id)
        n = published.records or 1
        # Logarithms: the number of combinations of many attributes leaves the range of a float.
        log_cells = np.log2(cover).sum(axis=1)
        log_all = float(np.log2(domain).sum())
        # Rows that stand for nobody look like records to a reader.
        rows = published.groups.sizes.sum().item() + published.suppressed or 1
        own = np.append(np.log2(published.groups.sizes / rows) - log_cells, -np.inf)
        suppressed = np.log2(published.suppressed / rows) - log_all if published.suppressed else -np.inf
        share = np.log2(sizes / n)
        if self.variant == "arx":
            expected = np.where(group < 0, suppressed, own[group])
            return Measured(self.id, float((sizes * sizes / n) @ (share - expected)))
        expected = np.logaddexp2(own, suppressed)[group]
        # The bound is reached by a release that tells nothing: one group that covers all combinations.
        highest = float((sizes / n) @ share) + log_all
        value = float((sizes / n) @ (share - expected))
        return Measured(self.id, max(value, 0.0) + 0.0, lowest=0.0, highest=max(highest, value, 0.0))
