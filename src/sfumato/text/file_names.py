"""What the names of files tell: a folder of notes is often named after its patients."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sfumato.text.documents import Document, Documents
from sfumato.text.name_words import NameForms, is_name, is_usual
from sfumato.text.terms import folded

__all__ = ["file_persons", "neutral_names", "telling_words"]

_LETTERS = re.compile(r"[^\W\d_]+")
_LEAST = 3  # letters of a word that may name somebody
_SUFFIXES = (".txt", ".jsonl", ".ndjson")


def telling_words(name: str) -> tuple[str, ...]:
    """Return the words of a file's name that may name somebody: those that mean nothing else.

    >>> telling_words("Lee, Ann 2024.txt"), telling_words("vasquez_report.txt"), telling_words("note-17.txt")
    (('Lee', 'Ann'), ('vasquez',), ())
    """
    path = Path(name)
    stem = path.stem if path.suffix in _SUFFIXES else path.name
    words = [word for word in _LETTERS.findall(stem) if len(word) >= _LEAST]
    telling = [word for word in words if not is_usual(folded(word))]
    # Beside a name, a word that is also one belongs to it, if it is written like one.
    return tuple(word for word in words if word in telling or (telling and word[0].isupper() and len(words) < 4))


def file_persons(documents: Sequence[Document], persons: Sequence[str]) -> dict[str, set[str]]:
    """Return by person what the names of her files call her, where these are of two words or more."""
    out: dict[str, set[str]] = {person: set() for person in persons}
    for document, person in zip(documents, persons, strict=True):
        words = telling_words(document.name)
        if len(words) > 1:
            out[person].add(" ".join(words))
    return out


def neutral_names(documents: Documents) -> Documents:
    """Return documents whose names tell of nobody: one that may is replaced by its number, in the order of the documents.

    >>> notes = Documents.of({"Ann Lee.txt": "She came", "rose.txt": "<name>Rose</name> left", "2.txt": ""}, tagged=True)
    >>> [one.name for one in neutral_names(notes)]
    ['document-1.txt', 'document-2.txt', '2.txt']
    """
    said = {one.said(span) for one in documents for span in one.spans if is_name(span.type)}
    words = set(NameForms.of(said).words)
    out = list[Document]()
    for at, one in enumerate(documents, start=1):
        held = telling_words(one.name) or words & {folded(word) for word in _LETTERS.findall(one.name)}
        suffix = Path(one.name).suffix if Path(one.name).suffix in _SUFFIXES else ""
        out.append(replace(one, name=f"document-{at}{suffix}") if held else one)
    return Documents(tuple(out))
