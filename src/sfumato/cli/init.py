"""``sfumato init``: draft a policy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson, Data, EngineName, IfThere
from sfumato.cli.documents import show_json
from sfumato.cli.files import refuse_existing, write_text
from sfumato.cli.main import app
from sfumato.cli.sources import reads
from sfumato.cli.texts import show

__all__ = ["init"]


@app.command()
@reads
def init(
    data: Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write the policy.")] = Path("policy.yaml"),
    k: Annotated[int, typer.Option("--k", min=2, help="k of the k-anonymity requirement.")] = 5,
    shape: Annotated[str, typer.Option("--shape", help="Shape of the data, such as transactions.")] = "table",
    engine: EngineName = None,
    if_exists: IfThere = "fail",
    json_form: AsJson = False,
) -> None:
    """Draft a commented policy that runs: roles with reasons, hierarchies, rules for missing values."""
    from sfumato.cli.progress import under_way
    from sfumato.verbs.draft import draft

    refuse_existing(out, if_exists=if_exists, source=data, json_form=json_form)
    with under_way(quiet=json_form) as run:
        text = draft(data, k=k, engine=engine, shape=shape, run=run)
    write_text(out, text)
    if json_form:
        show_json({"policy": out})
        return
    if shape == "desk":
        show(f'wrote {out}; read it, then: sfumato ask {data} "count" --policy {out} --practice')
        return
    show(f"wrote {out}; read it, then: sfumato anonymize {data} --policy {out} -o OUT")
