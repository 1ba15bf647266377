"""``sfumato pseudonymize``: replace identifiers by keyed names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson, Data, EngineName, ExcelSafe, IfThere
from sfumato.cli.documents import show_json
from sfumato.cli.files import refuse_existing, write_table
from sfumato.cli.main import app
from sfumato.cli.sources import reads
from sfumato.cli.texts import names, show

__all__ = ["pseudonymize"]


@app.command()
@reads
def pseudonymize(
    data: Data,
    columns: Annotated[str, typer.Option("--columns", help="Columns that get pseudonyms, separated by commas.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write; its ending says the format.")],
    key_file: Annotated[
        Path | None, typer.Option("--key-file", help="File with the key: at least 16 random bytes.")
    ] = None,
    key_variable: Annotated[
        str | None, typer.Option("--key-variable", help="Environment variable with the key.")
    ] = None,
    namespace: Annotated[
        str, typer.Option("--namespace", help="Pseudonyms of different namespaces cannot be compared.")
    ] = "",
    keep_format: Annotated[
        bool, typer.Option("--keep-format", help="Digits stay digits and letters stay letters.")
    ] = False,
    engine: EngineName = None,
    excel_safe: ExcelSafe = False,
    if_exists: IfThere = "fail",
    json_form: AsJson = False,
) -> None:
    """Replace identifiers by keyed names: they are the same in every table under one key. This is not anonymization."""
    from sfumato.cli.progress import under_way
    from sfumato.recodings.pseudonymization import Pseudonymization
    from sfumato.tables.open import open_table

    refuse_existing(out, if_exists=if_exists, source=data, json_form=json_form)
    operation = Pseudonymization(
        columns=tuple(names(columns) or ()),
        key_file=None if key_file is None else str(key_file),
        key_variable=key_variable,
        namespace=namespace,
        keep_format=keep_format,
    )
    with under_way(quiet=json_form) as run:
        opened = open_table(data, None, engine, run=run)
        run.stage("pseudonymizing")
        made = operation.pseudonymize(opened)
    write_table(made.table, out, excel_safe=excel_safe)
    if json_form:
        show_json({"out": out, "pseudonyms": made.pseudonyms, "statement": made.statement})
        return
    for name, count in made.pseudonyms.items():
        show(f"column {name!r}: {count:,} pseudonyms")
    show(f"wrote {out}")
    show(made.statement)
