"""Numbers of Sweden: the register of persons."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import luhn, real_day
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["SePersonnummer"]


class SePersonnummer(Numbered):
    """A personal number of Sweden (personnummer).

    The day of birth with two or four digits for the year, a hyphen (a plus sign from the age of 100), three digits and a
    check digit, right by Luhn's scheme over ten digits. Coordination numbers add 60 to the day.

    Examples
    --------
    >>> SePersonnummer().matches(["811218-9876", "811218-9877"]).tolist()
    [True, False]

    References
    ----------
    Folkbokföringslag (1991:481), 18 §.
    Skatteverket, SKV 704.
    """

    id: ClassVar[str] = "se-personnummer"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "personal number (personnummer)", "R", countries=frozenset({"SE"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("personnummer", "pnr", "samordningsnummer")
    examples: ClassVar[tuple[str, ...]] = ("811218-9876", "19811218-9876", "8112189876")
    look_alikes: ClassVar[tuple[str, ...]] = ("811218-9877", "811318-9876", "811218 987")
    form: ClassVar[re.Pattern[str]] = re.compile(r"(?:18|19|20)?\d{6}[-+]?\d{4}")
    inside: ClassVar[re.Pattern[str] | None] = inside(r"(?:18|19|20)?\d{6}[-+]\d{4}")

    def valid(self, number: str) -> bool:
        """Tell whether the day exists and the last digit is right."""
        digits = number.replace("+", "")[-10:]
        day = int(digits[4:6])
        return real_day(int(digits[:2]), int(digits[2:4]), day - 60 if day > 60 else day) and luhn(digits)
