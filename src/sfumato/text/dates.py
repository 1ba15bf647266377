"""Dates as texts write them: read in the usual forms of English and German, and written back in the form they had."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from functools import cache, lru_cache

from sfumato.data.frozen import frozen

__all__ = ["DATES", "WrittenDate", "beside_weekday", "is_month", "month_names", "read_date"]

_MONTHS = {
    "en": [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ],
    "de": [
        "januar",
        "februar",
        "märz",
        "april",
        "mai",
        "juni",
        "juli",
        "august",
        "september",
        "oktober",
        "november",
        "dezember",
    ],
}
_ALSO = {"jänner": 1, "feber": 2, "maerz": 3, "sept": 9, "mrz": 3}
_FORM = re.compile(
    r"(?P<iso>(?P<y1>[0-9]{4})(?P<s1>[-/.])(?P<m1>[0-9]{1,2})(?P=s1)(?P<d1>[0-9]{1,2}))"
    r"|(?P<numbers>(?P<a>[0-9]{1,2})(?P<s2>[-/.])\s?(?P<b>[0-9]{1,2})(?P=s2)\s?(?P<y2>[0-9]{4}|[0-9]{2}))"
    r"|(?P<day_first>(?P<d3>[0-9]{1,2})(?P<o3>st|nd|rd|th|\.)?\s+(?:of\s+)?(?P<m3>[^\W\d]+)\.?,?\s+(?P<y3>[0-9]{4}))"
    r"|(?P<month_first>(?P<m4>[^\W\d]+)\.?\s+(?P<d4>[0-9]{1,2})(?P<o4>st|nd|rd|th)?,?\s+(?P<y4>[0-9]{4}))"
    r"|(?P<month>(?P<m5>[^\W\d]+)\.?,?\s+(?P<y5>[0-9]{4}))"
    r"|(?P<short>(?P<m6>[0-9]{1,2})(?P<s6>[/.])(?P<y6>[0-9]{4}))"
    r"|(?P<year>(?P<y7>[0-9]{4}))"
)
DATES = re.compile(rf"(?<!\w)(?:{_FORM.pattern})(?!\w)")
"""Where a text may write a date."""
_WEEKDAY = (
    r"(?:(?i:mon|tues|wednes|thurs|fri|satur|sun)(?i:days?)|(?i:mon|diens|donners|frei|sams|sonn)(?i:tags?)"
    r"|(?i:mittwochs?|sonnabends?)|Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|Sat|Sun|MON|TUE|WED|THU|FRI|SAT|SUN"
    r"|Mo|Di|Mi|Do|Fr|Sa|So)"
)
_WEEKDAY_BEFORE = re.compile(rf"(?<!\w){_WEEKDAY}\W{{1,3}}(?:(?i:on|the|of|den|dem|der|am|vom)\W{{1,2}})?$")
_WEEKDAY_BEHIND = re.compile(
    rf"\W{{1,3}}(?:(?i:on|which|was|war|is|ist|an?|eine?[mn]?)\W{{1,2}}){{0,3}}{_WEEKDAY}(?!\w)"
)
_REMEMBERED = 10_000  # dates that were read: a text is looked through more than once
_NEAR = 32  # signs on either side of a date in which its weekday stands
_PARTS = re.compile(r"[0-9]+(?:st|nd|rd|th)?|[^\W\d]+|[\W_]+")


@frozen
class WrittenDate:
    """A day as it was written: ``parts`` are the signs, with day, month and year in their places."""

    day: date
    parts: tuple[tuple[str, str], ...]
    language: str

    def later(self, days: int) -> WrittenDate | None:
        """Return the day so many days later, or none where the calendar ends."""
        try:
            return replace(self, day=self.day + timedelta(days=days))
        except OverflowError:
            return None

    @property
    def _width(self) -> int:
        """How many digits a day or month has at least: two if one is written with a zero, or behind the year."""
        padded = any(what in ("day", "month") and sign.startswith("0") for what, sign in self.parts)
        first = next((what for what, _ in self.parts if what), "")
        return 2 if padded or (first == "year" and len(self.parts) > 1) else 1

    def __str__(self) -> str:
        return "".join(self._written(what, sign) for what, sign in self.parts)

    def _written(self, what: str, sign: str) -> str:
        if what == "day":
            ordinal = sign.lstrip("0123456789")
            return f"{self.day.day:0{self._width}}" + (_ordinal(self.day.day) if ordinal else "")
        if what == "month" and sign.isdigit():
            return f"{self.day.month:0{self._width}}"
        if what == "month":
            name = _MONTHS[_language(sign, self.language)][self.day.month - 1]
            whole = len(sign) > 4 or sign.casefold() in (*_MONTHS["en"], *_MONTHS["de"])
            name = name if whole else name[:3]
            return name.upper() if sign.isupper() else name.capitalize() if sign[:1].isupper() else name
        if what == "year":
            return f"{self.day.year % 100:02}" if len(sign) == 2 else f"{self.day.year:04}"
        return sign


@lru_cache(_REMEMBERED)
def read_date(text: str, language: str = "en") -> WrittenDate | None:
    """Return the day of a text that is a date and nothing else, or none. In 3/4/2020 English reads the month first.

    >>> str(read_date("3 March 2020").later(30)), str(read_date("03.03.20", "de").later(-3)), read_date("soon")
    ('2 April 2020', '29.02.20', None)
    """
    said = text.strip()
    found = _FORM.fullmatch(said)
    if found is None:
        return None
    held = {name: value for name, value in found.groupdict().items() if value is not None}
    form = next(
        name for name in ("iso", "numbers", "day_first", "month_first", "month", "short", "year") if name in held
    )
    order = {
        "iso": ("year", "month", "day"),
        "day_first": ("day", "month", "year"),
        "month_first": ("month", "day", "year"),
        "month": ("month", "year"),
        "short": ("month", "year"),
        "year": ("year",),
    }.get(form) or _by_language(int(held["a"]), int(held["b"]), held["s2"], language)
    waiting, parts = list(order), list[tuple[str, str]]()
    for sign in _PARTS.findall(text):
        telling = bool(waiting) and sign[0].isalnum() and sign.casefold() != "of"
        parts.append((waiting.pop(0) if telling else "", sign))
    told = {what: sign for what, sign in parts if what}
    try:
        return WrittenDate(_day(told), tuple(parts), language)
    except (KeyError, ValueError):
        return None


def beside_weekday(text: str, start: int, end: int) -> bool:
    """Tell whether the name of a weekday stands before or behind a date.

    >>> beside_weekday("on Monday, 4.3.2024", 11, 19), beside_weekday("4.3.2024 (Mo)", 0, 8), beside_weekday("4.3.24", 0, 6)
    (True, True, False)
    """
    before, behind = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    return _WEEKDAY_BEFORE.search(before) is not None or _WEEKDAY_BEHIND.match(behind) is not None


def _by_language(first: int, second: int, separator: str, language: str) -> tuple[str, ...]:
    month_first = (separator == "/" and language == "en" and first <= 12) or second > 12 >= first
    return ("month", "day", "year") if month_first else ("day", "month", "year")


def _day(told: dict[str, str]) -> date:
    year = int(told["year"])
    if len(told["year"]) == 2:
        year += 1900 if year > 50 else 2000
    month = _month(told["month"]) if "month" in told else 7
    day = int(re.sub(r"\D", "", told["day"])) if "day" in told else (15 if "month" in told else 2)
    return date(year, month, day)


def is_month(word: str) -> bool:
    """Tell whether a word names a month, in full or in short.

    >>> is_month("März"), is_month("Sept"), is_month("born")
    (True, True, False)
    """
    return word.casefold() in month_names()


def _month(sign: str) -> int:
    return int(sign) if sign.isdigit() else month_names()[sign.casefold()]


@cache
def month_names() -> dict[str, int]:
    """Return the number of each month by its names in small letters, in full and in short."""
    known = {name: at for names in _MONTHS.values() for at, name in enumerate(names, start=1)}
    return known | {name[:3]: at for name, at in known.items()} | _ALSO


def _language(sign: str, language: str) -> str:
    """Return the language of the name of a month: the one that has it, or the one that is spoken."""
    begun = [name for name, months in _MONTHS.items() if any(m.startswith(sign.casefold()[:5]) for m in months)]
    return language if language in begun or not begun else begun[0]


def _ordinal(day: int) -> str:
    return "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
