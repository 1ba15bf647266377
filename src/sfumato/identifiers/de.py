"""Numbers of Germany: tax, pension insurance, health insurance."""

from __future__ import annotations

import re
from collections import Counter
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import cross_sum, mod_11_10
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["DeHealthInsurance", "DeSocialInsurance", "DeTaxId"]


class DeTaxId(Numbered):
    """A tax identification number of Germany (Steuer-Identifikationsnummer).

    Eleven digits, the first not 0. Among the first ten one digit occurs twice or three times, all others at most once; the
    last digit is right by ISO 7064, MOD 11,10.

    Examples
    --------
    >>> DeTaxId().matches(["86 095 742 719", "86 095 742 718"]).tolist()
    [True, False]

    References
    ----------
    Abgabenordnung, § 139b.
    Steueridentifikationsnummerverordnung, § 1.
    ISO 7064, "Check character systems", 2003.
    """

    id: ClassVar[str] = "de-tax-id"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "tax identification number", "R", countries=frozenset({"DE"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = (
        "steuer id",
        "steuerid",
        "steuernummer",
        "steueridentifikationsnummer",
        "idnr",
        "tax id",
    )
    examples: ClassVar[tuple[str, ...]] = ("86 095 742 719", "86095742719", "47036892816")
    look_alikes: ClassVar[tuple[str, ...]] = ("86 095 742 718", "06095742719", "12345678903")
    form: ClassVar[re.Pattern[str]] = re.compile(r"[1-9]\d ?\d{3} ?\d{3} ?\d{3}")
    inside: ClassVar[re.Pattern[str] | None] = inside(r"[1-9]\d \d{3} \d{3} \d{3}")

    def valid(self, number: str) -> bool:
        """Tell whether digits repeat as they must and the last one is right."""
        often = Counter(Counter(number[:10]).values())
        return often[2] + often[3] == 1 and max(often) <= 3 and mod_11_10(number)


class DeSocialInsurance(Numbered):
    """A pension insurance number of Germany (Rentenversicherungsnummer).

    The area (two digits), the day of birth, the first letter of the name at birth, two digits and a check digit. With the
    letter as its place in the alphabet, cross sums of the digits times 2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1 end in the check
    digit.

    Examples
    --------
    >>> DeSocialInsurance().matches(["15 070649 C 103", "15 070649 C 104"]).tolist()
    [True, False]

    References
    ----------
    Sozialgesetzbuch VI, § 147.
    Verordnung über die Vergabe und Zusammensetzung der Versicherungsnummer, §§ 2-4.
    """

    id: ClassVar[str] = "de-social-insurance"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "pension insurance number", "R", countries=frozenset({"DE"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = (
        "rvnr",
        "sozialversicherungsnummer",
        "rentenversicherungsnummer",
        "svnr",
        "sv nummer",
    )
    examples: ClassVar[tuple[str, ...]] = ("15 070649 C 103", "15070649C103", "65170839J003")
    look_alikes: ClassVar[tuple[str, ...]] = ("15 070649 C 104", "15071349C103", "150706490103")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{2} ?\d{6} ?[A-Z] ?\d{3}")
    inside: ClassVar[re.Pattern[str] | None] = inside(form.pattern)

    def valid(self, number: str) -> bool:
        """Tell whether the month exists and the last digit is right."""
        digits = f"{number[:8]}{ord(number[8]) - 64:02}{number[9:11]}"
        total = cross_sum(digits, (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1))
        return 1 <= int(number[4:6]) <= 12 and total % 10 == int(number[11])


class DeHealthInsurance(Numbered):
    """A health insurance number of Germany (Krankenversichertennummer).

    A letter, eight digits and a check digit. With the letter as its place in the alphabet, cross sums of the digits times
    1, 2, 1, 2, ... end in the check digit.

    Examples
    --------
    >>> DeHealthInsurance().matches(["A123456780", "A123456781"]).tolist()
    [True, False]

    References
    ----------
    Sozialgesetzbuch V, § 290.
    45 CFR 164.514(b)(2)(i)(I).
    """

    id: ClassVar[str] = "de-health-insurance"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "health insurance number", "I", countries=frozenset({"DE"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = (
        "kvnr",
        "krankenversichertennummer",
        "versichertennummer",
        "krankenversicherungsnummer",
    )
    examples: ClassVar[tuple[str, ...]] = ("A123456780", "T000005003")
    look_alikes: ClassVar[tuple[str, ...]] = ("A123456781", "1234567890", "A12345678")
    form: ClassVar[re.Pattern[str]] = re.compile(r"[A-Z]\d{9}")

    def valid(self, number: str) -> bool:
        """Tell whether the last digit is right."""
        digits = f"{ord(number[0]) - 64:02}{number[1:9]}"
        return cross_sum(digits, (1, 2) * 5) % 10 == int(number[9])
