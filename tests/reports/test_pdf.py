"""A page as PDF: by whatever this machine has, and a clear word where it has nothing."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

from sfumato.contracts.published import Release
from sfumato.errors import Unsupported
from sfumato.reports import pdf
from sfumato.reports.html import report_page


@pytest.fixture
def unprinted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide WeasyPrint."""
    honest = builtins.__import__

    def without(name: str, *arguments: Any, **more: Any) -> Any:
        if name == "weasyprint":
            raise ImportError(name)
        return honest(name, *arguments, **more)

    monkeypatch.setattr(builtins, "__import__", without)


def test_weasyprint_draws_the_page(sampled: Release, tmp_path: Path) -> None:
    try:
        import weasyprint  # noqa: F401
    except (ImportError, OSError):
        pytest.skip("WeasyPrint is not installed")
    assert pdf.write_pdf(report_page(sampled, sampled.certificate), tmp_path / "r.pdf") == "WeasyPrint"
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF-")


@pytest.mark.browser
def test_a_browser_prints_the_page(unprinted: None, sampled: Release, tmp_path: Path) -> None:
    if pdf.find_browser() is None:
        pytest.skip("no Chromium or Chrome on this machine")
    made = pdf.write_pdf(report_page(sampled, sampled.certificate), tmp_path / "r.pdf")
    assert "chrom" in made.lower() or "edge" in made.lower()
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF-")


def test_without_either_it_is_said_what_to_install(
    unprinted: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(pdf.BROWSER_VARIABLE, raising=False)
    with pytest.raises(Unsupported, match=r"WeasyPrint .* Chromium or Chrome"):
        pdf.write_pdf("<p>x</p>", tmp_path / "r.pdf")
    assert not (tmp_path / "r.pdf").exists()


def test_a_browser_that_fails_leaves_nothing(unprinted: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv(pdf.BROWSER_VARIABLE, str(broken))
    with pytest.raises(Unsupported, match="broken made no PDF"):
        pdf.write_pdf("<p>x</p>", tmp_path / "r.pdf")
    assert not (tmp_path / "r.pdf").exists()
