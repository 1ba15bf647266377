"""Numbers of Italy: the tax code."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["ItCodiceFiscale"]

_SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_EVEN = {sign: int(sign, 36) if sign.isdigit() else ord(sign) - 65 for sign in _SIGNS}
_LETTERS = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
_ODD = {sign: _LETTERS[_EVEN[sign]] for sign in _SIGNS}


class ItCodiceFiscale(Numbered):
    """A tax code of Italy (codice fiscale).

    Six letters of the name, the year, a letter for the month, the day (plus 40 for women), a place and a check letter.
    Signs at odd and even places stand for numbers; the sum modulo 26 is the letter. Where two persons would share a code,
    digits are replaced by letters.

    Examples
    --------
    >>> ItCodiceFiscale().matches(["RSSMRA85T10A562S", "RSSMRA85T10A562T"]).tolist()
    [True, False]

    References
    ----------
    Decreto ministeriale 23 dicembre 1976, "Sistemi di codificazione dei soggetti".
    """

    id: ClassVar[str] = "it-codice-fiscale"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "tax code (codice fiscale)", "R", countries=frozenset({"IT"}), checksum=True, chance=0.04
    )
    words: ClassVar[tuple[str, ...]] = ("codice fiscale", "codicefiscale", "cf")
    examples: ClassVar[tuple[str, ...]] = ("RSSMRA85T10A562S", "MRTMTT25D09F205Z")
    look_alikes: ClassVar[tuple[str, ...]] = ("RSSMRA85T10A562T", "RSSMRA85Z10A562S", "RSSMRA85T10A562")
    form: ClassVar[re.Pattern[str]] = re.compile(
        r"[A-Z]{6}[\dL-NP-V]{2}[A-EHLMPRST][\dL-NP-V]{2}[A-Z][\dL-NP-V]{3}[A-Z]"
    )
    inside: ClassVar[re.Pattern[str] | None] = inside(form.pattern)

    def valid(self, number: str) -> bool:
        """Tell whether the last letter is right."""
        total = sum(_ODD[sign] for sign in number[:15:2]) + sum(_EVEN[sign] for sign in number[1:15:2])
        return chr(65 + total % 26) == number[15]
