"""Attacks on documents: what an adversary has who reads them, and what she knows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sfumato.contracts.attack import Attack, Risk
from sfumato.contracts.knowledge import Knowledge, Names, Seen, knows
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.engines import from_columns
from sfumato.errors import BadRequest
from sfumato.text.contexts import Contexts
from sfumato.text.documents import Document, Documents, Span
from sfumato.text.placeholders import PLACEHOLDER
from sfumato.text.terms import words_of

__all__ = ["RawDocuments", "TextAttack", "TextKnowledge", "TextSeen", "column_seen"]

_INVENTED = "invented"


@frozen(eq=False, kw_only=True)
class TextSeen(Seen):
    """How an adversary reads published documents: as texts with places, and the person of each by number."""

    documents: tuple[Document, ...]
    persons: tuple[str, ...]
    invented: tuple[str, ...] = ()
    """The types whose spans are true of nobody."""

    @property
    def people(self) -> tuple[str, ...]:
        """The persons, each once, in the order of the documents."""
        return tuple(dict.fromkeys(self.persons))

    def open_texts(self) -> Iterator[tuple[str, str]]:
        """Yield each document with its person, placeholders and what was invented blanked out; places stay where they are."""
        for person, document in zip(self.persons, self.documents, strict=True):
            parts, at = list[str](), 0
            for span in document.spans:
                if span.type in self.invented:
                    parts += [document.text[at : span.start], " " * (span.end - span.start)]
                    at = span.end
            text = "".join([*parts, document.text[at:]])
            yield person, PLACEHOLDER.sub(lambda found: " " * len(found[0]), text)


def column_seen(cells: Sequence[str | None], raw: Documents | None = None, *, invented: bool = False) -> TextSeen:
    """Return how a column of texts is read, one person for each cell.

    Cells have no spans. Where some words are ``invented``, those that stand in none of the ``raw`` texts are taken for such.
    """
    documents = [Document(str(at), cell or "") for at, cell in enumerate(cells, start=1)]
    if invented and raw is not None:
        known = {word.term for one in raw for word in words_of(one.text)}
        documents = [
            replace(
                one, spans=tuple(Span(w.start, w.end, _INVENTED) for w in words_of(one.text) if w.term not in known)
            )
            for one in documents
        ]
    names = tuple(one.name for one in documents)
    table = from_columns({"text": [one.text for one in documents]})
    return TextSeen(table, documents=tuple(documents), persons=names, invented=(_INVENTED,))


@frozen(eq=False)
class RawDocuments:
    """Documents before masking, with their spans, for whoever knows them."""

    documents: Documents
    persons: tuple[str, ...]
    identifying: Names = ()
    """The types whose spans name a person."""
    describing: Names = ()
    """The types whose spans tell more of a person that is masked, too."""
    rows: tuple[Mapping[str, str], ...] = ()
    """What else is known of the person of each document, by type: the other columns of the row that a text stands in."""

    def told(self, *, all: bool = False) -> list[set[tuple[str, str]]]:  # noqa: A002
        """Return by document what names its person, each with its type; or ``all`` that is masked of her."""
        types = {*self.identifying, *(self.describing if all else ())}
        out = [
            {(document.said(one), one.type) for one in document.spans if one.type in types}
            for document in self.documents
        ]
        for told, row in zip(out, self.rows, strict=False):
            told |= {(value, column) for column, value in row.items()}
        return out


@frozen(kw_only=True, eq=False)
class TextKnowledge(Knowledge):
    """What an adversary of published documents may know."""

    terms: Names = knows((), say("known.terms"))
    contexts: Contexts | None = knows(None, say("known.contexts"))
    raw: RawDocuments | None = knows(None, say("known.raw_documents"))


class TextAttack(Attack[TextKnowledge]):
    """An attack on published documents."""

    @abstractmethod
    def on(self, seen: TextSeen, knowledge: TextKnowledge, run: Run) -> Risk:
        """Return the risk that the texts leave to the persons behind them."""

    def run(self, seen: Seen, knowledge: TextKnowledge, run: Run) -> Risk:
        """Try it on the texts that are seen; a table is refused."""
        if not isinstance(seen, TextSeen):
            raise BadRequest(f"{self.id} reads texts: give a release of the shape text", parameter="release")
        return self.on(seen, knowledge, run)
