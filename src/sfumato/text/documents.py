"""Documents about people: texts with the places where something of a person is told."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from typing import NamedTuple, Self

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest

__all__ = ["TAGGED", "Document", "Documents", "Places", "Span"]

_TAG = re.compile(r"<(/?)([A-Za-z][\w-]*)>")
TAGGED = re.compile(r"<([A-Za-z][\w-]*)>[^<]*</\1>")
"""What looks like something that somebody tagged."""
_HALF = re.compile("[\ud800-\udfff]")
_NEARLY = re.compile(r"<\s*/?\s*[A-Za-z][\w-]*\s*>")


class Span(NamedTuple):
    """A place in a text, from its first sign to behind its last, and what kind of thing is told there."""

    start: int
    end: int
    type: str


class Places:
    """Places of a text that are apart from each other, to be asked what they overlap: a long text has very many.

    >>> Places([(4, 7), (0, 2)]).overlap(2, 4), Places([(4, 7)]).overlap(6, 9)
    (False, True)
    """

    def __init__(self, places: Iterable[tuple[int, int]]) -> None:
        held = sorted(places)
        self._starts, self._ends = [start for start, _ in held], [end for _, end in held]

    def overlap(self, start: int, end: int) -> bool:
        """Tell whether any of the places shares a sign with these."""
        at = bisect_left(self._starts, end)
        return at > 0 and self._ends[at - 1] > start


@frozen
class Document:
    """A text with its spans, in order and apart from each other; ``person`` is whose it is, where that is known."""

    name: str
    text: str = field(repr=False)
    spans: tuple[Span, ...] = field(default=(), repr=False)
    person: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.text.isascii() and _HALF.search(self.text):
            raise BadRequest("holds half of a sign (a surrogate without its other half)", parameter=self.name)
        object.__setattr__(
            self, "spans", tuple(sorted(span if type(span) is Span else Span(*span) for span in self.spans))
        )
        for span in self.spans:
            if not 0 <= span.start < span.end <= len(self.text):
                raise BadRequest(
                    f"has a span from {span.start} to {span.end} that is not in its text", parameter=self.name
                )
        for one, two in pairwise(self.spans):
            if two.start < one.end:
                raise BadRequest(f"has spans that overlap, at {one.start} and {two.start}", parameter=self.name)

    @classmethod
    def tagged(cls, name: str, text: str, person: str | None = None) -> Self:
        """Return a document from a text with tags, ``<name>Ann</name>``; tags that do not close or lie in others are refused.

        >>> Document.tagged("d1", "<name>Ann</name> is <age>41</age>").spans
        (Span(start=0, end=3, type='name'), Span(start=7, end=9, type='age'))
        """
        plain, spans, length, at = list[str](), list[Span](), 0, 0
        opened: tuple[str, int] | None = None
        if any(not _TAG.fullmatch(near[0]) for near in _NEARLY.finditer(text)):
            raise BadRequest("a tag is written with spaces in it", parameter=name)
        for tag in _TAG.finditer(text):
            plain.append(text[at : tag.start()])
            length += tag.start() - at
            at = tag.end()
            kind = tag[2].lower()
            if not tag[1]:
                if opened is not None:
                    raise BadRequest(f"a tag <{kind}> lies in a tag <{opened[0]}>", parameter=name)
                opened = kind, length
            elif opened is None or opened[0] != kind:
                raise BadRequest(f"a tag </{kind}> closes nothing", parameter=name)
            else:
                if length > opened[1]:
                    spans.append(Span(opened[1], length, kind))
                opened = None
        if opened is not None:
            raise BadRequest(f"a tag <{opened[0]}> is not closed", parameter=name)
        return cls(name, "".join([*plain, text[at:]]), tuple(spans), person)

    def said(self, span: Span) -> str:
        """Return what stands at a span."""
        return self.text[span.start : span.end]

    def replaced(self, places: Sequence[tuple[Span, str]]) -> Document:
        """Return the document with other words at some spans; the others keep what they told, at their new places.

        Whatever lies outside of the spans stays as it is, sign by sign.
        """
        words = dict(places)
        kept = [span for span in self.spans if span not in words]
        parts, spans, at, length = list[str](), list[Span](), 0, 0
        for span in sorted([*words, *kept]):
            parts.append(self.text[at : span.start])
            length += span.start - at
            said = words.get(span, self.said(span))
            parts.append(said)
            if said:
                spans.append(Span(length, length + len(said), span.type))
            length += len(said)
            at = span.end
        return Document(self.name, "".join([*parts, self.text[at:]]), tuple(spans), self.person)


@frozen
class Documents:
    """Documents, each under a name of its own.

    >>> Documents.of({"d1": "<name>Ann</name> has a cold."}, tagged=True).types
    ('name',)
    """

    held: tuple[Document, ...]

    def __post_init__(self) -> None:
        names = [document.name for document in self.held]
        if len(set(names)) < len(names):
            raise BadRequest("two documents have the same name", parameter="source")

    def __len__(self) -> int:
        return len(self.held)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.held)

    @classmethod
    def of(cls, texts: Mapping[str, str] | Sequence[str], *, tagged: bool = False) -> Self:
        """Return documents of texts by name; without names they are numbered. Tags are read where that is said."""
        if isinstance(texts, str):
            raise BadRequest("must be a list of texts, or texts by name", parameter="source", value="one text")
        named = texts if isinstance(texts, Mapping) else {str(at): text for at, text in enumerate(texts, start=1)}
        for name, text in named.items():
            if not isinstance(text, str):
                raise BadRequest("must be a text", parameter=str(name), value=type(text).__name__)
        make = Document.tagged if tagged else Document
        return cls(tuple(make(str(name), text) for name, text in named.items()))

    @property
    def types(self) -> tuple[str, ...]:
        """The types of all spans, by name."""
        return tuple(sorted({span.type for document in self.held for span in document.spans}))
