"""Numbers of Spain: identity cards of citizens and of foreigners."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["EsDniNie"]


class EsDniNie(Numbered):
    """An identity number of Spain (DNI, or NIE for foreigners).

    Eight digits, or X, Y or Z (for 0, 1, 2) and seven digits, and a letter: the number modulo 23 is its place in
    TRWAGMYFPDXBNJZSQVHLCKE.

    Examples
    --------
    >>> EsDniNie().matches(["12345678Z", "12345678A"]).tolist()
    [True, False]

    References
    ----------
    Real Decreto 1553/2005, article 11.
    Ministerio del Interior, "Cálculo del dígito de control del NIF/NIE".
    """

    id: ClassVar[str] = "es-dni-nie"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "identity number (DNI, NIE)", "R", countries=frozenset({"ES"}), checksum=True, chance=0.05
    )
    words: ClassVar[tuple[str, ...]] = ("dni", "nie", "nif")
    examples: ClassVar[tuple[str, ...]] = ("12345678Z", "X1234567L", "12.345.678-Z")
    look_alikes: ClassVar[tuple[str, ...]] = ("12345678A", "1234567Z", "W1234567L")
    form: ClassVar[re.Pattern[str]] = re.compile(r"(?:\d{8}|\d{2}\.\d{3}\.\d{3}|[XYZ]-?\d{7})[ -]?[A-Z]")
    inside: ClassVar[re.Pattern[str] | None] = inside(form.pattern)

    def valid(self, number: str) -> bool:
        """Tell whether the letter is right."""
        digits = str("XYZ".find(number[0])) + number[1:8] if number[0] in "XYZ" else number[:8]
        return "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23] == number[-1]
