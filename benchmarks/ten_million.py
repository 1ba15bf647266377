"""Ten million rows in memory: does time grow with the rows, and does memory stay near the coded table?

A generated table of eight columns (two numbers, four categories, a sensitive category, a sensitive number) as a Polars frame,
published whole: prepared, searched, recoded, measured, written, read again, verified, attacked, reported. Each case runs in a
process of its own with a tenth of the rows and with all of them. Bars: at most 12 times the time, at most 4 x the coded table
(four bytes a cell) and 300 MB beside what the process held before it began (Python, libraries, the frame itself).
`mdav` is meant for a million rows: 100,000 and 1,000,000.

    python benchmarks/ten_million.py [--rows 10000000] [case ...]
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from measured import in_own_process, load_kernels, peak_megabytes

MASKED = {"age": 90, "weight": 120, "sex": 2, "region": 16, "job": 14, "married": 5}
NUMBERS = ("age", "weight")
ILLNESSES, PAYS = 40, 5000
GROWTH, TIMES, BESIDE = 12.0, 4, 300

CASES: dict[str, dict[str, Any]] = {
    "mondrian": {"requirements": [{"id": "k-anonymity", "k": 10}], "algorithm": {"id": "mondrian"}},
    "optimal": {"requirements": [{"id": "k-anonymity", "k": 10}], "algorithm": {"id": "optimal"}},
    "tdr": {"requirements": [{"id": "k-anonymity", "k": 10}], "algorithm": {"id": "tdr"}},
    "anatomize": {
        "requirements": [{"id": "l-diversity-distinct", "l": 4, "sensitive": "illness"}],
        "algorithm": {"id": "anatomize"},
    },
    "ke-permutation": {
        "requirements": [{"id": "k-e-anonymity", "k": 5, "e": 100, "sensitive": "pay"}],
        "algorithm": {"id": "ke-permutation"},
    },
    "mdav": {"requirements": [{"id": "k-anonymity", "k": 10}], "algorithm": {"id": "mdav"}},
}
TENTH = {"mdav"}
"""Cases that are meant for a tenth of the rows."""


def frame(rows: int, case: str) -> Any:
    """Return the table."""
    import polars as pl

    rng = np.random.default_rng(5)

    def drawn(values: int) -> Any:
        return (rng.beta(2, 3, rows) * values).astype(np.int32)  # some values are rarer than others

    held: dict[str, Any] = {}
    for name, values in MASKED.items():
        codes = pl.Series(name, drawn(values))
        held[name] = (
            codes if name in NUMBERS else pl.Series(name, [f"{name} {at}" for at in range(values)]).gather(codes)
        )
    if case != "ke-permutation":
        held["illness"] = pl.Series("illness", [f"illness {at}" for at in range(ILLNESSES)]).gather(
            pl.Series(drawn(ILLNESSES))
        )
    if case in ("ke-permutation", "mdav"):
        held["pay"] = pl.Series("pay", drawn(PAYS))
    if case == "mdav":
        held = {name: held[name] for name in (*NUMBERS, "pay")}
    return pl.DataFrame(held)


def policy(case: str, names: list[str]) -> dict[str, Any]:
    """Return what is asked of a case."""
    columns: dict[str, Any] = {}
    for name in names:
        columns[name] = {"role": "quasi-identifier" if name in MASKED else "sensitive"}
        if case == "optimal" and name in NUMBERS:
            columns[name]["hierarchy"] = {"id": "intervals", "lower": 0, "upper": 160, "width": 10, "fan_out": [4, 4]}
    return {"columns": columns, **CASES[case], "output": {"format": "parquet"}}


def ours(case: str, rows: int, out: str) -> None:
    """Publish once and print seconds and memory."""
    import sfumato

    load_kernels()
    few = frame(3000, case)
    sfumato.publish(sfumato.anonymize(few, policy(case, few.columns)), f"{out}-few")
    table = frame(rows, case)
    before = _resident()
    began = time.perf_counter()
    release = sfumato.anonymize(table, policy(case, table.columns))
    searched = time.perf_counter()
    sfumato.publish(release, out)
    done = time.perf_counter()
    coded = rows * table.width * 4 / 2**20
    print(
        json.dumps(
            {
                "seconds": done - began,
                "anonymize": searched - began,
                "peak": peak_megabytes() - before,
                "may": TIMES * coded + BESIDE,
            }
        )
    )


def _resident() -> float:
    """Return the memory that this process holds now, in megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def main() -> None:
    """Print each case with its growth and its memory."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--rows", type=int, default=10_000_000)
    asked.add_argument("cases", nargs="*", default=list(CASES))
    given = asked.parse_args()
    for case in given.cases or list(CASES):
        rows = given.rows // 10 if case in TENTH else given.rows
        with tempfile.TemporaryDirectory() as folder:
            few, all_ = (in_own_process(__file__, "ours", case, str(n), f"{folder}/{n}") for n in (rows // 10, rows))
        growth = all_["seconds"] / few["seconds"]
        told = "ok" if growth <= GROWTH and all_["peak"] <= all_["may"] else "MISSED"
        grown = f"{few['seconds']:.1f} s, {rows:,} rows {all_['seconds']:.1f} s, {growth:.1f} times (bar {GROWTH:.0f})"
        held = f"peak {all_['peak']:,.0f} MB beside what was held (bar {all_['may']:,.0f})"
        print(
            f"{case}: {rows // 10:,} rows {grown}; without publishing {all_['anonymize']:.1f} s; {held} {told}",
            flush=True,
        )


if __name__ == "__main__":
    if len(sys.argv) > 4 and sys.argv[1] == "ours":
        ours(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    else:
        main()
