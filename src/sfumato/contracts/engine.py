"""Engines: where rows live. One contract, so that Polars, DuckDB and a cluster give the same groups and the same bytes.

A :class:`Table` is a handle on rows inside an engine. Everything that needs rows goes through it; searches, models and
metrics only ever see what it returns: dictionaries, compressed tables, group statistics. Handles are immutable: each
operation returns a new one.

An engine counts, joins and writes; what else a table offers is worked out here, from the counts. Rows of a table have no
number: order is made by writing, identity is the digest of the content. Where rows lie in memory they have a place as well,
and a :class:`RowTable` gives and takes them by it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import islice
from operator import lt
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt

from sfumato.contracts.table_checks import (
    check_keys,
    compressed,
    refuse_missing,
    refuse_unknown,
    refuse_unlabelled,
    refuse_unshared,
)
from sfumato.contracts.thing import Thing
from sfumato.data.compressed import CompressedTable, Dictionary
from sfumato.data.content import (
    MISSING_CELL,
    bucket_lines,
    cell_text,
    content_root,
    drawn_below,
    row_hash,
    row_leaf,
    row_text,
)
from sfumato.data.frozen import frozen
from sfumato.data.html import html_table, html_text
from sfumato.data.messages import tell
from sfumato.data.schema import ColumnType, arrow_type
from sfumato.data.text import to_text, written_text
from sfumato.errors import BadRequest, InternalError, Unsupported
from sfumato.groups.cells import Cells
from sfumato.groups.distinct import found_among
from sfumato.groups.stats import CodedKeys, GroupStats
from sfumato.kernels.arrays import Bools, Codes, Ints

__all__ = [
    "AT_ONCE",
    "KEPT_NUMBERS",
    "Engine",
    "Keys",
    "Labels",
    "Look",
    "Present",
    "RowTable",
    "SourceOptions",
    "Table",
]

T = TypeVar("T")

Keys = Sequence[Sequence[Hashable]]
"""Combinations of values, column by column: the first entries of all columns make the first combination."""

Labels = Mapping[str, Sequence[str | None]]
"""New texts of some columns, one for each of the keys beside them; ``None`` stands for missing."""

AT_ONCE = 1 << 22
"""Rows up to which two answers may take room in memory at once."""

KEPT_NUMBERS = 1 << 23
"""What the answers that a table keeps may hold together."""
_ADDED_UP = 32


@frozen
class SourceOptions:
    """How to read a source where it does not say so itself; ``None`` means: find out.

    ``ignored`` names columns that will be dropped unread, such as identifiers: a reader need not work out their types.
    Columns that are ``unread`` nobody looks at: of a database only their names come, and every value is missing.
    Values that a source spells in several ways (``1``, ``1.0``, ``1e0``) get one spelling, so that rows that count as alike
    look alike; columns ``as_written`` are read as text then, so that rows that look different count as different.
    ``skip_first`` and ``skip_last`` are lines above the header and below the last record; without a ``header`` the first line
    is a record, and columns are called column_1, column_2 and so on. ``rename_columns`` gives columns
    without a name, or with one that another has, a name of their own, and ``formats`` tells by column how values are written
    that are not in canonical form; see :mod:`sfumato.engines.formats`. ``may_be_empty`` lets a header stand alone: of what was
    written by us, that says that there is nothing.
    """

    format: str | None = None
    separator: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ("",)
    sheet: str | None = None
    table: str | None = None
    types: Mapping[str, ColumnType] = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()
    as_written: frozenset[str] = frozenset()
    skip_first: int = 0
    skip_last: int = 0
    rename_columns: bool = False
    header: bool | None = None
    formats: Mapping[str, str] = field(default_factory=dict)
    may_be_empty: bool = False


@frozen
class Present:
    """What one look at all rows tells: how many there are, and in how many of them each column has a value."""

    rows: int
    known: Mapping[str, int]


@frozen
class Look:
    """What some rows tell of a combination of columns: how many rows were looked at, how many differ, how many occur again."""

    rows: int
    distinct: int
    repeated: int


class _Answers:
    """What a table was asked and answered; the oldest answers go when all together hold too many numbers.

    A thread that asks what another one is asking waits for its answer.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[object, int]] = {}
        self._numbers = 0
        self._one, self._asked = Lock(), dict[Hashable, Lock]()

    def kept(self, question: Hashable) -> object:
        """Return the answer that is kept, ``None`` if there is none."""
        with self._one:
            if question not in self._kept:
                return None
            entry = self._kept[question] = self._kept.pop(question)  # asked again: the youngest now
            return entry[0]

    def get(self, question: Hashable, ask: Callable[[], T], numbers: Callable[[T], int]) -> T:
        """Return the answer that is kept, or ask."""
        held = self.kept(question)
        if held is not None:
            return cast(T, held)
        with self._one:
            asked = self._asked.setdefault(question, Lock())
        with asked:
            held = self.kept(question)
            if held is not None:
                return cast(T, held)
            try:
                answer = ask()
                self._keep(question, answer, numbers(answer))
            finally:
                with self._one:
                    self._asked.pop(question, None)
        return answer

    def _keep(self, question: Hashable, answer: object, size: int) -> None:
        if size > KEPT_NUMBERS:
            return
        with self._one:
            self._kept[question] = answer, size
            self._numbers += size if size > KEPT_NUMBERS >> 16 else 0
            while self._numbers > KEPT_NUMBERS:
                # A digest is one text and dear to work out again: what is small makes no room.
                oldest = next(one for one, (_, many) in self._kept.items() if many > KEPT_NUMBERS >> 16)
                self._numbers -= self._kept.pop(oldest)[1]

    def above(self, asked: Sequence[str]) -> Cells | None:
        """Return the answer of the fewest combinations that counts these columns among others."""
        with self._one:
            held = [one for one, _ in self._kept.values() if isinstance(one, Cells)]
        return min((one for one in held if {*asked} < {*one.columns}), key=len, default=None)


class Table(ABC):
    """Rows inside an engine: named, typed columns; missing values are nulls, NaN counts as missing."""

    engine: ClassVar[str]
    writes: ClassVar[tuple[str, ...] | None] = None
    """Formats that it can write, the usual one first; ``None`` where it writes all."""

    @property
    def in_threads(self) -> bool:
        """Whether a thread may ask while another one asks, and two answers may take room at once."""
        return False

    @property
    def home(self) -> str | Engine:
        """The engine in which tables are made that belong to this one; an engine that has settings passes them on."""
        return self.engine

    def __repr__(self) -> str:  # values may be those of persons
        return f"{type(self).__name__}({self.rows:,} rows, {len(self.types):,} columns: {', '.join(self.columns)})"

    def _repr_html_(self) -> str:
        header = [tell("page.notebook.column"), tell("page.notebook.type")]
        return html_text(f"{self.rows:,} × {len(self.types):,}") + html_table(header, self.types.items())

    # ---- what an engine must offer -----------------------------------------------------------------------------------

    @property
    @abstractmethod
    def types(self) -> Mapping[str, ColumnType]:
        """Columns in order, with their logical types."""

    @abstractmethod
    def _present(self) -> Present:
        """Count the rows, and the known values of each column, in one pass; asked through :meth:`present`."""

    @abstractmethod
    def _count(self, columns: Sequence[str]) -> Cells:
        """Count the distinct combinations of values, in their order, missing first; asked through :meth:`counts`."""

    @abstractmethod
    def select(self, columns: Sequence[str]) -> Self:
        """Keep these columns, in this order."""

    @abstractmethod
    def known(self, columns: Sequence[str]) -> Self:
        """Keep the rows in which none of these columns is missing."""

    @abstractmethod
    def without(self, columns: Sequence[str], keys: Keys) -> Self:
        """Leave out the rows whose values in ``columns`` equal one of the keys."""

    @abstractmethod
    def relabel(self, columns: Sequence[str], keys: Keys, labels: Labels) -> Self:
        """Give rows the labels of their key: equal keys, equal labels; the columns of the labels become text.

        Keys are distinct, missing equals missing, and a row that has none of the keys is an internal error.
        """

    @abstractmethod
    def share(self, columns: Sequence[str], keys: Keys, labels: Labels, take: npt.ArrayLike, *, secret: str) -> Self:
        """Share labels out among rows that look alike: of the rows with a key, ``take`` get the labels beside it.

        A key may be listed several times, one after the other; what is taken of it adds up to its rows. Which rows get which
        labels is decided by :func:`~sfumato.data.content.row_hash` of all their values, so that every engine chooses the same.
        """

    @abstractmethod
    def write(self, path: Path, format: str | None = None, *, separator: str = ",") -> None:  # noqa: A002
        """Write the rows to a file, sorted by all columns unless they have a place; the same bytes whatever the engine."""

    @abstractmethod
    def to_native(self) -> Any:
        """Return the rows as the frame type that came in (or the engine's own)."""

    # ---- questions, remembered ---------------------------------------------------------------------------------------

    @cached_property
    def _answers(self) -> _Answers:
        return _Answers()

    def present(self) -> Present:
        """Return the number of rows, and of the known values of each column."""
        return self._answers.get("present", self._present, lambda found: len(found.known))

    def counts(self, columns: Sequence[str]) -> Cells:
        """Return the distinct combinations of values with their number of rows, in the order of values, missing first.

        A table does not change, so an answer is kept as long as the table, unless answers become too large; a question that
        a kept answer holds is answered from it.
        """
        asked = tuple(columns)
        self._refuse_strange(asked)
        return self._answers.get(
            ("counts", asked), lambda: self._ask(asked), lambda cells: len(cells) * (len(asked) + 1)
        )

    def _ask(self, asked: Sequence[str]) -> Cells:
        # What was counted with more columns is added up, where that is less than the rows.
        above = self._answers.above(asked) if asked else None
        if above is None or len(above) * _ADDED_UP > self.rows:
            return self._count(asked)
        return above.rolled_up(asked)

    def foresee(self, columns: Sequence[str], beside: Sequence[str] = ()) -> None:
        """Say which columns will be asked about: where each question is dear, one answer serves for all of them.

        ``beside`` are columns each of which will be asked about together with all of these, if that is not too much.
        """
        self._refuse_strange((*columns, *beside))

    def _refuse_strange(self, columns: Sequence[str]) -> None:
        for name in columns:
            if name not in self.types:
                raise BadRequest("is not a column of the table", value=name, available=self.types)

    # ---- looking -----------------------------------------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names in order."""
        return tuple(self.types)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.present().rows

    def missing(self) -> Mapping[str, int]:
        """Return the number of missing values of each column."""
        found = self.present()
        return {name: found.rows - found.known[name] for name in self.types}

    def dictionary(self, column: str) -> Dictionary:
        """Return the distinct values of a column in order, with counts."""
        cells = self.counts([column])
        missing = int(cells.sizes[0]) if len(cells) and cells.keys[0].codes[0] < 0 else 0
        return Dictionary(column, tuple(cells.keys[0].values), cells.sizes[1:] if missing else cells.sizes, missing)

    def distinct(self, columns: Sequence[str]) -> int:
        """Return the number of distinct combinations of these columns."""
        return len(self.counts(columns))

    def about(self, columns: Sequence[str]) -> int:
        """Return about how many distinct combinations of these columns there are, where that is found sooner."""
        return self.distinct(columns)

    def repeated(self, columns: Sequence[str]) -> int:
        """Return the number of combinations of these columns that more than one row has."""
        return int(np.count_nonzero(self.counts(columns).sizes > 1))

    def look(self, count: int, asked: Sequence[Sequence[str]]) -> list[Look]:
        """Say of about so many rows, whichever are at hand, how far they differ in each of these combinations of columns.

        Where a look at all of them costs no more they all are looked at. No row leaves its place.
        """
        return [Look(self.rows, self.distinct(columns), self.repeated(columns)) for columns in asked]

    def some_values(self, column: str, count: int) -> Dictionary:
        """Return the known values of a column in about so many rows, whichever are at hand, in the order of their texts."""
        return self.dictionary(column)

    def bucket_hashes(self) -> Iterator[bytes]:
        """Return the lines of the buckets that rows fall into, in order; see :mod:`sfumato.data.content`."""
        cells = self.counts(self.columns)
        rows = map(row_text, zip(*_texts(cells.keys), strict=True))
        return bucket_lines(map(row_leaf, rows, cells.sizes.tolist()))

    def content_digest(self) -> str:
        """Return the digest of names, types and rows: the same whatever the engine, the format and the order of rows."""
        return self._answers.get("digest", lambda: content_root(self.types, self.bucket_hashes()), len)

    def as_rows(self) -> RowTable:
        """Return the table as one whose rows have a place; refuse where its engine gives them none."""
        raise Unsupported(
            f"needs rows that have a place in memory; the engine {self.engine} only counts them",
            thing=self.engine,
            alternatives=["polars", "duckdb"],
        )

    def head(self, count: int) -> list[tuple[Any, ...]]:
        """Return the first rows as tuples; needs rows that have a place."""
        return self.as_rows().head(count)

    def to_rows(self) -> list[tuple[Any, ...]]:
        """Return all rows as tuples; needs rows that have a place."""
        return self.head(self.rows)

    def batches(self) -> Iterator[Any]:
        """Yield the rows as Arrow record batches, in order; needs rows that have a place."""
        return self.as_rows().batches()

    def sharing(self, other: Table) -> Self:
        """Return the same rows; columns that another table holds as well, row by row, may take no room of their own."""
        return self

    # ---- choosing rows -----------------------------------------------------------------------------------------------

    def drop_missing(self, columns: Sequence[str]) -> Self:
        """Drop the rows in which any of these columns is missing."""
        return self.known(columns) if columns else self

    def fill_missing(self, column: str, value: str) -> Self:
        """Turn missing values of a column into this text; the column becomes text.

        Other values get the text that is written of them; an engine that keeps texts as they were read keeps those.
        """
        values = self.dictionary(column).values
        return self.relabel([column], [[*values, None]], {column: [*map(written_text, values), value]})

    def sample(self, share: float, *, secret: str) -> Self:
        """Keep about this share of the rows; equal rows stay or go together, and every engine draws the same.

        Which ones is decided by :func:`~sfumato.data.content.row_hash` of all their values.
        """
        if share >= 1:
            return self
        cells, last = self.counts(self.columns), drawn_below(share)
        texts = map(row_text, zip(*_texts(cells.keys), strict=True))
        gone = np.flatnonzero([row_hash(secret, text) >= last for text in texts])
        return self.without(self.columns, [held.take(gone) for held in cells.keys]) if len(gone) else self

    def drop_groups(self, columns: Sequence[str], keys: Sequence[Sequence[Hashable]]) -> Self:
        """Drop the rows whose values in ``columns`` equal one of the keys, each of which holds a value per column."""
        self._refuse_strange(columns)
        check_keys(columns, keys)
        return self.without(columns, list(zip(*keys, strict=True))) if keys else self

    # ---- numbers for searches and checks -----------------------------------------------------------------------------

    def compress(
        self, columns: Sequence[str], extra: Sequence[str] = (), dictionaries: Mapping[str, Dictionary] | None = None
    ) -> CompressedTable:
        """Return the distinct rows over ``columns`` and ``extra`` with weights, in code order.

        Codes index the given dictionaries, or the table's own. A missing value in one of the columns is refused.
        """
        names = list(dict.fromkeys([*columns, *extra]))
        self._refuse_strange(names)
        missing = self.missing()
        for name in names:
            refuse_missing(name, missing[name])
        cells = self.counts(names)
        used: dict[str, Dictionary] = {}
        codes: dict[str, Codes] = {}
        for name, held in zip(names, cells.keys, strict=True):
            used[name] = (dictionaries or {}).get(name) or self.dictionary(name)
            codes[name] = _placed(held, used[name].values)
            refuse_unknown(name, int(cells.sizes[codes[name] < 0].sum()))
        if all(_rising(used[name].values) for name in names):
            return compressed(columns, extra, codes, cells.sizes, used)
        # A dictionary that was given need not be in the order of values.
        order = np.lexsort([codes[name] for name in reversed(names)])
        return compressed(columns, extra, {name: codes[name][order] for name in names}, cells.sizes[order], used)

    def groups(self, columns: Sequence[str], histograms: Sequence[str] = ()) -> GroupStats:
        """Return sizes (and histograms) of the groups of equal values in ``columns``; missing equals missing."""
        asked = tuple(columns), tuple(histograms)
        return self._answers.get(
            ("groups", *asked),
            lambda: self.counts([*columns, *histograms]).groups(len(columns)),
            lambda found: len(found) * (len(columns) + 1),
        )

    # ---- masking -----------------------------------------------------------------------------------------------------

    def recode(self, mappings: Mapping[str, Mapping[Hashable, str | None]]) -> Self:
        """Replace values by labels, column by column; recoded columns become text, missing stays missing.

        A mapping covers every value that occurs; a value without an entry is an internal error.
        """
        table = self
        for name, mapping in mappings.items():
            values = self.dictionary(name).values
            if any(value not in mapping for value in values):
                raise InternalError(f"column {name!r}: the recoding has no label for a value", column=name)
            table = table.relabel([name], [[*values, None]], {name: [*map(mapping.__getitem__, values), None]})
        return table

    def sort(self) -> Self:
        """Sort the rows by all columns from left to right, missing first: an order that tells nothing of the input's.

        Rows that have no place are put in this order when they are written.
        """
        return self


class RowTable(Table):
    """Rows that have a place: they are given, taken and written in order.

    Codes, labels by row, the first rows, batches and choices of rows need places; no other method does.
    """

    def as_rows(self) -> Self:
        return self

    @abstractmethod
    def codes(self, columns: Sequence[str], dictionaries: Mapping[str, Dictionary] | None = None) -> Codes:
        """Return the code of every cell of some columns, record by record in table order; -1 where it is missing.

        The array is ``rows x columns`` in C order: the codes of a record lie side by side. Codes index the given
        dictionaries, or the table's own; a value that is not in a given dictionary is refused.
        """

    @abstractmethod
    def put(self, labels: Mapping[str, tuple[Codes, Sequence[str | None]]]) -> Self:
        """Replace whole columns by labels, row by row: one code for each row, and the list of labels that codes index.

        These columns become text. The code -1 and a label that is ``None`` stand for missing.
        """

    @abstractmethod
    def take(self, rows: npt.ArrayLike) -> Self:
        """Return the rows at some places, in the order given."""

    @abstractmethod
    def sort(self) -> Self:
        """Sort the rows by all columns from left to right, missing first: an order that tells nothing of the input's."""

    @abstractmethod
    def head(self, count: int) -> list[tuple[Any, ...]]:
        """Return the first rows as tuples."""

    def look(self, count: int, asked: Sequence[Sequence[str]]) -> list[Look]:
        names = list(dict.fromkeys(name for columns in asked for name in columns))
        rows = self.select(names).head(count) if names else []
        held = {name: _numbered(row[at] for row in rows) for at, name in enumerate(names)}
        often = {columns: _alike([held[name] for name in columns]) for columns in dict.fromkeys(map(tuple, asked))}
        return [Look(len(rows), len(one), int((one > 1).sum())) for one in (often[tuple(columns)] for columns in asked)]

    def some_values(self, column: str, count: int) -> Dictionary:
        found = Counter(value for (value,) in self.select([column]).head(count) if value is not None)
        values = sorted(found, key=to_text)
        return Dictionary(column, tuple(values), np.array([found[value] for value in values], np.int64), 0)

    @abstractmethod
    def batches(self) -> Iterator[Any]:
        """Yield the rows as Arrow record batches, in order."""

    # ---- joins by place ----------------------------------------------------------------------------------------------

    def _coded_keys(self, columns: Sequence[str], keys: Keys) -> Codes:
        """Return keys as codes, keys x columns; -2 stands for a value that occurs nowhere."""
        self._refuse_strange(columns)
        held = [(CodedKeys.of(one), self.dictionary(name).values) for name, one in zip(columns, keys, strict=True)]
        return np.column_stack([_placed(one, values, strange=-2) for one, values in held])

    def _key_of(self, columns: Sequence[str], keys: Keys) -> Ints:
        """Return for each row the first of the keys that it has, -1 where it has none."""
        return found_among(self._coded_keys(columns, keys), self.codes(columns))

    def known(self, columns: Sequence[str]) -> Self:
        return self.take(np.flatnonzero((self.codes(columns) >= 0).all(axis=1)))

    def without(self, columns: Sequence[str], keys: Keys) -> Self:
        return self.take(np.flatnonzero(self._key_of(columns, keys) < 0))

    def relabel(self, columns: Sequence[str], keys: Keys, labels: Labels) -> Self:
        key = self._key_of(columns, keys)
        refuse_unlabelled(columns, int(np.count_nonzero(key < 0)))
        return self._put_labels(labels, key)

    def share(self, columns: Sequence[str], keys: Keys, labels: Labels, take: npt.ArrayLike, *, secret: str) -> Self:
        coded = self._coded_keys(columns, keys)
        first = found_among(coded, coded)
        key = found_among(coded, self.codes(columns))
        order = np.lexsort((self._ranks((np.bincount(first, minlength=1) > 1)[key], secret), key))
        entries, taken = np.argsort(first, kind="stable"), np.asarray(take, np.int64)
        sent = np.repeat(entries, taken[entries])
        refuse_unshared(columns, not np.array_equal(key[order], first[sent]))
        entry = np.empty(len(key), np.int64)
        entry[order] = sent
        return self._put_labels(labels, entry)

    def _ranks(self, asked: Bools, secret: str) -> Ints:
        """Return the place of some rows in the order of their hashes, 0 for the others; equal rows share a place."""
        cells = self.counts(self.columns)
        codes = np.column_stack([held.codes for held in cells.keys])
        of_row = found_among(codes, self.codes(self.columns)[asked])
        used, number = np.unique(of_row, return_inverse=True)
        texts = zip(*(np.array(column, object)[used] for column in _texts(cells.keys)), strict=True)
        hashes = np.array([row_hash(secret, row_text(cells)) for cells in texts])
        out = np.zeros(len(asked), np.int64)
        out[asked] = np.argsort(np.argsort(hashes))[number]
        return out

    def _put_labels(self, labels: Labels, entry: Ints) -> Self:
        return self.put(_RowLabels({name: CodedKeys.of(texts) for name, texts in labels.items()}, entry))


class _RowLabels(Mapping[str, tuple[Codes, Sequence[str | None]]]):
    """The labels of rows, column by column, from those of entries; a column is laid out when somebody comes to it."""

    def __init__(self, held: Mapping[str, CodedKeys], entry: Ints) -> None:
        self._held, self._entry = held, entry

    def __getitem__(self, name: str) -> tuple[Codes, Sequence[str | None]]:
        keys = self._held[name]
        return keys.codes[self._entry], cast(Sequence[str], keys.values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)


def _numbered(values: Iterable[Hashable]) -> Ints:
    """Return the number of each value, in the order in which they first occur."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(value, len(known)) for value in values], np.int64)


def _alike(columns: Sequence[Ints]) -> Ints:
    """Return how often each combination of numbers occurs in columns of one length."""
    together = columns[0] if columns else np.zeros(0, np.int64)
    for column in columns[1:]:
        together = np.unique(together * len(column) + column, return_inverse=True)[1]
    return np.bincount(together)


def _texts(keys: Sequence[CodedKeys]) -> Iterator[list[str]]:
    """Yield the canonical texts of columns, each value written once."""
    for held in keys:
        written = [*map(cell_text, held.values), MISSING_CELL]  # the last entry answers for missing, -1
        yield [written[code] for code in held.codes.tolist()]


def _placed(held: CodedKeys, values: Sequence[Hashable], strange: int = -1) -> Codes:
    """Return the places of coded values in another list of them: -1 where missing, ``strange`` where not on the list."""
    if held.values is values or held.values == values:
        return held.codes
    place = {value: code for code, value in enumerate(values)}
    return np.array([*(place.get(value, strange) for value in held.values), -1], np.int32)[held.codes]


def _rising(values: Sequence[Any]) -> bool:
    """Tell whether values are in their order."""
    return all(map(lt, values, islice(values, 1, None)))


class Engine(Thing):
    """Opens sources: files, database tables, frames."""

    kind: ClassVar[str] = "engine"

    def bounded(self, memory: int | None = None, temp: int | None = None) -> Engine:
        """Return the engine with bounds of memory and temporary space in bytes, if it can keep them and has none of its own."""
        return self

    @abstractmethod
    def open(self, source: Any, options: SourceOptions | None = None) -> Table:
        """Return a handle on the rows of a path, a database URI with a table name, or a frame."""

    def coded(self, columns: Mapping[str, CodedKeys], types: Mapping[str, ColumnType]) -> Table:
        """Return a table of columns given as codes into lists of values; the values of a list differ and are in order."""
        import pyarrow as pa

        def shown(held: CodedKeys, kind: ColumnType) -> pa.Array:
            return pa.array(held.values, arrow_type(kind)).take(pa.array(held.codes, mask=held.codes < 0))

        return self.open(pa.table({name: shown(held, types[name]) for name, held in columns.items()}))
