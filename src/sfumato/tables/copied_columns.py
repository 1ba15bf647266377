"""Columns that leave as they are and tell a masked one or a name: a copy, another unit, a code; the mask then hides nothing."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from sfumato.contracts.engine import Table
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.tables.policy import Policy

__all__ = ["copies_of_identifiers", "warnings_of_copies"]

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
