"""``sfumato apply``: recode another table as a release was recoded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson, Data, ExcelSafe, IfThere
from sfumato.cli.documents import show_json
from sfumato.cli.files import refuse_existing, write_table
from sfumato.cli.main import app
from sfumato.cli.sources import reads
from sfumato.cli.texts import show

__all__ = ["apply"]


@app.command()
@reads
def apply(
    recoding: Annotated[Path, typer.Argument(help="A release folder, or its private part.")],
    data: Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write; its ending says the format.")],
    unknown: Annotated[
        str,
        typer.Option(
            "--unknown", help="Values without a place: declared, refuse, root (most general), or nearest (box)."
        ),
    ] = "declared",
    excel_safe: ExcelSafe = False,
    if_exists: IfThere = "fail",
    json_form: AsJson = False,
) -> None:
    """Apply a learned recoding to another table: recount, and say whether the requirement still holds (exit code 0 or 1)."""
    from sfumato.cli.progress import under_way
    from sfumato.data.words import counted
    from sfumato.reports.text import verdict_line
    from sfumato.verbs.apply import apply as applied_to

    refuse_existing(out, if_exists=if_exists, source=data, json_form=json_form)
    with under_way(quiet=json_form) as run:
        applied = applied_to(recoding, data, unknown=unknown, run=run)
    write_table(applied.table, out, excel_safe=excel_safe)
    if json_form:
        verdicts = [verdict.document() for verdict in applied.verdict]
        show_json(
            {
                "out": out,
                "satisfied": bool(applied.verdict),
                "verdicts": verdicts,
                "new_values": applied.outside,
                "left_out": applied.left_out,
            }
        )
        raise typer.Exit(0 if applied.verdict else 1)
    for name, count in applied.outside.items():
        show(f"column {name!r}: {counted(count, 'record holds', 'records hold')} values that are new to the recoding")
    if applied.left_out:
        show(
            f"{counted(applied.left_out, 'record is', 'records are')} left out, because the release left such groups out"
        )
    for verdict in applied.verdict:
        show(verdict_line(verdict))
    show(f"wrote {out}" + ("" if applied.verdict else "; do not publish it: a requirement fails"))
    raise typer.Exit(0 if applied.verdict else 1)
