"""Top-Down Refinement on a million rows against scikit-learn's decision tree on the same coded matrix.

Adult blown up to 1,040,106 records (23 copies with random changes), one quasi-identifier of all 14 attributes, k = 50.
Bars: compress + search <= 0.5 x DecisionTreeClassifier(criterion="entropy", min_samples_leaf=50).fit in the same run; time
grows linearly from 200,000 rows on (R^2 >= 0.98); peak memory <= 6 x the coded table + 300 MB.

    python benchmarks/tdr_scale.py
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from measured import in_own_process, load_kernels, peak_megabytes, shared_data

SIZES = (200_000, 400_000, 600_000, 800_000, 1_040_106)
REPEATS = 3


def make(folder: Path) -> None:
    """Blow Adult up and save the coded matrix with the values behind the codes."""
    from sfumato.datasets import adult, blow_up_codes

    data = adult(missing="drop")
    names = list(data.columns)
    coded, domains = [], []
    for name in names:
        values, codes = np.unique(np.array(data.values(name)), return_inverse=True)
        coded.append(codes)
        domains.append(values.tolist())
    codes = np.stack(coded, axis=1).astype(np.int32)
    large = blow_up_codes(
        codes,
        [len(domain) for domain in domains],
        rng=np.random.default_rng(1),
        factor=23,
        columns=range(names.index("class")),
    )
    shuffled = np.random.default_rng(2).permutation(len(large))
    np.save(folder / "codes.npy", large[shuffled])
    (folder / "domains.json").write_text(json.dumps({"names": names, "domains": domains}))


def ours(folder: Path, rows: int) -> None:
    """Time compress + search."""
    from sfumato.algorithms.stepwise.tdr import TDR
    from sfumato.contracts.algorithm import Attribute, Task
    from sfumato.contracts.run import Run
    from sfumato.data.compressed import CompressedTable, Dictionary
    from sfumato.data.schema import ColumnType
    from sfumato.data.tree import Tree
    from sfumato.datasets import adult_taxonomies
    from sfumato.engines.packing import distinct_rows
    from sfumato.models.k_anonymity import KAnonymity

    load_kernels()
    said = json.loads((folder / "domains.json").read_text())
    codes = np.load(folder / "codes.npy", mmap_mode="r")[:rows]
    codes = np.ascontiguousarray(codes)
    names, domains = said["names"], said["domains"]
    dictionaries = {
        name: Dictionary(name, tuple(domain), np.bincount(codes[:, i], minlength=len(domain)))
        for i, (name, domain) in enumerate(zip(names, domains, strict=True))
    }
    trees = {name: Tree.from_nested(nested) for name, nested in adult_taxonomies().items()}
    attributes = [
        Attribute(name, "taxonomy", ColumnType.TEXT, trees[name])
        if name in trees
        else Attribute(name, "interval", ColumnType.INTEGER)
        for name in names[:14]
    ]
    began = time.perf_counter()
    found, weights = distinct_rows([codes[:, i] for i in range(15)], [len(domain) for domain in domains], len(codes))
    table = CompressedTable(
        tuple(names[:14]),
        np.ascontiguousarray(np.stack(found[:14], axis=1)),
        weights,
        dictionaries,
        ("class",),
        np.ascontiguousarray(found[14][:, None]),
    )
    compressed = time.perf_counter() - began
    outcome = TDR().run(Task(table, attributes, [KAnonymity(k=50)], "class"), Run.seeded(0))
    total = time.perf_counter() - began
    print(
        json.dumps(
            {
                "compress": compressed,
                "total": total,
                "peak": peak_megabytes(),
                "table": codes.nbytes / 2**20,
                "distinct": len(table),
                "steps": outcome.facts["refinements"],
                "smallest": min(outcome.facts["smallest_group"].values()),
            }
        )
    )


def peer(folder: Path) -> None:
    """Time the decision tree."""
    from sklearn.tree import DecisionTreeClassifier

    codes = np.load(folder / "codes.npy")
    began = time.perf_counter()
    DecisionTreeClassifier(criterion="entropy", min_samples_leaf=50, random_state=0).fit(codes[:, :14], codes[:, 14])
    print(json.dumps({"total": time.perf_counter() - began, "peak": peak_megabytes()}))


def main() -> None:
    """Print ours, the peer's, the ratio, the growth and the memory."""
    shared_data()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder)
        tree = in_own_process(__file__, "peer", name)
        rows, times = [], []
        print(
            f"{'rows':>10} {'distinct':>10} {'compress s':>11} {'total s':>9} {'steps':>6} {'peak MB':>8} {'bound MB':>9}"
        )
        for size in SIZES:
            runs = [in_own_process(__file__, "ours", name, str(size)) for _ in range(REPEATS)]
            best = min(runs, key=lambda run: run["total"])
            rows.append(size)
            times.append(best["total"])
            bound = 6 * best["table"] + 300
            print(
                f"{size:>10,} {best['distinct']:>10,} {best['compress']:>11.2f} {best['total']:>9.2f} {best['steps']:>6} "
                f"{best['peak']:>8.0f} {bound:>9.0f}"
            )
        x, y = np.array(rows, float), np.array(times)
        fit = np.polyval(np.polyfit(x, y, 1), x)
        r2 = 1 - ((y - fit) ** 2).sum() / ((y - y.mean()) ** 2).sum()
        ratio = times[-1] / tree["total"]
        print(f"decision tree on the same {rows[-1]:,} x 14 codes: {tree['total']:.2f} s, peak {tree['peak']:.0f} MB")
        print(f"ratio ours / decision tree: {ratio:.3f} (bar 0.5) {'ok' if ratio <= 0.5 else 'MISSED'}")
        print(
            f"R^2 of a straight line through time against rows: {r2:.4f} (bar 0.98) {'ok' if r2 >= 0.98 else 'MISSED'}"
        )


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "ours":
        ours(Path(sys.argv[2]), int(sys.argv[3]))
    elif len(sys.argv) > 1 and sys.argv[1] == "peer":
        peer(Path(sys.argv[2]))
    else:
        main()
