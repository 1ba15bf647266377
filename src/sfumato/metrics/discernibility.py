"""Discernibility: every record pays the size of its group, a suppressed record pays the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from sfumato.contracts.metric import DataMetric, Measured, MetricTraits, SizeTerms
from sfumato.contracts.thing import param
from sfumato.groups.published import PublishedStats
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Ints

__all__ = ["Discernibility", "sum_of_squares"]


def sum_of_squares(sizes: Ints) -> float:
    """Return the sum of squared sizes, exact however large if they are whole.

    >>> import numpy as np
    >>> sum_of_squares(np.array([99, 1]))
    9802
    """
    if len(sizes) == 0:
        return 0
    # Below this bound no sum of squares of parts of a table leaves 64 bits; above it whole numbers of any length take over.
    exact = sizes if float(sizes.sum()) < 2**31 else sizes.astype(object)
    total = (exact * exact).sum()
    return int(total) if sizes.dtype.kind == "i" else float(total)


class Discernibility(DataMetric):
    """Every record pays the size of its group, a suppressed record pays the table.

    ``DM = sum over groups of |G|^2 + suppressed * n``, between ``n`` and ``n^2``. Rows that stand for nobody count in the size
    of their group and pay nothing themselves. As a search metric the *increase* ``DM(after) - DM(before)`` is meant, see
    :meth:`increase` and ``discernibility-increase``.

    ``variant="monotone"`` is the form of ARX that no suppression can lower: the sum of squares over all groups, those that
    were suppressed with the size they had.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> before = GroupStats.from_sizes([99, 1])
    >>> Discernibility().increase(before, before.merge([0, 0]))
    198

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 4.1.3.
    Bayardo, Agrawal, "Data privacy through optimal k-anonymization", 2005, doi:10.1109/ICDE.2005.42.
    """

    id: ClassVar[str] = "discernibility"
    aliases: ClassVar[tuple[str, ...]] = ("discernibility-metric",)
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", additive_over_groups=True, monotone_under_merge=True)

    variant: Literal["literature", "monotone"] = param(
        default="literature",
        choices=("literature", "monotone"),
        doc="whether a suppressed record pays the table or its group",
    )

    def applies(self, published: PublishedStats) -> str | None:
        """Say so if suppressed records must pay their group, and its size is not known."""
        unknown = self.variant == "monotone" and published.suppressed and published.suppressed_sizes is None
        return "needs to know the groups of the suppressed records" if unknown else None

    def of_groups(self, groups: GroupStats) -> float:
        """Return the sum of squared group sizes."""
        return sum_of_squares(groups.sizes)

    def increase(self, before: GroupStats, after: GroupStats) -> float:
        """Return what a generalization step costs: after minus before."""
        return self.of_groups(after) - self.of_groups(before)

    def lattice_terms(self, names: Sequence[str]) -> SizeTerms:
        """Return the squares; those of all groups only grow, and what must be left out has its price."""
        if self.variant == "monotone":
            return SizeTerms(lambda at: at.all_squares, lambda at: at.all_squares)
        return SizeTerms(
            lambda at: at.kept_squares + float(at.records) * at.left_out,
            lambda at: at.all_squares,
            lambda at: float(at.records) * at.lasting + (at.records - at.lasting),
        )

    def measure(self, published: PublishedStats) -> Measured:
        """Return the discernibility of a release."""
        n = published.records
        value = self.of_groups(published.groups)
        if published.added is not None:
            value -= (published.added * published.groups.sizes).sum().item()
        if self.variant == "literature":
            value += published.suppressed * n
        elif published.suppressed_sizes is not None:
            value += sum_of_squares(published.suppressed_sizes)
        size = n + (0 if published.added is None else int(published.added.sum()))
        return Measured(self.id, value, lowest=n, highest=n * size)
