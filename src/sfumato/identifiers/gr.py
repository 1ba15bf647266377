"""Numbers of Greece: social security."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import luhn, real_day
from sfumato.identifiers._fixed_form import Numbered

__all__ = ["GrAmka"]


class GrAmka(Numbered):
    """A social security number of Greece (AMKA).

    Day, month and year of birth, four digits and a check digit, right by Luhn's scheme.

    Examples
    --------
    >>> GrAmka().matches(["01013099997", "01013099998"]).tolist()
    [True, False]

    References
    ----------
    Law 3655/2008 of Greece, article 153.
    """

    id: ClassVar[str] = "gr-amka"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "social security number (AMKA)", "R", countries=frozenset({"GR"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("amka",)
    examples: ClassVar[tuple[str, ...]] = ("01013099997",)
    look_alikes: ClassVar[tuple[str, ...]] = ("01013099998", "32133099997", "0101309999")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{11}")

    def valid(self, number: str) -> bool:
        """Tell whether the day exists and the last digit is right."""
        return real_day(int(number[4:6]), int(number[2:4]), int(number[:2])) and luhn(number)
