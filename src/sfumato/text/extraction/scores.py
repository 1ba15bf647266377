"""How well spans that were found agree with spans that people tagged: by span, by token, and by what stays readable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import log2

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.schema import Role
from sfumato.data.text import bare
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools
from sfumato.text.documents import Document, Documents
from sfumato.text.extraction.tokens import Tokens, tokenized
from sfumato.text.types import TYPES

__all__ = ["Agreement", "Scores", "score"]


@frozen
class Agreement:
    """How many were tagged by people, how many were found, and how many of those rightly."""

    tagged: float
    found: float
    right: float

    @property
    def precision(self) -> float:
        """Share of what was found that is right; 1 where nothing was found."""
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """Share of what was tagged that was found; 1 where nothing was tagged."""
        return self.right / self.tagged if self.tagged else 1.0

    def f(self, beta: float = 1.0) -> float:
        """Return (1 + b²) P R / (b² P + R): recall counts b times as much as precision.

        >>> Agreement(4, 4, 2).f(), round(Agreement(10, 20, 10).f(2), 3)
        (0.5, 0.833)
        """
        below = beta * beta * self.precision + self.recall
        return (1 + beta * beta) * self.precision * self.recall / below if below else 0.0


@frozen
class Scores:
    """Agreement of found spans with tagged ones.

    ``strict``: same place and type, ``types`` the same for each type. ``place``: same place, whatever the type. ``tokens``:
    words and signs that lie in a span of the same type, ``masked`` in a span of any type; ``characters`` the same by signs.
    ``weighted`` counts tokens by how much they tell, -log2 of their share among all tokens of the texts, so that masking ``of``
    in vain costs little. ``direct`` and ``quasi`` are shares of entities, of direct and of quasi-identifying types, that are
    masked: an entity (what documents of a person, or one document, say by the same words as the same type) counts if all of its
    mentions are covered. Both are ``None`` where there is none.
    """

    strict: Agreement
    types: Mapping[str, Agreement]
    place: Agreement
    tokens: Agreement
    masked: Agreement
    characters: Agreement
    weighted: Agreement
    direct: float | None
    quasi: float | None


def score(gold: Documents, found: Documents, *, roles: Mapping[str, Role] | None = None) -> Scores:
    """Compare spans that were found with those that people tagged, document by document.

    ``roles`` says what types are to an adversary; those of :data:`sfumato.text.types.TYPES` are known.

    >>> gold = Documents.of({"1": "<name>Ann</name> met <name>Bo</name>."}, tagged=True)
    >>> found = Documents.of({"1": "<name>Ann</name> met Bo."}, tagged=True)
    >>> score(gold, found).strict.recall, score(gold, found).direct
    (0.5, 0.5)

    References
    ----------
    Pilán, Lison, Øvrelid, Papadopoulou, Sánchez, Batet, "The text anonymization benchmark (TAB)", 2022,
    doi:10.1162/coli_a_00458, section 5 (entity recall, weighted precision).
    """
    pairs = _paired(gold, found)
    known = {name: entity.role for name, entity in TYPES.items()} | dict(roles or {})
    wanted = {(at, *span) for at, (one, _) in enumerate(pairs) for span in one.spans}
    given = {(at, *span) for at, (_, other) in enumerate(pairs) for span in other.spans}
    types = sorted({one[3] for one in wanted | given})
    tokens = [tokenized(one.text) for one, _ in pairs]
    read = Counter(word.lower() for held in tokens for word in held.words)
    size = max(read.total(), 1)
    by_token, masked, weighted, signs = (np.zeros(3) for _ in range(4))
    for (one, other), held in zip(pairs, tokens, strict=True):
        tells = np.array([-log2(read[word.lower()] / size) for word in held.words])
        ours, theirs = _types_of(one, held), _types_of(other, held)
        both = np.array([mine == yours for mine, yours in zip(ours, theirs, strict=True)], np.bool_)
        there, seen = (np.array([name is not None for name in names], np.bool_) for names in (ours, theirs))
        by_token += (there.sum(), seen.sum(), (there & both).sum())
        masked += (there.sum(), seen.sum(), (there & seen).sum())
        weighted += (tells[there].sum(), tells[seen].sum(), tells[there & seen].sum())
        covered, hidden = _signs(one), _signs(other)
        signs += (covered.sum(), hidden.sum(), (covered & hidden).sum())
    return Scores(
        strict=_agree(wanted, given),
        types={name: _agree(*({one for one in held if one[3] == name} for held in (wanted, given))) for name in types},
        place=_agree({one[:3] for one in wanted}, {one[:3] for one in given}),
        tokens=Agreement(*by_token.tolist()),
        masked=Agreement(*masked.tolist()),
        characters=Agreement(*signs.tolist()),
        weighted=Agreement(*weighted.tolist()),
        direct=_entities(pairs, {name for name, role in known.items() if role is Role.IDENTIFIER}),
        quasi=_entities(pairs, {name for name, role in known.items() if role is Role.QUASI_IDENTIFIER}),
    )


def _paired(gold: Documents, found: Documents) -> list[tuple[Document, Document]]:
    """Return documents of both sides by name; what is missing, or says something else, is refused."""
    others = {document.name: document for document in found}
    if len(others) != len(gold) or any(document.name not in others for document in gold):
        raise BadRequest("does not hold the same documents", parameter="found")
    for document in gold:
        if others[document.name].text != document.text:
            raise BadRequest("document has another text than the tagged one", parameter="found", value=document.name)
    return [(document, others[document.name]) for document in gold]


def _agree(wanted: Iterable[object], given: Iterable[object]) -> Agreement:
    one, other = set(wanted), set(given)
    return Agreement(len(one), len(other), len(one & other))


def _types_of(document: Document, tokens: Tokens) -> list[str | None]:
    """Return the type of the span that each token lies in."""
    out: list[str | None] = [None] * len(tokens)
    for span in document.spans:
        first = int(np.searchsorted(tokens.ends, span.start, side="right"))
        for at in range(first, int(np.searchsorted(tokens.starts, span.end, side="left"))):
            out[at] = span.type
    return out


def _signs(document: Document) -> Bools:
    """Return which signs lie in a span; spaces count for nothing."""
    out = np.zeros(len(document.text), np.bool_)
    for span in document.spans:
        out[span.start : span.end] = True
    out[[at for at, sign in enumerate(document.text) if sign.isspace()]] = False
    return out


def _entities(pairs: Iterable[tuple[Document, Document]], types: set[str]) -> float | None:
    """Return the share of entities of which every mention is covered, whatever type it was taken for."""
    whole: dict[tuple[str, str, str], bool] = {}
    for gold, found in pairs:
        mine = [span for span in gold.spans if span.type in types]
        if not mine:
            continue
        hidden = _signs(found)
        owner = f"person {gold.person}" if gold.person is not None else f"document {gold.name}"
        for span in mine:
            entity = owner, span.type, bare(gold.said(span)).casefold()
            signs = [at for at in range(span.start, span.end) if not gold.text[at].isspace()]
            whole[entity] = whole.get(entity, True) and bool(hidden[signs].all())
    return sum(whole.values()) / len(whole) if whole else None
