"""``sfumato profile``: what a table holds, column by column."""

from __future__ import annotations

from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson, Data, EngineName
from sfumato.cli.main import app
from sfumato.cli.sources import reads
from sfumato.cli.texts import show

__all__ = ["profile"]


@app.command()
@reads
def profile(
    data: Data,
    shape: Annotated[str, typer.Option("--shape", help="Shape of the data, such as transactions.")] = "table",
    engine: EngineName = None,
    json_form: AsJson = False,
) -> None:
    """Show what every column holds: type, distinct values, missing ones, uniqueness, and a suggested role."""
    import json
    from dataclasses import asdict

    from sfumato.catalogue import TABLE, shape_of
    from sfumato.cli.progress import under_way
    from sfumato.engines.found import open_found
    from sfumato.reports.text import print_table
    from sfumato.verbs.profile import profile as profiled

    if shape != TABLE:
        with under_way(quiet=json_form) as run:
            said = shape_of(shape).profile(data, run)
        show(json.dumps([str(one) for one in said], indent=1) if json_form else "\n".join(said))
        return
    with under_way(quiet=json_form) as run:
        run.stage("reading")
        found = open_found(data, engine, memory=run.memory)
        opened, columns = found.table, profiled(found.table, run=run)
    for note in found.notes:
        show(f"read: {note}", err=True)
    if json_form:
        show(json.dumps([asdict(column) for column in columns], indent=1))
        return
    print_table(
        f"{data}: {opened.rows:,} rows, {len(columns)} columns",
        ["column", "type", "distinct", "missing", "unique", "suggested role", "because"],
        [
            [c.name, str(c.type), f"{c.distinct:,}", f"{c.missing:,}", f"{c.unique:.0%}", str(c.role), c.reason]
            for c in columns
        ],
    )
    show("next: sfumato init DATA -o policy.yaml")
