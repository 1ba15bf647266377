"""Numbers of the United Kingdom: health service, national insurance."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import weighted
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["UkNhsNumber", "UkNino"]


class UkNhsNumber(Numbered):
    """A number of the National Health Service of the United Kingdom.

    Ten digits, often 3-3-4. The first nine have the weights 10 to 2; 11 minus the sum modulo 11 is the last digit, where 11
    counts as 0 and 10 is never given.

    Examples
    --------
    >>> UkNhsNumber().matches(["943 476 5919", "943 476 5918"]).tolist()
    [True, False]

    References
    ----------
    NHS Data Dictionary, "NHS number".
    45 CFR 164.514(b)(2)(i)(H).
    """

    id: ClassVar[str] = "uk-nhs-number"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "NHS number", "H", countries=frozenset({"GB"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("nhs", "nhs number", "nhsnumber")
    examples: ClassVar[tuple[str, ...]] = ("943 476 5919", "9990000042")
    look_alikes: ClassVar[tuple[str, ...]] = ("943 476 5918", "943 476 591", "94347659190")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{3}[ -]?\d{3}[ -]?\d{4}")
    inside: ClassVar[re.Pattern[str] | None] = inside(r"\d{3}[ -]\d{3}[ -]\d{4}")

    def valid(self, number: str) -> bool:
        """Tell whether the last digit is right."""
        return (11 - weighted(number[:9], range(10, 1, -1)) % 11) % 11 == int(number[9])


class UkNino(Numbered):
    """A national insurance number of the United Kingdom.

    Two letters, six digits and a letter from A to D. D, F, I, Q, U and V are not used, O not as the second letter, and BG,
    GB, KN, NK, NT, TN and ZZ are never given. There is no check digit.

    Examples
    --------
    >>> UkNino().matches(["AB 12 34 56 C", "QQ 12 34 56 C"]).tolist()
    [True, False]

    References
    ----------
    HM Revenue and Customs, National Insurance Manual, NIM39110.
    45 CFR 164.514(b)(2)(i)(R).
    """

    id: ClassVar[str] = "uk-nino"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "national insurance number", "R", countries=frozenset({"GB"}), chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("nino", "national insurance", "ni number")
    examples: ClassVar[tuple[str, ...]] = ("AB 12 34 56 C", "AB123456C")
    look_alikes: ClassVar[tuple[str, ...]] = ("QQ 12 34 56 C", "GB123456A", "AB123456E", "AO123456A")
    form: ClassVar[re.Pattern[str]] = re.compile(
        r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]"
    )
    inside: ClassVar[re.Pattern[str] | None] = inside(form.pattern)
