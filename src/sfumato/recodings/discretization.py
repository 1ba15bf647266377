"""Discretization: numbers become intervals that nest in nothing but the range."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.contracts.recoding import ColumnRecoding, Mapped, Recoding
from sfumato.contracts.thing import param
from sfumato.data.text import interval_label, number_array
from sfumato.errors import BadRequest, Unsupported

__all__ = ["Discretization"]


class Discretization(ColumnRecoding):
    """Numbers become half-open intervals that cover the range.

    ``edges`` e_0 < e_1 < ... < e_m give the intervals ``[e_0, e_1), ..., [e_(m-1), e_m)``; the last one is closed where
    ``closed`` says so, as it is when the largest value lies on the edge. A later number outside the range goes to the
    end interval and is counted. A step is named by the edge it puts or takes: ``refine(50)`` cuts the interval that holds 50.

    Examples
    --------
    >>> Discretization(edges=(1, 37, 99)).map([30, 44]).labels
    ('[1-37)', '[37-99)')
    >>> Discretization(edges=(1, 37, 99)).refine(50).published()
    ('[1-37)', '[37-50)', '[50-99)')

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
            numbers, edges = number_array(values), number_array(self.edges)
        except (TypeError, ValueError):
            raise BadRequest("intervals need numbers", column=column or None) from None
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
        covered = np.asarray(np.diff(edges)[where], np.float64)
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

    def refine(self, value: float) -> Discretization:
        """Cut the interval that holds a number, at the number."""
        if value in self.edges or not self.edges[0] < value < self.edges[-1]:
            raise BadRequest(
                "must lie inside an interval", parameter="value", value=value, available=[*self.published()]
            )
        return replace(self, edges=tuple(sorted((*self.edges, value))))

    def generalize(self, value: float) -> Discretization:
        """Join the two intervals that meet at a number."""
        inner = self.edges[1:-1]
        if value not in inner:
            raise BadRequest("must be an edge between two intervals", parameter="value", value=value, available=inner)
        at = self.edges.index(value, 1)
        return replace(self, edges=(*self.edges[:at], *self.edges[at + 1 :]))

    def is_finer_than(self, other: Recoding) -> bool:
        """Tell whether every edge of the other is an edge of this one."""
        return set(self._alike(other).edges) <= set(self.edges)

    def common_refinement(self, other: Recoding) -> Discretization:
        """Return the intervals between the edges of both."""
        return replace(self, edges=tuple(sorted({*self.edges, *self._alike(other).edges})))

    def _alike(self, other: Recoding) -> Discretization:
        same = isinstance(other, Discretization) and (other.edges[0], other.edges[-1], other.closed) == (
            self.edges[0],
            self.edges[-1],
            self.closed,
        )
        if not isinstance(other, Discretization) or not same:
            raise Unsupported(f"{self.id} is compared with intervals of the same range only", thing=self.id)
        return other

    def draw(self) -> str:
        """Return the intervals from low to high, each with a bar as long as its share of the range."""
        labels = self.published()
        whole, wide = self.edges[-1] - self.edges[0] or 1, max(map(len, labels))
        widths = np.asarray(np.diff(number_array(self.edges)), np.float64)
        return "\n".join(
            f"{label.ljust(wide)}  {'█' * max(1, round(40 * width / whole))}"
            for label, width in zip(labels, widths.tolist(), strict=True)
        )
