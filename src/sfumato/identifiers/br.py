"""Numbers of Brazil: the register of taxpayers."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import weighted
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["BrCpf"]


class BrCpf(Numbered):
    """A taxpayer number of a person in Brazil (CPF).

    Nine digits and two check digits: with the weights 10 to 2 and 11 to 2, ten times the sum modulo 11 is the check digit,
    where 10 counts as 0. Eleven equal digits are never given.

    Examples
    --------
    >>> BrCpf().matches(["111.444.777-35", "111.444.777-34"]).tolist()
    [True, False]

    References
    ----------
    Receita Federal, Instrução Normativa RFB nº 1548/2015.
    """

    id: ClassVar[str] = "br-cpf"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "taxpayer number (CPF)", "R", countries=frozenset({"BR"}), checksum=True, chance=0.012
    )
    words: ClassVar[tuple[str, ...]] = ("cpf",)
    examples: ClassVar[tuple[str, ...]] = ("111.444.777-35", "11144477735")
    look_alikes: ClassVar[tuple[str, ...]] = ("111.444.777-34", "111.111.111-11", "111.444.777")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{3}\.?\d{3}\.?\d{3}-?\d{2}")
    inside: ClassVar[re.Pattern[str] | None] = inside(r"\d{3}\.\d{3}\.\d{3}-\d{2}")

    def valid(self, number: str) -> bool:
        """Tell whether both check digits are right."""
        first = weighted(number[:9], range(10, 1, -1)) * 10 % 11 % 10
        second = weighted(number[:10], range(11, 1, -1)) * 10 % 11 % 10
        return len(set(number)) > 1 and number[9:] == f"{first}{second}"
