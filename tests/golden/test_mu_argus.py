"""mu-Argus on the binary 4-cube: three values never point at fewer than two records, all four always at one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import sfumato


def test_the_printed_limitation(golden: Callable[..., Any]) -> None:
    with golden("02-mu-argus-1") as file:
        given, table = file.input, file.table()
        requirement = {"id": "k-combinations", "k": given["k"], "size": given["max_combination"]}
        release = sfumato.anonymize(
            table,
            {
                "columns": {name: {"role": "quasi-identifier"} for name in given["qid"]},
                "requirements": [requirement],
                "algorithm": {"id": "mu-argus", "max_combination": given["max_combination"]},
                "output": {"row_order": "keep"},
            },
        )
        changed = [
            old != new
            for before, after in zip(table.to_rows(), release.table.to_rows(), strict=True)
            for old, new in zip(before, after, strict=True)
        ]
        file.compare(sum(changed), "changed_cells")
        (verdict,) = sfumato.check(release.table, requirement, qid=given["qid"])
        file.compare(verdict.strongest, "min_count_of_3_combinations")
        by_hand = [release.table.groups(chosen).sizes.min() for chosen in combinations(given["qid"], 3)]
        file.compare(int(min(by_hand)), "min_count_of_3_combinations")
        (full,) = sfumato.check(release.table, {"id": "k-anonymity", "k": given["k"]}, qid=given["qid"])
        file.compare(full.strongest, "min_group_size_full_qid")
        file.compare(release.private.facts["smallest_group"], "min_group_size_full_qid")
        file.compare(full.satisfied, "is_2_anonymous")
        assert any("not k-anonymous" in warning for warning in release.warnings)
