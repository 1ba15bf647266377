"""Numbers of Austria: social insurance."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import weighted
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["AtSvnr"]


class AtSvnr(Numbered):
    """A social insurance number of Austria.

    Three digits, a check digit and the day of birth. The others times 3, 7, 9 and 5, 8, 4, 2, 1, 6 add up to the check
    digit modulo 11; a number with remainder 10 is never given.

    Examples
    --------
    >>> AtSvnr().matches(["1237 010180", "1238 010180"]).tolist()
    [True, False]

    References
    ----------
    Allgemeines Sozialversicherungsgesetz, § 31 Abs. 4 Z 1.
    """

    id: ClassVar[str] = "at-svnr"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "social insurance number", "R", countries=frozenset({"AT"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("svnr", "sozialversicherungsnummer", "sv nummer", "vsnr")
    examples: ClassVar[tuple[str, ...]] = ("1237 010180", "1237010180")
    look_alikes: ClassVar[tuple[str, ...]] = ("1238 010180", "1237 010980 1", "0237 010180")
    form: ClassVar[re.Pattern[str]] = re.compile(r"[1-9]\d{3} ?\d{6}")
    inside: ClassVar[re.Pattern[str] | None] = inside(r"[1-9]\d{3} \d{6}")

    def valid(self, number: str) -> bool:
        """Tell whether the month exists (13 to 15 stand for unknown) and the check digit is right."""
        month = int(number[6:8])
        total = weighted(number[:3] + number[4:], (3, 7, 9, 5, 8, 4, 2, 1, 6))
        return 1 <= month <= 15 and total % 11 == int(number[3])
