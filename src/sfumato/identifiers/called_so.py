"""Identifiers without a form of their own: the name of the column tells them, and the values must not speak against it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from sfumato.contracts.identifier import Identifier, IdentifierTraits

__all__ = [
    "AccountNumber",
    "Biometric",
    "DeviceSerial",
    "HealthPlanNumber",
    "LicenceNumber",
    "LicencePlate",
    "MedicalRecordNumber",
    "NationalId",
    "Photograph",
]

_CODE = re.compile(r"[^\W_][\w ./-]{2,30}")
_IMAGE = re.compile(r"\S+\.(?:jpe?g|png|gif|bmp|tiff?|webp|heic|dcm)", re.IGNORECASE)


def _code(text: str) -> bool:
    """Tell whether a text can be a number or code: at least three signs, a digit among them, not a rounded label."""
    return _CODE.fullmatch(text.strip()) is not None and any(sign.isdigit() for sign in text)


@dataclass(frozen=True, kw_only=True)
class _CalledSo(Identifier):
    """A code of letters and digits in a column that is called so."""

    def match(self, text: str) -> bool:
        """Tell whether a text can be a number or code."""
        return _code(text)


@dataclass(frozen=True, kw_only=True)
class MedicalRecordNumber(_CalledSo):
    """The number of a medical record, in a column that is called so.

    Every hospital numbers in its own way, so the name of the column tells it.

    Examples
    --------
    >>> MedicalRecordNumber().named(("mrn",)), MedicalRecordNumber().fits("H-004211")
    ('mrn', True)

    References
    ----------
    45 CFR 164.514(b)(2)(i)(H).
    """

    id: ClassVar[str] = "medical-record-number"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("medical record number", "H")
    words: ClassVar[tuple[str, ...]] = (
        "mrn", "medical record", "record number", "patient id", "patient number", "patient no", "patientid", "case number",
        "encounter id", "hospital number", "chart number", "fallnummer", "patientennummer", "patienten id", "=patient",
    )  # fmt: skip
    examples: ClassVar[tuple[str, ...]] = ("H-004211", "00421177")
    look_alikes: ClassVar[tuple[str, ...]] = ("inpatient", "[10-20)", "*")


@dataclass(frozen=True, kw_only=True)
class HealthPlanNumber(_CalledSo):
    """The number of a beneficiary of a health plan, in a column that is called so.

    Examples
    --------
    >>> HealthPlanNumber().named(("policy", "number")), HealthPlanNumber().fits("XYZ 123456")
    ('policy number', True)

    References
    ----------
    45 CFR 164.514(b)(2)(i)(I).
    """

    id: ClassVar[str] = "health-plan-number"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("health plan number", "I")
    words: ClassVar[tuple[str, ...]] = (
        "policy number", "policy no", "member id", "member number", "beneficiary id", "beneficiary", "subscriber id",
        "insurance number", "insurance id", "plan number", "health card", "medicaid", "versicherungsnummer",
    )  # fmt: skip
    examples: ClassVar[tuple[str, ...]] = ("XYZ 123456", "900112233")
    look_alikes: ClassVar[tuple[str, ...]] = ("private", "[0-5)")


@dataclass(frozen=True, kw_only=True)
class AccountNumber(_CalledSo):
    """The number of an account, in a column that is called so.

    Examples
    --------
    >>> AccountNumber().named(("account", "number")), AccountNumber().named(("account", "balance"))
    ('account number', None)

    References
    ----------
    45 CFR 164.514(b)(2)(i)(J).
    """

    id: ClassVar[str] = "account-number"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("account number", "J")
    words: ClassVar[tuple[str, ...]] = (
        "account number", "account no", "account nr", "account id", "acct", "=account", "bank account", "kontonummer",
        "konto nr", "numero de compte", "numero de cuenta", "customer id", "customer number", "client id", "client number",
        "kundennummer", "invoice number",
    )  # fmt: skip
    examples: ClassVar[tuple[str, ...]] = ("1234567890", "AC-0042")
    look_alikes: ClassVar[tuple[str, ...]] = ("yes", "savings", "*")


@dataclass(frozen=True, kw_only=True)
class LicenceNumber(_CalledSo):
    """The number of a certificate or licence (to drive, to practise), in a column that is called so.

    Examples
    --------
    >>> LicenceNumber().named(("driver", "license")), LicenceNumber().named(("license", "type"))
    ('license', None)

    References
    ----------
    45 CFR 164.514(b)(2)(i)(K).
    """

    id: ClassVar[str] = "licence-number"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("certificate or licence number", "K")
    words: ClassVar[tuple[str, ...]] = (
        "licence", "license", "licence number", "license number", "driver license", "driving licence", "certificate number",
        "certificate no", "fuehrerschein", "führerschein", "permis de conduire",
    )  # fmt: skip
    unless: ClassVar[tuple[str, ...]] = ("plate", "type", "class", "software")
    examples: ClassVar[tuple[str, ...]] = ("D1234567", "MD 55 1234")
    look_alikes: ClassVar[tuple[str, ...]] = ("yes", "B", "expired")


@dataclass(frozen=True, kw_only=True)
class LicencePlate(_CalledSo):
    """The plate of a vehicle, in a column that is called so.

    Examples
    --------
    >>> LicencePlate().named(("licence", "plate")), LicencePlate().fits("M-AB 1234")
    ('licence plate', True)

    References
    ----------
    45 CFR 164.514(b)(2)(i)(L).
    """

    id: ClassVar[str] = "licence-plate"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("licence plate", "L")
    words: ClassVar[tuple[str, ...]] = (
        "licence plate", "license plate", "number plate", "plate number", "plate", "kennzeichen", "immatriculation",
        "matricula", "kenteken", "targa",
    )  # fmt: skip
    examples: ClassVar[tuple[str, ...]] = ("M-AB 1234", "AB12 CDE")
    look_alikes: ClassVar[tuple[str, ...]] = ("steel", "*")


@dataclass(frozen=True, kw_only=True)
class DeviceSerial(_CalledSo):
    """The serial number of a device, an implant for example, in a column that is called so.

    Examples
    --------
    >>> DeviceSerial().named(("device", "id")), DeviceSerial().fits("SN-77120-A")
    ('device id', True)

    References
    ----------
    45 CFR 164.514(b)(2)(i)(M).
    """

    id: ClassVar[str] = "device-serial"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("device identifier or serial number", "M")
    words: ClassVar[tuple[str, ...]] = (
        "serial", "serial number", "serial no", "device id", "device number", "implant id", "udi", "imsi", "iccid",
        "seriennummer", "geraetenummer", "gerätenummer",
    )  # fmt: skip
    examples: ClassVar[tuple[str, ...]] = ("SN-77120-A", "0000123")
    look_alikes: ClassVar[tuple[str, ...]] = ("pump", "[1-5)")


@dataclass(frozen=True, kw_only=True)
class NationalId(_CalledSo):
    """The number of a passport or an identity card, or a key of a person, in a column that is called so.

    Examples
    --------
    >>> NationalId().named(("passport", "no")), NationalId().fits("C01X00T47")
    ('passport', True)

    References
    ----------
    45 CFR 164.514(b)(2)(i)(R).
    ICAO Doc 9303, "Machine readable travel documents", 2021, part 3.
    """

    id: ClassVar[str] = "national-id"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("number of a passport, an identity card or a person", "R")
    words: ClassVar[tuple[str, ...]] = (
        "passport", "national id", "identity number", "id number", "id card", "personal number", "person id", "citizen id",
        "employee id", "employee number", "staff id", "student id", "student number", "matrikelnummer", "personalnummer",
        "ausweisnummer", "reisepass", "passeport", "pasaporte", "user id", "username", "user name", "login",
    )  # fmt: skip
    examples: ClassVar[tuple[str, ...]] = ("C01X00T47", "12345678")
    look_alikes: ClassVar[tuple[str, ...]] = ("yes", "*", "[1-5)")


@dataclass(frozen=True, kw_only=True)
class Biometric(Identifier):
    """A biometric identifier (finger print, voice print, iris, face template, genome), in a column that is called so.

    Examples
    --------
    >>> Biometric().named(("finger", "print", "hash"))
    'finger print'

    References
    ----------
    45 CFR 164.514(b)(2)(i)(P).
    """

    id: ClassVar[str] = "biometric"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("biometric identifier", "P")
    words: ClassVar[tuple[str, ...]] = (
        "biometric", "fingerprint", "finger print", "voiceprint", "voice print", "iris scan", "iris code", "retina scan",
        "face template", "faceprint", "palm print", "dna sequence", "genome", "genotype", "fingerabdruck",
    )  # fmt: skip
    examples: ClassVar[tuple[str, ...]] = ("9f86d081884c7d65", "ACGTACGTTAGC")
    look_alikes: ClassVar[tuple[str, ...]] = ("yes", "no", "*")

    def match(self, text: str) -> bool:
        """Tell whether a text is long enough to describe one body."""
        return len(text.strip()) >= 8


@dataclass(frozen=True, kw_only=True)
class Photograph(Identifier):
    """A photograph, as the name of an image file or in a column that is called so.

    What is in a picture cannot be seen here: an image of a full face and one of a wrist look the same.

    Examples
    --------
    >>> Photograph().matches(["portraits/0042.jpg", "0042"]).tolist()
    [True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(Q).
    """

    id: ClassVar[str] = "photograph"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("photograph", "Q", chance=0.001)
    words: ClassVar[tuple[str, ...]] = (
        "photo", "photograph", "picture", "portrait", "face image", "headshot", "passbild", "foto", "avatar",
    )  # fmt: skip
    examples: ClassVar[tuple[str, ...]] = ("portraits/0042.jpg", "scan_17.DCM", "a.png")
    look_alikes: ClassVar[tuple[str, ...]] = ("0042", "yes", ".jpg extra words")

    def match(self, text: str) -> bool:
        """Tell whether a text names an image file."""
        return _IMAGE.fullmatch(text.strip()) is not None

    def fits(self, text: str) -> bool:
        """Take anything long enough to be a file, an address or a picture itself."""
        return len(text.strip()) >= 8 or self.match(text)
