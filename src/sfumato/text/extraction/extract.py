"""Finding what documents tell of persons: by a trained chain, by what recognisers prove, and by lists of words."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

import numpy as np

from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats
from sfumato.text.documents import Document, Documents, Span
from sfumato.text.extraction.chain_kernels import best_labels, label_chances, state_scores
from sfumato.text.extraction.features import Read, read
from sfumato.text.extraction.model import OUTSIDE, TextModel, shipped_model
from sfumato.text.terms import Terms, visible
from sfumato.text.types import TYPES

__all__ = ["TypeRule", "extract", "uncertainty"]

_BATCH = 20_000  # tokens that are scored at once
_BEFORE = 5  # tokens before a place in which a context word counts


@frozen
class TypeRule:
    """What a user says of one type: words that are never one, words that always are, how sure it must be, and what hints at it.

    With a ``threshold`` a token is of the type where the chain gives it at least this probability (half of it where one of the
    context ``words`` is among the five tokens before), whatever the best sequence of labels says.
    """

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    threshold: float | None = None
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.threshold is not None and not 0 < self.threshold <= 1:
            raise BadRequest("must be above 0 and at most 1", parameter="threshold", value=self.threshold)


@frozen(eq=False)
class _Chained:
    """A document under way: its tokens, and what the chain says of each."""

    read: Read
    labels: list[str] = field(default_factory=list)
    chances: list[Floats] = field(default_factory=list)


def extract(
    documents: Documents,
    *,
    model: TextModel | str | Path | None = None,
    rules: Mapping[str, TypeRule] | None = None,
    run: Run | None = None,
) -> Documents:
    """Return the documents with spans where they tell something of persons; documents that have spans keep theirs.

    Without a ``model`` the one of the package is used. Texts stay as they are, sign by sign; they are read as they look,
    without signs that nobody sees.

    >>> found = extract(Documents.of(["Mail to ada@example.org."]))
    >>> [(found.held[0].said(span), span.type) for span in found.held[0].spans]
    [('ada@example.org', 'email')]
    """
    run, rules = run or Run(), dict(rules or {})
    used = shipped_model() if model is None else model if isinstance(model, TextModel) else TextModel.load(model)
    strange = sorted(name for name, rule in rules.items() if (rule.threshold or rule.words) and name not in used.types)
    if strange:
        raise BadRequest(
            "is not found by the model; threshold and context are for what is",
            parameter="type",
            value=strange[0],
            available=list(used.types),
        )
    run.stage("finding what texts tell", len(documents))
    wanted = any(rule.threshold is not None for rule in rules.values())
    seen = [visible(document.text) for document in documents]
    shown = [replace(one, text=text, spans=()) for one, (text, _) in zip(documents, seen, strict=True)]
    out: list[Document] = []
    found = _chained(shown, used, chances=wanted, run=run)
    for document, (_, places), (read_as, chained) in zip(documents, seen, found, strict=True):
        spans = document.spans or _spans(read_as.text, chained, used, rules)
        if places is not None and not document.spans:
            spans = [Span(places[one.start], places[one.end - 1] + 1, one.type) for one in spans]
        out.append(Document(document.name, document.text, tuple(spans), document.person))
    return Documents(tuple(out))


def uncertainty(documents: Documents, *, model: TextModel, run: Run | None = None) -> list[float]:
    """Return how unsure the chain is of each document: the mean of 1 - max p over tokens, and 0 for one without any.

    Settles, Craven, "An analysis of active learning strategies for sequence labeling tasks", 2008 (least confidence).
    """
    run = run or Run()
    run.stage("looking for doubts", len(documents))
    out = []
    for _, chained in _chained(documents, model, chances=True, run=run):
        tops = [one.max(axis=1) for one in chained.chances]
        out.append(float(1 - np.concatenate(tops).mean()) if tops else 0.0)
    return out


def _chained(
    documents: Iterable[Document], model: TextModel, *, chances: bool, run: Run
) -> Iterator[tuple[Document, _Chained]]:
    """Yield documents with what the chain says; many short ones, or parts of a long one, are scored together."""
    waiting: list[tuple[Document, _Chained]] = []
    pieces: list[tuple[_Chained, int, int]] = []
    held = 0
    for done, document in enumerate(documents):
        run.tick(done)
        chained = _Chained(read(document.text, model.gazetteers))
        waiting.append((document, chained))
        for start, stop in chained.read.sequences():
            pieces.append((chained, start, stop))
            held += stop - start
            if held >= _BATCH:
                _score(pieces, model, chances)
                pieces, held = [], 0
                run.checkpoint()
        if not pieces:
            yield from waiting
            waiting = []
    if pieces:
        _score(pieces, model, chances)
    yield from waiting


def _score(pieces: Sequence[tuple[_Chained, int, int]], model: TextModel, chances: bool) -> None:
    rows, begins = model.reader.of([chained.read.keys[start:stop] for chained, start, stop in pieces])
    scores = state_scores(rows, model.weights)
    scores[:, model.labels.index(OUTSIDE)] -= model.caution
    for (chained, start, stop), begin in zip(pieces, begins, strict=True):
        part = scores[begin : begin + stop - start]
        best = best_labels(part, model.allowed, model.first).tolist()
        chained.labels.extend([model.labels[label] for label in best])
        if chances:
            chained.chances.append(label_chances(part, model.allowed, model.first))


def _spans(text: str, chained: _Chained, model: TextModel, rules: Mapping[str, TypeRule]) -> list[Span]:
    labels = chained.labels
    if chained.chances:
        labels = _thresholded(chained, model, rules)
    spans = _joined(chained.read, labels)
    sure = [
        Span(one.start, one.end, called)
        for one in chained.read.proven
        if (called := model.rules.get(one.type, one.type)) is not None
    ]
    spans = _over(_cut(text, spans, sure), sure)
    spans = _over(spans, _again(chained.read, spans, model))
    denied = [(word, name) for name, rule in rules.items() for word in rule.deny]
    if denied:
        types = dict(denied)
        named = [Span(one.start, one.end, types[one.term]) for one in Terms.of(types).found(text)]
        spans = _over(spans, named, renames=True)
    allowed = {name: {_plain(word) for word in rule.allow} for name, rule in rules.items() if rule.allow}
    return [span for span in spans if _plain(text[span.start : span.end]) not in allowed.get(span.type, ())]


def _cut(text: str, spans: Sequence[Span], sure: Sequence[Span]) -> list[Span]:
    """Return spans without words around proven places of the same type: of "040 123 fax 040 124" two numbers stay."""
    by_start = [one.start for one in sure]
    out: list[Span] = []
    for span in spans:
        held = sure[bisect_left(by_start, span.start) : bisect_left(by_start, span.end)]
        held = [one for one in held if one.end <= span.end and one.type == span.type]
        edges = [span.start, *(edge for one in held for edge in one[:2]), span.end]
        rest = "".join(text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
        out += held if held and not any(sign.isdigit() for sign in rest) else [span]
    return out


def _again(tokens: Read, spans: Sequence[Span], model: TextModel) -> list[Span]:
    """Return spans where a name that was found stands again alone: its capitalized words, if no list knows them otherwise."""
    held, known = tokens.tokens, model.gazetteers.single
    names: dict[str, str] = {}
    inside: set[int] = set()
    for span in spans:
        first = bisect_right(tokens.ends, span.start)
        places = range(first, bisect_left(tokens.starts, span.end))
        inside.update(places)
        if span.type in TYPES and TYPES[span.type].role is not Role.IDENTIFIER:
            continue
        words = [held.words[at] for at in places if len(held.words[at]) > 1]
        if all(word.istitle() and word.lower() not in known for word in words):
            names |= {word: span.type for word in words if len(word) > 2}
    if not names:
        return []
    out: list[Span] = []
    for at, word in enumerate(held.words):
        if word in names and at not in inside:
            if out and out[-1].end + 1 == tokens.starts[at] and out[-1].type == names[word]:
                out[-1] = out[-1]._replace(end=tokens.ends[at])
            else:
                out.append(Span(tokens.starts[at], tokens.ends[at], names[word]))
    return out


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _joined(tokens: Read, labels: Sequence[str]) -> list[Span]:
    """Return a span for each run of labels of one type."""
    out, begin, before = list[Span](), 0, OUTSIDE
    for at, label in enumerate([*labels, OUTSIDE]):
        if label[0] == "I" and before[2:] == label[2:]:
            continue
        if before != OUTSIDE:
            out.append(Span(tokens.starts[begin], tokens.ends[at - 1], before[2:]))
        begin, before = at, label
    return out


def _over(spans: Sequence[Span], sure: Sequence[Span], *, renames: bool = False) -> list[Span]:
    """Put sure spans over others: one that holds a sure one whole stays, of one that is cut by it the rest stays.

    Of two at the same place the other's type stays, which its context tells, unless the sure one ``renames`` it.
    """
    out, waiting = list[Span](), list(reversed(spans))
    for one in sure:
        while waiting and waiting[-1].end <= one.start:
            out.append(waiting.pop())
        if waiting and waiting[-1].start <= one.start and one.end <= waiting[-1].end:
            if renames and waiting[-1][:2] == one[:2]:
                waiting[-1] = one
            continue
        if waiting and waiting[-1].start < one.start:
            out.append(waiting.pop()._replace(end=one.start))
        while waiting and waiting[-1].end <= one.end:
            waiting.pop()
        out.append(one)
        if waiting and waiting[-1].start < one.end:
            waiting[-1] = waiting[-1]._replace(start=one.end)
    return [*out, *reversed(waiting)]


def _thresholded(chained: _Chained, model: TextModel, rules: Mapping[str, TypeRule]) -> list[str]:
    """Return the labels where types with a threshold are decided by probability, token by token."""
    chances = np.concatenate(chained.chances)
    small = [word.lower() for word in chained.read.tokens.words]
    labels = list(chained.labels)
    asked = {name: rule for name, rule in rules.items() if rule.threshold is not None and name in model.types}
    if not asked:
        return labels
    best = np.zeros(len(labels))
    chosen: list[str | None] = [None] * len(labels)
    for name, rule in asked.items():
        own = [at for at, label in enumerate(model.labels) if label[2:] == name]
        mass, least = chances[:, own].sum(axis=1), np.full(len(labels), rule.threshold)
        hints = {word.lower() for word in rule.words}
        for at in [at for at, word in enumerate(small) if word in hints]:
            least[at + 1 : at + 1 + _BEFORE] = rule.threshold / 2 if rule.threshold is not None else 0
        for at in np.flatnonzero((mass >= least) & (mass > best)).tolist():
            best[at], chosen[at] = mass[at], name
    for at, label in enumerate(labels):
        mine = chosen[at]
        if mine is None:
            labels[at] = OUTSIDE if label[2:] in asked else label
        elif label[2:] != mine and (label == OUTSIDE or label[2:] in asked or best[at] > 0.5):
            labels[at] = f"I-{mine}" if at and chosen[at - 1] == mine else f"B-{mine}"
    return labels
