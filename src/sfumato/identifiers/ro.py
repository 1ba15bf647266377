"""Numbers of Romania: the register of persons."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import real_day, weighted
from sfumato.identifiers._fixed_form import Numbered

__all__ = ["RoCnp"]


class RoCnp(Numbered):
    """A personal number of Romania (CNP).

    Sex and century, day of birth, county, three digits and a check digit: the sum with the weights 2, 7, 9, 1, 4, 6, 3, 5,
    8, 2, 7, 9 modulo 11, where 10 counts as 1.

    Examples
    --------
    >>> RoCnp().matches(["1630615123457", "1630615123458"]).tolist()
    [True, False]

    References
    ----------
    Ordonanța de urgență nr. 97/2005.
    """

    id: ClassVar[str] = "ro-cnp"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "personal number (CNP)", "R", countries=frozenset({"RO"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("cnp", "cod numeric personal")
    examples: ClassVar[tuple[str, ...]] = ("1630615123457",)
    look_alikes: ClassVar[tuple[str, ...]] = ("1630615123458", "1631315123457", "163061512345")
    form: ClassVar[re.Pattern[str]] = re.compile(r"[1-9]\d{12}")

    def valid(self, number: str) -> bool:
        """Tell whether the day exists and the last digit is right."""
        check = weighted(number[:12], (2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)) % 11
        day = real_day(int(number[1:3]), int(number[3:5]), int(number[5:7]))
        return day and (1 if check == 10 else check) == int(number[12])
