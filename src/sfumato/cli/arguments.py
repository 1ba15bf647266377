"""Arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

__all__ = [
    "AsJson",
    "Data",
    "Encoding",
    "EngineName",
    "ExcelSafe",
    "IfThere",
    "Language",
    "OutputFormat",
    "PolicyFile",
    "Quiet",
    "ReleaseFolder",
    "Separator",
    "Sheet",
    "TableName",
]

Data = Annotated[
    str, typer.Argument(help="A file (CSV, TSV, Parquet, Arrow, JSON lines, Excel, SQLite) or postgresql:// address.")
]
PolicyFile = Annotated[Path, typer.Option("--policy", "-p", help="The policy, YAML or JSON.")]
EngineName = Annotated[
    str | None, typer.Option("--engine", help="Where rows live: polars (in memory) or duckdb (larger than memory).")
]
Separator = Annotated[str | None, typer.Option("--separator", help="Column separator, if not to be detected.")]
Encoding = Annotated[str | None, typer.Option("--encoding", help="Text encoding, if not UTF-8.")]
Sheet = Annotated[str | None, typer.Option("--sheet", help="Sheet of a spreadsheet.")]
TableName = Annotated[str | None, typer.Option("--table", help="Table of a database.")]
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
OutputFormat = Annotated[str | None, typer.Option("--format", help="Format of the release; the input's if not given.")]
