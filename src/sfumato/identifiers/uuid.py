"""Universally unique identifiers."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._fixed_form import Numbered

__all__ = ["Uuid"]


class Uuid(Numbered):
    """A universally unique identifier: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.

    Examples
    --------
    >>> Uuid().matches(["f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "f81d4fae-7dec"]).tolist()
    [True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(R).
    RFC 9562, "Universally unique identifiers (UUIDs)", 2024, section 4.
    """

    id: ClassVar[str] = "uuid"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("universally unique identifier", "R", chance=1e-6)
    words: ClassVar[tuple[str, ...]] = ("uuid", "guid")
    examples: ClassVar[tuple[str, ...]] = (
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        "{F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6}",
    )
    look_alikes: ClassVar[tuple[str, ...]] = ("f81d4fae-7dec", "g81d4fae-7dec-11d0-a765-00a0c91e6bf6")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\{?[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}\}?")
