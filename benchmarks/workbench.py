"""The workbench on 100,000 rows and 15 columns in a browser: each page, a slider, and the same count by the verb; then 5M rows.

    python benchmarks/workbench.py [--rows 100000] [--large 5000000]

A page is there when its title and its four figures are drawn and its connection stands, so that a click would be heard;
the first time, and once more after the server answered once. A slider is moved to a number that nobody asked for before, until
the page shows other words; beside it stands ``sfumato.check`` on the same table, opened as the command line opens it, which
counts the same. With ``--large`` a Parquet file of so many rows is opened: seconds, the size of the page, and the
memory of the server. Bars: 2 s, 0.5 s, 1.5 times.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl

import sfumato
from sfumato.data.schema import Role
from sfumato.datasets.hospital import hospital
from sfumato.reports.pdf import BROWSER_FLAGS, find_browser
from sfumato.tables.policy import Policy
from sfumato.web.figures import breaking
from sfumato.web.frame import STEPS
from sfumato.web.project import Project

_THERE = "window.socket && window.socket.connected && document.querySelectorAll('.pulse dt').length == 4"
_MOVE = """
([at, value]) => new Promise((done) => {
  const work = document.getElementById("work"), before = work.innerText, began = performance.now();
  const watch = new MutationObserver(() => {
    if (work.innerText !== before) { watch.disconnect(); done((performance.now() - began) / 1000); }
  });
  watch.observe(work, {childList: true, subtree: true, characterData: true});
  const slider = document.querySelectorAll("input.range")[at];
  slider.value = value;
  slider.dispatchEvent(new Event("change", {bubbles: true}));
})
"""


def _table(rows: int, folder: Path) -> Path:
    """Write the invented hospital with three more columns."""
    made, at = folder / "people.csv", np.arange(rows)
    more = [pl.Series("room", at % 7), pl.Series("floor", at % 11), pl.Series("shift", at % 13)]
    hospital(rows, seed=7).to_polars().with_columns(more).write_csv(made)
    return made


def _large(rows: int, folder: Path) -> Path:
    draw, made = np.random.default_rng(7), folder / "large.parquet"
    pl.DataFrame(
        {
            "age": draw.integers(18, 95, rows),
            "zip": draw.integers(10_000, 10_400, rows).astype(str),
            "sex": np.where(draw.random(rows) < 0.5, "female", "male"),
            "income": draw.integers(0, 200, rows) * 500,
            "illness": draw.choice(["flu", "asthma", "none", "other"], rows),
        }
    ).write_parquet(made)
    return made


@contextmanager
def _bench(project: Path, data: Path) -> Iterator[tuple[str, int]]:
    """Give the address of a workbench on a table, and its process."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "NICEGUI_"))}
    command = [sys.executable, "-m", "sfumato", "workbench", str(project), "--no-browser", "--data", str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=clean) as served:
        assert served.stdout is not None
        try:
            yield served.stdout.readline().split()[1], served.pid
        finally:
            served.send_signal(signal.SIGINT)
            served.wait(timeout=30)


def _shown(page: Any, address: str, step: str) -> float:
    began = perf_counter()
    page.goto(f"{address}/{step}")
    page.wait_for_function(_THERE)
    return perf_counter() - began


_COUNTED = {"explore": "svg.tiles", "attack": ".three"}
"""What a page shows when a worker has counted what it is about."""


def _pages(page: Any, address: str, steps: tuple[str, ...]) -> None:
    for step in steps:
        first = _shown(page, address, step)
        page.wait_for_selector(_COUNTED.get(step, "h1"))
        again = _shown(page, address, step)
        print(f"{step:<14} first {first:.2f} s, again {again:.2f} s", flush=True)


def _slid(page: Any, project: Path, file: Path) -> None:
    """Move the slider of k, and have the verb count the same on the table as the command line opens it."""
    qids = list(Policy.load(project / "policy.yaml").of_role(Role.QUASI_IDENTIFIER))
    apart = Project(project.parent / "apart")  # the same count as behind the slider, without a page
    apart.take(str(file))
    slid, counted, behind = [], [], []
    for k in range(6, 16):
        slid.append(page.evaluate(_MOVE, [0, k]))
        table = sfumato.read(file)  # nobody has counted on it
        began = perf_counter()
        sfumato.check(table, [{"id": "k-anonymity", "k": k}], qid=qids)
        counted.append(perf_counter() - began)
        began = perf_counter()
        breaking(apart, [{"id": "k-anonymity", "k": k}])
        behind.append(perf_counter() - began)
    middle, verb, inside = (float(np.median(one)) for one in (slid, counted, behind))
    print(f"slider median {middle:.3f} s, longest {max(slid):.3f} s, until the page shows it")
    print(
        f"the count behind it {inside:.4f} s (first {behind[0]:.4f} s), by the verb {verb:.4f} s, ratio {inside / verb:.2f}"
    )


def _opened(browser: Any, folder: Path, rows: int) -> None:
    """Open a large file, and say what reached the page."""
    file = _large(rows, folder)
    began = perf_counter()
    with _bench(folder / "large", file) as (address, pid):
        print(
            f"{rows:,} rows of Parquet, {file.stat().st_size / 1e6:.0f} MB: listening after {perf_counter() - began:.1f} s"
        )
        page = browser.new_page()
        page.set_default_timeout(300_000)
        page.goto(address)
        page.wait_for_function(_THERE)
        held = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True)
        shown = len(page.content())
        print(
            f"data           {perf_counter() - began:.1f} s; {shown / 1e3:.0f} kB of page, {int(held.stdout) / 1e6:.2f} GB held"
        )
        _pages(page, address.partition("/enter")[0], STEPS[:4])


def main() -> None:
    """Print seconds."""
    from playwright.sync_api import sync_playwright

    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rows", type=int, default=100_000)
    asked.add_argument("--large", type=int, default=0)
    given, found = asked.parse_args(), find_browser()
    flags = [
        f"{flag}, EXCLUDE 127.0.0.1" if "resolver" in flag else flag for flag in BROWSER_FLAGS if flag != "--headless"
    ]
    with tempfile.TemporaryDirectory() as place, sync_playwright() as running:
        folder, sandbox = Path(place), os.geteuid() != 0
        browser = running.chromium.launch(executable_path=found, args=flags, chromium_sandbox=sandbox)
        file, began = _table(given.rows, folder), perf_counter()
        with _bench(folder / "project", file) as (address, _):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.set_default_timeout(600_000)
            page.goto(address)
            page.wait_for_function(_THERE)
            print(
                f"{given.rows:,} rows, 15 columns: read, drafted and shown after {perf_counter() - began:.1f} s",
                flush=True,
            )
            inside = address.partition("/enter")[0]
            _pages(page, inside, STEPS[:4])
            _slid(page, folder / "project", file)
            began = perf_counter()
            page.locator("button.btn.main").click()
            page.wait_for_selector(".note.good")
            print(f"searched, written, counted again, attacked: {perf_counter() - began:.1f} s", flush=True)
            _pages(page, inside, STEPS[4:])
        if given.large:
            _opened(browser, folder, given.large)
        browser.close()


if __name__ == "__main__":
    main()
