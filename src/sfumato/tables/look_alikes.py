"""Values that look alike and count as different: ``HIV``, ``hiv`` and ``HIV `` are three of the values that a group needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation

from sfumato.contracts.engine import Table
from sfumato.contracts.model import TableModel
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.data.text import bare

__all__ = ["look_alikes"]


def look_alikes(models: Iterable[TableModel], table: Table) -> list[str]:
    """Return a warning for each column that a requirement protects whose values differ in nothing that is seen."""
    protected = dict.fromkeys(name for model in models for name in model.needs() if name in table.types)
    out: list[str] = []
    for name in protected:
        if table.types[name] is not ColumnType.TEXT:
            continue
        seen = Counter(_looks(str(value)) for value in table.dictionary(name).values)
        count = sum(many for many in seen.values() if many > 1)
        if count:
            out.append(say("warning.look_alikes", column=name, count=count))
    return out


# Letters of other scripts that nobody tells from Latin ones.
_SAME = str.maketrans("аеоорсухіјѕԁһкмтвнαεορτυχικνμβηζ", "aeoopcyxijsdhkmtbhaeoptuxiknubnz")


def _looks(text: str) -> str:
    """Return what is seen of a value: one spelling for a number, and Latin letters for those of other scripts that look so."""
    seen = bare(text).translate(_SAME)
    try:
        number = Decimal(seen)
    except InvalidOperation:
        return seen
    return str(number.normalize()) if number.is_finite() else seen
