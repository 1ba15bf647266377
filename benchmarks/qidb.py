"""QIDB anonymization: 100,000 records against our Mondrian, 400 records against our Samarati search, memory as it grows.

Adult (blown up with random changes where more records are asked for), quasi-identifiers age, education, marital status and
occupation; a disease is drawn for each record with the shares 10, 20, 50 and 20 %, two of the four diseases are embarrassing.

Large: 2 % of the records are protected, th_acct 0.1, th_disc 0.2. Ours and Mondrian (k = 5) get the same prepared table, each
in a process of its own; times are those of the whole ``anonymize``, from the table in memory to the verified release, and of
the search alone. Bar: <= 20 x Mondrian in both; the peak of the resident memory grows linearly with the records.

Small: 400 records, 20 % of the owners of an embarrassing value mind. Against ``samarati-binary-search`` for k = 5 without
suppression on the same hierarchies; median over 12 draws, best of 5 runs each. Bar: <= 1 x, search against search.

    python benchmarks/qidb.py
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from typing import Any

import numpy as np
from measured import in_own_process, peak_megabytes, shared_data

QID = ("age", "education", "marital-status", "occupation")
DISEASES = ("Gastric ulcer", "Stomach cancer", "Flu", "Heart Disease")
SHARES = (0.1, 0.2, 0.5, 0.2)
WEIGHTS = {"Gastric ulcer": 0, "Stomach cancer": 1, "Flu": 0, "Heart Disease": 1}
SIZES = (100_000, 200_000, 400_000)
LARGE_BAR, SMALL_BAR = 20.0, 1.0


def table(records: int, share: float, seed: int) -> Any:
    """Return Adult with a drawn disease and answers; ``share`` of all records are protected."""
    import sfumato
    from sfumato.datasets import adult, blow_up

    rng = np.random.default_rng(seed)
    data = adult(missing="drop").select([*QID])
    if records > len(data):
        data = blow_up(data, rng=np.random.default_rng(1), rows=records)
    columns = {name: list(data.values(name))[:records] for name in QID}
    disease = rng.choice(len(DISEASES), records, p=SHARES)
    answer = (rng.random(records) >= share / 0.4).astype(int)
    rows = zip(*columns.values(), (DISEASES[d] for d in disease), answer.tolist(), strict=True)
    return sfumato.from_rows([*QID, "disease", "answer"], list(rows))


def policy(algorithm: str, k: int = 5, **more: Any) -> dict[str, Any]:
    """Return the policy for one of the rivals."""
    from sfumato.datasets import adult_taxonomies

    trees = adult_taxonomies()
    columns: dict[str, Any] = {
        name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": trees[name]}} for name in QID[1:]
    }
    columns["age"] = {
        "role": "quasi-identifier",
        "hierarchy": {"id": "intervals", "lower": 10, "width": 10, "upper": 100, "fan_out": [3]},
    }
    ours = algorithm == "qidb-anonymization"
    asked = (
        {"id": "personal-frequency", "sensitive": "disease", "th_acct": "0.1"}
        if ours
        else {"id": "k-anonymity", "k": k}
    )
    return {
        "columns": {
            **{name: columns[name] for name in QID},
            "disease": {"role": "sensitive"},
            "answer": {"role": "private"},
        },
        "requirements": [asked],
        "algorithm": {"id": algorithm, **({"weights": WEIGHTS, "flags": "answer"} if ours else {}), **more},
        "metrics": ["discernibility"],
        "seed": 1,
    }


def timed(source: Any, asked: dict[str, Any], repeats: int) -> dict[str, float]:
    """Return the best time of the search and of the whole thread; the first run compiles and is not counted."""
    import sfumato
    from sfumato.contracts.run import Run
    from sfumato.errors import Infeasible
    from sfumato.tables.prepare import prepare

    plan = sfumato.Policy.of(asked)
    searches, wholes = [], []
    for _ in range(repeats + 1):
        task = prepare(source, plan).task()
        began = time.perf_counter()
        algorithm = plan.search()
        if hasattr(algorithm, "prepare"):
            algorithm.prepare(task).run()
        else:
            algorithm.run(task, Run.seeded(1))
        searches.append(time.perf_counter() - began)
        began = time.perf_counter()
        try:
            sfumato.anonymize(source, plan)
            wholes.append(time.perf_counter() - began)
        except Infeasible:
            wholes.append(float("nan"))
    return {"search": min(searches[1:]), "whole": min(wholes[1:])}


def large(algorithm: str, records: int) -> None:
    """Print the times and the peak of one rival on a large table."""
    more = {"th_disc": "0.2"} if algorithm == "qidb-anonymization" else {}
    source = table(records, 0.02, 7)
    before = peak_megabytes()
    found = timed(source, policy(algorithm, **more), 2)
    print(json.dumps({**found, "peak": peak_megabytes(), "before": before}))


def small() -> None:
    """Print the median times of both on 400 records over 12 draws."""
    ours, rival, whole = [], [], []
    for seed in range(12):
        source = table(400, 0.4 * 0.2, seed)
        mine = timed(source, policy("qidb-anonymization", th_iter=10, th_disc="0.2"), 5)
        theirs = timed(source, policy("samarati-binary-search"), 5)
        ours.append(mine["search"])
        rival.append(theirs["search"])
        whole.append(mine["whole"] / theirs["whole"])
    print(
        json.dumps(
            {
                "ours": statistics.median(ours),
                "samarati": statistics.median(rival),
                "whole": float(np.nanmedian(whole)),
            }
        )
    )


def main() -> None:
    """Print ours, the rival's, the ratio, and the memory."""
    shared_data()
    print(f"{'records':>9} {'search s':>9} {'whole s':>8} {'peak MB':>8} {'table MB':>9}   (table: before the run)")
    runs = {size: in_own_process(__file__, "large", "qidb-anonymization", str(size)) for size in SIZES}
    for size, run in runs.items():
        print(f"{size:>9,} {run['search']:>9.3f} {run['whole']:>8.2f} {run['peak']:>8.0f} {run['before']:>9.0f}")
    rival = in_own_process(__file__, "large", "mondrian", str(SIZES[0]))
    print(
        f"{'mondrian':>9} {rival['search']:>9.3f} {rival['whole']:>8.2f} {rival['peak']:>8.0f} {rival['before']:>9.0f}"
    )
    for part in ("search", "whole"):
        ratio = runs[SIZES[0]][part] / rival[part]
        print(f"{part}: ours / mondrian {ratio:.2f} (bar {LARGE_BAR:g}) {'ok' if ratio <= LARGE_BAR else 'MISSED'}")
    grown = [run["peak"] - run["before"] for run in runs.values()]
    print(
        f"memory beyond the table: {', '.join(f'{mb:.0f} MB' for mb in grown)} for {', '.join(f'{n:,}' for n in SIZES)}"
    )
    few = in_own_process(__file__, "small")
    ratio = few["ours"] / few["samarati"]
    print(f"400 records: ours {1000 * few['ours']:.2f} ms, samarati {1000 * few['samarati']:.2f} ms")
    print(f"search: ours / samarati {ratio:.2f} (bar {SMALL_BAR:g}) {'ok' if ratio <= SMALL_BAR else 'MISSED'}")
    print(f"whole thread: ours / samarati {few['whole']:.2f} (bar {SMALL_BAR:g})")


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "large":
        large(sys.argv[2], int(sys.argv[3]))
    elif len(sys.argv) > 1 and sys.argv[1] == "small":
        small()
    else:
        main()
