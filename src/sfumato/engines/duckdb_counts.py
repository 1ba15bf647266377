"""Counting rows with DuckDB: columns of few values as numbers, rows that are one number sorted here, digests of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from sfumato.contracts.engine import AT_ONCE, Present, RowTable, Table
from sfumato.data.content import MISSING_CELL, buckets_in_order, cell_text, coded_buckets
from sfumato.data.schema import ColumnType, arrow_type
from sfumato.data.whole import whole_values
from sfumato.engines import frames, writers
from sfumato.engines.duckdb_fields import FEW, Field, Opened
from sfumato.engines.duckdb_packing import Listed, Part, combined, parts_of
from sfumato.engines.duckdb_session import Session, literal
from sfumato.engines.packing import counted_keys
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.cells import Cells
from sfumato.groups.stats import CodedKeys
from sfumato.kernels.arrays import Ints

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DuckDBCounts", "as_stored", "numbered_terms", "of_table", "row_line"]

MANY = 1 << 17
"""Rows from which columns of few values get numbers that rows are sorted, counted and hashed by."""

_MILLIONS = 1 << 22  # rows from which one count is worth numbers that nobody has asked for yet
_COUNTED = 4  # rows for each combination from which on these are counted as they are
_SORTED = 1 << 24  # rows up to which numbers are sorted in this process
_CLOSE = 4  # whole numbers for each row up to which they lie close together
_LARGEST = 1 << 62  # from here on sums of whole numbers may not be ones that are stored
_JOINED = 32  # rows for each entry of a table that texts are looked up in
_LEAF = 64
_STRANGE = "error('a value that was not meant')"


class DuckDBCounts(RowTable):
    """Rows behind a query, as far as they are counted."""

    engine: ClassVar[str] = "duckdb"

    def __init__(
        self, session: Session, opened: Opened, order: Sequence[str] = ("r",), source: DuckDBCounts | None = None
    ) -> None:
        self._session = session
        self._opened = opened
        self._order = tuple(order)
        self._opened_as = source  # none if this is what was opened: it must not hold itself
        self._few: dict[str, bool] = {}
        self._numbers: dict[str, tuple[Sequence[Hashable], str]] = {}
        self._meant: dict[str, Sequence[Hashable]] = {}  # what columns hold if they hold what was written

    # ---- looking -----------------------------------------------------------------------------------------------------

    @property
    def in_threads(self) -> bool:
        return self._session.bounds["memory_limit"] is None and self.rows <= AT_ONCE

    @property
    def _fields(self) -> Mapping[str, Field]:
        return self._opened.fields

    @property
    def _rows(self) -> str:
        return f"({self._opened.query})"

    @property
    def types(self) -> Mapping[str, ColumnType]:
        return {name: field.type for name, field in self._fields.items()}

    def _present(self) -> Present:
        parts = [f"count({field.key})" for field in self._fields.values()]
        ((rows, *known),) = self._session.run(f"SELECT count(*), {', '.join(parts)} FROM {self._rows}")
        return Present(rows, dict(zip(self._fields, known, strict=True)))

    def _count(self, columns: Sequence[str]) -> Cells:
        return self._count_by(columns, ask=self.rows >= _MILLIONS)

    def _count_by(
        self, columns: Sequence[str], *, ask: bool, meant: Mapping[str, Sequence[Hashable]] | None = None
    ) -> Cells:
        """Count combinations; numbers that nobody has asked for yet are made if one may ``ask``."""
        self._refuse_too_many(columns)
        if not columns:
            found = self._session.arrow(f"SELECT count(*) AS n FROM {self._rows} HAVING count(*) > 0")
            return Cells.of(columns, [], frames.whole_numbers(found["n"]))
        fields = [self._field(name) for name in columns]
        # The values of one column are what its numbers are made of, and few combinations are counted sooner without them.
        listed = self._listed(columns, ask=ask, meant=meant) if len(columns) > 1 else [None]
        if ask and len(columns) > 1:
            listed = [held or self._whole(name) for name, held in zip(columns, listed, strict=True)]
        few = prod(len(held.values) + 1 if held is not None else self.rows for held in listed) * _COUNTED <= self.rows
        parts = parts_of([None] * len(columns) if few else listed)
        rows, terms = self._numbered(parts, [of_table("t", field) for field in fields])
        if self._lone(parts):
            held, sizes = counted_keys(self._numbers_of(f"SELECT {terms} FROM {rows}"), parts[0].bits)
            return Cells.of(columns, [*parts[0].codes(held).values()], sizes)
        order = ", ".join(f"{at + 1} NULLS FIRST" for at in range(len(parts)))
        found = self._session.arrow(
            f"SELECT {terms}, count(*) AS n FROM {rows} GROUP BY {numbered_terms(len(parts))} ORDER BY {order}"
        )
        keys: dict[int, CodedKeys] = {}
        for place, part in enumerate(parts):
            column, first = found[f"p{place}"], part.columns[0]
            keys |= (
                part.codes(frames.whole_numbers(column)) if part.held else {first: _coded_keys(column, fields[first])}
            )
        return Cells.of(columns, [keys[at] for at in range(len(columns))], frames.whole_numbers(found["n"]))

    def _lone(self, parts: Sequence[Part]) -> bool:
        """Tell whether a row is one number, and all of them may be sorted here: where most rows differ, this takes a tenth."""
        bound = self._session.bounds["memory_limit"]
        return len(parts) == 1 and bool(parts[0].held) and bound is None and self.rows <= _SORTED

    def _whole(self, name: str) -> Listed | None:
        """Return the numbers of a column of many whole numbers that lie close together: as far as each is from the least."""
        field = self._field(name)
        if field.type is not ColumnType.INTEGER or field.entries is not None:
            return None
        value = of_table("t", field)
        ((low, high),) = self._session.run(f"SELECT min({value}), max({value}) FROM {self._rows} t")
        if low is None or high - low > _CLOSE * self.rows or max(-low, high) >= _LARGEST:
            return None
        return Listed(range(low, high + 1), f"coalesce({value}::BIGINT - {low} + 1, 0)", field.cell)

    def _numbers_of(self, query: str) -> Ints:
        """Return the one number of each row, in no order."""
        (numbers,) = self._session.arrow(query).columns
        out, begin = np.empty(len(numbers), np.int64), 0
        for chunk in numbers.chunks:  # one by one: whoever passes them on would keep the room of all
            out[begin : begin + len(chunk)] = frames.whole_numbers(chunk)
            begin += len(chunk)
        return out

    @property
    def _source(self) -> DuckDBCounts:
        return self._opened_as or self

    def _listed(
        self, columns: Sequence[str], *, ask: bool = True, meant: Mapping[str, Sequence[Hashable]] | None = None
    ) -> list[Listed | None]:
        """Return the numbers of columns of few values in a query of rows ``t``; none for the others.

        Enumerations have numbers. Columns as they were opened get them where rows are many: by their values in all that was
        opened, so that every choice of rows has the same. Unless somebody may ``ask``, only those that have them count. A query
        ends with an error at a value that is not among those that were ``meant``.
        """
        source, meant = self._source, meant or {}
        own = [name for name in columns if source._fields.get(name) is self._field(name)]
        few = source._of_few_values([name for name in own if name not in meant and (ask or name in source._numbers)])
        found: list[Listed | None] = []
        for at, name in enumerate(columns):
            field = self._field(name)
            if field.entries is not None:
                number = f"coalesce(enum_code(t.{field.key})::BIGINT + 1, 0)"
                found.append(Listed(field.entries.values, number, replace(field, key=f"t.{field.key}").cell))
            elif name in few or name in meant:
                values, place = source._place(name) if name in few else source._place_of(meant[name], field)
                join = f"LEFT JOIN {place} m{at} ON m{at}.v = {of_table('t', field)}"
                lacking = "0" if name in few else f"if({of_table('t', field)} IS NULL, 0, {_STRANGE})"
                found.append(Listed(values, f"coalesce(m{at}.code, {lacking})", f"m{at}.cell", join))
            else:
                found.append(None)
        return found

    def _of_few_values(self, names: Sequence[str]) -> set[str]:
        """Return those of the columns that have so few values that a table of them is small, if it is worth making."""
        plain = [name for name in names if self._fields[name].entries is None]
        if not plain or self.rows < MANY:
            return set()
        asked = [name for name in plain if name not in self._few]
        if asked:
            about = ", ".join(f"approx_count_distinct({self._field(name).value})" for name in asked)
            (found,) = self._session.run(f"SELECT {about} FROM {self._rows}")
            self._few |= {name: many <= FEW and self._storable(name) for name, many in zip(asked, found, strict=True)}
        return {name for name in plain if self._few[name]}

    def _storable(self, name: str) -> bool:
        """Tell whether the ends of a column fit the type that values are handed over in: the largest whole numbers do not."""
        values, kind = self.dictionary(name).values, self._field(name).type
        return all(frames.can_hold(value, kind) for value in (*values[:1], *values[-1:]))

    def _place(self, name: str) -> tuple[Sequence[Hashable], str]:
        """Return the values of a column, and the table of them with their numbers and their texts in a row's line."""
        if name not in self._numbers:
            self._numbers[name] = self._place_of(self.dictionary(name).values, self._field(name))
        return self._numbers[name]

    def _place_of(self, values: Sequence[Hashable], field: Field) -> tuple[Sequence[Hashable], str]:
        """Return values, and a table of them as a field stores them."""
        import pyarrow as pa

        numbers = pa.array(np.arange(1, len(values) + 1))
        cells = pa.array([*map(cell_text, values)], pa.string())
        return values, self._store(values, field, code=numbers, cell=cells)

    def sharing(self, other: Table) -> Self:
        """Return the same rows; to count them all, values get numbers that another table knows, if these are all there are."""
        if isinstance(other, DuckDBCounts):
            self._meant = {
                name: field.entries.values
                for name, field in other._fields.items()
                if field.entries is not None and name in self._fields and self._fields[name].type is field.type
            }
        return self

    def _numbered(self, parts: Sequence[Part], wide: Sequence[str]) -> tuple[str, str]:
        """Return the rows ``t`` with what numbers need, and the parts ``p0``, ``p1``, ...; ``wide`` is SQL by column."""
        joins = " ".join(one.join for part in parts for one in part.held)
        terms = [part.sql() if part.held else wide[part.columns[0]] for part in parts]
        return f"{self._rows} t {joins}", ", ".join(f"{term} AS p{at}" for at, term in enumerate(terms))

    def _refuse_too_many(self, columns: Sequence[str]) -> None:
        """Refuse to bring more combinations into this process than its part of the memory holds."""
        most = self._session.most_numbers
        if not columns or most is None or self.rows * (len(columns) + 1) <= most:
            return
        about = self.about(columns)
        if about * (len(columns) + 1) > most:
            raise Unsupported(
                f"about {about:,} combinations of {', '.join(columns)} are more than the memory of this process holds",
                thing=self.engine,
                alternatives=["a larger limits.memory"],
            )

    def _field(self, name: str) -> Field:
        try:
            return self._fields[name]
        except KeyError:
            raise BadRequest("is not a column of the table", value=name, available=self._fields) from None

    def distinct(self, columns: Sequence[str]) -> int:
        if not columns:
            return min(self.rows, 1)
        values = ", ".join(f"{self._field(name).value} AS k{at}" for at, name in enumerate(columns))
        return int(self._session.run(f"SELECT count(*) FROM (SELECT DISTINCT {values} FROM {self._rows})")[0][0])

    def about(self, columns: Sequence[str]) -> int:
        asked = tuple(columns)
        if not asked:
            return self.distinct(asked)
        values = ", ".join(self._field(name).value for name in asked)
        query = f"SELECT approx_count_distinct(({values})) FROM {self._rows}"
        return self._answers.get(("about", asked), lambda: int(self._session.run(query)[0][0]), lambda _: 1)

    def bucket_hashes(self) -> Iterator[bytes]:
        """Return the lines of the buckets that rows fall into, in order; rows are counted and hashed where they are."""
        if self.in_threads:
            cells = self._all_cells()
            return coded_buckets([(keys.values, keys.codes) for keys in cells.keys], cells.sizes)
        return self._hashed_there()

    def _all_cells(self) -> Cells:
        """Count all columns, first by the values that were meant to be there."""
        meant = self._source._meant
        if meant:
            try:
                return self._count_by(self.columns, ask=True, meant=meant)
            except self._session.error:
                self._source._meant = {}  # a value that nobody meant
        return self._count_by(self.columns, ask=True)

    def _hashed_there(self) -> Iterator[bytes]:
        import pyarrow as pa

        parts = parts_of(self._listed(list(self._fields)))
        rows, terms = self._numbered(parts, [replace(one, key=f"t.{one.key}").cell for one in self._fields.values()])
        counted = f"SELECT {terms}, count(*) AS n FROM {rows} GROUP BY {numbered_terms(len(parts))}"
        most = min(FEW, self.rows // _JOINED)
        cells, joins = list[str](), list[str]()
        for at, part in enumerate(parts):
            if not part.held:
                cells.append(f"g.p{at}")
            # Each text is written once, by us, and not row by row.
            for piece, shift in part.pieces(most) if part.held else ():
                texts = [[MISSING_CELL, *map(cell_text, one.values)] for one in piece.held]
                numbers, lines = combined(texts, "\t")
                place = self._session.store(pa.table({"code": numbers, "cell": pa.array(lines, pa.string())}))
                number = f"(g.p{at} >> {shift}) & {(1 << piece.bits) - 1}"
                cells.append(f"j{len(joins)}.cell")
                joins.append(f"JOIN {place} j{len(joins)} ON j{len(joins)}.code = {number}")
        line = f"sha256({row_line(cells)} || chr(10) || g.n)"
        leaves = f"SELECT {line} AS leaf FROM ({counted}) g {' '.join(joins)} ORDER BY leaf"
        return buckets_in_order(
            _joined(portion["leaf"]) for portion in self._session.stream(leaves, writers.PORTION) if len(portion)
        )

    def _store(
        self, values: Sequence[Hashable], field: Field, kinds: Mapping[str, str] | None = None, **more: pa.Array
    ) -> str:
        """Keep a small table of values ``v`` as the field stores them, and of what stands beside each."""
        import pyarrow as pa

        _, held, kind = as_stored(values, field, "v")
        return self._session.store(pa.table({"v": held, **more}), **kind, **(kinds or {}))


def _coded_keys(column: pa.ChunkedArray, field: Field) -> CodedKeys:
    """Return the values of an Arrow column once each, and which of them each row has."""
    if field.entries is not None:
        return CodedKeys(field.entries.values, frames.whole_numbers(column.combine_chunks().indices).astype(np.int32))
    coded = column.combine_chunks().dictionary_encode()
    found, codes = coded.dictionary, frames.whole_numbers(coded.indices).astype(np.int32)
    # Values that come in their order, as they mostly do, may be told by their ends.
    numbers = (
        frames.whole_numbers(found)
        if field.type is ColumnType.INTEGER and found.type == arrow_type(field.type)
        else None
    )
    if numbers is not None and (numbers[1:] > numbers[:-1]).all():
        return CodedKeys(whole_values(numbers), codes)
    return CodedKeys(found.to_pylist(), codes)


def as_stored(values: Sequence[Hashable], field: Field, name: str) -> tuple[list[bool], pa.Array, dict[str, str]]:
    """Return which values a field can hold, an array of them as it stores them, and the type that the column needs."""
    import pyarrow as pa

    if field.entries is not None:
        held = [field.entries.text_of.get(value) for value in values]
        return [text is not None for text in held], pa.array(held, pa.string()), {name: field.entries.name}
    fits = [frames.can_hold(value, field.type) for value in values]
    listed = [value if fit else None for value, fit in zip(values, fits, strict=True)]
    return fits, pa.array(listed, arrow_type(field.type)), {}


def of_table(table: str, field: Field) -> str:
    """Return the value of a field of one table among several that are joined."""
    return replace(field, key=f"{table}.{field.key}").value


def row_line(cells: Iterable[str]) -> str:
    """Return the line of a row, as :mod:`sfumato.data.content` writes it, as SQL."""
    return f"concat_ws(chr(9), {', '.join(f'coalesce({cell}, {literal(MISSING_CELL)})' for cell in cells)})"


def _joined(texts: pa.ChunkedArray) -> bytes:
    """Return texts of one length one after the other, as they lie in memory."""
    (held,) = texts.chunks
    begin = int(np.frombuffer(held.buffers()[1], np.int32)[held.offset])
    return bytes(held.buffers()[2][begin : begin + len(held) * _LEAF])


def numbered_terms(count: int) -> str:
    """Return the numbers by which a query names its first terms."""
    return ", ".join(str(at + 1) for at in range(count))
