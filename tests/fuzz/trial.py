"""Run malformed requests through the command line: only exit codes 0 to 5, nothing half-written, nothing told, quickly.

``python tests/fuzz/trial.py --cases 2000`` runs them in a process of their own, so that one that dies is found as well;
``--fresh`` draws new ones.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent))

from cases import case
from given import BORN, NAMES, POLICY, TABLE, Case, csv_text

SECONDS = 10.0
OUTPUTS = ("out", "applied.csv", "page.html", "policy.yaml")


def stocked(folder: Path) -> Path:
    """Fill a folder with finished releases and with one table in every format."""
    import sfumato
    from sfumato.catalogue import ids
    from sfumato.engines import read

    (folder / "data.csv").write_text(csv_text(TABLE))
    table = read(folder / "data.csv")
    for ending in ("tsv", "parquet", "arrow", "jsonl", "xlsx", "sqlite"):
        table.write(folder / f"data.{ending}")
    (folder / "ids.json").write_text(
        json.dumps({kind: ids(kind, "table") for kind in ("model", "algorithm", "metric")})
    )
    (folder / "releases").mkdir()
    diverse = [{"id": "l-diversity-frequency", "l": 2, "sensitive": "ill"}]
    close = [{"id": "t-closeness", "t": 0.5, "sensitive": "ill", "ground_distance": "equal"}, *POLICY["requirements"]]
    numbers = {**POLICY["columns"], "born": {"role": "identifier"}, "job": {"role": "identifier"}}
    for name, more in {
        "table": {},
        "close": {"requirements": close, "output": {"format": "parquet"}},
        "pair": {"requirements": diverse, "algorithm": {"id": "anatomize"}},
        "clusters": {"columns": numbers, "algorithm": {"id": "r-gather"}},
    }.items():
        release = sfumato.anonymize(folder / "data.csv", {**POLICY, **more})
        sfumato.publish(release, folder / "releases" / name)
    return folder


def faults(asked: Case, folder: Path) -> tuple[int | None, list[str]]:
    """Run a request in an empty folder; return its exit code and what is wrong with how it ended."""
    for name, held in asked.files.items():
        if name not in asked.gone:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(held)
    for name, target in asked.links.items():
        (folder / name).symlink_to(target)
    before = listing(folder)
    start, clock = time.process_time(), time.monotonic()
    code, told, trace = command(asked.argv, folder)
    took, waited = time.process_time() - start, time.monotonic() - clock
    found = []
    if code not in range(6):
        found.append(f"exit {code}: {trace or told.strip()[-300:]}")
    if "Traceback" in told:
        found.append("a trace is shown")
    if code != 0:
        after = listing(folder)
        written = sorted(name for name in after.keys() | before.keys() if after.get(name) != before.get(name))
        if written:
            found.append(f"left behind: {', '.join(written)[:200]}")
        for raw in (*NAMES, *BORN):
            if raw in told:
                found.append("a raw value is shown: " + " ".join(told.split())[:300])
                break
    elif [name for name in listing(folder) if "unverified" in name]:
        found.append("left something unverified behind")
    if "\x1b" in told:
        found.append("an escape is shown")
    if took > SECONDS or waited > 6 * SECONDS:
        found.append(f"took {took:.0f} s of the processor, {waited:.0f} s")
    return code, found


def listing(folder: Path) -> dict[str, int]:
    """Return what is in a folder: sizes by name."""
    return {
        str(path.relative_to(folder)): 0 if path.is_symlink() or path.is_dir() else path.stat().st_size
        for path in folder.rglob("*")
    }


def command(argv: list[str], folder: Path) -> tuple[int | None, str, str]:
    """Run the command line in this process; return its exit code, all it printed, and where an inner error came from."""
    from sfumato.cli import main

    told, home = io.StringIO(), Path.cwd()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)}
    trace = ""
    os.chdir(folder)
    try:
        with (
            contextlib.redirect_stdout(told),
            contextlib.redirect_stderr(told),
            mock.patch.object(sys, "argv", ["sfumato", *argv]),
            mock.patch.dict(os.environ, {"COLUMNS": "200", "NO_COLOR": "1"}),
        ):
            main.run()
        code: int | None = 0
    except SystemExit as done:
        code = done.code if isinstance(done.code, int) else 0 if done.code is None else 1
        inner = done.__context__
        if code == 70 and inner is not None:
            last = traceback.extract_tb(inner.__traceback__)[-1]
            trace = f"{type(inner).__name__} in {Path(last.filename).name}:{last.lineno}: {str(inner)[:160]}"
    except BaseException as error:
        code, trace = None, f"{type(error).__name__}: {error}"
    finally:
        os.chdir(home)
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return code, told.getvalue(), trace


def try_one(seed: int, number: int, stock: Path) -> tuple[Case, int | None, list[str]]:
    """Draw and run one request; a slow one a second time, because code is compiled when it is first used."""
    asked = case(seed, number, stock)
    found: list[str] = []
    code: int | None = None
    for _ in range(2):
        folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
        try:
            code, found = faults(asked, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if not any(fault.startswith("took") for fault in found):
            break
    return asked, code, found


def _work(seed: int, first: int, last: int, stock: Path) -> None:
    out = os.fdopen(os.dup(1), "w")
    for number in range(first, last):
        asked, code, found = try_one(seed, number, stock)
        print(json.dumps([number, asked.family, code, found, asked.argv]), file=out, flush=True)


def main() -> int:
    """Run many requests in a process that may die, and print what went wrong."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=2000)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--seed", type=int, default=16)
    options.add_argument("--fresh", action="store_true", help="draw requests that nobody has seen")
    options.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.work is not None:
        _work(asked.seed, asked.first, asked.first + asked.cases, asked.work)
        return 0
    seed = secrets.randbelow(10**9) if asked.fresh else asked.seed
    ended: Counter[str] = Counter()
    wrong, number, last, start = 0, asked.first, asked.first + asked.cases, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fuzz-stock-") as held:
        stock = stocked(Path(held))
        while number < last:
            again = [
                sys.executable,
                __file__,
                "--seed",
                str(seed),
                "--first",
                str(number),
                "--cases",
                str(last - number),
            ]
            worker = subprocess.Popen([*again, "--work", str(stock)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            assert worker.stdout is not None
            while number < last:
                ready = select.select([worker.stdout], [], [], 30 * SECONDS)[0]
                line = worker.stdout.readline() if ready else b""
                if not line:
                    worker.kill()
                    wrong += 1
                    print(f"{number}: {'the process died' if ready else 'no end'}, {worker.wait()}", flush=True)
                    number += 1
                    break
                at, family, code, found, argv = json.loads(line)
                ended[f"{family} {code}"] += 1
                number = at + 1
                for fault in found:
                    wrong += 1
                    print(f"{at}: {family}: {' '.join(argv)[:80]}: {fault}", flush=True)
            worker.wait()
    print(json.dumps(dict(sorted(ended.items()))), f"{time.monotonic() - start:.0f} s")
    print(f"{asked.cases:,} requests, seed {seed}: {wrong} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
