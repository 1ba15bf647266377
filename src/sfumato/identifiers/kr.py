"""Numbers of South Korea: resident registration."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import real_day
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["KrRrn"]


class KrRrn(Numbered):
    """A resident registration number of South Korea.

    Year, month and day of birth, a hyphen, a digit for sex and century and six digits. Numbers given since October 2020
    have no check digit, so the form and the day alone are judged.

    Examples
    --------
    >>> KrRrn().matches(["900101-1234567", "901301-1234567"]).tolist()
    [True, False]

    References
    ----------
    Resident Registration Act of South Korea, article 7-2.
    """

    id: ClassVar[str] = "kr-rrn"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "resident registration number", "R", countries=frozenset({"KR"}), chance=0.05
    )
    words: ClassVar[tuple[str, ...]] = ("rrn", "resident registration", "jumin")
    examples: ClassVar[tuple[str, ...]] = ("900101-1234567", "9001011234567")
    look_alikes: ClassVar[tuple[str, ...]] = ("901301-1234567", "900101-9234567", "900101-123456")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{6}-?[0-8]\d{6}")
    sign: ClassVar[re.Pattern[str]] = re.compile("-")
    inside: ClassVar[re.Pattern[str] | None] = inside(r"\d{6}-[0-8]\d{6}")

    def valid(self, number: str) -> bool:
        """Tell whether the day exists."""
        return real_day(int(number[:2]), int(number[2:4]), int(number[4:6]))
