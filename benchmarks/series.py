"""Publishing a growing table again: how long it takes to compare releases, and to make the next one.

bcf-detect: two releases of 900,000 and a million records, six quasi-identifiers of three levels, 14 sensitive values. Bar:
counting both releases and comparing them <= 5 x one Polars group-by of the same columns of one release, in the same run.
bcf-anonymizer: Adult blown up to 100,000 + 100,000 records, seven quasi-identifiers with their hierarchies, occupation as the
sensitive column, k = 50. Bar: everything from the tables on <= 10 x compressing and searching with TDR on the same 200,000.

    python benchmarks/series.py
    python benchmarks/series.py --only detect
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from measured import load_kernels, peak_megabytes, shared_data

REPEATS = 3
COLUMNS = list("abcdef")
LEVELS = ((1, 2, 1, 2, 1, 1), (2, 1, 1, 2, 1, 2))


def quickest(work: Callable[[], object]) -> float:
    """Return the shortest of several times."""
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def detect(rows: int = 1_000_000) -> None:
    """Compare two releases, of which the later one holds everybody of the earlier one."""
    import polars as pl

    from sfumato.sequels import Series
    from sfumato.sequels.correspondence import Correspondence

    rng = np.random.default_rng(0)
    names = {
        c: [
            [f"{c}*", f"{c}{v // 16}", f"{c}{v // 16}{v // 4 % 4}", f"{c}{v // 16}{v // 4 % 4}{v % 4}"]
            for v in range(48)
        ]
        for c in COLUMNS
    }
    trees = {
        c: {
            f"{c}*": [
                {f"{c}{i}": [{f"{c}{i}{j}": [f"{c}{i}{j}{k}" for k in range(4)]} for j in range(4)]} for i in range(3)
            ]
        }
        for c in COLUMNS
    }
    raw = {c: np.minimum(47, rng.exponential(10, rows)).astype(int) for c in COLUMNS}
    secret = [f"s{v}" for v in np.minimum(13, rng.exponential(3, rows)).astype(int)]
    frames = [
        pl.DataFrame(
            {
                **{c: np.array([n[at] for n in names[c]])[raw[c]] for c, at in zip(COLUMNS, levels, strict=True)},
                "s": secret,
            }
        )
        for levels in LEVELS
    ]

    def ours() -> Any:
        series = Series.of(frames, qid=COLUMNS, sensitive="s", hierarchies=trees)
        found = Correspondence.of(series)
        return found, (found.FA, found.CA, found.BA)

    frames[0] = frames[0].head(rows - rows // 10)  # the others came later
    ours()  # compiling is not what is timed
    mine, peer = quickest(ours), quickest(lambda: frames[1].group_by([*COLUMNS, "s"]).len())
    found, levels = ours()
    print(
        f"bcf-detect, {frames[0].height:,} and {rows:,} records, {len(found.earlier):,} and {len(found.later):,} classes, "
        f"FA/CA/BA {levels}"
    )
    _line(mine, peer, "one Polars group-by", 5)


def anonymizer(rows: int = 100_000, k: int = 50) -> None:
    """Make the second release of a table that doubled."""
    from sfumato.algorithms.stepwise.tdr import TDR
    from sfumato.contracts.algorithm import Attribute, Task
    from sfumato.contracts.run import Run
    from sfumato.data.tree import Tree
    from sfumato.datasets import adult, adult_taxonomies, blow_up_codes
    from sfumato.engines import read
    from sfumato.models import KAnonymity
    from sfumato.sequels import Series
    from sfumato.sequels.algorithms import BCFAnonymizer
    from sfumato.sequels.models import BCFAnonymity
    from sfumato.sequels.task import SeriesTask

    data, secret = adult(missing="drop"), "occupation"
    trees = {name: Tree.from_nested(nested) for name, nested in adult_taxonomies().items()}
    qid = [name for name in data.columns if name in trees and name != secret]
    domains, coded = zip(
        *(np.unique(np.array(data.values(name)), return_inverse=True) for name in [*qid, secret]), strict=True
    )
    factor = -(-2 * rows // len(coded[0]))
    codes = blow_up_codes(
        np.stack(coded, axis=1).astype(np.int32), [len(one) for one in domains], rng=np.random.default_rng(1), factor=factor,
        columns=range(len(qid)),
    )  # fmt: skip
    codes = codes[np.random.default_rng(2).permutation(len(codes))[: 2 * rows]]

    def table(part: slice) -> Any:
        return read({name: domains[at][codes[part, at]].tolist() for at, name in enumerate([*qid, secret])})

    own = {name: trees[name] for name in qid}

    def tdr(part: slice) -> Any:
        whole = table(part)
        attributes = [Attribute(name, "taxonomy", whole.types[name], own[name]) for name in qid]
        began = time.perf_counter()
        made = TDR(score="loss-decrease").run(Task(whole.compress(qid, [secret]), attributes, [KAnonymity(k=k)]), Run())
        return made, whole, time.perf_counter() - began

    first, old, _ = tdr(slice(rows))
    published = old.recode(
        {
            name: dict(zip(v := old.dictionary(name).values, first.recodings[name].map(v).labels, strict=True))
            for name in qid
        }
    )

    def ours() -> Any:
        new, before = table(slice(rows, 2 * rows)), table(slice(rows))
        series = Series.of([published], qid=qid, sensitive=secret, hierarchies=own)
        began = time.perf_counter()
        made = BCFAnonymizer().run(SeriesTask(new, series, [BCFAnonymity(k=k)], [before]), Run())
        return made, time.perf_counter() - began

    ours()
    mine, peer = min(ours()[-1] for _ in range(REPEATS)), min(tdr(slice(2 * rows))[-1] for _ in range(REPEATS))
    made = ours()[0]
    print(f"bcf-anonymizer, {rows:,} + {rows:,} records, {made.facts.refinements} steps, levels {made.facts.levels}")
    _line(mine, peer, "TDR", 10)


def _line(mine: float, peer: float, name: str, bar: float) -> None:
    kept = "kept" if mine <= bar * peer else "MISSED"
    print(
        f"  ours {mine:.3f} s, {name} {peer:.3f} s, ratio {mine / peer:.2f} (bar {bar:g}, {kept}), "
        f"peak {peak_megabytes():.0f} MB"
    )


def main() -> None:
    """Run what was asked for."""
    shared_data()
    load_kernels()
    parts = {"detect": detect, "anonymizer": anonymizer}
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else None
    for name, part in parts.items():
        if only in (None, name):
            part()


if __name__ == "__main__":
    main()
