"""``sfumato check``: judge a table as it stands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson, Data, EngineName
from sfumato.cli.documents import show_json
from sfumato.cli.main import app
from sfumato.cli.sources import reads
from sfumato.cli.texts import columns_of, requirement_from_text, show

__all__ = ["check"]


@app.command()
@reads
def check(
    data: Data,
    policy: Annotated[Path | None, typer.Option("--policy", "-p", help="The policy, YAML or JSON.")] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(
            "--require", "-r", help="A requirement without a policy, such as 'k-anonymity k=5'; may be repeated."
        ),
    ] = None,
    qid: Annotated[
        str | None, typer.Option("--qid", help="Columns an adversary may know, separated by commas.")
    ] = None,
    external: Annotated[
        str | None, typer.Option("--external", help="A population table recoded like the data.")
    ] = None,
    raw: Annotated[
        str | None, typer.Option("--raw", help="The table before masking, for models of prior belief.")
    ] = None,
    weights: Annotated[str | None, typer.Option("--weights", help="Column of sampling weights.")] = None,
    engine: EngineName = None,
    worst: Annotated[int, typer.Option("--worst", min=0, help="How many violating groups to list.")] = 5,
    json_form: AsJson = False,
) -> None:
    """Judge a table as it stands; exit code 0 if all requirements hold, 1 if not. Values are never printed."""
    from sfumato.cli.progress import under_way
    from sfumato.errors import BadRequest
    from sfumato.policy import SharedPolicy
    from sfumato.reports.text import masked_group, verdict_line
    from sfumato.tables.open import open_table
    from sfumato.tables.policy import Policy
    from sfumato.verbs.check import check as judge
    from sfumato.verbs.check import open_judged

    if policy is None and not require:
        raise BadRequest("give a policy or requirements", parameter="check", available=["--policy", "--require"])
    asked = SharedPolicy.load(policy) if policy is not None else None
    wanted = [requirement_from_text(text) for text in require] if require else None
    known = columns_of(qid)
    with under_way(quiet=json_form) as run:
        tabular = asked is None or isinstance(asked, Policy)
        plain = asked if isinstance(asked, Policy) else None
        table = open_judged(data, wanted, plain, known, engine, run=run) if tabular else None
        judgement = judge(
            data if table is None else table,
            wanted,
            policy=asked,
            qid=known,
            external=None if external is None else open_table(external, None, engine, run=run.part()),
            raw=None if raw is None else open_table(raw, None, engine, run=run.part()),
            weights=weights,
            worst=worst,
            run=run,
        )
    if json_form:
        verdicts = [verdict.document() for verdict in judgement]
        show_json({"satisfied": judgement.satisfied, "verdicts": verdicts})
    else:
        for verdict in judgement:
            show(verdict_line(verdict))
            common = (
                {} if table is None else {name: table.dictionary(name) for name in verdict.qid if verdict.violations}
            )
            for violation in verdict.violations:
                show(f"  {masked_group(verdict, violation, common)}")
    raise typer.Exit(0 if judgement else 1)
