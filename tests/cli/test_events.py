"""Whoever runs commands unattended reads one event of JSON a line, and no value of a person in any."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sfumato.cli import commands  # noqa: F401  (importing registers the commands)
from sfumato.cli.main import app


def test_every_line_is_an_event(tmp_path: Path) -> None:
    data = tmp_path / "x.csv"
    data.write_text("age,ill\n" + "\n".join(f"{30 + at % 3},ill-{at % 2}" for at in range(30)) + "\n", "utf-8")
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "columns: {age: {role: quasi-identifier}, ill: {role: plain}}\nrequirements: [{id: k-anonymity, k: 2}]\n",
        "utf-8",
    )
    out = str(tmp_path / "out")
    done = CliRunner().invoke(app, ["--log-format", "json", "anonymize", str(data), "-p", str(policy), "-o", out])
    assert done.exit_code == 0, done.output
    told = [json.loads(line) for line in done.stderr.splitlines()]
    assert {"reading", "done"} <= {one.get("stage") for one in told}
    assert all(one["event"] in ("stage", "progress", "warning") and one["memory"] > 0 for one in told)
    assert "ill-" not in done.stderr
    again = CliRunner().invoke(app, ["--log-format", "yaml", "describe"])
    assert again.exit_code == 2


@pytest.mark.parametrize(("end", "code"), [("sys.exit(130)", 130), ("sys.exit(143)", 143), ("1 // 0", 70)])
def test_an_end_before_the_end_is_an_event(end: str, code: int) -> None:
    """What a signal ends, and what nobody foresaw, is told in the form that was asked for."""
    start = "import sys\nfrom sfumato.cli import events, main\n"
    script = f"{start}main.app = lambda: (events.ask(wanted=True), {end})\nmain.run()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == code
    told = json.loads(done.stderr)
    assert (told["event"], told["exit_code"]) == ("error", code)
