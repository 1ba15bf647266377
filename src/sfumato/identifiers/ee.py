"""Numbers of Estonia and Lithuania: the personal code."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import real_day, weighted
from sfumato.identifiers._fixed_form import Numbered

__all__ = ["EePersonalCode"]


class EePersonalCode(Numbered):
    """A personal code of Estonia or Lithuania (isikukood, asmens kodas).

    Sex and century, day of birth, three digits and a check digit: the weighted sum modulo 11, weights 1 to 9 and 1; if that
    is 10, weights 3 to 9 and 1 to 3; if that is 10 again, 0.

    Examples
    --------
    >>> EePersonalCode().matches(["37605030299", "37605030298"]).tolist()
    [True, False]

    References
    ----------
    EVS 585:2007, "Personal code. Structure".
    Lietuvos Respublikos gyventojų registro įstatymas, article 8.
    """

    id: ClassVar[str] = "ee-personal-code"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "personal code", "R", countries=frozenset({"EE", "LT"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("isikukood", "asmens kodas")
    examples: ClassVar[tuple[str, ...]] = ("37605030299", "38703181745")
    look_alikes: ClassVar[tuple[str, ...]] = ("37605030298", "37613030299", "97605030299")
    form: ClassVar[re.Pattern[str]] = re.compile(r"[1-8]\d{10}")

    def valid(self, number: str) -> bool:
        """Tell whether the day exists and the last digit is right."""
        year = 1800 + (int(number[0]) - 1) // 2 * 100 + int(number[1:3])
        check = weighted(number[:10], (1, 2, 3, 4, 5, 6, 7, 8, 9, 1)) % 11
        if check == 10:
            check = weighted(number[:10], (3, 4, 5, 6, 7, 8, 9, 1, 2, 3)) % 11 % 10
        return real_day(year, int(number[3:5]), int(number[5:7])) and check == int(number[10])
