"""Vehicle identification numbers."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._fixed_form import Numbered

__all__ = ["Vin"]

_LETTERS = dict(
    zip("ABCDEFGHJKLMNPRSTUVWXYZ", (1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9), strict=True)
)
_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


class Vin(Numbered):
    """A vehicle identification number.

    Seventeen letters and digits without I, O and Q. Letters stand for numbers; the weighted sum modulo 11 is the ninth sign
    (10 is X). The check is the rule in North America and China; numbers of other makers fit a column that is called so.

    Examples
    --------
    >>> Vin().matches(["1M8GDM9AXKP042788", "1M8GDM9A1KP042788"]).tolist()
    [True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(L).
    49 CFR 565.15, "Content requirements" (of vehicle identification numbers).
    """

    id: ClassVar[str] = "vin"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "vehicle identification number", "L", checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("vin", "vehicle identification", "chassis", "fahrgestellnummer", "vehicle id")
    examples: ClassVar[tuple[str, ...]] = ("1M8GDM9AXKP042788", "11111111111111111")
    look_alikes: ClassVar[tuple[str, ...]] = ("1M8GDM9A1KP042788", "IM8GDM9AXKP042788", "1M8GDM9AXKP04278")
    form: ClassVar[re.Pattern[str]] = re.compile(r"[A-HJ-NPR-Z0-9]{17}")

    def valid(self, number: str) -> bool:
        """Tell whether the ninth sign is right."""
        total = sum(w * (int(s) if s.isdigit() else _LETTERS[s]) for w, s in zip(_WEIGHTS, number, strict=True))
        return number[8] == "0123456789X"[total % 11]
