"""The number of a certificate or licence."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._by_column_name import ByColumnName

__all__ = ["LicenceNumber"]


class LicenceNumber(ByColumnName):
    """The number of a certificate or licence (to drive, to practise), in a column that is called so.

    Examples
    --------
    >>> LicenceNumber().named(("driver", "license")), LicenceNumber().named(("license", "type"))
    ('license', None)

    References
    ----------
    45 CFR 164.514(b)(2)(i)(K).
    """

    id: ClassVar[str] = "licence-number"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("certificate or licence number", "K")
    words: ClassVar[tuple[str, ...]] = (
        "licence", "license", "licence number", "license number", "driver license", "driving licence", "certificate number",
        "certificate no", "fuehrerschein", "führerschein", "permis de conduire",
    )  # fmt: skip
    unless: ClassVar[tuple[str, ...]] = ("plate", "type", "class", "software")
    examples: ClassVar[tuple[str, ...]] = ("D1234567", "MD 55 1234")
    look_alikes: ClassVar[tuple[str, ...]] = ("yes", "B", "expired")
