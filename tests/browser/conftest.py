"""A browser of this machine; nothing is downloaded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from sfumato.reports.pdf import BROWSER_FLAGS, BROWSER_VARIABLE, find_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return a browser of this machine."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = find_browser()
    if found is None:
        pytest.skip(f"no Chromium or Chrome on the path, nor named by {BROWSER_VARIABLE}")
    # No name is ever looked up; the workbench is on loopback.
    flags = [
        f"{flag}, EXCLUDE 127.0.0.1" if "resolver" in flag else flag for flag in BROWSER_FLAGS if flag != "--headless"
    ]
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=found, args=flags, chromium_sandbox=os.geteuid() != 0)
        yield opened
        opened.close()
