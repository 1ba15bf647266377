"""What do a population beside the table and sampling weights cost a search? Adult with the hierarchies of ARX.

Bars: the searches for k-map and delta-presence take at most 3 times as long as the one for k-anonymity on the same 30,162 rows,
which are the population of the other two (every other record is published); a search whose records carry weights takes at most
1.5 times as long. The search alone, warm, best of three, 4 per cent may be left out.

    python benchmarks/population_search.py
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import time
from pathlib import Path
from typing import Any

from lattice import QIS
from measured import shared_data


def main() -> None:
    """Time the three searches and print them beside each other."""
    import sfumato
    from sfumato.contracts.run import Run
    from sfumato.tables.prepare import prepare

    shared_data()
    folder = Path(os.environ["SFUMATO_DATA"]) / "adult_arx"
    with gzip.open(folder / "adult.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(io.StringIO(file.read()), delimiter=";"))
    everybody = sfumato.from_rows(list(QIS), [tuple(row[name] for name in QIS) for row in rows])
    half = sfumato.from_rows(list(QIS), [tuple(row[name] for name in QIS) for row in rows[::2]])
    columns = {
        name: {
            "role": "quasi-identifier",
            "type": "text",
            "hierarchy": {"id": "taxonomy", "file": str(folder / f"adult_hierarchy_{name}.csv")},
        }
        for name in QIS
    }
    weights = [1 + at * 7 % 20 for at in range(len(rows))]
    whole, other = (
        sfumato.from_rows(
            [*QIS, "w"], [(*(row[name] for name in QIS), weight) for row, weight in zip(rows, each, strict=True)]
        )
        for each in (weights, [weight * 1.37 for weight in weights])
    )
    cases: list[tuple[str, Any, dict[str, Any]]] = [
        ("k-anonymity, all", everybody, {"id": "k-anonymity", "k": 5}),
        ("k-anonymity, half", half, {"id": "k-anonymity", "k": 5}),
        ("k-map, half of all", half, {"id": "k-map", "k": 5}),
        ("delta-presence, half of all", half, {"id": "delta-presence", "delta_min": 0.0, "delta_max": 0.8}),
        ("k-anonymity, whole weights", whole, {"id": "k-anonymity", "k": 5}),
        ("k-anonymity, other weights", other, {"id": "k-anonymity", "k": 5}),
        ("k-map of weights", whole, {"id": "k-map", "k": 50}),
        ("delta-presence, least share", half, {"id": "delta-presence", "delta_min": 0.2, "delta_max": 0.8}),
    ]
    first = None
    print(f"load {os.getloadavg()[0]:.2f}")
    for name, table, requirement in cases:
        asked = {"columns": columns, "requirements": [requirement], "algorithm": {"id": "optimal"}}
        if "w" in table.columns:
            asked |= {"columns": {**columns, "w": {"role": "private"}}, "weights": "w", "population": "weights"}
        policy = sfumato.Policy.of({**asked, "limits": {"suppress_at_most": 0.04}})
        task = prepare(table, policy).task(
            None if requirement["id"] == "k-anonymity" or "w" in table.columns else everybody
        )
        took = []
        for _ in range(3):
            start = time.perf_counter()
            outcome = policy.search().run(task, Run.seeded(0))
            took.append(time.perf_counter() - start)
        first = first or min(took)
        print(f"{name:30} {min(took):7.3f} s  {min(took) / first:5.2f} times  score {outcome.facts['score']:.6f}")


if __name__ == "__main__":
    main()
