"""Sentences as an id with facts: they read as English wherever they go, and are worded in another language at the edge.

A language is a file ``words/<language>.json``: an object ``form`` (signs in numbers, how lists end) and for each id a text with
places for facts. A place says how its fact is written: ``{n:#record|records}`` is a count with its noun, ``{n:?is|are}`` what
agrees with a count, ``{x:n}`` a number for reading, ``{x:%}`` a share, ``{x:list}`` names one after the other (``{x:or}`` for
a choice), ``{x:first}`` begins with a capital and ``{x:small}`` with a small letter, ``{x}`` is the fact as it is. A fact may
be a sentence itself. What a file kept as text is known again by its words, so that it can be worded too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from string import Formatter
from typing import cast

from sfumato.data.words import number, percent, printable
from sfumato.errors import BadRequest

__all__ = [
    "ENGLISH",
    "Message",
    "called",
    "languages",
    "recalled",
    "refuse_unspoken",
    "say",
    "signs",
    "speaking",
    "spoken",
    "tell",
    "worded",
]

ENGLISH = "en"

Fact = object
Words = Mapping[str, str]
_Pattern = tuple[str, str, Sequence[tuple[str, str]], Sequence[str], int]

_SHELF: Traversable = files("sfumato.words")
_PAGE = "page."  # what stands on pages alone is kept in no file, and need not be known again
_LISTED = 12
_OWN = 4
_SPOKEN: ContextVar[str] = ContextVar("language", default=ENGLISH)


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
    '2,000 records (25.0%) are left out of the release'
    """
    return _message(_writer(ENGLISH).sentence(id, facts), id, facts)


def tell(id: str, /, **facts: Fact) -> str:  # noqa: A002
    """Return the sentence with this id and these facts in the language that is spoken.

    >>> with speaking("de"):
    ...     tell("records.left_out", count=2000, share=0.25)
    '2.000 Datensätze (25,0 %) sind nicht in der Veröffentlichung'
    """
    return _writer(_SPOKEN.get()).sentence(id, facts)


def worded(text: str, language: str | None = None) -> str:
    """Return a sentence in a language, that which is spoken if none is named; what there are no words for stays as it is.

    >>> worded(say("records.left_out", count=2000, share=0.25), "de")
    '2.000 Datensätze (25,0 %) sind nicht in der Veröffentlichung'
    >>> worded("2,000 records (25.0%) are left out of the release", "de")
    '2.000 Datensätze (25,0 %) sind nicht in der Veröffentlichung'
    """
    language = language or _SPOKEN.get()
    if language == ENGLISH:
        return str(text)
    known = text if isinstance(text, Message) else recalled(text)
    return text if known is None else _writer(language).sentence(known.id, known.facts)


def called(id: str, english: str) -> str:  # noqa: A002
    """Return how the language that is spoken says what a thing says of itself in English; English if it has no words for it."""
    return _writer(_SPOKEN.get()).sentences.get(id, english)


def refuse_unspoken(language: str) -> None:
    """Refuse a language that there are no words in."""
    if language not in languages():
        raise BadRequest(
            "is not a language that there are words in", parameter="language", value=language, available=languages()
        )


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Tell everything inside in this language; one that there are no words in is refused."""
    refuse_unspoken(language)
    before = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(before)


def spoken() -> str:
    """Return the language that is spoken."""
    return _SPOKEN.get()


def signs(text: str) -> str:
    """Write the signs of an English number as the spoken language does."""
    return _writer(_SPOKEN.get()).signs(text)


def languages() -> tuple[str, ...]:
    """Return the languages that there are words in."""
    found = {entry.name.removesuffix(".json") for entry in _SHELF.iterdir() if entry.name.endswith(".json")}
    return (ENGLISH, *sorted(found - {ENGLISH}))


def _message(text: str, name: str, facts: Mapping[str, Fact]) -> Message:
    out = Message(text)
    out.id, out.facts = name, facts
    return out


def _flat(document: Mapping[str, object], begin: str = "") -> Iterator[tuple[str, str]]:
    for key, held in document.items():
        if isinstance(held, Mapping):
            yield from _flat(held, f"{begin}{key}.")
        else:
            yield begin + key, str(held)


@cache
def _writer(language: str) -> _Writer:
    return _Writer(language)


class _Writer(Formatter):
    """Writes facts into sentences as one language does."""

    def __init__(self, language: str) -> None:
        document = json.loads(_SHELF.joinpath(f"{language}.json").read_text("utf-8"))
        self.language = language
        self.form = cast("Words", document.pop("form"))
        self.sentences = dict(_flat(document))

    def sentence(self, name: str, facts: Mapping[str, Fact]) -> str:
        # A language that has no words for a sentence yet says it in English.
        words = self if name in self.sentences else _writer(ENGLISH)
        return words.vformat(words.sentences[name], (), facts)

    def format_field(self, value: Fact, spec: str) -> str:
        if spec[:1] in ("#", "?"):
            one, _, many = spec[1:].partition("|")
            noun = one if value in (1, "1") else many
            return noun if spec[0] == "?" else f"{self._number(value)} {noun}"
        if spec in ("list", "or"):
            return self._list(value, self.form[spec.replace("list", "and")])
        if spec == "n":
            return self._number(value)
        if isinstance(value, str):
            said = worded(value, self.language) if isinstance(value, Message) else value
            if spec in ("first", "small"):
                return (said[:1].upper() if spec == "first" else said[:1].lower()) + said[1:]
            return self.signs(said) if spec else said
        if spec == "%":
            return self.signs(percent(cast("float", value), 1.0))
        said = format(value, spec)
        return self.signs(said) if isinstance(value, (int, float)) else said

    def signs(self, text: str) -> str:
        """Write the signs of an English number as this language does."""
        if self.language == ENGLISH:
            return text
        local = text.translate({ord(","): self.form["thousands"], ord("."): self.form["decimal"]})
        return re.sub(r"(?<=\d)%", self.form["percent"], local)

    def _number(self, value: Fact) -> str:
        return self.signs(value if isinstance(value, str) else number(cast("float | None", value)))

    def _list(self, value: Fact, last: str) -> str:
        """Write names one after the other; a long list is cut."""
        if isinstance(value, str):  # known again from a text
            end = " or " if last == self.form["or"] else " and "
            begin, found, rest = value.rpartition(end)
            return f"{begin} {last} {rest}" if found else value
        names = [printable(self.format_field(one, ""), 60) for one in cast("Sequence[Fact]", value)]
        if len(names) > _LISTED:
            left = self.form["more"].format(self._number(len(names) - _LISTED + 1))
            return f"{', '.join(names[: _LISTED - 1])} {last} {left}"
        return f" {last} ".join(([", ".join(names[:-1])] if len(names) > 1 else []) + names[-1:])


# ---- known again -------------------------------------------------------------------------------------------------------------


def recalled(text: str) -> Message | None:
    """Return the sentence that a text was, before a file kept it as text; of several the one with the most words of its own."""
    whole, patterns = _kept_sentences()
    if text in whole:
        return _message(text, whole[text], {})
    for name, pattern, places, words, own in patterns:
        if not all(word in text for word in words):
            continue
        found = _compiled(pattern).fullmatch(text)
        if found is None:
            continue
        facts = dict(_facts(places, found.groups()))
        framed = [isinstance(facts[place], Message) for place, spec in places if not spec]
        # A frame with hardly a word of its own fits nearly everything; it counts if what it frames is known.
        if own >= _OWN or (all(framed) and (framed or own)):
            return _message(text, name, facts)
    return None


def _facts(places: Sequence[tuple[str, str]], parts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield facts as their words tell them; what agrees with a count tells it only where nothing else does."""
    pairs = list(zip(places, parts, strict=True))
    for (name, spec), part in reversed(pairs):
        if spec.startswith("?"):
            yield name, "1" if part == spec[1:].partition("|")[0] else "2"
    for (name, spec), part in reversed(pairs):
        if not spec.startswith("?"):
            known = recalled(part) if spec in ("", "first", "small") else None
            yield name, part if known is None else known


@cache
def _kept_sentences() -> tuple[Mapping[str, str], Sequence[_Pattern]]:
    """Return the English sentences that have no places by their text, and patterns of the others, the longest first."""
    whole: dict[str, str] = {}
    patterns: list[_Pattern] = []
    for name, text in _writer(ENGLISH).sentences.items():
        if name.startswith(_PAGE):
            continue
        parts = list(Formatter().parse(text))
        places = [(place, spec or "") for _, place, spec, _ in parts if place is not None]
        if not places:
            whole.setdefault(text, name)
            continue
        pattern = "".join(
            re.escape(own) + ("" if place is None else _place(spec or "")) for own, place, spec, _ in parts
        )
        words = [own for own, _, _, _ in parts]
        own = sum(sign.isalpha() for text in words for sign in text)
        patterns.append((name, pattern, places, words, own))
        if own < _OWN:  # what is framed may hold the words of the frame
            patterns.append((name, pattern.replace("(.+?)", "(.+)"), places, words, own))
    return whole, sorted(patterns, key=lambda one: -one[4])


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when some text has all its words: of hundreds hardly one is needed."""
    return re.compile(pattern, re.DOTALL)


def _place(spec: str) -> str:
    """Return what a fact of this form looks like in English."""
    if spec.startswith("#"):
        one, many = (re.escape(noun) for noun in spec[1:].split("|"))
        return rf"([\d,.]+) (?:{one}|{many})"
    if spec.startswith("?"):
        return "(" + "|".join(re.escape(noun) for noun in spec[1:].split("|")) + ")"
    return (
        "(.+?)"
        if spec in ("", "list", "or", "first", "small")
        else r"((?:[<>] )?[-−]?[\d.,]+(?:e[-+]?\d+)?(?: ?%)?|–|inf|nan)"
    )
