"""Numbers of Mexico: the population register."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import real_day
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["MxCurp"]


class MxCurp(Numbered):
    """A population register code of Mexico (CURP).

    Four letters of the name, the day of birth, sex, state, three letters, a sign and a check digit. Signs stand for their
    place in 0-9, A-N, Ñ, O-Z; with the weights 18 to 2 the sum, subtracted from a multiple of ten, is the check digit.

    Examples
    --------
    >>> MxCurp().matches(["BOXW310820HNERXN09", "BOXW310820HNERXN08"]).tolist()
    [True, False]

    References
    ----------
    Secretaría de Gobernación, "Instructivo normativo para la asignación de la CURP".
    """

    id: ClassVar[str] = "mx-curp"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "population register code (CURP)", "R", countries=frozenset({"MX"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("curp",)
    examples: ClassVar[tuple[str, ...]] = ("BOXW310820HNERXN09", "HEGG560427MVZRRL04")
    look_alikes: ClassVar[tuple[str, ...]] = ("BOXW310820HNERXN08", "BOXW311320HNERXN09", "BOXW310820XNERXN09")
    form: ClassVar[re.Pattern[str]] = re.compile(r"[A-ZÑ]{4}\d{6}[HMX][A-Z]{2}[A-ZÑ]{3}[A-Z\d]\d")
    inside: ClassVar[re.Pattern[str] | None] = inside(form.pattern)

    def valid(self, number: str) -> bool:
        """Tell whether the day exists and the last digit is right."""
        places = "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ"
        total = sum(places.index(sign) * (18 - at) for at, sign in enumerate(number[:17]))
        day = real_day(int(number[4:6]), int(number[6:8]), int(number[8:10]))
        return day and -total % 10 == int(number[17])
