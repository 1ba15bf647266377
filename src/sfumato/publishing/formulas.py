"""Texts that a spreadsheet takes for formulas: told of, and on request written with an apostrophe before them."""

from __future__ import annotations

import re
from collections.abc import Callable

from sfumato.contracts.engine import Table
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.errors import BadRequest

__all__ = ["formula_warnings", "mark", "marked", "refuse_formula_names", "unmarked"]

# A number may well begin with a sign, and a dash alone does nothing.
_FORMULA = re.compile(r"(?!-?\Z|[+-]?[0-9]+(?:[.,][0-9]+)?\Z)[=+\-@\t\r＝＋－＠]")
_MARKED = re.compile(rf"'+{_FORMULA.pattern}")


def mark(text: str) -> str:
    """Return a text that no spreadsheet computes; different texts stay different.

    >>> mark("=1+1"), mark("'=1+1"), mark("-5"), mark("it's")
    ("'=1+1", "''=1+1", '-5', "it's")
    """
    return f"'{text}" if _FORMULA.match(text) or _MARKED.match(text) else text


def _unmark(text: str) -> str:
    return text[1:] if _MARKED.match(text) else text


def marked(table: Table) -> Table:
    """Return a table with an apostrophe before every text that is taken for a formula."""
    return _changed(table, mark)


def unmarked(table: Table) -> Table:
    """Return the table that was marked."""
    return _changed(table, _unmark)


def _changed(table: Table, change: Callable[[str], str]) -> Table:
    mappings: dict[str, dict[object, str | None]] = {}
    for name in _texts(table):
        labels = {value: change(str(value)) for value in table.dictionary(name).values}
        if any(value != label for value, label in labels.items()):
            mappings[name] = {**labels}
    return table.recode(mappings) if mappings else table


def _texts(table: Table) -> list[str]:
    return [name for name, kind in table.types.items() if kind is ColumnType.TEXT]


def formula_warnings(table: Table) -> list[str]:
    """Return a warning if a spreadsheet would compute texts of a table, or names of its columns."""
    held = [name for name in _texts(table) if any(_FORMULA.match(str(one)) for one in table.dictionary(name).values)]
    held += [name for name in table.columns if _FORMULA.match(name) and name not in held]
    return [say("warning.formulas", columns=", ".join(held))] if held else []


def refuse_formula_names(table: Table) -> None:
    """Refuse names of columns that a spreadsheet would compute: they cannot be marked without another name."""
    for name in table.columns:
        if _FORMULA.match(name):
            raise BadRequest("is the name of a column and taken for a formula; rename it", column=name)
