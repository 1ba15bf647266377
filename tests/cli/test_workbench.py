"""``sfumato workbench``: what is wrong is said before anything listens."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sfumato.cli.main import app
from sfumato.errors import BadRequest

pytest.importorskip("nicegui", reason="NiceGUI is not installed")


def test_bad_requests(tmp_path: Path) -> None:
    from sfumato.cli import commands  # noqa: F401  (importing registers the commands)

    (tmp_path / "file").write_text("x")
    (tmp_path / "empty.csv").write_text("")
    run = CliRunner()
    for wrong in (["--port", "99999"], ["--data", "no.csv"], ["--port", "x"]):
        assert run.invoke(app, ["workbench", str(tmp_path / "p"), "--no-browser", *wrong]).exit_code == 2
    for place, more in (("file", []), ("p", ["--data", str(tmp_path / "empty.csv")])):
        found = run.invoke(app, ["workbench", str(tmp_path / place), "--no-browser", *more])
        assert isinstance(found.exception, BadRequest)
    assert "--data" in run.invoke(app, ["workbench", "--help"]).output


def test_whoever_is_told_the_address_may_ask_at_once(tmp_path: Path) -> None:
    """The address is printed before pages are drawn; a browser that is quicker waits, and is not turned away."""
    asked = (
        "import socket, sys\n"
        "from sfumato.web.app import Workbench\n"
        "from sfumato.web.project import Project\n"
        "bench = Workbench(Project(sys.argv[1]))\n"
        "socket.create_connection(('127.0.0.1', bench.port), timeout=5).close()\n"
    )
    subprocess.run([sys.executable, "-c", asked, str(tmp_path / "p")], check=True, timeout=120)
