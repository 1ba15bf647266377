"""Words that a policy lists by type: some are such a thing wherever they stand, others never are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.text.documents import Document, Documents, Places, Span
from sfumato.text.placeholders import PLACEHOLDER
from sfumato.text.terms import Terms, words_of

__all__ = ["with_listed_words"]


def with_listed_words(
    documents: Documents, allow: Mapping[str, Sequence[str]], deny: Mapping[str, Sequence[str]]
) -> Documents:
    """Return the documents without spans of allowed words and with spans of denied ones, case and spaces aside.

    What is denied inside of a longer span stays in it. Placeholders are left alone.

    >>> notes = Documents.of(["<name>May</name> came to Ulm"], tagged=True)
    >>> with_listed_words(notes, {"name": ["may"]}, {"town": ["ULM"]}).held[0].spans
    (Span(start=12, end=15, type='town'),)
    """
    if not any(allow.values()) and not any(deny.values()):
        return documents
    allowed = {name: {_words(word) for word in words} for name, words in allow.items()}
    named = {word: name for name, words in deny.items() for word in words}
    denied = Terms.of(named)
    out = []
    for document in documents:
        kept = [one for one in document.spans if _words(document.said(one)) not in allowed.get(one.type, ())]
        taken = Places((one.start, one.end) for one in kept)
        gone = Places(found.span() for found in PLACEHOLDER.finditer(document.text))
        more = [
            Span(found.start, found.end, named[found.term])
            for found in denied.found(document.text)
            if not taken.overlap(found.start, found.end) and not gone.overlap(found.start, found.end)
        ]
        out.append(Document(document.name, document.text, (*kept, *more), document.person))
    return Documents(tuple(out))


def _words(text: str) -> tuple[str, ...]:
    return tuple(found.term for found in words_of(text))
