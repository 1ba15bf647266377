"""``sfumato detect``: which columns name a person, and what the Safe Harbor rule says of a table."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.arguments import AsJson, Data, EngineName
from sfumato.cli.main import app
from sfumato.cli.sources import reads
from sfumato.cli.texts import columns_of, show

if TYPE_CHECKING:
    from sfumato.identifiers.scan import Detection
    from sfumato.verbs.safe_harbor import SafeHarbor

__all__ = ["detect"]


@app.command()
@reads
def detect(
    data: Data,
    country: Annotated[
        str | None, typer.Option("--country", help="Numbers of these countries only, such as US,DE; all by default.")
    ] = None,
    columns: Annotated[str | None, typer.Option("--columns", help="These columns only, separated by commas.")] = None,
    safe_harbor: Annotated[
        bool, typer.Option("--safe-harbor", help="Judge by the eighteen categories of HIPAA; exit code 1 if found.")
    ] = False,
    year: Annotated[
        int | None, typer.Option("--year", help="With --safe-harbor: the year to reckon ages from; this year.")
    ] = None,
    zips: Annotated[
        str | None,
        typer.Option("--zips", help="With --safe-harbor: a CSV file with zip3 and population; census-2000."),
    ] = None,
    engine: EngineName = None,
    json_form: AsJson = False,
) -> None:
    """Find columns that name a person, by name and by content: e-mail, telephone, checksummed numbers. Prints no value."""
    from sfumato.cli.progress import under_way
    from sfumato.engines.found import open_found
    from sfumato.errors import BadRequest
    from sfumato.identifiers.small_zips import DEFAULT_ZIPS
    from sfumato.verbs.detect import detect as detected
    from sfumato.verbs.safe_harbor import safe_harbor as judge

    if year is not None and not safe_harbor:
        raise BadRequest("is for --safe-harbor", parameter="--year", value=year)
    if zips is not None and not safe_harbor:
        raise BadRequest("is for --safe-harbor", parameter="--zips", value=zips)
    if safe_harbor and (country is not None or columns is not None):
        raise BadRequest("looks at the whole table for all countries", parameter="--safe-harbor")
    with under_way(quiet=json_form) as run:
        run.stage("reading")
        opened = open_found(data, engine, memory=run.memory).table
        if safe_harbor:
            judged = judge(opened, year=year, zips=zips or DEFAULT_ZIPS, run=run)
        else:
            found = detected(opened, countries=country, columns=columns_of(columns), run=run)
    if safe_harbor:
        if json_form:
            show(json.dumps({"nothing_found": bool(judged), **asdict(judged)}, indent=1))
        else:
            _print_safe_harbor(f"{data}: {opened.rows:,} rows", judged)
        raise typer.Exit(0 if judged else 1)
    if json_form:
        show(json.dumps([asdict(one) for one in found], indent=1))
    else:
        _print_found(f"{data}: {opened.rows:,} rows, {len(opened.columns)} columns", found)


def _print_found(title: str, found: list[Detection]) -> None:
    from sfumato.reports.text import print_table

    if not found:
        show(f"{title}: no identifier was recognised; that does not mean that there is none")
        return
    print_table(
        title,
        ["column", "identifier", "records", "HIPAA", "suggested role", "because"],
        [[one.column, one.identifier, f"{one.records:.1%}", one.category, str(one.role), one.reason] for one in found],
    )
    show("next: sfumato detect DATA --safe-harbor, or sfumato init DATA -o policy.yaml")


def _print_safe_harbor(title: str, judged: SafeHarbor) -> None:
    from sfumato.reports.text import print_table

    print_table(
        f"{title}, judged by 45 CFR 164.514(b)(2)",
        ["", "category", "answer", "columns", "because"],
        [[c.category, c.title, c.state, ", ".join(c.columns), "; ".join(c.reasons)] for c in judged.categories],
    )
    count = len(judged.found)
    show(
        f"found in {count} of 18 categories" if count else "nothing was found in the categories that a machine can see"
    )
    show(f"years of birth were compared with {judged.year}; ZIP prefixes with {judged.zips}")
    show("whether what is left could identify somebody to those who know more is for a person to judge")
