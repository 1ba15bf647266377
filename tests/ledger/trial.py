"""Publishing is killed at random points, with a ledger at work: after a repair ledger and folders agree, always.

``python tests/ledger/trial.py --kills 100``. A point is a line of the ledger, of publishing, or of the verb: the process ends
itself there by ``kill -9``, so that the moments between the new name of a folder and the entry that says so are tried as often
as all others.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from hashlib import sha256
from pathlib import Path
from random import Random

WORK = """
import os, signal, sys

import sfumato
import sfumato.publishing.remembered  # what is imported is no point to be killed at
from sfumato.ledger.ledger import Ledger

out, last = sys.argv[1], int(sys.argv[2])
table = sfumato.from_rows(["age", "ill"], [(20 + i % 7, ("flu", "ulcer")[i % 2]) for i in range(60)])
columns = {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}}
release = sfumato.anonymize(table, {"columns": columns, "requirements": [{"id": "k-anonymity", "k": 3}]})
places = ("/sfumato/ledger/", "/sfumato/publishing/remembered.py", "/sfumato/publishing/folder.py", "/sfumato/verbs/publish.py")
points, begun = 0, False

def traced(frame, event, _):
    global points, begun
    if not any(place in frame.f_code.co_filename for place in places):
        return None
    begun = begun or frame.f_code.co_name == "reserve"
    if event == "line" and begun:
        points += 1
        if points == last:
            os.kill(os.getpid(), signal.SIGKILL)
    return traced

sys.settrace(traced)
sfumato.publish(release, out, ledger="people.ledger", series=out)
sys.settrace(None)
print(points)
"""


def started(folder: Path, out: str, last: int) -> subprocess.CompletedProcess[str]:
    """Publish to a folder, up to a point."""
    argv = [sys.executable, "-c", WORK, out, str(last)]
    return subprocess.run(argv, cwd=folder, capture_output=True, text=True)


def usual_points(folder: Path) -> int:
    """Return how many points there are in a run that nobody kills."""
    from sfumato.ledger.ledger import Ledger

    Ledger.create(folder / "people.ledger").close()
    run = started(folder, "first", 0)
    assert run.returncode == 0, run.stderr
    return int(run.stdout)


def killed(folder: Path, seed: int, number: int, points: int) -> tuple[str, list[str]]:
    """Kill a run at a random point, more often near its end; return how it ended and what is wrong then."""
    from sfumato.ledger.ledger import Ledger
    from sfumato.ledger.verification import Witness
    from sfumato.publishing.certificate import open_certificate

    rng, out = Random(f"{seed}-{number}"), f"out{number}"
    last = rng.randint(rng.choice([1, points * 2 // 3, points * 7 // 8]), points)
    run = started(folder, out, last)
    if run.returncode not in (0, -9):
        return "failed", [f"exit {run.returncode}: {run.stderr.strip()[-300:]}"]
    there, found = (folder / out).exists(), []
    with Ledger(folder / "people.ledger") as ledger:
        if not ledger.verify():
            found.append(f"before repair: {[problem.text for problem in ledger.verify().problems]}")
        settled = [one.outcome for one in ledger.repair()]
        if ledger.verify().open or ledger.repair():
            found.append("something stays open")
        known = {past.certificate for series in ledger.series for past in ledger.history(series)}
        folders = [path for path in folder.iterdir() if (path / "public").is_dir() and "unverified" not in path.name]
        held = {path: (path / "public/certificate.json").read_bytes() for path in folders}
        if {sha256(content).hexdigest() for content in held.values()} != known:
            found.append("ledger and folders do not agree")
        witnesses = [
            Witness(told, path.name, sha256(content).hexdigest())
            for path, content in held.items()
            if (told := open_certificate(content).ledger) is not None
        ]
        if len(witnesses) != len(held) or not ledger.verify(witnesses):
            found.append("a certificate saw another ledger")
        left = [
            path.name for path in folder.iterdir() if path.name.endswith((".reserved", ".seal")) and path.name[0] == "."
        ]
        if left:
            found.append(f"left behind: {left}")
    state = "finished" if run.returncode == 0 else "with its name" if there else "without a name"
    return f"{state}, {settled[0] if settled else 'nothing to settle'}", found


def main() -> int:
    """Kill as often as asked and print what was found."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=100)
    options.add_argument("--seed", type=int, default=18)
    asked = options.parse_args()
    wrong, states = [], Counter[str]()
    with tempfile.TemporaryDirectory(prefix="ledger-") as held:
        folder = Path(held)
        points = usual_points(folder)
        for number in range(asked.kills):
            state, found = killed(folder, asked.seed, number, points)
            states[state] += 1
            wrong += [f"kill {number}: {fault}" for fault in found]
    print("\n".join(wrong))
    print(f"{asked.kills} kills among {points} points: {json.dumps(states)}, {len(wrong)} bad ends")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
