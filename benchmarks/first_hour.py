"""The first hour: what the drafted policy of each of eight tables publishes, beside the best that `compare` finds.

python benchmarks/first_hour.py [TABLE ...] [--seconds 60] [--all]

For each table: records left, loss of the drafted release, the least one found and by which algorithm, their ratio, seconds,
columns that show one value only, columns left out. Aims: 97 % of the records, no column with one value, a ratio up to 1.25.
Five tables are real (``SFUMATO_DATA``), three invented and messy (``tests/messy.py``). Others than the drafted algorithm may
leave out 3 % of the records, if they can. ``--all`` tries every algorithm that `compare` takes by itself, not only the usual.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import tempfile
import time
from pathlib import Path

import sfumato
from sfumato.data.schema import Role
from sfumato.datasets import crx, german
from sfumato.policy import LimitPolicy
from sfumato.publishing.comparison import algorithms_alike
from sfumato.tables.policy import Policy

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from messy import MESSY

USUAL = (
    "tdr",
    "optimal",
    "datafly",
    "mondrian",
    "progressive-local-recoding",
    "bottom-up-generalization",
    "top-down-disclosure",
)
# Compares each record with each other: 40 s for 32,561 records, minutes beyond.
PATIENT, COMPARED = "local-recoding-greedy", 40_000
LEFT_OUT = 0.03


def sources(folder: Path) -> dict[str, Path]:
    """Return the eight tables as files."""
    data = Path(os.environ.get("SFUMATO_DATA", "data"))
    out = {
        "adult": data / "adult_full_arx" / "adult_full.csv.gz",
        "cup": data / "cup_int" / "cup_int.csv.gz",
        "cmc": data / "tabular_extra" / "cmc.csv",
        "german": folder / "german.csv",
        "crx": folder / "crx.csv",
    }
    german().to_polars().write_csv(out["german"])
    crx(missing="keep").to_polars().write_csv(out["crx"])
    return {**out, **{name: make(folder) for name, make in MESSY.items()}}


def line(name: str, source: Path, policy: Policy, seconds: float, every: bool) -> str:
    """Return what the drafted policy is worth beside the best that is found."""
    began = time.perf_counter()
    release = sfumato.anonymize(source, policy)
    taken = time.perf_counter() - began
    read, loss = release.counts["records_read"], float(release.measured["loss"].value)
    shown = [one for one in policy.of_role(Role.QUASI_IDENTIFIER) if len(release.table.dictionary(one)) < 2]
    tried = [*USUAL, *([PATIENT] if read <= COMPARED else [])]
    tried += [str(spec["id"]) for spec in algorithms_alike(policy) if every and spec["id"] not in tried]
    asked = policy.model_copy(update={"limits": LimitPolicy(suppress_at_most=LEFT_OUT)})
    found = sfumato.compare(source, asked, algorithms=tried, seconds=seconds)
    best = min((row for row in found if row.cost is not None), key=lambda row: row.cost or 0.0)
    least = best.cost or 0.0
    return (
        f"{name:7} {policy.search().id:27} {release.table.rows / read:7.1%} {loss:7.4f} {least:7.4f} {loss / least:6.2f} "
        f"{taken:6.1f}  {best.algorithm:27} {', '.join(shown) or '-'} / {len(policy.of_role(Role.DROP))}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long one algorithm may search")
    parser.add_argument("--all", action="store_true", help="try every algorithm that compare takes by itself")
    given = parser.parse_args()
    logging.getLogger("sfumato").setLevel(logging.ERROR)
    print(f"table   {'drafted algorithm':27} records    loss   least  ratio   time  {'best':27} one value / left out")
    with tempfile.TemporaryDirectory() as place:
        for name, source in sources(Path(place)).items():
            if given.tables and name not in given.tables:
                continue
            text = Path(place) / f"{name}.yaml"
            text.write_text(sfumato.draft(source), encoding="utf-8")
            print(line(name, source, Policy.load(text), given.seconds, given.all), flush=True)


if __name__ == "__main__":
    main()
