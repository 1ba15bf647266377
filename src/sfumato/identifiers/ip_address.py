"""IP addresses, versions 4 and 6."""

from __future__ import annotations

import ipaddress
import re
from typing import ClassVar

from sfumato.contracts.identifier import Identifier, IdentifierTraits

__all__ = ["IpAddress"]

_SIX = r"[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(?:%\w+)?(?:/\d{1,3})?"
_FOUR = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?::\d{1,5})?")
_INSIDE = re.compile(
    r"(?<![\w.:])(?:(?:\d{1,3}\.){3}\d{1,3}|(?=[0-9A-Fa-f]*:)[0-9A-Fa-f:]{6,39})(?![\w.:]*\d)(?![\w:])"
)


class IpAddress(Identifier):
    """An IP address, version 4 or 6, with or without the length of its network or a port.

    Version 4 is four numbers below 256 with dots. The addresses 0.0.0.0 to 0.255.255.255 belong to no machine and are
    not taken, so that numbers of versions such as 0.9.2.1 are not either.

    Examples
    --------
    >>> IpAddress().matches(["192.0.2.17", "2001:db8::17", "192.0.2.300"]).tolist()
    [True, True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(O).
    RFC 4291, "IP version 6 addressing architecture", 2006, section 2.2.
    """

    id: ClassVar[str] = "ip-address"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("IP address", "O", chance=0.05)
    words: ClassVar[tuple[str, ...]] = ("ip", "ipv4", "ipv6", "ipaddr", "ip address")
    examples: ClassVar[tuple[str, ...]] = ("192.0.2.17", "198.51.100.0/24", "2001:db8::17", "192.0.2.17:8080")
    look_alikes: ClassVar[tuple[str, ...]] = ("192.0.2", "192.0.2.300", "0.9.2.1", "12:30:45", "::", "1:2")
    form: ClassVar[re.Pattern[str]] = re.compile(rf"{_FOUR.pattern}|{_SIX}")
    inside: ClassVar[re.Pattern[str] | None] = _INSIDE

    def valid(self, text: str) -> bool:
        """Tell whether a text is an address of either version."""
        if _FOUR.fullmatch(text):
            text = text.partition(":")[0]
            if text.startswith("0"):
                return False
        elif not any(sign.isalnum() for sign in text):
            return False
        try:
            ipaddress.ip_interface(text)
        except ValueError:
            return False
        return True
