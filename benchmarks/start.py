"""How soon does a command answer? Fresh processes, in turns with what they are compared with, the best of several turns.

Two bars. ``sfumato --help`` takes at most 2.5 times ``python -c "import typer"``. ``sfumato anonymize`` of Adult with the
hierarchies of ARX (30,162 rows), from process start to a written and verified release, takes at most 0.6 times what the old
code took; that needs a checkout of it (``git worktree add ../old f55665a --detach``), which runs with the same interpreter.
Kernels lie in numba's cache on disk, and bytecode beside its source, before anything is timed: one run of each command that
does not count puts them there.
Processor seconds, which other loads change less, stand beside those of the clock; the bars are about the clock.

    python benchmarks/start.py [OLD_CHECKOUT]
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import lattice

TURNS = 9
HELP_BAR, ANONYMIZE_BAR = 2.5, 0.6
ENTRY = "from sfumato.cli.main import run; run()"
ALGORITHMS = {"tdr": {"id": "tdr"}, "optimal": {"id": "optimal", "metric": "loss"}}


@dataclass(frozen=True)
class Spent:
    """What a process took: seconds on the clock and of processors."""

    clock: float
    processors: float

    def __str__(self) -> str:
        return f"{self.clock:.3f} s ({self.processors:.3f} s of processors)"


def spent(code: str, arguments: list[str], checkout: Path) -> Spent:
    """Run a line of Python in a process of its own, with the code of a checkout."""
    environment = os.environ | {"PYTHONPATH": str(checkout / "src")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode, a checkout gets it once
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.DEVNULL, env=environment)
    _, status, used = os.wait4(process.pid, 0)
    clock = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(arguments) or code} ended with {process.returncode}")
    return Spent(clock, used.ru_utime + used.ru_stime)


def in_turns(commands: Mapping[str, Callable[[], Spent]]) -> dict[str, Spent]:
    """Return the least that each command took; all of them run in every turn, and once before that does not count."""
    turns = [{name: command() for name, command in commands.items()} for _ in range(TURNS + 1)][1:]
    return {
        name: Spent(min(turn[name].clock for turn in turns), min(turn[name].processors for turn in turns))
        for name in commands
    }


def told(name: str, found: Spent, yard: Spent, what: str, bar: float) -> None:
    """Print a command, what it is compared with, and whether the bar was met."""
    ratio = found.clock / yard.clock
    print(
        f"{name}: {found}, {what} {yard}: {ratio:.2f} x (bar {bar} x) {'ok' if ratio <= bar else 'MISSED'}, "
        f"{found.processors / yard.processors:.2f} x by processors",
        flush=True,
    )


def first_words(new: Path) -> None:
    """Time the help beside loading the library that prints it."""
    best = in_turns(
        {"typer": lambda: spent("import typer", [], new), "help": lambda: spent(ENTRY, ["--help"], new)},
    )
    told("sfumato --help", best["help"], best["typer"], "import typer", HELP_BAR)


def _column(name: str) -> dict[str, object]:
    tree = {"id": "taxonomy", "file": str(lattice.folder() / f"adult_hierarchy_{name}.csv")}
    return {"role": "quasi-identifier", "type": "text", "hierarchy": tree}


def releases(new: Path, old: Path | None) -> None:
    """Time the whole command with each algorithm, of the new code and of the old one."""
    checkouts = {"new": new} if old is None else {"new": new, "old": old}
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        shutil.copy(lattice.folder() / "adult.csv.gz", root)
        asked = {
            "columns": {name: _column(name) for name in lattice.NINE},
            "requirements": lattice.K,
            "limits": {"suppress_at_most": 0.04},
            "source": {"separator": ";"},
        }
        for name, algorithm in ALGORITHMS.items():
            (root / f"{name}.json").write_text(json.dumps(asked | {"algorithm": algorithm}))

            def release(checkout: Path, policy: Path = root / f"{name}.json") -> Spent:
                out = root / "out"
                arguments = ["anonymize", str(root / "adult.csv.gz"), "-p", str(policy), "-o", str(out), "-q"]
                taken = spent(ENTRY, arguments, checkout)
                shutil.rmtree(out)
                return taken

            best = in_turns({age: lambda checkout=checkout: release(checkout) for age, checkout in checkouts.items()})
            if old is None:
                print(f"sfumato anonymize, {name}: {best['new']}; no old code to compare with", flush=True)
            else:
                told(f"sfumato anonymize, {name}", best["new"], best["old"], "old code", ANONYMIZE_BAR)


if __name__ == "__main__":
    here = Path(__file__).resolve().parents[1]
    first_words(here)
    releases(here, Path(sys.argv[1]).resolve() if sys.argv[1:] else None)
