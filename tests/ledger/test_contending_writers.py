"""Many processes append at once: nothing is lost, nothing comes twice, no budget is overspent."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from nursery import begun
from sfumato.ledger.ledger import Ledger

PROCESSES, EACH = 16, 10

WORK = """
import sys
from sfumato.errors import Infeasible
from sfumato.ledger.ledger import Ledger

place, name, each = sys.argv[1], sys.argv[2], int(sys.argv[3])
done = 0
with Ledger(place) as ledger:
    for number in range(each):
        try:
            ledger.budgets.charge("survey", epsilon=0.01, key=f"{name} {number}")
            done += 1
        except Infeasible:
            pass
print(done)
"""


def charged(place: Path | str, processes: int, each: int, **environment: str) -> int:
    """Let processes charge one budget at once; return how many charges they were told went through."""
    env = {**os.environ, **environment}
    runs = [begun(WORK, str(place), f"p{number}", str(each), env=env) for number in range(processes)]
    told = [run.communicate()[0] for run in runs]
    assert [run.returncode for run in runs] == [0] * processes
    return sum(int(text) for text in told)


@pytest.mark.slow
def test_sixteen_processes_lose_nothing(tmp_path: Path) -> None:
    place = tmp_path / "people.ledger"
    with Ledger.create(place) as ledger:
        ledger.budgets.allot("survey", epsilon=1)
    assert charged(place, PROCESSES, EACH) == 100, "a budget for 100 of 160 questions"
    with Ledger(place) as ledger:
        assert ledger.verify()
        kinds = Counter(entry.kind for entry in ledger.entries())
        assert kinds == {"opened": 1, "allotted": 1, "charged": 100}
        left = ledger.budgets.quote("survey", epsilon=0.01)
        assert (left.left.epsilon, left.times) == (0, 0)
