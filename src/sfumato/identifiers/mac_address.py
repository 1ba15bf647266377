"""MAC addresses of network cards."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import Identifier, IdentifierTraits

__all__ = ["MacAddress"]

_MAC = re.compile(
    r"[0-9A-F]{2}([:-])[0-9A-F]{2}(?:\1[0-9A-F]{2}){4}|[0-9A-F]{4}\.[0-9A-F]{4}\.[0-9A-F]{4}", re.IGNORECASE
)


class MacAddress(Identifier):
    """A MAC address: twelve hexadecimal digits, by twos with colons or hyphens or by fours with dots.

    Examples
    --------
    >>> MacAddress().matches(["00:00:5e:00:53:af", "00-00-5E-00-53-AF", "00:00:5e"]).tolist()
    [True, True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(M).
    IEEE Std 802, "Local and metropolitan area networks: overview and architecture", 2014, clause 8.
    """

    id: ClassVar[str] = "mac-address"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("MAC address", "M", chance=1e-6)
    words: ClassVar[tuple[str, ...]] = ("mac", "macaddr", "mac address")
    examples: ClassVar[tuple[str, ...]] = ("00:00:5e:00:53:af", "00-00-5E-00-53-AF", "0000.5e00.53af")
    look_alikes: ClassVar[tuple[str, ...]] = ("00:00:5e:00:53", "00:00-5e:00-53:af", "00005e0053ag")
    form: ClassVar[re.Pattern[str]] = _MAC
    inside: ClassVar[re.Pattern[str] | None] = re.compile(rf"(?<![\w:-])(?:{_MAC.pattern})(?![\w:-])", re.IGNORECASE)
