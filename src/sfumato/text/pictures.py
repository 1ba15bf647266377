"""Pictures of documents: what was masked in them, by type; and in the house some of them with their places coloured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sfumato.contracts.picture import Bars, Picture, Texts
from sfumato.data.messages import say
from sfumato.text.documents import Document

__all__ = ["pictures_of"]

_SHOWN, _SIGNS, _TYPES = 5, 1500, 30


def pictures_of(documents: Sequence[Document], *, inside: bool) -> list[Picture]:
    """Return how many places of each type texts have; who may see them also gets the first texts, as they are published."""
    counts = Counter(span.type for document in documents for span in document.spans)
    if not counts:
        return []
    most = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:_TYPES]
    out: list[Picture] = [
        Bars(title=say("text.places"), labels=[name for name, _ in most], after=[count for _, count in most])
    ]
    if inside:
        telling = sorted(documents, key=lambda one: not one.spans)[:_SHOWN]
        out.append(
            Texts(
                title=say("text.shown"),
                caption=say("text.shown_of", count=len(telling)),
                texts=[*map(_pieces, telling)],
            )
        )
    return out


def _pieces(document: Document) -> list[tuple[str, str]]:
    """Return a text in pieces, cut where it gets long."""
    out, at = list[tuple[str, str]](), 0
    for span in document.spans:
        if span.end > _SIGNS:
            break
        out += [(document.text[at : span.start], ""), (document.said(span), span.type)]
        at = span.end
    rest = document.text[at : max(at, _SIGNS)]
    return [one for one in (*out, (rest + ("…" if at + len(rest) < len(document.text) else ""), "")) if one[0]]
