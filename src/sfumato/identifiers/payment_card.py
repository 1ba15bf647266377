"""Numbers of payment cards."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._check_digits import luhn
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["PaymentCard"]

_CARD = r"\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{1,7}|\d{4}[ -]?\d{6}[ -]?\d{4,5}"
# First digits and lengths by which the networks can be told.
_NETWORKS = re.compile(
    r"4\d{12}(?:\d{3}){0,2}"
    r"|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"
    r"|3[47]\d{13}"
    r"|6(?:011|5\d\d|4[4-9]\d)\d{12,15}"
    r"|3(?:0[0-5]|[689]\d)\d{11,16}"
    r"|35(?:2[89]|[3-8]\d)\d{12,15}"
    r"|62\d{14,17}"
)


class PaymentCard(Numbered):
    """The number of a payment card.

    Thirteen to nineteen digits that begin like those of a known network (Visa, Mastercard, American Express, Discover,
    Diners, JCB, UnionPay) and whose last digit is right by Luhn's scheme.

    Examples
    --------
    >>> PaymentCard().matches(["4111 1111 1111 1111", "4111 1111 1111 1112"]).tolist()
    [True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(J).
    ISO/IEC 7812-1, "Identification cards: identification of issuers", 2017, annex B.
    """

    id: ClassVar[str] = "payment-card"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("payment card number", "J", checksum=True, chance=0.1)
    words: ClassVar[tuple[str, ...]] = (
        "credit card",
        "debit card",
        "card number",
        "card no",
        "cc number",
        "pan",
        "kreditkarte",
    )
    examples: ClassVar[tuple[str, ...]] = (
        "4111 1111 1111 1111",
        "5555555555554444",
        "378282246310005",
        "3530111333300000",
    )
    look_alikes: ClassVar[tuple[str, ...]] = ("4111 1111 1111 1112", "79927398713", "9111111111111112", "")
    form: ClassVar[re.Pattern[str]] = re.compile(_CARD)
    inside: ClassVar[re.Pattern[str] | None] = inside(_CARD)

    def valid(self, number: str) -> bool:
        """Tell whether the network is known and the check digit right."""
        return _NETWORKS.fullmatch(number) is not None and luhn(number)
