"""What the Safe Harbor rule of HIPAA leaves of dates, ZIP codes and ages in texts, and which types it speaks of.

Code of Federal Regulations (US), title 45, section 164.514(b)(2)(i): eighteen classes, by their letters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sfumato.data.schema import Role
from sfumato.identifiers.small_zips import small_zips
from sfumato.text.dates import is_month, read_date
from sfumato.text.number_words import number_of, year_in_words
from sfumato.text.types import TYPES

__all__ = [
    "LEFT",
    "SAFE_HARBOR_TYPES",
    "age_below_90",
    "tells_high_age",
    "tells_years_alone",
    "three_digits",
    "year_alone",
]

_ZIP = re.compile(r"\s*([0-9]{5})(?:-?[0-9]{4})?\s*")
_MASKED_ZIP = re.compile(r"[0-9]{3}\*\*")
_AGE = re.compile(r"(?<![0-9])[0-9]{1,3}(?![0-9])\+?")
_OLDEST = 89
_HIGH_WORDS: Mapping[str, int] = dict.fromkeys(("nineties", "neunzigern", "nonagenarian", "centenarian"), _OLDEST + 1)

LEFT: Mapping[str, re.Pattern[str]] = {
    "zip3": re.compile(r"(?<![0-9])[0-9]{3}\*\*"),
    "age90": re.compile(r"(?<![0-9])90\+"),
    "year": re.compile(r"(?:19|20)[0-9]{2}"),
}
"""What replacements leave, known again in a text that was released before; a year where it stands alone."""

_ALSO: Mapping[str, tuple[str, ...]] = {
    "A": ("person", "patient", "relative", "nurse", "username"),
    "B": ("street", "town", "county", "district", "place", "location", "ward"),
    "D": ("telephone",),
    "G": ("social-security-number",),
    "H": ("mrn", "medical-record"),
    "I": ("health-plan", "beneficiary"),
    "J": ("iban", "card", "payment-card"),
    "K": ("license", "certificate", "passport"),
    "L": ("vehicle", "vin"),
    "M": ("serial", "imei", "mac"),
    "N": ("website",),
    "P": ("biometric", "fingerprint"),
    "Q": ("photograph", "photo"),
    "R": ("number", "code", "national-id"),
}
"""What else the classes are called in texts that somebody tagged."""


def _rules() -> dict[str, dict[str, str]]:
    """Return what becomes of each type: three kinds keep something, all others go."""
    kept = {"zip": "zip3", "date": "year", "age": "age90"}
    out = {
        name: {"role": str(Role.QUASI_IDENTIFIER), "replace": kept[name]}
        if name in kept
        else {"role": str(known.role), "replace": "placeholder"}
        for name, known in TYPES.items()
        if known.category
    }
    return out | {
        name: {"role": str(Role.IDENTIFIER), "replace": "placeholder"} for names in _ALSO.values() for name in names
    }


SAFE_HARBOR_TYPES: Mapping[str, Mapping[str, str]] = _rules()
"""Role and replacement of every type that the rule speaks of: the keys of ``entities`` that the profile stands for."""


def year_alone(text: str, language: str = "en") -> str | None:
    """Return the year of a date, or none where none can be read.

    >>> year_alone("March 3rd, 2021"), year_alone("nineteen fifty-two"), year_alone("in March")
    ('2021', '1952', None)
    """
    found = read_date(text, language)
    if found is not None:
        return f"{found.day.year:04}"
    numbers = re.findall(r"[0-9]+", text)  # more than a year in digits is a form that nobody knows
    year = year_in_words(text) if len(numbers) < 2 and all(len(one) == 4 for one in numbers) else None
    return None if year is None else str(year)


def tells_high_age(year: int, now: int) -> bool:
    """Tell whether a year is "indicative of" an age above 89, class (C) of the rule: who was born then is that old by ``now``.

    ``now`` is the year of the release, or the newest that the texts of the same person tell, if that is later.

    >>> tells_high_age(1925, 2026), tells_high_age(1940, 2031), tells_high_age(1940, 2024)
    (True, True, False)
    """
    return now - year > _OLDEST


def tells_years_alone(text: str) -> bool:
    """Tell whether the only numbers of a text are years, and no month is named: the rule leaves nothing less.

    >>> tells_years_alone("born 1961"), tells_years_alone("March 1961"), tells_years_alone("3/1961"), tells_years_alone("soon")
    (True, False, False, False)
    """
    numbers = re.findall(r"[0-9]+", text)
    return (
        bool(numbers)
        and all(LEFT["year"].fullmatch(number) for number in numbers)
        and not any(is_month(word) for word in re.findall(r"[^\W\d_]+", text))
    )


def three_digits(text: str, small: frozenset[str] | None = None) -> str | None:
    """Return a ZIP code with three digits left, 000 where 20,000 people or fewer live, or none for what is no such code.

    ``small`` are the prefixes of so few people; those of the census of 2000 if not given.

    >>> three_digits("30322"), three_digits("03601-1234"), three_digits("SW1A 1AA"), three_digits("303**")
    ('303**', '000**', None, '303**')
    """
    if _MASKED_ZIP.fullmatch(text):
        return text
    found = _ZIP.fullmatch(text)
    if found is None:
        return None
    few = small_zips() if small is None else small
    return f"{'000' if found[1][:3] in few else found[1][:3]}**"


def age_below_90(text: str) -> str | None:
    """Return an age as it is written, with 90+ for all above 89; none where no number tells it.

    >>> age_below_90("44"), age_below_90("93 years"), age_below_90("90+"), age_below_90("ninety-one"), age_below_90("old")
    ('44', '90+ years', '90+', '90+', None)
    """
    if not _AGE.search(text):
        said = _HIGH_WORDS.get(text.strip().casefold()) or number_of(text)
        return None if said is None else text if said <= _OLDEST else "90+"
    return _AGE.sub(lambda found: "90+" if int(found[0].rstrip("+")) > _OLDEST else found[0], text)
