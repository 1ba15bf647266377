"""Freed memory goes back to the system when it is asked to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sfumato.engines import unused
from sfumato.engines.unused import give_back


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(unused._trim() is None, reason="C's allocator has no way to give memory back here")
def test_what_was_freed_goes_back() -> None:
    blocks = [bytes([at % 251]) * 60_000 for at in range(2000)]
    last = bytes(60_000 - 1)  # what lies behind the freed blocks keeps the allocator from giving them back by itself
    del blocks
    held = resident()
    give_back()
    assert held - resident() > 60_000_000
    assert len(last) == 59_999


def test_systems_without_it_are_served_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unused, "_trim", lambda: None)
    give_back()
