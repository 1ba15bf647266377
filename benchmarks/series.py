"""Publishing a growing table again: how long it takes to compare releases, and to make the next one.

bcf-detect: two releases of 900,000 and a million records, six quasi-identifiers of three levels, 14 sensitive values. Bar:
counting both releases and comparing them <= 5 x one Polars group-by of the same columns of one release, in the same run.
bcf-anonymizer: Adult blown up to 100,000 + 100,000 records, seven quasi-identifiers with their hierarchies, occupation as the
sensitive column, k = 50. Bar: everything from the tables on <= 10 x compressing and searching with TDR on the same 200,000.
tds4sa: Adult blown up to a million records and parted into two tables of a million, which share marital status and sex; the
second one holds occupation, which X must not tell. Bar: what is allocated while it is made, the tables of the search among
it, <= 3 x the two compressed tables.
m-invariance-anonymize: ten releases of 100,000 records of Adult, a tenth of which leaves and is replaced each time, occupation
as the sensitive column, m = 4. Bars: twice as many records take about twice the time (<= 2.6), and at most 1 % of the rows of
any release are counterfeits.

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


# ---- new columns ----------------------------------------------------------------------------------------------------------

KNOWN = ("age", "workclass", "education", "marital-status", "sex")
LATER = ("hours-per-week", "race", "relationship", "native-country", "marital-status", "sex", "occupation")
X = (
    "T1.age",
    "T1.workclass",
    "T1.education",
    "T2.hours-per-week",
    "T2.race",
    "T2.relationship",
    "T2.native-country",
    "sex",
)
CASES = {"all joins in X": (*X, "marital-status"), "a join outside X": X[1:]}


def blown_up(names: tuple[str, ...], rows: int, seed: int) -> dict[str, list[str]]:
    """Return so many records of Adult and variations of them in all but the last column, in a random order."""
    from sfumato.datasets import adult, blow_up_codes

    data = adult(missing="drop")
    domains, coded = zip(*(np.unique(np.array(data.values(name)), return_inverse=True) for name in names), strict=True)
    codes = np.stack(coded, axis=1).astype(np.int32)
    if rows > len(codes):
        sizes, varied = [len(one) for one in domains], range(len(names) - 1)
        codes = blow_up_codes(codes, sizes, rng=np.random.default_rng(seed), rows=rows, columns=varied)
    codes = codes[np.random.default_rng(seed + 1).permutation(len(codes))[:rows]]
    return {name: domains[at][codes[:, at]].tolist() for at, name in enumerate(names)}


def join(rows: int = 1_000_000) -> None:
    """Make the second release of a table that got new columns, in a process of its own for each requirement."""
    from measured import in_own_process

    for case in CASES:
        found = in_own_process(__file__, "--joined", case, str(rows))
        kept = "kept" if found["added"] <= 3 * found["tables"] else "MISSED"
        print(
            f"tds4sa, {rows:,} x {rows:,} records, {case}: {found['distinct'][0]:,} and {found['distinct'][1]:,} distinct "
            f"rows, {found['steps']} steps, join of {found['joined']:.2g} rows"
        )
        print(
            f"  {found['seconds']:.1f} s, compressed tables {found['tables']:.0f} MB, peak {found['added']:.0f} MB, ratio "
            f"{found['added'] / found['tables']:.2f} (bar 3, {kept})"
        )


def joined(case: str, rows: int) -> None:
    """Print what a search on the join takes."""
    import json
    import tracemalloc

    from sfumato.contracts.run import Run
    from sfumato.data.tree import Tree
    from sfumato.datasets import adult_taxonomies
    from sfumato.engines import read
    from sfumato.sequels import Series
    from sfumato.sequels.algorithms import TDS4SA
    from sfumato.sequels.join import SequentialJoin
    from sfumato.sequels.models import XYPrivacyJoin
    from sfumato.sequels.task import SeriesTask

    trees = {name: Tree.from_nested(nested) for name, nested in adult_taxonomies().items() if name in (*KNOWN, *LATER)}
    model = XYPrivacyJoin(h=0.5, x=CASES[case], y=("T2.occupation",), join=("marital-status", "sex"))

    def made(count: int) -> Any:
        held = blown_up(tuple(dict.fromkeys((*KNOWN, *LATER))), count, 3)
        first, second = (read({name: held[name] for name in names}) for names in (KNOWN, LATER))
        series = Series.of([first], qid=KNOWN, hierarchies=trees)
        return SeriesTask(second, series, [model])

    TDS4SA().run(made(2_000), Run())  # loading and compiling is not what is measured
    task = made(rows)
    tables = [task.earlier.newest.compress(KNOWN), task.batch.compress(LATER[:-1], ["occupation"])]
    size = sum(one.codes.nbytes + one.extra_codes.nbytes + one.weights.nbytes for one in tables)
    began = time.perf_counter()
    found = TDS4SA().run(task, Run())
    seconds = time.perf_counter() - began
    tracemalloc.start(1)  # counts what numpy takes, and slows everything down
    TDS4SA().run(task, Run())
    added = tracemalloc.get_traced_memory()[1] / 2**20
    whole = SequentialJoin.of_series(task.after(task.batch), join=("marital-status", "sex"))
    print(
        json.dumps(
            {
                "seconds": seconds, "tables": size / 2**20, "added": added, "steps": found.facts.refinements,
                "distinct": [len(one) for one in tables], "joined": float(whole.size),
            }
        )
    )  # fmt: skip


# ---- people who come and go ------------------------------------------------------------------------------------------------


def dynamic(rows: int = 100_000, releases: int = 10, m: int = 4) -> None:
    """Publish a table of people who come and go, again and again, at two sizes."""
    names = ("age", "workclass", "education", "marital-status", "race", "sex", "occupation")
    churned(blown_up(names, 4_000, 5), 2_000, 2, m)  # loading and compiling is not what is timed
    people = blown_up(names, rows + (releases - 1) * (rows // 10), 5)
    half, _ = churned(people, rows // 2, releases, m)
    whole, shares = churned(people, rows, releases, m)
    linear = "kept" if whole <= 2.6 * half else "MISSED"
    few = "kept" if max(shares) <= 0.01 else "MISSED"
    print(f"m-invariance-anonymize, {releases} releases of {rows:,} records, a tenth of them new, m = {m}")
    print(f"  {whole:.1f} s, half as many records {half:.1f} s, ratio {whole / half:.2f} (bar 2.6, {linear})")
    print(f"  counterfeits by release {', '.join(f'{share:.2%}' for share in shares)} (bar 1 %, {few})")
    print(f"  peak {peak_megabytes():.0f} MB")


def churned(people: dict[str, list[str]], rows: int, releases: int, m: int) -> tuple[float, list[float]]:
    """Return the seconds of work that all releases take, and the share of counterfeits in each."""
    from sfumato.data.tree import Tree
    from sfumato.datasets import adult_taxonomies
    from sfumato.engines import read
    from sfumato.sequels.algorithms import MInvarianceAnonymize
    from sfumato.sequels.models import MInvariance
    from sfumato.sequels.task import SeriesTask

    *qid, secret = people
    trees = {name: Tree.from_nested(adult_taxonomies()[name]) for name in qid if name in adult_taxonomies()}
    rng, present, fresh = np.random.default_rng(7), np.arange(rows), rows
    series, seconds, shares = None, 0.0, []
    for _ in range(releases):
        table = read({"id": present, **{name: np.array(held)[present] for name, held in people.items()}})
        named = {} if series else {"qid": tuple(qid), "sensitive": secret, "person": "id", "trees": trees}
        task = SeriesTask(table, series, [MInvariance(m=m, group="group")], **named)
        began = time.process_time()
        made = MInvarianceAnonymize().publish(task)
        seconds += time.process_time() - began
        series = task.after(made.copy)
        shares.append(made.facts.counterfeits / made.data.rows)
        present = np.concatenate([rng.permutation(present)[rows // 10 :], np.arange(fresh, fresh + rows // 10)])
        fresh += rows // 10
    return seconds, shares


def _line(mine: float, peer: float, name: str, bar: float) -> None:
    kept = "kept" if mine <= bar * peer else "MISSED"
    print(
        f"  ours {mine:.3f} s, {name} {peer:.3f} s, ratio {mine / peer:.2f} (bar {bar:g}, {kept}), "
        f"peak {peak_megabytes():.0f} MB"
    )


def main() -> None:
    """Run what was asked for."""
    shared_data()
    if "--joined" in sys.argv:
        joined(sys.argv[-2], int(sys.argv[-1]))
        return
    load_kernels()
    parts = {"detect": detect, "anonymizer": anonymizer, "join": join, "dynamic": dynamic}
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else None
    for name, part in parts.items():
        if only in (None, name):
            part()


if __name__ == "__main__":
    main()
