"""Telephone and fax numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from types import ModuleType
from typing import ClassVar, Self

from sfumato.contracts.identifier import Identifier, IdentifierTraits
from sfumato.contracts.thing import param

__all__ = ["Fax", "Phone"]

_GAP = r"[ .\u00a0/-]?"
# + or 00 and the country, then digits in groups, with the (0) that some put in between.
_ABROAD = rf"(?:\+|00{_GAP})[1-9]\d{{0,2}}{_GAP}(?:\(0\){_GAP})?\(?\d{{1,5}}\)?(?:{_GAP}\d{{1,8}}){{1,6}}"
# North America: area and exchange never begin with 0 or 1; a hyphen, a dot or brackets must stand somewhere.
_AMERICA = r"(?:\+?1[ .-]?)?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])[2-9]\d{2}[.-]\d{4}"
# Elsewhere: the area code begins with 0 and is set off from the rest.
_NATIONAL = r"\(?0[1-9]\d{0,4}\)?(?:[ /-]\d{2,8}){1,5}"
_TELLING = re.compile(
    rf"(?:tel\.?:? ?)?(?:{_ABROAD}|{_AMERICA}|{_NATIONAL})(?: ?(?:x|ext\.?) ?\d{{1,5}})?", re.IGNORECASE
)
_INSIDE = re.compile(rf"(?<![\w.,+/-])(?:{_ABROAD}|{_AMERICA}|{_NATIONAL})(?![\w/-])(?![.,]\d)")
_DATE = re.compile(r"\d{1,2}[ ./-]\d{1,2}[ ./-](?:\d{2}|\d{4})|\d{4}[ ./-]\d{1,2}[ ./-]\d{1,2}")
_SHAPE = re.compile(r"\+?\(?\d[\d\s()./\u00a0-]{4,20}\d")
_SIGNS = re.compile(r"\D")
_EXTENSION = re.compile(r" ?(?:x|ext\.?) ?\d{1,5}$", re.IGNORECASE)
# Where to try a number without a country, if none is given and the library is there.
_REGIONS = ("US", "GB", "DE", "FR", "ES", "IT", "NL", "AU", "BR", "IN", "JP", "CN")


class Phone(Identifier):
    """A telephone number.

    Eight to fifteen digits after + and the country, or the forms of North America (``(212) 555-0142``) and of countries whose
    area codes begin with 0. Bare digits fit a column that is called so and tell nothing by themselves. Where the library
    ``phonenumbers`` is installed (extra ``identifiers``), the national plans of ``countries`` are asked too.

    Examples
    --------
    >>> Phone().matches(["+44 20 7946 0018", "(212) 555-0142", "030 / 23125 017", "2024-03-05"]).tolist()
    [True, True, True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(D).
    ITU-T Recommendation E.164, "The international public telecommunication numbering plan", 2010.
    """

    id: ClassVar[str] = "phone"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("telephone number", "D", chance=0.05)
    words: ClassVar[tuple[str, ...]] = (
        "phone", "telephone", "phone number", "mobile", "mobile number", "cell", "cellphone", "tel", "telefon", "handy",
        "telefonnummer", "rufnummer", "portable", "telefono", "celular", "movil", "telefoon", "telefone",
    )  # fmt: skip
    unless: ClassVar[tuple[str, ...]] = ("fax", "telefax")
    examples: ClassVar[tuple[str, ...]] = (
        "+44 20 7946 0018", "+12125550142", "(212) 555-0142", "212-555-0142", "030 / 23125 017", "01 99 00 12 34",
    )  # fmt: skip
    look_alikes: ClassVar[tuple[str, ...]] = ("2024-03-05", "01-02-2024", "05 03 1985", "+1", "192.0.2.17", "5-10", "")
    inside: ClassVar[re.Pattern[str] | None] = _INSIDE

    countries: tuple[str, ...] = param(
        default=(), doc="countries whose national numbers are asked of phonenumbers, as two letters; a dozen by default"
    )

    def match(self, text: str) -> bool:
        """Tell whether a text is a telephone number in one of the forms, or valid in one of the countries."""
        return self.telling(text) or self._valid(text)

    def telling(self, text: str) -> bool:
        """Tell whether a text is written like a telephone number and like nothing else."""
        text = text.strip()
        if not _TELLING.fullmatch(text) or _DATE.fullmatch(text):
            # National plans take almost any digits: they tell only if the countries are known, and groups are set off.
            return bool(self.countries) and self._separated(text) and self._valid(text)
        digits = _SIGNS.sub("", _EXTENSION.sub("", text))
        return 8 <= len(digits) <= 15

    def fits(self, text: str) -> bool:
        """Tell whether a text has as many digits as a telephone number, and no letters."""
        return self.telling(text) or (bool(_SHAPE.fullmatch(text.strip())) and 6 <= len(_SIGNS.sub("", text)) <= 15)

    def within(self, countries: Sequence[str]) -> Self:
        """Return the recogniser that asks the national plans of these countries."""
        return replace(self, countries=tuple(countries))

    @staticmethod
    def _separated(text: str) -> bool:
        return any(sign in text for sign in " -(/")

    def _valid(self, text: str) -> bool:
        library = _library()
        if library is None or not _SHAPE.fullmatch(text.strip()) or _DATE.fullmatch(text.strip()):
            return False
        for region in self.countries or _REGIONS:
            try:
                number = library.parse(text, region)
            except library.NumberParseException:
                continue
            if library.is_valid_number_for_region(number, region):
                return True
        return False


@cache
def _library() -> ModuleType | None:
    try:
        import phonenumbers
    except ImportError:
        return None
    return phonenumbers


class Fax(Identifier):
    """A fax number: a telephone number in a column that is called so.

    Examples
    --------
    >>> Fax().named(("fax", "number")), Fax().fits("212-555-0142")
    ('fax', True)

    References
    ----------
    45 CFR 164.514(b)(2)(i)(E).
    """

    id: ClassVar[str] = "fax"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("fax number", "E")
    words: ClassVar[tuple[str, ...]] = ("fax", "telefax", "facsimile", "faxnummer")
    examples: ClassVar[tuple[str, ...]] = ("+44 20 7946 0018", "212-555-0142")
    look_alikes: ClassVar[tuple[str, ...]] = ("yes", "2024-03-05")

    def match(self, text: str) -> bool:
        """Tell whether a text is a telephone number in one of its telling forms."""
        return Phone().telling(text)

    def fits(self, text: str) -> bool:
        """Tell whether a text has as many digits as a telephone number, and no letters."""
        return Phone().fits(text)
