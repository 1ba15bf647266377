"""Numbers of Switzerland: old-age insurance."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import weighted
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["ChAhv"]


class ChAhv(Numbered):
    """An insurance number of Switzerland (AHV number).

    Thirteen digits that begin with 756, often 3.4.4.2; the last is the check digit of an EAN-13: with the weights 1, 3, 1,
    3, ..., 1 the sum is a multiple of ten.

    Examples
    --------
    >>> ChAhv().matches(["756.9217.0769.85", "756.9217.0769.84"]).tolist()
    [True, False]

    References
    ----------
    Bundesgesetz über die Alters- und Hinterlassenenversicherung, article 50c.
    Zentrale Ausgleichsstelle, "Die AHV-Nummer".
    """

    id: ClassVar[str] = "ch-ahv"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "insurance number (AHV)", "R", countries=frozenset({"CH"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("ahv", "avs", "ahvn13", "navs13", "ahv nummer", "numero avs")
    examples: ClassVar[tuple[str, ...]] = ("756.9217.0769.85", "7569217076985")
    look_alikes: ClassVar[tuple[str, ...]] = ("756.9217.0769.84", "757.9217.0769.85")
    form: ClassVar[re.Pattern[str]] = re.compile(r"756\.?\d{4}\.?\d{4}\.?\d{2}")
    inside: ClassVar[re.Pattern[str] | None] = inside(form.pattern)

    def valid(self, number: str) -> bool:
        """Tell whether the last digit is right."""
        return weighted(number, (1, 3) * 6 + (1,)) % 10 == 0
