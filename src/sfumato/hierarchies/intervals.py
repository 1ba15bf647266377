"""Intervals of numbers: half-open ``[a-b)``, joined level by level, the last one closed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, floor, isfinite, prod, ulp
from numbers import Integral, Real
from typing import ClassVar

from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.thing import param
from sfumato.data.compressed import Dictionary
from sfumato.data.schema import ColumnType
from sfumato.data.text import interval_label, number_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.hierarchies._computed import tree_of_paths

__all__ = ["Intervals"]

_MOST = 1_000_000
_PROPOSED = 20  # about as many as a reader takes in at once
_LARGEST = 1e300  # beyond, the rounded range would leave the floats
_NEXT = {1: 5, 2: 5, 5: 2}  # from a round width to the next one: 1, 5, 10 and 2, 10 and 5, 10


class Intervals(HierarchyBuilder):
    """Numbers become half-open intervals that nest.

    Edges ``e_0 < e_1 < ... < e_m`` give the intervals ``[e_0, e_1), ..., [e_(m-1), e_m]`` of level 1; the last one is
    closed, so that every value lies inside its label. ``fan_out`` f_1, f_2, ... joins f_1 neighbours into one interval
    of level 2, f_2 of those into one of level 3, and so on; the last join may find fewer. Above the last level stands
    the root ``*``; a level that holds one interval only is the root itself.

    Edges are listed in ``edges``, or lie ``width`` apart from ``lower`` (or ``bottom``) to ``upper`` (or ``top``, or as
    far as ``fan_out`` joins). ``bottom`` and ``top`` code the ends: from level 1 on, values below ``bottom`` are
    ``<bottom`` and values at or above ``top`` are ``>=top``. Without them a value outside the edges is refused.

    Examples
    --------
    >>> age = Intervals(lower=0, width=5, fan_out=(2, 2, 5))
    >>> age.path(38)
    ('38', '[35-40)', '[30-40)', '[20-40)', '*')
    >>> Intervals(edges=(0, 18, 40, 65), top=65).path(70)
    ('70', '>=65', '*')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    """

    id: ClassVar[str] = "intervals"

    edges: tuple[float, ...] | None = param(default=None, doc="rising edges of the narrowest intervals")
    lower: float | None = param(default=None, doc="first edge, where edges lie a width apart")
    width: float | None = param(default=None, gt=0, doc="width of the narrowest interval")
    upper: float | None = param(default=None, doc="last edge; by default as far as fan_out joins")
    fan_out: tuple[int, ...] = param(default=(), doc="how many intervals join at each next level")
    bottom: float | None = param(default=None, doc="values below are published as <bottom")
    top: float | None = param(default=None, doc="values at or above are published as >=top")

    @classmethod
    def proposed(cls, dictionary: Dictionary, kind: ColumnType) -> Intervals | None:
        """Propose about 20 intervals of a round width, joined to the next round widths, in a range wider than the values."""
        if not kind.numeric:
            return None
        whole = kind == ColumnType.INTEGER
        numbers = [value for value in dictionary.values if isinstance(value, (int, float)) and isfinite(value)]
        if len(numbers) < len(dictionary):
            return None
        low, high = Fraction(min(numbers)), Fraction(max(numbers))
        largest = max(abs(low), abs(high))
        if largest > _LARGEST:
            return None
        # Floats far from zero lie far apart: edges closer than this would not have a short decimal form of their own.
        finest = Fraction(0) if whole else 1024 * Fraction(ulp(float(largest)))
        digit, power = _round_up(max((high - low) / _PROPOSED, finest, Fraction(2 if whole else 0)))
        width = digit * Fraction(10) ** power
        widest, fan_out = width, []
        while (high - low) / (widest * _NEXT[digit]) > 1:
            fan_out.append(_NEXT[digit])
            widest *= _NEXT[digit]
            digit = digit * _NEXT[digit] if digit == 1 else 1
        first, last = floor(low / widest) * widest, ceil(high / widest) * widest
        if last - first <= width:
            return None
        return Intervals(lower=_plain(first), width=_plain(width), upper=_plain(last), fan_out=tuple(fan_out))

    def validate(self) -> None:
        """Refuse edges that do not rise, joins of nothing, and ends outside the edges."""
        for name in ("lower", "width", "upper", "bottom", "top"):
            limit = getattr(self, name)
            if limit is not None and not isfinite(limit):
                raise BadRequest("must be finite", parameter=f"{self.id}.{name}", value=limit)
        if any(count < 2 for count in self.fan_out):
            raise BadRequest("must join at least 2 intervals each", parameter=f"{self.id}.fan_out", value=self.fan_out)
        _ = self._levels

    def _declared(self) -> list[float]:
        """Return the edges as asked for, before the coded ends are cut off."""
        spaced = [name for name in ("lower", "width", "upper") if getattr(self, name) is not None]
        if self.edges is not None:
            if spaced:
                raise BadRequest("needs either edges or lower and width", parameter=self.id, value=["edges", *spaced])
            rising = all(a < b for a, b in pairwise(self.edges))
            if len(self.edges) < 2 or not rising or not all(map(isfinite, self.edges)):
                rule = "must rise and hold at least two numbers"
                raise BadRequest(rule, parameter=f"{self.id}.edges", value=self.edges)
            return list(self.edges)
        lower = self.bottom if self.lower is None else self.lower
        if lower is None or self.width is None:
            raise BadRequest("needs either edges or lower and width", parameter=self.id, value=spaced or None)
        # Decimal steps such as 0.1 are added up exactly, so that the third edge is 0.3 and not a little more.
        first, step = Fraction(str(lower)), Fraction(str(self.width))
        upper = self.top if self.upper is None else self.upper
        if upper is None and not self.fan_out:
            raise BadRequest("needs upper, top or fan_out to know where to end", parameter=f"{self.id}.upper")
        last = first + step * prod(self.fan_out) if upper is None else Fraction(str(upper))
        if last <= first:
            raise BadRequest("must lie above the first edge", parameter=f"{self.id}.upper", value=upper)
        count = ceil((last - first) / step)
        if count > _MOST:
            raise BadRequest(f"makes more than {_MOST} intervals", parameter=f"{self.id}.width", value=self.width)
        edges = [_plain(first + step * position) for position in range(count)] + [_plain(last)]
        if any(a >= b for a, b in pairwise(edges)):
            raise BadRequest("is too narrow for numbers of this size", parameter=f"{self.id}.width", value=self.width)
        return edges

    @cached_property
    def _levels(self) -> tuple[tuple[tuple[float, ...], tuple[str, ...]], ...]:
        """Edges and labels of each level between the value and the root; edges are those of level 1 first."""
        edges = self._declared()
        low, high = edges[0], edges[-1]
        if self.bottom is not None and not low <= self.bottom < high:
            raise BadRequest(
                f"must be >= {number_text(low)} and < {number_text(high)}",
                parameter=f"{self.id}.bottom",
                value=self.bottom,
            )
        if self.top is not None and not low < self.top <= high:
            raise BadRequest(
                f"must be > {number_text(low)} and <= {number_text(high)}", parameter=f"{self.id}.top", value=self.top
            )
        low = low if self.bottom is None else self.bottom
        high = high if self.top is None else self.top
        if low >= high:
            raise BadRequest("must lie above bottom", parameter=f"{self.id}.top", value=self.top)
        edges = [low, *(edge for edge in edges if low < edge < high), high]
        levels = [edges]
        for count in self.fan_out:
            if len(edges) == 2:
                rule = f"joins more often than {len(levels[0]) - 1} intervals allow"
                raise BadRequest(rule, parameter=f"{self.id}.fan_out", value=self.fan_out)
            edges = [*edges[:-1:count], edges[-1]]
            levels.append(edges)
        return tuple((tuple(level), self._labels(level)) for level in levels)

    def _labels(self, edges: Sequence[float]) -> tuple[str, ...]:
        last = len(edges) - 2
        return tuple(
            interval_label(edges[i], edges[i + 1], closed=self.top is None and i == last) for i in range(last + 1)
        )

    def path(self, value: Hashable) -> tuple[str, ...]:
        """Return the number, its interval at each level, and the root."""
        if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
            raise KeyError(value)
        number = int(value) if isinstance(value, Integral) else float(value)
        low, high = self._levels[0][0][0], self._levels[0][0][-1]
        steps = len(self._levels)
        if self.bottom is not None and number < self.bottom:
            return (number_text(number), *[f"<{number_text(self.bottom)}"] * steps, "*")
        if self.top is not None and number >= self.top:
            return (number_text(number), *[f">={number_text(self.top)}"] * steps, "*")
        if not low <= number <= high:
            raise KeyError(value)
        whole = self.bottom is None and self.top is None
        labels = [
            names[min(bisect_right(edges, number), len(names)) - 1]
            for edges, names in self._levels
            if len(names) > 1 or not whole
        ]
        return (number_text(number), *labels, "*")

    def build(self, values: Sequence[Hashable], *, column: str = "") -> Tree:
        """Return the tree over the numbers; values outside the edges are refused all at once."""
        edges, names = self._levels[0]
        span = interval_label(edges[0], edges[-1], closed=self.top is None)
        return tree_of_paths(self.path, values, column=column, rule=f"must be a number in {span}", available=names)


def _plain(edge: Fraction) -> float:
    return int(edge) if edge.denominator == 1 else float(edge)


def _round_up(width: Fraction) -> tuple[int, int]:
    """Return the smallest ``digit * 10 ** power`` with digit 1, 2 or 5 that is at least the width."""
    power = 0
    while Fraction(10) ** power > width:
        power -= 1
    while Fraction(10) ** (power + 1) <= width:
        power += 1
    for digit in (1, 2, 5):
        if digit * Fraction(10) ** power >= width:
            return digit, power
    return 1, power + 1
