"""Publishing texts: erasing terms until a document is safe, and invented names in clinical notes.

Erasing: one document of 500 terms, 10,000 entities with 12 of them each, 200 protected, k = 5. Bar: ``erase-greedy`` < 10 s.

Surrogates: invented notes with gold tags through the whole of ``anonymize``, every direct identifier replaced. Bar: none of the
tagged direct identifiers stands in the texts of its person, and bytes outside of spans stay.

    python benchmarks/text_publishing.py

A document of 10 MB without tags, with surrogates and shifted dates, ``everywhere: true``, took 70 s (253,530 spans)
on 2026-11-16, load 2.3 of others, and somewhat less since; extraction is 27 s of it. The bar of a minute is met by extraction
alone, and missed by the whole way.
"""

from __future__ import annotations

import os
import time

import numpy as np

ENTITIES, TERMS, PROTECTED, K = 10_000, 500, 200, 5
NOTES = 1_000
ERASE_BAR = 10.0


def erasing() -> None:
    """Print how long a large document takes."""
    from sfumato.contracts.run import Run
    from sfumato.text import Contexts, Problem
    from sfumato.text.algorithms import EraseGreedy

    rng = np.random.default_rng(0)
    names = [f"term{at}" for at in range(TERMS)]
    contexts = {f"entity{at}": [names[one] for one in rng.integers(0, TERMS, 12)] for at in range(ENTITIES)}
    known = Contexts.of(contexts, [f"entity{at}" for at in range(PROTECTED)])
    EraseGreedy().solve(Problem(Contexts.of({"a": ["x"], "b": ["x"]}), ["x"], 1), Run())  # compiled once
    began = time.perf_counter()
    problem = Problem(known, names, K)
    found = EraseGreedy().solve(problem, Run())
    took = time.perf_counter() - began
    assert problem.is_safe(known.mask(found.kept))
    print(f"erase-greedy: {ENTITIES:,} entities x {TERMS} terms in {took:.2f} s, {len(found.kept)} terms stay")
    print(f"bar < {ERASE_BAR:g} s: {'met' if took < ERASE_BAR else 'MISSED'}")


def surrogates() -> None:
    """Print how long invented notes take, and how many tagged direct identifiers are left."""
    import sfumato
    from sfumato.data.schema import Role
    from sfumato.datasets import notes
    from sfumato.text import Documents
    from sfumato.text.terms import Terms
    from sfumato.text.types import TYPES

    data = notes(NOTES, language="en")
    source = {name: list(data.values(name)) for name in data.columns}
    direct = [name for name, known in TYPES.items() if known.role is Role.IDENTIFIER]
    direct.append("hospital")  # may be called like a person
    others = [name for name in TYPES if name not in direct]
    policy = {
        "shape": "text",
        "person": "patient",
        "documents": {"column": "note", "tagged": True},
        "entities": {name: {"role": "identifier", "replace": "surrogate"} for name in direct}
        | {name: {"role": "plain"} for name in others},
        "algorithm": {"id": "hide-framework", "everywhere": True},
    }
    os.environ.setdefault("SFUMATO_PSEUDONYM_KEY", "not a key to use: 0123456789")
    began = time.perf_counter()
    release = sfumato.anonymize(source, policy)
    took = time.perf_counter() - began
    raw = Documents.of([str(note) for note in source["note"]], tagged=True)
    kept = release.private.links
    assert kept is not None
    number = {row[4]: row[0] for row in kept.to_rows()}
    texts = {row[0]: row[2] for row in release.tables["documents"].to_rows()}
    left = 0
    for document in raw:
        said = {document.said(span) for span in document.spans if span.type in direct}
        left += len(Terms.of(one for one in said if len(one) > 2).found(texts.get(number.get(document.name), "")))
    print(f"surrogates: {NOTES:,} notes in {took:.1f} s, {left} tagged direct identifiers left")
    print(f"bar 0 left: {'met' if left == 0 else 'MISSED'}")


if __name__ == "__main__":
    print(f"load {os.getloadavg()[0]:.1f}")
    erasing()
    surrogates()
