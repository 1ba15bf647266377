"""``sfumato check``: judge a table as it stands."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from sfumato.cli.arguments import Data, EngineName, PolicyFile
from sfumato.cli.main import app

__all__ = ["check"]


@app.command()
def check(
    data: Data,
    policy: PolicyFile,
    engine: EngineName = None,
    worst: Annotated[int, typer.Option("--worst", min=0, help="How many violating groups to list.")] = 5,
    json_form: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Judge a table by the requirements of a policy; exit code 0 if all hold, 1 if not. Values are never printed."""
    from sfumato.policy import Policy
    from sfumato.reports.text import masked_group, verdict_line
    from sfumato.verbs.check import check as judge
    from sfumato.verbs.opening import open_table

    asked = Policy.load(policy)
    table = open_table(data, asked, engine)
    judgement = judge(table, policy=asked, worst=worst)
    if json_form:
        shown = [asdict(verdict) for verdict in judgement]
        for entry in shown:
            for violation in entry["violations"]:
                del violation["group"]
        typer.echo(json.dumps({"satisfied": judgement.satisfied, "verdicts": shown}, indent=1))
    else:
        for verdict in judgement:
            typer.echo(verdict_line(verdict))
            common = {name: table.dictionary(name) for name in verdict.qid} if verdict.violations else {}
            for violation in verdict.violations:
                typer.echo(f"  {masked_group(verdict, violation, common)}")
    raise typer.Exit(0 if judgement else 1)
