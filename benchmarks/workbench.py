"""The workbench on 100,000 rows and 15 columns: each page as the server draws it, a slider, and the same by the verb.

    python benchmarks/workbench.py [--rows 100000]

Pages are drawn in this process as for a browser (elements and texts, no pixels), the first time after the table was read
and once more. A slider is one number of a promise that nobody asked for before; beside it stands ``sfumato.check``
on the same opened table, which counts the same.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from pathlib import Path
from time import perf_counter

import sfumato
from sfumato.data.schema import Role
from sfumato.datasets.hospital import hospital
from sfumato.web.app import drawn
from sfumato.web.figures import breaking
from sfumato.web.frame import STEPS
from sfumato.web.project import Project


def _table(rows: int, folder: Path) -> Path:
    """Write the invented hospital with three more columns."""
    file = hospital(rows, seed=7).write_csv(folder / "whole.csv")
    lines = file.read_text(encoding="utf-8").splitlines()
    made = folder / "people.csv"
    head, *rest = lines
    body = "\n".join(f"{line},{at % 7},{at % 11},{at % 13}" for at, line in enumerate(rest))
    made.write_text(f"{head},room,floor,shift\n{body}\n", encoding="utf-8")
    return made


async def _opened(project: Project) -> dict[str, tuple[float, float]]:
    from nicegui.testing.user_simulation import user_simulation

    times: dict[str, tuple[float, float]] = {}
    here = {"step": "data"}
    async with user_simulation(lambda: drawn(project, here["step"])) as user:
        await user.open("/")
        for step in STEPS[1:5]:
            here["step"] = step
            taken = []
            for _ in range(2):
                began = perf_counter()
                await user.open("/")
                taken.append(perf_counter() - began)
            times[step] = taken[0], taken[1]
    return times


def main() -> None:
    """Print seconds."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rows", type=int, default=100_000)
    rows = asked.parse_args().rows
    os.environ["PYTEST_CURRENT_TEST"] = "benchmark"  # NiceGUI lets pages be drawn without a browser in tests only
    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder) / "project")
        began = perf_counter()
        project.take(str(_table(rows, Path(folder))))
        print(f"writing, reading and drafting {rows:,} rows: {perf_counter() - began:.2f} s")
        for step, (first, again) in asyncio.run(_opened(project)).items():
            print(f"{step:<14} first {first:.2f} s, again {again:.2f} s")
        qids = list(project.policy.of_role(Role.QUASI_IDENTIFIER))
        slow = fast = 0.0
        for k in range(40, 50):
            models = [
                {"id": "k-anonymity", "k": k},
                {"id": "l-diversity-distinct", "l": k % 7 + 2, "sensitive": "diagnosis"},
            ]
            began = perf_counter()
            breaking(project, models)
            middle = perf_counter()
            sfumato.check(project.found.table, models, qid=qids)
            if k > 40:  # whoever asks first counts who looks alike, for both
                slow, fast = slow + middle - began, fast + perf_counter() - middle
        slow, fast = slow / 9, fast / 9
        print(f"slider {slow:.4f} s, the verb {fast:.4f} s, ratio {slow / fast:.2f}")


if __name__ == "__main__":
    main()
