"""Whoever runs commands unattended reads one event of JSON a line, and no value of a person in any."""

from __future__ import annotations

import json
from pathlib import Path

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
