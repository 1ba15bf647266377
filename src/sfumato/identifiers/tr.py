"""Numbers of Turkey: the identity number."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._fixed_form import Numbered

__all__ = ["TrTckn"]


class TrTckn(Numbered):
    """An identity number of Turkey (T.C. kimlik no).

    Eleven digits, the first not 0. Seven times the first, third, ..., ninth minus the second, fourth, ..., eighth end in
    the tenth digit; the first ten add up to the last.

    Examples
    --------
    >>> TrTckn().matches(["10000000146", "10000000147"]).tolist()
    [True, False]

    References
    ----------
    Nüfus Hizmetleri Kanunu, 2006, article 46.
    """

    id: ClassVar[str] = "tr-tckn"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "identity number", "R", countries=frozenset({"TR"}), checksum=True, chance=0.011
    )
    words: ClassVar[tuple[str, ...]] = ("tckn", "tc kimlik", "kimlik no")
    examples: ClassVar[tuple[str, ...]] = ("10000000146",)
    look_alikes: ClassVar[tuple[str, ...]] = ("10000000147", "00000000146", "1000000014")
    form: ClassVar[re.Pattern[str]] = re.compile(r"[1-9]\d{10}")

    def valid(self, number: str) -> bool:
        """Tell whether both check digits are right."""
        digits = [int(sign) for sign in number]
        tenth = (7 * sum(digits[0:9:2]) - sum(digits[1:8:2])) % 10
        return tenth == digits[9] and sum(digits[:10]) % 10 == digits[10]
