"""Postal codes of several countries: ZIP codes, postcodes with letters, and codes of digits."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.data.schema import Role
from sfumato.identifiers._fixed_form import Numbered

__all__ = ["CaPostalCode", "NlPostcode", "PostalCode", "UkPostcode", "UsZip"]

_WORDS = (
    "zip", "zipcode", "zip code", "postcode", "post code", "postal", "postal code", "plz", "postleitzahl", "code postal",
    "codigo postal", "cap", "cep", "pin code", "pincode", "postnummer", "kod pocztowy",
)  # fmt: skip


class UsZip(Numbered):
    """A ZIP code of the United States.

    Five digits, perhaps with four more after a hyphen. Nine digits with the hyphen tell it; five digits fit a column that is
    called so.

    Examples
    --------
    >>> UsZip().matches(["90210", "90210-1234", "902**"]).tolist()
    [True, True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(B).
    """

    id: ClassVar[str] = "us-zip"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "ZIP code", "B", Role.QUASI_IDENTIFIER, countries=frozenset({"US"}), chance=0.01
    )
    words: ClassVar[tuple[str, ...]] = ("zip", "zipcode", "zip code", "zip5", "zip9")
    examples: ClassVar[tuple[str, ...]] = ("90210", "90210-1234", "00501")
    look_alikes: ClassVar[tuple[str, ...]] = ("902**", "9021", "902101", "[90000-91000)")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{5}(?:-\d{4})?")
    sign: ClassVar[re.Pattern[str]] = re.compile("-")

    def fits(self, text: str) -> bool:
        """Take four and nine bare digits too: what is left of a code that lost its zero or its hyphen."""
        return self.match(text) or (text.isdigit() and len(text) in (4, 9))


class UkPostcode(Numbered):
    """A postcode of the United Kingdom: the outward code, a blank, and the inward code such as ``1AA``.

    Examples
    --------
    >>> UkPostcode().matches(["SW1A 1AA", "M1 1AE", "SW1A"]).tolist()
    [True, True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(B).
    BS 7666-0, "Spatial datasets for geographical referencing", 2006.
    """

    id: ClassVar[str] = "uk-postcode"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "postcode", "B", Role.QUASI_IDENTIFIER, countries=frozenset({"GB"}), chance=0.01
    )
    words: ClassVar[tuple[str, ...]] = ("postcode", "post code")
    examples: ClassVar[tuple[str, ...]] = ("SW1A 1AA", "M1 1AE", "ec1a1bb")
    look_alikes: ClassVar[tuple[str, ...]] = ("SW1A", "QW1 1AA", "SW1A 1CI", "12345")
    form: ClassVar[re.Pattern[str]] = re.compile(
        r"[A-PR-UWYZ](?:\d[\dA-HJKPS-UW]?|[A-HK-Y]\d[\dABEHMNPRVWXY]?) ?\d[ABD-HJLNP-UW-Z]{2}"
    )


class CaPostalCode(Numbered):
    """A postal code of Canada: letter, digit, letter, a blank, digit, letter, digit.

    Examples
    --------
    >>> CaPostalCode().matches(["K1A 0B1", "D1A 0B1"]).tolist()
    [True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(B).
    Canada Post, "Addressing guidelines", section on postal codes.
    """

    id: ClassVar[str] = "ca-postal-code"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "postal code", "B", Role.QUASI_IDENTIFIER, countries=frozenset({"CA"}), chance=0.01
    )
    words: ClassVar[tuple[str, ...]] = ("postal code", "code postal")
    examples: ClassVar[tuple[str, ...]] = ("K1A 0B1", "H0H0H0")
    look_alikes: ClassVar[tuple[str, ...]] = ("D1A 0B1", "K1A 0O1", "K1A")
    form: ClassVar[re.Pattern[str]] = re.compile(r"[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z][ -]?\d[ABCEGHJ-NPRSTV-Z]\d")


class NlPostcode(Numbered):
    """A postcode of the Netherlands: four digits, the first not 0, and two letters, not SA, SD or SS.

    Examples
    --------
    >>> NlPostcode().matches(["1012 AB", "0012 AB", "1012 SS"]).tolist()
    [True, False, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(B).
    NEN 5825, "Addresses: definitions, character sets, exchange formats", 2002.
    """

    id: ClassVar[str] = "nl-postcode"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "postcode", "B", Role.QUASI_IDENTIFIER, countries=frozenset({"NL"}), chance=0.1
    )
    words: ClassVar[tuple[str, ...]] = ("postcode", "post code")
    examples: ClassVar[tuple[str, ...]] = ("1012 AB", "9999zz")
    look_alikes: ClassVar[tuple[str, ...]] = ("0012 AB", "1012 SS", "1012")
    form: ClassVar[re.Pattern[str]] = re.compile(r"[1-9]\d{3} ?(?!S[ADS])[A-Z]{2}")


class PostalCode(Numbered):
    """A postal code of digits, in a column that is called so.

    Four digits (Austria, Belgium, Denmark, Switzerland, ...), five (France, Germany, Italy, Spain, ...), six (China, India,
    ...), and the forms with a sign: ``12-345`` (Poland), ``123 45`` (Czechia, Greece, Sweden), ``1234-567`` (Portugal),
    ``123-4567`` (Japan), ``12345-678`` (Brazil), perhaps with the letter of the country in front. Digits alone never tell a
    postal code: the name of the column must.

    Examples
    --------
    >>> PostalCode().matches(["80331", "D-80331", "1234-567", "803**"]).tolist()
    [True, True, True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(B).
    Universal Postal Union, "Postal addressing systems in member countries".
    """

    id: ClassVar[str] = "postal-code"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("postal code", "B", Role.QUASI_IDENTIFIER)
    words: ClassVar[tuple[str, ...]] = _WORDS
    examples: ClassVar[tuple[str, ...]] = ("80331", "D-80331", "1234-567", "00-950", "110 00", "1010")
    look_alikes: ClassVar[tuple[str, ...]] = ("803**", "80", "80331123456", "[80000-81000)")
    form: ClassVar[re.Pattern[str]] = re.compile(
        r"(?:[A-Z]{1,2}-)?(?:\d{4,6}|\d{2}-\d{3}|\d{3} \d{2,3}|\d{4}-\d{3}|\d{3}-\d{4}|\d{5}-\d{3})"
    )
