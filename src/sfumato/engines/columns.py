"""Columns of a table in memory: stored values, or positions in a short sorted list of them.

Delimited sources are stored as text, whatever their logical type, so that what is not masked is written back as it was read;
the values behind the texts are worked out on the distinct texts only. All columns can be *coded*: ``entries`` lists the
distinct stored values by value, then by text, and ``codes`` points into it, -1 where the value is missing.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl

from sfumato.contracts.engine import AT_ONCE
from sfumato.data.schema import ColumnType
from sfumato.data.whole import whole_values
from sfumato.engines.inference import parse
from sfumato.engines.texts import as_text
from sfumato.engines.unused import LARGE, give_back
from sfumato.kernels.arrays import Bools, Codes, Ints
from sfumato.kernels.lookup import looked_up

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Column", "code_all", "coded_texts", "from_categories", "from_dictionaries", "look_up"]

_NARROW = 1 << 20
_CLOSE = 4  # whole numbers for each that occurs, up to which a table of their range is as small as the entries
_PORTION = 1 << 18
_LARGEST = 1 << 62


def _narrowed(codes: Codes, entries: int) -> Codes:
    """Return codes in as few bytes as they need where rows are many: such a table is held twice, raw and masked."""
    if len(codes) <= AT_ONCE or entries > np.iinfo(np.int16).max:
        return codes
    return codes.astype(np.int8 if entries <= np.iinfo(np.int8).max else np.int16, copy=False)


class Column:
    """One column: its logical type, and its stored values with or without codes."""

    def __init__(
        self,
        kind: ColumnType,
        *,
        series: pl.Series | None = None,
        codes: Codes | None = None,
        entries: pl.Series | None = None,
        values: Sequence[Hashable] | None = None,
    ) -> None:
        self.type = kind
        self._series = series
        self._codes = codes if codes is None or entries is None else _narrowed(codes, len(entries))
        self._entries = entries
        # Of typed entries the values may be known: columns that have them in common then hold them once.
        self._values = None if values is None else (values, np.arange(len(values), dtype=np.int32))

    def __len__(self) -> int:
        if self._codes is not None:
            return len(self._codes)
        assert self._series is not None
        return len(self._series)

    # ---- stored values -----------------------------------------------------------------------------------------------

    @property
    def coded(self) -> bool:
        """Whether codes are there already."""
        return self._codes is not None

    @property
    def is_text(self) -> bool:
        """Whether the stored values are texts, whatever the type."""
        stored = self._entries if self._entries is not None else self._series
        assert stored is not None
        return stored.dtype == pl.String

    def stored(self, start: int = 0, stop: int | None = None) -> pl.Series:
        """Return the stored values of some rows."""
        if self._series is not None:
            return self._series[start:stop]
        assert self._entries is not None
        return self._entries.gather(self._positions(start, stop))

    def typed(self, start: int = 0, stop: int | None = None) -> pl.Series:
        """Return the values of some rows in their logical type."""
        if not self.is_text or self.type is ColumnType.TEXT:
            return self.stored(start, stop)
        if self._entries is not None:
            return parse(self._entries, self.type).gather(self._positions(start, stop))
        return parse(self.stored(start, stop), self.type)

    def _positions(self, start: int, stop: int | None) -> pl.Series:
        assert self._codes is not None
        codes = pl.Series(self._codes[start:stop].astype(np.int32, copy=False))
        return codes.set(codes < 0, None) if len(codes) and codes.min() == -1 else codes

    def texts(self) -> Column:
        """Return the column as text, the way it would be written."""
        if self._entries is not None:
            # Different values never share a text; entries of one value keep their own.
            return coded_texts(self.codes, as_text(self._entries))
        assert self._series is not None
        return Column(ColumnType.TEXT, series=as_text(self._series))

    # ---- codes -------------------------------------------------------------------------------------------------------

    @property
    def codes(self) -> Codes:
        """Position of each stored value in ``entries``; -1 where it is missing. Of many rows numbers may be narrower."""
        if self._codes is None:
            code_all([self])
        assert self._codes is not None
        return self._codes

    @property
    def entries(self) -> pl.Series:
        """Distinct stored values in order; after rows were dropped some may no longer occur."""
        if self._entries is None:
            code_all([self])
        assert self._entries is not None
        return self._entries

    def set_codes(self, codes: Codes, entries: pl.Series) -> None:
        """Keep the codes; the stored values follow from them."""
        self._codes, self._entries, self._series = _narrowed(codes, len(entries)), entries, None

    @property
    def values(self) -> tuple[Sequence[Hashable], Codes]:
        """Distinct values behind the entries, in order, and the position of each entry's value among them."""
        if self._values is None:
            entries = self.entries
            if not self.is_text or self.type is ColumnType.TEXT:
                typed = entries.cast(pl.Float64) if isinstance(entries.dtype, pl.Decimal) else entries
            else:
                typed = parse(entries, self.type)
            if typed is entries:
                self._values = _listed(entries), np.arange(len(entries), dtype=np.int32)
            else:
                fresh = np.append(True, (typed[1:] != typed[:-1]).to_numpy()) if len(typed) else np.empty(0, bool)
                position = np.cumsum(fresh, dtype=np.int32) - np.int32(1)
                self._values = tuple(typed.filter(pl.Series(fresh)).to_list()), position
        return self._values

    def value_codes(self) -> Codes:
        """Return the position of each row's value among the distinct values; -1 where it is missing."""
        values, position = self.values
        if len(values) == len(self.entries):
            return self.codes
        return look_up(position, self.codes)

    @property
    def missing(self) -> int:
        """Number of missing values."""
        if self._series is not None:
            return self._series.null_count()
        return int(np.count_nonzero(self.codes < 0))

    def present(self) -> Bools:
        """Tell for each row whether it has a value."""
        if self._series is not None:
            return self._series.is_not_null().to_numpy()
        return self.codes >= 0

    def same(self, other: Column) -> bool:
        """Tell whether another column holds the same values in the same rows, in the same form; it may list others as well."""
        if self.type is not other.type or not self.coded or not other.coded or len(self) != len(other):
            return False
        if self.entries.dtype != other.entries.dtype or not 0 < len(self.entries) <= len(other.entries):
            return False
        place = other.entries.search_sorted(self.entries)
        if int(cast(int, place.max())) >= len(other.entries) or not other.entries.gather(place).equals(self.entries):
            return False
        table = np.append(place.cast(pl.Int32).to_numpy(), np.int32(-1))
        portions = (slice(start, start + _PORTION) for start in range(0, len(self), _PORTION))
        return all(np.array_equal(table[self.codes[part]], other.codes[part]) for part in portions)

    # ---- new columns -------------------------------------------------------------------------------------------------

    def filter(self, keep: Bools) -> Column:
        """Keep some rows."""
        if self._codes is not None:
            return self.with_codes(self._codes[keep])
        assert self._series is not None
        return Column(self.type, series=self._series.filter(pl.Series(keep)))

    def take(self, places: Ints) -> Column:
        """Return the rows at some places."""
        if self._codes is not None:
            return self.with_codes(self._codes[places])
        assert self._series is not None
        return Column(self.type, series=self._series.gather(places))

    def with_codes(self, codes: Codes) -> Column:
        """Return a column over the same entries with other rows."""
        column = Column(self.type, codes=codes, entries=self.entries)
        column._values = self._values
        return column

    def relabel(self, labels: Mapping[Hashable, str | None]) -> Column:
        """Replace values by labels; ``KeyError`` if a value that occurs has none."""
        values, position = self.values
        used = np.zeros(len(values) + 1, bool)  # the last entry answers for -1
        used[self.value_codes()] = True
        new = [labels[value] if occurs else None for value, occurs in zip(values, used[:-1].tolist(), strict=True)]
        return coded_texts(self.codes, pl.Series(new, dtype=pl.String).gather(position))

    def fill(self, text: str) -> Column:
        """Return the column as text with missing values replaced."""
        column = self.texts()
        codes, entries = column.codes, column.entries
        filled = np.where(codes < 0, np.int32(len(entries)), codes)
        return coded_texts(filled, pl.concat([entries, pl.Series([text], dtype=pl.String)], rechunk=True))


def _listed(entries: pl.Series) -> Sequence[Hashable]:
    """Return the values of rising entries."""
    return whole_values(entries.to_numpy()) if entries.dtype == pl.Int64 else tuple(entries.to_list())


def look_up(table: Codes, codes: Codes | Ints) -> Codes:
    """Return ``table[code]``, and -1 for the code -1."""
    # The last entry answers for position -1.
    return looked_up(np.append(table, np.int32(-1)).astype(np.int32), codes)


def coded_texts(codes: Codes, texts: pl.Series) -> Column:
    """Build a text column from codes into a list of texts in any order, with repetitions and nulls."""
    entries = texts.drop_nulls().unique().sort()
    place = entries.search_sorted(texts) if len(entries) else pl.Series([0] * len(texts))
    table = np.where(texts.is_null().to_numpy(), -1, pl.Series(place).to_numpy()).astype(np.int32)
    return Column(ColumnType.TEXT, codes=look_up(table, codes), entries=entries)


def code_all(columns: Sequence[Column], distinct: Sequence[pl.Series] | None = None) -> None:
    """Code several columns at once, on all cores; ``distinct`` gives their distinct stored values where they are known."""
    waiting = [at for at, column in enumerate(columns) if not column.coded]
    if not waiting:
        return
    frame = pl.DataFrame([columns[at].stored().alias(str(at)) for at in waiting])
    if distinct is None:
        entries = {at: held for at in waiting if (held := _close_entries(frame[str(at)])) is not None}
        others = [at for at in waiting if at not in entries]
        found = frame.select(pl.col(map(str, others)).drop_nulls().unique().implode()) if others else frame.clear()
        entries |= {at: in_order(found[str(at)][0], columns[at].type) for at in others}
    else:
        entries = {at: in_order(distinct[at], columns[at].type) for at in waiting}
    casts = []
    for at in waiting:
        column = pl.col(str(at))
        if frame.schema[str(at)] == pl.String:
            # Texts outside the entries are missing values.
            casts.append(column.cast(pl.Enum(entries[at]), strict=False).to_physical())
        elif not _narrow(entries[at]):
            casts.append(column.rank("dense") - 1)
    coded = frame.select([cast.cast(pl.Int32).fill_null(-1) for cast in casts])
    for at in waiting:
        codes = coded[str(at)].to_numpy() if str(at) in coded.columns else _placed(frame[str(at)], entries[at])
        columns[at].set_codes(codes, entries[at])
    if len(frame) >= LARGE:
        del frame, coded
        give_back()  # finding and placing values took as much room as the codes, or more


def _close_entries(series: pl.Series) -> pl.Series | None:
    """Return the distinct whole numbers of a large column in order, if a table of their range is no larger than the column."""
    if len(series) < _PORTION or not series.dtype.is_integer():
        return None
    low, high = cast(int | None, series.min()), cast(int | None, series.max())
    if low is None or high is None or high - low >= len(series) or max(-low, high) >= _LARGEST:
        return None
    there = np.zeros(high - low + 1, bool)
    for start in range(0, len(series), _PORTION):
        there[(series[start : start + _PORTION].drop_nulls().cast(pl.Int64) - low).to_numpy()] = True
    return pl.Series(np.flatnonzero(there) + low).cast(series.dtype)


def _narrow(entries: pl.Series) -> bool:
    """Tell whether whole numbers lie so close together that a table of their range finds each one's position."""
    if not entries.dtype.is_integer() or len(entries) == 0:
        return False
    return int(entries[-1]) - int(entries[0]) < max(_NARROW, _CLOSE * len(entries))


def _placed(series: pl.Series, entries: pl.Series) -> Codes:
    """Look each whole number up in a table over its range; -1 where it is missing."""
    low = int(entries[0])
    offsets = (entries.cast(pl.Int64) - low).to_numpy()
    table = np.full(int(offsets[-1]) + 1, -1, np.int32)
    table[offsets] = np.arange(len(entries), dtype=np.int32)
    return _looked_up(table, series, low)


def _looked_up(table: Codes, numbers: pl.Series, low: int = 0) -> Codes:
    """Return ``table[number - low]``, and -1 for what is missing; a portion at a time, as wide numbers are twice the codes."""
    places, out = np.append(table, np.int32(-1)), np.empty(len(numbers), np.int32)
    for start in range(0, len(numbers), _PORTION):
        part = numbers[start : start + _PORTION].cast(pl.Int64) - low
        out[start : start + _PORTION] = places[part.fill_null(-1).to_numpy()]
    return out


def from_categories(series: pl.Series) -> Column:
    """Return the text column behind a categorical series, which has its codes already."""
    physical = series.to_physical()
    kept = series.drop_nulls().unique()
    texts = kept.cast(pl.String)
    place = texts.arg_sort()
    old = kept.to_physical().cast(pl.Int64).gather(place).to_numpy()
    table = np.full(int(old.max()) + 1 if len(old) else 0, -1, np.int32)
    table[old] = np.arange(len(old), dtype=np.int32)
    return Column(ColumnType.TEXT, codes=_looked_up(table, physical), entries=texts.gather(place))


def from_dictionaries(held: pa.ChunkedArray) -> Column:
    """Return the text column behind Arrow's dictionaries, each chunk with its own; no other form of all rows is made."""
    lists = [cast(pl.Series, pl.from_arrow(chunk.dictionary)) for chunk in held.chunks]
    used = []
    for chunk, texts in zip(held.chunks, lists, strict=True):
        there = np.zeros(len(texts) + 1, bool)  # the last entry answers for -1
        there[_indices(chunk)] = True
        used.append(texts.filter(pl.Series(there[:-1])))
    entries = pl.concat([pl.Series(dtype=pl.String), *(texts.cast(pl.String) for texts in used)]).unique().sort()
    codes, start = np.empty(len(held), np.int32), 0
    for chunk, texts in zip(held.chunks, lists, strict=True):
        place = entries.search_sorted(texts.cast(pl.String)) if len(texts) else pl.Series(dtype=pl.Int32)
        codes[start : start + len(chunk)] = look_up(place.cast(pl.Int32).to_numpy(), _indices(chunk))
        start += len(chunk)
    return Column(ColumnType.TEXT, codes=codes, entries=entries)


def _indices(chunk: pa.DictionaryArray) -> Codes:
    found: Codes = chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return found


def in_order(entries: pl.Series, kind: ColumnType) -> pl.Series:
    """Sort distinct stored values: by value, then by text."""
    if entries.dtype != pl.String or kind is ColumnType.TEXT:
        return entries.sort()
    frame = pl.DataFrame([parse(entries, kind).alias("value"), entries.alias("text")])
    return frame.sort("value", "text")["text"]
