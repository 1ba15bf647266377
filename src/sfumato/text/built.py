"""From masked documents to what is published of them, and what is told of the way there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import partial

from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.built import Built
from sfumato.contracts.facts import Facts
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.errors import Infeasible
from sfumato.text.documents import Document, Documents, Span
from sfumato.text.file_names import file_persons
from sfumato.text.left import left_in
from sfumato.text.name_words import is_name
from sfumato.text.placeholders import placeholder
from sfumato.text.raw import moved_places
from sfumato.text.releases.masked_documents import MaskedDocuments
from sfumato.text.releases.surrogate_documents import SurrogateDocuments
from sfumato.text.task import TextTask
from sfumato.text.terms import words_in
from sfumato.text.view import TextView

__all__ = ["Masking", "TextFacts", "identifiers_of", "masked_outcome"]

Masking = Mapping[Span, str]
"""What is written at some spans of a document instead of what stood there."""


@frozen(eq=False, repr=False, kw_only=True)
class TextFacts(Facts):
    """How many places were masked, by type; how many words they had, and of how many."""

    masked: Mapping[str, int]
    words_masked: int
    words_read: int
    looked: int | None = None
    left: Mapping[str, int] = field(default_factory=dict)
    """What is still told of masked values, as the certificate counts it."""

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
    given: Sequence[Document] | None = None,
) -> Outcome:
    """Return documents with other words at some of their spans; more than may be lost is refused.

    Words that were overwritten at one place and stand at another are counted: those of the same document, and direct
    identifiers of all documents of its person, names also word by word, and those that her files are named by; so are parts of
    what was overwritten of a person in her documents, and names of persons in those of others. Where documents got more spans
    on the way, ``given`` are those from before: one word of a name that was found by its capital letter is not looked for in
    small ones.
    """
    masked, open_, words_gone, counts = list[Document](), list[Document](), list[set[str]](), Counter[str]()
    lost = words = 0
    invented, persons = task.replacing.invented, task.persons or [document.name for document in documents]
    told = [
        {span: places[span] for span in one.spans if span in places}
        for one, places in zip(given or documents, masking, strict=True)
    ]
    gone = identifiers_of(documents, told, persons, task.roles)
    called = identifiers_of(
        documents, told, persons, {name: role for name, role in task.roles.items() if is_name(name)}
    )
    for person, names in file_persons(documents, persons).items():
        called[person] |= names
    values: dict[str, set[tuple[str, str]]] = {person: set() for person in persons}
    for document, places, own, person in zip(documents, masking, told, persons, strict=True):
        words += _count(document.text)
        lost += sum(count * _count(said) for said, count in Counter(map(document.said, places)).items())
        counts.update(span.type for span in places)
        made = document.replaced(list(places.items()))
        overwritten = {
            document.said(span) for span, word in own.items() if word and _is_other(task, document, span, word)
        }
        words_gone.append(overwritten | gone[person])
        values[person] |= {(document.said(span), span.type) for span in own if document.said(span) in overwritten}
        masked.append(made)
        telling = (span for span in made.spans if span.type not in invented)
        still = tuple(span for span in telling if made.said(span) != placeholder(span.type))
        open_.append(Document(made.name, made.text, still))
    if lost > task.lose_at_most * words + 1e-9:
        raise Infeasible(
            say("text.too_much_lost", lost=lost, words=words, share=lost / words, most=task.lose_at_most),
            measured=lost / words,
            bound=f"<= {task.lose_at_most:g}",
        )
    met = {span.type for document in masked for span in document.spans}
    untrue = tuple(sorted(met & invented))
    kind = SurrogateDocuments(types=untrue) if untrue else MaskedDocuments.of(masked)
    left = left_in(
        masked,
        persons,
        words_gone,
        called,
        values,
        task.replacing.languages(Documents(tuple(documents)), persons),
        task.named,
    )
    view = TextView(Documents(tuple(open_)), task.roles, task.contexts, left.words)
    number = {place: at for at, place in enumerate(kind.order(masked), start=1)}
    numbers = [number[at] for at in range(len(masked))]
    built = Built(
        kind,
        kind.parts_of(masked, persons),
        linking=partial(moved_places, documents, masked, numbers) if met else None,
        inside=view,
    )
    facts = TextFacts(
        masked=dict(sorted(counts.items())), words_masked=lost, words_read=words, looked=looked, left=left.counts()
    )
    warnings = (*task.warnings, *task.replacing.warnings(sorted(met)), *left.warnings())
    return Outcome(built=built, facts=facts, optimal=optimal, warnings=warnings)


def identifiers_of(
    documents: Sequence[Document], masking: Sequence[Masking], persons: Sequence[str], roles: Mapping[str, Role]
) -> dict[str, set[str]]:
    """Return by person what was overwritten that names her: it may stand in none of her documents."""
    out: dict[str, set[str]] = {person: set() for person in persons}
    for document, places, person in zip(documents, masking, persons, strict=True):
        out[person] |= {
            document.said(span)
            for span, word in places.items()
            if roles.get(span.type) is Role.IDENTIFIER and word != document.said(span)
        }
    return out


def _is_other(task: TextTask, document: Document, span: Span, word: str) -> bool:
    """Tell whether a word is hidden: some replacements leave what needs no hiding, an age below 90 for instance."""
    return span.type not in task.replacing.how or word != document.said(span)


def _count(text: str) -> int:
    return len(words_in(text))
