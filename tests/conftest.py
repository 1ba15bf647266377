"""What every test shares: how many random examples are drawn, whether they repeat themselves, no limit on their time.

Three profiles, chosen by ``--hypothesis-profile``: ``sfumato`` draws the same examples every time, a third of what a test
says, because the same ones find nothing new; ``quick`` draws few of them; ``nightly`` draws ten times as many as a test says,
fresh ones, and prints how to draw a failing one again. What is marked ``nightly`` (experiments at full size) runs
with that profile only; a sample of it stands beside it, for every day.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest
import typer.main
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).resolve().parent
FACTORS = {"sfumato": 1 / 3, "quick": 0.1, "nightly": 10.0}

for name in FACTORS:
    settings.register_profile(
        name,
        derandomize=name != "nightly",
        deadline=None,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("sfumato")

# A test that starts an interpreter finds what the one before it compiled, even where it may not be kept beside the source.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(TESTS.parent / "build" / "pycache"))

# Two workers on two cores: threads of the one would only wait for those of the other, thousands of times for a few rows.
if "PYTEST_XDIST_WORKER" in os.environ:
    for threads in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(threads, "1")

# Sixty commands are made from their signatures once, not again for every call inside this process.
built = cache(lambda app, registered, made=typer.main.get_command: made(app))
typer.main.get_command = lambda app: built(app, (len(app.registered_commands), len(app.registered_groups)))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave what runs at night to the night; begin with what takes long; scale the number of examples of every test."""
    profile = config.getoption("--hypothesis-profile") or "sfumato"
    if profile != "nightly":
        long = [item for item in items if item.get_closest_marker("nightly") is not None]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]
    # What takes long begins first, so that in the end no worker waits for the other.
    listed = {TESTS / name: place for place, name in enumerate((TESTS / "longest_files.txt").read_text().split())}
    marked = {item.path for item in items if item.get_closest_marker("slow") is not None}
    items.sort(key=lambda item: listed.get(item.path, len(listed) + (item.path not in marked)))
    factor = FACTORS.get(profile, 1.0)
    for item in items:
        drawn = getattr(item, "obj", None)
        own = getattr(drawn, "_hypothesis_internal_use_settings", None)
        if own is not None and not getattr(drawn, "scaled", False):
            function = getattr(drawn, "__func__", drawn)
            function._hypothesis_internal_use_settings = settings(
                own, max_examples=max(3, round(own.max_examples * factor))
            )
            function.scaled = True  # one function stands behind all its parameters
