"""F-measure, match point and stress against worked examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sfumato.perturbations.drbt import distances, stress
from sfumato.utility.clustering import f_measure, f_measure_of_counts, match_point

Open = Callable[..., Any]


def test_f_measure(golden: Open) -> None:
    with golden("03-f-measure-1") as file:
        table = file.input["contingency"]
        records = [
            (row, column)
            for row, counts in zip(table["rows"], table["counts"], strict=True)
            for column, count in zip(table["columns"], counts, strict=True)
            for _ in range(count)
        ]
        found = f_measure([row for row, _ in records], [column for _, column in records])
        file.compare(found.recall.tolist(), "recall")
        file.compare(found.precision.tolist(), "precision")
        file.compare(found.f.tolist(), "F")
        file.compare(found.overall, "overall")
        assert f_measure_of_counts(table["counts"]).overall == found.overall


def test_match_point(golden: Open) -> None:
    with golden("03-match-point-1") as file:
        before, after = (
            {record: number for number, cluster in enumerate(file.input[side]) for record in cluster}
            for side in ("before", "after")
        )
        found = match_point(before, after)
        file.compare(found.value, "match_point")
        file.compare(found.matches, "matches")
        file.compare(found.n, "n")


def test_drbt_stress(golden: Open) -> None:
    with golden("03-drbt-stress-1") as file:
        table, matrix = np.array(file.input["T"]), np.array(file.input["R"])
        reduced = table @ matrix
        file.compare(reduced.tolist(), "T_prime")
        file.compare(distances(table), "pairs_i_lt_j_original")
        file.compare(distances(reduced), "pairs_i_lt_j_reduced")
        file.compare(stress(table, reduced), "stress")
