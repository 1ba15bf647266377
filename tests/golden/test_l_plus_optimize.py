"""l+-Optimize on the worked example: the optimum under two metrics, and what the whole search space holds."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import sfumato
from sfumato import Tree


def requirement(file: Any) -> dict[str, Any]:
    return {"id": "confidence-bounding", "sensitive": file.input["sensitive"], **file.input["template"]}


def solve(file: Any, **algorithm: Any) -> sfumato.Release:
    given = file.input
    policy = {
        "columns": {
            **{
                name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": given["taxonomies"][name]}}
                for name in given["qid"]
            },
            given["sensitive"]: {"role": "sensitive"},
            "Class": {"role": "target"},
        },
        "requirements": [requirement(file)],
        "algorithm": {"id": "l-plus-optimize", **algorithm},
        "metrics": ["discernibility", "minimal-distortion"],
    }
    return sfumato.anonymize(file.table(), policy)


def test_optimum(golden: Callable[..., Any]) -> None:
    with golden("02-l-plus-optimize-1") as file:
        qid = file.input["qid"]
        for metric, least, cuts in (
            ("discernibility", "min_dm", "dm_optimal_cuts"),
            ("minimal-distortion", "min_md", "md_optimal_cuts"),
        ):
            release = solve(file, metric=metric, list_optima=True)
            facts = release.private.facts
            file.compare(facts["search_space"], "search_space")
            file.compare(int(facts["cost"]), least)
            assert release.measured[metric].value == facts["cost"] == facts["lower_bound"]
            file.compare([[sorted(optimum[name]) for name in qid] for optimum in facts["optima"]], cuts)
            assert solve(file, metric=metric).private.facts["cost"] == facts["cost"]

        # How many combinations of cuts hold: all of them, published and checked.
        trees = {name: Tree.from_nested(file.input["taxonomies"][name]) for name in qid}
        every = [[tuple(tree.labels[node] for node in cut) for cut in tree.cuts()] for tree in trees.values()]
        satisfied = 0
        for combination in product(*every):
            recodings = {
                name: {"id": "subtree-generalization", "cut": cut} for name, cut in zip(qid, combination, strict=True)
            }
            published = sfumato.recode(file.table(), recodings, file.input["taxonomies"]).table
            satisfied += bool(sfumato.check(published, requirement(file), qid=qid))
        file.compare(satisfied, "feasible")
