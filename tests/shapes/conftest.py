"""A shape of another distribution, plugged in for every test of this folder."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sfumato import catalogue

PLUGIN = Path(__file__).parent / "plugin"


def _forget() -> None:
    for known in (catalogue._wings, catalogue._files, catalogue._things_of_file, catalogue._room):
        known.cache_clear()
    for name in [name for name in sys.modules if name.split(".")[0] == "toy_lists"]:
        del sys.modules[name]
    importlib.invalidate_caches()


@pytest.fixture(autouse=True)
def plugged(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put the other distribution on the path, as an installer would, and forget it afterwards."""
    monkeypatch.syspath_prepend(str(PLUGIN))
    _forget()
    yield
    monkeypatch.undo()
    _forget()
