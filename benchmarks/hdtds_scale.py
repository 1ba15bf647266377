"""High-Dimensional Top-Down Specialization on a million rows against Top-Down Refinement on the same rows with one QID.

Adult blown up to 1,040,106 records (23 copies with random changes). Marital-status is sensitive, Divorced and Separated are
protected; the other 13 attributes are the quasi-identifier. L=4, C=20 %, K=20 to 100. Bar: compress + search <= 2 x Top-Down
Refinement on the same compressed rows with one quasi-identifier of these 13 attributes and k=K. Then the cost against L, with
C=20 % and without a bound on confidence, where many more steps are valid.

    python benchmarks/hdtds_scale.py
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from measured import in_own_process, peak_megabytes, shared_data
from tdr_scale import make

ROWS = 1_040_106
KS = (20, 50, 100)
LS = (1, 2, 3, 4, 6, 13)
REPEATS = 3
SENSITIVE = "marital-status"


def task(folder: Path, rows: int, models: list[Any]) -> tuple[Any, float]:
    """Return the search task on the compressed table, and how long compressing took."""
    from sfumato.contracts.algorithm import Attribute, Task
    from sfumato.data.compressed import CompressedTable, Dictionary
    from sfumato.data.schema import ColumnType
    from sfumato.data.tree import Tree
    from sfumato.datasets import adult_taxonomies
    from sfumato.engines.packing import distinct_rows

    said = json.loads((folder / "domains.json").read_text())
    codes = np.ascontiguousarray(np.load(folder / "codes.npy", mmap_mode="r")[:rows])
    names, domains = said["names"], said["domains"]
    qid = [name for name in names if name not in ("class", SENSITIVE)]
    order = [names.index(name) for name in (*qid, "class", SENSITIVE)]
    dictionaries = {
        name: Dictionary(name, tuple(domain), np.bincount(codes[:, i], minlength=len(domain)))
        for i, (name, domain) in enumerate(zip(names, domains, strict=True))
    }
    trees = {name: Tree.from_nested(nested) for name, nested in adult_taxonomies().items()}
    attributes = [
        Attribute(name, "taxonomy", ColumnType.TEXT, trees[name])
        if name in trees
        else Attribute(name, "interval", ColumnType.INTEGER)
        for name in qid
    ]
    began = time.perf_counter()
    found, weights = distinct_rows([codes[:, i] for i in order], [len(domains[i]) for i in order], len(codes))
    table = CompressedTable(
        tuple(qid),
        np.ascontiguousarray(np.stack(found[: len(qid)], axis=1)),
        weights,
        dictionaries,
        ("class", SENSITIVE),
        np.ascontiguousarray(np.stack(found[len(qid) :], axis=1)),
    )
    return Task(table, attributes, models, "class"), time.perf_counter() - began


def timed(folder: Path, algorithm: Any, models: list[Any]) -> None:
    """Compile on a few rows, then time compress + search."""
    from sfumato.contracts.run import Run

    algorithm.run(task(folder, 2000, models)[0], Run.seeded(0))
    asked, compressed = task(folder, ROWS, models)
    began = time.perf_counter()
    outcome = algorithm.run(asked, Run.seeded(0))
    found = {
        "compress": compressed,
        "total": compressed + time.perf_counter() - began,
        "peak": peak_megabytes(),
        "distinct": len(asked.table),
        "steps": outcome.facts["refinements"],
    }
    print(json.dumps(found))


def ours(folder: Path, L: int, K: int, C: float) -> None:
    """Time HDTDS."""
    from sfumato.algorithms.stepwise.hdtds import HDTDS
    from sfumato.models.lkc_privacy import LKCPrivacy

    timed(folder, HDTDS(), [LKCPrivacy(L=L, K=K, C=C, sensitive=SENSITIVE, values=("Divorced", "Separated"))])


def peer(folder: Path, K: int) -> None:
    """Time TDR."""
    from sfumato.algorithms.stepwise.tdr import TDR
    from sfumato.models.k_anonymity import KAnonymity

    timed(folder, TDR(), [KAnonymity(k=K)])


def best(*arguments: str) -> dict[str, Any]:
    """Return the quickest of several runs in processes of their own."""
    return min((in_own_process(__file__, *arguments) for _ in range(REPEATS)), key=lambda run: float(run["total"]))


def main() -> None:
    """Print ours, the peer's, the ratio, the memory, and the cost against L."""
    shared_data()
    with tempfile.TemporaryDirectory() as name:
        make(Path(name))
        print(
            f"{'K':>4} {'hdtds s':>8} {'steps':>6} {'peak MB':>8} {'tdr s':>7} {'steps':>6} {'peak MB':>8} {'ratio':>6}"
        )
        for K in KS:
            own, other = best("ours", name, "4", str(K), "0.2"), best("peer", name, str(K))
            ratio = own["total"] / other["total"]
            print(
                f"{K:>4} {own['total']:>8.2f} {own['steps']:>6} {own['peak']:>8.0f} {other['total']:>7.2f} {other['steps']:>6} "
                f"{other['peak']:>8.0f} {ratio:>6.2f} (bar 2) {'ok' if ratio <= 2 else 'MISSED'}"
            )
        for C in ("0.2", "1.0"):
            print(f"cost against L, K=20, C={float(C):.0%}:")
            for L in LS:
                run = in_own_process(__file__, "ours", name, str(L), "20", C)
                print(f"  L={L:<3} {run['total']:>7.2f} s, {run['steps']:>4} steps, peak {run['peak']:.0f} MB")


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "ours":
        ours(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]))
    elif len(sys.argv) > 1 and sys.argv[1] == "peer":
        peer(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
