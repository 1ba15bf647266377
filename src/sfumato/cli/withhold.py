"""``sfumato withhold``: hide single cells, and what else it takes that the rest does not restore them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson, Data
from sfumato.cli.documents import show_json
from sfumato.cli.files import refuse_existing, write_table
from sfumato.cli.main import app
from sfumato.cli.sources import reads
from sfumato.cli.texts import show

__all__ = ["withhold"]


@app.command()
@reads
def withhold(
    data: Data,
    cell: Annotated[
        list[str], typer.Option("--cell", help="A cell to hide, ROW:COLUMN, rows counted from 0; may be repeated.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The file to write; its ending says the format.")
    ] = None,
    support: Annotated[
        int, typer.Option("--support", min=1, help="Fewest records of a rule that one would trust.")
    ] = 2,
    confidence: Annotated[float, typer.Option("--confidence", help="Smallest confidence of such a rule.")] = 0.8,
    size: Annotated[int, typer.Option("--size", min=1, max=5, help="Most cells on the left side of a rule.")] = 2,
    json_form: AsJson = False,
) -> None:
    """Say which further cells must be hidden so that no rule of the rest restores hidden ones; with --out hide them all."""
    from sfumato.data.messages import say, tell
    from sfumato.errors import BadRequest
    from sfumato.recodings.adversarial_mining_suppression import AdversarialMiningSuppression
    from sfumato.recodings.cell_suppression import CellSuppression
    from sfumato.tables.open import open_table

    refuse_existing(out, "--out")
    cells = []
    for text in cell:
        number, colon, column = text.partition(":")
        if not colon or not number.strip().isdigit():
            raise BadRequest(say("page.withhold.cell"), parameter="--cell", value=text)
        cells.append((int(number), column))
    table = open_table(data)
    hiding = AdversarialMiningSuppression(cells=tuple(cells), support=support, confidence=confidence, size=size)
    found = hiding.hide(table)
    if out is not None:
        write_table(CellSuppression(cells=(*cells, *found.extra)).apply(table), out, excel_safe=False)
    if json_form:
        rules = [
            {"cell": rule.cell, "columns": rule.columns, "support": rule.support, "records": rule.records}
            for rule in found.rules_before
        ]
        show_json({"out": out, "rules_before": rules, "extra": found.extra})
        return
    show(tell("page.withhold.found", rules=len(found.rules_before), cells=len(found.extra)))
    for row, name in found.extra:
        show(f"  {row}:{name}")
    if out is not None:
        show(tell("page.withhold.wrote", place=str(out)))
