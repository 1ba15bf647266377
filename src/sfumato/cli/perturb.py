"""``sfumato perturb``: change a table at random so that statistics stay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson, Data, EngineName, ExcelSafe
from sfumato.cli.documents import show_json
from sfumato.cli.files import refuse_existing, write_table, write_text
from sfumato.cli.main import app, said
from sfumato.cli.sources import reads
from sfumato.cli.texts import show, thing_from_text

__all__ = ["perturb"]


@app.command()
@reads
def perturb(
    data: Data,
    with_: Annotated[
        list[str],
        typer.Option("--with", help="A perturbation, such as 'rank-swapping column=age p=5'; may be repeated."),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The file to write; its ending says the format.")
    ] = None,
    release: Annotated[
        Path | None,
        typer.Option("--release", help="Make a release folder with certificate and report, instead or as well."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Repeats the run; keep it: who knows it can undo noise.")
    ] = None,
    keep_order: Annotated[
        bool, typer.Option("--keep-order", help="Leave rows in the order of the input instead of sorting them.")
    ] = False,
    statement: Annotated[
        Path | None, typer.Option("--statement", help="Also write what may be told about the table, as JSON.")
    ] = None,
    ledger: Annotated[
        str | None,
        typer.Option("--ledger", help="The ledger that remembers versions of multilevel-perturbation, with --series."),
    ] = None,
    series: Annotated[
        str | None, typer.Option("--series", help="What the ledger calls the versions of this table.")
    ] = None,
    engine: EngineName = None,
    excel_safe: ExcelSafe = False,
    json_form: AsJson = False,
) -> None:
    """Perturb columns or draw synthetic records; statistics stay, single records are no longer true."""
    from sfumato.cli.progress import under_way
    from sfumato.contracts.run import fresh_seed
    from sfumato.errors import BadRequest
    from sfumato.reports.kind_text import print_kind
    from sfumato.verbs.perturb import perturb as perturbed
    from sfumato.verbs.publish import publish
    from sfumato.verbs.release import certified_perturbation, perturbation_facts

    if out is None and release is None:
        raise BadRequest("say where to write", parameter="perturb", available=["--out", "--release"])
    for name, path in (("--out", out), ("--release", release), ("--statement", statement)):
        refuse_existing(path, name)
    if release is not None and keep_order:
        raise BadRequest(
            "a release is sorted: the order of the input can tell whose record is where", parameter="--keep-order"
        )
    steps = [thing_from_text(text, "--with") for text in with_]
    chosen = fresh_seed() if seed is None else seed
    with under_way(quiet=json_form) as run:
        order = "keep" if keep_order else "sort"
        made = perturbed(
            data, steps, seed=chosen, row_order=order, engine=engine, ledger=ledger, series=series, run=run
        )
        certified = None if release is None else certified_perturbation(made, facts=perturbation_facts(made, chosen))
        if certified is not None and release is not None:
            publish(certified, release, input_path=data, excel_safe=excel_safe, run=run)
    if out is not None:
        write_table(made.table, out, excel_safe=excel_safe)
    if statement is not None:
        write_text(statement, json.dumps(made.statement, indent=2, default=str) + "\n", "--statement")
    if json_form:
        show_json({"out": out, "release": release, "rows": made.table.rows, "statement": made.statement})
        return
    for step in made.steps:
        for text in step.keeps:
            show(f"{step.perturbation.id} keeps {text}")
        if step.perturbation.traits.randomness == "not seedable":
            show(f"{step.perturbation.id}: its noise cannot be seeded, so no run is repeated")
    if out is not None:
        show(f"wrote {out}: {made.table.rows:,} records, none of them true of a person")
    if certified is not None and release is not None:
        print_kind(certified, release, said())
