"""Numbers of Norway: the register of persons."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import real_day, weighted
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["NoFodselsnummer"]


class NoFodselsnummer(Numbered):
    """A national identity number of Norway (fødselsnummer).

    Day, month and year of birth, three digits and two check digits: with the weights 3, 7, 6, 1, 8, 9, 4, 5, 2, 1 and 5, 4,
    3, 2, 7, 6, 5, 4, 3, 2, 1 the sums are multiples of 11. Numbers for foreigners add 40 to the day.

    Examples
    --------
    >>> NoFodselsnummer().matches(["15108695088", "15108695089"]).tolist()
    [True, False]

    References
    ----------
    Selmer, "Personnummerering i Norge: litt anvendt tallteori og psykologi", Nordisk Matematisk Tidskrift 12, 1964.
    """

    id: ClassVar[str] = "no-fodselsnummer"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "national identity number (fødselsnummer)", "R", countries=frozenset({"NO"}), checksum=True, chance=0.01
    )
    words: ClassVar[tuple[str, ...]] = ("fodselsnummer", "fødselsnummer", "fnr", "personnummer")
    examples: ClassVar[tuple[str, ...]] = ("15108695088", "151086 95088")
    look_alikes: ClassVar[tuple[str, ...]] = ("15108695089", "15138695088", "1510869508")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{6} ?\d{5}")
    inside: ClassVar[re.Pattern[str] | None] = inside(form.pattern)

    def valid(self, number: str) -> bool:
        """Tell whether the day exists and both check digits are right."""
        day = int(number[:2]) % 40
        exists = int(number[:2]) < 72 and real_day(int(number[4:6]), int(number[2:4]), day)
        first = weighted(number[:10], (3, 7, 6, 1, 8, 9, 4, 5, 2, 1))
        second = weighted(number, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1))
        return exists and first % 11 == 0 and second % 11 == 0
