"""Numbers of Czechia and Slovakia: the birth number."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import real_day
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["CzBirthNumber"]


class CzBirthNumber(Numbered):
    """A birth number of Czechia or Slovakia (rodné číslo).

    Year, month (plus 50 for women, plus 20 where a day is full) and day of birth, a slash and four digits; the ten digits
    are a multiple of 11. Before 1986 a remainder of 10 could stand for 0. The nine digits of before 1954 are not
    recognised.

    Examples
    --------
    >>> CzBirthNumber().matches(["710319/2745", "710319/2746"]).tolist()
    [True, False]

    References
    ----------
    Zákon č. 133/2000 Sb., o evidenci obyvatel, § 13.
    """

    id: ClassVar[str] = "cz-birth-number"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "birth number (rodné číslo)", "R", countries=frozenset({"CZ", "SK"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("rodne cislo", "rodnecislo", "rc")
    examples: ClassVar[tuple[str, ...]] = ("710319/2745", "7103192745")
    look_alikes: ClassVar[tuple[str, ...]] = ("710319/2746", "713319/2745", "710319/274")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{6}/?\d{4}")
    inside: ClassVar[re.Pattern[str] | None] = inside(r"\d{6}/\d{4}")

    def valid(self, number: str) -> bool:
        """Tell whether the day exists and the number is a multiple of 11."""
        month = int(number[2:4]) % 50
        month = month - 20 if month > 20 else month
        exists = real_day(int(number[:2]), month, int(number[4:6]))
        rest = int(number[:9]) % 11
        return exists and rest % 10 == int(number[9]) and (rest < 10 or int(number[:2]) < 86)
