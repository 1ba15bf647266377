"""Ambiguity: how many raw combinations each published record may stand for."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import DataMetric, Measured, MetricTraits
from sfumato.errors import BadRequest
from sfumato.groups.published import PublishedStats

__all__ = ["Ambiguity"]


class Ambiguity(DataMetric):
    """How many raw combinations each published record may stand for, summed over records.

    A record published as ``(v_1, ..., v_d)`` counts ``|v_1| * ... * |v_d|``, with ``|v|`` the raw values that ``v`` covers; a
    suppressed record ``|D_1| * ... * |D_d|``. Of a number without hierarchy the values that occur are counted. Between the
    number of records, for the raw table, and that number times all combinations.

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.groups.stats import GroupStats
    >>> cover, domain = np.array([[2.0, 1.0], [2.0, 3.0]]), np.array([4.0, 3.0])
    >>> groups = GroupStats.from_sizes([3, 4])
    >>> Ambiguity().measure(PublishedStats(8, 1, groups, group_cover=cover, cover_domain=domain)).value
    42.0

    References
    ----------
    Nergiz, Clifton, "Thoughts on k-anonymization", 2007, doi:10.1016/j.datak.2007.03.009.
    """

    id: ClassVar[str] = "ambiguity"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", monotone_under_merge=True)

    def applies(self, published: PublishedStats) -> str | None:
        """Say so if it is not known how much the published values cover."""
        known = published.group_cover is not None and published.cover_domain is not None
        return None if known else "needs to know how many raw values each published value covers"

    def measure(self, published: PublishedStats) -> Measured:
        """Return the sum of combinations over records."""
        cover, domain = published.group_cover, published.cover_domain
        if cover is None or domain is None:
            raise BadRequest(str(self.applies(published)), parameter=self.id)
        added = 0 if published.added is None else published.added
        whole = float(np.prod(domain))
        value = float((published.groups.sizes - added) @ np.prod(cover, axis=1)) + published.suppressed * whole
        return Measured(self.id, value, lowest=float(published.records), highest=published.records * whole)
