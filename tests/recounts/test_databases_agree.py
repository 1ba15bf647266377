"""The plain recount of several tables says what the model says, by whole bags and by single combinations."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.contracts.engine import Table
from sfumato.contracts.published import Published
from sfumato.databases.models import OwnerKAnonymity
from sfumato.databases.releases import RecodedDatabase
from sfumato.engines import from_rows
from sfumato.publishing.recounting import Recounts

KIND = RecodedDatabase(
    person="people",
    keys=(("people", "id"), ("stays", "nr")),
    references=(("stays", "who", "people"), ("tests", "stay", "stays"), ("calls", "who", "people")),
    known=(("people", "sex"), ("stays", "ward"), ("tests", "what"), ("tests", "day"), ("calls", "year")),
)


def drawn(seed: int) -> dict[str, Table]:
    """Draw people with stays, tests of stays, and calls; some have none."""
    rng = np.random.default_rng(seed)
    people, stays, tests, calls = (int(rng.integers(1, upto)) for upto in (7, 5, 4, 4))
    texts = ["x", 'y"|', None]

    def rows(count: int, upto: int, values: list[int], *, numbered: bool) -> list[tuple[object, ...]]:
        return [
            (
                *((at + 1,) if numbered else ()),
                *((int(rng.integers(1, upto + 1)),) if upto else ()),
                *(texts[rng.integers(0, choices)] for choices in values),
            )
            for at in range(count)
        ]

    return {
        "people": from_rows(["id", "sex"], rows(people, 0, [1], numbered=True)),
        "stays": from_rows(["nr", "who", "ward"], rows(stays, people, [2], numbered=True)),
        "tests": from_rows(["stay", "what", "day"], rows(tests, stays, [2, 1], numbered=False)),
        "calls": from_rows(["who", "year"], rows(calls, people, [1], numbered=False)),
    }


@pytest.mark.parametrize("signature", [True, False])
def test_both_judgements_agree(signature: bool) -> None:
    told = set()
    for seed in range(60):
        parts = drawn(seed)
        model = OwnerKAnonymity(k=2, owner_signature=signature)
        (verdict,) = KIND.verify(parts, [model], [])
        found = Recounts(Published(form=KIND, tables=parts)).judge(model).level
        assert (found.measured, found.violating, found.satisfied) == (
            verdict.strongest,
            verdict.violating_groups,
            verdict.satisfied,
        )
        told.add((verdict.strongest, verdict.violating_groups))
    assert len(told) > 2
