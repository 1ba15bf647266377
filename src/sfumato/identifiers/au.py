"""Numbers of Australia: tax, Medicare."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import weighted
from sfumato.identifiers._fixed_form import Numbered

__all__ = ["AuMedicare", "AuTfn"]


class AuTfn(Numbered):
    """A tax file number of Australia (TFN).

    Nine digits; with the weights 1, 4, 3, 7, 5, 8, 6, 9, 10 their sum is a multiple of 11.

    Examples
    --------
    >>> AuTfn().matches(["123 456 782", "123 456 783"]).tolist()
    [True, False]

    References
    ----------
    Taxation Administration Act 1953, part VA.
    Australian Taxation Office, "Tax file number algorithm".
    """

    id: ClassVar[str] = "au-tfn"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "tax file number", "R", countries=frozenset({"AU"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("tfn", "tax file", "tax file number")
    examples: ClassVar[tuple[str, ...]] = ("123 456 782", "123456782")
    look_alikes: ClassVar[tuple[str, ...]] = ("123 456 783", "12345678")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{3} ?\d{3} ?\d{3}")

    def valid(self, number: str) -> bool:
        """Tell whether the sum is a multiple of 11."""
        return weighted(number, (1, 4, 3, 7, 5, 8, 6, 9, 10)) % 11 == 0


class AuMedicare(Numbered):
    """A Medicare card number of Australia.

    Ten digits (eleven with the place on the card), the first from 2 to 6. The first eight with the weights 1, 3, 7, 9, 1,
    3, 7, 9 end in the ninth; the tenth counts the cards issued.

    Examples
    --------
    >>> AuMedicare().matches(["2123 45670 1", "2123 45671 1"]).tolist()
    [True, False]

    References
    ----------
    Services Australia, "Medicare card number: check digit".
    45 CFR 164.514(b)(2)(i)(I).
    """

    id: ClassVar[str] = "au-medicare"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "Medicare card number", "I", countries=frozenset({"AU"}), checksum=True, chance=0.11
    )
    words: ClassVar[tuple[str, ...]] = ("medicare", "medicare number", "medicare card")
    examples: ClassVar[tuple[str, ...]] = ("2123 45670 1", "2123456701")
    look_alikes: ClassVar[tuple[str, ...]] = ("2123 45671 1", "1123456701", "212345670")
    form: ClassVar[re.Pattern[str]] = re.compile(r"[2-6]\d{3} ?\d{5} ?\d(?:[ /-]?\d)?")

    def valid(self, number: str) -> bool:
        """Tell whether the ninth digit is right."""
        return weighted(number[:8], (1, 3, 7, 9) * 2) % 10 == int(number[8])
