"""Top-down refinement that may leave records out, counted by hand in every state, on random tables."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.algorithms import TDR
from sfumato.algorithms.stepwise._suppressing_refinement import SuppressingRefinery
from sfumato.errors import Unsupported
from sfumato.tables.prepare import prepare
from sfumato.tables.recode import recode_table

TREE = {"ANY": [{"left": ["a", "b"]}, {"right": ["c", {"far": ["d", "e"]}]}]}
NAMES = ["place", "age", "code", "class"]


def drawn(seed: int, rows: int = 60) -> sfumato.Table:
    rng = np.random.default_rng(seed)
    return sfumato.from_rows(
        NAMES,
        [
            (
                rng.choice(list("abcde"), p=[0.4, 0.3, 0.2, 0.07, 0.03]).item(),
                int(rng.integers(20, 40)),
                rng.choice(["x", "y", "z"], p=[0.7, 0.25, 0.05]).item(),
                rng.choice(["0", "1"]).item(),
            )
            for _ in range(rows)
        ],
    )


def policy(k: int, share: float, **more: Any) -> dict[str, Any]:
    return {
        "columns": {
            "place": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": TREE}},
            "age": {"role": "quasi-identifier"},
            "code": {"role": "quasi-identifier"},
            "class": {"role": "target"},
        },
        "requirements": [{"id": "k-anonymity", "k": k}],
        "limits": {"suppress_at_most": share},
        "algorithm": {"id": "tdr", **more},
    }


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("share", [0.05, 0.3])
def test_every_state_keeps_the_limit_and_nothing_that_fits_is_left(seed: int, share: float) -> None:
    k = 2 + seed % 4
    task = prepare(drawn(seed), sfumato.Policy.of(policy(k, share))).task()
    search = TDR().start(task)
    assert isinstance(search, SuppressingRefinery)

    def too_small() -> int:
        return sum(size for size in search.groups(task.qids).values() if size < k)

    before = 0
    while (step := search.best()) is not None:
        expected = search.gone + search._more(*step)
        search.apply(*step)
        assert too_small() == search.gone == expected <= task.budget
        assert search.gone >= before  # what is too small stays too small
        before = search.gone
    for candidate in search.candidates():
        assert not candidate.valid or not candidate.beneficial


@pytest.mark.parametrize("seed", range(10))
def test_the_release_leaves_out_exactly_the_groups_that_are_too_small(seed: int) -> None:
    table = drawn(seed, 120)
    release = sfumato.anonymize(table, policy(4, 0.15))
    sizes = Counter(row[:3] for row in release.table.select(NAMES).to_rows())
    assert min(sizes.values()) >= 4
    left = table.rows - release.table.rows
    assert left == release.counts["records_suppressed"] == release.private.facts["records_suppressed"] <= 18
    recoded = Counter(row[:3] for row in recode_table(table, release.recodings).table.to_rows())
    assert {key: count for key, count in recoded.items() if count >= 4} == dict(sizes)
    assert left == sum(count for count in recoded.values() if count < 4)


def test_what_cannot_be_left_out_is_said() -> None:
    asked = policy(2, 0.1)
    asked["requirements"].append({"id": "k-anonymity", "k": 2, "qid": ["age"]})
    asked["requirements"][0]["qid"] = ["place", "code"]
    with pytest.raises(Unsupported, match="one quasi-identifier"):
        sfumato.anonymize(drawn(1), asked)
    asked = policy(2, 0.1)
    asked["requirements"].append({"id": "l-diversity-distinct", "l": 1, "sensitive": "class"})
    asked["columns"]["class"] = {"role": "sensitive"}
    with pytest.raises(Unsupported, match="group sizes decide"):
        sfumato.anonymize(drawn(1), asked)


def test_nobody_is_left_out_to_show_what_nobody_is_left_to_hold() -> None:
    """A value that fewer records hold than a group needs is never seen: showing it would only cost its records."""
    rows = {
        "sex": ["fm"[at % 2] for at in range(100)],
        "code": [f"c{at}" for at in range(96)] + ["c0", "c2", "c4", "c6"],
    }
    asked = {
        "columns": {"sex": {"role": "quasi-identifier"}, "code": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-anonymity", "k": 5}],
        "algorithm": {"id": "tdr"},
        "limits": {"suppress_at_most": 0.05},
    }
    release = sfumato.anonymize(rows, asked)
    assert release.counts["records_suppressed"] == 0
    assert release.table.counts(["sex", "code"]).sizes.tolist() == [50, 50]
