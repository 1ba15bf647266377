"""The words of a name by which a text may speak of a person again: Ann Lee is also Mrs Lee, Müller is Müllers and Mueller."""

from __future__ import annotations

import unicodedata

from sfumato.text.placeholders import PLACEHOLDER
from sfumato.text.recodings.surrogates import LIKE
from sfumato.text.terms import Found, Terms, words_of

__all__ = ["found_names", "is_name", "name_words"]

_LEAST = 3  # letters of a word that is looked for by itself
_SPELLED = {"ä": "ae", "ö": "oe", "ü": "ue"}  # casefold writes ss already
# Words that stand in names and name nobody.
_TITLES = frozenset(
    [
        "mrs",
        "miss",
        "herr",
        "frau",
        "prof",
        "sir",
        "lady",
        "van",
        "von",
        "der",
        "den",
        "del",
        "dos",
        "the",
        "and",
        "und",
    ]
)


def is_name(kind: str) -> bool:
    """Tell whether spans of a type name persons.

    >>> is_name("doctor"), is_name("address")
    (True, False)
    """
    return LIKE.get(kind) == "name"


def name_words(name: str) -> set[str]:
    """Return the words of a name that tell of the person, each with its genitive and as it is written without marks.

    >>> sorted(name_words("Dr. Ida Müller"))
    ['ida', 'idas', 'mueller', 'muellers', 'muller', 'mullers', 'müller', 'müllers']
    """
    words = {one.term for one in words_of(name)}
    words = {one for one in words if len(one) >= _LEAST and one.isalpha() and one not in _TITLES}
    words |= {"".join(_SPELLED.get(sign, sign) for sign in one) for one in words} | {_plain(one) for one in words}
    return words | {f"{one}s" for one in words}


def _plain(word: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))


def found_names(terms: Terms, text: str) -> list[Found]:
    """Return where such words stand in a text with a capital letter; in small ones they are most often something else.

    Placeholders of an earlier release are no words.

    >>> [one.start for one in found_names(Terms.of(name_words("Will May")), "It may rain; May will not.")]
    [13]
    """
    hidden = PLACEHOLDER.sub(lambda found: "." * len(found[0]), text)
    return [one for one in terms.found(hidden) if text[one.start].isupper()]
