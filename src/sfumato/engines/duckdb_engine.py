"""The engine beyond memory: every operation is a query of DuckDB, and rows leave it only in portions.

A table is a query over a source with a row number ``r``; operations wrap it. What a recoding or a dictionary knows comes in as
a small table to join with. Only what gives rows their place needs the number: codes, labels by row, choices by place, and the
order in which rows leave.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.contracts.engine import Engine, Keys, Labels, SourceOptions
from sfumato.contracts.table_checks import (
    check_codes,
    compressed,
    refuse_missing,
    refuse_none,
    refuse_unknown,
    refuse_unlabelled,
    refuse_unshared,
    side_by_side,
)
from sfumato.contracts.thing import param
from sfumato.data.compressed import CompressedTable, Dictionary
from sfumato.data.content import drawn_below
from sfumato.data.schema import ColumnType, arrow_type
from sfumato.engines import frames, writers
from sfumato.engines.duckdb_counts import DuckDBCounts, as_stored, numbered_terms, of_table, row_line
from sfumato.engines.duckdb_fields import FEW, Entries, Field
from sfumato.engines.duckdb_packing import Listed, parts_of
from sfumato.engines.duckdb_reader import as_asked, open_source
from sfumato.engines.duckdb_session import Bounds, Session, literal
from sfumato.engines.sources import check_columns, refuse_without_arrow
from sfumato.errors import BadRequest, InternalError
from sfumato.groups.stats import CodedKeys
from sfumato.kernels.arrays import Codes

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DuckDBEngine", "DuckDBTable"]


class DuckDBTable(DuckDBCounts):
    """Rows behind a query."""

    @property
    def home(self) -> Engine:
        """The engine of tables that are made from this one: within the same bounds, in the same folder."""
        return DuckDBEngine(**self._session.bounds)

    # ---- choosing rows and columns -----------------------------------------------------------------------------------

    def _with(
        self, query: str | None = None, fields: Mapping[str, Field] | None = None, order: Sequence[str] | None = None
    ) -> DuckDBTable:
        opened = replace(
            self._opened,
            query=self._opened.query if query is None else query,
            fields=self._fields if fields is None else {**self._fields, **fields},
        )
        return DuckDBTable(self._session, opened, self._order if order is None else order, self._source)

    def retyped(self, options: SourceOptions) -> DuckDBTable:
        """Return the rows with columns in the types that are asked for; refuse values that these lack."""
        check_columns(list(self._fields), "the table", options)
        fields, parts = {}, []
        for name in options.types:
            field = self._fields[name]
            if options.types[name] is field.type:
                continue
            kind, stored, expression = as_asked(
                self._session,
                self._rows,
                name,
                field,
                field.key if field.entries is None else field.text,
                options,
                "the table",
            )
            fields[name] = Field(self._session.name(), kind, stored)
            parts.append(f"{expression} AS {fields[name].key}")
        return self._with(f"SELECT *, {', '.join(parts)} FROM {self._rows}", fields) if parts else self

    def select(self, columns: Sequence[str]) -> DuckDBTable:
        refuse_none(columns)
        # The query keeps the other columns: the order of rows may depend on them.
        opened = replace(self._opened, fields={name: self._field(name) for name in columns})
        return DuckDBTable(self._session, opened, self._order, self._source)

    def known(self, columns: Sequence[str]) -> DuckDBTable:
        known = " AND ".join(f"{self._field(name).key} IS NOT NULL" for name in columns)
        return self._with(f"SELECT * FROM {self._rows} WHERE {known}")

    def fill_missing(self, column: str, value: str) -> DuckDBTable:
        key = self._session.name()
        text = f"coalesce({self._field(column).text}, {literal(value)})"
        return self._with(f"SELECT *, {text} AS {key} FROM {self._rows}", {column: Field(key, ColumnType.TEXT)})

    def without(self, columns: Sequence[str], keys: Keys) -> DuckDBTable:
        unwanted, same = self._keyed(columns, keys)
        return self._with(f"SELECT t.* FROM {self._rows} t ANTI JOIN {unwanted} k ON {same}")

    def sample(self, share: float, *, secret: str) -> DuckDBTable:
        if share >= 1:
            return self
        listed = self._listed(list(self._fields))
        joins = " ".join(held.join for held in listed if held is not None)
        cells = [
            replace(field, key=f"t.{field.key}").cell if held is None else held.cell
            for field, held in zip(self._fields.values(), listed, strict=True)
        ]
        drawn = f"sha256({literal(secret)} || chr(10) || {row_line(cells)}) < '{drawn_below(share)}'"
        kept = self._session.name()  # whoever asks about a sample asks often, and every row would be hashed again
        self._session.run(f"CREATE TABLE {kept} AS SELECT t.* FROM {self._rows} t {joins} WHERE {drawn}")
        return self._with(f"SELECT * FROM {kept}")

    def take(self, rows: npt.ArrayLike) -> DuckDBTable:
        import pyarrow as pa

        number = self._session.name()
        places = np.asarray(rows, np.int64)
        held = self._session.arrow(f"SELECT r FROM {self._rows} ORDER BY {', '.join(self._order)}")["r"].take(places)
        chosen = self._session.store(pa.table({"r": held, number: pa.array(np.arange(len(places)))}))
        query = f"SELECT t.* REPLACE (p.{number} AS r) FROM {self._rows} t JOIN {chosen} p ON p.r = t.r"
        return self._with(query, order=["r"])

    def _keyed(
        self, columns: Sequence[str], keys: Keys, kinds: Mapping[str, str] | None = None, **more: pa.Array
    ) -> tuple[str, str]:
        """Keep keys, and what stands beside each, as a table ``k``; return its name and what joins rows ``t`` with it.

        ``kinds`` are types of what stands beside keys, where they are enumerations.
        """
        import pyarrow as pa

        arrays, keep, types = {}, np.ones(len(keys[0]), bool), dict(kinds or {})
        fields = [self._field(name) for name in columns]
        for at, (field, given) in enumerate(zip(fields, keys, strict=True)):
            held = CodedKeys.of(given)
            # A key that its column cannot hold equals no row. The last entry answers for missing, -1.
            fits, values, kind = as_stored(held.values, field, f"k{at}")
            keep &= np.array([*fits, True], bool)[held.codes]
            arrays[f"k{at}"] = pa.concat_arrays([values, pa.nulls(1, values.type)]).take(
                pa.array(held.codes % (len(values) + 1))
            )
            types |= kind
        same = " AND ".join(f"k.k{at} IS NOT DISTINCT FROM {of_table('t', field)}" for at, field in enumerate(fields))
        return self._session.store(pa.table({**arrays, **more}).filter(pa.array(keep)), **types), same

    # ---- numbers for searches and checks -----------------------------------------------------------------------------

    def compress(
        self, columns: Sequence[str], extra: Sequence[str] = (), dictionaries: Mapping[str, Dictionary] | None = None
    ) -> CompressedTable:
        names = list(dict.fromkeys([*columns, *extra]))
        fields = [self._field(name) for name in names]
        if names and all(field.entries is not None for field in fields):
            return super().compress(columns, extra, dictionaries)
        used: dict[str, Dictionary] = {}
        joins, codes, own = [], [], dict[str, Codes]()
        missing = self.missing()
        for at, (name, field) in enumerate(zip(names, fields, strict=True)):
            refuse_missing(name, missing[name])
            if field.entries is not None:
                used[name] = (dictionaries or {}).get(name) or self.dictionary(name)
                place = {value: code for code, value in enumerate(used[name].values)}
                own[name] = np.array([place.get(value, -1) for value in field.entries.values], np.int32)
                if (np.diff(own[name][own[name] >= 0]) > 0).all():
                    codes.append(f"g.k{at}")  # entries have the order of codes
                    continue
                del own[name]
            used[name], listed = self._places(name, field, dictionaries)
            joins.append(f"LEFT JOIN {listed} d{at} ON d{at}.v = g.k{at}")
            codes.append(f"d{at}.code AS k{at}")
        keys = ", ".join(f"{field.value} AS k{at}" for at, field in enumerate(fields))
        if names:
            inner = f"SELECT {keys}, count(*) AS n FROM {self._rows} GROUP BY {numbered_terms(len(names))}"
            query = (
                f"SELECT {', '.join(codes)}, n FROM ({inner}) g {' '.join(joins)} ORDER BY {numbered_terms(len(names))}"
            )
        else:
            query = f"SELECT count(*) AS n FROM {self._rows} HAVING count(*) > 0"
        found = self._session.arrow(query)
        weights = frames.whole_numbers(found["n"])
        arrays: dict[str, Codes] = {}
        for at, name in enumerate(names):
            column = found[f"k{at}"]
            if name in own:
                arrays[name] = own[name][frames.whole_numbers(column.combine_chunks().indices)]
            else:
                arrays[name] = frames.whole_numbers(column).astype(np.int32)
            refuse_unknown(name, int(weights[arrays[name] < 0].sum()))
        return compressed(columns, extra, arrays, weights, used)

    def _places(self, name: str, field: Field, dictionaries: Mapping[str, Dictionary] | None) -> tuple[Dictionary, str]:
        """Return the dictionary of a column, given or own, and the table of its values and their codes."""
        import pyarrow as pa

        used = (None if dictionaries is None else dictionaries.get(name)) or self.dictionary(name)
        return used, self._store(used.values, field, code=pa.array(np.arange(len(used.values), dtype=np.int32)))

    def codes(self, columns: Sequence[str], dictionaries: Mapping[str, Dictionary] | None = None) -> Codes:
        names = list(dict.fromkeys(columns))
        joins, parts = [], []
        for at, name in enumerate(names):
            field = self._field(name)
            _, place = self._places(name, field, dictionaries)
            joins.append(f"LEFT JOIN {place} d{at} ON d{at}.v = {of_table('t', field)}")
            parts.append(f"d{at}.code AS k{at}")
        if not names:
            return np.empty((self.rows, 0), np.int32)
        order = ", ".join(self._order)
        found = self._session.arrow(f"SELECT {', '.join(parts)} FROM {self._rows} t {' '.join(joins)} ORDER BY {order}")
        missing = self.missing()
        arrays: dict[str, Codes] = {}
        for at, name in enumerate(names):
            column = found[f"k{at}"]
            refuse_unknown(name, column.null_count - missing[name])
            arrays[name] = frames.whole_numbers(column).astype(np.int32)
        return side_by_side([arrays[name] for name in columns], self.rows)

    # ---- masking -----------------------------------------------------------------------------------------------------

    def recode(self, mappings: Mapping[str, Mapping[Hashable, str | None]]) -> DuckDBTable:
        import pyarrow as pa

        joins, parts, fields = [], ["t.*"], {}
        for at, (name, mapping) in enumerate(mappings.items()):
            field = self._field(name)
            values = self.dictionary(name).values
            try:
                labels = [mapping[value] for value in values]
            except KeyError:
                raise InternalError(f"column {name!r}: the recoding has no label for a value", column=name) from None
            key = self._session.name()
            fields[name] = self._text_field(key, labels)
            place = self._store(values, field, _kinds(label=fields[name]), label=pa.array(labels, pa.string()))
            joins.append(f"LEFT JOIN {place} m{at} ON m{at}.v = {of_table('t', field)}")
            parts.append(f"m{at}.label AS {key}")
        return self._with(f"SELECT {', '.join(parts)} FROM {self._rows} t {' '.join(joins)}", fields)

    def relabel(self, columns: Sequence[str], keys: Keys, labels: Labels) -> DuckDBTable:
        fields, arrays = self._labelled(labels)
        place, same = self._keyed(columns, keys, _kinds(**{field.key: field for field in fields.values()}), **arrays)
        ((lost,),) = self._session.run(f"SELECT count(*) FROM {self._rows} t ANTI JOIN {place} k ON {same}")
        refuse_unlabelled(columns, lost)
        new = ", ".join(f"k.{key}" for key in arrays)
        return self._with(f"SELECT t.*, {new} FROM {self._rows} t JOIN {place} k ON {same}", fields)

    def share(
        self, columns: Sequence[str], keys: Keys, labels: Labels, take: npt.ArrayLike, *, secret: str
    ) -> DuckDBTable:
        fields, arrays = self._labelled(labels)
        entry, taken = self._session.name(), np.asarray(take, np.int64)
        kinds = _kinds(**{field.key: field for field in fields.values()})
        place, same = self._keyed(columns, keys, kinds, **arrays, **{entry: np.arange(len(taken)), "n": taken})
        alike = ", ".join(f"k{at}" for at in range(len(columns)))
        ends = f"SELECT *, sum(n) OVER (PARTITION BY {alike} ORDER BY {entry}) AS stop FROM {place}"
        values = ", ".join(of_table("t", self._field(name)) for name in columns)
        text = f"sha256({literal(secret)} || chr(10) || {row_line(field.cell for field in self._fields.values())})"
        ranked = f"SELECT *, row_number() OVER (PARTITION BY {values} ORDER BY {text}) AS place FROM {self._rows} t"
        new = ", ".join(f"k.{key}" for key in arrays)
        query = (
            f"SELECT t.* EXCLUDE (place), {new} FROM ({ranked}) t JOIN ({ends}) k "
            f"ON {same} AND t.place > k.stop - k.n AND t.place <= k.stop"
        )
        ((found,),) = self._session.run(f"SELECT count(*) FROM ({query})")
        refuse_unshared(columns, not found == self.rows == taken.sum())
        return self._with(query, fields)

    def _labelled(self, labels: Labels) -> tuple[dict[str, Field], dict[str, pa.Array]]:
        """Return new columns of texts, and what a table of labels holds for them."""
        import pyarrow as pa

        fields = {
            name: self._text_field(self._session.name(), texts) for name, texts in labels.items() if self._field(name)
        }
        return fields, {fields[name].key: pa.array(list(texts), pa.string()) for name, texts in labels.items()}

    def _text_field(self, key: str, texts: Sequence[str | None]) -> Field:
        """Return a new column of texts; few of them become an enumeration."""
        entries = tuple(sorted({text for text in texts if text is not None}, key=str.encode))
        if not 0 < len(entries) <= FEW:
            return Field(key, ColumnType.TEXT)
        return Field(key, ColumnType.TEXT, entries=Entries(self._session.enumeration(entries), entries, entries))

    def put(self, labels: Mapping[str, tuple[Codes, Sequence[str | None]]]) -> DuckDBTable:
        import pyarrow as pa

        arrays, fields = {}, {}
        for name, (codes, texts) in labels.items():
            self._field(name)
            given = check_codes(name, codes, texts, self.rows)
            key = self._session.name()
            indices = pa.array(given, mask=given < 0)
            arrays[key] = pa.DictionaryArray.from_arrays(indices, pa.array(list(texts), pa.string()))
            fields[name] = Field(key, ColumnType.TEXT)
        if not arrays:
            return self
        # Labels find their row by its number in the source, and keep the place it has now: no later query has to sort for it.
        number = self._session.name()
        arrays["r"] = self._session.arrow(f"SELECT r FROM {self._rows} ORDER BY {', '.join(self._order)}")["r"]
        arrays[number] = pa.array(np.arange(self.rows, dtype=np.int64))
        place = self._session.store(pa.table(arrays))
        new = ", ".join(f"p.{key}" for key in arrays if key != "r")
        query = f"SELECT t.*, {new} FROM {self._rows} t JOIN {place} p ON p.r = t.r"
        return self._with(query, fields, [number])

    def sort(self) -> DuckDBTable:
        return self._with(order=[term for field in self._fields.values() for term in field.order])

    # ---- leaving -----------------------------------------------------------------------------------------------------

    def _select(self, *, as_text: bool = False, named: bool = False, coded: bool = False) -> str:
        columns = []
        for at, (name, field) in enumerate(self._fields.items()):
            label = '"' + name.replace('"', '""') + '"' if named else f"o{at}"
            key = field.key if coded or field.entries is None else field.text
            entries = coded and field.entries is not None
            columns.append(f"{key if as_text or entries else field.typed} AS {label}")
        return f"SELECT {', '.join(columns)} FROM {self._rows} ORDER BY {', '.join(self._order)}"

    def head(self, count: int) -> list[tuple[Hashable, ...]]:
        return self._session.run(f"{self._select()} LIMIT {max(0, int(count))}")

    def _portions(self, *, as_text: bool, coded: bool = False) -> Iterator[pa.Table]:
        """Yield portions of the rows; few texts may stay coded. Rows sorted by all columns come as numbers of their values."""
        import pyarrow as pa

        names, fields = list(self._fields), list(self._fields.values())
        in_order = self._order == self.sort()._order
        # A number stands for a value: where another text of it is written, as it was read, a column comes as it is.
        listed = [
            held if field.entries is not None or field.value == field.key else None
            for field, held in zip(fields, self._listed(names) if in_order else [None] * len(fields), strict=True)
        ]
        parts = parts_of(listed)
        written = [field.key if as_text or field.entries is not None else field.typed for field in fields]
        rows, terms = self._numbered(parts, written)
        order: Iterable[str] = self._order
        if in_order:
            ordered = [(f"p{at}",) if part.held else fields[part.columns[0]].order for at, part in enumerate(parts)]
            order = (term for terms in ordered for term in terms)
        kinds = self._session.arrow(f"SELECT {', '.join(written)} FROM {self._rows} LIMIT 0").schema.types
        values = [_as_written(*told, as_text) for told in zip(fields, listed, kinds, strict=True)]
        query = f"SELECT {terms} FROM {rows}"
        if in_order and self._lone(parts):
            numbers = self._numbers_of(query)
            numbers.sort()
            whole = pa.table({"p0": numbers})
            portions: Iterable[pa.Table] = (
                whole.slice(start, writers.PORTION) for start in range(0, len(numbers), writers.PORTION)
            )
        else:
            portions = self._session.stream(f"{query} ORDER BY {', '.join(order)}", writers.PORTION)
        for table in portions:
            columns: dict[int, pa.Array | pa.ChunkedArray] = {}
            for part, column in zip(parts, table.columns, strict=True):
                codes = part.codes(frames.whole_numbers(column)) if part.held else {}
                for at in part.columns:
                    known = values[at]
                    if known is None:
                        columns[at] = column
                        continue
                    indices = _indices(codes[at].codes) if codes else column.combine_chunks().indices
                    stays = coded and pa.types.is_string(known.type)
                    columns[at] = pa.DictionaryArray.from_arrays(indices, known) if stays else known.take(indices)
            yield pa.table([columns[at] for at in range(len(fields))], names=names)

    def batches(self) -> Iterator[pa.RecordBatch]:
        yield from writers.plain_batches(self._portions(as_text=False))

    def write(self, path: Path, format: str | None = None, *, separator: str = ",") -> None:  # noqa: A002
        target = writers.target(path, format, separator)
        source = self._opened.file
        if source is not None and target.path.exists() and target.path.samefile(source):
            raise BadRequest("is the file that the rows are read from; write to another", where=str(path))
        self._opened.refuse_changed()
        writers.write(target, self._portions(as_text=target.as_text, coded=target.format == "parquet"))
        self._opened.refuse_changed()

    def to_native(self) -> object:
        """Return the rows as the frame type that came in (a DuckDB relation if it was none)."""
        if self._opened.kind in (None, "duckdb"):
            return self._session.relation(self._select(named=True))
        import pyarrow as pa

        return frames.from_arrow(
            pa.concat_tables(list(self._portions(as_text=False))).combine_chunks(), self._opened.kind
        )


def _as_written(field: Field, held: Listed | None, kind: pa.DataType, as_text: bool) -> pa.Array | None:
    """Return what is written of the numbers or entries of a column; nothing if it comes as it is."""
    import pyarrow as pa

    if field.entries is None:
        return None if held is None else pa.array(held.values, arrow_type(field.type)).cast(kind)
    if as_text or field.type is ColumnType.TEXT:
        return pa.array(field.entries.texts, pa.string())
    return pa.array(field.entries.values, arrow_type(field.type))


def _indices(codes: Codes) -> pa.Array:
    import polars as pl

    given = pl.Series(codes)
    return given.set(given < 0, None).to_arrow()


def _kinds(**fields: Field) -> dict[str, str]:
    """Return the types of columns that are enumerations."""
    return {name: field.entries.name for name, field in fields.items() if field.entries is not None}


class DuckDBEngine(Engine):
    """Rows on disk with DuckDB: for tables that do not fit into memory.

    Every operation is a query; rows leave the database only in portions.

    Examples
    --------
    >>> DuckDBEngine(threads=1).open({"age": [30, 31, 30]}).groups(["age"]).as_dict()
    {(30,): 2, (31,): 1}

    References
    ----------
    Raasveldt, Mühleisen, "DuckDB: an embeddable analytical database", 2019, doi:10.1145/3299869.3320212.
    """

    id: ClassVar[str] = "duckdb"

    memory_limit: str | None = param(
        default=None, doc="memory that DuckDB may use, such as 2GB; its own limit if not given"
    )
    threads: int | None = param(default=None, ge=1, doc="threads that DuckDB may use; all cores if not given")
    directory: str | None = param(default=None, doc="folder for temporary files; the system's if not given")
    temp: str | None = param(
        default=None, doc="space that temporary files may take, such as 50GB; the disk if not given"
    )

    def bounded(self, memory: int | None = None, temp: int | None = None) -> DuckDBEngine:
        """Return the engine with bounds of its memory and of its temporary files in bytes, if it has none of its own."""
        memory_limit = self.memory_limit or (None if memory is None else f"{memory}B")
        return replace(self, memory_limit=memory_limit, temp=self.temp or (None if temp is None else f"{temp}B"))

    def open(self, source: object, options: SourceOptions | None = None) -> DuckDBTable:
        if isinstance(source, DuckDBTable):
            return source if options is None else source.retyped(options)
        refuse_without_arrow("the engine duckdb")
        session = Session(
            Bounds(memory_limit=self.memory_limit, threads=self.threads, directory=self.directory, temp=self.temp)
        )
        return DuckDBTable(session, open_source(session, source, options or SourceOptions()))
