"""The number of a beneficiary of a health plan."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._by_column_name import ByColumnName

__all__ = ["HealthPlanNumber"]


class HealthPlanNumber(ByColumnName):
    """The number of a beneficiary of a health plan, in a column that is called so.

    Examples
    --------
    >>> HealthPlanNumber().named(("policy", "number")), HealthPlanNumber().fits("XYZ 123456")
    ('policy number', True)

    References
    ----------
    45 CFR 164.514(b)(2)(i)(I).
    """

    id: ClassVar[str] = "health-plan-number"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("health plan number", "I")
    words: ClassVar[tuple[str, ...]] = (
        "policy number", "policy no", "member id", "member number", "beneficiary id", "beneficiary", "subscriber id",
        "insurance number", "insurance id", "plan number", "health card", "medicaid", "versicherungsnummer",
        "versichertennummer", "versichertennr", "versicherten nr", "versicherungsnr", "versicherungs nr",
    )  # fmt: skip
    examples: ClassVar[tuple[str, ...]] = ("XYZ 123456", "900112233")
    look_alikes: ClassVar[tuple[str, ...]] = ("private", "[0-5)")
