"""Numbers of Denmark: the register of persons."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import real_day
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["DkCpr"]


class DkCpr(Numbered):
    """A personal number of Denmark (CPR).

    Day, month and year of birth and four digits. Numbers given since 2007 need not obey the old check, so the form and the
    day alone are judged.

    Examples
    --------
    >>> DkCpr().matches(["010190-1234", "321390-1234"]).tolist()
    [True, False]

    References
    ----------
    Lov om Det Centrale Personregister, § 3.
    CPR-kontoret, "Personnummeret i CPR", 2008.
    """

    id: ClassVar[str] = "dk-cpr"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "personal number (CPR)", "R", countries=frozenset({"DK"}), chance=0.05
    )
    words: ClassVar[tuple[str, ...]] = ("cpr", "cprnr", "cpr nummer", "personnummer")
    examples: ClassVar[tuple[str, ...]] = ("010190-1234", "0101901234")
    look_alikes: ClassVar[tuple[str, ...]] = ("321390-1234", "010190-123")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{6}-?\d{4}")
    sign: ClassVar[re.Pattern[str]] = re.compile("-")
    inside: ClassVar[re.Pattern[str] | None] = inside(r"\d{6}-\d{4}")

    def valid(self, number: str) -> bool:
        """Tell whether the day exists."""
        return real_day(int(number[4:6]), int(number[2:4]), int(number[:2]))
