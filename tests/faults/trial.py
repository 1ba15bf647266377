"""Runs that are killed, disks that are full, places that cannot be written, writers at the same time: no bad folder, ever.

``python tests/faults/trial.py --kills 200`` kills a run at random points; whatever has the final name must verify.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))
from nursery import Child, begun

COMMAND = [sys.executable, "-c", "from sfumato.cli.main import run; run()"]
DATA = "id,age,job,ill\n" + "".join(
    f"{i},{20 + i % 23},{('cook', 'nurse', 'clerk')[i % 3]},{('flu', 'ulcer')[i * 7 % 5 % 2]}\n" for i in range(400)
)
POLICY = """\
columns:
  id: {role: identifier}
  age: {role: quasi-identifier, range: [0, 100]}
  job: {role: quasi-identifier}
  ill: {role: sensitive}
requirements:
  - {id: k-anonymity, k: 5}
"""


def filled(folder: Path) -> Path:
    """Put a table and a policy into a folder."""
    (folder / "data.csv").write_text(DATA)
    (folder / "policy.yaml").write_text(POLICY)
    return folder


def started(folder: Path, out: str = "out", *, powerless: bool = False) -> Child | subprocess.Popen[bytes]:
    """Start a run that publishes to ``out``; a powerless one may not write where it is not allowed, even as root."""
    words = ["anonymize", "data.csv", "--policy", "policy.yaml", "--out", out, "--quiet"]
    if not powerless:
        return begun(COMMAND[-1], *words, cwd=folder)
    drop = _without_power if os.geteuid() == 0 else None
    return subprocess.Popen([*COMMAND, *words], cwd=folder, stderr=subprocess.PIPE, preexec_fn=drop)


def _without_power() -> None:
    """Give up what lets root write anywhere, and stay who we are: interpreter and packages must be found as before."""
    import ctypes

    bound, override, read_search = 24, 1, 2  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    for power in (override, read_search):  # what is bound is not handed on to the program that is started
        ctypes.CDLL(None, use_errno=True).prctl(bound, power, 0, 0, 0)


def bad(folder: Path, out: str = "out") -> list[str]:
    """Return what is wrong with a place after a run: a final folder that does not verify."""
    if not (folder / out).exists():
        return []
    import sfumato

    wanted = {"public": {"certificate.json", "schema.json", "data.csv", "report.html"}}
    held = {path.name for path in (folder / out / "public").iterdir()} if (folder / out / "public").is_dir() else set()
    if held != wanted["public"] or not (folder / out / "private").is_dir():
        return [f"a final folder with {sorted(held)}"]
    try:
        return [] if sfumato.verify(folder / out) else ["a final folder that fails its verification"]
    except sfumato.SfumatoError as error:
        return [f"a final folder that is refused: {error}"]


def usual_seconds() -> float:
    """Return how long a run takes that nobody disturbs."""
    with tempfile.TemporaryDirectory(prefix="fault-") as held:
        for _ in range(2):  # code is compiled when it is first used
            start = time.monotonic()
            run = started(filled(Path(held)), out=f"out{start}")
            assert run.wait() == 0, run.communicate()[1].decode()
        return time.monotonic() - start


def killed(seed: int, number: int, seconds: float) -> tuple[str, list[str]]:
    """Kill a run at a random point, more often near its end; return what was there and what is wrong with it."""
    rng = Random(f"{seed}-{number}")
    with tempfile.TemporaryDirectory(prefix="fault-") as held:
        folder = filled(Path(held))
        run = started(folder)
        time.sleep(seconds * (rng.uniform(0.0, 1.1) if rng.random() < 0.4 else rng.uniform(0.6, 1.1)))
        run.send_signal(signal.SIGKILL)
        run.communicate()
        left = [path.name for path in folder.iterdir() if "unverified" in path.name]
        state = "finished" if (folder / "out").exists() else "half-way" if left else "before writing"
        found = bad(folder)
        if not (folder / "out").exists() and number % 5 == 0:  # the next run cleans up and publishes
            again = started(folder)
            told = again.communicate()[1].decode()
            if again.returncode:
                found.append(f"the next run fails: {told.strip()[-200:]}")
            found += bad(folder)
        if number % 5 == 0 and [path.name for path in folder.iterdir() if "unverified" in path.name]:
            found.append("the next run leaves what was left behind")
    return state, found


def together(count: int) -> list[str]:
    """Let several runs write to one place: one wins, the others are refused, and the folder is whole."""
    with tempfile.TemporaryDirectory(prefix="fault-") as held:
        folder = filled(Path(held))
        runs = [started(folder) for _ in range(count)]
        for run in runs:
            run.communicate()
        codes = sorted(run.returncode for run in runs)
        found = bad(folder)
        if not (folder / "out").is_dir():
            found.append("nobody published")
        if codes != [0] + [5] * (count - 1):  # the name is taken
            found.append(f"exit codes {codes}")
        if [path.name for path in folder.iterdir() if "unverified" in path.name]:
            found.append("something unverified is left")
        return found


def full(seed: int, number: int) -> list[str]:
    """Write to a disk that ends: a bound on the size of files, somewhere between nothing and enough."""
    import resource

    size = Random(f"{seed}:{number}").choice([0, 100, 1000, 3000, 6000, 20_000, 60_000])

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    with tempfile.TemporaryDirectory(prefix="fault-") as held:
        folder = filled(Path(held))
        argv = [*COMMAND, "anonymize", "data.csv", "--policy", "policy.yaml", "--out", "out", "--quiet"]
        environment = {
            **os.environ,
            "NUMBA_DISABLE_JIT": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }  # nothing but the release
        done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, preexec_fn=bound, env=environment)
        found = bad(folder)
        if done.returncode not in (0, 2):
            found.append(f"exit {done.returncode}: {done.stderr.strip()[-200:]}")
        if [path.name for path in folder.iterdir() if path.name not in ("data.csv", "policy.yaml", "out")]:
            found.append("something is left")
        return found


def locked() -> list[str]:
    """Write to a folder that may not be written."""
    with tempfile.TemporaryDirectory(prefix="fault-") as held:
        folder = filled(Path(held))
        (folder / "locked").mkdir(mode=0o500)
        run = started(folder, out="locked/out", powerless=True)
        told = run.communicate()[1].decode()
        found = bad(folder, "locked/out")
        if run.returncode != 2 or "cannot be written" not in told:
            found.append(f"exit {run.returncode}: {told.strip()[-200:]}")
        return found + [f"something is left: {path.name}" for path in (folder / "locked").iterdir()]


def main() -> int:
    """Try all faults and print what was found."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--seed", type=int, default=16)
    asked = options.parse_args()
    seconds, states, wrong = usual_seconds(), Counter[str](), []
    for number in range(asked.kills):
        state, found = killed(asked.seed, number, seconds)
        states[state] += 1
        wrong += [f"kill {number}: {fault}" for fault in found]
    wrong += [f"together: {fault}" for _ in range(5) for fault in together(3)]
    wrong += [f"full {number}: {fault}" for number in range(20) for fault in full(asked.seed, number)]
    wrong += [f"locked: {fault}" for fault in locked()]
    print("\n".join(wrong))
    told = f"{asked.kills} kills ({dict(states)}), 5 times three writers, 20 full disks, a locked folder"
    print(f"{told}: {len(wrong)} bad ends")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
