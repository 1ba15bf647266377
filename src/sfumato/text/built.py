"""From masked documents to what is published of them, and what is told of the way there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.built import Built
from sfumato.contracts.facts import Facts
from sfumato.data.messages import say
from sfumato.data.text import bare
from sfumato.errors import Infeasible
from sfumato.text.documents import Document, Documents, Span
from sfumato.text.releases.masked_documents import MaskedDocuments, placeholder
from sfumato.text.task import TextTask
from sfumato.text.terms import Terms, words_of
from sfumato.text.view import TextView

__all__ = ["Masking", "TextFacts", "masked_outcome"]

Masking = Mapping[Span, str]
"""What is written at some spans of a document instead of what stood there."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TextFacts(Facts):
    """How many places were masked, by type; how many words they had, and of how many."""

    masked: Mapping[str, int]
    words_masked: int
    words_read: int
    looked: int | None = None

    def words(self, *, chosen: bool = False) -> list[str]:
        """Say how much was masked."""
        return [say("text.masked", count=sum(self.masked.values()), words=self.words_masked, read=self.words_read)]


def masked_outcome(
    task: TextTask,
    documents: Sequence[Document],
    masking: Sequence[Masking],
    *,
    optimal: bool | None = None,
    looked: int | None = None,
) -> Outcome:
    """Return documents with other words at some of their spans; more than may be lost is refused.

    Words that were overwritten at one place and stand at another are counted.
    """
    masked, open_, left, counts = list[Document](), list[Document](), dict[str, int](), Counter[str]()
    lost = words = 0
    for document, places in zip(documents, masking, strict=True):
        words += _count(document.text)
        lost += sum(_count(document.said(span)) for span in places)
        counts.update(span.type for span in places)
        made = document.replaced(list(places.items()))
        left[document.name] = _elsewhere(made, [document.said(span) for span, word in places.items() if word])
        masked.append(made)
        still = tuple(span for span in made.spans if made.said(span) != placeholder(span.type))
        open_.append(Document(made.name, made.text, still))
    if lost > task.lose_at_most * words + 1e-9:
        raise Infeasible(
            say("text.too_much_lost", lost=lost, words=words, share=lost / words, most=task.lose_at_most),
            measured=lost / words,
            bound=f"<= {task.lose_at_most:g}",
        )
    kind = MaskedDocuments.of(masked)
    view = TextView(Documents(tuple(open_)), task.roles, task.contexts, left)
    built = Built(kind, kind.parts_of(masked, task.persons), inside=view)
    facts = TextFacts(masked=dict(sorted(counts.items())), words_masked=lost, words_read=words, looked=looked)
    return Outcome(built=built, facts=facts, optimal=optimal)


def _elsewhere(document: Document, words: Sequence[str]) -> int:
    """Return how often words that were overwritten stand in a document outside of its spans."""
    found = Terms.of(word for word in words if len(bare(word)) > 1).found(document.text)
    return sum(not any(span.start < one.end and one.start < span.end for span in document.spans) for one in found)


def _count(text: str) -> int:
    return sum(1 for _ in words_of(text))
