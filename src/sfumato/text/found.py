"""Where documents tell something: at the places that somebody tagged, or at those that extraction finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sfumato.contracts.run import Run
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.text.documents import TAGGED, Document, Documents, Places
from sfumato.text.listed import with_listed_words
from sfumato.text.placeholders import PLACEHOLDER
from sfumato.text.policy import TextPolicy
from sfumato.text.safe_harbor import LEFT, tells_years_alone
from sfumato.text.types import TYPES

__all__ = ["FoundDocuments", "found_documents"]


@dataclass(frozen=True, eq=False)
class FoundDocuments:
    """Documents with their spans, and what each type of span is to an adversary; ``extracted`` if no person tagged them."""

    documents: Documents
    roles: Mapping[str, Role]
    extracted: bool = False


def found_documents(data: Documents, policy: TextPolicy, run: Run) -> FoundDocuments:
    """Return documents with spans.

    Texts that nobody tagged are searched for the types that the policy names, and for all that are direct identifiers: what it
    forgot to name must not be published. Placeholders tell nothing.
    """
    roles, entities = policy.roles(), policy.known_entities()
    extracts = policy.extracts() and not data.types
    if extracts and policy.documents.extract is None and any(TAGGED.search(document.text) for document in data):
        raise BadRequest(
            "texts seem to hold tags: say tagged: true, or extract: true if these are none", parameter="documents"
        )
    if extracts:
        from sfumato.text.extraction.extract import TypeRule, extract

        rules = {
            name: TypeRule(threshold=entry.threshold, words=entry.context)
            for name, entry in entities.items()
            if entry.threshold is not None or entry.context
        }
        strange = sorted(set(rules) - set(TYPES))
        if strange and policy.documents.model is None:
            raise BadRequest(
                "is not found by the model of the package; threshold and context are for what is",
                parameter="entities",
                value=strange[0],
                available=list(TYPES),
            )
        roles = {name: known.role for name, known in TYPES.items() if known.role is Role.IDENTIFIER} | roles
        data = extract(data, model=policy.documents.model, rules=rules, run=run)
        how = {name: str(entry.replace) for name, entry in entities.items() if entry.replace is not None}
        data = Documents(tuple(_named(document, roles, how) for document in data))
    listed = with_listed_words(
        data,
        {name: entry.allow for name, entry in entities.items()},
        {name: entry.deny for name, entry in entities.items()},
    )
    return FoundDocuments(listed, roles, extracts)


def _named(document: Document, roles: Mapping[str, Role], how: Mapping[str, str]) -> Document:
    """Return a document with spans of types that have a role, outside of what an earlier release left of others."""
    forms = [PLACEHOLDER, *(LEFT[name] for name in ("zip3", "age90") if name in how.values())]
    taken = [Places(found.span() for found in form.finditer(document.text)) for form in forms]
    kept = [
        span
        for span in document.spans
        if span.type in roles
        and not any(places.overlap(span.start, span.end) for places in taken)
        and not ("year" in how.values() and LEFT["year"].fullmatch(document.said(span)))
        and not (how.get(span.type) == "year" and tells_years_alone(document.said(span)))
    ]
    return replace(document, spans=tuple(kept))
