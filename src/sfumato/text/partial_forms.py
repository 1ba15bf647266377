"""Parts of a masked value that still tell of it: initials, the last digits of a number, month and year, an age in words.

So do other forms of one: digits that are grouped otherwise, a day in other signs, what stands before the @ of an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from datetime import date
from functools import cache
from typing import Self

from sfumato.data.frozen import frozen
from sfumato.text.dates import WrittenDate, month_names, read_date
from sfumato.text.documents import Places
from sfumato.text.name_words import initials_of, is_name, is_usual
from sfumato.text.number_forms import NumberForms, plain_digits
from sfumato.text.number_words import (
    SpokenWords,
    date_in_digits,
    day_in_digits,
    month_in_digits,
    said_dates,
    said_numbers,
)
from sfumato.text.placeholders import PLACEHOLDER
from sfumato.text.terms import Found, Terms, Words, folded_words

__all__ = ["PartialForms"]

_LEAST_DIGITS = 6  # of a number whose last four are looked for
_LAST = 4
_LEAST_ACCOUNT = 5  # signs before the @ of an address that is looked for
_FOUR = re.compile(r"(?<![0-9])(?<![0-9][\s.,/:-])(?<![A-WYZa-wyz])[0-9]{4}(?![0-9A-Za-z]|[.,/:-]?[0-9])")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_ENDING = re.compile(
    r"(?:\bend(?:s|ed|ing)?|\blast|\bfour|\bdigits|\bendet|\bletzten?|\bendend|[x*.…#])\W{0,12}\w{0,8}\W{0,3}$",
    re.IGNORECASE,
)
_INITIALS = re.compile(
    r"(?=[^\W\d_a-z])(?<![\w.@/-])"  # most words begin with a small letter: initials do not
    r"(?:(?:[^\W\d_a-z]\.[\s-]?){1,3}[^\W\d_a-z]\.(?!\w)|[^\W\d_a-z]{2,3}(?![\w@/]|-\w))"
)
# Capital letters that most often mean something else: with full stops, and two or three of them without.
_DOTTED = frozenset({"us", "uk", "md", "ps", "ba", "ma", "zb", "ua", "am", "pm", "dc"})
_BARE = _DOTTED | set(
    re.findall(
        r"\w+",
        """as at be by do go he if in is it me my no of on or so to up we ab an da du er es im ja mr ms dr rn pt op ed ct mi
        ca pa hr bp iv po icu mri ekg ecg usa eu de en ok tv id nr tel fax gp dob mrn ssn bzw ggf""",
    )
)
_AGE = re.compile(r"(?:^|[^a-z])(?:age|alter|aged)(?:$|[^a-z])")
# An age that nothing else says: Ann, 41, came; 41 F; (41).
_AGE_ALONE = re.compile(
    r"(?=\s?[0-9])(?:(?<=[,(;])\s?(?P<alone>[0-9]{1,3})(?=\s?[,);]|\.?\s*$|\.\s)"
    r"|(?<![\w.,/])(?P<sexed>[0-9]{1,3})(?=\s?/?\s?(?:[MFW]\b|(?:fe)?male\b|männlich|weiblich))"
    r"|(?<![\w.,/])(?P<day>[0-9]{1,3})(?=(?:st|nd|rd|th)?[\s-]birthday\b|\.\sGeburtstag))"
)
_AGE_VALUE = re.compile(r"([0-9]{1,3})(?:\.0)?(?:\D.*)?")


_NUMBERS = re.compile(
    r"(?<![\w./-])(?:[0-9]{1,4}[./-] ?[0-9]{1,2}[./-] ?[0-9]{2,4}|[0-9]{1,2}[/.][0-9]{4}|[0-9]{4}[-/][0-9]{1,2}|[0-9]{8})"
    r"(?![\w/-]|\.\d)"
)
_NEAR, _AHEAD = 12, 40  # signs before the name of a month in which its day stands, and behind its beginning


@cache
def _dates() -> re.Pattern[str]:
    """Return where a text may tell a day, or a day without its year, or a month with its year, by the name of the month."""
    months = "|".join(sorted(month_names(), key=len, reverse=True))
    end = r"(?:st|nd|rd|th)?"
    return re.compile(
        rf"(?<!\w)(?:(?P<d1>[0-9]{{1,2}})(?:{end}|\.)\s+(?:of\s+)?)?(?P<m>{months})\b\.?"
        rf"(?:\s+(?:the\s+)?(?P<d2>[0-9]{{1,2}}){end}(?![\w:]))?(?:,?\s+(?P<y>[0-9]{{4}})(?!\w))?",
        re.IGNORECASE,
    )


@frozen(eq=False)
class PartialForms:
    """What still tells of some values, each with the value that it is part of.

    Of a name its initials (J. S., JS), of a number of six digits or more the same digits however they are grouped, its end of
    as many, and its last four (with a word that says so where they look like a year), of a day the same day in any form, its
    month with the year, and the day without its year, of an age the number in words where nothing follows that it counts, or
    set apart by commas, of an e-mail address what stands before its @. Other words look alike: what is found may be something
    else.

    >>> forms = PartialForms.of([("John Smith", "name"), ("1979-03-01", "born"), ("415-555-0199", "phone"), ("41", "age")])
    >>> text = "J. S., forty-one, came in March 1979 (March 1st); his number ends in 0199. JS left: 4155550199."
    >>> [text[one.start : one.end] for one in forms.found(text)]
    ['J. S.', 'forty-one', 'March 1979', 'March 1st', '0199', 'JS', '4155550199']
    """

    initials: Mapping[str, str] = field(default_factory=dict)
    ends: Mapping[str, str] = field(default_factory=dict)
    days: Mapping[date, str] = field(default_factory=dict)
    ages: Mapping[int, str] = field(default_factory=dict)
    numbers: NumberForms = field(default_factory=lambda: NumberForms.of(()))
    accounts: Mapping[str, str] = field(default_factory=dict)
    language: str = "en"

    @classmethod
    def of(cls, values: Iterable[tuple[str, str]], language: str = "en") -> Self:
        """Return the forms of values, each given with its type."""
        initials, ends, days, ages = dict[str, str](), dict[str, str](), dict[date, str](), dict[int, str]()
        numbers, accounts = list[str](), dict[str, str]()
        for said, kind in values:
            if is_name(kind):
                initials |= dict.fromkeys(initials_of(said), said)
                continue
            day = read_date(said, language) or read_date(date_in_digits(said), language)
            digits = plain_digits(said)
            account = said.partition("@")[0] if "@" in said else ""
            if _is_account(account):
                accounts[account] = said
            if day is not None:
                if _tells(day, "day"):
                    days[day.day] = said
            elif _AGE.search(kind.casefold()):
                years = _AGE_VALUE.fullmatch(said)
                if years is not None:
                    ages[int(years[1])] = said
            elif len(digits) >= _LEAST_DIGITS and len(said) <= 4 * len(digits):
                ends[digits[-_LAST:]] = said
                numbers.append(said)
        return cls(initials, ends, days, ages, NumberForms.of(numbers), accounts, language)

    def found(self, read: str | Words) -> list[Found]:
        """Return where such forms stand, in the order of the text and apart; each with the value that it is part of."""
        read = Words(read) if isinstance(read, str) else read
        text = read.text
        words = SpokenWords(text if self.ages or self.days else "")
        met = [*self._ages(words), *self._days(words, read), *self._ends(text), *self._initials(text)]
        met += self.numbers.found(read)
        if self.accounts:
            met += [one._replace(term=self.accounts[one.term]) for one in Terms.of(self.accounts).found(read)]
        if not met:
            return []
        out, hidden = list[Found](), Places(match.span() for match in PLACEHOLDER.finditer(text))
        for one in sorted(met, key=lambda one: (one.start, -one.end)):
            if not hidden.overlap(one.start, one.end) and (not out or out[-1].end <= one.start):
                out.append(one)
        return out

    def _ages(self, words: SpokenWords) -> list[Found]:
        if not self.ages:
            return []
        spoken = [Found(start, end, self.ages[number]) for start, end, number in said_numbers(words, self.ages)]
        written = [
            Found(*match.span(match.lastgroup or 0), self.ages[years])
            for match in _AGE_ALONE.finditer(words.text)
            if (years := int(match[match.lastgroup or 0])) in self.ages
        ]
        return [*spoken, *written]

    def _ends(self, text: str) -> list[Found]:
        if not self.ends:
            return []
        return [
            Found(match.start(), match.end(), self.ends[match[0]])
            for match in _FOUR.finditer(text)
            if match[0] in self.ends
            and (not _YEAR.fullmatch(match[0]) or _ENDING.search(text[max(0, match.start() - 24) : match.start()]))
        ]

    def _initials(self, text: str) -> list[Found]:
        if not self.initials:
            return []
        out = list[Found]()
        for match in _INITIALS.finditer(text):
            letters = "".join(sign for sign in match[0] if sign.isalpha())
            said = self.initials.get(letters.casefold())
            others = _DOTTED if "." in match[0] else _BARE
            if said is not None and letters.isupper() and letters.casefold() not in others:
                out.append(Found(match.start(), match.end(), said))
        return out

    def _days(self, words: SpokenWords, read: Words) -> list[Found]:
        if not self.days:
            return []
        text = words.text
        months = {(day.year, day.month): said for day, said in self.days.items()}
        without_year = {(day.month, day.day): said for day, said in self.days.items()}
        out, known = list[Found](), dict[str, str | None]()
        for match in _NUMBERS.finditer(text):
            if read.is_taken(match.start()):
                continue
            if match[0] not in known:
                known[match[0]] = next(
                    (said for one in _readings(match[0], self.language) if (said := self._of(one, months))), None
                )
            if (said := known[match[0]]) is not None:
                out.append(Found(match.start(), match.end(), said))
        for place in words.months():
            if read.is_taken(place):
                continue
            around = _dates().finditer(text, max(0, place - _NEAR), place + _AHEAD)
            told = next((one for one in around if one.start("m") == place), None)
            if told is None:
                continue
            month, day, year = told["m"], told["d1"] or told["d2"], told["y"]
            if year is None:
                said = without_year.get((month_names()[month.casefold()], int(day or 0)))
                said = said if month[0].isupper() else None
            else:
                if told[0] not in known:
                    known[told[0]] = self._of(read_date(told[0], self.language), months)
                said = known[told[0]]
            if said is not None:
                out.append(Found(told.start(), told.end(), said))
        for start, end in said_dates(words):
            day = text[start:end]
            spoken = read_date(date_in_digits(day), self.language) or read_date(month_in_digits(day), self.language)
            if spoken is None and (undated := day_in_digits(day)) is not None:
                said = without_year.get(undated)
            else:
                said = self._of(spoken, months)
            if said is not None:
                out.append(Found(start, end, said))
        return out

    def _of(self, found: WrittenDate | None, months: Mapping[tuple[int, int], str]) -> str | None:
        if found is None or not _tells(found, "month"):
            return None
        if _tells(found, "day"):
            return self.days.get(found.day)
        return months.get((found.day.year, found.day.month))


def _readings(said: str, language: str) -> Iterator[WrittenDate]:
    """Yield the days that numbers may be read as: who masks 12.3.1956 must not leave 3/12/56, 19560312 or 1956-03."""
    forms = [said]
    if said.isdigit():  # eight of them
        forms = [f"{said[:4]}-{said[4:6]}-{said[6:]}", f"{said[:2]}.{said[2:4]}.{said[4:]}"]
        forms.append(f"{said[:2]}/{said[2:4]}/{said[4:]}")
    elif len(parts := re.split("[-/]", said)) == 2 and len(parts[0]) == 4:
        forms = [f"{parts[1]}/{parts[0]}"]
    for form in forms:
        for spoken in dict.fromkeys((language, "en", "de")):
            found = read_date(form, spoken)
            if found is not None:
                yield found


def _is_account(said: str) -> bool:
    """Tell whether what stands before an @ speaks of one person: not one usual word such as office."""
    words = folded_words(said)
    alone = len(words) < 2 and not re.search(r"[\d_]", said)
    return sum(map(len, words)) >= _LEAST_ACCOUNT and not alone and not all(map(is_usual, words))


def _tells(found: WrittenDate, what: str) -> bool:
    return any(part == what for part, _ in found.parts)
