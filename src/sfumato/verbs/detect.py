"""Find what names a person: identifiers in every column, by the name of the column and by what it holds."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.contracts.run import Run
from sfumato.errors import BadRequest
from sfumato.identifiers.scan import EXAMINED, Detection, as_countries, scan_table
from sfumato.tables.open import open_table

__all__ = ["Detection", "detect"]


def detect(
    source: object,
    *,
    countries: Sequence[str] | str | None = None,
    columns: Sequence[str] | None = None,
    examined: int = EXAMINED,
    run: Run | None = None,
) -> list[Detection]:
    """Return the identifiers found, column by column, the surest of each column first; never a value.

    ``countries`` (two letters each) leaves out the numbers of other countries; ``columns`` looks at some columns only. Of
    a column with more distinct values than ``examined``, the most frequent and an even spread of the others are looked at. What
    a column holds is enough only if most of its distinct values have the form and chance would hardly give so many; a check
    digit that one random number of ten passes needs at least six. Texts of several words are searched.

    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["contact", "age"], [("ada@example.org", 36), ("alan@example.org", 41)])
    >>> [(found.column, found.identifier, found.found, str(found.role)) for found in detect(table)]
    [('contact', 'email', 'content', 'identifier')]
    """
    run = Run.of(run)
    table = open_table(source, run=run)
    wanted = as_countries(countries)
    if examined < 1:
        raise BadRequest("must be >= 1", parameter="examined", value=examined)
    for name in columns or ():
        if name not in table.types:
            raise BadRequest("is not in the table", parameter="columns", value=name, available=table.columns)
    return scan_table(table, columns, wanted, examined, run)
