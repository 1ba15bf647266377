"""A desk is killed at random points while it answers, and asked by two hundred at once: no answer goes out uncharged.

``python tests/interactive/trial.py --kills 100 --askers 200``. A point is a line of the ledger or of the desk: the process ends
itself there by ``kill -9``.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

from sfumato.interactive.desk import Desk
from sfumato.ledger.facts import Asked
from sfumato.ledger.ledger import Ledger

sys.path.insert(0, str(Path(__file__).parents[1]))
from nursery import ran

COLUMNS = {
    "sex": {"role": "quasi-identifier", "values": ["f", "m"]},
    "age": {"role": "quasi-identifier"},
    "ill": {"role": "sensitive", "values": ["flu", "ulcer"]},
    "pay": {"role": "sensitive", "bounds": [0, 100]},
}
POLICY = {"desk": {"mode": "noisy", "epsilon": 0.1}, "budget": "total", "columns": COLUMNS}
TABLE = {
    "sex": [("f", "m")[at % 2] for at in range(60)],
    "age": [20 + at % 30 for at in range(60)],
    "ill": [("flu", "ulcer")[at % 3 == 0] for at in range(60)],
    "pay": [at % 97 for at in range(60)],
}
QUESTIONS = [f"count where age >= {20 + at} and ill = flu group by sex" for at in range(12)] + [
    "avg(pay)",
    "median(pay)",
]

WORK = """
import json, os, signal, sys
sys.path.insert(0, sys.argv[3])
from trial import POLICY, QUESTIONS, TABLE
from sfumato.interactive.desk import Desk

desk, last, points = Desk(TABLE, POLICY, sys.argv[1]), int(sys.argv[2]), 0
desk.practice("avg(pay), median(pay)")  # what is imported is no point to be killed at

def traced(frame, event, _):
    global points
    if not any(place in frame.f_code.co_filename for place in ("/sfumato/ledger/", "/sfumato/interactive/")):
        return None
    points += 1
    if points == last:
        os.kill(os.getpid(), signal.SIGKILL)
    return traced

sys.settrace(traced)
for question in QUESTIONS:
    answer = desk.ask(question)
    parts = [[list(part.values), part.entry] for part in answer.parts]
    print(json.dumps([question, [one[0] for one in parts], [one[1] for one in parts]]), flush=True)
sys.settrace(None)
print(points)
"""


def new_ledger(folder: Path, epsilon: float = 100.0) -> Path:
    """Make a ledger with a budget."""
    place = folder / "desk.ledger"
    with Ledger.create(place, signature="hmac-sha256") as ledger:
        ledger.budgets.allot("total", epsilon=epsilon)
    return place


def work(place: Path, last: int) -> list[str]:
    """Ask until the process is killed at a point, or done; return what it said."""
    done = ran(WORK, str(place), str(last), str(Path(__file__).parent))
    if done.returncode not in (0, -signal.SIGKILL):
        raise RuntimeError(done.stderr)
    return done.stdout.splitlines()


def killed(folder: Path, seed: int, number: int, points: int) -> tuple[int, list[str]]:
    """Kill the desk once; return how many answers went out, and what is wrong afterwards."""
    place = folder / str(number)
    place.mkdir()
    ledger = new_ledger(place)
    said = [json.loads(line) for line in work(ledger, Random(f"{seed} {number}").randint(1, points))]
    said = [one for one in said if isinstance(one, list)]
    return len(said), faults(ledger, said)


def faults(place: Path, said: list[list[object]]) -> list[str]:
    """Return what is wrong with a ledger after these answers went out: all must be charged, and kept as they were given."""
    found = []
    with Ledger(place) as ledger:
        if not ledger.verify():
            found.append("the ledger does not verify")
        asked = list(ledger.questions.since())
        held = {entry.number: (facts, json.loads(ledger.questions.body(entry.number))) for entry, facts in asked}
        for question, values, entries in said:
            for value, entry in zip(values, entries, strict=True):  # type: ignore[call-overload]
                facts, kept = held.get(entry, (None, {}))
                if not isinstance(facts, Asked) or facts.epsilon <= 0 or kept["values"] != value:
                    found.append(f"an answer is not charged: {question}")
        spent = sum(facts.epsilon for facts, _ in held.values())
        if ledger.budgets.quote("total", epsilon=0).spent.epsilon != spent:
            found.append("charges and questions differ")
        with Desk(TABLE, POLICY, ledger) as desk:  # goes on, and repeats what went out
            for question, values, _ in said:
                if [list(part.values) for part in desk.ask(str(question)).parts] != values:
                    found.append(f"a repeat differs: {question}")
    return found


def asked_at_once(folder: Path, askers: int, epsilon: float = 1.0) -> tuple[Counter[str], list[str]]:
    """Let many ask at once, each with a ledger and a desk of their own; return what they got, and what is wrong."""
    place = new_ledger(folder, epsilon)

    def ask(number: int) -> tuple[str, object]:
        with Desk(TABLE, POLICY, place) as desk:
            question = QUESTIONS[number % 12]
            try:
                return question, desk.ask(question).rows()
            except Exception as error:  # counted by its kind
                return question, type(error).__name__

    with ThreadPoolExecutor(askers) as pool:
        got = list(pool.map(ask, range(askers)))
    found, given = [], dict[str, set[str]]()
    for question, rows in got:
        given.setdefault(question, set()).add(str(rows))
    found += [f"answers differ: {question}" for question, rows in given.items() if len(rows) > 1]
    with Ledger(place) as ledger:
        spent = ledger.budgets.quote("total", epsilon=0).spent.epsilon
        entries = list(ledger.questions.since())
        if not ledger.verify():
            found.append("the ledger does not verify")
        if spent != 100_000 * len(entries) or spent > epsilon * 1e6:
            found.append(f"spent {spent} on {len(entries)} questions")
        answered = sum("Infeasible" not in rows for rows in map(str, given.values()))
        if answered != len(entries):
            found.append(f"{answered} questions were answered and {len(entries)} are kept")
    return Counter(str(rows) if isinstance(rows, str) else "answered" for _, rows in got), found


def main() -> int:
    """Try both, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--askers", type=int, default=200)
    parser.add_argument("--seed", type=int, default=25)
    given = parser.parse_args()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "usual").mkdir()
        points = int(work(new_ledger(folder / "usual"), 0)[-1])
        out = Counter[int]()
        for number in range(given.kills):
            answers, found = killed(folder, given.seed, number, points)
            out[answers] += 1
            wrong += found
        print(f"{given.kills} kills among {points} points; answers that had gone out: {dict(sorted(out.items()))}")
        (folder / "once").mkdir()
        got, found = asked_at_once(folder / "once", given.askers)
        wrong += found
        print(f"{given.askers} askers at once: {dict(got)}")
    print("\n".join(wrong) or "every answer was charged before it went out")
    return bool(wrong)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    raise SystemExit(main())
