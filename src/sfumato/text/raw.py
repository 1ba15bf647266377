"""Documents before masking as one table, for those in the house who compare: texts with their spans, and how places moved."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sfumato.contracts.engine import Table
from sfumato.engines import from_columns, from_rows
from sfumato.text.documents import Document, Documents, Span
from sfumato.text.linking import PossibleLink

__all__ = ["moved_places", "raw_documents", "raw_table", "review_table"]


def raw_table(documents: Documents, persons: Sequence[str]) -> Table:
    """Return a row for each document: its name, its person, its text, and its spans as JSON."""
    return from_columns(
        {
            "document": [document.name for document in documents],
            "person": list(persons),
            "text": [document.text for document in documents],
            "spans": [json.dumps([list(span) for span in document.spans]) for document in documents],
        }
    )


def raw_documents(table: Table) -> tuple[Documents, tuple[str, ...]]:
    """Return the documents and persons of such a table.

    >>> notes = Documents.of(["<name>Ann</name> left"], tagged=True)
    >>> raw_documents(raw_table(notes, ["p1"])) == (notes, ("p1",))
    True
    """
    rows = table.select(["document", "person", "text", "spans"]).to_rows()
    documents = [
        Document(str(name), str(text or ""), tuple(Span(*span) for span in json.loads(str(spans))))
        for name, _, text, spans in rows
    ]
    return Documents(tuple(documents)), tuple(str(row[1]) for row in rows)


def moved_places(before: Sequence[Document], after: Sequence[Document], numbers: Sequence[int]) -> Table:
    """Return where each span of a published document stood before: offsets map back.

    ``numbers`` are those that documents are published under. A span that was left empty has no place any more.
    """
    rows = list[tuple[int, int, int, str, str, int, int]]()
    for one, two, number in zip(before, after, numbers, strict=True):
        gap = 0
        places = {span.start: span for span in two.spans}
        for span in one.spans:
            now = places.get(span.start + gap)
            end = span.start + gap if now is None else now.end
            if now is not None:
                rows.append((number, now.start, now.end, span.type, one.name, span.start, span.end))
            gap = end - span.end
    names = ("document", "start", "end", "type", "raw document", "raw start", "raw end")
    return from_rows(names, sorted(rows))


def review_table(documents: Documents, review: Sequence[PossibleLink]) -> Table:
    """Return the pairs of documents that may be about one person, heaviest first."""
    held = documents.held
    rows = sorted(review, key=lambda one: (-one.weight, one.first, one.second))
    return from_rows(
        ["document", "other document", "weight", "agree"],
        [(held[one.first].name, held[one.second].name, round(one.weight, 2), ", ".join(one.agree)) for one in rows],
    )
