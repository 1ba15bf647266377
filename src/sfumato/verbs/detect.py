"""Find what names a person: identifiers in every column, by the name of the column and by what it holds."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.contracts.engine import Table
from sfumato.contracts.identifier import SAFE_HARBOR
from sfumato.contracts.run import Run
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.identifiers.scan import EXAMINED, Detection, as_countries, recognisers, scan_table
from sfumato.tables.open import open_table
from sfumato.tables.profile import named_role, suggest_role

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
    digit that one random number of ten passes needs at least six. Texts of several words are searched. A column that no
    recogniser knows and that ``profile`` takes for an identifier by its name is listed as ``other``.

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
    found = scan_table(table, columns, wanted, examined, run)
    known = {one.column for one in found}
    looked = [name for name in table.columns if name not in known and (columns is None or name in columns)]
    return found + [one for name in looked if (one := _suggested(table, name)) is not None]


def _suggested(table: Table, name: str) -> Detection | None:
    """Return an identifier by a name that no recogniser speaks for (id, key) and that makes ``profile`` suggest that role."""
    word = named_role(name).get(Role.IDENTIFIER)
    if word is None or any(one.named((word,)) for one in recognisers()):
        return None
    role, reason = suggest_role(table, name)
    if role is not Role.IDENTIFIER:
        return None
    distinct = len(table.dictionary(name))
    return Detection(name, "other", SAFE_HARBOR["R"], "name", 1.0, 1.0, distinct, False, "R", (), role, reason)
