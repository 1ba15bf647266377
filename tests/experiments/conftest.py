"""Where the public tables are, if this machine has them, and scikit-learn."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sfumato.catalogue import build
from sfumato.datasets.cache import find_file
from sfumato.experiments.result import ExperimentResult

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


class Notes:
    """What a run tells while it goes on."""

    def __init__(self) -> None:
        self.told: list[tuple[float, str]] = []
        self.stages: list[str] = []

    def stage(self, name: str, total: float | None = None) -> None:
        self.stages.append(name)

    def tick(self, done: float, note: str = "") -> None:
        self.told.append((done, note))


@pytest.fixture
def quick() -> Callable[[str], ExperimentResult]:
    """Run an experiment in its quick form and check what all of them promise: once, whoever looks further at it."""

    def run(name: str) -> ExperimentResult:
        watched = Notes()
        result = build(name, "experiment").run(progress=watched, quick=True)
        assert result.claims
        assert result.series()
        assert "<svg" in result.to_svg()
        assert "default options; this run had" in result.deviations[0]
        assert any(": " in note for _, note in watched.told)  # what was found is told as soon as it is
        return result

    return run
