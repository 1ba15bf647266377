"""``sfumato perturb``: change a table at random so that statistics stay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.arguments import Data, EngineName
from sfumato.cli.main import app

__all__ = ["perturb"]


@app.command()
def perturb(
    data: Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write; its ending says the format.")],
    with_: Annotated[
        list[str],
        typer.Option("--with", help="A perturbation, such as 'rank-swapping column=age p=5'; may be repeated."),
    ],
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Repeats the run; keep it: who knows it can undo noise.")
    ] = None,
    keep_order: Annotated[
        bool, typer.Option("--keep-order", help="Leave rows in the order of the input instead of sorting them.")
    ] = False,
    statement: Annotated[
        Path | None, typer.Option("--statement", help="Also write what may be told about the table, as JSON.")
    ] = None,
    engine: EngineName = None,
) -> None:
    """Perturb columns or draw synthetic records; statistics stay, single records are no longer true."""
    from sfumato.errors import BadRequest
    from sfumato.verbs.perturb import perturb as run

    for name, path in (("--out", out), ("--statement", statement)):
        if path is not None and path.exists():
            raise BadRequest("exists already", parameter=name, value=str(path))
    steps = [_from_text(text) for text in with_]
    made = run(data, steps, seed=seed, row_order="keep" if keep_order else "sort", engine=engine)
    made.table.write(out)
    if statement is not None:
        try:
            statement.write_text(json.dumps(made.statement, indent=2, default=str) + "\n", encoding="utf-8")
        except OSError as error:
            raise BadRequest(
                f"cannot be written ({error.strerror})", parameter="--statement", value=str(statement)
            ) from None
    for step in made.steps:
        for text in step.keeps:
            typer.echo(f"{step.perturbation.id} keeps {text}")
        if step.perturbation.traits.randomness == "not seedable":
            typer.echo(f"{step.perturbation.id}: its noise cannot be seeded, so no run is repeated")
    typer.echo(f"wrote {out}: {made.table.rows:,} records, none of them true of a person")


def _from_text(text: str) -> dict[str, Any]:
    from sfumato.cli.check import requirement_from_text
    from sfumato.errors import BadRequest

    if not text.strip():
        raise BadRequest("must name a perturbation", parameter="--with")
    try:
        return requirement_from_text(text)
    except BadRequest as error:
        raise BadRequest(error.rule, parameter="--with", value=error.value) from None
