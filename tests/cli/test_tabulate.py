"""``sfumato tabulate``: from a file to a verified folder, and what it refuses."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sfumato.cli.main import run

LINES = ["area,pay", *(f"north,{pay}" for pay in (10, 12, 9)), "south,90", "south,1"]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "data.csv").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sfumato(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["sfumato", *words])
    with pytest.raises(SystemExit) as ended:
        run()
    return int(ended.value.code or 0)


def test_cells_are_left_empty_and_verified(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        "tabulate",
        "data.csv",
        "--by",
        "area",
        "--sum",
        "pay",
        "--dominance",
        "1,80",
        "--min-size",
        "2",
        "--log",
        "log.json",
    ]
    assert sfumato(monkeypatch, *words, "--out", "out") == 0
    said = capsys.readouterr().out
    assert "cells left empty 1" in said
    assert "exactly one empty cell" in said
    assert (data / "out" / "public" / "data.csv").read_text() == "area,Count,Sum\nnorth,3,31\nsouth,,\n"
    assert (data / "log.json").is_file()
    assert sfumato(monkeypatch, "verify", "out") == 0
    assert sfumato(monkeypatch, *words, "--out", "out") == 5  # never overwrites


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--by", "nothing", "--min-size", "2"], "is not a column"),
        (["--by", "area", "--sum", "pay", "--dominance", "2"], "must be N,K"),
        (["--by", "area", "--sum", "pay", "--dominance", "none"], "needs a rule"),
        (["--by", "area", "--min-size", "2", "--overlap", "1"], "log"),
    ],
)
def test_refusals_in_one_line(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    assert sfumato(monkeypatch, "tabulate", "data.csv", *words, "--out", "out") == 2
    said = capsys.readouterr().err
    assert told in said
    assert len(said.splitlines()) == 1
    assert not (data / "out").exists()
