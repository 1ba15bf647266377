"""Documents with surrogates: masked documents in which some words were invented, and are true of nobody."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from sfumato.contracts.certificate import Statement
from sfumato.contracts.release import ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.text.releases.masked_documents import MaskedDocuments

__all__ = ["SurrogateDocuments"]


class SurrogateDocuments(MaskedDocuments):
    """Masked documents whose spans also hold invented names, places and numbers, or dates that were moved.

    The parts are those of ``masked-documents``. A surrogate has the form of what it stands for, so that a name that was missed
    hides among those that were invented; a reader cannot tell which is which. Nothing that stands at a span of such a type is
    true.

    Adversary: reads the texts and knows something of a person; she cannot look anybody up by what was invented.

    Examples
    --------
    >>> from sfumato.text import Document, Span
    >>> parts = SurrogateDocuments(types=("name",)).parts_of([Document("d1", "Beth Carr left", (Span(0, 9, "name"),))], ["p"])
    >>> SurrogateDocuments(types=("name",)).seen(parts).invented
    ('name',)

    References
    ----------
    Carrell, Malin, Aberdeen, et al., "Hiding in plain sight: use of realistic surrogates to reduce exposure of protected health
    information in clinical text", 2013, doi:10.1136/amiajnl-2012-001034.
    """

    id: ClassVar[str] = "surrogate-documents"
    traits: ClassVar[ReleaseTraits] = replace(MaskedDocuments.traits, truthful=False)

    types: tuple[str, ...] = param(default=(), doc="types of spans that hold nothing true")

    def invented(self) -> tuple[str, ...]:
        return self.types

    def statement(self) -> Statement:
        return Statement(
            checked=[say("statement.spans_anew")],
            not_checkable=[say("statement.masked_words"), say("text.surrogates_not_true")],
        )
