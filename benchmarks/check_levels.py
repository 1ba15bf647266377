"""How strong is this table? Measured levels on Adult against pycanon, and ten million rows against one group-by.

Adult without missing values as it is: 45,222 records, eight quasi-identifiers, occupation is sensitive, most records are
unique. Levels: k, distinct l, entropy l, t with the equal distance. Both sides start with a frame in memory, which we open as
a table once; the time from a fresh frame is printed beside. pycanon runs in an environment of its own. Bar: each level at
least 50 times as fast.

Ten million generated rows, eight quasi-identifiers, raw (most rows nearly unique) and generalized (some ten thousand
groups): k-anonymity against ``group_by(...).len()`` of the same columns in Polars. Bar: at most 3 times as long.

    python benchmarks/check_levels.py [rows]
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measured import in_own_process, peak_megabytes, shared_data

QID = ("age", "workclass", "education", "marital-status", "relationship", "race", "sex", "native-country")
SENSITIVE = "occupation"
LEVELS = ("k", "l (distinct)", "l (entropy)", "t (equal)")
TIMES_FASTER = 50
GROUP_BYS = 3
DOMAINS = {"raw": (80, 2, 5, 7, 16, 41, 8, 14), "generalized": (8, 2, 3, 3, 5, 4, 4, 4)}
REPEATS = 3


def fastest(work: Callable[[], Any], repeats: int = REPEATS) -> tuple[float, Any]:
    """Return the shortest of several times, and the answer."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        answer = work()
        times.append(time.perf_counter() - began)
    return min(times), answer


def our_levels(source: str) -> None:
    """Time one check for each level."""
    import polars as pl

    import sfumato

    frame = pl.read_csv(source)
    specs: dict[str, dict[str, Any]] = {
        "k": {"id": "k-anonymity", "k": 2},
        "l (distinct)": {"id": "l-diversity-distinct", "l": 2, "sensitive": SENSITIVE},
        "l (entropy)": {"id": "l-diversity-entropy", "l": 2, "sensitive": SENSITIVE},
        "t (equal)": {"id": "t-closeness", "t": 0.5, "sensitive": SENSITIVE, "ground_distance": "equal"},
    }
    out: dict[str, Any] = {}
    began = time.perf_counter()
    table = sfumato.read(frame)
    for name in table.columns:
        table.dictionary(name)
    out["open"] = time.perf_counter() - began
    for level, spec in specs.items():
        fresh, _ = fastest(lambda spec=spec: sfumato.check(frame, spec, qid=QID))  # type: ignore[misc]
        seconds, judged = fastest(lambda spec=spec: sfumato.check(table, spec, qid=QID))  # type: ignore[misc]
        (verdict,) = judged
        out[level] = {"seconds": seconds, "fresh": fresh, "value": verdict.strongest}
    print(json.dumps({**out, "groups": verdict.groups, "records": verdict.records, "peak": peak_megabytes()}))


def peer_levels(source: str) -> None:
    """Time pycanon's functions on the same frame; once each, they take long enough."""
    import pandas as pd
    from pycanon import anonymity

    frame, qid, sensitive = pd.read_csv(source), list(QID), [SENSITIVE]
    works: dict[str, Callable[[], Any]] = {
        "k": lambda: anonymity.k_anonymity(frame, qid),
        "l (distinct)": lambda: anonymity.l_diversity(frame, qid, sensitive),
        "l (entropy)": lambda: anonymity.entropy_l_diversity(frame, qid, sensitive),
        "t (equal)": lambda: anonymity.t_closeness(frame, qid, sensitive),
    }
    out: dict[str, Any] = {}
    for level, work in works.items():
        seconds, value = fastest(work, REPEATS if level == "k" else 1)
        out[level] = {"seconds": seconds, "value": float(value)}
    print(json.dumps({**out, "peak": peak_megabytes()}))


def generated(rows: int, kind: str) -> Any:
    """Return a frame of one whole number and seven texts, with frequent and rare values."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(7)
    columns = []
    for at, size in enumerate(DOMAINS[kind]):
        shares = 1 / np.arange(1, size + 1)
        codes = rng.choice(size, rows, p=shares / shares.sum())
        texts = pl.Series([f"value {at}.{code}" for code in range(size)])
        columns.append(pl.Series(f"q{at}", codes) if at == 0 else texts.gather(codes).alias(f"q{at}"))
    return pl.DataFrame(columns)


def our_rows(rows: str, kind: str) -> None:
    """Time k-anonymity on generated rows."""
    import sfumato

    frame = generated(int(rows), kind)
    seconds, judged = fastest(lambda: sfumato.check(frame, {"id": "k-anonymity", "k": 5}, qid=frame.columns))
    (verdict,) = judged
    print(
        json.dumps({"seconds": seconds, "value": verdict.strongest, "groups": verdict.groups, "peak": peak_megabytes()})
    )


def peer_rows(rows: str, kind: str) -> None:
    """Time one group-by on the same rows."""
    frame = generated(int(rows), kind)
    seconds, sizes = fastest(lambda: frame.group_by(frame.columns).len())
    print(
        json.dumps({"seconds": seconds, "value": sizes["len"].min(), "groups": sizes.height, "peak": peak_megabytes()})
    )


def compare_levels() -> None:
    """Print ours, pycanon's and the ratio for each level."""
    from peers import in_peer

    from sfumato.datasets import adult

    shared_data()
    with tempfile.TemporaryDirectory() as name:
        source = str(adult(missing="drop").select([*QID, SENSITIVE]).write_csv(Path(name) / "adult.csv"))
        ours = in_own_process(__file__, "our_levels", source)
        theirs = in_peer("pycanon", __file__, "peer_levels", source)
    print(f"Adult: {ours['records']:,} records, {ours['groups']:,} groups on {len(QID)} quasi-identifiers")
    print(f"opening the frame as a table, once: {ours['open'] * 1000:.1f} ms; then each level on it")
    print(f"{'level':<14} {'ours':>9} {'pycanon':>9} {'ours ms':>9} {'pycanon s':>10} {'ratio':>8}")
    for level in LEVELS:
        mine, other = ours[level], theirs[level]
        ratio = other["seconds"] / mine["seconds"]
        print(
            f"{level:<14} {mine['value']:>9.4g} {other['value']:>9.4g} {mine['seconds'] * 1000:>9.2f} "
            f"{other['seconds']:>10.2f} {ratio:>7.0f}x (bar {TIMES_FASTER}x) {'ok' if ratio >= TIMES_FASTER else 'MISSED'}; "
            f"from a fresh frame {mine['fresh'] * 1000:.2f} ms, {other['seconds'] / mine['fresh']:.0f}x"
        )
    print(f"peak memory: ours {ours['peak']:.0f} MB, pycanon {theirs['peak']:.0f} MB")


def compare_rows(rows: int) -> None:
    """Print the time of a check beside that of one group-by."""
    for kind in DOMAINS:
        ours = in_own_process(__file__, "our_rows", str(rows), kind)
        theirs = in_own_process(__file__, "peer_rows", str(rows), kind)
        if (ours["value"], ours["groups"]) != (theirs["value"], theirs["groups"]):
            raise SystemExit(f"the check and the group-by disagree: {ours} and {theirs}")
        ratio = ours["seconds"] / theirs["seconds"]
        print(
            f"{rows:,} {kind} rows, {ours['groups']:,} groups: check {ours['seconds']:.2f} s (peak {ours['peak']:.0f} MB), "
            f"group-by {theirs['seconds']:.2f} s (peak {theirs['peak']:.0f} MB), "
            f"ratio {ratio:.2f} (bar {GROUP_BYS}) {'ok' if ratio <= GROUP_BYS else 'MISSED'}"
        )


PARTS = {part.__name__: part for part in (our_levels, peer_levels, our_rows, peer_rows)}


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in PARTS:
        PARTS[sys.argv[1]](*sys.argv[2:])
    else:
        compare_levels()
        compare_rows(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
