"""Numbers of Hong Kong: the identity card."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._fixed_form import Numbered

__all__ = ["HkId"]


class HkId(Numbered):
    """An identity card number of Hong Kong.

    One or two letters, six digits and a check sign, often in brackets. Letters count from A as 10, a missing one as 36;
    with the weights 9 to 1 the sum is a multiple of 11, where A as check sign is 10.

    Examples
    --------
    >>> HkId().matches(["A123456(3)", "A123456(4)"]).tolist()
    [True, False]

    References
    ----------
    Registration of Persons Ordinance of Hong Kong, cap. 177.
    """

    id: ClassVar[str] = "hk-id"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "identity card number", "R", countries=frozenset({"HK"}), checksum=True, chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("hkid", "hong kong id")
    examples: ClassVar[tuple[str, ...]] = ("A123456(3)", "A1234563")
    look_alikes: ClassVar[tuple[str, ...]] = ("A123456(4)", "1234563", "A12345(3)")
    form: ClassVar[re.Pattern[str]] = re.compile(r"[A-Z]{1,2}\d{6}(?:\([\dA]\)|[\dA])")

    def valid(self, number: str) -> bool:
        """Tell whether the sum is a multiple of 11."""
        signs = number.replace("(", "").replace(")", "")
        places = [36] * (9 - len(signs)) + [int(sign, 36) for sign in signs]
        return sum(place * (9 - at) for at, place in enumerate(places)) % 11 == 0
