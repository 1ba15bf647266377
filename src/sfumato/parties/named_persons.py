"""Columns that name persons: they do not leave a holder unmasked, whatever a contract calls them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sfumato.contracts.engine import Table
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import to_text
from sfumato.errors import BadRequest

__all__ = ["UNMASKED", "refuse_names", "refuse_naming_columns"]

UNMASKED = (Role.SENSITIVE, Role.PLAIN, Role.TARGET)
"""Columns of these roles are published as they are."""


def refuse_names(column: str, values: Sequence[str], persons: Collection[str]) -> None:
    """Refuse a column that would be sent unmasked if it names persons: most values are names of them, and most differ."""
    _refuse(column, set(values), len(values), persons)


def refuse_naming_columns(table: Table, columns: Iterable[str], persons: Collection[str]) -> None:
    """Refuse such a column among those of a table that would leave it unmasked."""
    for name in columns:
        dictionary = table.dictionary(name)
        _refuse(name, {*map(to_text, dictionary.values)}, table.rows - dictionary.missing, persons)


def _refuse(column: str, different: Collection[str], records: int, persons: Collection[str]) -> None:
    if 2 * len(different) > records and 2 * len(set(persons).intersection(different)) > len(different):
        raise BadRequest(say("party.bad.names"), column=column)
