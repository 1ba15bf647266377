"""Numbers of Bulgaria: the register of persons."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import real_day, weighted
from sfumato.identifiers._fixed_form import Numbered

__all__ = ["BgEgn"]


class BgEgn(Numbered):
    """A personal number of Bulgaria (EGN).

    The day of birth (the month plus 40 from 2000, plus 20 before 1900), three digits and a check digit: the sum with the
    weights 2, 4, 8, 5, 10, 9, 7, 3, 6 modulo 11, where 10 counts as 0.

    Examples
    --------
    >>> BgEgn().matches(["7523169263", "7523169264"]).tolist()
    [True, False]

    References
    ----------
    Zakon za grazhdanskata registratsia, 1999, article 11.
    """

    id: ClassVar[str] = "bg-egn"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "personal number (EGN)", "R", countries=frozenset({"BG"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("egn",)
    examples: ClassVar[tuple[str, ...]] = ("7523169263", "8032056031")
    look_alikes: ClassVar[tuple[str, ...]] = ("7523169264", "7533169263", "752316926")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{10}")

    def valid(self, number: str) -> bool:
        """Tell whether the day exists and the last digit is right."""
        century, month = divmod(int(number[2:4]), 20)
        year = (1900, 1800, 2000, 0, 0)[century] + int(number[:2])
        day = century < 3 and real_day(year, month, int(number[4:6]))
        check = weighted(number[:9], (2, 4, 8, 5, 10, 9, 7, 3, 6)) % 11 % 10
        return day and check == int(number[9])
