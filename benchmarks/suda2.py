"""Special uniques: ours against a plain Python version and against the package ``suda``, and a million rows.

Adult without missing values, eight quasi-identifiers, sets of up to 3 columns. The plain version counts the projections of
every set with a Counter and skips sets that hold a smaller one; both must find the same minimal uniques, which is checked
before times are printed. ``suda`` (0.2.2) runs in an environment of its own on the first 2,000 records; it scores every unique
set, not only minimal ones, so that its scores differ from ours and only times are compared.

A million rows of Adult blown up by random changes, eight columns: up to 3 columns (the default), and all sizes; time and peak
memory, beside one group-by of the same columns in Polars. QID discovery on the same rows: exact and greedy.

    python benchmarks/suda2.py [rows]
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

from measured import in_own_process, peak_megabytes, shared_data

QID = ("age", "workclass", "education", "marital-status", "relationship", "race", "sex", "native-country")
PEER = "suda==0.2.2"
LARGEST = 3
PEER_ROWS = 2000
REPEATS = 3
LARGE_RUNS: dict[str, dict[str, Any]] = {
    "suda2, up to 3 columns": {"id": "suda2"},
    "suda2, all sizes": {"id": "suda2", "max_size": None},
    "qid-discovery, exact": {"id": "qid-discovery", "method": "exact", "alpha_distinct": 0.5},
    "qid-discovery, greedy": {"id": "qid-discovery", "method": "greedy", "alpha_distinct": 0.5},
}


def plain(rows: list[tuple[Any, ...]], columns: int, largest: int) -> list[list[tuple[int, ...]]]:
    """Return the minimal uniques of each row: count the projections of every set, skip what holds a smaller one."""
    found: list[list[tuple[int, ...]]] = [[] for _ in rows]
    for size in range(1, largest + 1):
        for places in combinations(range(columns), size):
            shown = [tuple(row[place] for place in places) for row in rows]
            counts = Counter(shown)
            inside = set(places)
            for at, key in enumerate(shown):
                if counts[key] == 1 and not any(inside.issuperset(known) for known in found[at]):
                    found[at].append(places)
    return found


def small(source: str) -> None:
    """Time ours and the plain version on the same rows, and compare what they find."""
    import polars as pl

    import sfumato

    frame = pl.read_csv(source)
    rows = frame.rows()
    sfumato.attack(frame.head(100), "suda2", qid=QID)  # loading and compiling kernels is not what is timed
    out: dict[str, Any] = {}
    for name, given in (("all", frame), ("few", frame.head(PEER_ROWS))):
        times = []
        for _ in range(REPEATS):
            began = time.perf_counter()
            found: Any = sfumato.attack(given, {"id": "suda2", "max_size": LARGEST}, qid=QID)
            times.append(time.perf_counter() - began)
        out[name] = {"seconds": min(times), "records": given.height, "msus": found.details["minimal_sample_uniques"]}
        if name == "all":
            ours = found.msus()
    began = time.perf_counter()
    wanted = plain(rows, len(QID), LARGEST)
    out["plain"] = time.perf_counter() - began
    if ours != [[tuple(QID[place] for place in places) for places in held] for held in wanted]:
        raise SystemExit("ours and the plain version find different minimal uniques")
    print(json.dumps({**out, "peak": peak_megabytes()}))


def peer(source: str) -> None:
    """Time the package on the first records."""
    import pandas as pd
    from suda import suda

    frame = pd.read_csv(source, nrows=PEER_ROWS)
    began = time.perf_counter()
    suda(frame, max_msu=LARGEST, columns=list(QID))
    print(json.dumps({"seconds": time.perf_counter() - began, "peak": peak_megabytes()}))


def blow_up(rows: str, path: str) -> None:
    """Write Adult with random changes; in a process of its own, so that its memory is not counted."""
    import numpy as np
    import polars as pl

    from sfumato.datasets import adult, blow_up_codes

    data = adult(missing="drop")
    coded, domains = [], []
    for name in QID:
        values, codes = np.unique(np.array(data.values(name)), return_inverse=True)
        coded.append(codes)
        domains.append(values.tolist())
    matrix = np.stack(coded, axis=1).astype(np.int32)
    made = blow_up_codes(
        matrix,
        [len(domain) for domain in domains],
        rng=np.random.default_rng(1),
        factor=-(-int(rows) // len(matrix)),
        columns=range(len(QID)),
    )[: int(rows)]
    frame = pl.DataFrame({name: pl.Series(domains[at]).gather(made[:, at]) for at, name in enumerate(QID)})
    frame.write_parquet(path)
    print(json.dumps({"rows": frame.height}))


def large(path: str, run: str) -> None:
    """Time one attack on many rows, the table being open."""
    import polars as pl

    import sfumato

    spec = LARGE_RUNS[run]
    frame = pl.read_parquet(path)
    sfumato.attack(frame.head(100), spec, qid=QID)
    grouped, attacked = [], []
    table = sfumato.read(frame)
    for name in QID:
        table.dictionary(name)
    before = peak_megabytes()
    for _ in range(REPEATS):
        began = time.perf_counter()
        found = sfumato.attack(table, spec, qid=QID)
        attacked.append(time.perf_counter() - began)
    peak = peak_megabytes()
    for _ in range(REPEATS):
        began = time.perf_counter()
        frame.group_by(list(QID)).len()
        grouped.append(time.perf_counter() - began)
    said = {
        "seconds": min(attacked),
        "group_by": min(grouped),
        "before": before,
        "peak": peak,
        "msus": found.details.get("minimal_sample_uniques"),
        "sets": found.details.get("sets_looked_at"),
        "distinct": len(found.per_victim),
    }
    print(json.dumps(said))


def main(rows: int) -> None:
    """Print ours, the others', the ratios and the memory."""
    from peers import in_peer

    from sfumato.datasets import adult

    shared_data()
    with tempfile.TemporaryDirectory() as name:
        source = str(adult(missing="drop").select(QID).write_csv(Path(name) / "adult.csv"))
        ours = in_own_process(__file__, "small", source)
        whole, few = ours["all"], ours["few"]
        print(
            f"Adult, {whole['records']:,} records, {len(QID)} columns, sets of up to {LARGEST}: "
            f"{whole['msus']:,} minimal uniques; "
            f"ours {whole['seconds'] * 1000:.0f} ms, plain Python {ours['plain']:.2f} s, "
            f"ratio {ours['plain'] / whole['seconds']:.0f}x; the same minimal uniques"
        )
        try:
            theirs = in_peer(PEER, __file__, "peer", source)
            print(
                f"the first {few['records']:,} records: ours {few['seconds'] * 1000:.1f} ms, suda {theirs['seconds']:.2f} s, "
                f"ratio {theirs['seconds'] / few['seconds']:.0f}x; it scores every unique set, ours minimal ones"
            )
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"suda could not be run: {type(error).__name__}")
        path = str(Path(name) / "large.parquet")
        in_own_process(__file__, "blow_up", str(rows), path)
        for run in LARGE_RUNS:
            found = in_own_process(__file__, "large", path, run)
            what = (
                f"{found['msus']:,} minimal uniques" if found["msus"] is not None else f"{found['sets']} sets looked at"
            )
            print(
                f"{rows:,} rows, {found['distinct']:,} distinct, {run}: {found['seconds']:.2f} s "
                f"({found['seconds'] / found['group_by']:.1f} x a group-by of {found['group_by']:.2f} s), {what}; "
                f"peak {found['peak']:.0f} MB, {found['before']:.0f} MB of it before the attack"
            )


PARTS = {part.__name__: part for part in (small, peer, blow_up, large)}


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in PARTS:
        PARTS[sys.argv[1]](*sys.argv[2:])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
