"""Bottom-Up Generalization on the worked examples: smallest groups, valid steps, the index, whole runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import sfumato
from sfumato.algorithms import BottomUpGeneralization, Coarsener
from sfumato.tables.prepare import prepare


def policy_of(file: Any, k: int, **algorithm: Any) -> sfumato.Policy:
    names = file.input["vid"] if "vid" in file.input else file.input["qid"]
    columns: dict[str, Any] = {
        name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": file.input["taxonomies"][name]}}
        for name in names
    }
    return sfumato.Policy.of(
        {
            "columns": {**columns, "Class": {"role": "target"}},
            "requirements": [{"id": "k-anonymity", "k": k}],
            "algorithm": {"id": "bottom-up-generalization", "trace": "full", **algorithm},
        }
    )


def start(file: Any, k: int, *, pruned: bool = True) -> Coarsener:
    task = prepare(file.table(), policy_of(file, k)).task()
    return BottomUpGeneralization(pruned=pruned).start(task)


def labels(search: Coarsener, places: list[tuple[int, int]]) -> list[str]:
    return [search.columns[index].tree.labels[node] for index, node in places]


def joined(groups: dict[tuple[str, ...], int]) -> dict[str, int]:
    return {"|".join(key): size for key, size in groups.items()}


def test_smallest_groups_and_valid_generalizations(golden: Callable[..., Any]) -> None:
    with golden("03-bug-anonymity-1") as file:
        k, vid = file.input["K"], file.input["vid"]
        search = start(file, k)
        groups = search.groups(vid)
        (smallest,) = search.smallest().values()
        file.compare(smallest, "A")
        file.compare(sum(groups.values()), "total")
        file.compare(sorted(list(key) for key, size in groups.items() if size == smallest), "anonymity_vids")
        file.compare(labels(search, search.generalizations(literal=True)), "valid_generalizations")
        file.compare(sorted(labels(search, search.generalizations())), "valid_and_touching_data")
        release = sfumato.anonymize(file.table(), policy_of(file, k))
        steps = [[step["attribute"], step["value"]] for step in release.private.trace]
        file.compare(steps, "steps")
        file.compare(steps[0][1], "best")
        file.compare(next(iter(release.verdict)).strongest, "A_after")
        published = {"|".join(map(str, key)): size for key, size in release.table.groups(vid).as_dict().items()}
        file.compare({key: size for key, size in published.items() if f"|{steps[0][1]}|" in key}, "new_counts")


@pytest.mark.parametrize("pruned", [True, False])
def test_metric_of_every_generalization(golden: Callable[..., Any], pruned: bool) -> None:
    with golden("03-bug-metric-1") as file:
        search = start(file, file.input["K"], pruned=pruned)
        (smallest,) = search.smallest().values()
        candidates = search.candidates()
        file.compare(
            {
                step.value: {
                    "I": step.cost,
                    # Sizes are told apart up to K, which nothing here exceeds.
                    "A_G": smallest + int(step.gain),
                    "P": int(step.gain),
                    "IP": step.score if step.critical else None,
                }
                for step in candidates
            },
            "metrics",
        )
        file.compare([step.value for step in candidates if step.critical], "critical")
        best = search.best(candidates)
        assert best is not None
        file.compare(best.value, "best")


def test_index(golden: Callable[..., Any]) -> None:
    with golden("03-bug-tea-1") as file:
        vid = file.input["vid"]
        assert file.input["level_order"] == vid
        search = start(file, 3)
        file.compare(
            {
                value: [[list(path) for path in segment] for segment in segments]
                for value, segments in search.segments(vid).items()
            },
            "segments",
        )
        file.compare(labels(search, search.only_if()), "cand_only_if")
        candidates = search.candidates()
        file.compare([step.value for step in candidates if step.critical], "critical")
        step = next(step for step in candidates if step.value == file.input["apply"])
        search.apply(step.index, step.node)
        file.compare(joined(search.groups(vid)), "after_apply")


@pytest.mark.parametrize("pruned", [True, False])
def test_run(golden: Callable[..., Any], pruned: bool) -> None:
    # The file prints six decimals.
    with golden("02-bottom-up-generalization-1", tolerance=5.1e-7) as file:
        k, qid = file.input["k"], file.input["qid"]
        release = sfumato.anonymize(file.table(), policy_of(file, k, pruned=pruned))
        file.compare(
            [
                {
                    "candidates": [
                        {
                            "value": step["value"],
                            "il": step["cost"],
                            "pg": int(step["gain"]),
                            "ilpg": step["score"],
                            "critical": step["critical"],
                        }
                        for step in entry["candidates"]
                    ],
                    "chosen": entry["value"],
                }
                for entry in release.private.trace
            ],
            "trace",
        )
        file.compare({name: sorted(release.recodings[name].published()) for name in qid}, "final_cuts")
        file.compare(int(release.table.groups(qid).sizes.min()), "min_group_size")
