"""``sfumato profile``: what a table holds, column by column."""

from __future__ import annotations

from sfumato.cli.arguments import AsJson, Data, Encoding, EngineName, Separator, Sheet, TableName
from sfumato.cli.main import app
from sfumato.cli.texts import show

__all__ = ["profile"]


@app.command()
def profile(
    data: Data,
    engine: EngineName = None,
    separator: Separator = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    table: TableName = None,
    json_form: AsJson = False,
) -> None:
    """Show what every column holds: type, distinct values, missing ones, uniqueness, and a suggested role."""
    import json
    from dataclasses import asdict

    from sfumato.cli.progress import under_way
    from sfumato.engines import read
    from sfumato.reports.text import print_table
    from sfumato.verbs.profile import profile as profiled

    with under_way(quiet=json_form) as run:
        run.stage("reading")
        opened = read(data, engine=engine, separator=separator, encoding=encoding, sheet=sheet, table=table)
        columns = profiled(opened, run=run)
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
