"""Searches on rows stop where they are asked to; the long version for every algorithm is ``stopping.py``."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.catalogue import find
from sfumato.contracts.run import Cancel, Run
from sfumato.errors import Cancelled, Unsupported

sys.path.insert(0, str(Path(__file__).parent))
from stopping import Ending, algorithms, asked, watched, written


class Impatient:
    """Asks for the end when a search begins to tell how far it is, and counts what is told from then on."""

    def __init__(self, cancel: Cancel) -> None:
        self.cancel, self.searching, self.told = cancel, False, 0

    def stage(self, name: str, total: float | None = None) -> None:
        self.searching = name.startswith("searching")

    def tick(self, done: float, note: str = "") -> None:
        if self.searching:
            self.told += 1
            self.cancel.set()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stopping") / "table.parquet"
    written(1500, path)
    return path


@pytest.mark.parametrize("settings", [{}, {"direction": "top-down"}], ids=["bottom-up", "top-down"])
def test_local_recoding_stops_between_portions(table: Path, settings: dict[str, Any]) -> None:
    policy = asked("local-recoding-greedy", table)
    policy["algorithm"] |= settings
    cancel = Cancel()
    watching = Impatient(cancel)
    with pytest.raises(Cancelled):
        sfumato.anonymize(table, policy, run=Run(progress=watching, cancel=cancel))
    assert watching.told == 1


def test_local_recoding_refuses_what_nobody_can_wait_for(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = find("local-recoding-greedy", "algorithm", "table")
    assert one.traits.most_rows == 300_000  # type: ignore[attr-defined]
    monkeypatch.setattr(one, "traits", replace(one.traits, most_rows=1499))  # type: ignore[attr-defined]
    with pytest.raises(Unsupported, match=r"up to 1,499 records, this one has 1,500; .*mondrian"):
        sfumato.anonymize(table, asked(one.id, table))


def test_what_the_trial_tells(table: Path) -> None:
    assert {"mondrian", "local-recoding-greedy"} <= {*algorithms()}
    ended = watched("mondrian", table, 60.0)
    assert ended.how == "ended"
    assert watched("mondrian", table, 0.0, 0.0).how == "did not stop"
    assert ended.fine
    assert not Ending("stopped", 9.0, 5.0).fine
    assert not Ending("refused", 1.0, why="BadRequest: no such column").fine
