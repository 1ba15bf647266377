"""A release of a Parquet table larger than memory allows, against DuckDB's own sorted copy of it within the same bound.

Two tables of nine columns of the invented hospital: one whose distinct rows are few, one whose rows nearly all differ, on
which the search sees a sample. k = 10 with `tdr` and with `optimal`, `engine: duckdb`, `limits.memory: 4GB`. Bars at 100
million rows: from the file to the verified release at most 4 x the copy (few) and 5 x (distinct), peak resident memory of the
whole process tree at most 5 GB, and from 1 million on time grows no faster than rows.

    python benchmarks/out_of_core.py [rows] [few|distinct] [tdr|optimal]
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MEMORY = "4GB"
SAMPLE = 1_000_000
BARS = {"few": 4, "distinct": 5}
# Columns of the invented hospital; where distinct rows are to be few, dates and places are told roughly from the beginning.
COLUMNS = ["birth_date", "sex", "zip", "admission_date", "department", "occupation", "insurance", "bmi", "diagnosis"]
ROUGH = {
    "birth_date": "(year(birth_date) // 10)::VARCHAR || '0s'",
    "zip": "zip[:2]",
    "admission_date": "year(admission_date)::VARCHAR",
}
DRAWN = 20_000


def policy(table: str, algorithm: str) -> dict[str, object]:
    """The policy of the sample, with one requirement."""
    from sfumato.datasets import sample_policy

    columns = {name: told for name, told in sample_policy()["columns"].items() if name in COLUMNS}
    if table == "few":
        columns |= {name: {"role": "quasi-identifier"} for name in ROUGH}
    asked: dict[str, object] = {
        "columns": columns,
        "requirements": [{"id": "k-anonymity", "k": 10}],
        "algorithm": {"id": algorithm},
        "engine": "duckdb",
        "limits": {"memory": MEMORY, "suppress_at_most": 0.01},
        "output": {"format": "parquet"},
    }
    return asked | ({"search_on": {"sample": SAMPLE, "seed": 1}} if table == "distinct" else {})


def session(folder: str) -> Any:
    """Return DuckDB within the bound."""
    import duckdb

    return duckdb.connect(config={"memory_limit": MEMORY, "temp_directory": f"{folder}/spill"})


def generated(rows: str, table: str, source: str) -> None:
    """Write the table: each cell is drawn from its column of a small hospital, by a hash of the cell's number."""
    from sfumato.datasets import hospital

    folder = Path(source).parent
    drawn = hospital(DRAWN).write_csv(folder / "drawn.csv")
    opened = session(str(folder))
    told = [f"{ROUGH[name]} AS {name}" if table == "few" and name in ROUGH else name for name in COLUMNS]
    opened.execute(
        f"CREATE TABLE drawn AS SELECT {', '.join(told)} FROM read_csv('{drawn}', types={{'zip': 'VARCHAR'}})"
    )
    cells = [
        f"(SELECT list({name}) FROM drawn)[1 + (hash(i * 16 + {at}) % {DRAWN})::BIGINT] AS {name}"
        for at, name in enumerate(COLUMNS)
    ]
    opened.execute(f"COPY (SELECT {', '.join(cells)} FROM range({rows}) t(i)) TO '{source}' (FORMAT parquet)")
    print(json.dumps({}))


def copied(source: str, out: str) -> None:
    """Let DuckDB write the file sorted by all columns."""
    opened = session(str(Path(out).parent))
    began = time.perf_counter()
    opened.execute(f"COPY (FROM '{source}' ORDER BY ALL) TO '{out}' (FORMAT parquet)")
    print(json.dumps({"seconds": time.perf_counter() - began}))


def released(source: str, out: str, table: str, algorithm: str) -> None:
    """Read, search, mask, write, read again, verify."""
    import sfumato
    from sfumato.contracts.run import Run

    few = f"{out}-few.parquet"
    session(out).execute(f"COPY (FROM '{source}' LIMIT 400) TO '{few}' (FORMAT parquet)")
    sfumato.anonymize(few, policy(table, algorithm))  # kernels are loaded before the clock runs
    stages: list[tuple[str, float]] = []

    class Watch:
        def stage(self, name: str, total: float | None = None) -> None:
            stages.append((name, time.perf_counter()))

        def tick(self, done: float, note: str = "") -> None:
            pass

    began = time.perf_counter()
    run = Run(progress=Watch())
    sfumato.publish(sfumato.anonymize(Path(source), policy(table, algorithm), run=run), out, run=run)
    ended = time.perf_counter()
    spent = [
        (name, round(after - before, 1))
        for (name, before), (_, after) in zip(stages, [*stages[1:], ("", ended)], strict=True)
    ]
    print(json.dumps({"seconds": ended - began, "stages": spent}))


def watched(*arguments: str) -> dict[str, Any]:
    """Run a part in a process of its own; tell what it printed and the largest resident memory of it and its children."""
    started = subprocess.Popen([sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True)
    peak = 0
    while started.poll() is None:
        peak = max(peak, resident(started.pid))
        time.sleep(0.1)
    assert started.stdout is not None
    if started.returncode:
        raise SystemExit(f"{arguments[0]} ended with {started.returncode}")
    return json.loads(started.stdout.read().strip().splitlines()[-1]) | {"gigabytes": peak / 1e9}


def resident(process: int) -> int:
    """Return the resident bytes of a process and of all below it."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        below = [
            int(child)
            for task in Path(f"/proc/{process}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") + sum(map(resident, below))


def measured(rows: int, table: str, algorithms: list[str]) -> None:
    """Print the figures of one table at one size."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("OUT_OF_CORE")) as folder:
        source = f"{folder}/rows.parquet"
        watched("generated", str(rows), table, source)
        size = Path(source).stat().st_size / 1e9
        copy = watched("copied", source, f"{folder}/copy.parquet")
        Path(f"{folder}/copy.parquet").unlink()
        told = f"{table}, {rows:,} rows, {size:.2f} GB, load {os.getloadavg()[0]:.1f}: "
        print(told + f"sorted copy {copy['seconds']:.1f} s, {copy['gigabytes']:.1f} GB", flush=True)
        for algorithm in algorithms:
            ours = watched("released", source, f"{folder}/out", table, algorithm)
            ratio = ours["seconds"] / copy["seconds"]
            print(
                f"  {algorithm}: {ours['seconds']:.1f} s, {ratio:.2f} x (bar {BARS[table]}), {ours['gigabytes']:.1f} GB (bar 5)"
            )
            print("    " + ", ".join(f"{name} {seconds}" for name, seconds in ours["stages"]), flush=True)
            shutil.rmtree(f"{folder}/out")


def main() -> None:
    """Print the figures of the sizes and tables asked for; from 1 million rows on where none is named."""
    if len(sys.argv) > 1 and sys.argv[1] in PARTS:
        PARTS[sys.argv[1]](*sys.argv[2:])
        return
    sizes = [int(sys.argv[1])] if len(sys.argv) > 1 else [1_000_000, 10_000_000, 100_000_000]
    for table in sys.argv[2:3] or list(BARS):
        for rows in sizes:
            measured(rows, table, sys.argv[3:4] or ["tdr", "optimal"])


PARTS = {"generated": generated, "copied": copied, "released": released}

if __name__ == "__main__":
    main()
