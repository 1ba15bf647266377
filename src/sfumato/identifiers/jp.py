"""Numbers of Japan: the individual number."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import weighted
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["JpMyNumber"]


class JpMyNumber(Numbered):
    """An individual number of Japan (My Number).

    Eleven digits and a check digit: from the right the weights are 2 to 7 and 2 to 6; 11 minus the sum modulo 11 is the
    check digit, where 10 and 11 count as 0.

    Examples
    --------
    >>> JpMyNumber().matches(["1234 5678 9018", "1234 5678 9019"]).tolist()
    [True, False]

    References
    ----------
    Ministry of Internal Affairs and Communications of Japan, ordinance no. 85 of 2014, article 5.
    """

    id: ClassVar[str] = "jp-my-number"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "individual number (My Number)", "R", countries=frozenset({"JP"}), checksum=True, chance=0.12
    )
    words: ClassVar[tuple[str, ...]] = ("my number", "mynumber", "kojin bango")
    examples: ClassVar[tuple[str, ...]] = ("1234 5678 9018", "123456789018")
    look_alikes: ClassVar[tuple[str, ...]] = ("1234 5678 9019", "12345678901")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{4} ?\d{4} ?\d{4}")
    inside: ClassVar[re.Pattern[str] | None] = inside(r"\d{4} \d{4} \d{4}")

    def valid(self, number: str) -> bool:
        """Tell whether the last digit is right."""
        rest = weighted(number[:11], (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
        return (0 if rest < 2 else 11 - rest) == int(number[11])
