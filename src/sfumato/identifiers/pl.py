"""Numbers of Poland: the register of persons."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import real_day, weighted
from sfumato.identifiers._fixed_form import Numbered

__all__ = ["PlPesel"]


class PlPesel(Numbered):
    """A personal number of Poland (PESEL).

    The day of birth (the month plus 20 from 2000, plus 80 for the 19th century), four digits and a check digit: with the
    weights 1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1 the sum is a multiple of ten.

    Examples
    --------
    >>> PlPesel().matches(["44051401359", "44051401358"]).tolist()
    [True, False]

    References
    ----------
    Ustawa o ewidencji ludności, 2010, article 15.
    """

    id: ClassVar[str] = "pl-pesel"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "personal number (PESEL)", "R", countries=frozenset({"PL"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("pesel",)
    examples: ClassVar[tuple[str, ...]] = ("44051401359", "02070803628")
    look_alikes: ClassVar[tuple[str, ...]] = ("44051401358", "44991401359", "4405140135")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{11}")

    def valid(self, number: str) -> bool:
        """Tell whether the day exists and the last digit is right."""
        month = int(number[2:4]) % 20
        year = (1900, 2000, 2100, 2200, 1800)[int(number[2:4]) // 20] + int(number[:2])
        day = int(number[4:6])
        return real_day(year, month, day) and weighted(number, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0
