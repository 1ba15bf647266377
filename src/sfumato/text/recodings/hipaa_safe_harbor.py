"""Safe Harbor: what the rule of HIPAA leaves of each type of span; the profile that a policy for texts names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sfumato.contracts.thing import Thing, param
from sfumato.errors import BadRequest
from sfumato.identifiers.small_zips import small_zips
from sfumato.text.placeholders import placeholder
from sfumato.text.safe_harbor import SAFE_HARBOR_TYPES, age_below_90, tells_high_age, three_digits, year_alone

__all__ = ["HipaaSafeHarbor"]


class HipaaSafeHarbor(Thing):
    """The eighteen classes of the rule go; of dates, ZIP codes and ages something stays.

    A policy for texts says ``profile: hipaa-safe-harbor``. Classes (A), (B) and (D) to (R) become placeholders. Of dates (C)
    the year stays, unless it tells an age above 89 in ``year``; ages above 89 become ``90+``. Of a ZIP code three digits stay,
    or 000 where 20,000 people or fewer live: ``small_zips`` says where, by the census of 2000 if it is not given. Ages and
    dates are read in digits and in words, in English and German.

    The second half of the rule, that nobody in the house knows how what is left could identify a person, is for people.

    Examples
    --------
    >>> rule = HipaaSafeHarbor(year=2026)
    >>> [rule.left("zip", "03601"), rule.left("date", "March 3rd, 1980"), rule.left("age", "ninety-three")]
    ['000**', '1980', '90+']
    >>> rule.left("name", "Ann")
    '[NAME]'
    >>> rule.left("date", "3 May 1931")
    '[DATE]'

    References
    ----------
    Code of Federal Regulations (US), title 45, section 164.514(b)(2)(i).
    US Department of Health and Human Services, *Guidance Regarding Methods for De-identification of Protected Health
    Information in Accordance with the HIPAA Privacy Rule*, 2012.
    """

    id: ClassVar[str] = "hipaa-safe-harbor"
    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = True

    year: int = param(ge=1900, le=9999, doc="the year from which ages are reckoned: that of the release")
    small_zips: tuple[str, ...] | None = param(
        default=None, doc="ZIP prefixes of 20,000 people or fewer; those of the census of 2000 if not given"
    )
    language: str = param(default="en", choices=("en", "de"), doc="how dates are read that may mean two days")

    def validate(self) -> None:
        """Take prefixes of three digits."""
        super().validate()
        if self.small_zips is not None:
            small_zips(self.small_zips)

    def roles(self) -> Mapping[str, Mapping[str, str]]:
        """Return the types that the rule speaks of, with what becomes of each."""
        return SAFE_HARBOR_TYPES

    def left(self, type: str, said: str) -> str:  # noqa: A002
        """Return what the rule leaves of what is said of a type; a type that it does not speak of is refused."""
        rule = SAFE_HARBOR_TYPES.get(type)
        if rule is None:
            raise BadRequest("is no type of the rule", parameter="type", value=type, available=list(SAFE_HARBOR_TYPES))
        kept: str | None = None
        if rule["replace"] == "zip3":
            kept = three_digits(said, None if self.small_zips is None else frozenset(self.small_zips))
        elif rule["replace"] == "age90":
            kept = age_below_90(said)
        elif rule["replace"] == "year":
            year = year_alone(said, self.language)
            kept = None if year is None or tells_high_age(int(year), self.year) else year
        return kept or placeholder(type)
