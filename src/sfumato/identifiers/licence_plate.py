"""The plate of a vehicle."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._by_column_name import ByColumnName

__all__ = ["LicencePlate"]


class LicencePlate(ByColumnName):
    """The plate of a vehicle, in a column that is called so.

    Examples
    --------
    >>> LicencePlate().named(("licence", "plate")), LicencePlate().fits("M-AB 1234")
    ('licence plate', True)

    References
    ----------
    45 CFR 164.514(b)(2)(i)(L).
    """

    id: ClassVar[str] = "licence-plate"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("licence plate", "L")
    words: ClassVar[tuple[str, ...]] = (
        "licence plate", "license plate", "number plate", "plate number", "plate", "kennzeichen", "immatriculation",
        "matricula", "kenteken", "targa",
    )  # fmt: skip
    examples: ClassVar[tuple[str, ...]] = ("M-AB 1234", "AB12 CDE")
    look_alikes: ClassVar[tuple[str, ...]] = ("steel", "*")
