"""Numbers of mobile telephones."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import luhn
from sfumato.identifiers._fixed_form import Numbered

__all__ = ["Imei"]


class Imei(Numbered):
    """The number of a mobile telephone (IMEI): fifteen digits, the last one right by Luhn's scheme.

    Examples
    --------
    >>> Imei().matches(["49-015420-323751-8", "490154203237517"]).tolist()
    [True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(M).
    3GPP TS 23.003, "Numbering, addressing and identification", annex B.
    """

    id: ClassVar[str] = "imei"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "number of a mobile telephone (IMEI)", "M", checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("imei",)
    examples: ClassVar[tuple[str, ...]] = ("49-015420-323751-8", "356938035643809")
    look_alikes: ClassVar[tuple[str, ...]] = ("490154203237517", "49015420323751", "")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{2}-\d{6}-\d{6}-\d|\d{15}")

    def valid(self, number: str) -> bool:
        """Tell whether the last digit is right."""
        return luhn(number)
