"""Numbers of the Netherlands: the citizen service number."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import weighted
from sfumato.identifiers._fixed_form import Numbered

__all__ = ["NlBsn"]


class NlBsn(Numbered):
    """A citizen service number of the Netherlands (BSN).

    Nine digits (an old number may be written with eight). The digits times 9, 8, ..., 2 and -1 add up to a multiple of 11.

    Examples
    --------
    >>> NlBsn().matches(["111222333", "111222334"]).tolist()
    [True, False]

    References
    ----------
    Wet algemene bepalingen burgerservicenummer, 2007.
    Rijksdienst voor Identiteitsgegevens, Logisch Ontwerp BSN (elfproef).
    """

    id: ClassVar[str] = "nl-bsn"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "citizen service number (BSN)", "R", countries=frozenset({"NL"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("bsn", "burgerservicenummer", "sofinummer", "sofi")
    examples: ClassVar[tuple[str, ...]] = ("111222333", "1112.22.333")
    look_alikes: ClassVar[tuple[str, ...]] = ("111222334", "000000000", "11122233344")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{9}|\d{4}\.\d{2}\.\d{3}")

    def valid(self, number: str) -> bool:
        """Tell whether the sum is a multiple of 11."""
        return int(number) > 0 and weighted(number, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0
