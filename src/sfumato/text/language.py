"""What language a text is written in, English or German, by the usual words of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from sfumato.text.documents import Document
from sfumato.text.terms import folded, words_in

__all__ = ["language_of", "languages_of"]

_GERMAN = (
    "der",
    "die",
    "das",
    "und",
    "ist",
    "nicht",
    "mit",
    "wurde",
    "von",
    "dem",
    "am",
    "im",
    "zu",
    "sich",
    "frau",
    "herr",
)
_ENGLISH = ("the", "and", "of", "to", "is", "was", "with", "on", "her", "his", "he", "she", "for", "at", "mr", "mrs")
_LOOKED_AT = 20_000  # signs of each text


def language_of(texts: Iterable[str]) -> str:
    """Return ``de`` where usual words of German stand more often than those of English, else ``en``.

    >>> language_of(["Frau Lee kam am Montag zu uns."]), language_of(["Mrs Lee came on Monday."]), language_of(["Lee"])
    ('de', 'en', 'en')
    """
    words = Counter(folded(word) for text in texts for word in words_in(text[:_LOOKED_AT]))
    return "de" if sum(words[one] for one in _GERMAN) > sum(words[one] for one in _ENGLISH) else "en"


def languages_of(documents: Iterable[Document], persons: Sequence[str]) -> dict[str, str]:
    """Return by person the language of her documents."""
    texts: dict[str, list[str]] = {}
    for document, person in zip(documents, persons, strict=True):
        texts.setdefault(person, []).append(document.text)
    return {person: language_of(held) for person, held in texts.items()}
