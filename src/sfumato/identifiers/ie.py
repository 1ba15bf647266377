"""Numbers of Ireland: public services."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import weighted
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["IePps"]


class IePps(Numbered):
    """A personal public service number of Ireland (PPS number).

    Seven digits, a check letter and perhaps a second letter. The digits times 8 to 2 and the second letter (A is 1, W is 0)
    times 9 add up modulo 23 to the place of the check letter in WABCDEFGHIJKLMNOPQRSTUV.

    Examples
    --------
    >>> IePps().matches(["1234567T", "1234567U"]).tolist()
    [True, False]

    References
    ----------
    Social Welfare Consolidation Act 2005, section 262.
    Revenue, "PPS number check character".
    """

    id: ClassVar[str] = "ie-pps"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "personal public service number (PPS)", "R", countries=frozenset({"IE"}), checksum=True, chance=0.05
    )
    words: ClassVar[tuple[str, ...]] = ("pps", "ppsn", "pps number")
    examples: ClassVar[tuple[str, ...]] = ("1234567T", "1234567FA")
    look_alikes: ClassVar[tuple[str, ...]] = ("1234567U", "123456T", "1234567TT")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{7}[A-W][ABHW]?")
    inside: ClassVar[re.Pattern[str] | None] = inside(form.pattern)

    def valid(self, number: str) -> bool:
        """Tell whether the check letter is right."""
        second = "WABCDEFGHIJKLMNOPQRSTUV".index(number[8]) if len(number) == 9 else 0
        total = weighted(number[:7], range(8, 1, -1)) + 9 * second
        return "WABCDEFGHIJKLMNOPQRSTUV"[total % 23] == number[7]
