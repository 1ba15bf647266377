"""Files that commands write: never over another one, and refused by the option that names them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from sfumato.contracts.engine import Table
    from sfumato.publishing.folder import IfExists

__all__ = ["refuse_existing", "refuse_place", "refuse_release", "write_table", "write_text"]


def refuse_existing(
    path: Path | None,
    option: str = "--out",
    if_exists: IfExists = "fail",
    source: str | None = None,
    *,
    json_form: bool = False,
) -> None:
    """Refuse a place that is taken, or end the command there, and say so, if that is to be skipped."""
    if path is None or not path.exists():
        return
    if if_exists == "replace" and source is not None and path.resolve() == Path(source).resolve():
        from sfumato.errors import Taken

        raise Taken("is the table itself, which stays", parameter=option, value=str(path))
    if if_exists == "skip":
        from sfumato.cli.documents import show_json
        from sfumato.cli.texts import show

        show(f"{path} is there already: left as it is", err=True)
        if json_form:
            show_json({"skipped": True, "out": str(path)})
        raise typer.Exit
    if if_exists == "fail":
        from sfumato.errors import Taken

        raise Taken("exists already", parameter=option, value=str(path))


def refuse_nowhere(path: Path | None, option: str) -> None:
    """Refuse a file in a folder that is not there, before work that cannot be taken back."""
    if path is not None and not path.absolute().parent.is_dir():
        from sfumato.errors import BadRequest

        raise BadRequest("is in a folder that does not exist", parameter=option, value=str(path))


def refuse_release(path: Path, if_exists: IfExists, *, json_form: bool = False) -> None:
    """Refuse a folder that is taken, before any work: only a release can be replaced."""
    from sfumato.publishing.folder import refuse_taken

    refuse_taken(path, if_exists, "--out")
    refuse_existing(path, if_exists="skip" if if_exists == "skip" else "replace", json_form=json_form)


def refuse_place(to: str | None, to_table: str | None, if_exists: IfExists) -> None:
    """Refuse a table of a database that cannot be written, before any work; a password would stand in the list of processes."""
    from urllib.parse import urlsplit

    from sfumato.engines.postgres_tables import Destination
    from sfumato.errors import BadRequest

    if to is None and to_table is None:
        return
    if to is None:
        raise BadRequest("is required with --to-table", parameter="--to")
    if urlsplit(to).password is not None or "password=" in urlsplit(to).query:
        raise BadRequest("must not hold a password; PostgreSQL reads it from PGPASSFILE", parameter="--to")
    Destination.of(to, to_table).refuse_taken(("data",), if_exists)


def write_table(table: Table, path: Path, *, excel_safe: bool) -> None:
    """Write a table; texts that a spreadsheet takes for formulas are marked, or warned of."""
    from sfumato.cli.texts import show
    from sfumato.engines.sources import format_of
    from sfumato.errors import BadRequest
    from sfumato.publishing.formulas import formula_warnings, marked, refuse_formula_names

    if format_of(path)[0] in ("csv", "tsv"):
        if excel_safe:
            refuse_formula_names(table)
            table = marked(table)
        for warning in formula_warnings(table):
            show(f"note: {warning}", err=True)
    # Whoever reads the file meanwhile has the old one or the new one, never a part.
    beside = path.with_name(f".part.{path.name}")  # the endings tell the format
    try:
        table.write(beside)
        beside.replace(path)
    except BadRequest as error:
        raise BadRequest(error.rule, value=error.value, available=error.available, where=str(path)) from None
    finally:
        beside.unlink(missing_ok=True)


def write_text(path: Path, text: str, option: str = "--out") -> None:
    """Write a text file."""
    from sfumato.errors import BadRequest

    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise BadRequest(
            f"cannot be written ({error.strerror or type(error).__name__})", parameter=option, value=str(path)
        ) from None
