"""Identifiers: how a machine recognises what names a person, by the name of a column and by what it holds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from math import inf, log
from typing import ClassVar, Self

import numpy as np

from sfumato.contracts.thing import Thing
from sfumato.data.frozen import frozen
from sfumato.data.schema import Role
from sfumato.kernels.arrays import Bools

__all__ = ["SAFE_HARBOR", "Flags", "Identifier", "IdentifierTraits", "evidence", "flags", "words_of"]

Flags = Bools

# The eighteen categories of 45 CFR 164.514(b)(2)(i), by their letter.
SAFE_HARBOR: Mapping[str, str] = {
    "A": "names",
    "B": "geographic subdivisions smaller than a state",
    "C": "dates more exact than the year, ages over 89",
    "D": "telephone numbers",
    "E": "fax numbers",
    "F": "e-mail addresses",
    "G": "social security numbers",
    "H": "medical record numbers",
    "I": "health plan beneficiary numbers",
    "J": "account numbers",
    "K": "certificate and licence numbers",
    "L": "vehicle identifiers and licence plates",
    "M": "device identifiers and serial numbers",
    "N": "web addresses",
    "O": "IP addresses",
    "P": "biometric identifiers",
    "Q": "photographs of the full face",
    "R": "any other unique identifying number or code",
}


@frozen
class IdentifierTraits:
    """What an identifier is, and how far its form can be trusted.

    ``what`` names it in plain words, ``category`` is its letter in :data:`SAFE_HARBOR`, ``role`` what a policy should make of
    it. ``countries`` are those that use it (ISO 3166, two letters; none: everywhere). ``checksum`` says whether a check digit
    proves it, ``chance`` how likely a value that is written like one but is none passes at most. From the share ``least`` of
    the distinct values on, what a column holds is enough to tell, whatever the column is called; a chance of 1 means that it
    never is.
    """

    what: str
    category: str
    role: Role = Role.IDENTIFIER
    countries: frozenset[str] = frozenset()
    checksum: bool = False
    chance: float = 1.0
    least: float = 0.8


class Identifier(Thing):
    """Recognises one kind of identifier, text by text.

    ``match`` is the definition: the ``form``, and ``valid`` of what has it. ``telling`` is narrower where a form is shared with
    other things: nine bare digits match a social security number, with hyphens they tell one; so a text without the ``sign``
    never tells. ``fits`` is wider: what a column that is called so may hold.
    ``words`` are the column names, singly or as phrases (``"medical record"``); one that begins with ``=`` must be the whole
    name. A word of ``unless`` takes it back. ``examples`` are invented, ``look_alikes`` must not match.
    """

    kind: ClassVar[str] = "identifier"
    traits: ClassVar[IdentifierTraits]
    words: ClassVar[tuple[str, ...]] = ()
    unless: ClassVar[tuple[str, ...]] = ()
    examples: ClassVar[tuple[str, ...]] = ()
    look_alikes: ClassVar[tuple[str, ...]] = ()
    # A form that no text has is that of recognisers with a definition of their own.
    form: ClassVar[re.Pattern[str]] = re.compile(r"(?!)")
    sign: ClassVar[re.Pattern[str]] = re.compile("")
    # What to look for inside longer texts; none where that would find too much.
    inside: ClassVar[re.Pattern[str] | None] = None

    def match(self, text: str) -> bool:
        """Tell whether a text is one, in any form in which it is written."""
        text = text.strip()
        return self.form.fullmatch(text) is not None and self.valid(text)

    def valid(self, text: str) -> bool:
        """Tell whether a text that has the form obeys the rule; without a rule the form is enough."""
        return True

    def telling(self, text: str) -> bool:
        """Tell whether the text is one in a form that hardly anything else has."""
        return self.sign.search(text.strip()) is not None and self.match(text)

    def fits(self, text: str) -> bool:
        """Tell whether a column that is called so may hold the text."""
        return self.match(text)

    def search(self, text: str) -> bool:
        """Tell whether a longer text holds one."""
        if self.inside is None or self.sign.search(text) is None:
            return False
        return any(self.telling(found[0]) for found in self.inside.finditer(text))

    @property
    def width(self) -> int | None:
        """How many digits a bare number always has; ``None`` where that is not fixed."""
        return None

    def matches(self, texts: Sequence[str]) -> Flags:
        """Tell of every text whether it is one."""
        return flags(self.match, texts)

    def named(self, words: Sequence[str]) -> str | None:
        """Return the word or phrase by which a column is called so, or ``None``; see :func:`words_of`."""
        if any(_holds(words, phrase) for phrase in self.unless):
            return None
        return next((phrase.removeprefix("=") for phrase in self.words if _holds(words, phrase)), None)

    def within(self, countries: Sequence[str]) -> Self:
        """Return the recogniser for some countries; most know only their own."""
        return self


def flags(judge: Callable[[str], bool], texts: Sequence[str]) -> Flags:
    """Ask the same of every text."""
    return np.fromiter(map(judge, texts), np.bool_, count=len(texts))


def words_of(name: str) -> tuple[str, ...]:
    """Split a column name into plain words: at capitals, digits and signs, without accents.

    >>> words_of("patientZIP_code"), words_of("Prénom du père"), words_of("DOB2")
    (('patient', 'zip', 'code'), ('prenom', 'du', 'pere'), ('dob', '2'))
    """
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    parts = re.findall(r"[A-Z]?[a-zß]+|[A-Z]+(?![a-z])|\d+|[^\W\d_a-zA-Z]+", plain)
    return tuple(part.lower() for part in parts) or (plain.lower(),)


def _holds(words: Sequence[str], phrase: str) -> bool:
    wanted = tuple(phrase.removeprefix("=").split())
    joined = "".join(wanted)
    if "".join(words) == joined or (joined in words and not phrase.startswith("=")):
        return True
    if phrase.startswith("="):
        return False
    return any(tuple(words[at : at + len(wanted)]) == wanted for at in range(len(words) - len(wanted) + 1))


def evidence(hits: int, examined: int, chance: float) -> float:
    """Return how strongly ``hits`` among ``examined`` values speak against chance, in nats.

    The probability of so many hits is at most exp(-evidence), by the bound of Chernoff: n KL(hits / n || chance).

    >>> evidence(1, 10, 0.1), round(evidence(10, 10, 0.1), 2), evidence(5, 5, 1.0)
    (0.0, 23.03, 0.0)
    """
    if not examined or hits <= chance * examined:
        return 0.0
    share = hits / examined
    if chance <= 0:
        return inf
    against = (1 - share) * log((1 - share) / (1 - chance)) if share < 1 else 0.0
    return examined * (share * log(share / chance) + against)
