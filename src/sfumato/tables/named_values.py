"""Values as columns hold them: those that requirements name, and those that look alike and count as different.

``"1"`` protects the number 1, a misspelt value protects nobody; ``HIV``, ``hiv`` and ``HIV `` are three of the values that a
group needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import TypeVar

from sfumato.contracts.engine import Table
from sfumato.contracts.model import TableModel
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.data.text import as_held, bare, type_of_value
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats

__all__ = ["look_alikes", "with_held_values"]

M = TypeVar("M", bound=TableModel)


def with_held_values(models: Sequence[M], source: Table | GroupStats) -> tuple[list[M], list[str]]:
    """Return requirements that name values in the types of their columns, and a warning for each value that does not occur.

    A value of another type that does not occur either is refused: whoever wrote ``01`` without quotes meant a text.
    """
    types = source.types if isinstance(source, Table) else _types(source)
    warnings: list[str] = []

    @cache
    def occurring(column: str) -> frozenset[Hashable]:
        found = source.dictionary(column) if isinstance(source, Table) else source.histograms[column]
        return frozenset(found.values)

    def settled(model: M) -> M:
        def held(column: str, value: Hashable) -> Hashable:
            if column not in types:
                return value  # whoever looks at the column says so
            kind = types[column]
            found = as_held(value, kind)
            if found in occurring(column):
                return found
            if found is None or not _written_as(value, kind):
                raise BadRequest(
                    f"names a value that does not occur in the column, which holds values of the type {kind.value}; a text "
                    "is written in quotes",
                    parameter=model.id,
                    column=column,
                    value=value,
                )
            warnings.append(say("warning.absent_value", model=model.id, column=column, value=repr(value)))
            return found

        return model.with_values(held)

    return [settled(model) for model in models], warnings


def _written_as(value: Hashable, kind: ColumnType) -> bool:
    """Tell whether a value is written in a column's type: dates as texts, whole numbers also among others."""
    own = type_of_value(value)
    return own is kind or (own is ColumnType.INTEGER and kind.numeric) or (own is ColumnType.TEXT and not kind.numeric)


def _types(groups: GroupStats) -> Mapping[str, ColumnType]:
    known = {
        name: [value for value in histogram.values if value is not None]
        for name, histogram in groups.histograms.items()
    }
    return {
        name: type_of_value(values[0]) for name, values in known.items() if values and not isinstance(values[0], tuple)
    }


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
