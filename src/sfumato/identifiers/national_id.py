"""The number of a passport or an identity card, or a key of a person."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._by_column_name import ByColumnName

__all__ = ["NationalId"]


class NationalId(ByColumnName):
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
