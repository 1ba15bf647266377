"""Where the public tables are, if this machine has them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sfumato.datasets.cache import find_file

BESIDE_THE_REPOSITORY = Path(__file__).resolve().parents[2].parent / "shared" / "data"


@pytest.fixture
def public_data(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point the loaders to a folder with Adult, German and crx, or skip."""
    folder = Path(os.environ.get("SFUMATO_DATA") or BESIDE_THE_REPOSITORY)
    monkeypatch.setenv("SFUMATO_DATA", str(folder))
    wanted = {"adult.data": "adult", "adult.test": "adult", "german.data": "german", "crx.data": "crx"}
    absent = [file for file, dataset in wanted.items() if find_file(dataset, file) is None]
    if absent:
        pytest.skip(f"{', '.join(absent)} not on this machine; set SFUMATO_DATA to the folder of the public tables")
    return folder


@pytest.fixture
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Point the loaders to a folder without any file."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("SFUMATO_DATA", str(folder))
    return folder
