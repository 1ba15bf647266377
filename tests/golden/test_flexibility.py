"""What recodings of whole records can do that recodings of single columns cannot: every cut of both columns is tried."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import sfumato
from sfumato.recodings.multidimensional_generalization import MultidimensionalGeneralization

Open = Callable[..., Any]


def cuts(low: int, high: int) -> list[tuple[int, ...]]:
    """Return the edges of every way to cut whole numbers from low to high."""
    inner = range(low + 1, high + 1)
    return [(low, *chosen, high + 1) for size in range(len(inner) + 1) for chosen in combinations(inner, size)]


def misclassified(raw: Any, released: Any) -> int:
    """Return how many records do not have the class of most records of their group, none of them suppressed."""
    share = sfumato.measure(raw, released, "classification-metric", qid=["Age", "Job"], target="Class").value
    return round(share * raw.rows)


def test_single_columns_misclassify_two_whole_records_none(golden: Open) -> None:
    with golden("03-mondrian-flexibility-1") as file:
        raw, k = file.table(), file.input["k"]
        found = []
        for age, job in product(cuts(1, 6), cuts(1, 4)):
            recoded = sfumato.recode(
                raw, {"Age": {"id": "discretization", "edges": age}, "Job": {"id": "discretization", "edges": job}}
            )
            if int(recoded.table.groups(["Age", "Job"]).sizes.min()) >= k:
                found.append(misclassified(raw, recoded.table))
        file.compare(min(found), "best_single_dimensional_misclassified")
        boxes = MultidimensionalGeneralization(
            qid=("Age", "Job"),
            ranges={"Age": (1, 7), "Job": (1, 5)},
            boxes=(("[1-3)", "[1-3)"), ("[3-7]", "[1-3)"), ("[1-4)", "[3-5]"), ("[4-7]", "[3-5]")),
        )
        recoded = sfumato.recode(raw, boxes)
        assert sfumato.check(recoded.table, [{"id": "k-anonymity", "k": k}], qid=["Age", "Job"])
        # None is the fewest there can be, so the best is reached.
        file.compare(misclassified(raw, recoded.table), "best_multidimensional_misclassified")
        groups: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
        for record, shown in zip(raw.to_rows(), recoded.table.to_rows(), strict=True):
            groups.setdefault(shown[:2], []).append(record)
        parts = [
            {
                "Age": [min(row[0] for row in rows), max(row[0] for row in rows)],
                "Job": [min(row[1] for row in rows), max(row[1] for row in rows)],
                "n": len(rows),
                "Class": "/".join(sorted({row[2] for row in rows})),
            }
            for rows in (groups[box] for box in boxes.boxes)
        ]
        file.compare(parts, "one_perfect_partition")
