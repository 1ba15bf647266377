"""E-mail addresses."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import Identifier, IdentifierTraits

__all__ = ["Email"]

_ADDRESS = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24}"


class Email(Identifier):
    """An e-mail address.

    A local part, the sign @ and a domain with at least one dot. Quoted local parts and addresses at bare numbers, which the
    standard allows and nobody uses, are not recognised.

    Examples
    --------
    >>> Email().matches(["ada@example.org", "ada at example.org"]).tolist()
    [True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(F).
    RFC 5322, "Internet message format", 2008, section 3.4.1.
    """

    id: ClassVar[str] = "email"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("e-mail address", "F", chance=1e-12, least=0.0)
    words: ClassVar[tuple[str, ...]] = ("email", "e mail", "mail", "courriel", "correo")
    examples: ClassVar[tuple[str, ...]] = ("ada@example.org", "a.b+c@mail.example.co.uk")
    look_alikes: ClassVar[tuple[str, ...]] = ("ada@localhost", "@example.org", "ada@example..org", "a b@example.org")
    form: ClassVar[re.Pattern[str]] = re.compile(rf"(?:mailto:)?{_ADDRESS}")
    sign: ClassVar[re.Pattern[str]] = re.compile("@")
    inside: ClassVar[re.Pattern[str] | None] = re.compile(_ADDRESS)

    def valid(self, text: str) -> bool:
        """Tell whether no two dots follow each other."""
        return ".." not in text
