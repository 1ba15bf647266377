"""Top-Down Refinement on the worked examples: scores, whole runs, and the index at every step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import sfumato
from sfumato.algorithms import TDR, Refinery
from sfumato.metrics.infogain import entropy, information_gain
from sfumato.tables.prepare import prepare

SCORES = {"infogain_per_anonyloss": "igpl", "infogain": "infogain"}


def policy_of(file: Any, **algorithm: Any) -> sfumato.Policy:
    """Return the policy that a file's attributes and requirement amount to."""
    columns: dict[str, Any] = {}
    for name, entry in file.input["attributes"].items():
        columns[name] = {"role": "quasi-identifier"}
        if entry["type"] == "categorical":
            columns[name]["hierarchy"] = {"id": "taxonomy", "tree": entry["taxonomy"]}
        else:
            columns[name]["range"] = entry["range"]
    return sfumato.Policy.of(
        {
            "columns": {**columns, "Class": {"role": "target"}},
            "requirements": [{"id": "k-anonymity", **entry} for entry in file.input["requirement"]],
            "algorithm": {"id": "tdr", "trace": "full", **algorithm},
            "output": {"row_order": "keep"},
        }
    )


def start(file: Any) -> Refinery:
    """Return the search in its most masked state."""
    policy = policy_of(file)
    return TDR(trace="full").start(prepare(file.table(), policy).task())


def candidate(entry: Any) -> dict[str, Any]:
    return {
        "attribute": entry["attribute"],
        "value": entry["value"],
        "InfoGain": entry["gain"],
        "AnonyLoss": entry["loss"],
        "Score": entry["score"],
        "valid": entry["valid"],
        "beneficial": entry["beneficial"],
    }


def step(entry: Any, attributes: Any) -> dict[str, Any]:
    out = candidate(entry) | {
        "A_after": dict(entry["after"]),
        "candidates": [candidate(other) for other in entry["candidates"]],
    }
    del out["valid"], out["beneficial"]
    if attributes[entry["attribute"]]["type"] == "continuous":
        out["split_at"] = entry["split_at"]
    return out


@pytest.mark.parametrize("name", ["03-tdr-run-1", "03-tdr-score-vs-infogain-1", "03-tdr-score-vs-infogain-2"])
def test_run(golden: Callable[..., Any], name: str) -> None:
    with golden(name) as file:
        attributes = file.input["attributes"]
        release = sfumato.anonymize(file.table(), policy_of(file, score=SCORES[file.input["score"]]))
        private = release.private
        file.compare([step(entry, attributes) for entry in private.trace], "trace")
        file.compare(
            {
                column: {
                    "cut" if entry["type"] == "categorical" else "intervals": release.recodings[column].published()
                }
                for column, entry in attributes.items()
            },
            "solution_set",
        )
        masked = sorted([*row, count] for row, count in Counter(release.table.to_rows()).items())
        file.compare({"columns": [*release.table.columns, "count"], "rows": masked}, "masked_table")
        file.compare(
            [
                {key: left[key] for key in ("attribute", "value", "valid", "beneficial")}
                for left in private.facts["left"]
            ],
            "rejected_at_end",
        )
        # What the search says of its smallest groups, and what counting the published rows says.
        found = {"|".join(verdict.qid): verdict.strongest for verdict in release.verdict}
        assert found == private.facts["smallest_group"]
        file.compare(found if isinstance(file.expected["A"], dict) else next(iter(found.values())), "A")
        if "qid_counts" in file.expected:
            counts = {
                "|".join(key): size
                for asked in file.input["requirement"]
                for key, size in release.table.groups(asked["qid"]).as_dict().items()
            }
            file.compare(counts, "qid_counts")


def test_score_of_one_refinement(golden: Callable[..., Any]) -> None:
    with golden("03-tdr-score-1") as file:
        table, asked = file.table(), file.input["candidate"]
        trees = {
            name: entry["taxonomy"]
            for name, entry in file.input["attributes"].items()
            if entry["type"] == "categorical"
        }
        children = [child["value"] for child in trees[asked["attribute"]]["children"]]
        classes: dict[str, Any] = {}
        for cut in ([asked["value"]], children):
            release = sfumato.recode(table, {asked["attribute"]: {"id": "subtree-generalization", "cut": cut}}, trees)
            groups = release.table.groups([asked["attribute"]], ["Class"])
            for number, counts in enumerate(groups.histograms["Class"].dense()):
                classes[str(groups.key(number)[0])] = counts
        file.compare({label: float(entropy(counts)) for label, counts in classes.items()}, "entropy")
        found = next(
            candidate
            for candidate in start(file).candidates()
            if (candidate.attribute, candidate.value) == (asked["attribute"], asked["value"])
        )
        gain = information_gain(classes[asked["value"]], _stack(classes, children))
        assert found.gain == pytest.approx(float(gain), abs=1e-12)
        file.compare(found.gain, "InfoGain")
        file.compare(found.loss, "AnonyLoss")
        file.compare(found.score, "Score")


def _stack(classes: dict[str, Any], labels: list[str]) -> Any:
    import numpy as np

    return np.stack([classes[label] for label in labels])


def state(refinery: Refinery, qids: list[list[str]]) -> dict[str, Any]:
    names = list(refinery.task.qids)
    smallest = refinery.smallest()
    return {
        "tips": {
            "leaf_partitions": sorted([*key, count] for key, count in refinery.groups(names).items()),
            "links": {value: [list(key) for key in keys] for value, keys in refinery.links().items()},
        },
        "qits": {
            "|".join(qid): {
                "counts": {"|".join(key): count for key, count in refinery.groups(qid).items()},
                "A": smallest[tuple(qid)],
            }
            for qid in qids
        },
    }


def test_leaf_partitions_and_counts_at_every_step(golden: Callable[..., Any]) -> None:
    with golden("03-tdr-tips-qits-1") as file:
        qids = [entry["qid"] for entry in file.input["requirement"]]
        refinery = start(file)
        found = [{"after": "start", **state(refinery, qids)}]
        for _ in range(2):
            chosen = refinery.best()
            assert chosen is not None
            taken = refinery.candidate(*chosen)
            refinery.apply(*chosen)
            found.append({"after": f"{taken.attribute}: refine {taken.value}", **state(refinery, qids)})
        file.compare(found, "states")


def test_on_step_sees_the_same_states(golden: Callable[..., Any]) -> None:
    """The same file by a second way: the states that ``anonymize`` shows while it works."""
    file = golden("03-tdr-tips-qits-1")
    qids = [entry["qid"] for entry in file.input["requirement"]]
    seen: list[dict[str, Any]] = []
    sfumato.anonymize(file.table(), policy_of(file), on_step=lambda refinery: seen.append(state(refinery, qids)))
    for number in (1, 2):
        for part in ("tips", "qits"):
            file.compare(seen[number - 1][part], "states", number, part)
