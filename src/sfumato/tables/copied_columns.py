"""Columns that leave as they are and tell a masked one: a copy, another unit, a code for it; the mask then hides nothing."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Iterable, Sequence

from sfumato.contracts.engine import RowTable, Table
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.policy import Policy

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
    if not shown or not masked or not isinstance(table, RowTable):
        return []
    rows = table.select(names).head(_LOOKED_AT)
    held = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    out: list[str] = []
    for name in shown:
        told = [one for one in masked if _tells(held[name], held[one]) and _tells_all(table, name, one)]
        out += [say("warning.tells", name=name, columns=told)] if told else []
    for text in out:
        logging.getLogger("sfumato").warning("%s", text)
    return out


def _tells(shown: Sequence[Hashable], masked: Sequence[Hashable]) -> bool:
    found: dict[Hashable, Hashable] = {}
    again = set()
    for one, other in zip(shown, masked, strict=True):
        if one in found:
            if found[one] != other:
                return False
            again.add(one)
        found[one] = other
    return len(again) >= _FEWEST and len(set(found.values())) >= _FEWEST


def _tells_all(table: Table, shown: str, masked: str) -> bool:
    return table.distinct([shown, masked]) == table.distinct([shown])
