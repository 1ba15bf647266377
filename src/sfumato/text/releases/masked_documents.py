"""Masked documents: texts in which places were overwritten, whose they are by number, and where these places are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import numpy as np

from sfumato.contracts.certificate import Statement
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import Requirement, TableModel, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import SUPPRESSED
from sfumato.engines import from_columns
from sfumato.errors import BadRequest, Unsupported
from sfumato.releases.recoded_table import RecodedTable
from sfumato.text.attack import TextSeen
from sfumato.text.documents import Document, Span
from sfumato.text.placeholders import placeholder

__all__ = ["MaskedDocuments"]


_NUMBERS = ("document", "person", "start", "end")


class MaskedDocuments(ReleaseKind):
    """Documents with fresh numbers, some of their words replaced, and the places that tell of persons.

    The part ``documents`` has a number, the number of the person it is about, and the text; ``spans`` has the places of each
    text where something of a known type stands, a placeholder like ``[NAME]`` or words. Numbers follow the order of the texts,
    so that they tell nothing of the input.

    Adversary: reads the texts and knows something of a person, or of what the public knows.

    Examples
    --------
    >>> parts = MaskedDocuments().parts_of([Document("d1", "[NAME] has a cold", (Span(0, 6, "name"),))], ["p1"])
    >>> parts["spans"].to_rows()
    [(1, 0, 6, 'name')]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, chapter 16.
    """

    id: ClassVar[str] = "masked-documents"
    shape: ClassVar[str] = "text"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=True,
        mixed_granularity=True,
        verifiable=say("verifiable.rows_alone"),
        stops=frozenset({"record", "attribute"}),
        searched=True,
    )

    spans: bool = param(
        default=True, doc="whether any text tells something at a known place; else there is no such part"
    )

    def part_names(self) -> tuple[str, ...]:
        return ("documents", "spans") if self.spans else ("documents",)

    @classmethod
    def of(cls, documents: Sequence[Document]) -> Self:
        """Return the kind for these documents."""
        return cls(spans=any(document.spans for document in documents))

    def roles(self) -> Mapping[str, Role]:
        return dict.fromkeys(("text", "type", *_NUMBERS), Role.PLAIN)

    @staticmethod
    def order(documents: Sequence[Document]) -> list[int]:
        """Return documents by place in the order of their numbers: that of the texts."""
        return sorted(range(len(documents)), key=lambda at: (documents[at].text, documents[at].spans))

    def parts_of(self, documents: Sequence[Document], persons: Sequence[str]) -> dict[str, Table]:
        """Return the two tables of documents and the persons they are about."""
        order = self.order(documents)
        number: dict[str, int] = {}
        texts, spans = list[tuple[int, int, str]](), list[tuple[int, int, int, str]]()
        for at, place in enumerate(order, start=1):
            document = documents[place]
            person = number.setdefault(persons[place], len(number) + 1)
            texts.append((at, person, document.text))
            spans += [(at, *span) for span in document.spans]
        out = {"documents": _table(("document", "person", "text"), texts)}
        return out | ({"spans": _table(("document", "start", "end", "type"), spans)} if self.spans else {})

    def documents_of(self, parts: Parts) -> tuple[list[Document], list[str]]:
        """Return the documents and persons of public tables; what does not fit together is refused."""
        tables = self.tables(parts)
        spans: dict[object, list[Span]] = {}
        places = tables["spans"].select(["document", "start", "end", "type"]).to_rows() if self.spans else []
        for number, start, end, type_ in places:
            if type_ is None or not all(isinstance(one, int) for one in (number, start, end)):
                raise BadRequest("a span does not say where it is", parameter="spans")
            spans.setdefault(number, []).append(Span(start, end, str(type_)))
        documents, persons = list[Document](), list[str]()
        for number, person, text in tables["documents"].select(["document", "person", "text"]).to_rows():
            documents.append(Document(str(number), text or "", tuple(spans.pop(number, ()))))
            persons.append(str(person))
        if spans:
            raise BadRequest("a span lies in no document", parameter="spans")
        if len({document.name for document in documents}) < len(documents):
            raise BadRequest("two documents have the same number", parameter="documents")
        return documents, persons

    def persons_table(self, parts: Parts, types: Sequence[str]) -> Table:
        """Return what texts tell of each person by these types of spans, a row for each.

        A placeholder tells nothing, and so does a text that does not mention a type: who knows the value cannot tell them
        apart. Mentions of one person that tell different things are a value of their own.
        """
        documents, persons = self.documents_of(parts)
        told: dict[str, dict[str, set[str]]] = {person: {} for person in persons}
        for person, document in zip(persons, documents, strict=True):
            for span in document.spans:
                if span.type in types:
                    said = document.said(span)
                    told[person].setdefault(span.type, set()).add(
                        SUPPRESSED if said == placeholder(span.type) else said
                    )
        rows = [
            tuple(" | ".join(sorted(held.get(type_, set()) - {SUPPRESSED})) or SUPPRESSED for type_ in types)
            for held in told.values()
        ]
        return _table(types, rows, numbers=())

    def verify(
        self, parts: Parts, models: Sequence[Requirement], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        out: list[Verdict] = []
        for model in models:
            if not isinstance(model, TableModel) or model.qid is None:
                raise Unsupported(f"{model.id} cannot be counted in {self.id} from outside", thing=model.id)
            table = self.persons_table(parts, [*model.qid, *(name for name in model.needs() if name not in model.qid)])
            out += RecodedTable().verify(table, [model], model.qid)
        return out

    def seen(self, parts: Parts) -> Seen:
        tables = self.tables(parts)
        documents, persons = self.documents_of(parts)
        return TextSeen(
            tables["documents"],
            tables,
            roles=self.roles(),
            documents=tuple(documents),
            persons=tuple(persons),
            invented=self.invented(),
        )

    def invented(self) -> tuple[str, ...]:
        """Return the types whose spans are true of nobody."""
        return ()

    def statement(self) -> Statement:
        return Statement(checked=[say("statement.spans_anew")], not_checkable=[say("statement.masked_words")])


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]], numbers: Sequence[str] = _NUMBERS) -> Table:
    """Return a table, whose columns have their types even if it has no rows."""
    held = {name: [row[at] for row in rows] for at, name in enumerate(columns)}
    return from_columns(
        {
            name: np.array(cells, np.int64) if name in numbers else [str(cell) for cell in cells]
            for name, cells in held.items()
        }
    )
