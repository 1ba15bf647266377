"""Discretization: numbers become intervals that nest in nothing but the range."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sfumato.contracts.recoding import ColumnRecoding, Mapped
from sfumato.contracts.thing import param
from sfumato.data.text import interval_label
from sfumato.errors import BadRequest

__all__ = ["Discretization"]


@dataclass(frozen=True, kw_only=True)
class Discretization(ColumnRecoding):
    """Numbers become half-open intervals that cover the range.

    ``edges`` e_0 < e_1 < ... < e_m give the intervals ``[e_0, e_1), ..., [e_(m-1), e_m)``; the last one is closed where
    ``closed`` says so, as it is when the largest value lies on the edge. A later number outside the range goes to the
    end interval and is counted.

    Examples
    --------
    >>> Discretization(edges=(1, 37, 99)).map([30, 44]).labels
    ('[1-37)', '[37-99)')

    References
    ----------
    Fung, Wang, Yu, "Anonymizing classification data for privacy preservation", 2007, section II,
    doi:10.1109/TKDE.2007.1015.
    """

    id: ClassVar[str] = "discretization"

    edges: tuple[float, ...] = param(doc="rising edges of the intervals, first and last are the range")
    closed: bool = param(default=False, doc="whether the last interval holds its upper edge")

    def validate(self) -> None:
        """Refuse edges that do not rise."""
        if len(self.edges) < 2 or any(a > b for a, b in zip(self.edges, self.edges[1:], strict=False)):
            raise BadRequest("must rise and hold at least two numbers", parameter=f"{self.id}.edges", value=self.edges)

    def published(self) -> tuple[str, ...]:
        """Return the interval labels from low to high."""
        last = len(self.edges) - 2
        return tuple(
            interval_label(self.edges[i], self.edges[i + 1], closed=self.closed and i == last) for i in range(last + 1)
        )

    def map(self, values: Sequence[Hashable], *, column: str = "", unknown: str = "declared") -> Mapped:
        """Return the interval of each number; see :class:`ColumnRecoding`."""
        try:
            numbers = np.asarray(values, np.float64)
        except (TypeError, ValueError):
            raise BadRequest("intervals need numbers", column=column or None) from None
        edges = np.asarray(self.edges, np.float64)
        outside = np.flatnonzero((numbers < edges[0]) | (numbers > edges[-1]))
        if not self.closed:
            outside = np.union1d(outside, np.flatnonzero(numbers == edges[-1]))
        if unknown == "refuse" and len(outside):
            raise BadRequest(
                f"{len(outside)} number{'s lie' if len(outside) > 1 else ' lies'} outside the range of the recoding",
                column=column or None,
                available=[interval_label(self.edges[0], self.edges[-1], closed=self.closed)],
            )
        where = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, len(edges) - 2)
        names = self.published()
        labels = [names[i] for i in where]
        covered = np.diff(edges)[where]
        if unknown == "root":
            for position in outside:
                labels[position], covered[position] = "*", edges[-1] - edges[0]
        none = np.full(len(numbers), -1, np.int64)
        return Mapped(
            labels=tuple(labels),
            covered=covered,
            domain=float(edges[-1] - edges[0]),
            climbed=none,
            root_climb=none,
            continuous=True,
            outside=tuple(int(i) for i in outside),
        )
