"""The engine beyond one machine: rows lie in a Spark DataFrame, and nothing but counts comes to this process.

A table is a query; operations wrap it. What a recoding knows comes in as a small table to join with. Rows have no place, and a
question costs a job, so that questions are foreseen: one group-by answers all of them.
"""

from __future__ import annotations

import datetime
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.contracts.engine import Engine, Keys, Labels, Present, SourceOptions
from sfumato.contracts.table_checks import refuse_none, refuse_unlabelled, refuse_unshared
from sfumato.contracts.thing import param
from sfumato.data.content import drawn_below
from sfumato.data.schema import ColumnType, arrow_type
from sfumato.engines import frames, parts
from sfumato.engines.spark_counts import Counted, SparkCounts, remember
from sfumato.engines.spark_fields import SparkField, fresh_name
from sfumato.engines.spark_packed import packed
from sfumato.engines.spark_session import refusals, written_to
from sfumato.errors import InternalError, Unsupported
from sfumato.groups.stats import CodedKeys

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

__all__ = ["SparkEngine", "SparkTable"]


class SparkTable(SparkCounts):
    """Rows behind a query of Spark."""

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

    def _with(
        self, frame: DataFrame, fields: Mapping[str, SparkField] | None = None, known: Counted | None = None
    ) -> SparkTable:
        return SparkTable(self._home, frame, {**self._fields, **(fields or {})}, known)

    def select(self, columns: Sequence[str]) -> SparkTable:
        refuse_none(columns)
        self._refuse_strange(columns)
        return SparkTable(self._home, self._frame, {name: self._fields[name] for name in columns}, self.counted)

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
        # What was counted of these columns need not be counted again.
        left = tuple(cells.without(columns, keys) for cells in self._carried if {*columns} <= {*cells.columns})
        known = Counted(left, None, self._about, self._values)
        return self._with(self._frame.join(held, same, "left_anti"), known=known)

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
            kind = pa.string() if field.type is ColumnType.DATETIME else arrow_type(field.type)
            arrays[key] = pa.array([*values, None], kind).take(pa.array(held.codes % (len(values) + 1)))
            same &= F.expr(field.compared).eqNullSafe(F.col(key))
        return self._small(pa.table({**arrays, **beside}).filter(pa.array(keep))), same

    # ---- masking -----------------------------------------------------------------------------------------------------

    def recode(self, mappings: Mapping[str, Mapping[Hashable, str | None]]) -> SparkTable:
        import pyarrow as pa
        from pyspark.sql import functions as F

        frame, fields, about, known = self._frame, dict[str, SparkField](), dict(self._about), dict[str, int]()
        for name, mapping in mappings.items():  # all joins in one query: what was counted of these rows serves for each
            field, found, key = self._fields[name], self.dictionary(name), fresh_name()
            values = found.values
            if any(value not in mapping for value in values):
                raise InternalError(f"column {name!r}: the recoding has no label for a value", column=name)
            labels = [mapping[value] for value in values]
            order = {label: at for at, label in enumerate(sorted({one for one in labels if one is not None}))}
            about[name] = len(order)
            known[name] = int(found.counts[[label is not None for label in labels]].sum())
            new = fields[name] = SparkField(fresh_name(), ColumnType.TEXT, place=fresh_name(), labels=tuple(order))
            kind = pa.string() if field.type is ColumnType.DATETIME else arrow_type(field.type)
            held = {
                key: pa.array([_compared(value, field.type) for value in values], kind),
                new.key: pa.array(labels, pa.string()),
                str(new.place): pa.array([None if label is None else order[label] for label in labels], pa.int32()),
            }
            # A missing value equals no key and stays missing.
            frame = frame.join(self._small(pa.table(held)), F.expr(f"{field.compared} = {key}"), "left")
        # Labels depend on values alone: what was counted is added up, and nobody is asked.
        told = self.counted.present
        present = None if told is None else Present(told.rows, {**told.known, **known})
        cells = tuple(one.recoded(mappings) for one in self._carried)
        at_most = {name: listed for name, listed in self._values.items() if name not in mappings}
        return self._joined(frame, fields, Counted(cells, present, about, at_most))

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

    def _joined(self, frame: DataFrame, fields: Mapping[str, SparkField], known: Counted | None = None) -> SparkTable:
        """Return rows with labels beside them; what the join needed, and what labels replace, is left behind."""
        new = {**self._fields, **fields}
        kept = [name for field in new.values() for name in (field.key, field.place) if name is not None]
        out = SparkTable(self._home, frame.select(*dict.fromkeys(kept)), new, known)
        out.takes_along = False  # rows are joined anew with every question
        return out

    # ---- leaving -----------------------------------------------------------------------------------------------------

    def write(self, path: Path, format: str | None = None, *, separator: str = ",") -> None:  # noqa: A002
        from sfumato.engines.writers import target

        if target(path, format, separator).format != "parquet":
            raise Unsupported(
                "the engine spark writes folders of Parquet files", thing="spark", alternatives=["parquet"]
            )
        from pyspark.sql import functions as F

        frame, runs = packed(self._frame, self._fields, self._values, self._small, spelled=False)
        order: list[Column] = []
        found: dict[str, Column] = {}
        for run in runs:
            own = {name: F.col(self._fields[name].key) for name in run.names if not run.digits}
            order += [F.col(run.key)] if run.digits else [F.expr(self._fields[name].value) for name in own]
            found |= run.values() or own
        kept = [self._fields[name].key for run in runs for name in run.names if not run.digits]
        frame = frame.select(*(run.key for run in runs if run.digits), *kept)
        sorted_rows = frame.orderBy(*(one.asc_nulls_first() for one in order))
        with refusals(str(path)), parts.replacing(path) as folder:
            named = [cell.alias(name) for name, cell in found.items()]
            sorted_rows.select(*named).write.parquet(written_to(folder))
        remember(path, self._about)

    def _selected(self) -> list[str]:
        return [f"{field.key} AS `{name.replace('`', '``')}`" for name, field in self._fields.items()]

    def to_native(self) -> DataFrame:
        """Return the rows as a DataFrame of Spark."""
        return self._frame.selectExpr(*self._selected())


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
