"""A desk under load: ten thousand sums asked of a table, what a decision takes beside numpy, and what the log keeps in memory.

python benchmarks/desk.py                    10,000 questions on 100,000 records
python benchmarks/desk.py --questions 2000   fewer
python benchmarks/desk.py --restart 1000     a desk with a ledger: what a new process takes to know what was answered
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from time import perf_counter
from unittest import mock

import numpy as np

from sfumato.interactive import exact_answers
from sfumato.interactive.answered_sums import AnsweredSums
from sfumato.interactive.desk import Desk
from sfumato.ledger.ledger import Ledger


def main() -> None:
    """Ask sums of random conditions on four columns, 2,560 combinations, and print how long decisions take."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--rank", type=int, default=1_000, help="where decisions are compared with numpy")
    parser.add_argument("--restart", type=int, default=0, help="questions that a new process learns from the ledger")
    given = parser.parse_args()
    if given.restart:
        restarted(given.records, given.restart)
        return
    rng = np.random.default_rng(25)
    columns = [rng.integers(0, size, given.records) for size in (10, 2, 16, 8)]
    sums = AnsweredSums(given.records)
    deciding, keeping, refused = [], [], 0
    begun = perf_counter()
    for number in range(given.questions):
        inside = np.ones(given.records, np.bool_)
        for at in rng.choice(len(columns), rng.integers(1, 4), replace=False):
            top = int(columns[at].max())
            low = int(rng.integers(0, top + 1))
            inside &= (columns[at] >= low) & (columns[at] <= low + int(rng.integers(0, top + 1)))
        start = perf_counter()
        asking = sums.asking(inside)
        middle = perf_counter()
        if asking.tells:
            refused += 1
        else:
            sums.add(asking)
        deciding.append(middle - start)
        keeping.append(perf_counter() - middle)
        if sums.rank >= given.rank and given.rank:
            _compared(sums, deciding[-50:], keeping[-50:])
            given.rank = 0
        if (number + 1) % 1_000 == 0:
            print(
                f"  {number + 1:,} asked, rank {sums.rank:,}, {sums.columns:,} columns, {sums.nbytes / 1e6:,.0f} MB",
                flush=True,
            )
    print(
        f"{given.questions:,} questions on {given.records:,} records: {perf_counter() - begun:.1f} s, {refused} refused, "
        f"rank {sums.rank:,}, {sums.columns:,} kinds of records; a decision {np.mean(deciding) * 1e3:.2f} ms, keeping an "
        f"answer {np.mean(keeping) * 1e3:.2f} ms; the log takes {sums.nbytes / 1e6:,.0f} MB; load {os.getloadavg()[0]:.1f}"
    )


def restarted(records: int, questions: int) -> None:
    """Ask sums by area, sex and year, and let a new desk learn them: all of them, and those that told something new."""
    rng = np.random.default_rng(25)
    sizes = {"area": 10, "sex": 2, "year": 16}
    table = {name: rng.integers(0, size, records).tolist() for name, size in sizes.items()}
    table["pay"] = rng.integers(0, 5_000, records).tolist()
    policy = {
        "desk": {"mode": "exact", "audit": {"id": "query-audit-online", "m": 5}},
        "columns": {**{name: {"role": "quasi-identifier"} for name in sizes}, "pay": {"role": "sensitive"}},
    }
    with tempfile.TemporaryDirectory() as folder, Ledger.create(Path(folder) / "desk.ledger") as ledger:
        begun, answered = perf_counter(), 0
        with Desk(table, policy, ledger) as desk:
            for _ in range(questions):
                parts = []
                for name in rng.choice(list(sizes), rng.integers(1, 4), replace=False).tolist():
                    low, wide = rng.integers(0, sizes[name], 2).tolist()
                    parts.append(f"{name} >= {low} and {name} <= {low + wide}")
                answered += not desk.ask(f"sum(pay) where {' and '.join(parts)}").refused
        asked = perf_counter() - begun
        times = []
        for every in (True, False):
            passed = exact_answers._numbers if not every else lambda held: frozenset()
            with mock.patch.object(exact_answers, "_numbers", passed), Desk(table, policy, ledger) as desk:
                begun = perf_counter()
                desk.explain("count")  # knows by now what was answered
                times.append(perf_counter() - begun)
    print(
        f"{questions:,} questions on {records:,} records, {answered:,} answered in {asked:.1f} s: a new process takes "
        f"{times[0]:.2f} s if it learns all answers, {times[1]:.2f} s if it passes over what follows from others; load "
        f"{os.getloadavg()[0]:.1f}"
    )


def _compared(sums: AnsweredSums, deciding: list[float], keeping: list[float]) -> None:
    matrix = np.ascontiguousarray(sums.matrix)
    vector = np.random.default_rng(1).integers(0, 2, len(matrix))
    times = []
    for _ in range(3):
        start = perf_counter()
        vector @ matrix
        times.append(perf_counter() - start)
    one, all_in = float(np.mean(deciding)), float(np.mean(deciding) + np.mean(keeping))
    print(
        f"rank {sums.rank:,}, {sums.columns:,} columns: a decision {one * 1e3:.2f} ms, with keeping {all_in * 1e3:.2f} ms, "
        f"numpy's v @ M {min(times) * 1e3:.2f} ms: {one / min(times):.2f} and {all_in / min(times):.2f} times that (bar 5)"
    )


if __name__ == "__main__":
    main()
