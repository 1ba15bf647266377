"""Web addresses."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import Identifier, IdentifierTraits

__all__ = ["Url"]

_ADDRESS = r"(?:(?:https?|ftps?|sftp)://[^\s/?#<>\"]+|www\.[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)(?:[/?#][^\s<>\"]*)?"


class Url(Identifier):
    """A web address: a page about a person, a profile, a link to a record.

    A scheme (http, https, ftp) and a host, or a host that begins with www.

    Examples
    --------
    >>> Url().matches(["https://example.org/people/7", "www.example.org", "example"]).tolist()
    [True, True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(N).
    RFC 3986, "Uniform resource identifier (URI): generic syntax", 2005, section 3.
    """

    id: ClassVar[str] = "url"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("web address", "N", chance=1e-12, least=0.0)
    words: ClassVar[tuple[str, ...]] = ("url", "uri", "website", "web site", "homepage", "home page", "web address")
    examples: ClassVar[tuple[str, ...]] = ("https://example.org/people/7?tab=1", "www.example.org", "FTP://example.org")
    look_alikes: ClassVar[tuple[str, ...]] = ("example", "http://", "www.", "https:// example.org")
    form: ClassVar[re.Pattern[str]] = re.compile(_ADDRESS, re.IGNORECASE)
    inside: ClassVar[re.Pattern[str] | None] = form
