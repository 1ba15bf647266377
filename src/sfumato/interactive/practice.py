"""An invented table with the columns of another: to practise questions on, about nobody."""

from __future__ import annotations

from collections.abc import Hashable
from datetime import date, datetime, timedelta

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.schema import ColumnType
from sfumato.engines import from_rows
from sfumato.interactive.asked_table import AskedTable
from sfumato.interactive.question import Question

__all__ = ["invented"]

_ROWS = 1_000


def invented(like: AskedTable, asked: Question, rows: int = _ROWS) -> Table:
    """Return random records: values and bounds that the policy declares, constants of the question, else made up by type.

    No value of the table is read; the same question gives the same records.
    """
    rng = np.random.default_rng(0)
    columns: dict[str, list[Hashable]] = {}
    for name, kind in like.types.items():
        named = [value for one in asked.where if one.column == name for value in _listed(one.value)]
        declared = like.domains.get(name)
        bounds = like.policy.columns[name].bounds
        if declared is not None:
            columns[name] = [declared[at] for at in rng.integers(0, len(declared), rows)]
        elif bounds is not None:
            columns[name] = _numbers(rng, bounds, kind, rows)
        else:
            columns[name] = _made_up(rng, kind, named, rows)
    if like.policy.person is not None:
        columns[like.policy.person] = [f"nobody {at}" for at in range(rows)]
    for name in like.policy.columns:
        columns.setdefault(name, [f"nobody {at}" for at in range(rows)])
    return from_rows(list(columns), list(zip(*columns.values(), strict=True)))


def _listed(value: Hashable) -> list[Hashable]:
    return list(value) if isinstance(value, tuple) else [value]


def _numbers(rng: np.random.Generator, bounds: tuple[float, float], kind: ColumnType, rows: int) -> list[Hashable]:
    drawn = rng.uniform(*bounds, rows)
    return [int(one) for one in drawn] if kind is ColumnType.INTEGER else [float(one) for one in drawn]


def _made_up(rng: np.random.Generator, kind: ColumnType, named: list[Hashable], rows: int) -> list[Hashable]:
    if kind.numeric:
        known = [float(str(value)) for value in named] or [0.0, 100.0]
        spread = max(50.0, max(known) - min(known))
        return _numbers(rng, (min(known) - spread / 2, max(known) + spread / 2), kind, rows)
    if kind in (ColumnType.DATE, ColumnType.DATETIME):
        first = next((one for one in named if isinstance(one, date)), date(2000, 1, 1))
        plain = first.date() if isinstance(first, datetime) else first
        days = [plain + timedelta(int(one)) for one in rng.integers(-500, 500, rows)]
        return [datetime(one.year, one.month, one.day) for one in days] if kind is ColumnType.DATETIME else [*days]
    choices: list[Hashable] = [True, False] if kind is ColumnType.BOOLEAN else [*named, "other"]
    return [choices[at] for at in rng.integers(0, len(choices), rows)]
