"""K-Optimize on the worked example: the optimum under both metrics, and every set of splits that has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sfumato


def solve(file: Any, **algorithm: Any) -> sfumato.Release:
    given = file.input
    columns = [*given["attributes"], "class"]
    rows = list(zip(*given["attributes"].values(), given["class"], strict=True))
    policy = {
        "columns": {
            **{name: {"role": "quasi-identifier"} for name in given["attributes"]},
            "class": {"role": "target"},
        },
        "requirements": [{"id": "k-anonymity", "k": given["k"]}],
        "limits": {"suppress_at_most": 1.0},
        "algorithm": {"id": "k-optimize", **algorithm},
        "metrics": ["discernibility", "classification-metric"],
    }
    return sfumato.anonymize(sfumato.from_rows(columns, rows), policy)


def test_optimum(golden: Callable[..., Any]) -> None:
    with golden("02-k-optimize-1") as file:
        release = solve(file, list_optima=True)
        facts = release.private.facts
        file.compare(facts["search_space"], "search_space")
        file.compare(facts["cost"], "min_dm")
        assert release.measured["discernibility"].value == facts["cost"] == facts["lower_bound"]
        found = [
            [[name, int(start)] for name, starts in optimum.items() for start in starts] for optimum in facts["optima"]
        ]
        found.sort()
        file.compare(found, "optimal_dm_splits")

        classes = solve(file, list_optima=True, metric="classification-metric")
        facts = classes.private.facts
        file.compare(facts["cost"], "min_cm_penalty")
        file.compare(len(facts["optima"]), "number_of_cm_optimal_split_sets")
        assert classes.measured["classification-metric"].value == facts["cost"] / len(file.input["class"])


def test_the_usual_search_finds_one_of_them(golden: Callable[..., Any]) -> None:
    file = golden("02-k-optimize-1")
    release = solve(file)
    facts = release.private.facts
    assert facts["cost"] == file.expected["min_dm"]
    found = [[name, int(start)] for name, starts in facts["splits"].items() for start in starts]
    assert found in file.expected["optimal_dm_splits"]
    assert solve(file, metric="classification-metric").private.facts["cost"] == file.expected["min_cm_penalty"]
    assert release.certificate["algorithm"]["optimal"] is True
