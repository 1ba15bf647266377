"""Numbers of China: the resident identity card."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import real_day, weighted
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["CnResidentId"]


class CnResidentId(Numbered):
    """A resident identity number of China.

    Six digits for the place, the day of birth with four digits for the year, three digits and a check sign by ISO 7064, MOD
    11-2 (10 is X).

    Examples
    --------
    >>> CnResidentId().matches(["11010519491231002X", "110105194912310021"]).tolist()
    [True, False]

    References
    ----------
    GB 11643-1999, "Citizen identification number".
    ISO 7064, "Check character systems", 2003.
    """

    id: ClassVar[str] = "cn-resident-id"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "resident identity number", "R", countries=frozenset({"CN"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("resident id", "shenfenzheng", "id card")
    examples: ClassVar[tuple[str, ...]] = ("11010519491231002X", "440524188001010014")
    look_alikes: ClassVar[tuple[str, ...]] = ("110105194912310021", "110105194913310028", "1101051949123100")
    form: ClassVar[re.Pattern[str]] = re.compile(r"[1-8]\d{5}(?:18|19|20)\d{9}[\dX]")
    inside: ClassVar[re.Pattern[str] | None] = inside(form.pattern)

    def valid(self, number: str) -> bool:
        """Tell whether the day exists and the check sign is right."""
        day = real_day(int(number[6:10]), int(number[10:12]), int(number[12:14]))
        total = weighted(number[:17], tuple(2**power % 11 for power in range(17, 0, -1)))
        return day and number[17] == "10X98765432"[total % 11]
