"""A photograph."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import Identifier, IdentifierTraits

__all__ = ["Photograph"]


class Photograph(Identifier):
    """A photograph, as the name of an image file or in a column that is called so.

    What is in a picture cannot be seen here: an image of a full face and one of a wrist look the same.

    Examples
    --------
    >>> Photograph().matches(["portraits/0042.jpg", "0042"]).tolist()
    [True, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(Q).
    """

    id: ClassVar[str] = "photograph"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("photograph", "Q", chance=0.001)
    words: ClassVar[tuple[str, ...]] = (
        "photo", "photograph", "picture", "portrait", "face image", "headshot", "passbild", "foto", "avatar",
    )  # fmt: skip
    examples: ClassVar[tuple[str, ...]] = ("portraits/0042.jpg", "scan_17.DCM", "a.png")
    look_alikes: ClassVar[tuple[str, ...]] = ("0042", "yes", ".jpg extra words")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\S+\.(?:jpe?g|png|gif|bmp|tiff?|webp|heic|dcm)", re.IGNORECASE)

    def fits(self, text: str) -> bool:
        """Take anything long enough to be a file, an address or a picture itself."""
        return len(text.strip()) >= 8 or self.match(text)
