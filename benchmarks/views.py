"""Views of one table, marginals beside it, several tables: how long the checks take, beside what they are measured against.

python benchmarks/views.py                  everything, one million rows
python benchmarks/views.py --rows 100000    fewer
python benchmarks/views.py --only owners    one part: projections, marginals, owners
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Callable
from itertools import combinations
from os import getloadavg
from time import perf_counter, process_time

import numpy as np
import polars as pl

import sfumato
from sfumato.datasets import hospital_tables
from sfumato.views import ViewSet
from sfumato.views.marginal import MarginalQuery, marginal
from sfumato.views.marginal_set import MarginalSet
from sfumato.views.models import MarginalPrivacyCheck, SPViewKAnonymity


def timed(work: Callable[[], object], times: int = 1) -> float:
    """Return the seconds that the quickest of some runs takes."""
    best = float("inf")
    for _ in range(times):
        begun = perf_counter()
        work()
        best = min(best, perf_counter() - begun)
    return best


def projections(rows: int) -> None:
    """Two projection views, checked, beside one join of their distinct rows with counts."""
    for count in (rows // 10, rows):
        rng = np.random.default_rng(1)
        frame = pl.DataFrame(
            {
                "Name": np.arange(count),
                "Zip": rng.integers(0, count // 10 + 1, count),
                "Job": rng.integers(0, 40, count),
                "Ill": rng.integers(0, 50, count),
            }
        )
        first, second = frame.select("Name", "Zip", "Job"), frame.select("Zip", "Job", "Ill")

        def joined(one: pl.DataFrame = first, other: pl.DataFrame = second) -> int:
            left = one.group_by(one.columns).len("n")
            right = other.group_by(other.columns).len("m")
            return left.join(right, on=["Zip", "Job"]).height

        model = SPViewKAnonymity(k=2, identifier="Name", sensitive="Ill")

        def checked(one: pl.DataFrame = first, other: pl.DataFrame = second, model: SPViewKAnonymity = model) -> bool:
            return model.check(ViewSet.of_answers({"V1": one, "V2": other})).violates

        base, ours = timed(joined, 3), timed(checked, 3)
        print(f"projections {count:>9,} rows: join {base:6.2f} s, check {ours:6.2f} s, {ours / base:5.1f} x (bar 10)")


def marginals(rows: int) -> None:
    """Level 1 on 20 counted marginals, beside one group-by of the table."""
    rng = np.random.default_rng(2)
    columns = {f"Q{at}": rng.integers(0, 6, rows) for at in range(7)} | {"Ill": rng.integers(0, 30, rows)}
    frame = pl.DataFrame(columns)
    table = sfumato.read(frame)
    pairs = list(combinations([name for name in columns if name != "Ill"], 2))[:20]
    made = {"-".join(pair): marginal(table, MarginalQuery((*pair, "Ill"))).table() for pair in pairs}
    names = [name for name in columns if name != "Ill"]
    group_by = timed(lambda: frame.group_by([*names, "Ill"]).len(), 3)
    published = MarginalSet.of(None, made, sensitive="Ill")
    begun = perf_counter()
    real = published.with_records(sfumato.read(frame))
    verdict = MarginalPrivacyCheck(k=2, l=2).judge(real)
    took = perf_counter() - begun
    print(
        f"marginals {rows:>9,} rows, {len(pairs)} marginals, {len(real.classes):,} classes: group-by {group_by:5.2f} s, "
        f"level 1 {took:5.2f} s, {took / group_by:5.1f} x (bar 10); holds: {verdict.satisfied}"
    )


def owners(persons: int) -> None:
    """Patients, stays and diagnoses made alike, for growing numbers of patients."""
    policy = {
        "shape": "database",
        "person": "patients",
        "tables": {
            "patients": {
                "key": "id",
                "columns": {
                    "born": {
                        "role": "quasi-identifier",
                        "hierarchy": {"id": "intervals", "lower": 1880, "width": 10, "fan_out": [2, 8]},
                    },
                    "sex": {"role": "quasi-identifier"},
                    "zip": {"role": "quasi-identifier", "type": "text", "hierarchy": {"id": "redaction", "length": 5}},
                },
            },
            "stays": {
                "key": "id",
                "references": {"patient": "patients"},
                "columns": {"ward": {"role": "quasi-identifier"}, "year": {"role": "quasi-identifier"}},
            },
            "diagnoses": {"references": {"stay": "stays"}, "columns": {"diagnosis": {"role": "sensitive"}}},
        },
        "requirements": [{"id": "multir-k-anonymity", "k": 5}],
    }
    for count in (persons // 16, persons // 4, persons):
        tables = {one.name: dict(one.data) for one in hospital_tables(count, 1)}
        rows = sum(len(next(iter(one.values()))) for one in tables.values())
        begun, busy = perf_counter(), process_time()
        release = sfumato.anonymize(tables, policy)
        took, busy = perf_counter() - begun, process_time() - busy
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        kept = sum(table.rows for table in release.tables.values())
        print(
            f"owners {count:>8,} persons, {rows:,} rows: {took:6.1f} s ({busy:.1f} s of CPU, load {getloadavg()[0]:.1f}), "
            f"{kept:,} rows kept, at most {memory:,.0f} MB",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only", choices=("projections", "marginals", "owners"))
    given = parser.parse_args()
    if given.only in (None, "projections"):
        projections(given.rows)
    if given.only in (None, "marginals"):
        marginals(given.rows)
    if given.only in (None, "owners"):
        owners(given.rows // 10)


if __name__ == "__main__":
    main()
