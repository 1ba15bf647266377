"""The number of an account."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._by_column_name import ByColumnName

__all__ = ["AccountNumber"]


class AccountNumber(ByColumnName):
    """The number of an account, in a column that is called so.

    Examples
    --------
    >>> AccountNumber().named(("account", "number")), AccountNumber().named(("account", "balance"))
    ('account number', None)

    References
    ----------
    45 CFR 164.514(b)(2)(i)(J).
    """

    id: ClassVar[str] = "account-number"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("account number", "J")
    words: ClassVar[tuple[str, ...]] = (
        "account number", "account no", "account nr", "account id", "acct", "=account", "bank account", "kontonummer",
        "konto nr", "numero de compte", "numero de cuenta", "customer id", "customer number", "client id", "client number",
        "kundennummer", "invoice number",
    )  # fmt: skip
    examples: ClassVar[tuple[str, ...]] = ("1234567890", "AC-0042")
    look_alikes: ClassVar[tuple[str, ...]] = ("yes", "savings", "*")
