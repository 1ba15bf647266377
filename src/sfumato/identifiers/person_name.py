"""Names of persons, told by common given and family names and by the name of the column."""

from __future__ import annotations

import re
import unicodedata
from typing import ClassVar

from sfumato.contracts.identifier import Identifier, IdentifierTraits
from sfumato.identifiers._person_names import FAMILY, GIVEN

__all__ = ["PersonName"]

_TITLE = r"(?:(?:dr|prof|mr|mrs|ms|herr|frau|m|mme|sr|sra)\.? )*"
_PART = r"(?:[^\W\d_]{1,}(?:['’-][^\W\d_]+)*\.?)"
_SHAPE = re.compile(rf"{_TITLE}{_PART}(?:,? {_PART}){{0,5}}(?:,? (?:jr|sr|ii|iii|iv)\.?)?", re.IGNORECASE)
_ADDRESSED = re.compile(r"(?:dr|prof|mr|mrs|ms|herr|frau|mme)\.? [^\W\d_]", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_LETTERS = {"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"}


def _plain(text: str) -> str:
    """Write a text in small letters without accents."""
    small = "".join(_LETTERS.get(sign, sign) for sign in text.lower())
    return "".join(sign for sign in unicodedata.normalize("NFKD", small) if not unicodedata.combining(sign))


class PersonName(Identifier):
    """The name of a person.

    One to six words of letters, among them a common given or family name of several countries. Two words with a given name
    tell it, and so do a title before a word, and one word alone if most values of a column are such. A column that is called
    so need only hold words. The lists are short: a column is recognised by the names that are common, not each name by itself.

    Examples
    --------
    >>> PersonName().matches(["Anna Kowalska", "García, José", "Machine operator", "Flu"]).tolist()
    [True, True, False, False]

    References
    ----------
    45 CFR 164.514(b)(2)(i)(A).
    """

    id: ClassVar[str] = "person-name"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("person's name", "A", chance=0.1, least=0.4)
    words: ClassVar[tuple[str, ...]] = (
        "name", "names", "surname", "firstname", "lastname", "forename", "fullname", "maiden name", "patient name", "nachname",
        "vorname", "familienname", "nom", "prenom", "nombre", "apellido", "apellidos", "nome", "cognome", "naam", "voornaam",
        "achternaam", "imie", "nazwisko", "namn", "fornamn", "efternamn", "navn", "physician", "doctor", "next of kin",
        "arzt", "hausarzt",
    )  # fmt: skip
    unless: ClassVar[tuple[str, ...]] = (
        "file", "hospital", "product", "company", "drug", "country", "state", "city", "school", "department", "brand", "plan",
        "column", "table", "field", "test", "study", "host", "domain", "user", "type", "region", "ward", "procedure",
    )  # fmt: skip
    examples: ClassVar[tuple[str, ...]] = (
        "Anna Kowalska",
        "García, José",
        "Dr. Hans Müller",
        "Emma",
        "MARY ANN SMITH",
        "Dr. Müller",
    )
    look_alikes: ClassVar[tuple[str, ...]] = ("Machine operator", "Flu", "Anna 7", "*", "HIV", "Never-married")

    def match(self, text: str) -> bool:
        """Tell whether a text is made of words with a title before them or a common name among them."""
        common = any(word in GIVEN or word in FAMILY for word in self._words(text))
        return self.fits(text) and (common or _ADDRESSED.match(text.strip()) is not None)

    def telling(self, text: str) -> bool:
        """Tell whether a given name is among several words, or the one word is a name, or a title stands before it."""
        if not self.fits(text):
            return False
        if _ADDRESSED.match(text.strip()):
            return True
        words = self._words(text)
        return any(word in GIVEN for word in words) or (len(words) == 1 and words[0] in FAMILY)

    def fits(self, text: str) -> bool:
        """Tell whether a text is made of words, without digits and signs."""
        text = text.strip()
        return 2 <= len(text) <= 60 and _SHAPE.fullmatch(text) is not None

    @staticmethod
    def _words(text: str) -> list[str]:
        return _WORDS.findall(_plain(text))
