"""Dates: the day, the calendar periods it lies in, and the root."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.thing import param
from sfumato.data.compressed import Dictionary
from sfumato.data.schema import ColumnType
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.hierarchies._computed import tree_of_paths

__all__ = ["Dates"]


def _week(day: date) -> str:
    year, week, _ = day.isocalendar()
    return f"{year:04}-W{week:02}"


_PERIODS: Mapping[str, Callable[[date], str]] = {
    "day": lambda day: day.isoformat(),
    "week": _week,
    "month": lambda day: f"{day.year:04}-{day.month:02}",
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04}",
    "decade": lambda day: f"{day.year // 10 * 10:04}-{day.year // 10 * 10 + 9:04}",
}
_SHORT = ("day", "week")


@lru_cache(4096)
def _above(levels: tuple[str, ...], year: int, month: int) -> tuple[str, ...]:
    """Return the periods of whole months and the root, which all days of a month share."""
    first = date(year, month, 1)
    return (*(_PERIODS[level](first) for level in levels if level not in _SHORT), "*")


class Dates(HierarchyBuilder):
    """Dates become months, quarters, years, decades.

    ``levels`` lists calendar periods from fine to coarse; each period must be made of whole periods of the one before.
    Weeks (ISO, Monday to Sunday) cross the ends of months and years, so nothing but the root stands above them. The
    labels are ``2024-03-05``, ``2024-W10``, ``2024-03``, ``2024-Q1``, ``2024`` and ``2020-2029``.

    A date is its own day. A datetime, in its own time zone, keeps its time at level 0 and climbs to its day from there.
    Texts of the form ``2024-03-05`` are read as dates.

    Examples
    --------
    >>> from datetime import date
    >>> Dates(levels=("month", "quarter", "year")).path(date(2024, 3, 5))
    ('2024-03-05', '2024-03', '2024-Q1', '2024', '*')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    """

    id: ClassVar[str] = "dates"

    levels: tuple[str, ...] = param(
        default=("day", "month", "year", "decade"),
        doc="periods from fine to coarse, among day, week, month, quarter, year and decade",
    )

    @classmethod
    def proposed(cls, dictionary: Dictionary, kind: ColumnType) -> Dates | None:
        """Propose day, month, year and decade for dates and datetimes."""
        return cls() if kind in (ColumnType.DATE, ColumnType.DATETIME) else None

    def validate(self) -> None:
        """Refuse unknown periods, a wrong order, and periods that do not nest."""
        where = f"{self.id}.levels"
        if not self.levels:
            raise BadRequest("must name at least one period", parameter=where, available=_PERIODS)
        for level in self.levels:
            if level not in _PERIODS:
                raise BadRequest("is not a period", parameter=where, value=level, available=_PERIODS)
        known = list(_PERIODS)
        ranks = [known.index(level) for level in self.levels]
        if any(a >= b for a, b in pairwise(ranks)):
            raise BadRequest("must go from fine to coarse, each period once", parameter=where, value=self.levels)
        if "week" in self.levels[:-1]:
            above = self.levels[self.levels.index("week") + 1]
            raise BadRequest(f"must nest, but a week may lie in two {above}s", parameter=where, value=self.levels)

    def path(self, value: Hashable) -> tuple[str, ...]:
        """Return the date, its period at each level, and the root."""
        day = _day(value)
        short = [_PERIODS[level](day) for level in self.levels if level in _SHORT]
        labels = (to_text(value), *short, *_above(self.levels, day.year, day.month))
        return labels[1:] if labels[0] == labels[1] else labels

    def build(self, values: Sequence[Hashable], *, column: str = "") -> Tree:
        """Return the tree over the dates; what is no date is refused all at once."""
        if "week" not in self.levels and {*map(type, values)} == {date}:  # days of a month share what is above them
            months = [(value.year, value.month) for value in values]  # type: ignore[attr-defined]
            number = {month: place for place, month in enumerate(dict.fromkeys(months))}
            above = [_above(self.levels, *month) for month in number]
            place = [number[month] for month in months]
            return Tree.from_leaves([*map(date.isoformat, values)], above, place, values, column=column)  # type: ignore[arg-type]
        return tree_of_paths(self.path, values, column=column, rule="must be a date such as 2024-03-05")


def _day(value: Hashable) -> date:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        day = date.fromisoformat(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise KeyError(value) from None
    # 20240305 and 2024-W10-2 are dates too, but not the text that the day is published as.
    if day.isoformat() != value:
        raise KeyError(value)
    return day
