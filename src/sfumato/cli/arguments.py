"""Arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

__all__ = [
    "AsJson",
    "BudgetNames",
    "Data",
    "EngineName",
    "ExcelSafe",
    "IfThere",
    "Language",
    "LedgerFile",
    "LedgerKey",
    "LedgerPlace",
    "Master",
    "OutputFormat",
    "PolicyFile",
    "Quiet",
    "ReleaseFolder",
    "SeriesName",
    "ToAddress",
    "ToTable",
]

Data = Annotated[
    str,
    typer.Argument(
        help="A file (CSV, TSV, Parquet, Arrow, JSON lines, Excel, SQLite, SPSS, Stata, SAS) or postgresql:// address."
    ),
]
PolicyFile = Annotated[Path, typer.Option("--policy", "-p", help="The policy, YAML or JSON.")]
EngineName = Annotated[
    str | None,
    typer.Option("--engine", help="Where rows live: polars (in memory), duckdb (larger than memory) or spark."),
]
Master = Annotated[
    str | None, typer.Option("--master", help="Where Spark runs, with --engine spark: local[2], spark://host:7077.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Language = Annotated[str, typer.Option("--language", help="Language of the pages: en, or another there are words in.")]
ExcelSafe = Annotated[
    bool, typer.Option("--excel-safe", help="Put an apostrophe before texts in CSV that a spreadsheet would compute.")
]
ReleaseFolder = Annotated[Path, typer.Option("--out", "-o", help="The new release folder.")]
IfThere = Annotated[
    Literal["fail", "skip", "replace"],
    typer.Option("--if-exists", help="If OUT is there already: end with exit code 5, leave it, or replace it."),
]
ToAddress = Annotated[
    str | None,
    typer.Option("--to", help="Also write the release to a table of this postgresql:// address; no password in it."),
]
ToTable = Annotated[str | None, typer.Option("--to-table", help="The table that --to writes, as schema.name.")]
OutputFormat = Annotated[str | None, typer.Option("--format", help="Format of the release; the input's if not given.")]
LedgerPlace = Annotated[
    str | None,
    typer.Option("--ledger", help="The ledger that remembers the release: a file, or a postgresql:// address."),
]
LedgerFile = Annotated[str, typer.Argument(metavar="LEDGER", help="The ledger: a file, or a postgresql:// address.")]
LedgerKey = Annotated[
    Path | None, typer.Option("--key", "-k", help="File of the ledger's key; LEDGER.key, or SFUMATO_LEDGER_KEY.")
]
BudgetNames = Annotated[
    list[str] | None, typer.Option("--budget", help="A budget of the ledger that pays for noise; can be repeated.")
]
SeriesName = Annotated[
    str | None, typer.Option("--series", help="The series that the release is one of, as the ledger calls it.")
]
