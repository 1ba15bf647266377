"""Columns that leave as they are and tell a masked one: a copy, another unit, a code for it; the mask then hides nothing."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Iterable, Sequence

from sfumato.contracts.engine import RowTable, Table
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.tables.policy import Policy

__all__ = ["warnings_of_copies"]

_LOOKED_AT = 5_000  # rows; what they do not rule out is counted in the whole table
_FEWEST = 10  # different values, and values that occur again: fewer are alike by chance


def warnings_of_copies(table: Table, policy: Policy, columns: Iterable[str]) -> list[str]:
    """Warn of columns that are published as they are and tell a masked one.

    A column tells another if each of its values goes with one value of the other, in every record.
    """
    shown = [name for name in columns if policy.columns[name].role in (Role.PLAIN, Role.SENSITIVE, Role.TARGET)]
    masked = [name for name in columns if policy.columns[name].role is Role.QUASI_IDENTIFIER]
    names = [*shown, *masked]
    if not shown or not masked:
        return []
    # Most pairs are ruled out by a few rows, where there are any at hand.
    rows = table.select(names).head(_LOOKED_AT) if isinstance(table, RowTable) else []
    held = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    out: list[str] = []
    for name in shown:
        told = [one for one in masked if not _other(held[name], held[one]) and _tells(table, name, one)]
        out += [say("warning.tells", name=name, columns=told)] if told else []
    for text in out:
        logging.getLogger("sfumato").warning("%s", text)
    return out


def _other(shown: Sequence[Hashable], masked: Sequence[Hashable]) -> bool:
    """Tell whether some value goes with two values of the other column."""
    found: dict[Hashable, Hashable] = {}
    return any(found.setdefault(one, other) != other for one, other in zip(shown, masked, strict=True))


def _tells(table: Table, shown: str, masked: str) -> bool:
    """Tell whether every value goes with one value of the other column, and chance does not explain it."""
    if table.distinct([masked]) < _FEWEST:
        return False
    cells = table.groups([shown, masked])
    again = int((cells.sizes > 1).sum())
    return again >= _FEWEST and len(cells) == table.distinct([shown])
