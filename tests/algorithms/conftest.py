"""What tests of algorithms share: the way of a table through the commands."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

Commands = Callable[[Sequence[str], Sequence[Sequence[Any]], dict[str, Any]], Path]


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """Write a table and a policy, run ``sfumato anonymize`` and ``sfumato verify`` on them, and return the release folder."""

    def through(columns: Sequence[str], rows: Sequence[Sequence[Any]], policy: dict[str, Any]) -> Path:
        from sfumato.cli.main import run

        with (tmp_path / "data.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([columns, *rows])
        YAML().dump(policy, tmp_path / "policy.yaml")
        monkeypatch.chdir(tmp_path)
        for words in (["anonymize", "data.csv", "--policy", "policy.yaml", "--out", "out"], ["verify", "out"]):
            monkeypatch.setattr(sys, "argv", ["sfumato", *words])
            with pytest.raises(SystemExit) as ended:
                run()
            assert not ended.value.code
        return tmp_path / "out"

    return through
