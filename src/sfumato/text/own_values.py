"""What a text tells of its own row: values of columns that are masked or left out, found however they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date

from sfumato.text.dates import DATES, read_date
from sfumato.text.name_words import NameForms, is_name
from sfumato.text.number_words import date_in_digits, is_said_alone, number_of, said_ages, said_dates
from sfumato.text.partial_forms import PartialForms
from sfumato.text.placeholders import PLACEHOLDER, placeholder
from sfumato.text.terms import Terms

__all__ = ["names_persons", "without_own_values"]

_TAG = re.compile(r"</?[A-Za-z][\w-]*>")
_SMALL_NUMBER = re.compile(r"[0-9]{1,2}(?:\.0)?")
_BEFORE_AGE = re.compile(r"\b(?:age|aged|alter)\W{0,3}$", re.IGNORECASE)
_BEHIND_AGE = re.compile(r"\W{0,2}(?:-?\s?years?|y/?o\b|yrs?|-?jährig|jahre)", re.IGNORECASE)
# Where a month may have stood that is also a name: a second look must find no more than the first.
_MAY_BE_MONTH = re.compile(rf"(?:{PLACEHOLDER.pattern})\.?,?\s+(?:[0-9]{{1,2}}(?:st|nd|rd|th)?,?\s+)?")
_BETWEEN = r"[\s(),./_'-]{0,2}"  # what sets the digits of one number apart, as in (415) 555-0199
_NEAR = 24  # signs before a number in which a word says what it is
_LEAST = 3  # letters of a single word that is looked for
_LEAST_SIGNS = 4  # of a number or code, from which on it may be written in groups
_MOST_SIGNS = 40  # what is longer is a text


def without_own_values(text: str, own: Mapping[str, str], language: str = "en") -> tuple[str, int]:
    """Return a text in which nothing stands that its own row tells, and how many places that were.

    Values are looked for as whole words, case aside; words of a name also one by one, where they begin with a capital
    letter. Numbers are found however their digits are set apart, dates in any form, also in words, as are ages; and what is
    part of a value: initials, the last four digits, month and year, the year alone. Of places that overlap the longest
    goes: the whole address, not the name in it. A number below 100 counts where the text speaks of an age: elsewhere it is
    most often something else.

    >>> row = {"name": "Lee, Ann", "age": "41", "day": "2020-03-01"}
    >>> without_own_values("Ann Lee, 41 years, came on March 1st, 2020.", row)
    ('[NAME] [NAME], [AGE] years, came on [DAY].', 4)
    """
    taken = [found.span() for found in (*_TAG.finditer(text), *PLACEHOLDER.finditer(text))]
    places: list[tuple[int, int, str]] = []
    met = [(*place, column) for column, value in own.items() for place in _found(text, value, language)]
    met += [(*place, column) for column, value in own.items() for place in _named(text, column, value, language)]
    columns = {value: column for column, value in own.items()}
    parts = PartialForms.of(
        ((value, "name" if names_persons(column) else column) for value, column in columns.items()), language
    )
    met += [(one.start, one.end, columns[one.term]) for one in parts.found(text)]
    for start, end, column in sorted(met, key=lambda one: one[0] - one[1]):
        if not any(start < behind and first < end for first, behind in taken):
            taken.append((start, end))
            places.append((start, end, re.sub(r"\W+|_+", "-", column).strip("-") or "VALUE"))
    for start, end, name in sorted(places, reverse=True):
        text = text[:start] + placeholder(name) + text[end:]
    return text, len(places)


def _found(text: str, value: str, language: str) -> Iterator[tuple[int, int]]:
    if _SMALL_NUMBER.fullmatch(value):
        text = PLACEHOLDER.sub(lambda found: "." * len(found[0]), text)
        for found in re.finditer(rf"(?<![\w.,]){value.removesuffix('.0')}(?![0-9])", text):
            near = text[max(0, found.start() - _NEAR) : found.start()]
            if _BEFORE_AGE.search(near) or _BEHIND_AGE.match(text, found.end()) or is_said_alone(text, *found.span()):
                yield found.span()
        years = int(value.removesuffix(".0"))
        yield from (place for place in said_ages(text) if number_of(text[slice(*place)]) == years)
        return
    for one in Terms.of([value]).found(text):
        yield one.start, one.end
    signs = [sign for sign in value.removesuffix(".0") if sign.isalnum()]
    if _LEAST_SIGNS <= len(signs) <= _MOST_SIGNS and sum(sign.isdigit() for sign in signs) >= _LEAST:
        written = re.compile(rf"(?<!\w){_BETWEEN.join(map(re.escape, signs))}(?!\w)", re.IGNORECASE)
        yield from (found.span() for found in written.finditer(text))
    day = _day(value, language)
    if day is not None:
        for found in DATES.finditer(text):
            if _day(found[0], language) == day:
                yield found.span()
        yield from _years(text, day.year, language)
        yield from (place for place in said_dates(text) if _day(date_in_digits(text[slice(*place)]), language) == day)


def _years(text: str, year: int, language: str) -> Iterator[tuple[int, int]]:
    """Yield where a year stands alone (born in 1983, '83): beside a day or month it is part of another date."""
    behind = {found.end() for found in _MAY_BE_MONTH.finditer(text)}
    for found in DATES.finditer(text):
        date_read = read_date(found[0], language)
        alone = date_read is None or all(what in ("", "year") for what, _ in date_read.parts)
        if alone and found[0].endswith(f"{year:04}") and found.start() not in behind:
            yield found.end() - 4, found.end()
    yield from (found.span() for found in re.finditer(rf"(?<![\w'’])['’]{year % 100:02}(?![\w'’])", text))


def _named(text: str, column: str, value: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield where forms of a name stand, if the value is one."""
    if names_persons(column) and _day(value, language) is None:
        yield from ((one.start, one.end) for one in NameForms.of([value]).found(text))


def names_persons(column: str) -> bool:
    """Tell whether a column holds names of persons, by what it is called.

    >>> names_persons("Surname"), names_persons("patient"), names_persons("city")
    (True, True, False)
    """
    return is_name(column.casefold()) or "name" in column.casefold()


def _day(text: str, language: str) -> date | None:
    found = read_date(text, language)
    return None if found is None or not any(what == "day" for what, _ in found.parts) else found.day
