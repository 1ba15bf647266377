"""Sentences as an id with facts: they read as English wherever they go, and are worded in another language at the edge.

A language is a file ``words/<language>.toml``: a table ``form`` (signs in numbers, how lists end) and for each id a text with
places for facts. A place says how its fact is written: ``{n:#record|records}`` is a count with its noun, ``{x:n}`` a number for
reading, ``{x:%}`` a share, ``{x:list}`` names one after the other, ``{x}`` the fact as it is. A fact may be a sentence itself.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import cast

__all__ = ["ENGLISH", "Message", "languages", "say", "worded"]

ENGLISH = "en"

Fact = object
Words = Mapping[str, str]


class Message(str):
    """A sentence that knows its id and its facts."""

    id: str
    facts: Mapping[str, Fact]

    __slots__ = ("facts", "id")

    def __getnewargs__(self) -> tuple[str]:  # a sentence that went through a process is still one
        return (str(self),)


def say(id: str, /, **facts: Fact) -> Message:  # noqa: A002
    """Return the sentence with this id and these facts, in English.

    >>> say("records.left_out", count=2000, share=0.25)
    '2,000 records (25.0 %) are left out of the release'
    """
    out = Message(_Writer(ENGLISH).worded(id, facts))
    out.id, out.facts = id, facts
    return out


def worded(text: str, language: str = ENGLISH) -> str:
    """Return a sentence in a language; a text that is no message, or that the language has no words for, stays as it is.

    >>> worded(say("records.left_out", count=2000, share=0.25), "de")
    '2.000 Datensätze (25,0 %) sind nicht in der Veröffentlichung'
    """
    if not isinstance(text, Message) or language == ENGLISH:
        return str(text)
    return _Writer(language).worded(text.id, text.facts)


def languages() -> tuple[str, ...]:
    """Return the languages that there are words in."""
    found = {
        entry.name.removesuffix(".toml") for entry in files("sfumato.words").iterdir() if entry.name.endswith(".toml")
    }
    return (ENGLISH, *sorted(found - {ENGLISH}))


@cache
def _words(language: str) -> tuple[Words, Words]:
    """Return how a language writes numbers and lists, and its sentences by id."""
    document = tomllib.loads(files("sfumato.words").joinpath(f"{language}.toml").read_text("utf-8"))
    form = cast("Words", document.pop("form"))
    return form, dict(_flat(document))


def _flat(document: Mapping[str, object], begin: str = "") -> Sequence[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    for key, held in document.items():
        out += _flat(held, f"{begin}{key}.") if isinstance(held, Mapping) else [(begin + key, str(held))]
    return out


class _Writer(Formatter):
    """Writes facts into sentences as one language does."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.form, self.sentences = _words(language)

    def worded(self, name: str, facts: Mapping[str, Fact]) -> str:
        # A language that has no words for a sentence yet says it in English.
        words = self if name in self.sentences else _Writer(ENGLISH)
        return words.vformat(words.sentences[name], (), facts)

    def format_field(self, value: Fact, spec: str) -> str:
        if isinstance(value, str):
            return worded(value, self.language)
        if spec.startswith("#"):
            one, _, many = spec[1:].partition("|")
            return f"{self._number(value)} {one if value == 1 else many}"
        if spec == "list":
            return self._list([self.format_field(one, "") for one in cast("Sequence[Fact]", value)])
        if spec == "n":
            return self._number(value)
        if spec == "%":
            return self._share(cast("float", value))
        return self._signs(format(value, spec)) if isinstance(value, (int, float)) else format(value, spec)

    def _number(self, value: Fact) -> str:
        from sfumato.data.words import number

        return self._signs(number(cast("float | None", value)))

    def _share(self, value: float) -> str:
        from sfumato.data.words import percent

        return self._signs(percent(value, 1.0))

    def _signs(self, text: str) -> str:
        return text.translate({ord(","): self.form["thousands"], ord("."): self.form["decimal"]})

    def _list(self, names: Sequence[str]) -> str:
        if len(names) < 2:
            return "".join(names)
        return f"{', '.join(names[:-1])} {self.form['and']} {names[-1]}"
