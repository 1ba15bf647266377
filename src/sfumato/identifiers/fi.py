"""Numbers of Finland: the register of persons."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._fixed_form import Numbered, inside

__all__ = ["FiHetu"]


class FiHetu(Numbered):
    """A personal identity code of Finland (henkilötunnus).

    Day, month and year of birth, a sign for the century, three digits and a check sign: the nine digits as a number modulo
    31 are its place in 0123456789ABCDEFHJKLMNPRSTUVWXY.

    Examples
    --------
    >>> FiHetu().matches(["131052-308T", "131052-308U"]).tolist()
    [True, False]

    References
    ----------
    Valtioneuvoston asetus väestötietojärjestelmästä (128/2010), 2-4 §.
    """

    id: ClassVar[str] = "fi-hetu"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits(
        "personal identity code (henkilötunnus)", "R", countries=frozenset({"FI"}), checksum=True, chance=0.035
    )
    words: ClassVar[tuple[str, ...]] = ("hetu", "henkilotunnus", "personbeteckning")
    examples: ClassVar[tuple[str, ...]] = ("131052-308T", "010100A900F")
    look_alikes: ClassVar[tuple[str, ...]] = ("131052-308U", "321352-308T", "131052308T")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]")
    inside: ClassVar[re.Pattern[str] | None] = inside(form.pattern)

    def valid(self, number: str) -> bool:
        """Tell whether the check sign is right."""
        return number[-1] == "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(number[:6] + number[-4:-1]) % 31]
