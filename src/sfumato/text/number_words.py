"""Ages and dates that a text writes in words, in English and German: ninety-three, the third of March, neunzehnhundertzwei."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Set
from functools import cache, cached_property

from sfumato.text.dates import month_names
from sfumato.text.placeholders import PLACEHOLDER

__all__ = [
    "date_in_digits",
    "day_in_digits",
    "is_said_alone",
    "month_in_digits",
    "number_of",
    "said_ages",
    "said_dates",
    "said_numbers",
    "year_in_words",
]

_OLDEST_AGE = 129
_YEARS = range(1700, 2100)
_MAY_NAME = re.compile(r"[^\W\d_]{3}")  # letters without which no month is named
_LONGEST = 6  # words of a number
_NEAR = 24  # signs before a number in which a word says what it is
_WORD = re.compile(r"[^\W_]+")
_BETWEEN = re.compile(r"[\s-]+")
_BEFORE = re.compile(r"(?:\bage|\baged|\balter|\balters)(?:\s+(?:of|von))?\W{0,3}$", re.IGNORECASE)
_BEHIND = re.compile(r"[\s-]{0,2}(?:years?\b|yrs?\b|y/?o\b|jahren?\b|jährig|jaehrig)", re.IGNORECASE)
_IS = re.compile(r"\b(?:is|was|turned|turns|turning|ist|war|wird|wurde)\s+(?:now\s+|jetzt\s+)?$", re.IGNORECASE)
_ALONE = re.compile(r"\s*(?:[.,](?!\d)|[;!?)]|$|(?:and|when|now|und|als)\b)", re.IGNORECASE)
_HIGH = 90  # below, a number that is said alone is most often something else
_IN = re.compile(r"\b(?:born|in|since|year|until|from|jahre?|geboren|seit|bis|anno)\W{0,3}$", re.IGNORECASE)
_ROUND = re.compile(r"hundred$|hundert$|^two thousand$|^zweitausend$")
_DECADE = re.compile(
    r"\b(?:his|her|their|my|your)\s+(?:early|mid|late)?[\s-]*(?P<age>nineties)\b"
    r"|\b(?:seinen|ihren|den)\s+(?P<age_de>Neunzigern)\b|\b(?P<word>nonagenarian|centenarian)s?\b",
    re.IGNORECASE,
)
_DECADES = frozenset({"nineties", "neunzigern", "nonagenarian", "nonagenarians", "centenarian", "centenarians"})
_ALSO_WORDS = frozenset({"may", "march", "mar", "mai", "dec"})
_ENGLISH = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_ENGLISH_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ENGLISH_DAYS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth", "twenty": "twentieth", "thirty": "thirtieth",
}  # fmt: skip
_GERMAN = [
    "null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf", "dreizehn",
    "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn",
]  # fmt: skip
_GERMAN_TENS = ["zwanzig", "dreissig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"]
_GERMAN_DAYS = {"eins": "erst", "drei": "dritt", "sieben": "siebt", "acht": "acht"}


def _english(number: int) -> str:
    if number < 20:
        return _ENGLISH[number]
    if number < 100:
        tens, units = divmod(number, 10)
        return _ENGLISH_TENS[tens - 2] + (f" {_ENGLISH[units]}" if units else "")
    return "one hundred" + (f" {_english(number - 100)}" if number > 100 else "")


def _german(number: int) -> str:
    if number < 20:
        return _GERMAN[number]
    if number < 100:
        tens, units = divmod(number, 10)
        return (f"{'ein' if units == 1 else _GERMAN[units]}und" if units else "") + _GERMAN_TENS[tens - 2]
    return "hundert" + (_german(number - 100) if number > 100 else "")


class _Spoken(dict[str, int]):
    """Numbers by how they are said, with the words that they begin with and those that they are made of."""

    def __init__(self, held: Mapping[str, int]) -> None:
        super().__init__(held)
        self.first = frozenset(said.split()[0] for said in held)
        self.words = frozenset(word for said in held for word in said.split())


@cache
def _numbers() -> _Spoken:
    """Return ages by how they are said."""
    out = {spoken(number): number for number in range(_OLDEST_AGE + 1) for spoken in (_english, _german)}
    out |= {"ein" + said: number for said, number in out.items() if said.startswith("hundert")}
    more = {said.replace("hundert", "hundertund"): at for said, at in out.items() if "hundert" in said and at > 100}
    return _Spoken(out | more)


@cache
def _years() -> _Spoken:
    """Return years by how they are said: nineteen fifty two, nineteen hundred two, two thousand twelve, zweitausendzwölf."""
    out: dict[str, int] = {}
    for year in _YEARS:
        century, rest = divmod(year, 100)
        english = [f"{_english(century)} hundred" + (f" {_english(rest)}" if rest else "")]
        german = [f"{_german(century)}hundert" + (_german(rest) if rest else "")]
        if rest >= 10:
            english.append(f"{_english(century)} {_english(rest)}")
        elif rest:
            english += [f"{_english(century)} {zero} {_english(rest)}" for zero in ("oh", "o", "zero")]
        if century == 20:
            english.append("two thousand" + (f" {_english(rest)}" if rest else ""))
            german = ["zweitausend" + (_german(rest) if rest else "")]
        if rest:
            german += [re.sub("(hundert|tausend)", r"\1und", said) for said in german]
        out |= dict.fromkeys((*english, *german), year)
    return _Spoken(out)


@cache
def _days() -> _Spoken:
    """Return the days of a month by how they are said: twenty first, einundzwanzigsten."""
    out: dict[str, int] = {}
    for day in range(1, 32):
        *first, last = _english(day).split()
        out[" ".join([*first, _ENGLISH_DAYS.get(last, f"{last}th")])] = day
        said = _german(day)
        stem = _GERMAN_DAYS.get(said, f"{said}{'t' if day < 20 else 'st'}")
        out |= {f"{stem}e{end}": day for end in ("", "n", "r", "s")}
    return _Spoken(out)


@cache
def _first() -> frozenset[str]:
    """Return the words with which a number, a day or a month begins."""
    return frozenset([*_numbers().first, *_years().first, *_days().first, *month_names()])


class SpokenWords:
    """The words of a text with their places, to be looked up in turn, and more than once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._said: list[str] = _WORD.findall(text)
        self._folds = {word: _folded(word) for word in set(self._said)}

    @classmethod
    def of(cls, text: str | SpokenWords) -> SpokenWords:
        """Return the words of a text, or what they are already."""
        return text if isinstance(text, SpokenWords) else cls(text)

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """Where the words stand."""
        return [match.span() for match in _WORD.finditer(self.text)]

    def __len__(self) -> int:
        return len(self._said)

    def holds(self, known: Set[str]) -> bool:
        """Tell whether any of these words is among them."""
        return not known.isdisjoint(self._folds.values())

    def fold(self, at: int) -> str:
        """Return a word as it is looked up."""
        return self._folds[self._said[at]]

    def months(self) -> list[int]:
        """Return where names of months begin."""
        known = {word for word, fold in self._folds.items() if fold in month_names()}
        return [self.places[at][0] for at, word in enumerate(self._said) if word in known] if known else []

    @cached_property
    def beginnings(self) -> list[int]:
        """The words with which something that is known may begin."""
        first = _first()
        known = {word for word, fold in self._folds.items() if fold in first or "jährig" in fold}
        return [at for at, word in enumerate(self._said) if word in known] if known else []

    def longest(self, at: int, known: _Spoken) -> tuple[str, int] | None:
        """Return the longest known sequence of words from here on, and the word behind it; *and* counts for nothing."""
        if self.fold(at) not in known.first:
            return None
        said, found = "", None
        for ahead in range(at, min(at + _LONGEST, len(self))):
            if ahead > at and not _BETWEEN.fullmatch(self.text, self.places[ahead - 1][1], self.places[ahead][0]):
                break
            word = self.fold(ahead)
            if word == "and" and said:
                continue
            if word not in known.words:
                break
            said = f"{said} {word}".lstrip()
            if said in known:
                found = said, ahead + 1
        return found

    def is_next(self, at: int, *words: str) -> bool:
        """Tell whether one of these words is here, behind no more than spaces and a comma."""
        if not 0 < at < len(self):
            return False
        gap = self.text[self.places[at - 1][1] : self.places[at][0]]
        return not gap.strip(" ,.\t\n-") and self.fold(at) in words

    def is_month(self, at: int) -> bool:
        """Tell whether a word names a month; those that are also something else need a capital letter."""
        word = self.fold(at)
        return word in month_names() and (self.text[self.places[at][0]].isupper() or word not in _ALSO_WORDS)


def _folded(word: str) -> str:
    small = word.casefold()
    if ("ue" in small or "oe" in small or "jae" in small) and small not in _first():
        return small.replace("ue", "ü").replace("oe", "ö").replace("jae", "jä")
    return small


def number_of(text: str) -> int | None:
    """Return the age that words say, or none.

    >>> number_of("Ninety-three"), number_of("dreiundneunzig"), number_of("a hundred and two"), number_of("soon")
    (93, 93, 102, None)
    """
    words = SpokenWords(re.sub(r"^an?\s+", "one ", text.strip(), flags=re.IGNORECASE))
    found = words.longest(0, _numbers()) if len(words) else None
    return _numbers()[found[0]] if found is not None and found[1] == len(words) else None


def year_in_words(text: str) -> int | None:
    """Return the last year that a text writes, in words or in four digits, or none.

    >>> year_in_words("March third, nineteen fifty-two"), year_in_words("zweitausendzwölf"), year_in_words("the third of May")
    (1952, 2012, None)
    """
    words, out = SpokenWords(text), None
    for at in range(len(words)):
        found = words.longest(at, _years())
        if found is not None:
            out = _years()[found[0]]
        elif re.fullmatch(r"(?:1[789]|20)[0-9]{2}", words.fold(at)):
            out = int(words.fold(at))
    return out


def date_in_digits(text: str) -> str:
    """Return the day that words say with its number, or nothing if no day, no month or no year is said.

    >>> date_in_digits("third of March nineteen fifty-two"), date_in_digits("March the third, 1952"), date_in_digits("May 1952")
    ('3 march 1952', '3 march 1952', '')
    """
    if not _MAY_NAME.search(text):
        return ""
    words = SpokenWords(text)
    everywhere = range(len(words))
    month = next((words.fold(at) for at in everywhere if words.is_month(at)), None) if words.months() else None
    if month is None:
        return ""
    day = next((found for at in everywhere if (found := words.longest(at, _days())) is not None), None)
    year = year_in_words(text)
    return "" if day is None or year is None else f"{_days()[day[0]]} {month} {year}"


def day_in_digits(text: str) -> tuple[int, int] | None:
    """Return the month and the day that words say, with or without a year, or none.

    >>> day_in_digits("twelfth of March"), day_in_digits("March 1952")
    ((3, 12), None)
    """
    words = SpokenWords(text)
    everywhere = range(len(words))
    month = next((words.fold(at) for at in everywhere if words.is_month(at)), None)
    day = next((found for at in everywhere if (found := words.longest(at, _days())) is not None), None)
    return None if month is None or day is None else (month_names()[month], _days()[day[0]])


def month_in_digits(text: str) -> str:
    """Return the month that words say with its year in digits, or nothing if one of both is not said.

    >>> month_in_digits("March nineteen fifty-two"), month_in_digits("March")
    ('march 1952', '')
    """
    words, year = SpokenWords(text), year_in_words(text)
    month = next((words.fold(at) for at in range(len(words)) if words.is_month(at)), None)
    return "" if month is None or year is None else f"{month} {year}"


def said_ages(text: str | SpokenWords) -> Iterator[tuple[int, int]]:
    """Yield where a text says an age in words; "in her nineties" is one, too.

    >>> text = "She is ninety-three years old, he a Zweiundneunzigjähriger."
    >>> [text[start:end] for start, end in said_ages(text)]
    ['ninety-three', 'Zweiundneunzig']
    """
    words, behind = SpokenWords.of(text), 0
    text = words.text
    for at in words.beginnings:
        if at < behind:
            continue
        start, end = words.places[at]
        word = words.fold(at)
        stem, aged, _ = word.partition("jährig")
        if aged and stem in _numbers():
            yield start, start + re.search("j(?:ä|ae|a\u0308)hrig", text[start:end], re.IGNORECASE).start()  # type: ignore[union-attr]
        elif found := words.longest(at, _numbers()):
            until = words.places[found[1] - 1][1]
            before = text[max(0, start - _NEAR) : start]
            old = _numbers()[found[0]] >= _HIGH and is_said_alone(text, start, until)
            if old or _BEHIND.match(text, until) or _BEFORE.search(before):
                yield start, until
            behind = found[1]
    if words.holds(_DECADES):
        yield from (match.span(match.lastgroup or 0) for match in _DECADE.finditer(text))


def is_said_alone(text: str, start: int, end: int) -> bool:
    """Tell whether somebody is, or turned, the number that stands there, and nothing follows that it counts.

    >>> is_said_alone("She is 41.", 7, 9), is_said_alone("It is 41 km away.", 6, 8)
    (True, False)
    """
    return _ALONE.match(text, end) is not None and _IS.search(text[max(0, start - _NEAR) : start]) is not None


def said_numbers(text: str | SpokenWords, wanted: Container[int]) -> Iterator[tuple[int, int, int]]:
    """Yield where a text says one of these numbers in words, as an age or with nothing behind that it counts.

    >>> text = "Forty-one, well; forty-one tablets; forty-one years"
    >>> [(text[start:end], text[end : end + 2]) for start, end, _ in said_numbers(text, {41})]
    [('Forty-one', ', '), ('forty-one', ' y')]
    """
    words, behind = SpokenWords.of(text), 0
    text = words.text
    for at in words.beginnings:
        found = words.longest(at, _numbers()) if at >= behind else None
        if found is None:
            continue
        (start, _), (_, end), behind = words.places[at], words.places[found[1] - 1], found[1]
        number = _numbers()[found[0]]
        # what was masked speaks of no age: of "aged 62, 62 tablets" in words the second number stays when the first is gone
        before = PLACEHOLDER.sub("||||", text[max(0, start - 2 * _NEAR) : start])[-_NEAR:]
        if number in wanted and (_ALONE.match(text, end) or _BEHIND.match(text, end) or _BEFORE.search(before)):
            yield start, end, number


def said_dates(text: str | SpokenWords) -> Iterator[tuple[int, int]]:
    """Yield where a text says a day, a month with its year, or a year in words.

    >>> text = "Born the third of March nineteen fifty-two, seen in two thousand twelve."
    >>> [text[start:end] for start, end in said_dates(text)]
    ['third of March nineteen fifty-two', 'two thousand twelve']
    """
    words, until = SpokenWords.of(text), 0
    for at in words.beginnings:
        behind = _dated(words, at) if at >= until else None
        if behind is not None:
            yield words.places[at][0], words.places[behind - 1][1]
            until = behind


def _dated(words: SpokenWords, at: int) -> int | None:
    """Return the word behind a date that begins here, if one does."""
    day = words.longest(at, _days())
    if day is not None:
        month = day[1] + words.is_next(day[1], "day", "tag")
        month += words.is_next(month, "of", "im")
        if words.is_next(month, *month_names()) and words.is_month(month):
            return _behind_year(words, month + 1)
    start = words.places[at][0]
    if words.is_month(at):
        after = at + 1 + words.is_next(at + 1, "the")
        second = words.longest(after, _days()) if after < len(words) else None
        if second is not None:
            return _behind_year(words, second[1])
        said = words.longest(at + 1, _years()) if at + 1 < len(words) else None
        return None if said is None else said[1]
    year = words.longest(at, _years())
    if year is None or (_ROUND.search(year[0]) and not _IN.search(words.text, max(0, start - _NEAR), start)):
        return None  # eighteen hundred, two thousand: most often no year
    return year[1]


def _behind_year(words: SpokenWords, at: int) -> int:
    """Return the word behind a year that may stand here, in digits or in words."""
    at_year = at + words.is_next(at, "in")
    if at_year >= len(words):
        return at
    said = words.longest(at_year, _years())
    if said is not None:
        return said[1]
    return at_year + 1 if re.fullmatch(r"[0-9]{4}", words.fold(at_year)) else at
