"""Numbers of the United States: social security, providers of health care, Medicare."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import luhn, weighted
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["UsDea", "UsMbi", "UsNpi", "UsSsn"]


class UsSsn(Numbered):
    """A social security number of the United States.

    Nine digits. The first three are not 000, 666 or above 899, the next two not 00, the last four not 0000; there is no
    check digit. With hyphens (or blanks) after the third and the fifth digit the form tells it; nine bare digits only fit a
    column that is called so.

    Examples
    --------
    >>> UsSsn().matches(["219-09-9998", "219-00-9998"]).tolist()
    [True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(G).
    Social Security Administration, "Social security number randomization", 2011.
    """

    id: ClassVar[str] = "us-ssn"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "social security number", "G", countries=frozenset({"US"}), chance=0.01
    )
    words: ClassVar[tuple[str, ...]] = ("ssn", "social security", "social security number", "soc sec")
    examples: ClassVar[tuple[str, ...]] = ("219-09-9998", "457 55 5462", "219099998")
    look_alikes: ClassVar[tuple[str, ...]] = (
        "000-12-3456",
        "666-12-3456",
        "912-12-3456",
        "219-00-9998",
        "219-09-0000",
        "2190-9-9998",
    )
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{3}-\d{2}-\d{4}|\d{3} \d{2} \d{4}|\d{9}")
    sign: ClassVar[re.Pattern[str]] = re.compile(r"\D")
    inside: ClassVar[re.Pattern[str] | None] = inside(r"\d{3}-\d{2}-\d{4}")

    def valid(self, number: str) -> bool:
        """Tell whether no part is one that is never given."""
        return number[:3] not in ("000", "666") and number[0] != "9" and number[3:5] != "00" and number[5:] != "0000"


class UsNpi(Numbered):
    """A national provider identifier of the United States.

    Ten digits that begin with 1 or 2; with 80840 in front, the last digit is right by Luhn's scheme. It names a physician
    or a hospital.

    Examples
    --------
    >>> UsNpi().matches(["1234567893", "1234567890"]).tolist()
    [True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(R).
    45 CFR 162.406, "Standard unique health identifier for health care providers".
    """

    id: ClassVar[str] = "us-npi"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "national provider identifier", "R", countries=frozenset({"US"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("npi", "national provider", "provider number")
    examples: ClassVar[tuple[str, ...]] = ("1234567893", "2000000002")
    look_alikes: ClassVar[tuple[str, ...]] = ("1234567890", "3234567893", "123456789")
    form: ClassVar[re.Pattern[str]] = re.compile(r"[12]\d{9}")

    def valid(self, number: str) -> bool:
        """Tell whether the last digit is right."""
        return luhn(f"80840{number}")


class UsDea(Numbered):
    """A registration number of the Drug Enforcement Administration of the United States.

    Two letters (the second may be a 9) and seven digits. The first, third and fifth digit plus twice the second, fourth and
    sixth end in the seventh.

    Examples
    --------
    >>> UsDea().matches(["AB1234563", "AB1234560"]).tolist()
    [True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(K).
    21 CFR 1301.13, "Application for registration".
    """

    id: ClassVar[str] = "us-dea"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "DEA registration number", "K", countries=frozenset({"US"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("dea", "dea number")
    examples: ClassVar[tuple[str, ...]] = ("AB1234563", "F91234563")
    look_alikes: ClassVar[tuple[str, ...]] = ("AB1234560", "A11234563", "AB123456")
    form: ClassVar[re.Pattern[str]] = re.compile(r"[A-HJ-MPRSTUX][A-Z9]\d{7}")

    def valid(self, number: str) -> bool:
        """Tell whether the last digit is right."""
        total = weighted(number[2:8], (1, 2, 1, 2, 1, 2))
        return total % 10 == int(number[8])


class UsMbi(Numbered):
    """A Medicare beneficiary identifier of the United States.

    Eleven signs, digits and letters at fixed places; S, L, O, I, B and Z are not used. There is no check digit, the form
    alone tells it.

    Examples
    --------
    >>> UsMbi().matches(["1EG4-TE5-MK73", "1EG4-TE5-MKS3"]).tolist()
    [True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(I).
    Centers for Medicare and Medicaid Services, "Understanding the Medicare beneficiary identifier (MBI) format", 2017.
    """

    id: ClassVar[str] = "us-mbi"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "Medicare beneficiary identifier", "I", countries=frozenset({"US"}), chance=0.01
    )
    words: ClassVar[tuple[str, ...]] = ("mbi", "medicare", "medicare number", "hicn")
    examples: ClassVar[tuple[str, ...]] = ("1EG4-TE5-MK73", "1EG4TE5MK73")
    look_alikes: ClassVar[tuple[str, ...]] = ("1EG4-TE5-MKS3", "0EG4-TE5-MK73", "1EG4-TE5-MK7")
    form: ClassVar[re.Pattern[str]] = re.compile(
        r"[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d-?[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d-?[AC-HJKMNP-RT-Y]{2}\d{2}"
    )
    inside: ClassVar[re.Pattern[str] | None] = inside(form.pattern)
