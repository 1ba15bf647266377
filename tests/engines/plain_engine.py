"""The smallest engine: a table of plain Python rows that offers what the contract asks for and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy.typing as npt
import pyarrow as pa

from sfumato.contracts.engine import Engine, Keys, Labels, Present, SourceOptions, Table
from sfumato.contracts.table_checks import refuse_none, refuse_unlabelled, refuse_unshared
from sfumato.data.content import cell_text, row_hash, row_text
from sfumato.data.schema import ColumnType, arrow_type
from sfumato.engines import writers
from sfumato.groups.cells import Cells

Row = tuple[Hashable, ...]
ARROW = {kind: arrow_type(kind) for kind in ColumnType}


def in_order(row: Row) -> list[tuple[bool, Any]]:
    """Missing first, then by value."""
    return [(value is not None, 0 if value is None else value) for value in row]


class PlainTable(Table):
    """Rows in a list, in no order that means anything."""

    engine: ClassVar[str] = "plain"

    def __init__(self, types: Mapping[str, ColumnType], held: Sequence[Row]) -> None:
        self._types, self.held = dict(types), list(held)

    @property
    def home(self) -> Engine:
        return PlainEngine()

    @property
    def types(self) -> Mapping[str, ColumnType]:
        return self._types

    def _of(self, columns: Sequence[str], row: Row) -> Row:
        places = [list(self._types).index(name) for name in columns]
        return tuple(row[place] for place in places)

    def _present(self) -> Present:
        known = {name: sum(self._of([name], row) != (None,) for row in self.held) for name in self._types}
        return Present(len(self.held), known)

    def _count(self, columns: Sequence[str]) -> Cells:
        found = Counter(self._of(columns, row) for row in self.held)
        ordered = sorted(found, key=in_order)
        keys = [[row[at] for row in ordered] for at in range(len(columns))]
        return Cells.of(columns, keys, [found[row] for row in ordered])

    def select(self, columns: Sequence[str]) -> PlainTable:
        refuse_none(columns)
        self._refuse_strange(columns)
        return PlainTable({name: self._types[name] for name in columns}, [self._of(columns, row) for row in self.held])

    def known(self, columns: Sequence[str]) -> PlainTable:
        self._refuse_strange(columns)
        return PlainTable(self._types, [row for row in self.held if None not in self._of(columns, row)])

    def without(self, columns: Sequence[str], keys: Keys) -> PlainTable:
        gone = set(zip(*keys, strict=True))
        return PlainTable(self._types, [row for row in self.held if self._of(columns, row) not in gone])

    def relabel(self, columns: Sequence[str], keys: Keys, labels: Labels) -> PlainTable:
        entry = {key: at for at, key in enumerate(zip(*keys, strict=True))}
        found = [entry.get(self._of(columns, row)) for row in self.held]
        refuse_unlabelled(columns, found.count(None))
        return self._labelled(labels, [(row, at) for row, at in zip(self.held, found, strict=True) if at is not None])

    def share(
        self, columns: Sequence[str], keys: Keys, labels: Labels, take: npt.ArrayLike, *, secret: str
    ) -> PlainTable:
        ranked = sorted(self.held, key=lambda row: row_hash(secret, row_text(map(cell_text, row))))
        alike: dict[Row, list[Row]] = {}
        for row in ranked:
            alike.setdefault(self._of(columns, row), []).append(row)
        sent = []
        for at, (key, count) in enumerate(zip(zip(*keys, strict=True), list(take), strict=True)):  # type: ignore[arg-type]
            waiting = alike.get(key, [])
            sent += [(row, at) for row in waiting[:count]]
            refuse_unshared(columns, len(waiting) < count)
            del waiting[:count]
        refuse_unshared(columns, any(alike.values()))
        return self._labelled(labels, sent)

    def _labelled(self, labels: Labels, sent: Sequence[tuple[Row, int]]) -> PlainTable:
        self._refuse_strange(list(labels))
        types = {name: ColumnType.TEXT if name in labels else kind for name, kind in self._types.items()}
        shown = [
            tuple(labels[name][at] if name in labels else value for name, value in zip(types, row, strict=True))
            for row, at in sent
        ]
        return PlainTable(types, shown)

    def write(self, path: Path, format: str | None = None, *, separator: str = ",") -> None:  # noqa: A002
        writers.write(writers.target(path, format, separator), iter([self.to_native()]))

    def to_native(self) -> Any:
        rows = sorted(self.held, key=in_order)
        return pa.table(
            {
                name: pa.array([row[at] for row in rows], ARROW[kind])
                for at, (name, kind) in enumerate(self._types.items())
            }
        )


class PlainEngine(Engine):
    """Makes tables of plain rows from what this process holds."""

    id: ClassVar[str] = "plain"

    def open(self, source: Any, options: SourceOptions | None = None) -> PlainTable:
        kinds = {held: kind for kind, held in ARROW.items()}
        types = {field.name: kinds[field.type] for field in source.schema}
        return PlainTable(types, list(zip(*(column.to_pylist() for column in source.columns), strict=True)))
