"""How many cells does local suppression empty? Adult beside the greedy rule of other tools, and against the least.

Bar: fewer cells than by the greedy rule on age, sex, race and marital status with k = 3. The rule empties, for each record that
fewer than k match, the column with most values in which that helps, and counts again after every cell, the reading that empties
fewest; equal importance. ``found`` counts the records whose own values fit fewer than k published ones, ``alone`` those
that one published record alone shows in full.

    python benchmarks/local_suppression.py
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from measured import shared_data

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))


def main() -> None:
    """Empty cells by both, and print numbers and processor seconds beside each other."""
    import sfumato
    from oracles.naive_local_suppression import Row, emptied, greedy
    from sfumato.contracts.facts import CellFacts
    from sfumato.datasets import adult

    shared_data()
    names = ["age", "sex", "race", "marital-status"]
    table = sfumato.from_dataset(adult()).select(names)
    rows: list[Row] = [tuple(map(str, row)) for row in table.to_rows()]
    print(f"{len(rows):,} records, {len(set(rows)):,} distinct, load {os.getloadavg()[0]:.2f}")
    start = time.process_time()
    peer = emptied(greedy(rows, 3))
    print(f"{'greedy rule':22} {peer:5} cells  {time.process_time() - start:7.1f} s")
    for most in (None, 3, 2, 1):
        asked = {
            "columns": {name: {"role": "quasi-identifier"} for name in names},
            "requirements": [{"id": "k-anonymity-wildcard", "k": 3}],
            "algorithm": {"id": "local-suppression", **({} if most is None else {"most_per_record": most})},
        }
        start = time.process_time()
        facts = sfumato.anonymize(table, asked).private.facts
        took = time.process_time() - start
        assert isinstance(facts, CellFacts)
        name = "any cells" if most is None else f"at most {most} a record"
        print(
            f"{name:22} {sum(facts.cells.values()):5} cells  {took:7.1f} s  {sum(facts.cells.values()) / peer:5.2f} times  "
            f"gap {facts.gap:.1%}  found {facts.found}  alone {facts.alone}"
        )


if __name__ == "__main__":
    main()
