"""What does it cost to measure a release? All metrics on a million rows against one group-by of the same columns.

Nine quasi-identifiers (one number, eight texts) of which few rows are equal, recoded along trees and intervals; a class column
with three values. ``sfumato.measure`` gives every data metric, from the frame of raw rows and the release in memory. The peer
is ``group_by(...).len()`` on the nine raw columns in Polars, in the same run. Bar: at most 5 times as long.

    python benchmarks/measure.py [rows]
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from measured import in_own_process, peak_megabytes

GROUP_BYS = 5
REPEATS = 5
DOMAINS = (80, 2, 5, 7, 16, 41, 8, 14, 12)


def fastest(work: Callable[[], Any], repeats: int = REPEATS) -> tuple[float, Any]:
    """Return the shortest of several times, and the answer."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        answer = work()
        times.append(time.perf_counter() - began)
    return min(times), answer


def generated(rows: int) -> Any:
    """Return a frame of one whole number, eight texts and a class, with frequent and rare values."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(7)
    columns = []
    for at, size in enumerate(DOMAINS):
        shares = 1 / np.arange(1, size + 1)
        codes = rng.choice(size, rows, p=shares / shares.sum())
        texts = pl.Series([f"value {at}.{code}" for code in range(size)])
        columns.append(pl.Series(f"q{at}", codes) if at == 0 else texts.gather(codes).alias(f"q{at}"))
    columns.append(pl.Series(["yes", "no", "maybe"]).gather(rng.integers(0, 3, rows)).alias("class"))
    return pl.DataFrame(columns)


def trees() -> dict[str, Any]:
    """Return a tree of two levels for each text: values in runs of four, and everything."""
    out: dict[str, Any] = {}
    for at, size in enumerate(DOMAINS[1:], 1):
        values = [f"value {at}.{code}" for code in range(size)]
        out[f"q{at}"] = {"any": [{f"run {start}": values[start : start + 4]} for start in range(0, size, 4)]}
    return out


def our_measure(rows: str) -> None:
    """Time one measure of everything; the first call, which codes the raw columns, is timed apart."""
    import sfumato

    frame = generated(int(rows))
    spec: dict[str, Any] = {f"q{at}": {"id": "full-domain-generalization", "level": 1} for at in range(1, len(DOMAINS))}
    spec["q0"] = {"id": "discretization", "edges": list(range(0, 81, 10))}
    release = sfumato.recode(frame, spec, trees())
    first, _ = fastest(lambda: sfumato.measure(frame, release, target="class"), 1)
    table = sfumato.read(frame)
    seconds, found = fastest(lambda: sfumato.measure(table, release, target="class"))
    shown = {name: one.value for name, one in found.items()}
    print(json.dumps({"first": first, "seconds": seconds, "metrics": shown, "peak": peak_megabytes()}))


def peer_groups(rows: str) -> None:
    """Time one group-by of the raw columns."""
    frame = generated(int(rows))
    names = [f"q{at}" for at in range(len(DOMAINS))]
    seconds, sizes = fastest(lambda: frame.group_by(names).len())
    print(json.dumps({"seconds": seconds, "groups": sizes.height, "peak": peak_megabytes()}))


def compare(rows: int) -> None:
    """Print ours, the group-by, the ratio and the memory."""
    ours = in_own_process(__file__, "our_measure", str(rows))
    theirs = in_own_process(__file__, "peer_groups", str(rows))
    ratio = ours["seconds"] / theirs["seconds"]
    print(f"{rows:,} rows, {len(DOMAINS)} quasi-identifiers, {theirs['groups']:,} distinct rows")
    for name, value in ours["metrics"].items():
        print(f"  {name:<30} {value:.6g}")
    print(
        f"measure, {len(ours['metrics'])} metrics: {ours['seconds']:.3f} s (first call on a frame {ours['first']:.3f} s, "
        f"peak {ours['peak']:.0f} MB), group-by {theirs['seconds']:.3f} s (peak {theirs['peak']:.0f} MB), "
        f"ratio {ratio:.2f} (bar {GROUP_BYS}) {'ok' if ratio <= GROUP_BYS else 'MISSED'}"
    )


PARTS = {part.__name__: part for part in (our_measure, peer_groups)}


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in PARTS:
        PARTS[sys.argv[1]](*sys.argv[2:])
    else:
        compare(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
