"""Numbers of Canada: social insurance."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import luhn
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["CaSin"]


class CaSin(Numbered):
    """A social insurance number of Canada (SIN).

    Nine digits, often 3-3-3, the last one right by Luhn's scheme.

    Examples
    --------
    >>> CaSin().matches(["046 454 286", "046 454 287"]).tolist()
    [True, False]

    References
    ----------
    Employment and Social Development Canada, "The Social Insurance Number code of practice".
    """

    id: ClassVar[str] = "ca-sin"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "social insurance number (SIN)", "R", countries=frozenset({"CA"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("sin", "social insurance", "social insurance number", "nas")
    examples: ClassVar[tuple[str, ...]] = ("046 454 286", "046454286", "130-692-544")
    look_alikes: ClassVar[tuple[str, ...]] = ("046 454 287", "04645428")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{3}[ -]?\d{3}[ -]?\d{3}")
    inside: ClassVar[re.Pattern[str] | None] = inside(r"\d{3}[ -]\d{3}[ -]\d{3}")

    def valid(self, number: str) -> bool:
        """Tell whether the last digit is right."""
        return luhn(number)
