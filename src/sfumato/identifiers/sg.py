"""Numbers of Singapore: the identity card."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import weighted
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["SgNric"]


class SgNric(Numbered):
    """An identity card number of Singapore (NRIC, FIN).

    A letter (S, T, F or G), seven digits and a check letter: the digits times 2, 7, 6, 5, 4, 3, 2 (plus 4 for T and G)
    modulo 11 are its place in JZIHGFEDCBA, for F and G in XWUTRQPNMLK. Numbers with M, given since 2022, are not
    recognised.

    Examples
    --------
    >>> SgNric().matches(["S1234567D", "S1234567E"]).tolist()
    [True, False]

    References
    ----------
    National Registration Act 1965 of Singapore.
    """

    id: ClassVar[str] = "sg-nric"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "identity card number (NRIC)", "R", countries=frozenset({"SG"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("nric", "fin")
    examples: ClassVar[tuple[str, ...]] = ("S1234567D", "T1234567J", "F1234567N")
    look_alikes: ClassVar[tuple[str, ...]] = ("S1234567E", "A1234567D", "S123456D")
    form: ClassVar[re.Pattern[str]] = re.compile(r"[STFG]\d{7}[A-Z]")
    inside: ClassVar[re.Pattern[str] | None] = inside(form.pattern)

    def valid(self, number: str) -> bool:
        """Tell whether the check letter is right."""
        total = weighted(number[1:8], (2, 7, 6, 5, 4, 3, 2)) + (4 if number[0] in "TG" else 0)
        return number[8] == ("JZIHGFEDCBA" if number[0] in "ST" else "XWUTRQPNMLK")[total % 11]
