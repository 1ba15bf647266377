"""Is the lattice search faster than it was? Old and new code in turns, in one run, on the same tables and policies.

The old code is a checkout of its own (``git worktree add ../old f55665a --detach``). Each case is a process: the table is
opened, prepared and searched several times, warm, and the best time counts, of the search alone and from the opened table on.
A ratio is the old time over the new one; the score has to be the same.

    python benchmarks/speed.py /path/to/old/checkout [case ...]
    python benchmarks/speed.py --wide 30000 10 0.05

The second line searches a lattice of that many columns of four levels, which the old code did not end, with the default budget.
Bars: with 10 columns a gap of at most 5 % (30,000 rows) or 15 % (a million), with 15 and 25 columns of at most 50 %.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import lattice

K100 = [{"id": "k-anonymity", "k": 100}]
ENTROPY = "non-uniform-entropy"
# name: rows, quasi-identifiers, requirements, limit, metric, least ratio of the search and from the opened table on
CASES: dict[str, tuple[str, tuple[str, ...], list[dict[str, Any]], float, str, float, float]] = {
    "s0-loss": ("small", lattice.NINE, lattice.K, 0.0, "loss", 3, 2.5),
    "s0-entropy": ("small", lattice.NINE, lattice.K, 0.0, ENTROPY, 5, 2.5),
    "s0-discernibility": ("small", lattice.NINE, lattice.K, 0.0, "discernibility", 3, 2.5),
    "s0-k100": ("small", lattice.NINE, K100, 0.0, "loss", 6, 2.5),
    "s4-loss": ("small", lattice.NINE, lattice.K, 0.04, "loss", 1.5, 0.9),
    "s4-entropy": ("small", lattice.NINE, lattice.K, 0.04, ENTROPY, 3, 0.9),
    "s4-discernibility": ("small", lattice.NINE, lattice.K, 0.04, "discernibility", 0.9, 0.9),
    "s4-l": ("small", lattice.EIGHT, lattice.L, 0.04, "loss", 0.9, 0.9),
    "s4-t": ("small", lattice.EIGHT, lattice.T, 0.04, "loss", 0.9, 0.9),
    "s100-loss": ("small", lattice.NINE, lattice.K, 1.0, "loss", 1.5, 0.9),
    "s100-entropy": ("small", lattice.NINE, lattice.K, 1.0, ENTROPY, 2.5, 0.9),
    "s100-discernibility": ("small", lattice.NINE, lattice.K, 1.0, "discernibility", 0.9, 0.9),
    "s100-t": ("small", lattice.EIGHT, lattice.T, 1.0, "loss", 6, 0.9),
    "million-s4-loss": ("million", lattice.NINE, lattice.K, 0.04, "loss", 0.9, 0.9),
    "million-s4-discernibility": ("million", lattice.NINE, lattice.K, 0.04, "discernibility", 0.9, 0.9),
    "million-s4-t": ("million", lattice.EIGHT, lattice.T, 0.04, "loss", 0.9, 0.9),
}
TURNS = 3


def one(name: str) -> None:
    """Time one case in this process; what is called how depends on the code that is imported."""
    rows, qids, requirements, limit, metric, *_ = CASES[name]
    from sfumato.catalogue import build

    asked = lattice.policy(qids, requirements, limit, metric)
    raw = lattice.frame({"small": 30_162, "million": 1_000_000}[rows])
    try:
        from sfumato.contracts.run import Run
        from sfumato.tables.open import open_table
        from sfumato.tables.prepare import prepare

        fresh, given = lambda: Run.seeded(0), ()
    except ImportError:
        import numpy as np
        from sfumato.verbs.opening import open_table
        from sfumato.verbs.preparing import prepare

        from sfumato.contracts.progress import Silent

        fresh, given = lambda: np.random.default_rng(0), (Silent(),)
    algorithm = build({"id": "optimal", "metric": metric}, "algorithm")
    searches, wholes = [], []
    for _ in range(7 if rows == "small" and limit < 1 else 3):
        table = open_table(raw, asked)
        began = time.perf_counter()
        task = prepare(table, asked).task(*given)
        prepared = time.perf_counter()
        outcome = algorithm.run(task, fresh())
        ended = time.perf_counter()
        searches.append(ended - prepared)
        wholes.append(ended - began)
    facts = outcome.facts
    print(
        json.dumps(
            {
                "search": min(searches),
                "whole": min(wholes),
                "score": facts["score"],
                "levels": list(facts["levels"].values()),
                "left_out": facts["left_out"],
                "checks": facts["checks"],
            }
        )
    )


def wide(rows: int, count: int, limit: float) -> None:
    """Search a wide lattice until the default budget ends it."""
    import sfumato

    data, asked = lattice.wide_case(rows, count, limit)
    began = time.perf_counter()
    release = sfumato.anonymize(data, asked | {"algorithm": {"id": "optimal"}})
    seconds, facts = time.perf_counter() - began, release.private.facts
    bar = 0.5 if count > 10 else 0.15 if rows > 30_000 else 0.05
    print(
        f"{rows:,} rows, {count} columns, limit {limit:.0%}: {seconds:.1f} s with everything, loss {facts['score']:.5f}, gap "
        f"{facts['gap']:.1%} (bar {bar:.0%}) {'ok' if facts['gap'] <= bar else 'MISSED'}, {facts['checks']} of "
        f"{facts['lattice']:.3g} nodes, {release.private.stopped or 'ended by itself'}"
    )


def timed(checkout: Path, name: str) -> dict[str, Any]:
    """Run one case with the code of a checkout."""
    environment = os.environ | {"PYTHONPATH": str(checkout / "src")}
    command = [sys.executable, __file__, "--one", name]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def compare(old: Path, names: list[str]) -> None:
    """Print each case with its ratios."""
    new = Path(__file__).resolve().parents[1]
    for name in names:
        search_bar, whole_bar = CASES[name][5:]
        turns = [(timed(old, name), timed(new, name)) for _ in range(TURNS if "million" not in name else 1)]
        before, after = ({key: min(run[at][key] for run in turns) for key in turns[0][0]} for at in (0, 1))
        search, whole = before["search"] / after["search"], before["whole"] / after["whole"]
        same = abs(before["score"] - after["score"]) <= 1e-9 * abs(before["score"])
        print(
            f"{name}: search {before['search'] * 1000:.1f} → {after['search'] * 1000:.1f} ms, {search:.2f} × "
            f"(bar {search_bar} ×) {'ok' if search >= search_bar else 'MISSED'}; with preparation "
            f"{before['whole'] * 1000:.1f} → {after['whole'] * 1000:.1f} ms, {whole:.2f} × (bar {whole_bar} ×) "
            f"{'ok' if whole >= whole_bar else 'MISSED'}; nodes {before['checks']} → {after['checks']}; "
            f"{'same score' if same else 'OTHER SCORE'}{'' if before['levels'] == after['levels'] else ', other levels'}",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        one(sys.argv[2])
    elif sys.argv[1] == "--wide":
        wide(int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
    else:
        compare(Path(sys.argv[1]).resolve(), sys.argv[2:] or list(CASES))
