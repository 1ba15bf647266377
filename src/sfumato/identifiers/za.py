"""Numbers of South Africa: the identity number."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import luhn, real_day
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["ZaId"]


class ZaId(Numbered):
    """An identity number of South Africa.

    Year, month and day of birth, four digits, a digit for citizenship (0, 1 or 2), a digit and a check digit, right by
    Luhn's scheme.

    Examples
    --------
    >>> ZaId().matches(["8001015009087", "8001015009088"]).tolist()
    [True, False]

    References
    ----------
    Identification Act 68 of 1997, section 7.
    """

    id: ClassVar[str] = "za-id"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "identity number", "R", countries=frozenset({"ZA"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("sa id", "rsa id", "identity number")
    examples: ClassVar[tuple[str, ...]] = ("8001015009087", "800101 5009 087")
    look_alikes: ClassVar[tuple[str, ...]] = ("8001015009088", "8013015009087", "800101500908")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{6} ?\d{4} ?[012]\d\d")
    inside: ClassVar[re.Pattern[str] | None] = inside(form.pattern)

    def valid(self, number: str) -> bool:
        """Tell whether the day exists and the last digit is right."""
        return real_day(int(number[:2]), int(number[2:4]), int(number[4:6])) and luhn(number)
