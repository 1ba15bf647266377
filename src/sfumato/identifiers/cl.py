"""Numbers of Chile: the national register."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import weighted
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["ClRut"]


class ClRut(Numbered):
    """A national number of Chile (RUT, RUN).

    Seven or eight digits and a check sign. From the right, with the weights 2, 3, 4, 5, 6, 7, 2, 3, 11 minus the sum modulo
    11 is the sign, where 11 is 0 and 10 is K.

    Examples
    --------
    >>> ClRut().matches(["12.345.678-5", "12.345.678-6"]).tolist()
    [True, False]

    References
    ----------
    Servicio de Registro Civil e Identificación, "Rol único nacional".
    """

    id: ClassVar[str] = "cl-rut"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "national number (RUT)", "R", countries=frozenset({"CL"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("rut", "run")
    examples: ClassVar[tuple[str, ...]] = ("12.345.678-5", "30686957-4")
    look_alikes: ClassVar[tuple[str, ...]] = ("12.345.678-6", "1.234-5")
    form: ClassVar[re.Pattern[str]] = re.compile(r"(?:\d{1,2}\.\d{3}\.\d{3}|\d{7,8})-[\dK]")
    inside: ClassVar[re.Pattern[str] | None] = inside(form.pattern)

    def valid(self, number: str) -> bool:
        """Tell whether the check sign is right."""
        total = weighted(reversed(number[:-1]), (2, 3, 4, 5, 6, 7, 2, 3)[: len(number) - 1])
        return number[-1] == "0K987654321"[total % 11]
