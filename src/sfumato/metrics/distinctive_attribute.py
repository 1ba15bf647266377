"""Distinctive attribute: generalize next what shows most distinct values."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.metric import AttributeMetric, MetricTraits
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["DistinctiveAttribute"]


class DistinctiveAttribute(AttributeMetric):
    """The attribute with most distinct published values is generalized next.

    It says how to come to small numbers of groups quickly and nothing about what is lost. The first attribute wins a tie.

    Examples
    --------
    >>> DistinctiveAttribute().choose({"Job": 4, "Sex": 2, "Age": 4})
    'Job'

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 4.1.4.
    Sweeney, "Datafly: a system for providing anonymity in medical data", 1998, doi:10.1007/978-0-387-35285-5_22.
    """

    id: ClassVar[str] = "distinctive-attribute"
    traits: ClassVar[MetricTraits] = MetricTraits(better="higher")

    def score(self, distinct: Ints) -> Floats:
        """Return the number of distinct values."""
        return distinct.astype(float)
