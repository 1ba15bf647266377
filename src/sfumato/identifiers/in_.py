"""Numbers of India: Aadhaar, tax."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import verhoeff
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["InAadhaar", "InPan"]


class InAadhaar(Numbered):
    """An Aadhaar number of India.

    Twelve digits, the first from 2 to 9, the last one right by Verhoeff's scheme.

    Examples
    --------
    >>> InAadhaar().matches(["9999 4105 7058", "9999 4105 7059"]).tolist()
    [True, False]

    References
    ----------
    Aadhaar Act, 2016, section 4.
    Verhoeff, *Error Detecting Decimal Codes*, Mathematical Centre Tracts 29, 1969.
    """

    id: ClassVar[str] = "in-aadhaar"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "Aadhaar number", "R", countries=frozenset({"IN"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("aadhaar", "aadhar", "uidai")
    examples: ClassVar[tuple[str, ...]] = ("9999 4105 7058", "999941057058")
    look_alikes: ClassVar[tuple[str, ...]] = ("9999 4105 7059", "1999 4105 7058", "99994105705")
    form: ClassVar[re.Pattern[str]] = re.compile(r"[2-9]\d{3} ?\d{4} ?\d{4}")
    inside: ClassVar[re.Pattern[str] | None] = inside(r"[2-9]\d{3} \d{4} \d{4}")

    def valid(self, number: str) -> bool:
        """Tell whether the last digit is right."""
        return verhoeff(number)


class InPan(Numbered):
    """A permanent account number of India (PAN).

    Five letters, four digits, a letter. The fourth letter tells who holds it (P is a person); the rule for the last is not
    public, so the form alone is judged.

    Examples
    --------
    >>> InPan().matches(["ABCPE1234F", "ABCQE1234F"]).tolist()
    [True, False]

    References
    ----------
    Income-tax Rules, 1962, rule 114.
    """

    id: ClassVar[str] = "in-pan"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "permanent account number (PAN)", "R", countries=frozenset({"IN"}), chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("permanent account", "pan")
    examples: ClassVar[tuple[str, ...]] = ("ABCPE1234F",)
    look_alikes: ClassVar[tuple[str, ...]] = ("ABCQE1234F", "ABCPE123F")
    form: ClassVar[re.Pattern[str]] = re.compile(r"[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]")
    inside: ClassVar[re.Pattern[str] | None] = inside(form.pattern)
