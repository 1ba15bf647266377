"""How long does the best full-domain generalization take? Adult with the hierarchies of ARX, 30,162 rows and a million.

The peer's times are those measured once with ARX 3.9.2 (warm, search only) on a machine where NumPy sorts ten million random
64-bit numbers in 0.11 s; the same sort is timed here, so that the two machines can be compared. Bars: at least 10 times as
fast where ARX takes more than 3 s, 5 times above 1 s, at least as fast below. Ours is the search alone, warm, best of three.

Three more parts: the whole command from process start to a written and verified release (30,162 rows, bar 2.5 s after the
first run), 25 quasi-identifiers of four levels on 30,000 rows (bar 30 s and a valid release), and the peak memory of 3 million
rows (bar 4 times the coded table and 300 MB). On request alone: whether the default budget reaches the best of ten minutes of
searches with 15 and 25 quasi-identifiers.

    python benchmarks/lattice.py [small|million|command|wide|memory ...]
    python benchmarks/lattice.py long [SECONDS [COLUMNS ...]]
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measured import in_own_process, peak_megabytes, shared_data

SORT = 0.11
QIS = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
K = [{"id": "k-anonymity", "k": 5}]
L = [*K, {"id": "l-diversity-distinct", "l": 3, "sensitive": "occupation"}]
T = [*K, {"id": "t-closeness", "t": 0.2, "sensitive": "occupation", "ground_distance": "equal"}]
NINE, EIGHT = QIS, tuple(name for name in QIS if name != "occupation")
# What ARX minimises: it charges suppressed records otherwise than the literature does.
ENTROPY = {"id": "non-uniform-entropy", "variant": "arx"}
# rows, quasi-identifiers, requirements, limit, metric, seconds of ARX
CASES: tuple[tuple[str, tuple[str, ...], list[dict[str, Any]], float, Any, float], ...] = (
    ("small", NINE, K, 0.0, "loss", 0.045),
    ("small", NINE, K, 0.04, "loss", 1.1),
    ("small", NINE, K, 1.0, "loss", 3.6),
    ("small", NINE, K, 1.0, ENTROPY, 9.0),
    ("small", NINE, K, 1.0, "discernibility", 6.0),
    ("small", EIGHT, L, 0.04, "loss", 0.49),
    ("small", EIGHT, T, 0.04, "loss", 1.07),
    ("small", EIGHT, T, 1.0, "loss", 2.7),
    ("million", NINE, K, 0.04, "loss", 4.2),
    ("million", NINE, K, 0.04, "discernibility", 25.7),
    ("million", EIGHT, T, 0.04, "loss", 13.9),
)


def folder() -> Path:
    """Return the folder of Adult with its hierarchies."""
    shared_data()
    return Path(os.environ["SFUMATO_DATA"]) / "adult_arx"


def policy(qids: tuple[str, ...], requirements: list[dict[str, Any]], limit: float, metric: Any) -> Any:
    """Return the policy of a case."""
    import sfumato

    columns: dict[str, Any] = {name: {"role": "sensitive", "type": "text"} for name in QIS if name not in qids}
    for name in qids:
        columns[name] = {
            "role": "quasi-identifier",
            "type": "text",
            "hierarchy": {"id": "taxonomy", "file": str(folder() / f"adult_hierarchy_{name}.csv")},
        }
    document = {
        "columns": {name: columns[name] for name in QIS},
        "requirements": requirements,
        "limits": {"suppress_at_most": limit},
        "algorithm": {"id": "optimal", "metric": metric},
        "source": {"separator": ";"},
    }
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "policy.json"
        path.write_text(json.dumps(document))
        return sfumato.Policy.load(path)


def adult() -> tuple[list[str], list[list[str]]]:
    """Return the columns and rows of Adult."""
    with gzip.open(folder() / "adult.csv.gz") as file:
        rows = list(csv.reader(io.TextIOWrapper(file, encoding="utf-8"), delimiter=";"))
    return rows[0], rows[1:]


def frame(count: int) -> Any:
    """Return Adult as it is, or that many rows drawn from it, 5 % of the cells replaced and ages moved by up to 2."""
    import numpy as np
    import polars as pl

    names, rows = adult()
    columns = {name: np.array([row[at] for row in rows]) for at, name in enumerate(names) if name in QIS}
    if count == len(rows):
        return pl.DataFrame({name: columns[name] for name in QIS})
    rng = np.random.default_rng(11)
    drawn = rng.integers(0, len(rows), count)
    out: dict[str, Any] = {}
    for name in QIS:
        values = np.unique(columns[name])
        codes = np.searchsorted(values, columns[name])[drawn]
        replaced = rng.random(count) < 0.05
        codes[replaced] = rng.integers(0, len(values), int(replaced.sum()))
        if name == "age":
            ages = np.clip(values.astype(int)[codes] + rng.integers(-2, 3, count), 0, 99)
            out[name] = ages.astype(str)
        else:
            out[name] = values[codes]
    return pl.DataFrame(out)


def task(rows: str, qids: tuple[str, ...], requirements: list[dict[str, Any]], limit: float, metric: Any) -> Any:
    """Return the search task of a case."""
    from sfumato.tables.open import open_table
    from sfumato.tables.prepare import prepare

    asked = policy(qids, requirements, limit, metric)
    table = open_table(frame({"small": 30_162, "million": 1_000_000}[rows]), asked)
    return prepare(table, asked).task()


def one_case(number: str) -> None:
    """Time one case."""

    from sfumato.catalogue import build
    from sfumato.contracts.run import Run

    rows, qids, requirements, limit, metric, _ = CASES[int(number)]
    given = task(rows, qids, requirements, limit, metric)
    algorithm = build({"id": "optimal", "metric": metric}, "algorithm")
    times = []
    for _ in range(4):
        began = time.perf_counter()
        outcome = algorithm.run(given, Run.seeded(0))
        times.append(time.perf_counter() - began)
    facts = outcome.facts
    print(
        json.dumps(
            {
                "seconds": min(times[1:]),
                "score": facts["score"],
                "left_out": facts["left_out"],
                "checks": facts["checks"],
                "lattice": facts["lattice"],
                "rows": len(given.table),
                "peak": peak_megabytes(),
            }
        )
    )


def sort_seconds() -> float:
    """Return how long NumPy sorts ten million random numbers here."""
    import numpy as np

    numbers = np.random.default_rng(0).integers(0, 2**62, 10_000_000)
    times = []
    for _ in range(3):
        copy = numbers.copy()
        began = time.perf_counter()
        copy.sort()
        times.append(time.perf_counter() - began)
    return min(times)


def cases(wanted: str) -> None:
    """Print every case of a size."""
    yard = sort_seconds()
    print(f"yardstick: ten million numbers sorted in {yard:.2f} s here, {SORT} s on the machine of the peer's times")
    for number, (rows, qids, requirements, limit, metric, theirs) in enumerate(CASES):
        if rows != wanted:
            continue
        found = in_own_process(__file__, "one_case", str(number))
        factor = 10 if theirs > 3 else 5 if theirs > 1 else 1
        ratio = theirs / found["seconds"]
        names = "+".join(str(requirement["id"]) for requirement in requirements)
        called = metric if isinstance(metric, str) else f"{metric['id']} ({metric['variant']})"
        print(
            f"{rows} {len(qids)} QI {names} {limit:.0%} {called}: {found['seconds'] * 1000:.0f} ms, ARX "
            f"{theirs * 1000:.0f} ms there, {ratio:.1f} x (bar {factor} x on equal machines) "
            f"{'ok' if ratio >= factor else 'not here'}; score {found['score']:.7g}, {found['left_out']} left out, "
            f"{found['checks']} of {found['lattice']} nodes, {found['rows']:,} distinct rows, peak {found['peak']:.0f} MB",
            flush=True,
        )


def command() -> None:
    """Time the whole command, from process start to the verified folder."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        (root / "policy.yaml").write_text(policy(NINE, K, 0.04, "loss").to_yaml())
        (root / "adult.csv.gz").write_bytes((folder() / "adult.csv.gz").read_bytes())
        times = []
        for run in range(4):
            began = time.perf_counter()
            arguments = [
                "anonymize",
                str(root / "adult.csv.gz"),
                "-p",
                str(root / "policy.yaml"),
                "-o",
                str(root / f"{run}"),
                "-q",
            ]
            subprocess.run([str(Path(sys.executable).parent / "sfumato"), *arguments], check=True)
            times.append(time.perf_counter() - began)
    best = min(times[1:])
    print(f"command: {best:.2f} s (first run {times[0]:.2f} s), bar 2.5 s {'ok' if best <= 2.5 else 'MISSED'}")


def wide_case(rows: int, count: int, limit: float) -> tuple[Any, dict[str, Any]]:
    """Return a table of quasi-identifiers with four levels each, and a policy without algorithm."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(3)
    values = 27
    names = [f"q{at}" for at in range(count)]
    shares = 1 / np.arange(1, values + 1)
    data = pl.DataFrame({name: rng.choice(values, rows, p=shares / shares.sum()).astype(str) for name in names})
    leaves = [[str(at * 9 + inner * 3 + leaf) for leaf in range(3)] for at in range(3) for inner in range(3)]
    tree = {
        "any": [
            {f"part {at}": [{f"part {at}.{inner}": leaves[at * 3 + inner]} for inner in range(3)]} for at in range(3)
        ]
    }
    return data, {
        "columns": {
            name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": tree}} for name in names
        },
        "requirements": K,
        "limits": {"suppress_at_most": limit},
    }


def wide() -> None:
    """Find and verify a release of 25 quasi-identifiers with four levels each."""
    import sfumato

    count = 25
    data, asked = wide_case(30_000, count, 0.05)
    asked["algorithm"] = {"id": "optimal", "deadline": 25}
    began = time.perf_counter()
    release = sfumato.anonymize(data, asked)
    seconds = time.perf_counter() - began
    facts = release.private.facts
    print(
        f"wide: {count} quasi-identifiers, {facts['lattice']:.3g} nodes: {seconds:.1f} s (bar 30 s), verified "
        f"{release.verdict.satisfied}, loss {facts['score']:.4f}, gap {facts['gap']:.1%}, {facts['checks']} nodes counted, "
        f"peak {peak_megabytes():.0f} MB {'ok' if seconds <= 30 and release.verdict.satisfied else 'MISSED'}"
    )


def long(seconds: float = 600, counts: tuple[int, ...] = (15, 25)) -> None:
    """Compare the default budget with the best of many searches of the same table, each with a seed of its own."""
    import sfumato

    for count in counts:
        data, asked = wide_case(30_000, count, 0.05)
        began = time.perf_counter()
        facts = sfumato.anonymize(data, asked | {"algorithm": {"id": "optimal"}}).private.facts
        usual, spent = facts["score"], time.perf_counter() - began
        best, runs, began = usual, 0, time.perf_counter()
        while (left := seconds - (time.perf_counter() - began)) > 1:
            runs += 1
            algorithm = {"id": "optimal", "heuristic": "genetic", "deadline": left}
            found = sfumato.anonymize(data, asked | {"seed": runs, "algorithm": algorithm}).private.facts["score"]
            best = min(best, found)
        print(
            f"long: {count} quasi-identifiers: default budget {usual:.6f} in {spent:.1f} s with a gap of {facts['gap']:.1%}, "
            f"the best of {runs} more searches in {seconds:.0f} s {best:.6f}, {usual / best - 1:.4%} above it "
            f"{'ok' if usual <= best * (1 + 1e-9) else 'MISSED'}",
            flush=True,
        )


def memory() -> None:
    """Measure the peak of three million rows, read from a file by a process that did nothing else."""
    with tempfile.TemporaryDirectory() as place:
        path = str(Path(place) / "adult.parquet")
        in_own_process(__file__, "memory_file", path)
        found = in_own_process(__file__, "memory_peak", path)
    bound = 4 * found["coded"] + 300
    print(
        f"memory: 3,000,000 rows, 9 quasi-identifiers, coded {found['coded']:.0f} MB, peak {found['peak']:.0f} MB with reading "
        f"(bound {bound:.0f} MB) {'ok' if found['peak'] <= bound else 'MISSED'}; search {found['seconds']:.1f} s"
    )


def memory_file(path: str) -> None:
    """Write three million rows."""
    frame(3_000_000).write_parquet(path)
    print(json.dumps({}))


def memory_peak(path: str) -> None:
    """Search three million rows."""

    from sfumato.catalogue import build
    from sfumato.contracts.run import Run
    from sfumato.tables.open import open_table
    from sfumato.tables.prepare import prepare

    asked = policy(NINE, K, 0.04, "loss")
    given = prepare(open_table(path, asked), asked).task()
    began = time.perf_counter()
    build({"id": "optimal", "metric": "loss"}, "algorithm").run(given, Run.seeded(0))
    seconds = time.perf_counter() - began
    print(json.dumps({"coded": 3_000_000 * 9 * 4 / 2**20, "peak": peak_megabytes(), "seconds": seconds}))


if __name__ == "__main__":
    asked_for = sys.argv[1:] or ["small", "million", "command", "wide", "memory"]
    parts = {part.__name__: part for part in (one_case, memory_file, memory_peak)}
    if asked_for[0] in parts:
        parts[asked_for[0]](*asked_for[1:])
    elif asked_for[0] == "long":
        long(*map(float, asked_for[1:2]), *([tuple(map(int, asked_for[2:]))] if asked_for[2:] else []))
    else:
        for part in asked_for:
            if part in ("small", "million"):
                cases(part)
            else:
                {"command": command, "wide": wide, "memory": memory}[part]()
