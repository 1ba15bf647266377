"""Files that commands write: never over another one, and refused by the option that names them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sfumato.contracts.engine import Table

__all__ = ["refuse_existing", "write_table", "write_text"]


def refuse_existing(path: Path | None, option: str = "--out", rule: str = "exists already") -> None:
    """Refuse a place that is taken; nothing is ever overwritten."""
    from sfumato.errors import BadRequest

    if path is not None and path.exists():
        raise BadRequest(rule, parameter=option, value=str(path))


def write_table(table: Table, path: Path, *, excel_safe: bool) -> None:
    """Write a table; texts that a spreadsheet takes for formulas are marked, or warned of."""
    from sfumato.cli.texts import show
    from sfumato.engines.sources import format_of
    from sfumato.publishing.formulas import formula_warnings, marked, refuse_formula_names

    if format_of(path)[0] in ("csv", "tsv"):
        if excel_safe:
            refuse_formula_names(table)
            table = marked(table)
        for warning in formula_warnings(table):
            show(f"note: {warning}", err=True)
    table.write(path)


def write_text(path: Path, text: str, option: str = "--out") -> None:
    """Write a text file."""
    from sfumato.errors import BadRequest

    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise BadRequest(
            f"cannot be written ({error.strerror or type(error).__name__})", parameter=option, value=str(path)
        ) from None
