"""Numbers of Belgium: the register of persons."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["BeNationalNumber"]


class BeNationalNumber(Numbered):
    """A national number of Belgium (rijksregisternummer).

    Year, month and day of birth, three digits and two check digits: 97 minus the first nine digits modulo 97, with a 2 in
    front of them for those born from 2000 on.

    Examples
    --------
    >>> BeNationalNumber().matches(["85.07.30-033.28", "85.07.30-033.29"]).tolist()
    [True, False]

    References
    ----------
    Koninklijk besluit van 3 april 1984 betreffende de samenstelling van het identificatienummer.
    """

    id: ClassVar[str] = "be-national-number"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "national number", "R", countries=frozenset({"BE"}), checksum=True, chance=0.0215
    )
    words: ClassVar[tuple[str, ...]] = (
        "rijksregisternummer",
        "registre national",
        "nationaal nummer",
        "numero national",
        "insz",
        "niss",
    )
    examples: ClassVar[tuple[str, ...]] = ("85.07.30-033.28", "85073003328")
    look_alikes: ClassVar[tuple[str, ...]] = ("85.07.30-033.29", "8507300332")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{2}\.?\d{2}\.?\d{2}-?\d{3}\.?\d{2}")
    inside: ClassVar[re.Pattern[str] | None] = inside(r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}")

    def valid(self, number: str) -> bool:
        """Tell whether the check digits are right for one of the centuries."""
        check = int(number[9:])
        return check in (97 - int(number[:9]) % 97, 97 - int(f"2{number[:9]}") % 97) and int(number[2:4]) <= 52
