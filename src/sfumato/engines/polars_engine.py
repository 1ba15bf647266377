"""The engine in memory: coded columns, with Polars doing the work on rows. The default."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from sfumato.contracts.engine import AT_ONCE, KEPT_NUMBERS, Engine, Keys, Present, RowTable, SourceOptions, Table
from sfumato.contracts.table_checks import (
    check_codes,
    compressed,
    refuse_missing,
    refuse_none,
    refuse_unknown,
    side_by_side,
)
from sfumato.data.compressed import CompressedTable, Dictionary
from sfumato.data.content import CodedRows, bucket_lines, cell_texts, coded_buckets
from sfumato.data.schema import ColumnType, arrow_type
from sfumato.data.whole import as_values
from sfumato.engines import frames, writers
from sfumato.engines.columns import Column, code_all, coded_texts, look_up
from sfumato.engines.packing import distinct_rows
from sfumato.engines.polars_reader import as_asked, columns_of, open_source
from sfumato.engines.sources import check_columns
from sfumato.errors import BadRequest, InternalError
from sfumato.groups.cells import Cells, sorted_groups
from sfumato.groups.stats import CodedKeys, GroupStats
from sfumato.kernels.arrays import Bools, Codes, Ints

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PolarsEngine", "PolarsTable"]

_PACKED_BITS = 62
_COUNTED_BITS = 21
_GLANCED = 1000

_Part = Callable[[slice], list[Codes]]
"""Gives some of the distinct rows, column by column: all of them at once may be as many as the rows."""


class PolarsTable(RowTable):
    """Rows in memory."""

    engine: ClassVar[str] = "polars"

    def __init__(self, columns: Mapping[str, Column], rows: int, kind: str | None = None) -> None:
        self._columns = dict(columns)
        self._rows = rows
        self._kind = kind

    @property
    def in_threads(self) -> bool:
        return self._rows <= AT_ONCE

    @classmethod
    def from_frame(cls, frame: pl.DataFrame, where: str = "the rows") -> PolarsTable:
        """Wrap a Polars frame."""
        return cls(columns_of(frame, where), frame.height)

    # ---- looking -----------------------------------------------------------------------------------------------------

    @property
    def types(self) -> Mapping[str, ColumnType]:
        return {name: column.type for name, column in self._columns.items()}

    def _present(self) -> Present:
        return Present(self._rows, {name: self._rows - column.missing for name, column in self._columns.items()})

    @property
    def rows(self) -> int:
        return self._rows

    def _column(self, name: str) -> Column:
        try:
            return self._columns[name]
        except KeyError:
            raise BadRequest("is not a column of the table", value=name, available=self._columns) from None

    def _coded(self, names: Sequence[str]) -> list[Column]:
        columns = [self._column(name) for name in names]
        code_all(columns)
        return columns

    def foresee(self, columns: Sequence[str], beside: Sequence[str] = ()) -> None:
        """Code all of them at once: the way to Polars costs more than a column of some thousand rows."""
        super().foresee(columns, beside)
        self._coded(columns)

    def _count(self, columns: Sequence[str]) -> Cells:
        # The verifier counts with this; it shares no code with compress, on which searches work.
        held = self._coded(columns)
        cells, sizes = _cells([column.value_codes() for column in held], self._rows)
        keys = [CodedKeys(column.values[0], codes) for column, codes in zip(held, cells(slice(None)), strict=True)]
        return Cells.of(columns, keys, sizes)

    def groups(self, columns: Sequence[str], histograms: Sequence[str] = ()) -> GroupStats:
        if self._rows <= AT_ONCE or len(histograms) != 1:
            return super().groups(columns, histograms)
        # So many combinations are not laid out column by column where only their groups are asked for.
        names = [*columns, *histograms]
        held = self._coded(names)
        cells, sizes = _cells([column.value_codes() for column in held], self._rows)
        return sorted_groups(names, [column.values[0] for column in held], cells, sizes)

    def distinct(self, columns: Sequence[str]) -> int:
        if not columns:
            return min(self._rows, 1)
        return self._frame(columns).n_unique()

    def about(self, columns: Sequence[str]) -> int:
        asked = tuple(columns)
        if not asked:
            return self.distinct(asked)
        return self._answers.get(
            ("about", asked), lambda: cast(int, self._frame(asked).hash_rows().approx_n_unique()), lambda _: 1
        )

    def _frame(self, names: Sequence[str]) -> pl.DataFrame:
        """Return the positions of the values of these columns, -1 where one is missing, as columns "0", "1", ..."""
        return pl.DataFrame({str(at): column.value_codes() for at, column in enumerate(self._coded(names))})

    def bucket_hashes(self) -> Iterator[bytes]:
        held = self._coded(self.columns)
        if self._rows * (len(held) + 1) <= KEPT_NUMBERS:
            counted = self.counts(self.columns)  # others will ask the same
            return coded_buckets([(keys.values, keys.codes) for keys in counted.keys], counted.sizes)
        values = [column.values[0] for column in held]
        cells, sizes = _cells([column.value_codes() for column in held], self._rows)
        rows = CodedRows([cell_texts(known) for known in values])
        portions = (slice(start, start + writers.PORTION) for start in range(0, len(sizes), writers.PORTION))
        return bucket_lines(rows.leaves(cells(part), sizes[part]) for part in portions)

    # ---- choosing rows and columns -----------------------------------------------------------------------------------

    def _with(self, columns: Mapping[str, Column], rows: int | None = None) -> PolarsTable:
        return PolarsTable(columns, self._rows if rows is None else rows, self._kind)

    def _keep(self, keep: Bools) -> PolarsTable:
        if keep.all():
            return self
        kept = {name: column.filter(keep) for name, column in self._columns.items()}
        return self._with(kept, int(np.count_nonzero(keep)))

    def retyped(self, options: SourceOptions) -> PolarsTable:
        """Return the rows with columns in the types that are asked for; refuse values that these lack."""
        check_columns(list(self._columns), "the table", options)
        new = {name: as_asked(self._columns[name], name, options, "the table") for name in options.types}
        return self._with({**self._columns, **new}) if new else self

    def select(self, columns: Sequence[str]) -> PolarsTable:
        refuse_none(columns)
        return self._with({name: self._column(name) for name in columns})

    def sharing(self, other: Table) -> PolarsTable:
        if not isinstance(other, PolarsTable) or self._rows != other._rows:
            return self
        self._coded(self.columns)
        held = other._columns
        return self._with(
            {
                name: held[name] if name in held and column.same(held[name]) else column
                for name, column in self._columns.items()
            }
        )

    def known(self, columns: Sequence[str]) -> PolarsTable:
        keep = np.ones(self._rows, bool)
        for name in columns:
            keep &= self._column(name).present()
        return self._keep(keep)

    def without(self, columns: Sequence[str], keys: Keys) -> PolarsTable:
        return self._keep(self._key_of(columns, keys) < 0)

    def _key_of(self, columns: Sequence[str], keys: Keys) -> Ints:
        own, used = self._placed(columns, None)
        asked = self._coded_keys(columns, keys)
        bits = [(len(used[name]) + 2).bit_length() for name in columns]
        rows = _side_by_side([own[name] for name in columns], bits)
        listed = _side_by_side(list(asked.T), bits)
        first = listed.with_row_index("key")
        if listed.n_unique() < listed.height:
            first = first.unique(listed.columns, keep="first")
        found = rows.join(first, on=listed.columns, how="left", maintain_order="left")["key"]
        return found.cast(pl.Int64).fill_null(-1).to_numpy()

    def take(self, rows: npt.ArrayLike) -> PolarsTable:
        places = np.asarray(rows, np.int64)
        return self._with({name: column.take(places) for name, column in self._columns.items()}, len(places))

    def fill_missing(self, column: str, value: str) -> PolarsTable:
        return self._with({**self._columns, column: self._column(column).fill(value)})

    # ---- numbers for searches and checks -----------------------------------------------------------------------------

    def compress(
        self, columns: Sequence[str], extra: Sequence[str] = (), dictionaries: Mapping[str, Dictionary] | None = None
    ) -> CompressedTable:
        names = list(dict.fromkeys([*columns, *extra]))
        for name in names:
            refuse_missing(name, self._column(name).missing)
        codes, used = self._placed(names, dictionaries)
        found, weights = distinct_rows([codes[name] for name in names], [len(used[name]) for name in names], self._rows)
        return compressed(columns, extra, dict(zip(names, found, strict=True)), weights, used)

    def codes(self, columns: Sequence[str], dictionaries: Mapping[str, Dictionary] | None = None) -> Codes:
        codes, _ = self._placed(list(dict.fromkeys(columns)), dictionaries)
        return side_by_side([codes[name] for name in columns], self._rows)

    def _placed(
        self, names: Sequence[str], dictionaries: Mapping[str, Dictionary] | None
    ) -> tuple[dict[str, Codes], dict[str, Dictionary]]:
        """Return the position of each value in the dictionary of its column, given or own, and these dictionaries."""
        used: dict[str, Dictionary] = {}
        codes: dict[str, Codes] = {}
        for name, column in zip(names, self._coded(names), strict=True):
            given = None if dictionaries is None else dictionaries.get(name)
            used[name] = given or self.dictionary(name)
            codes[name] = column.value_codes()
            values, _ = column.values
            if used[name].values != tuple(values):
                place = {value: code for code, value in enumerate(used[name].values)}
                table = np.array([place.get(value, -1) for value in values], np.int32)
                codes[name] = look_up(table, codes[name])
                refuse_unknown(name, int(np.count_nonzero(codes[name] < 0)) - column.missing)
        return codes, used

    # ---- masking -----------------------------------------------------------------------------------------------------

    def recode(self, mappings: Mapping[str, Mapping[Hashable, str | None]]) -> PolarsTable:
        new = dict(self._columns)
        for (name, mapping), column in zip(mappings.items(), self._coded(list(mappings)), strict=True):
            try:
                new[name] = column.relabel(mapping)
            except KeyError:
                raise InternalError(f"column {name!r}: the recoding has no label for a value", column=name) from None
        return self._with(new)

    def put(self, labels: Mapping[str, tuple[Codes, Sequence[str | None]]]) -> PolarsTable:
        new = {}
        for name, (codes, texts) in labels.items():
            self._column(name)
            given = check_codes(name, codes, texts, self._rows)
            new[name] = coded_texts(given, pl.Series(list(texts), dtype=pl.String))
        return self._with({**self._columns, **new})

    def sort(self) -> PolarsTable:
        columns = self._coded(self.columns)
        # Missing is -1 and must come first, so all codes move up by one.
        shifted = (column.codes + np.int32(1) for column in columns)
        found, weights = distinct_rows(shifted, [len(column.entries) + 1 for column in columns], self._rows)
        found.reverse()  # what is taken from the end goes when its rows are there
        return self._with(
            {
                name: column.with_codes(np.repeat(found.pop() - np.int32(1), weights))
                for name, column in self._columns.items()
            }
        )

    # ---- leaving -----------------------------------------------------------------------------------------------------

    def head(self, count: int) -> list[tuple[Hashable, ...]]:
        count = max(0, min(count, self._rows))
        return list(zip(*(column.typed(0, count).to_list() for column in self._columns.values()), strict=True))

    def frame(self) -> pl.DataFrame:
        """Return the rows as a Polars frame of typed columns."""
        return pl.DataFrame([column.typed().alias(name) for name, column in self._columns.items()])

    def batches(self) -> Iterator[pa.RecordBatch]:
        yield from writers.plain_batches(self._portions(as_text=False))

    def _portions(self, *, as_text: bool) -> Iterator[pa.Table]:
        """Yield Arrow tables of the writers' portion size; coded texts stay coded."""
        import pyarrow as pa

        for start in range(0, max(self._rows, 1), writers.PORTION):
            stop = start + writers.PORTION
            yield pa.table(
                {name: _arrow(column, start, stop, as_text=as_text) for name, column in self._columns.items()}
            )

    def write(self, path: Path, format: str | None = None, *, separator: str = ",") -> None:  # noqa: A002
        target = writers.target(path, format, separator)
        if target.as_text:
            writers.write_frames(target, self._texts())
        else:
            writers.write(target, self._portions(as_text=False))

    def _texts(self) -> Iterator[pl.DataFrame]:
        """Yield frames of the writers' portion size, texts as they were read."""
        for start in range(0, max(self._rows, 1), writers.PORTION):
            stop = start + writers.PORTION
            yield pl.DataFrame([column.stored(start, stop).alias(name) for name, column in self._columns.items()])

    def to_native(self) -> object:
        """Return the rows as the frame type that came in (a Polars frame if it was none)."""
        if self._kind in (None, "polars"):
            return self.frame()
        if self._kind == "polars-lazy":
            return self.frame().lazy()
        return frames.from_arrow(self.frame().to_arrow(), self._kind)


def _arrow(column: Column, start: int, stop: int, *, as_text: bool) -> pa.Array:
    import pyarrow as pa

    texts = column.coded and column.is_text and (as_text or column.type is ColumnType.TEXT)
    # A long list of entries would be carried along with every portion.
    if texts and len(column.entries) <= writers.PORTION // 8:
        # Given a NumPy array, Arrow loads pandas, if there is one, to ask whether it is a pandas object; a series is quicker.
        codes = pl.Series(_wide(column.codes[start:stop]))
        indices = pl.select(pl.when(codes >= 0).then(codes)).to_series() if (codes < 0).any() else codes
        return pa.DictionaryArray.from_arrays(indices.to_arrow(), column.entries.to_arrow())
    return (column.stored(start, stop) if as_text else column.typed(start, stop)).to_arrow()


def _side_by_side(columns: Sequence[Codes], bits: Sequence[int]) -> pl.DataFrame:
    """Return columns of codes from -2 on in as few columns of whole numbers as hold them: joins look at one, not at ten."""
    words: list[Ints] = []
    free = 0
    for codes, room in zip(columns, bits, strict=True):
        if room > free:
            words.append(np.zeros(len(codes), np.int64))
            free = _PACKED_BITS
        words[-1] <<= room
        words[-1] += codes
        words[-1] += 2
        free -= room
    return pl.DataFrame({str(at): word for at, word in enumerate(words)})


def _cells(columns: Sequence[Codes], rows: int) -> tuple[_Part, Ints]:
    """Return what gives the distinct rows of columns of positions, sorted, column by column, and how often each occurs.

    Positions follow the order of values and missing is -1, so sorting them sorts the values, missing first. The columns are
    laid side by side in one number where they fit, which sorts several times faster than eight of them group.
    """
    if not columns:
        return lambda part: [], np.array([rows] if rows else [], np.int64)
    if len(columns) == 1:
        counts = _tallied(columns[0])
        found = np.flatnonzero(counts)
        return lambda part: [found[part].astype(np.int32) - np.int32(1)], counts[found].astype(np.int64)
    if _in_order(columns, _GLANCED) and _in_order(columns, rows):  # as a release is written: equal rows are neighbours
        fresh = np.zeros(rows, bool)
        fresh[:1] = True
        for codes in columns:
            fresh[1:] |= codes[1:] != codes[:-1]
        if fresh.all():
            # Kernels would be compiled once more for arrays that may not be written to.
            return lambda part: [np.require(_wide(codes[part]), None, "W") for codes in columns], np.ones(
                rows, np.int64
            )
        first = np.flatnonzero(fresh)
        return lambda part: [_wide(codes[first[part]]) for codes in columns], _lengths(first, rows)
    bits = [(int(codes.max(initial=0)) + 1).bit_length() for codes in columns]
    if sum(bits) > _PACKED_BITS:
        frame = pl.DataFrame({str(at): codes for at, codes in enumerate(columns)})
        cells = frame.group_by(frame.columns).agg(pl.len().alias("len")).sort(frame.columns)
        grouped = [cells[name].to_numpy() for name in frame.columns]
        return lambda part: [_wide(codes[part]) for codes in grouped], cells["len"].to_numpy().astype(np.int64)
    key = np.zeros(rows, np.int64)
    for codes, room in zip(columns, bits, strict=True):
        key <<= room
        key += codes
        key += 1
    if sum(bits) <= _COUNTED_BITS:
        # So few combinations are possible that each has a place of its own.
        counts = np.bincount(key)
        found = np.flatnonzero(counts)
        return partial(_unpacked, found, bits), counts[found].astype(np.int64)
    key.sort()
    first = np.flatnonzero(np.append(True, key[1:] != key[:-1])) if rows else np.empty(0, np.int64)
    return partial(_unpacked, key if len(first) == rows else key[first], bits), _lengths(first, rows)


def _wide(codes: Codes) -> Codes:
    """Return codes in the width that everybody takes them in: kernels would be compiled once more for others."""
    return codes.astype(np.int32, copy=False)


def _tallied(codes: Codes) -> Ints:
    """Return how often each number from -1 on occurs; a portion at a time, as counting takes wide numbers."""
    counts = np.zeros(int(codes.max(initial=-1)) + 2, np.int64)
    for start in range(0, len(codes), writers.PORTION):
        counts += np.bincount(codes[start : start + writers.PORTION] + np.int32(1), minlength=len(counts))
    return counts


def _lengths(first: Ints, rows: int) -> Ints:
    """Return how long runs of rows are that begin at these places."""
    out = np.full(len(first), rows, np.int64)
    out[:-1] = first[1:]
    out -= first
    return out


def _unpacked(keys: Ints, bits: Sequence[int], part: slice) -> list[Codes]:
    """Return the positions that lie side by side in some of the numbers, column by column."""
    held, out = keys[part], list[Codes]()
    for at, room in enumerate(bits):
        out.append((held >> sum(bits[at + 1 :]) & (1 << room) - 1).astype(np.int32) - np.int32(1))
    return out


def _in_order(columns: Sequence[Codes], count: int) -> bool:
    """Tell whether the first rows are sorted by all columns from left to right."""
    held = np.ones(max(min(count, len(columns[0])) - 1, 0), bool)
    for codes in reversed(columns):
        before, after = codes[: len(held)], codes[1 : len(held) + 1]
        held &= before == after
        held |= before < after
    return bool(held.all())


def _entries(values: Sequence[Hashable], kind: ColumnType) -> pl.Series:
    """Return the values of a column as it stores them."""
    import pyarrow as pa

    if isinstance(values, range) and kind is ColumnType.INTEGER:
        return pl.Series(np.arange(values.start, values.stop))
    return cast(pl.Series, pl.from_arrow(pa.array(values, arrow_type(kind))))


class PolarsEngine(Engine):
    """Rows in memory with Polars: the fastest for tables that fit.

    Columns are coded by their distinct values; grouping, sorting and writing work on the codes.

    Examples
    --------
    >>> PolarsEngine().open({"age": [30, 31, 30]}).groups(["age"]).as_dict()
    {(30,): 2, (31,): 1}

    References
    ----------
    Polars, a data frame library with lazy evaluation on Apache Arrow memory.
    """

    id: ClassVar[str] = "polars"

    def open(self, source: object, options: SourceOptions | None = None) -> PolarsTable:
        if isinstance(source, PolarsTable):
            return source if options is None else source.retyped(options)
        columns, kind = open_source(source, options or SourceOptions())
        return PolarsTable(columns, len(next(iter(columns.values()))), kind)

    def coded(self, columns: Mapping[str, CodedKeys], types: Mapping[str, ColumnType]) -> PolarsTable:
        held = {
            name: Column(
                types[name],
                codes=one.codes,
                entries=_entries(one.values, types[name]),
                values=as_values(one.values),
            )
            for name, one in columns.items()
        }
        return PolarsTable(held, len(next(iter(held.values()))))
