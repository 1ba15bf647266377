"""Numbers of Croatia: the personal identification number."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import mod_11_10
from sfumato.identifiers._fixed_form import Numbered

__all__ = ["HrOib"]


class HrOib(Numbered):
    """A personal identification number of Croatia (OIB).

    Eleven digits, the last one right by ISO 7064, MOD 11,10.

    Examples
    --------
    >>> HrOib().matches(["33392005961", "33392005962"]).tolist()
    [True, False]

    References
    ----------
    Zakon o osobnom identifikacijskom broju, 2008.
    ISO 7064, "Check character systems", 2003.
    """

    id: ClassVar[str] = "hr-oib"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "personal identification number (OIB)", "R", countries=frozenset({"HR"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("oib",)
    examples: ClassVar[tuple[str, ...]] = ("33392005961", "69435151530")
    look_alikes: ClassVar[tuple[str, ...]] = ("33392005962", "3339200596")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{11}")

    def valid(self, number: str) -> bool:
        """Tell whether the last digit is right."""
        return mod_11_10(number)
