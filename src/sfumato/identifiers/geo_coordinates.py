"""Coordinates of a place on earth."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import Identifier, IdentifierTraits
from sfumato.data.schema import Role

__all__ = ["GeoCoordinates"]

_DEGREES = r"[-+]?\d{1,3}\.\d{3,}"
_PAIR = re.compile(rf"(?:POINT ?)?\(?({_DEGREES})[,; ] ?({_DEGREES})\)?", re.IGNORECASE)
_MINUTES = r"\d{1,3} ?° ?\d{1,2} ?['′] ?(?:\d{1,2}(?:\.\d+)? ?[\"″] ?)?[NSEWO].*"
_ONE = re.compile(r"[-+]?\d{1,3}\.\d+")


class GeoCoordinates(Identifier):
    """Geographic coordinates, in degrees with at least three decimals or in degrees and minutes.

    A pair such as ``48.13743, 11.57549`` tells it. A single number between -180 and 180 fits a column that is called
    latitude or longitude. Three decimals are about a hundred metres.

    Examples
    --------
    >>> GeoCoordinates().matches(["48.13743, 11.57549", "48°08'14\\" N 11°34'31\\" E", "48.1, 11.5"]).tolist()
    [True, True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(B).
    ISO 6709, "Standard representation of geographic point location by coordinates", 2022.
    """

    id: ClassVar[str] = "geo-coordinates"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "coordinates of a place", "B", Role.QUASI_IDENTIFIER, chance=0.01
    )
    words: ClassVar[tuple[str, ...]] = (
        "latitude", "longitude", "lat", "lon", "lng", "coordinates", "coordinate", "gps", "geolocation", "breitengrad",
        "laengengrad", "längengrad",
    )  # fmt: skip
    examples: ClassVar[tuple[str, ...]] = (
        "48.13743, 11.57549",
        "POINT(11.57549 48.13743)",
        "48°08'14\" N 11°34'31\" E",
    )
    look_alikes: ClassVar[tuple[str, ...]] = ("48.1, 11.5", "248.13743, 11.57549", "48.13743")
    form: ClassVar[re.Pattern[str]] = re.compile(rf"(?i:{_PAIR.pattern})|{_MINUTES}")

    def valid(self, text: str) -> bool:
        """Tell whether a pair in degrees lies on the earth."""
        pair = _PAIR.fullmatch(text)
        if pair is None:
            return True
        low, high = sorted((abs(float(pair[1])), abs(float(pair[2]))))
        return low <= 90 and high <= 180

    def fits(self, text: str) -> bool:
        """Take one number with decimals too, as a column of latitudes holds it."""
        text = text.strip()
        return self.match(text) or (_ONE.fullmatch(text) is not None and abs(float(text)) <= 180)
