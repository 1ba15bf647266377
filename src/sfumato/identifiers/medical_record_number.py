"""The number of a medical record."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._by_column_name import ByColumnName

__all__ = ["MedicalRecordNumber"]


class MedicalRecordNumber(ByColumnName):
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
        "fallnr", "fall nr", "patientennr", "patienten nr", "aktenzeichen", "aktennummer", "aktennr",
    )  # fmt: skip
    examples: ClassVar[tuple[str, ...]] = ("H-004211", "00421177")
    look_alikes: ClassVar[tuple[str, ...]] = ("inpatient", "[10-20)", "*")
