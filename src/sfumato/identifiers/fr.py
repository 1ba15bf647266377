"""Numbers of France: the register of persons."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["FrNir"]


class FrNir(Numbered):
    """A social security number of France (NIR).

    Sex, year and month of birth, department (2A and 2B for Corsica), commune, order: thirteen signs and a key of two
    digits, 97 minus the number modulo 97. For the key 2A counts as 19 and 2B as 18.

    Examples
    --------
    >>> FrNir().matches(["2 55 08 14 168 025 38", "2 55 08 14 168 025 39"]).tolist()
    [True, False]

    References
    ----------
    Insee, "Numéro d'inscription au répertoire" (NIR).
    Décret n° 82-103 du 22 janvier 1982.
    """

    id: ClassVar[str] = "fr-nir"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "social security number (NIR)", "R", countries=frozenset({"FR"}), checksum=True, chance=0.0105
    )
    words: ClassVar[tuple[str, ...]] = ("nir", "insee", "securite sociale", "numero securite sociale", "nss")
    examples: ClassVar[tuple[str, ...]] = ("2 55 08 14 168 025 38", "255081416802538")
    look_alikes: ClassVar[tuple[str, ...]] = ("2 55 08 14 168 025 39", "955081416802538", "255131416802538")
    form: ClassVar[re.Pattern[str]] = re.compile(
        r"[123478] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}"
    )
    inside: ClassVar[re.Pattern[str] | None] = inside(form.pattern)

    def valid(self, number: str) -> bool:
        """Tell whether the key is right."""
        plain = number[:13].replace("2A", "19").replace("2B", "18")
        return 97 - int(plain) % 97 == int(number[13:])
