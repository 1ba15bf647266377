"""The engine beyond one machine: rows lie in a Spark DataFrame, and nothing but counts comes to this process.

A table is a query; operations wrap it. What a recoding knows comes in as a small table to join with. Rows have no place, and a
question costs a job, so that questions are foreseen: one group-by answers all of them.
"""

from __future__ import annotations

import datetime
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from sfumato.contracts.engine import Engine, Keys, Labels, Present, SourceOptions, Table
from sfumato.contracts.table_checks import refuse_none, refuse_unlabelled, refuse_unshared
from sfumato.contracts.thing import param
from sfumato.data.content import MISSING_CELL, cell_text, drawn_below
from sfumato.data.schema import ColumnType
from sfumato.engines import frames, parts
from sfumato.engines.spark_session import refusals
from sfumato.errors import InternalError, Unsupported
from sfumato.groups.cells import Cells
from sfumato.groups.stats import CodedKeys

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["SparkEngine", "SparkField", "SparkTable", "fresh_name", "moment_in_utc"]

_NAMES = count()
_BROADCAST = 1 << 20
_EPOCH = "TIMESTAMP_NTZ'1970-01-01 00:00:00'"


def fresh_name() -> str:
    """Return a name that no column has."""
    return f"s{next(_NAMES)}"


def moment_in_utc(column: str) -> str:
    """Return the SQL of a moment with a time zone as one without, in UTC; no calendar of the session comes into it."""
    return f"timestampadd(MICROSECOND, unix_micros({column}), {_EPOCH})"


@dataclass(frozen=True)
class SparkField:
    """One column of a query: its name there, its logical type, and whether it is held as a decimal number."""

    key: str
    type: ColumnType
    decimal: bool = False

    @property
    def value(self) -> str:
        """The value that is counted, as SQL."""
        return f"cast({self.key} AS double)" if self.decimal else self.key

    @property
    def compared(self) -> str:
        """What is compared with keys, as SQL: moments by their text, which no time zone changes."""
        return f"cast({self.key} AS string)" if self.type is ColumnType.DATETIME else self.value

    @property
    def cell(self) -> str:
        """The canonical text as part of a row's line, as SQL, of all but numbers; see :mod:`sfumato.data.content`."""
        if self.type is ColumnType.TEXT:
            escapes = ((92, "char(92)"), (9, "'t'"), (10, "'n'"), (13, "'r'"))
            return reduce(
                lambda text, one: f"replace({text}, char({one[0]}), concat(char(92), {one[1]}))", escapes, self.key
            )
        if self.type is ColumnType.DATETIME:
            text = f"replace(cast({self.key} AS string), ' ', 'T')"
            return f"if(length({text}) > 19, rpad({text}, 26, '0'), {text})"
        return f"cast({self.key} AS string)"


class SparkTable(Table):
    """Rows behind a query of Spark."""

    engine: ClassVar[str] = "spark"
    writes: ClassVar[tuple[str, ...] | None] = ("parquet",)

    def __init__(
        self, home: SparkEngine, frame: DataFrame, fields: Mapping[str, SparkField], whole: Cells | None = None
    ) -> None:
        self._home, self._frame, self._fields = home, frame, dict(fields)
        self._foreseen: tuple[str, ...] = () if whole is None else whole.columns
        if whole is not None:
            self.__dict__["_whole"] = whole

    # ---- looking -----------------------------------------------------------------------------------------------------

    @property
    def home(self) -> Engine:
        return self._home

    @property
    def types(self) -> Mapping[str, ColumnType]:
        return {name: field.type for name, field in self._fields.items()}

    @property
    def _spark(self) -> SparkSession:
        return self._frame.sparkSession

    def foresee(self, columns: Sequence[str]) -> None:
        asked = tuple(dict.fromkeys(columns))
        self._refuse_strange(asked)
        if not set(asked) <= set(self._foreseen):
            self._foreseen = asked
            self.__dict__.pop("_whole", None)

    @cached_property
    def _whole(self) -> Cells:
        """The one answer from which what was foreseen is rolled up."""
        return self._count(self._foreseen)

    def counts(self, columns: Sequence[str]) -> Cells:
        asked = tuple(columns)
        if not asked or not set(asked) <= set(self._foreseen):
            return super().counts(asked)
        return self._answers.get(
            ("counts", asked), lambda: self._whole.rolled_up(asked), lambda cells: len(cells) * (len(asked) + 1)
        )

    def _present(self) -> Present:
        known, rest = dict[str, int](), [name for name in self._fields if name not in self._foreseen]
        if rest or not self._foreseen:
            rows, *found = self.figures(["count(1)", *(f"count({self._fields[name].key})" for name in rest)])
            known.update(zip(rest, found, strict=True))
        else:
            rows = int(self._whole.sizes.sum())
        for name, held in zip(self._foreseen, self._whole.keys if self._foreseen else (), strict=True):
            known[name] = rows - int(self._whole.sizes[held.codes < 0].sum())
        return Present(rows, {name: known[name] for name in self._fields})

    @property
    def rows(self) -> int:
        return int(self._whole.sizes.sum()) if self._foreseen else super().rows

    def _count(self, columns: Sequence[str]) -> Cells:
        self._refuse_strange(columns)
        keys = [f"k{at}" for at in range(len(columns))]
        named = [f"{self._fields[name].value} AS {key}" for name, key in zip(columns, keys, strict=True)]
        counted = self._frame.selectExpr(*named or ["1 AS one"]).groupBy(*keys).count()
        found = cast(pl.DataFrame, pl.from_arrow(self._asked(counted)))
        found = found.filter(pl.col("count") > 0)
        found = found.sort(keys, nulls_last=False) if keys else found
        return Cells.of(columns, [_coded(found[key]) for key in keys], found["count"].to_numpy())

    def _asked(self, frame: DataFrame) -> pa.Table:
        """Return a result that is small by nature."""
        with refusals("the table"):
            return frame.toArrow()

    def distinct(self, columns: Sequence[str]) -> int:
        asked = tuple(columns)
        if not asked or set(asked) <= set(self._foreseen):
            return super().distinct(asked)
        return self._answers.get(("distinct", asked), lambda: self._number_of(asked, "1 = 1"), lambda _: 1)

    def repeated(self, columns: Sequence[str]) -> int:
        asked = tuple(columns)
        if not asked or set(asked) <= set(self._foreseen):
            return super().repeated(asked)
        return self._answers.get(("repeated", asked), lambda: self._number_of(asked, "count > 1"), lambda _: 1)

    def _number_of(self, columns: Sequence[str], which: str) -> int:
        """Count the combinations of some columns for which something holds; none of them leaves Spark."""
        self._refuse_strange(columns)
        counted = self._frame.selectExpr(*(f"{self._fields[name].value} AS k{at}" for at, name in enumerate(columns)))
        counted = counted.groupBy(*(f"k{at}" for at in range(len(columns)))).count()
        return int(self._asked(counted.selectExpr(f"count_if({which}) AS n"))["n"][0].as_py())

    def few(self, count: int) -> list[tuple[Hashable, ...]]:
        found = self._asked(self._frame.limit(count).selectExpr(*(field.value for field in self._fields.values())))
        return list(zip(*(column.to_pylist() for column in found.columns), strict=True))

    def figures(self, asked: Sequence[str]) -> list[int]:
        """Return what some aggregates, as SQL over fields, come to over all rows: several questions in one job."""
        found = self._asked(self._frame.selectExpr(*(f"{one} AS a{at}" for at, one in enumerate(asked))))
        return [int(found[f"a{at}"][0].as_py()) for at in range(len(asked))]

    def bucket_hashes(self) -> Mapping[int, str]:
        """Return the digests of the buckets that rows fall into; rows are counted, written and hashed where they are."""
        from pyspark.sql import functions as F

        values = [f"{field.value} AS k{at}" for at, field in enumerate(self._fields.values())]
        keys = [f"k{at}" for at in range(len(values))]
        counted = self._frame.selectExpr(*values).groupBy(*keys).count()
        fields = {name: SparkField(key, kind) for key, (name, kind) in zip(keys, self.types.items(), strict=True)}
        counted, text = self._lines(counted, fields)
        leaf = F.sha2(F.concat(text, F.lit("\n"), F.expr("cast(count AS string)")), 256)
        buckets = counted.select(leaf.alias("leaf")).groupBy(F.expr("substr(leaf, 1, 4)").alias("bucket"))
        held = F.sha2(F.concat_ws("", F.sort_array(F.collect_list("leaf"))), 256)
        found = self._asked(buckets.agg(held.alias("digest")))
        return {
            int(bucket, 16): digest
            for bucket, digest in zip(found["bucket"].to_pylist(), found["digest"].to_pylist(), strict=True)
        }

    def _lines(self, frame: DataFrame, fields: Mapping[str, SparkField]) -> tuple[DataFrame, Column]:
        """Return a query with the line of each row, as :mod:`sfumato.data.content` writes it; numbers are spelled by us."""
        import pyarrow as pa
        from pyspark.sql import functions as F

        cells = []
        for name, field in fields.items():
            if field.type is ColumnType.NUMBER:
                values, value, text = self.dictionary(name).values, fresh_name(), fresh_name()
                texts = pa.table({value: pa.array(values, pa.float64()), text: [cell_text(one) for one in values]})
                frame = frame.join(self._small(texts), F.expr(f"{field.value} = {value}"), "left")
                cells.append(F.col(text))
            else:
                cells.append(F.expr(field.cell))
        return frame, F.concat_ws("\t", *(F.coalesce(cell, F.lit(MISSING_CELL)) for cell in cells))

    def field(self, name: str) -> SparkField:
        """Return how a column is held."""
        self._refuse_strange([name])
        return self._fields[name]

    def with_columns(self, cells: Mapping[str, Column]) -> SparkTable:
        """Return the rows with other values in some columns, by the names that these have in the query."""
        return self._with(self._frame.withColumns(dict(cells)))

    def retyped(self, new: Mapping[str, tuple[ColumnType, str]]) -> SparkTable:
        """Return the rows with columns in other types, given with the SQL of their values."""
        fields = {name: SparkField(fresh_name(), kind) for name, (kind, _) in new.items()}
        parts = [f"{sql} AS {fields[name].key}" for name, (_, sql) in new.items()]
        return self._with(self._frame.selectExpr("*", *parts), fields) if new else self

    # ---- choosing rows and columns -----------------------------------------------------------------------------------

    def _with(self, frame: DataFrame, fields: Mapping[str, SparkField] | None = None) -> SparkTable:
        return SparkTable(self._home, frame, {**self._fields, **(fields or {})})

    def select(self, columns: Sequence[str]) -> SparkTable:
        refuse_none(columns)
        self._refuse_strange(columns)
        # Rows are the same: what was counted of columns that stay holds.
        kept = [name for name in self._foreseen if name in columns]
        whole = self._whole.rolled_up(kept) if kept and "_whole" in self.__dict__ else None
        return SparkTable(self._home, self._frame, {name: self._fields[name] for name in columns}, whole)

    def known(self, columns: Sequence[str]) -> SparkTable:
        self._refuse_strange(columns)
        return self._with(self._frame.where(" AND ".join(f"{self._fields[name].key} IS NOT NULL" for name in columns)))

    def sample(self, share: float, *, secret: str) -> SparkTable:
        from pyspark.sql import functions as F

        if share >= 1:
            return self
        frame, text = self._lines(self._frame, self._fields)
        return self._with(frame.where(F.sha2(F.concat(F.lit(f"{secret}\n"), text), 256) < drawn_below(share)))

    def without(self, columns: Sequence[str], keys: Keys) -> SparkTable:
        held, same = self._keyed(columns, keys, {})
        return self._with(self._frame.join(held, same, "left_anti"))

    def _keyed(self, columns: Sequence[str], keys: Keys, beside: Mapping[str, pa.Array]) -> tuple[DataFrame, Column]:
        """Return keys, and what stands beside each, as a small table, and what joins rows with it."""
        import pyarrow as pa
        from pyspark.sql import functions as F

        self._refuse_strange(columns)
        arrays, same, keep = dict[str, pa.Array](), F.lit(True), np.ones(len(keys[0]), bool)
        for name, given in zip(columns, keys, strict=True):
            field, key, held = self._fields[name], fresh_name(), CodedKeys.of(given)
            fits = [frames.can_hold(value, field.type) for value in held.values]  # a key of another type equals no row
            values = [
                _compared(value, field.type) if fit else None for value, fit in zip(held.values, fits, strict=True)
            ]
            keep &= np.array([*fits, True], bool)[held.codes]
            kind = pa.string() if field.type is ColumnType.DATETIME else frames.arrow_type(field.type)
            arrays[key] = pa.array([*values, None], kind).take(pa.array(held.codes % (len(values) + 1)))
            same &= F.expr(field.compared).eqNullSafe(F.col(key))
        return self._small(pa.table({**arrays, **beside}).filter(pa.array(keep))), same

    def _small(self, table: pa.Table) -> DataFrame:
        """Return a table of this process as one that rows are joined with, wherever they are."""
        from pyspark.sql import functions as F

        with refusals("the table"):
            held = self._spark.createDataFrame(table)
        return F.broadcast(held) if table.num_rows <= _BROADCAST else held

    # ---- masking -----------------------------------------------------------------------------------------------------

    def recode(self, mappings: Mapping[str, Mapping[Hashable, str | None]]) -> SparkTable:
        frame, fields = self._frame, dict[str, SparkField]()
        for name, mapping in mappings.items():  # all joins in one query: what was counted of these rows serves for each
            values = self.dictionary(name).values
            if any(value not in mapping for value in values):
                raise InternalError(f"column {name!r}: the recoding has no label for a value", column=name)
            new, beside = self._labelled({name: [*map(mapping.__getitem__, values), None]})
            held, same = self._keyed([name], [[*values, None]], beside)
            frame, fields = frame.join(held, same), {**fields, **new}
        return self._joined(frame, fields)

    def relabel(self, columns: Sequence[str], keys: Keys, labels: Labels) -> SparkTable:
        cells, listed = self.counts(columns), set(zip(*keys, strict=True))
        lost = [
            size
            for key, size in zip(zip(*cells.keys, strict=True), cells.sizes.tolist(), strict=True)
            if key not in listed
        ]
        refuse_unlabelled(columns, sum(lost))
        fields, beside = self._labelled(labels)
        held, same = self._keyed(columns, keys, beside)
        return self._joined(self._frame.join(held, same), fields)

    def share(
        self, columns: Sequence[str], keys: Keys, labels: Labels, take: npt.ArrayLike, *, secret: str
    ) -> SparkTable:
        import pyarrow as pa
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        taken, stops, sums = np.asarray(take, np.int64), list[int](), dict[tuple[Hashable, ...], int]()
        for key, many in zip(zip(*keys, strict=True), taken.tolist(), strict=True):
            stops.append(sums.setdefault(key, 0) + many)
            sums[key] = stops[-1]
        cells = self.counts(columns)
        held_sizes = dict(zip(zip(*cells.keys, strict=True), cells.sizes.tolist(), strict=True))
        refuse_unshared(columns, {key: many for key, many in sums.items() if many} != held_sizes)
        fields, beside = self._labelled(labels)
        stop, many, place = fresh_name(), fresh_name(), fresh_name()
        held, same = self._keyed(columns, keys, {**beside, stop: pa.array(stops), many: pa.array(taken)})
        frame, text = self._lines(self._frame, self._fields)
        alike = Window.partitionBy(*(F.expr(self._fields[name].compared) for name in columns))
        rank = F.row_number().over(alike.orderBy(F.sha2(F.concat(F.lit(f"{secret}\n"), text), 256)))
        ranked = frame.withColumn(place, rank)
        return self._joined(
            ranked.join(held, same & F.expr(f"{place} <= {stop} AND {place} > {stop} - {many}")), fields
        )

    def _labelled(self, labels: Labels) -> tuple[dict[str, SparkField], dict[str, pa.Array]]:
        import pyarrow as pa

        self._refuse_strange(list(labels))
        fields = {name: SparkField(fresh_name(), ColumnType.TEXT) for name in labels}
        return fields, {fields[name].key: pa.array(list(texts), pa.string()) for name, texts in labels.items()}

    def _joined(self, frame: DataFrame, fields: Mapping[str, SparkField]) -> SparkTable:
        """Return rows with labels beside them; what the join needed, and what labels replace, is left behind."""
        new = {**self._fields, **fields}
        return SparkTable(self._home, frame.select(*dict.fromkeys(field.key for field in new.values())), new)

    # ---- leaving -----------------------------------------------------------------------------------------------------

    def write(self, path: Path, format: str | None = None, *, separator: str = ",") -> None:  # noqa: A002
        from sfumato.engines.writers import target

        if target(path, format, separator).format != "parquet":
            raise Unsupported(
                "the engine spark writes folders of Parquet files", thing="spark", alternatives=["parquet"]
            )
        from pyspark.sql import functions as F

        order = [F.expr(field.value).asc_nulls_first() for field in self._fields.values()]
        with refusals(str(path)), parts.replacing(path) as folder:
            self._frame.orderBy(*order).selectExpr(*self._selected()).write.parquet(folder.absolute().as_uri())

    def _selected(self) -> list[str]:
        return [f"{field.key} AS `{name.replace('`', '``')}`" for name, field in self._fields.items()]

    def to_native(self) -> DataFrame:
        """Return the rows as a DataFrame of Spark."""
        return self._frame.selectExpr(*self._selected())


def _coded(column: pl.Series) -> CodedKeys:
    """Return the values of a column once each, in order, and which of them each row has."""
    values = column.drop_nulls().unique().sort()
    codes = column.rank("dense").cast(pl.Int64) - 1
    return CodedKeys(tuple(values.to_list()), codes.fill_null(-1).to_numpy().astype(np.int32))


def _compared(value: Hashable, kind: ColumnType) -> Hashable:
    """Return a key as it is compared: a moment as Spark writes it."""
    if kind is not ColumnType.DATETIME or not isinstance(value, datetime.datetime):
        return value
    text = value.isoformat(sep=" ")
    return text.rstrip("0") if value.microsecond else text


class SparkEngine(Engine):
    """Rows in Spark: for tables that lie on a cluster, or are larger than one machine.

    A DataFrame of Spark comes in and one goes out; paths are Parquet files, folders of them, or CSV. Every operation is a
    query, and nothing but counts comes to this process. The session that is there is used; otherwise one is begun that binds
    to loopback, shows no page and keeps its files in a private folder.

    Examples
    --------
    >>> SparkEngine(master="local[2]").spec()
    {'id': 'spark', 'master': 'local[2]'}

    References
    ----------
    Armbrust et al., "Spark SQL: relational data processing in Spark", 2015, doi:10.1145/2723372.2742797.
    """

    id: ClassVar[str] = "spark"

    master: str = param(default="local[*]", doc="where Spark runs, if no session is there: local[2], spark://host:7077")
    memory: str | None = param(
        default=None, doc="memory of the Java process that is begun, such as 2g; its own if not given"
    )

    def bounded(self, memory: int | None = None, temp: int | None = None) -> SparkEngine:
        """Return the engine with a bound of its memory in bytes, if it has none of its own; Spark bounds no space."""
        own = self.memory is not None or memory is None
        return self if own else replace(self, memory=f"{max((memory or 0) >> 20, 512)}m")

    def open(self, source: object, options: SourceOptions | None = None) -> SparkTable:
        from sfumato.engines.spark_reader import open_source

        return open_source(self, source, options or SourceOptions())
