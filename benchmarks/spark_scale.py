"""A release by Spark on one machine, against Spark's own read, group-by and sorted write of the same Parquet folder.

A generated table of nine columns, four of them quasi-identifiers whose combinations are few, k = 10 with
`tdr`. Bars: everything from the open session to the
verified release takes at most 3 x what Spark needs for its own copy; nothing but counts reaches this process, shown by
`spark.driver.maxResultSize=64m` and by the peak memory of Python, below 0.3 GB at 30 million rows.
The start of the session is told apart. PySpark and numba load pandas and SciPy where they are installed, though nothing here
uses them; the extra `spark` brings neither, and so they are hidden from the process that is measured.

    python benchmarks/spark_scale.py [rows] [master]
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from measured import in_own_process, peak_megabytes, tree_seconds

QIDS = {"age": 60, "sex": 2, "region": 8, "job": 7}
OTHERS = {"married": 4, "children": 5, "illness": 30, "pay": 200, "year": 10}


def policy() -> dict[str, object]:
    """Intervals for ages, single values elsewhere."""
    columns: dict[str, object] = {name: {"role": "quasi-identifier"} for name in QIDS}
    columns |= {name: {"role": "sensitive" if name == "illness" else "plain"} for name in OTHERS}
    return {
        "columns": columns,
        "requirements": [{"id": "k-anonymity", "k": 10}],
        "algorithm": {"id": "tdr"},
        "engine": "spark",
    }


class Installed(PathFinder):
    """Finds what the extra `spark` installs."""

    @classmethod
    def find_spec(cls, fullname: str, *place: object) -> ModuleSpec | None:  # type: ignore[override]
        """Return where a module lies."""
        hidden = fullname.partition(".")[0] in ("pandas", "scipy")
        return None if hidden else PathFinder.find_spec(fullname, *place)  # type: ignore[arg-type]


def begun(master: str) -> tuple[object, float]:
    """Begin a session that gives this process little, and say how long that took."""
    from sfumato.engines.spark_session import session

    began = time.perf_counter()
    made = session(master)
    made.range(10).count()
    return made, time.perf_counter() - began


def generated(rows: int, folder: str, master: str) -> None:
    """Write the table, in parts."""
    spark, _ = begun(master)
    # A digit of the hash of the number and of the column decides.
    columns = [f"cast(pmod(xxhash64(id, '{name}'), {size}) AS int) AS {name}" for name, size in (QIDS | OTHERS).items()]
    spark.range(0, rows, 1, 8).selectExpr(*columns).write.parquet(Path(folder).as_uri())  # type: ignore[attr-defined]
    print(json.dumps({}))


def copied(source: str, out: str, master: str) -> None:
    """Let Spark read, count and write sorted by itself."""
    spark, start = begun(master)
    began, spent = time.perf_counter(), tree_seconds()
    frame = spark.read.parquet(source)  # type: ignore[attr-defined]
    frame.groupBy(*QIDS).count().toArrow()
    frame.orderBy(*frame.columns).write.parquet(Path(out).as_uri())
    print(json.dumps({"seconds": time.perf_counter() - began, "spent": tree_seconds() - spent, "start": start}))


def compiled() -> None:
    """Leave compiled kernels in numba's cache: loading them is timed, compiling them is not."""
    import sfumato

    few = {name: [at % 5 for at in range(100)] for name in QIDS | OTHERS}
    sfumato.anonymize(few, {**policy(), "engine": "polars"})
    print(json.dumps({}))


def released(source: str, out: str, master: str) -> None:
    """Search, mask, write, read again, verify."""
    sys.meta_path[sys.meta_path.index(PathFinder)] = Installed
    import sfumato

    os.environ["PYSPARK_SUBMIT_ARGS"] = "--conf spark.driver.maxResultSize=64m pyspark-shell"
    _, start = begun(master)
    began, spent, before = time.perf_counter(), tree_seconds(), peak_megabytes()
    release = sfumato.anonymize(Path(source), policy())
    sfumato.publish(release, out)
    told = {"seconds": time.perf_counter() - began, "spent": tree_seconds() - spent, "start": start}
    print(json.dumps(told | {"before": before, "megabytes": peak_megabytes()}))


def main() -> None:
    """Print the figures of one size."""
    if len(sys.argv) > 1 and sys.argv[1] in PARTS:
        PARTS[sys.argv[1]](*sys.argv[2:])
        return
    rows, master = (
        int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000,
        sys.argv[2] if len(sys.argv) > 2 else "local[2]",
    )
    with tempfile.TemporaryDirectory() as folder:
        source = f"{folder}/rows.parquet"
        in_own_process(__file__, "compiled")
        in_own_process(__file__, "generated", str(rows), source, master)
        copy = in_own_process(__file__, "copied", source, f"{folder}/copy.parquet", master)
        ours = in_own_process(__file__, "released", source, f"{folder}/out", master)
    ratio = ours["seconds"] / copy["seconds"]
    print(
        f"{rows:,} rows, {master}, load {os.getloadavg()[0]:.1f}; sessions {copy['start']:.1f} s, {ours['start']:.1f} s"
    )
    print(f"copy {copy['seconds']:.1f} s, release {ours['seconds']:.1f} s: {ratio:.2f} x (bar 3)")
    spent = ours["spent"] / copy["spent"]
    print(f"processors: copy {copy['spent']:.1f} s, release {ours['spent']:.1f} s: {spent:.2f} x")
    print(f"Python at most {ours['megabytes']:.0f} MB (bar 300), before the table {ours['before']:.0f} MB")


PARTS = {
    "compiled": compiled,
    "generated": lambda rows, folder, master: generated(int(rows), folder, master),
    "copied": copied,
    "released": released,
}

if __name__ == "__main__":
    main()
