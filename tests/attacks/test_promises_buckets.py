"""What is promised of buckets that hold the values of different persons, tried by attacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest

import sfumato

from .promises import ENOUGH, Spec, at_most

DISEASES = ["Flu", "Ulcer", "Gout", "HIV"]


# ---- buckets of different persons ----------------------------------------------------------------------------------------


def anatomized(rng: np.random.Generator, jobs: int) -> tuple[list[tuple[str, int, str]], dict[str, Any]]:
    """Return records with their bucket and disease, and the pair that is published of them."""
    rows = [
        (f"j{rng.integers(jobs)}", bucket, rng.choice(DISEASES).item())
        for bucket in range(int(rng.integers(1, 4)))
        for _ in range(int(rng.integers(1, 6)))
    ]
    counted = Counter((bucket, disease) for _, bucket, disease in rows)
    pair = {
        "qit": sfumato.from_rows(["Job", "Group"], [row[:2] for row in rows]),
        "st": sfumato.from_rows(["Group", "Disease", "Count"], [(*key, count) for key, count in counted.items()]),
    }
    return rows, pair


@pytest.mark.parametrize("jobs", [2, 40])
def test_what_is_believed_of_a_quasi_identifier_in_buckets(jobs: int) -> None:
    """Of persons who look alike it is the mean over their buckets; somebody who looks like nobody else is in one."""
    rng, passed, failed = np.random.default_rng(18), 0, 0
    for _ in range(60):
        rows, pair = anatomized(rng, jobs)
        spec: Spec = {
            "id": "privacy-maxent",
            "sensitive": "Disease",
            "bucket": "Group",
            "threshold": float(rng.uniform(0.3, 1)),
        }
        table = sfumato.from_rows(["Job", "Group", "Disease"], rows)
        holds = bool(sfumato.check(table, spec, qid=["Job"]))
        passed, failed = passed + holds, failed + (not holds)
        found: Any = sfumato.attack(pair, "attack-definetti", qid=["Job"], sensitive="Disease")
        known: dict[str, Counter[Hashable]] = {}
        for at, (job, _, _) in enumerate(rows):
            known.setdefault(job, Counter()).update(found.random_worlds(at))
        number = Counter(row[0] for row in rows)
        highest = max(share / number[job] for job, shares in known.items() for share in shares.values())
        assert at_most(highest, spec["threshold"]) == holds
        if all(len({bucket for other, bucket, _ in rows if other == job}) == 1 for job in known):
            joined = sfumato.attack(pair, "attack-anatomy-reconstruction", qid=["Job"], sensitive="Disease")
            assert at_most(joined.highest, spec["threshold"]) == holds
    assert min(passed, failed) >= ENOUGH


def test_maximum_entropy_does_not_hide_who_is_known_to_be_in_a_bucket() -> None:
    """The known limit of the model: it speaks of quasi-identifiers, and here one of them is in two buckets."""
    rows = [("Clerk", 1, "Flu"), ("Clerk", 2, "HIV")]
    spec = {"id": "privacy-maxent", "sensitive": "Disease", "bucket": "Group", "threshold": 0.5}
    assert sfumato.check(sfumato.from_rows(["Job", "Group", "Disease"], rows), spec, qid=["Job"])
    listed = sfumato.from_rows(["Group", "Disease", "Count"], [(1, "Flu", 1), (2, "HIV", 1)])
    pair = {"qit": sfumato.from_rows(["Job", "Group"], [row[:2] for row in rows]), "st": listed}
    assert sfumato.attack(pair, "attack-anatomy-reconstruction", qid=["Job"], sensitive="Disease").highest == 1.0
