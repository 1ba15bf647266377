"""The first hour: what the drafted policy of each of eight tables publishes, beside the best that any algorithm finds.

python benchmarks/first_hour.py [TABLE ...] [--seconds 60]

For each table: records left, loss (of the drafted release, of the best one, their ratio), seconds, columns that show one value
only, columns left out. Aims: 97 % of the records, no column with one value, a ratio of at most 1.25. Five tables are real
(``SFUMATO_DATA``), three are invented and messy (``tests/messy.py``).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import sfumato
from sfumato.contracts.run import Run
from sfumato.datasets import crx, german
from sfumato.errors import SfumatoError
from sfumato.policy import LimitPolicy, Policy

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from messy import MESSY

ALGORITHMS = (
    "tdr",
    "optimal",
    "datafly",
    "mondrian",
    "progressive-local-recoding",
    "local-recoding-greedy",
    "bottom-up-generalization",
    "top-down-disclosure",
)
# Comparing each record with each other takes hours beyond this.
COMPARED = 40_000
LIMIT = 0.03


@dataclass(frozen=True)
class Line:
    """What one release of a table is worth."""

    algorithm: str
    kept: float
    loss: float
    masked: tuple[str, ...]
    seconds: float
    records: int

    def text(self, best: float) -> str:
        """Return the line of a table."""
        share = self.loss / best if best else 1.0
        shown = ", ".join(self.masked) or "-"
        return f"{self.algorithm:28} {self.kept:8.1%} {self.loss:7.4f} {best:7.4f} {share:6.2f} {self.seconds:6.1f}  {shown}"


def sources(folder: Path) -> dict[str, Path]:
    """Return the eight tables as files."""
    import os

    data = Path(os.environ.get("SFUMATO_DATA", "data"))
    out = {
        "adult": data / "adult_full_arx" / "adult_full.csv.gz",
        "cup": data / "cup_int" / "cup_int.csv.gz",
        "cmc": data / "tabular_extra" / "cmc.csv",
    }
    for name in ("german", "crx"):
        out[name] = folder / f"{name}.csv"
        made = german() if name == "german" else crx(missing="keep")
        made.to_polars().write_csv(out[name])
    return {**out, **{name: make(folder) for name, make in MESSY.items()}}


def line(source: Path, policy: Policy, seconds: float) -> Line:
    """Return what the release of a policy is worth."""
    started = time.perf_counter()
    release = sfumato.anonymize(source, policy, run=Run(deadline=time.monotonic() + seconds))
    taken = time.perf_counter() - started
    loss = sfumato.measure(source, release, "loss", policy=policy).value
    qids = [name for name in release.table.columns if policy.columns[name].role == "quasi-identifier"]
    masked = tuple(name for name in qids if len(release.table.dictionary(name)) < 2)
    kept, read = release.table.rows, release.counts["records_read"]
    return Line(policy.search().id, kept / read, float(loss), masked, taken, read)


def others(policy: Policy, records: int) -> list[Policy]:
    """Return the policy with every algorithm; those that can leave records out may leave some out."""
    out = []
    for name in ALGORITHMS:
        if name != "local-recoding-greedy" or records <= COMPARED:
            asked = policy.model_copy(update={"algorithm": {"id": name}, "limits": LimitPolicy()})
            limits = LimitPolicy(suppress_at_most=LIMIT if asked.search().traits.suppresses_records else 0.0)
            out.append(asked.model_copy(update={"limits": limits}))
    return out


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long one algorithm may search")
    given = parser.parse_args()
    print(
        f"{'table':8} {'algorithm':28} {'records':>8} {'loss':>7} {'best':>7} {'ratio':>6} {'time':>6}  one value / left out"
    )
    with tempfile.TemporaryDirectory() as place:
        for name, source in sources(Path(place)).items():
            if given.tables and name not in given.tables:
                continue
            text = Path(place) / f"{name}.yaml"
            text.write_text(sfumato.draft(source), encoding="utf-8")
            policy = Policy.load(text)
            own = line(source, policy, given.seconds)
            lines = [own]
            for other in others(policy, own.records):
                try:
                    lines.append(line(source, other, given.seconds))
                except SfumatoError as error:
                    print(f"         {other.search().id:28} {type(error).__name__}: {str(error)[:70]}")
            best = min(one.loss for one in lines)
            for one in lines[1:]:
                print(f"{'':8} {one.text(best)}")
            dropped = sum(entry.role == "drop" for entry in policy.columns.values())
            print(f"{name:8} {own.text(best)} / {dropped}", flush=True)


if __name__ == "__main__":
    main()
