"""Columns that leave as they are: one that names persons by itself is refused until the policy says why it may go.

A column that no requirement looks at is protected by nothing. What it holds is therefore looked at before any work begins.
Requirements look at sensitive columns, but at how often a value occurs, not at whom it names. One that tells a masked column or
a name (a copy, another unit, a code) is told of: the mask then hides nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence

from sfumato.contracts.engine import Table
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType, Role
from sfumato.errors import BadRequest
from sfumato.identifiers.scan import EXAMINED, sample_of, scan, values_of
from sfumato.tables.free_text import free_text
from sfumato.tables.policy import ColumnPolicy, Policy

__all__ = ["copies_of_identifiers", "identifying", "refuse_identifying", "warnings_of_copies", "warnings_of_plain"]

# Above this share of different values nearly every record has one of its own.
_NEARLY_ALL = 0.9
# Fewer different values of a sensitive column are classes, however they are written.
_FEW = 10


def refuse_identifying(
    table: Table, policy: Policy, columns: Iterable[str], copies: Mapping[str, str] | None = None
) -> list[str]:
    """Refuse plain columns that name persons by themselves and sensitive ones of known identifiers; return warnings.

    ``copies`` are columns that say what an identifier says. A column is let through if its policy says ``publish_anyway``, or
    if its cells have a shape of their own, or hold what stands for a group.
    """
    asked = {name: policy.columns[name] for name in columns}
    looked = [name for name, entry in asked.items() if not _let_through(entry)]
    plain = [name for name in looked if asked[name].role is Role.PLAIN]
    reasons = {name: identifying(table, name) for name in plain}
    reasons |= {name: say("plain_column.copy", column=told) for name, told in (copies or {}).items() if name in plain}
    reasons |= {name: _recognised(table, name) for name in looked if asked[name].role is Role.SENSITIVE}
    for name, reason in reasons.items():
        if reason is not None:
            raise BadRequest(
                f"is {asked[name].role} and would be published as it is, but {reason}; give it another role (identifier "
                "leaves it out, quasi-identifier masks it), or say why it may go in publish_anyway: the reason stands in "
                "the certificate",
                column=name,
                parameter="publish_anyway",
            )
    return warnings_of_plain(table, plain)


def _let_through(entry: ColumnPolicy) -> bool:
    return entry.publish_anyway is not None or entry.cells is not None or entry.aggregate is not None


def warnings_of_plain(table: Table, columns: Iterable[str], *, refused: bool = True) -> list[str]:
    """Warn of columns that are published as they are and find persons; if ``refused``, only of those that nobody refuses."""
    found = {name: _nearly_unique(table, name) or (None if refused else identifying(table, name)) for name in columns}
    out: list[str] = [
        say("warning.plain", name=name, reason=reason) for name, reason in found.items() if reason is not None
    ]
    for text in out:
        logging.getLogger("sfumato").warning("%s", text)
    return out


def identifying(table: Table, name: str) -> str | None:
    """Say by what a column names persons: values of their own, sentences, or what is known to be an identifier."""
    kind = table.types[name]
    if kind is ColumnType.BOOLEAN or table.present().known[name] == 0:
        return None
    share = _different(table, name)
    if kind in (ColumnType.TEXT, ColumnType.INTEGER) and share > _NEARLY_ALL:
        return say("plain_column.different", share=share)
    sample = sample_of(name, kind, values_of(table, name), EXAMINED)
    if sample.type is ColumnType.INTEGER and share > _NEARLY_ALL:
        return say("plain_column.different", share=share)
    told = next((one for one in scan(sample) if one.role is Role.IDENTIFIER), None)
    if told is not None:
        return told.reason if told.what in told.reason else say("plain_column.told", reason=told.reason, what=told.what)
    return say("plain_column.free_text") if free_text(sample) else None


def _recognised(table: Table, name: str) -> str | None:
    """Say which identifier a column holds, by its content: a sensitive column may be called like one, and may be unique."""
    if table.types[name] not in (ColumnType.TEXT, ColumnType.INTEGER):
        return None
    held = values_of(table, name)
    if len(held) < _FEW:
        return None
    found = scan(sample_of(name, table.types[name], held, EXAMINED))
    return next((one.reason for one in found if one.role is Role.IDENTIFIER and "content" in one.found), None)


def _nearly_unique(table: Table, name: str) -> str | None:
    """Say that a column of measured numbers or of times has a value of its own for nearly every record."""
    if table.types[name] not in (ColumnType.NUMBER, ColumnType.DATE, ColumnType.DATETIME):
        return None
    share = _different(table, name)
    if share <= _NEARLY_ALL:
        return None
    return say("plain_column.nearly_unique", share=share)


def _different(table: Table, name: str) -> float:
    """Return the share of different values of a column among those that are known; one value alone is none."""
    known = table.present().known[name]
    distinct = table.distinct([name]) - (known < table.rows)
    return distinct / known if known > 1 else 0.0


_LOOKED_AT = 5_000  # rows; what they do not rule out is counted in the whole table
_FEWEST = 10  # different values, and values that occur again: fewer are alike by chance


def warnings_of_copies(table: Table, policy: Policy, columns: Iterable[str]) -> list[str]:
    """Warn of columns that are published as they are and tell a masked one.

    A column tells another if each of its values goes with one value of the other, in every record.
    """
    shown = [name for name in columns if policy.columns[name].role in (Role.PLAIN, Role.SENSITIVE, Role.TARGET)]
    masked = [name for name in columns if policy.columns[name].role is Role.QUASI_IDENTIFIER]
    found = _pairs(table, shown, masked)
    out: list[str] = [say("warning.tells", name=name, columns=told) for name, told in found.items() if told]
    for text in out:
        logging.getLogger("sfumato").warning("%s", text)
    return out


def copies_of_identifiers(table: Table, shown: Sequence[str], identifiers: Sequence[str]) -> dict[str, str]:
    """Return the columns that part the records as an identifier does, each with that identifier."""
    found = _pairs(table, shown, identifiers)
    same = {
        name: [one for one in told if table.distinct([one]) == table.distinct([name])] for name, told in found.items()
    }
    return {name: told[0] for name, told in same.items() if told}


def _pairs(table: Table, shown: Sequence[str], hidden: Sequence[str]) -> dict[str, list[str]]:
    """Return for each column the others that it tells."""
    if not shown or not hidden:
        return {}
    pairs = [(name, one) for name in shown for one in hidden]
    # Most pairs are ruled out by a few rows.
    looked = iter(table.look(_LOOKED_AT, [columns for name, one in pairs for columns in ((name,), (name, one))]))
    left = [pair for pair, alone, both in zip(pairs, looked, looked, strict=True) if alone.distinct == both.distinct]
    return {name: [one for first, one in left if first == name and _tells(table, name, one)] for name in shown}


def _tells(table: Table, shown: str, masked: str) -> bool:
    """Tell whether every value goes with one value of the other column, and chance does not explain it."""
    if not _FEWEST <= table.distinct([masked]) <= table.distinct([shown]):
        return False
    both = [shown, masked]
    return table.distinct(both) == table.distinct([shown]) and table.repeated(both) >= _FEWEST
