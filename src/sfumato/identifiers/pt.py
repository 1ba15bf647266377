"""Numbers of Portugal: tax."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import weighted
from sfumato.identifiers._fixed_form import Numbered

__all__ = ["PtNif"]


class PtNif(Numbered):
    """A tax number of a person in Portugal (NIF).

    Nine digits that begin with 1, 2, 3 or 45. The first eight have the weights 9 to 2; 11 minus the sum modulo 11 is the
    last digit, where 10 and 11 count as 0.

    Examples
    --------
    >>> PtNif().matches(["123456789", "123456788"]).tolist()
    [True, False]

    References
    ----------
    Decreto-Lei n.º 14/2013, articles 11 and 14.
    """

    id: ClassVar[str] = "pt-nif"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "tax number (NIF)", "R", countries=frozenset({"PT"}), checksum=True, chance=0.12
    )
    words: ClassVar[tuple[str, ...]] = ("nif", "contribuinte", "numero contribuinte")
    examples: ClassVar[tuple[str, ...]] = ("123456789", "123 456 789")
    look_alikes: ClassVar[tuple[str, ...]] = ("123456788", "923456784", "12345678")
    form: ClassVar[re.Pattern[str]] = re.compile(r"(?:[123]\d{2}|45\d) ?\d{3} ?\d{3}")

    def valid(self, number: str) -> bool:
        """Tell whether the last digit is right."""
        check = 11 - weighted(number[:8], range(9, 1, -1)) % 11
        return (0 if check > 9 else check) == int(number[8])
