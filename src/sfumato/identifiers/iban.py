"""International bank account numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import mod_97
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["Iban"]

_IBAN = r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?"
# Length of the whole number, by country.
_LENGTHS: Mapping[str, int] = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28, "CH": 21,
    "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27,
    "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26,
    "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MD": 24,
    "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29,
    "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23, "TN": 24,
    "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip


class Iban(Numbered):
    """An international bank account number.

    A country, two check digits and the account, of the length that the country fixes. With the first four characters moved
    to the end and letters as numbers (A is 10), the whole is 1 modulo 97.

    Examples
    --------
    >>> Iban().matches(["GB82 WEST 1234 5698 7654 32", "GB83 WEST 1234 5698 7654 32"]).tolist()
    [True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(J).
    ISO 13616-1, "International bank account number (IBAN)", 2020.
    """

    id: ClassVar[str] = "iban"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "bank account number (IBAN)", "J", checksum=True, chance=0.0105
    )
    words: ClassVar[tuple[str, ...]] = ("iban",)
    examples: ClassVar[tuple[str, ...]] = ("GB82 WEST 1234 5698 7654 32", "DE89370400440532013000", "NO9386011117947")
    look_alikes: ClassVar[tuple[str, ...]] = ("GB82 WEST 1234 5698 7654 3", "ZZ82 WEST 1234 5698 7654 32", "GB82")
    form: ClassVar[re.Pattern[str]] = re.compile(_IBAN)
    inside: ClassVar[re.Pattern[str] | None] = inside(_IBAN)

    def valid(self, number: str) -> bool:
        """Tell whether the length is that of the country and the remainder is 1."""
        return _LENGTHS.get(number[:2]) == len(number) and mod_97(number[4:] + number[:4]) == 1
