"""Training: from tagged documents to a model, by python-crfsuite."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Unsupported
from sfumato.text.documents import Document, Documents
from sfumato.text.extraction.features import Attributes, Read, read
from sfumato.text.extraction.gazetteers import Gazetteers, shipped_lists
from sfumato.text.extraction.model import OUTSIDE, TextModel

__all__ = ["labels_of", "train"]


def labels_of(document: Document, tokens: Read) -> list[str]:
    """Return the label of each token: ``B-type`` where a span begins, ``I-type`` inside, ``O`` elsewhere.

    A token that lies in a span by some of its signs is in it.
    """
    held = tokens.tokens
    out = [OUTSIDE] * len(held)
    first = np.searchsorted(held.ends, [span.start for span in document.spans], side="right")
    behind = np.searchsorted(held.starts, [span.end for span in document.spans], side="left")
    for span, begin, end in zip(document.spans, first.tolist(), behind.tolist(), strict=True):
        for at in range(begin, end):
            out[at] = f"{'B' if at == begin else 'I'}-{span.type}"
    return out


def train(
    documents: Documents,
    *,
    lists: Mapping[str, Sequence[str]] | None = None,
    lasso: float = 0.05,
    ridge: float = 0.1,
    least: int = 2,
    iterations: int = 60,
    forget: float = 0.25,
    caution: float = 1.0,
    seed: int = 0,
    run: Run | None = None,
) -> TextModel:
    """Return a linear-chain conditional random field that finds what is tagged in documents.

    Maximizes log p(labels | tokens) - lasso * |w| - ridge * w² by OWL-QN (L-BFGS where ``lasso`` is 0), over attributes that
    are met at least ``least`` times. Each attribute of each token is forgotten with probability ``forget``, by ``seed``, so
    that none is relied on alone: words of texts to come are new. ``lists`` are further gazetteers by name; ``caution`` is
    taken from the score of every token to be nothing, so a higher one finds more. Needs python-crfsuite, ``sfumato[text]``.

    Lafferty, McCallum, Pereira, "Conditional random fields", 2001; Okazaki, "CRFsuite", 2007.
    """
    run = run or Run()
    try:
        import pycrfsuite
    except ImportError:
        raise Unsupported(
            "training needs python-crfsuite: pip install 'sfumato[text]'", thing="python-crfsuite"
        ) from None
    if not any(document.spans for document in documents):
        raise BadRequest("holds no tag to learn from", parameter="documents")
    given = {name: tuple(entries) for name, entries in (lists or {}).items()}
    reader = Attributes({}, Gazetteers.of({**shipped_lists(), **given}), grow=True)
    run.stage("reading tokens", len(documents))
    rng = np.random.default_rng(seed)
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    rules: dict[str, Counter[str | None]] = {}
    for done, document in enumerate(documents):
        run.tick(done)
        tokens = read(document.text, reader.gazetteers)
        labels = labels_of(document, tokens)
        _count_rules(document, tokens, rules)
        for start, stop in tokens.sequences():
            rows, _ = reader.of([tokens.keys[start:stop]])
            rows[rng.random(rows.shape) < forget] = -1
            trainer.append([[str(row) for row in one if row >= 0] for one in rows.tolist()], labels[start:stop])
    trainer.set_params(
        {
            "c1": lasso,
            "c2": ridge,
            "max_iterations": iterations,
            "feature.minfreq": least,
            "feature.possible_states": False,
        }
    )
    run.stage("training")
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "chain")
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        info = tagger.info()
        tagger.close()
    known = tuple(sorted({*info.labels, OUTSIDE}))
    place = {label: at for at, label in enumerate(known)}
    weights, moves = np.zeros((len(reader.rows), len(known))), np.zeros((len(known), len(known)))
    for (row, label), weight in info.state_features.items():
        weights[int(row), place[label]] = weight
    for (one, other), weight in info.transitions.items():
        moves[place[one], place[other]] = weight
    return TextModel.of(known, tuple(reader.rows), weights, moves, _majority(rules), given, caution)


def _count_rules(document: Document, tokens: Read, rules: dict[str, Counter[str | None]]) -> None:
    """Count what proven places are called by whoever tagged the documents."""
    for found in tokens.proven:
        called = [span.type for span in document.spans if span.start < found.end and found.start < span.end]
        rules.setdefault(found.type, Counter())[called[0] if called else None] += 1


def _majority(rules: Mapping[str, Counter[str | None]]) -> dict[str, str | None]:
    """Return what most are called; those that are hardly met say nothing yet."""
    return {name: counts.most_common(1)[0][0] for name, counts in sorted(rules.items()) if counts.total() >= 3}
