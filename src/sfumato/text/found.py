"""Where documents tell something: at the places that somebody tagged, or at those that extraction finds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.text.collector import waiting_collector
from sfumato.text.dates import is_month
from sfumato.text.documents import TAGGED, Document, Documents, Places, Span
from sfumato.text.listed import with_listed_words
from sfumato.text.number_words import SpokenWords, said_ages, said_dates, year_in_words
from sfumato.text.placeholders import PLACEHOLDER
from sfumato.text.policy import TextPolicy
from sfumato.text.safe_harbor import LEFT, tells_high_age, tells_years_alone
from sfumato.text.types import TYPES

__all__ = ["FoundDocuments", "found_documents"]

_BORN = re.compile(
    r"\b(?:born|birth|DOB|b\.|geb(?:oren|\.)|Jahrgang|Geburtsjahr)(?:\s+(?:in|im|year|Jahre?|of|the))*[\s:]+((?:18|19|20)[0-9]{2})(?![\w.-]*[0-9])",
    re.IGNORECASE,
)  # fmt: skip


@frozen(eq=False)
class FoundDocuments:
    """Documents with their spans, and what each type of span is to an adversary; ``extracted`` if no person tagged them."""

    documents: Documents
    roles: Mapping[str, Role]
    extracted: bool = False


@waiting_collector()
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
        now = policy.release_year()
        data = Documents(tuple(_named(_with_said_numbers(document, roles), roles, how, now) for document in data))
    listed = with_listed_words(
        data,
        {name: entry.allow for name, entry in entities.items()},
        {name: entry.deny for name, entry in entities.items()},
    )
    return FoundDocuments(listed, roles, extracts)


def _with_said_numbers(document: Document, roles: Mapping[str, Role]) -> Document:
    """Return a document with spans where it says ages and dates in words or speaks of a birth by its year alone.

    What the chain found in part is replaced by the whole.
    """
    words = SpokenWords(document.text)
    said = [Span(*place, "date") for place in said_dates(words)] if "date" in roles else []
    said += [Span(*match.span(1), "date") for match in _BORN.finditer(document.text)] if "date" in roles else []
    said += [Span(*place, "age") for place in said_ages(words)] if "age" in roles else []
    if not said:
        return document
    fresh = list[Span]()
    for span in sorted(said, key=lambda one: (one.start, -one.end)):
        if not fresh or fresh[-1].end <= span.start:
            fresh.append(span)
    whole = Places((one.start, one.end) for one in document.spans)
    fresh = [
        one
        for one in fresh
        if not whole.overlap(one.start, one.end)
        or not any(held.start <= one.start and one.end <= held.end for held in document.spans)
    ]
    taken = Places((one.start, one.end) for one in fresh)
    kept = [one for one in document.spans if not taken.overlap(one.start, one.end)]
    return replace(document, spans=(*kept, *fresh))


def _named(document: Document, roles: Mapping[str, Role], how: Mapping[str, str], now: int) -> Document:
    """Return a document with spans of types that have a role, outside of what an earlier release left of others.

    A year alone may stay, unless it tells an age above 89.
    """
    forms = [PLACEHOLDER, *(LEFT[name] for name in ("zip3", "age90") if name in how.values())]
    taken = [Places(found.span() for found in form.finditer(document.text)) for form in forms]
    yearly = "year" in how.values()
    kept = [
        span
        for span in document.spans
        if span.type in roles
        and not any(places.overlap(span.start, span.end) for places in taken)
        and not (yearly and LEFT["year"].fullmatch(said := document.said(span)) and not tells_high_age(int(said), now))
        and not (how.get(span.type) == "year" and _may_stay(document.said(span), now))
    ]
    return replace(document, spans=tuple(kept))


def _may_stay(said: str, now: int) -> bool:
    """Tell whether words tell years and nothing more exact, and none that tells an age above 89."""
    year = year_in_words(said)
    in_words = not re.search(r"\d", said) and not any(is_month(word) for word in re.findall(r"\w+", said))
    alone = tells_years_alone(said) or in_words
    return alone and year is not None and not tells_high_age(year, now)
