"""IL1s: how far numbers were moved on average, in standard deviations of their columns."""

from __future__ import annotations

from math import sqrt
from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import ComparedMetric, Measured, MetricTraits
from sfumato.data.messages import say
from sfumato.groups.compared import ComparedTables
from sfumato.kernels.arrays import Floats

__all__ = ["Il1s"]


class Il1s(ComparedMetric):
    """How far numbers were moved on average, in standard deviations of their columns.

    The mean over all cells of ``|x - x'| / (sqrt(2) S)``, where ``S`` is the standard deviation of the raw column, with
    ``n - 1``. Rows of both tables must be those of the same records; an interval counts as its middle.

    Examples
    --------
    >>> import sfumato
    >>> raw = sfumato.from_rows(["a", "b"], [(1, 2), (2, 1), (3, 5), (4, 4)])
    >>> means = sfumato.from_rows(["a", "b"], [(1.5, 1.5), (1.5, 1.5), (3.5, 4.5), (3.5, 4.5)])
    >>> round(sfumato.measure(raw, means, Il1s()).value, 6)
    0.233755

    References
    ----------
    Mateo-Sanz, Sebé, Domingo-Ferrer, "Outlier protection in continuous microdata masking", 2004.
    """

    id: ClassVar[str] = "il1s"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    def applies(self, published: ComparedTables) -> str | None:
        """Need numbers that vary, of the same records on both sides."""
        if not published.numbers:
            return say("needs.compared_numbers")
        if not published.paired:
            return say("needs.same_records")
        return say("needs.varying_numbers") if len(published.before) < 2 or not _deviations(published).all() else None

    def measure(self, published: ComparedTables) -> Measured:
        """Return the mean over all cells, and that of each column."""
        moved = np.abs(published.before - published.after) / (sqrt(2) * _deviations(published))
        by_column = dict(zip(published.numbers, moved.mean(axis=0).tolist(), strict=True))
        return Measured(self.id, float(moved.mean()), by_column, lowest=0.0, denominator=moved.size)


def _deviations(published: ComparedTables) -> Floats:
    return np.asarray(published.before.std(axis=0, ddof=1))
