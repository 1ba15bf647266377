"""Publishing is killed at random points, with a ledger at work: after a repair ledger and folders agree, always.

``python tests/ledger/trial.py --kills 100 --steps 1000``. A point is a line of the ledger, of publishing, or of the verb: the
process ends itself there by ``kill -9``, so that the moments between the new name of a folder and the entry that says so are
tried as often as all others. Steps are kills of the same steps with a folder that costs nothing to write.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from random import Random
from types import FrameType

from sfumato.contracts.certificate import LedgerEntry
from sfumato.ledger.entry import Body
from sfumato.ledger.ledger import Ledger
from sfumato.ledger.verification import Witness
from sfumato.publishing.folder import aside

sys.path.insert(0, str(Path(__file__).parents[1]))
from nursery import ran


def release_folder(target: Path, **told: object) -> str:
    """Make a folder that has what the ledger looks at, and return the digest of its certificate."""
    public = target / "public"
    public.mkdir(parents=True)
    files = {"data.csv": b"age\n20-29\n", "schema.json": b"{}\n"}
    for name, content in files.items():
        (public / name).write_bytes(content)
    digests = {name: sha256(content).hexdigest() for name, content in files.items()}
    described = {"files": [{"file": "data.csv", "sha256": digests["data.csv"]}]}
    content = json.dumps({"release": described, "schema_sha256": digests["schema.json"], **told}).encode()
    (public / "certificate.json").write_bytes(content)
    return sha256(content).hexdigest()


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
    return ran(WORK, out, str(last), cwd=folder)


def usual_points(folder: Path) -> int:
    """Return how many points there are in a run that nobody kills."""
    Ledger.create(folder / "people.ledger").close()
    run = started(folder, "first", 0)
    assert run.returncode == 0, run.stderr
    return int(run.stdout)


def killed(folder: Path, seed: int, number: int, points: int) -> tuple[str, list[str]]:
    """Kill a run at a random point, more often near its end; return how it ended and what is wrong then."""
    rng, out = Random(f"{seed}-{number}"), f"out{number}"
    run = started(folder, out, _point(rng, points))
    if run.returncode not in (0, -9):
        return "failed", [f"exit {run.returncode}: {run.stderr.strip()[-300:]}"]
    return settled(folder, out, finished=run.returncode == 0)


def stepped(folder: Path, seed: int, number: int, points: int) -> tuple[str, list[str]]:
    """Do the same in a fork of this process, with a folder that only looks like a release; without points nobody is killed."""
    out, last = f"step{number}", _point(Random(f"{seed}-{number}"), points) if points else 0
    child = os.fork()
    if not child:
        try:
            count = steps(folder, out, last)
            (folder / "points").write_text(str(count))
        finally:
            os._exit(0 if (folder / "points").exists() else 1)
    _, status = os.waitpid(child, 0)
    return settled(folder, out, finished=not os.WIFSIGNALED(status))


def steps(folder: Path, out: str, last: int) -> int:
    """Reserve, write, prepare, name and commit, up to a point; return how many points there were."""
    points = 0

    def traced(frame: FrameType, event: str, _: object) -> Callable[..., object] | None:
        nonlocal points
        if not any(place in frame.f_code.co_filename for place in ("/sfumato/ledger/", "/publishing/folder.py")):
            return None
        points += event == "line"
        if points == last and last:
            os.kill(os.getpid(), signal.SIGKILL)
        return traced

    with Ledger(folder / "people.ledger") as ledger:
        sys.settrace(traced)
        with ledger.reserve(out, folder / out) as held:
            with aside(folder / out) as unnamed:
                told = asdict(held.certified)
                held.prepare(release_folder(unnamed, ledger=told), Body("mapping", out.encode()))
            held.commit()
        sys.settrace(None)
    return points


def _point(rng: Random, points: int) -> int:
    return rng.randint(rng.choice([1, points * 2 // 3, points * 7 // 8]), points)


def settled(folder: Path, out: str, *, finished: bool) -> tuple[str, list[str]]:
    """Repair a ledger; return how a run ended and what is wrong with ledger and folders."""
    there, found = (folder / out).exists(), []
    with Ledger(folder / "people.ledger") as ledger:
        before = ledger.verify()
        if not before:
            found.append(f"before repair: {[problem.text for problem in before.problems]}")
        outcomes = [one.outcome for one in ledger.repair()]
        if ledger.verify().open or ledger.repair():
            found.append("something stays open")
        known = {past.certificate for series in ledger.series for past in ledger.history(series)}
        folders = [path for path in folder.iterdir() if (path / "public").is_dir() and "unverified" not in path.name]
        held = {path: (path / "public/certificate.json").read_bytes() for path in folders}
        if {sha256(content).hexdigest() for content in held.values()} != known:
            found.append("ledger and folders do not agree")
        told = {path: json.loads(content)["ledger"] for path, content in held.items()}
        witnesses = [
            Witness(LedgerEntry(**told[path]), path.name, sha256(content).hexdigest()) for path, content in held.items()
        ]
        if not ledger.verify(witnesses):
            found.append("a certificate saw another ledger")
    left = [
        path.name for path in folder.iterdir() if path.name.endswith((".reserved", ".seal")) and path.name[0] == "."
    ]
    if left:
        found.append(f"left behind: {left}")
    state = "finished" if finished else "with its name" if there else "without a name"
    return f"{state}, {outcomes[0] if outcomes else 'nothing to settle'}", found


def tried(kind: str, count: int, seed: int) -> list[str]:
    """Kill as often as asked, tell how that ended, and return what was wrong; a ledger serves for some of them."""
    wrong, states, points = [], Counter[str](), 0
    for first in range(0, count, 25):
        with tempfile.TemporaryDirectory(prefix="ledger-") as held:
            folder = Path(held)
            if kind == "runs":
                points = usual_points(folder)
            else:
                Ledger.create(folder / "people.ledger").close()
                stepped(folder, seed, -1, 0)
                points = int((folder / "points").read_text())
            for number in range(first, min(first + 25, count)):
                state, found = (killed if kind == "runs" else stepped)(folder, seed, number, points)
                states[state] += 1
                wrong += [f"{kind} {number}: {fault}" for fault in found]
    print(f"{count} {kind} killed among {points} points: {json.dumps(states)}, {len(wrong)} bad ends", flush=True)
    return wrong


def main() -> int:
    """Try runs and steps and print what was found."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=100)
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--seed", type=int, default=18)
    asked = options.parse_args()
    wrong = tried("steps", asked.steps, asked.seed) if asked.steps else []
    wrong += tried("runs", asked.kills, asked.seed) if asked.kills else []
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
