"""Regions: the values that conditions leave to one column, an interval with gaps or a list."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from math import ceil, floor
from typing import Any

from sfumato.data.frozen import frozen
from sfumato.data.text import to_text

__all__ = ["ANYTHING", "Region", "in_order"]

MOST_LISTED = 10_000
"""An interval of whole numbers with more values than this counts as endless."""


@frozen
class Region:
    """The values that one column may have: ``only`` those listed, or those between two bounds that are not ``excluded``.

    A bound that is ``None`` is none. ``discrete`` columns hold whole numbers or days, so that an interval may be empty or hold
    one value although its bounds differ. ``missing`` tells whether the value may also be missing; a list holds ``None`` then.
    """

    only: frozenset[Hashable] | None = None
    low: Any = None
    above: bool = False
    high: Any = None
    below: bool = False
    excluded: frozenset[Hashable] = frozenset()
    discrete: bool = False
    missing: bool = False

    @classmethod
    def of(cls, values: Iterable[Hashable]) -> Region:
        """Return a list of values as a region."""
        return cls(only=frozenset(values))

    def __contains__(self, value: object) -> bool:
        if self.only is not None:
            return value in self.only
        if value is None:
            return self.missing
        given: Any = value
        try:
            inside = (self.low is None or (given > self.low if self.above else given >= self.low)) and (
                self.high is None or (given < self.high if self.below else given <= self.high)
            )
        except TypeError:  # a text is not between numbers
            return False
        return inside and value not in self.excluded

    def meet(self, other: Region) -> Region:
        """Return the values that are in both.

        >>> both = Region(low=45, above=True, discrete=True).meet(Region(high=47, below=True, discrete=True))
        >>> both.values()
        (46,)
        """
        if self.only is not None:
            return Region.of(value for value in self.only if value in other)
        if other.only is not None:
            return other.meet(self)
        low, above = _tighter((self.low, self.above), (other.low, other.above), lambda one, two: one > two)
        high, below = _tighter((self.high, self.below), (other.high, other.below), lambda one, two: one < two)
        return Region(
            None,
            low,
            above,
            high,
            below,
            self.excluded | other.excluded,
            self.discrete or other.discrete,
            self.missing and other.missing,
        )

    def without(self, values: Iterable[Hashable]) -> Region:
        """Return the region without some values."""
        if self.only is not None:
            return Region.of(self.only.difference(values))
        return replace(self, excluded=self.excluded.union(values))

    def complement(self, whole: Region) -> tuple[Region, ...]:
        """Return what a column may have outside of this region, in pieces that share no value."""
        if self.only is not None:
            rest = whole.without(self.only if whole.only is not None else self.only - {None})
            if rest.only is None and None in self.only:
                rest = replace(rest, missing=False)
            return () if rest.empty else (rest,)
        bare = replace(whole, missing=False)
        pieces = []
        if self.low is not None:
            pieces.append(bare.meet(Region(high=self.low, below=not self.above)))
        if self.high is not None:
            pieces.append(bare.meet(Region(low=self.high, above=not self.below)))
        inside = replace(self, excluded=frozenset())
        points = [value for value in self.excluded if value in inside and value in bare]
        if None in whole and not self.missing:
            points.append(None)
        if points:
            pieces.append(Region.of(points))
        return tuple(piece for piece in pieces if not piece.empty)

    # ---- what it holds -----------------------------------------------------------------------------------------------

    @property
    def empty(self) -> bool:
        """Whether no value is left."""
        if self.only is not None:
            return not self.only
        return not self.missing and next(self._within(), _NOTHING) is _NOTHING

    def values(self) -> tuple[Hashable, ...] | None:
        """Return all values in order, missing first; ``None`` where there is no end of them."""
        if self.only is None:
            if not self._ends():
                return None
            found = [*([None] if self.missing else []), *self._within()]
            return None if _ENDLESS in found else tuple(found)
        return in_order(self.only)

    def fixed(self) -> Hashable:
        """Return the only value there can be; ``None`` where there are several."""
        found = self.values()
        return found[0] if found is not None and len(found) == 1 else None

    def _ends(self) -> bool:
        if self.low is None or self.high is None:
            return False
        if self.low >= self.high:
            return True
        if not self.discrete:
            return False
        first, last = self._whole()
        return bool(_number(last) - _number(first) < MOST_LISTED)

    def _whole(self) -> tuple[Any, Any]:
        """Return the first and the last whole value between the bounds."""
        one: Any = timedelta(1) if isinstance(self.low, date) else 1
        low: Any = self.low if isinstance(self.low, date) else ceil(self.low)
        high: Any = self.high if isinstance(self.high, date) else floor(self.high)
        return (
            low + one if self.above and low == self.low else low,
            high - one if self.below and high == self.high else high,
        )

    def _within(self) -> Iterator[Hashable]:
        """Yield the values between the bounds; where there is no end of them, something that is none."""
        if not self._ends():
            yield _ENDLESS
        elif self.low == self.high:
            if self.low in self:
                yield self.low
        elif self.low < self.high:
            at, last = self._whole()
            one = timedelta(1) if isinstance(at, date) else 1
            while at <= last:
                if at not in self.excluded:
                    yield at
                at += one

    def words(self, column: str) -> str | Hashable:
        """Return the only value, or the region as a condition on a column.

        >>> Region(low=45, above=True, high=55, below=True).words("Age")
        '45<Age<55'
        """
        if self.only is not None:
            found = self.values() or ()
            return found[0] if len(found) == 1 else f"{column} in ({', '.join(map(_written, found))})"
        if self.low is None and self.high is None:
            text = column if self.excluded else "*"
        elif self.low is None:
            text = f"{column}{'<' if self.below else '<='}{_written(self.high)}"
        elif self.high is None:
            text = f"{column}{'>' if self.above else '>='}{_written(self.low)}"
        else:
            sign = "<" if self.above else "<="
            text = f"{_written(self.low)}{sign}{column}{'<' if self.below else '<='}{_written(self.high)}"
        if self.excluded:
            text += f" not in ({', '.join(_written(value) for value in in_order(self.excluded))})"
        return f"{text} or missing" if self.missing and text != "*" else text


_NOTHING, _ENDLESS = object(), object()

ANYTHING = Region()
"""A column that nothing is known of."""


def _tighter(one: tuple[Any, bool], two: tuple[Any, bool], beyond: Any) -> tuple[Any, bool]:
    """Return the bound that leaves less; of equal ones the open one."""
    if one[0] is None or two[0] is None:
        return two if one[0] is None else one
    if one[0] == two[0]:
        return one[0], one[1] or two[1]
    return one if beyond(one[0], two[0]) else two


def _number(value: Any) -> int:
    return value.toordinal() if isinstance(value, date) else int(value)


def _written(value: Hashable) -> str:
    return "missing" if value is None else to_text(value)


def in_order(values: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Return values in their order, missing first; values of several types by their type."""
    return tuple(sorted(values, key=_order))


def _order(value: Hashable) -> tuple[bool, str, Any]:
    """Order values of one type as they are, of several by their type; missing first."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    named = "" if number else "date" if isinstance(value, datetime) else type(value).__name__
    return value is not None, named, 0 if value is None else value
