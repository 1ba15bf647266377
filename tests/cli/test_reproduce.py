"""``sfumato reproduce``: what is measured is kept and told as it comes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sfumato.cli.progress import Journal
from sfumato.contracts.progress import Silent
from sfumato.errors import BadRequest, Cancelled


def test_a_journal_keeps_what_was_found_and_prints_it_without_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    journal = Journal(Silent(), tmp_path / "out" / "partial.txt")
    journal.stage("masking", 2)
    journal.tick(0, "k=20")
    assert not journal.file.exists()
    journal.tick(1, "k=20: AE 15.1")
    journal.tick(1, "k=60")
    journal.tick(2, "k=60: AE 16.0")
    assert journal.file.read_text().splitlines() == ["masking, 1 of 2: k=20: AE 15.1", "masking, 2 of 2: k=60: AE 16.0"]
    assert capsys.readouterr().err.splitlines() == ["masking", *journal.file.read_text().splitlines()]


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("in the way")
    with pytest.raises(BadRequest, match="cannot be written"):
        Journal(Silent(), tmp_path / "out" / "partial.txt").tick(1, "k=20: AE 15.1")


def test_who_interrupts_is_told_what_was_kept() -> None:
    assert str(Cancelled(kept="what was measured is in x")) == "interrupted: what was measured is in x"
    assert str(Cancelled("deadline")) == "the time that was given is over: nothing was written"
