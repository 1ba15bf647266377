"""``sfumato datasets``: write one of the known tables to a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson
from sfumato.cli.documents import show_json
from sfumato.cli.files import refuse_existing
from sfumato.cli.main import app
from sfumato.cli.texts import show

__all__ = ["datasets"]


@app.command()
def datasets(
    name: Annotated[str | None, typer.Argument(help="Which table; without it, they are listed.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The CSV file to write; the folder of a series.")
    ] = None,
    rows: Annotated[
        int,
        typer.Option(
            "--rows", min=1, help="Rows of the hospital, or of its first month; customers; persons of a network; notes."
        ),
    ] = 1000,
    persons: Annotated[int, typer.Option("--persons", min=1, help="Persons of the invented city.")] = 1000,
    days: Annotated[int, typer.Option("--days", min=1, help="Days in the invented city.")] = 1,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of what is invented.")] = 7,
    months: Annotated[int, typer.Option("--months", min=1, help="How many months of hospital-months.")] = 12,
    joins: Annotated[float, typer.Option("--joins", help="Share of the first month that joins each month.")] = 0.1,
    leaves: Annotated[float, typer.Option("--leaves", help="Share of those present that leaves each month.")] = 0.1,
    changes: Annotated[
        float, typer.Option("--changes", help="Share of those who stay that moves or gets another diagnosis.")
    ] = 0.02,
    part: Annotated[
        str, typer.Option("--part", help="Templates and names of notes: all, or those of train or test alone.")
    ] = "all",
    model: Annotated[
        str, typer.Option("--model", help="Who is linked in a network: preferential, rmat or communities.")
    ] = "preferential",
    download: Annotated[bool, typer.Option("--download", help="Let pip fetch a public table into the cache.")] = False,
    json_form: AsJson = False,
) -> None:
    """Write a known table as CSV: the papers' examples, invented hospitals, baskets, paths and notes, Adult, German, CRX."""
    from sfumato import datasets as known
    from sfumato.datasets import Dataset
    from sfumato.errors import BadRequest

    makers: dict[str, Callable[[], Dataset | tuple[Dataset, ...]]] = {
        "hospital": lambda: known.hospital(rows, seed=seed),
        "hospital-months": lambda: known.hospital_months(
            rows, seed, months=months, joins=joins, leaves=leaves, changes=changes
        ),
        "hospital-tables": lambda: known.hospital_tables(rows, seed),
        "baskets": lambda: known.baskets(rows, seed=seed),
        "searches": lambda: known.searches(rows, seed=seed),
        "city": lambda: known.city(persons, days, seed=seed),
        "network": lambda: known.network(rows, seed=seed, model=model),
        "notes": lambda: known.notes(rows, seed=seed, part=part),
        "patients": known.patients,
        "education-work": known.education_work,
        "education-work-example5": known.education_work_example5,
        "adult": lambda: known.adult(download=download),
        "german": lambda: known.german(download=download),
        "crx": lambda: known.crx(download=download),
    }
    if name is None:
        show_json(list(makers)) if json_form else show("\n".join(makers))
        return
    if name not in makers:
        raise BadRequest("is not a known table", parameter="name", value=name, available=makers)
    target = out or Path(name if name in ("hospital-months", "hospital-tables") else f"{name}.csv")
    refuse_existing(target)
    made = makers[name]()
    files = {target: made} if isinstance(made, Dataset) else {target / f"{one.name}.csv": one for one in made}
    try:
        if not isinstance(made, Dataset):
            target.mkdir(parents=True)
        for file, table in files.items():
            table.write_csv(file)
    except OSError as error:
        raise BadRequest(f"cannot be written ({error.strerror})", parameter="--out", value=str(target)) from None
    if json_form:
        told = {file.name: len(table) for file, table in files.items()}
        show_json({"out": target, "rows": len(made)} if isinstance(made, Dataset) else {"out": target, "files": told})
        return
    for file, table in files.items():
        show(f"wrote {file}: {len(table):,} rows")
