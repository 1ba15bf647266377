"""K-Optimize on Adult: how long until the optimum is proven, or how near the bound comes in two minutes.

The 30,162 complete training records with the eight classic quasi-identifiers, all 156 split values (every age, categories in
the order of their taxonomy's leaves), records in groups below k left out at the size of the table each. Bar: for k = 5, 10, 25,
50, 100 proven within two minutes, or the best found with its gap. There is no public implementation to compare with; the line
of the tree-based search (tdr) says what a greedy search pays.

    python benchmarks/k_optimize.py [discernibility | classification-metric]
"""

from __future__ import annotations

import json
import sys
import time

from measured import in_own_process, peak_megabytes, shared_data

KS = (5, 10, 25, 50, 100)
DEADLINE = 120.0


def ours(k: int, metric: str) -> None:
    """Time one run, reading and verifying included."""
    import sfumato
    from sfumato.datasets import adult

    table, columns = _adult(adult("train"))
    policy = {
        "columns": columns,
        "requirements": [{"id": "k-anonymity", "k": k}],
        "limits": {"suppress_at_most": 1.0},
        "algorithm": {"id": "k-optimize", "metric": metric, "deadline": DEADLINE},
        "metrics": ["discernibility"],
    }
    sfumato.anonymize(
        table, {**policy, "algorithm": {"id": "k-optimize", "metric": metric, "deadline": 0.01}}
    )  # compiles
    began, worked = time.perf_counter(), time.process_time()
    release = sfumato.anonymize(table, policy)
    facts = release.private.facts
    print(
        json.dumps(
            {
                "seconds": time.perf_counter() - began,
                "cpu": time.process_time() - worked,
                "peak": peak_megabytes(),
                **{key: facts[key] for key in ("cost", "lower_bound", "gap", "nodes", "left_out")},
            }
        )
    )


def greedy(k: int) -> None:
    """Return what the tree-based search pays for the same requirement, without leaving records out."""
    import sfumato
    from sfumato.datasets import adult

    table, columns = _adult(adult("train"))
    policy = {
        "columns": {name: entry if entry["role"] != "target" else {"role": "plain"} for name, entry in columns.items()},
        "requirements": [{"id": "k-anonymity", "k": k}],
        "metrics": ["discernibility"],
    }
    began = time.perf_counter()
    release = sfumato.anonymize(table, policy)
    print(json.dumps({"seconds": time.perf_counter() - began, "cost": int(release.measured["discernibility"].value)}))


def _adult(data: object) -> tuple[object, dict[str, dict[str, object]]]:
    import sfumato
    from sfumato.data.schema import Role

    names = [*data.of(Role.QUASI_IDENTIFIER), "class"]  # type: ignore[attr-defined]
    part = data.select(names)  # type: ignore[attr-defined]
    document = sfumato.Policy.for_dataset(part, requirements=[{"id": "k-anonymity", "k": 1}]).document()
    return sfumato.from_dataset(part), document["columns"]


def main(metric: str) -> None:
    """Print cost, bound, gap, time and memory for every k."""
    shared_data()
    print(f"{metric}, {DEADLINE:g} s")
    print(
        f"{'k':>4} {'cost':>11} {'bound':>11} {'gap':>7} {'left out':>9} {'nodes':>8} {'s':>7} {'cpu s':>7} {'MB':>6}"
        f"{'tdr cost':>13} {'s':>6}"
    )
    for k in KS:
        run = in_own_process(__file__, "ours", str(k), metric)
        peer = in_own_process(__file__, "greedy", str(k))
        print(
            f"{k:>4} {run['cost']:>11,} {run['lower_bound']:>11,} {run['gap']:>7.1%} {run['left_out']:>9} {run['nodes']:>8,} "
            f"{run['seconds']:>7.1f} {run['cpu']:>7.1f} {run['peak']:>6.0f} {peer['cost']:>12,} {peer['seconds']:>6.1f}",
            flush=True,
        )


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "ours":
        ours(int(sys.argv[2]), sys.argv[3])
    elif len(sys.argv) > 2 and sys.argv[1] == "greedy":
        greedy(int(sys.argv[2]))
    else:
        main(sys.argv[1] if len(sys.argv) > 1 else "discernibility")
