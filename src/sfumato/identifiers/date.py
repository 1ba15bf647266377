"""Dates that are more exact than the year."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import Identifier, IdentifierTraits
from sfumato.data.schema import Role
from sfumato.identifiers._check_digits import real_day

__all__ = ["Date"]

_TIME = r"(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?(?:Z|[AP]M|[+-]\d{2}:?\d{2}))?)?"
_YEAR_FIRST = re.compile(rf"(\d{{4}})[-/.](\d{{1,2}})[-/.](\d{{1,2}}){_TIME}", re.IGNORECASE)
_YEAR_LAST = re.compile(rf"(\d{{1,2}})[-/.](\d{{1,2}})[-/.](\d{{4}}){_TIME}", re.IGNORECASE)
_SHORT = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{2})")
_PERIOD = re.compile(
    r"(?:1[6-9]|20|21)\d{2}-(?:0[1-9]|1[0-2]|Q[1-4]|W[0-5]\d)|(?:0?[1-9]|1[0-2])[/.](?:1[6-9]|20)\d{2}", re.IGNORECASE
)
_BARE = re.compile(r"((?:1[89]|20|21)\d{2})(\d{2})(\d{2})")
# English, German, French, Spanish and Italian months, short and long.
_MONTHS = (
    r"(?:jan(?:uary|uar|v|vier)?|feb(?:ruary|ruar|rero|braio)?|mar(?:ch|s|zo)?|apr(?:il|ile)?|may|jun[ei]?|jul[yi]?|aug(?:ust)?"
    r"|sep(?:t|tember|tembre|tiembre)?|oct(?:ober|obre|ubre)?|nov(?:ember|embre|iembre)?|dec(?:ember)?|m[aä]r(?:z)?|mai|okt(?:ober)?"
    r"|dez(?:ember)?|f[eé]v(?:r|rier)?|avr(?:il)?|juin|juil(?:let)?|ao[uû]t|d[eé]c(?:embre)?|enero|ene|abr(?:il)?|mayo|junio|julio"
    r"|ago(?:sto)?|dic(?:iembre|embre)?|gen(?:naio)?|mag(?:gio)?|giu(?:gno)?|lug(?:lio)?|set(?:tembre)?|ott(?:obre)?)\.?"
)
_WORDED = re.compile(
    rf"(?:\d{{1,2}}(?:st|nd|rd|th|\.)?[ -])?(?:de )?{_MONTHS}[ -](?:de )?(?:\d{{1,2}}(?:st|nd|rd|th)?,? )?"
    rf"(?:\d{{4}}|'?\d{{2}}){_TIME}",
    re.IGNORECASE,
)
_INSIDE = re.compile(
    r"(?<![\d./-])(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{1,2}\. ?[A-Z]\w+ \d{4})(?![\d/-])"
)


class Date(Identifier):
    """A date: a day, a month, a quarter or a week of a year, with or without a time.

    ``2024-03-05``, ``05.03.2024``, ``3/5/2024``, ``5 March 2024``, and the labels ``2024-03``, ``2024-Q1``, ``2024-W10``. A
    year or a range of years is none. Eight bare digits and years of two digits fit a column that is called so.

    Examples
    --------
    >>> Date().matches(["2024-03-05", "5 March 2024", "2024-Q1", "2024", "2020-2029"]).tolist()
    [True, True, True, False, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(C).
    ISO 8601-1, "Date and time: representations for information interchange", 2019.
    """

    id: ClassVar[str] = "date"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("date", "C", Role.QUASI_IDENTIFIER, chance=0.01)
    words: ClassVar[tuple[str, ...]] = (
        "date", "dob", "birth", "birthdate", "birthday", "born", "admission", "discharge", "death", "visit", "timestamp",
        "datum", "geburtsdatum", "geburtstag", "geboren", "naissance", "nacimiento", "nascita", "geboortedatum", "fecha",
    )  # fmt: skip
    unless: ClassVar[tuple[str, ...]] = ("up to date",)
    examples: ClassVar[tuple[str, ...]] = (
        "2024-03-05", "2024-03-05T10:30:00", "05.03.2024", "3/5/2024", "5 March 2024", "Mar 5, 2024", "2024-Q1", "20240305",
    )  # fmt: skip
    look_alikes: ClassVar[tuple[str, ...]] = (
        "2024",
        "2020-2029",
        "[1980-1990)",
        "2024-13-05",
        "31.02.2024",
        "1234-12",
        "12",
    )
    inside: ClassVar[re.Pattern[str] | None] = _INSIDE

    def match(self, text: str) -> bool:
        """Tell whether a text is a date, eight bare digits included."""
        text = text.strip()
        if self.telling(text):
            return True
        bare = _BARE.fullmatch(text)
        if bare is not None:
            return real_day(int(bare[1]), int(bare[2]), int(bare[3]))
        short = _SHORT.fullmatch(text)
        return short is not None and _either(2000, int(short[1]), int(short[2]))

    def telling(self, text: str) -> bool:
        """Tell whether a text is written like a date and like nothing else."""
        text = text.strip()
        first = _YEAR_FIRST.fullmatch(text)
        if first is not None:
            return real_day(int(first[1]), int(first[2]), int(first[3]))
        last = _YEAR_LAST.fullmatch(text)
        if last is not None:
            return _either(int(last[3]), int(last[1]), int(last[2]))
        return _PERIOD.fullmatch(text) is not None or _WORDED.fullmatch(text) is not None


def _either(year: int, one: int, other: int) -> bool:
    """Tell whether day and month exist in either order."""
    return real_day(year, one, other) or real_day(year, other, one)
