"""Where the public tables are, if this machine has them, and scikit-learn."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sfumato.datasets.cache import find_file

BESIDE_THE_REPOSITORY = Path(__file__).resolve().parents[2].parent / "shared" / "data"


@pytest.fixture(scope="session")
def public_data() -> Path:
    """Point the loaders to a folder with Adult, German and crx, or skip."""
    pytest.importorskip("sklearn", reason="scikit-learn is not installed (pip install sfumato[experiments])")
    folder = Path(os.environ.get("SFUMATO_DATA") or BESIDE_THE_REPOSITORY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SFUMATO_DATA", str(folder))
        wanted = {"adult.data": "adult", "adult.test": "adult", "german.data": "german", "crx.data": "crx"}
        absent = [file for file, dataset in wanted.items() if find_file(dataset, file) is None]
    if absent:
        pytest.skip(f"{', '.join(absent)} not on this machine; set SFUMATO_DATA to the folder of the public tables")
    return folder


@pytest.fixture(autouse=True)
def data_folder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set SFUMATO_DATA for the tests that need the tables, and only while they run."""
    if "public_data" in request.fixturenames:
        monkeypatch.setenv("SFUMATO_DATA", str(request.getfixturevalue("public_data")))
