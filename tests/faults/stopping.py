"""Nothing hangs: every algorithm on tables ends by itself, refuses with a bound, or stops soon after it is asked to.

``python tests/faults/stopping.py --rows 300000`` lets each one work on the hospital, asks for the end after some seconds, and
prints what it did. Each runs in a process of its own, which is killed where it does not stop.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

SOON, PATIENCE = 2.0, 40.0
"""Seconds within which work stops that is asked to, and after which it is ended by force."""

_NUMBERS = {
    "bmi": {"role": "quasi-identifier", "range": [10, 70]},
    "age": {"role": "quasi-identifier", "range": [0, 120]},
}
_FEW = {"sex": {"role": "quasi-identifier"}, "department": {"role": "quasi-identifier"}}
_DIVERSE = [{"id": "l-diversity-distinct", "l": 3, "sensitive": "diagnosis"}]
_ALIKE = [{"id": "k-anonymity", "k": 5}]
_ISOLATED = [{"id": "c-t-isolation", "c": 4, "t": 3}]
_PRIVATE = [{"id": "differential-privacy", "epsilon": 1.0}]

BESIDE = {"alpha-beta", "mpalm", "spalm"}
"""What needs more than this table: a set of records, a population."""


@dataclass(frozen=True)
class Ending:
    """How a run ended, after how many seconds, and how many of them after it was asked to stop."""

    how: str
    seconds: float
    after: float = 0.0
    why: str = ""

    @property
    def fine(self) -> bool:
        """Whether it did what was promised."""
        bound = self.how == "refused" and "is meant for tables of up to" in self.why
        return bound or self.how == "ended" or (self.how == "stopped" and self.after <= SOON)


def algorithms() -> list[str]:
    """Return the ids of all algorithms on tables."""
    from sfumato.catalogue import things

    return sorted({one.id for one in things("algorithm", "table")} - BESIDE)


def written(rows: int, path: Path) -> None:
    """Write the hospital with the age of each patient."""
    import numpy as np
    import polars as pl

    from sfumato.datasets.hospital import hospital

    held = {name: np.asarray(column).tolist() for name, column in hospital(rows).data.items()}
    del held["patient_id"], held["name"]
    held["age"] = [2024 - int(str(born)[:4]) for born in held["birth_date"]]
    held["answer"] = ["yes" if at % 7 == 0 else "no" for at in range(rows)]
    pl.DataFrame(held).write_parquet(path)


def asked(algorithm: str, path: Path) -> dict[str, Any]:
    """Return a policy that an algorithm takes; the quasi-identifiers are as many as a draft would name, where it can."""
    import polars as pl

    from sfumato.catalogue import find

    frame = pl.read_parquet(path, columns=["sex", "department", "diagnosis"])
    known = {name: sorted(set(frame[name].to_list())) for name in frame.columns}
    dates = {"role": "quasi-identifier", "hierarchy": {"id": "dates"}}
    texts = {"role": "quasi-identifier", "hierarchy": {"id": "frequency", "at_least": 20}}
    usual: dict[str, Any] = {
        "birth_date": dates,
        "admission_date": dates,
        "sex": texts,
        "zip": {"role": "quasi-identifier", "hierarchy": {"id": "redaction", "length": 5}},
        "department": texts,
        "occupation": texts,
        "diagnosis": {"role": "sensitive"},
        "readmitted": {"role": "target"},
    }
    columns, requirements, settings = usual, _ALIKE, {}
    share = 0.02 if find(algorithm, "algorithm", "table").traits.suppresses_records else 0.0
    domains = {name: known[name] for name in _FEW}
    if algorithm in ("anatomize", "mask"):
        requirements = (
            _DIVERSE if algorithm == "anatomize" else [*_ALIKE, {**_DIVERSE[0], "id": "l-diversity-frequency"}]
        )
    elif algorithm == "ke-permutation":
        columns = {name: entry for name, entry in usual.items() if name != "diagnosis"} | {"bmi": {"role": "sensitive"}}
        requirements = [{"id": "k-e-anonymity", "k": 5, "e": 1, "sensitive": "bmi"}]
    elif algorithm in ("mdav", "v-mdav", "r-gather", "condensation"):
        columns = _NUMBERS | {"diagnosis": {"role": "sensitive"}}
        if algorithm == "condensation":
            columns = dict(_NUMBERS)
    elif algorithm in ("cross-training-sanitization", "density-perturbation", "recursive-histogram"):
        columns, requirements = dict(_NUMBERS), _ISOLATED
        settings = {} if algorithm == "recursive-histogram" else {"rise": 0.5}
    elif algorithm in ("dp-marginals", "fourier-marginals", "probabilistic-dp-synthesis", "alpha-beta"):
        columns, requirements, settings = dict(_FEW), _PRIVATE, {"domains": domains}
        if algorithm == "dp-marginals":
            settings |= {"marginals": [["sex", "department"]], "records": 100}
        elif algorithm == "fourier-marginals":
            settings |= {"marginals": [["sex", "department"]]}
        elif algorithm == "probabilistic-dp-synthesis":
            settings |= {"records": 100}
            requirements = [{"id": "probabilistic-differential-privacy", "epsilon": 1.0, "delta": 1e-5}]
        else:
            requirements = [{"id": "d-gamma-privacy", "d": 0.05, "gamma": 0.3}]
    elif algorithm == "laplace-mechanism":
        columns, requirements = dict(_FEW), _PRIVATE
        settings = {"queries": [{"count": {"sex": "female"}}]}
    elif algorithm == "safepub":
        columns, settings = dict(_FEW), {"levels": dict.fromkeys(_FEW, 0)}
        requirements = [{"id": "approximate-differential-privacy", "epsilon": 1.0, "delta": 1e-5}]
    elif algorithm == "perturbed-generalization":
        settings = {"p": 0.25, "domain": known["diagnosis"]}
    elif algorithm == "qidb-anonymization":
        columns = usual | {"answer": {"role": "private"}}
        requirements = [{"id": "personal-frequency", "sensitive": "diagnosis", "th_acct": "0.1"}]
        settings = {"default_weight": 1, "th_disc": "1"}
    elif algorithm == "t-closeness-incognito":
        close = {"id": "t-closeness", "t": 0.4, "sensitive": "diagnosis", "ground_distance": "equal"}
        requirements, share = [close], 0.0
    elif algorithm in ("l-diversity-incognito", "l-plus-optimize"):
        requirements = _DIVERSE
    elif algorithm == "mu-argus":
        requirements = [{"id": "k-combinations", "k": 5, "size": 2}]
    elif algorithm == "local-suppression":
        requirements = [{"id": "k-anonymity-wildcard", "k": 5}]
    kept = {name: {"role": "drop"} for name in (*usual, *_NUMBERS, "insurance", "answer") if name not in columns}
    return {
        "columns": {**columns, **kept},
        "requirements": requirements,
        "limits": {"suppress_at_most": share},
        "algorithm": {"id": algorithm, **settings},
        "seed": 1,
    }


def worked(algorithm: str, path: Path, wait: float) -> Ending:
    """Let an algorithm work and ask for the end after some seconds."""
    import polars as pl

    import sfumato
    from sfumato.contracts.run import Run
    from sfumato.errors import Cancelled, Infeasible, SfumatoError

    policy, run = asked(algorithm, path), Run()
    with suppress(SfumatoError):  # kernels are compiled and modules loaded once, which is not what is asked about
        sfumato.anonymize(pl.read_parquet(path, n_rows=500), policy)
    timer = threading.Timer(wait, run.cancel.set)
    timer.daemon = True
    began = time.monotonic()
    timer.start()
    how, why = "ended", ""
    try:
        sfumato.anonymize(path, policy, run=run)
    except Cancelled:
        how = "stopped"
    except Infeasible as error:
        why = f"there is no such release: {error}"
    except SfumatoError as error:
        how, why = "refused", f"{type(error).__name__}: {error}"
    timer.cancel()
    seconds = time.monotonic() - began
    if run.cancel.is_set() and how != "refused":
        how = "stopped"
    return Ending(how, seconds, max(seconds - wait, 0.0), why)


def watched(algorithm: str, path: Path, wait: float, patience: float = PATIENCE) -> Ending:
    """Let an algorithm work in a process of its own, which is killed where it does not end."""
    words = [sys.executable, __file__, "--one", algorithm, "--table", str(path), "--wait", str(wait)]
    began = time.monotonic()
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            out, told = child.communicate(timeout=wait + patience)
        except subprocess.TimeoutExpired:
            child.kill()
            return Ending("did not stop", time.monotonic() - began, patience)
    if child.returncode:
        return Ending("failed", time.monotonic() - began, why=told.strip().splitlines()[-1])
    return Ending(**json.loads(out.strip().splitlines()[-1]))


def main() -> int:
    """Print what each algorithm did; the exit code tells whether all did what is promised."""
    given = argparse.ArgumentParser()
    given.add_argument("--rows", type=int, nargs="+", default=[3000, 30_000, 300_000])
    given.add_argument("--wait", type=float, default=4.0)
    given.add_argument("--one")
    given.add_argument("--table", type=Path)
    given.add_argument("only", nargs="*")
    told = given.parse_args()
    if told.one:
        print(json.dumps(asdict(worked(told.one, told.table, told.wait))))
        return 0
    bad = 0
    with tempfile.TemporaryDirectory(prefix="stopping-") as folder:
        for rows in told.rows:
            path = Path(folder) / f"{rows}.parquet"
            written(rows, path)
            for algorithm in told.only or algorithms():
                found = watched(algorithm, path, told.wait)
                bad += not found.fine
                late = f", {found.after:.1f} s after it was asked" if found.how == "stopped" else ""
                mark = "" if found.fine else "  <-- "
                print(
                    f"{rows:>9,} {algorithm:<28} {found.how} {found.seconds:6.1f} s{late} {found.why[:150]}{mark}",
                    flush=True,
                )
    print(f"{bad} that hang" if bad else "nothing hangs")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
