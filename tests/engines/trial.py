"""Spark at length: policies on drawn tables give one digest on every engine, and a run that is killed leaves no folder.

``python tests/engines/trial.py --tables 40 --kills 10``; a sample of both is in the suite.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).parents[1]))
from engines.same_releases import ASKED, MIXED, mixed_policy, outcome_of, policy_of

COMMAND = [sys.executable, "-m", "sfumato", "anonymize", "people.parquet", "-p", "policy.yaml", "--engine", "spark"]
POLICY = """\
columns:
  age: {role: quasi-identifier, range: [0, 100]}
  job: {role: quasi-identifier}
  ill: {role: sensitive}
requirements:
  - {id: k-anonymity, k: 5}
"""


def drawn(rng: np.random.Generator) -> pl.DataFrame:
    """Draw a table with a column of each type, some of it missing."""
    rows = int(rng.integers(1, 60))
    pools: dict[str, Sequence[object]] = {
        "t": ["", "a", "b\t", "é", None],
        "i": [-2, 0, 1, None],
        "f": [0.5, 3.0, -1e20, 1.1e-7, None],
        "b": [True, False, None],
    }
    out = {name: [pool[at] for at in rng.integers(len(pool), size=rows)] for name, pool in pools.items()}
    frame = pl.DataFrame(out, schema={"t": pl.String, "i": pl.Int64, "f": pl.Float64, "b": pl.Boolean})
    days = pl.Series("d", rng.integers(-20_000, 20_000, rows)).cast(pl.Date)
    moments = pl.Series("m", rng.integers(-(10**15), 10**15, rows)).cast(pl.Datetime("us"))
    return frame.with_columns(days, moments)


def compare(tables: int, seed: int) -> int:
    """Return how many releases differ between Polars, DuckDB and Spark on one and two cores."""
    from pyspark.sql import SparkSession

    from sfumato.datasets import hospital
    from sfumato.engines import get_engine, read

    rng = np.random.default_rng(seed)
    cases = [(drawn(rng), mixed_policy([*MIXED][at % len(MIXED)])) for at in range(tables)]
    cases += [(hospital(400).to_polars(), policy_of(name)) for name in ASKED]
    expected = [outcome_of(read(frame), policy) for frame, policy in cases]
    bad = 0
    for engine, master in (("duckdb", None), ("spark", "local[1]"), ("spark", "local[2]")):
        opener = get_engine(engine, **({} if master is None else {"master": master}))
        found = [outcome_of(read(frame, opener), policy) for frame, policy in cases]
        wrong = [at for at, (one, other) in enumerate(zip(expected, found, strict=True)) if one != other]
        released = sum(len(one) == 64 for one in found)
        print(f"{engine} {master or ''}: {len(cases)} policies, {released} releases, other than Polars: {wrong}")
        bad += len(wrong)
        active = SparkSession.getActiveSession() if master is not None else None
        if active is not None:
            active.stop()
    return bad


def filled(folder: Path, rows: int = 300_000) -> None:
    """Put a table and a policy into a folder."""
    at = np.arange(rows)
    table = {"age": 20 + at % 53, "job": [f"j{one % 7}" for one in at], "ill": [f"i{one * 7 % 11}" for one in at]}
    pl.DataFrame(table).write_parquet(folder / "people.parquet")
    (folder / "policy.yaml").write_text(POLICY)


def killed(folder: Path, master: str, seconds: float, *, executor: bool) -> str:
    """Kill a run, or an executor of its cluster, after some seconds; return what was there under the final name."""
    run = subprocess.Popen(
        [*COMMAND, "--master", master, "-o", "out", "--quiet"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(seconds)
    if executor:
        for one in executors(run.pid):
            os.kill(one, signal.SIGKILL)
    else:
        os.kill(run.pid, signal.SIGKILL)
    ended = run.wait() if executor else -9
    found = (folder / "out").exists()
    with suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)  # the Java process of a killed run ends by itself, some time
    return f"a folder, exit {ended}" if found else f"nothing, exit {ended}"


def executors(parent: int) -> list[int]:
    """Return the processes of executors that a run began."""
    parents, executing = dict[int, int](), set[int]()
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            if b"CoarseGrainedExecutorBackend" in (place / "cmdline").read_bytes():
                executing.add(int(place.name))
        except OSError:
            continue

    def below(one: int) -> bool:
        return one == parent or (one in parents and parents[one] > 1 and below(parents[one]))

    return [one for one in executing if below(one)]


def kill(times: int, seed: int) -> int:
    """Kill runs and executors at random moments; return how many left a folder that does not verify."""
    import sfumato

    rng, bad = Random(seed), 0
    with tempfile.TemporaryDirectory(prefix="spark-kill-") as held:
        folder = Path(held)
        filled(folder)
        for at in range(times):
            executor = at % 2 == 1
            master = "local-cluster[2,1,1024]" if executor else "local[2]"
            found = killed(folder, master, rng.uniform(4, 40), executor=executor)
            out = folder / "out"
            whole = not out.exists() or bool(sfumato.verify(out))
            print(
                f"{'executor' if executor else 'process'} killed: {found}{'' if whole else ', WHICH DOES NOT VERIFY'}"
            )
            bad += not whole
            if out.exists():
                out.rename(folder / f"done-{at}")
    return bad


def main() -> None:
    """Run both."""
    words = argparse.ArgumentParser()
    words.add_argument("--tables", type=int, default=40)
    words.add_argument("--kills", type=int, default=10)
    words.add_argument("--seed", type=int, default=1)
    asked = words.parse_args()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    bad = compare(asked.tables, asked.seed) if asked.tables else 0
    bad += kill(asked.kills, asked.seed) if asked.kills else 0
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
