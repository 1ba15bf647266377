"""Where a person lives: street addresses, and names of places smaller than a state."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import Identifier, IdentifierTraits
from sfumato.data.schema import Role

__all__ = ["Place", "StreetAddress"]

_STREETS = (
    r"(?:street|st\.?|avenue|ave\.?|road|rd\.?|boulevard|blvd\.?|drive|lane|court|square|terrace|parkway|highway|way|close"
    r"|crescent|place)"
)
_ROMANCE = (
    r"(?:rue|avenue|boulevard|place|chemin|allée|quai|calle|avenida|plaza|paseo|via|viale|piazza|corso|rua|largo)"
)
_GERMANIC = (
    r"[\w'.-]*(?:straße|strasse|str\.|gasse|weg|allee|platz|ufer|damm|straat|laan|plein|gatan|vägen|vej|gade|katu)"
)
_ADDRESS = re.compile(
    rf"\d{{1,5}}[a-z]?(?:,? (?:bis|ter))?,? (?:[\w'.-]+ ){{1,4}}{_STREETS}\b.*"
    rf"|\d{{1,5}}(?:,? (?:bis|ter))?,? {_ROMANCE} .{{3,}}|{_ROMANCE} \D{{3,40}}\d{{1,5}}\b.*"
    rf"|(?:[\w'.-]+ ){{0,3}}{_GERMANIC} \d{{1,4}} ?[a-z]?\b.*|P\.? ?O\.? box \d+.*|postfach \d+.*",
    re.IGNORECASE,
)


class StreetAddress(Identifier):
    """A street address: a number and a street, in the order and with the words of several languages.

    ``12 Main Street``, ``Hauptstraße 5``, ``12 rue de la Paix``, ``Calle Mayor 3``. Streets without such a word fit
    a column that is called so.

    Examples
    --------
    >>> StreetAddress().matches(["12 Main Street", "Hauptstraße 5", "12 apples"]).tolist()
    [True, True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(B).
    """

    id: ClassVar[str] = "street-address"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("street address", "B", chance=0.01, least=0.5)
    words: ClassVar[tuple[str, ...]] = (
        "address", "street", "addr", "adresse", "anschrift", "strasse", "straße", "rue", "direccion", "indirizzo", "adres",
        "house number", "hausnummer", "domicile",
    )  # fmt: skip
    unless: ClassVar[tuple[str, ...]] = ("ip", "mac", "email", "e mail", "mail", "web")
    examples: ClassVar[tuple[str, ...]] = ("12 Main Street", "Hauptstraße 5", "12 rue de la Paix", "Calle Mayor 3")
    look_alikes: ClassVar[tuple[str, ...]] = ("12 apples", "Main", "5", "*")
    form: ClassVar[re.Pattern[str]] = _ADDRESS

    def fits(self, text: str) -> bool:
        """Take any text with letters that is longer than a short label."""
        return len(text.strip()) >= 5 and any(sign.isalpha() for sign in text)


class Place(Identifier):
    """A place smaller than a state (city, county, district), in a column that is called so.

    Examples
    --------
    >>> Place().named(("birth", "city")), Place().fits("Springfield")
    ('city', True)

    References
    ----------
    45 CFR 164.514(b)(2)(i)(B).
    """

    id: ClassVar[str] = "place"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("place smaller than a state", "B", Role.QUASI_IDENTIFIER)
    words: ClassVar[tuple[str, ...]] = (
        "city", "town", "village", "county", "municipality", "precinct", "parish", "borough", "suburb", "neighborhood",
        "neighbourhood", "district", "census tract", "stadt", "ort", "wohnort", "gemeinde", "landkreis", "ville", "commune",
        "ciudad", "municipio", "comune", "citta", "birthplace", "birth place", "place of birth", "geburtsort",
    )  # fmt: skip
    examples: ClassVar[tuple[str, ...]] = ("Springfield", "Bad Tölz")
    look_alikes: ClassVar[tuple[str, ...]] = ("*", "12", "")

    def match(self, text: str) -> bool:
        """Tell whether a text can be the name of a place."""
        return sum(sign.isalpha() for sign in text) >= 2
