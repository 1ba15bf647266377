"""The genetic algorithm on the worked example: the smallest classification metric of all ten cuts, found by evolution."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import sfumato
from sfumato import Tree


def cost_of(table: Any, given: dict[str, Any], cuts: tuple[tuple[str, ...], ...]) -> float:
    """Return CM of one combination of cuts: recode, leave out small groups, ask the metric."""
    qid = given["qid"]
    recoded = sfumato.recode(
        table,
        {name: {"id": "subtree-generalization", "cut": cut} for name, cut in zip(qid, cuts, strict=True)},
        given["taxonomies"],
    )
    kept = sfumato.recode(recoded.table, {"id": "record-suppression", "qid": qid, "k": given["k"]})
    found = sfumato.measure(
        table,
        kept.table,
        "classification-metric",
        qid=qid,
        target=given["class"],
        hierarchies=given["taxonomies"],
    )
    return float(found.value)


def test_reaches_the_exhaustive_optimum(golden: Callable[..., Any]) -> None:
    with golden("02-genetic-algorithm-1") as file:
        given, table = file.input, file.table()
        trees = [Tree.from_nested(given["taxonomies"][name]) for name in given["qid"]]
        all_cuts = list(product(*([tuple(tree.labels[v] for v in cut) for cut in tree.cuts()] for tree in trees)))
        costs = {cuts: cost_of(table, given, cuts) for cuts in all_cuts}
        least = min(costs.values())
        best = [[sorted(cut) for cut in cuts] for cuts in all_cuts if costs[cuts] == least]

        policy = {
            "columns": {
                **{
                    name: {
                        "role": "quasi-identifier",
                        "hierarchy": {"id": "taxonomy", "tree": given["taxonomies"][name]},
                    }
                    for name in given["qid"]
                },
                given["class"]: {"role": "target"},
            },
            "requirements": [{"id": "k-anonymity", "k": given["k"]}],
            "limits": {"suppress_at_most": 1.0},
            "metrics": ["classification-metric"],
            "algorithm": {"id": "genetic-algorithm", "population": 10, "evaluations": 200, "mutation": 0.1},
        }
        found = []
        for seed in range(10):
            release = sfumato.anonymize(table, {**policy, "seed": seed})
            facts = release.private.facts
            file.compare(facts["search_space"], "search_space")
            file.compare(facts["cost"], "min_cm")
            file.compare(release.measured["classification-metric"].value, "min_cm")
            file.compare(round(facts["cost"] * table.rows), "min_cm_penalty")
            found.append([sorted(release.recodings[name].published()) for name in given["qid"]])
        file.compare(len(all_cuts), "search_space")
        assert all(cuts in best for cuts in found)
        order = {str(cuts): place for place, cuts in enumerate(file.expected["optimal_cuts"])}
        file.compare(sorted(best, key=lambda cuts: order.get(str(cuts), len(order))), "optimal_cuts")
