"""Questions to Spark: group-bys that answer several at once, and remembered; nothing but counts comes to this process."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.contracts.engine import Engine, Look, Present, Table
from sfumato.data.compressed import Dictionary
from sfumato.data.content import MISSING_CELL, bucket_line, cell_text
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.data.text import to_text
from sfumato.engines.spark_fields import SparkField, fresh_name
from sfumato.engines.spark_packed import packed
from sfumato.engines.spark_session import refusals
from sfumato.errors import Unsupported
from sfumato.groups.cells import Cells
from sfumato.groups.stats import CodedKeys

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["Counted", "SparkCounts", "remember", "remembered"]

_BROADCAST = 1 << 20
_SHORT = 1 << 14  # distinct values of a column that come along with others, asked or not
_COUNTED_TOGETHER = 1 << 16  # combinations of such columns that are no dearer than each column by itself
_TOGETHER = 16  # such columns; every one of them goes through all rows
_MOST_CELLS = 1 << 18  # combinations that come to this process where no search needs them
_BATCH = 1 << 12  # digests that become texts of this process at a time
_CARRIED = 1 << 20  # combinations that are added up here when rows are masked; Spark adds up more sooner


_WRITTEN: dict[Path, dict[str, int]] = {}
_REMEMBERED = 16


def remember(path: Path, about: Mapping[str, int]) -> None:
    """Keep about how many values the columns of a folder have that was written: whoever reads it need not ask for that."""
    _WRITTEN.pop(path.absolute(), None)
    _WRITTEN[path.absolute()] = dict(about)
    while len(_WRITTEN) > _REMEMBERED:
        del _WRITTEN[next(iter(_WRITTEN))]


def remembered(path: Path) -> Counted:
    """Return what is known of a folder that this process wrote: nothing but what decides how it is asked."""
    return Counted((), None, _WRITTEN.get(path.absolute(), {}), {})


@frozen
class Counted:
    """What was counted of some rows; it holds for every choice of their columns.

    ``values`` are those that columns have at most, as rows were left out since they were counted.
    """

    cells: tuple[Cells, ...]
    present: Present | None
    about: Mapping[str, int]
    values: Mapping[str, Sequence[Hashable]]


class SparkCounts(Table):
    """Rows behind a query of Spark, as far as they are looked at."""

    engine: ClassVar[str] = "spark"
    writes: ClassVar[tuple[str, ...] | None] = ("parquet",)

    def __init__(
        self, home: Engine, frame: DataFrame, fields: Mapping[str, SparkField], known: Counted | None = None
    ) -> None:
        self._home, self._frame, self._fields = home, frame, dict(fields)
        self._foreseen: tuple[str, ...] = ()
        self._beside: tuple[str, ...] = ()
        self._about: dict[str, int] = {} if known is None else dict(known.about)
        self.takes_along = True
        self._cells: list[Cells] = [] if known is None else list(known.cells)
        self._at_most = {} if known is None else known.values
        if known is not None and known.present is not None:
            told = Present(known.present.rows, {name: known.present.known[name] for name in self._fields})
            self._answers.get("present", lambda: told, lambda _: len(self._fields))

    @property
    def counted(self) -> Counted:
        """What was counted so far, for tables of the very same rows."""
        present = self._answers.kept("present")
        held = present if isinstance(present, Present) else None
        return Counted(tuple(self._cells), held, self._about, self._at_most)

    @property
    def _values(self) -> dict[str, Sequence[Hashable]]:
        """The values that columns which were counted have at most, in order."""
        pairs = (pair for cells in self._cells for pair in zip(cells.columns, cells.keys, strict=True))
        return {**self._at_most, **{name: held.values for name, held in pairs}}

    @property
    def _carried(self) -> list[Cells]:
        """What was counted and is few enough to be worked out for rows that are made of these."""
        return [cells for cells in self._cells if len(cells) <= _CARRIED]

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

    def foresee(self, columns: Sequence[str], beside: Sequence[str] = ()) -> None:
        asked = tuple(dict.fromkeys(columns))
        self._refuse_strange((*asked, *beside))
        if not set(asked) <= set(self._foreseen):
            self._foreseen, self._beside = asked, tuple(name for name in beside if name not in asked)

    def _held(self, columns: Sequence[str], *, needed: bool = False) -> Cells | None:
        """Return the least that was counted and from which combinations are rolled up; what was foreseen is counted now.

        Where that is more than this process should be given it waits until combinations of it are ``needed``: a limit of the
        policy may be below it. Single columns are counted together then.
        """
        asked = set(columns)
        fitting = [cells for cells in self._cells if asked <= set(cells.columns)]
        wanted = self._foreseen and not any(set(self._foreseen) <= set(cells.columns) for cells in self._cells)
        if not fitting and wanted and (asked <= set(self._foreseen) or len(asked) == 1):
            # Of a table that was never looked at nothing is known: what was written by us has few combinations.
            many = all(name in self._about for name in self._foreseen) and self._beyond(self._foreseen)
            if (needed and len(asked) > 1) or not many:
                self._cells += self._counted(self._together() if self.takes_along else [self._foreseen])
            elif asked <= set(short := self._short(())):
                self._cells += self._counted(self._side_by_side(short))
            else:
                return None
            return self._held(columns)
        return min(fitting, key=len) if asked and fitting else None

    def _short(self, left_out: Collection[str]) -> list[str]:
        """Return columns of few values that were not counted yet."""
        counted = {*left_out, *(name for cells in self._cells for name in cells.columns)}
        short = [name for name in self._fields if name not in counted and self._about.get(name, _SHORT + 1) <= _SHORT]
        return short[:_TOGETHER]

    def _together(self) -> list[Sequence[str]]:
        """Return what is counted in one job: what was foreseen, with each column beside it, and columns of few values."""
        counted = {*self._foreseen, *(name for cells in self._cells for name in cells.columns)}
        asked = self._fields if self._beside else [name for name in self._fields if name not in counted]
        unknown = [name for name in asked if name not in self._about]
        self._about |= zip(unknown, self.figures([*map(self._many, unknown)]), strict=True)
        wide = [columns for name in self._beside if not self._beyond(columns := (*self._foreseen, name))]
        covered = {*self._foreseen, *(name for columns in wide for name in columns)}
        return [*(wide or [self._foreseen]), *self._side_by_side(self._short(covered))]

    def _side_by_side(self, names: Sequence[str]) -> list[Sequence[str]]:
        """Return columns in as few choices as have few combinations each: all rows go once through every choice."""
        choices: list[tuple[str, ...]] = []
        for name in sorted(names, key=lambda name: -self._about[name]):
            fitting = (
                at
                for at, held in enumerate(choices)
                if prod(max(self._about[one], 1) + 1 for one in (*held, name)) <= _COUNTED_TOGETHER
            )
            at = next(fitting, None)
            if at is None:
                choices.append((name,))
            else:
                choices[at] = (*choices[at], name)
        return [*choices]

    def _many(self, *columns: str) -> str:
        """Return the SQL of about how many combinations there are."""
        values = ", ".join(self._fields[name].value for name in columns)
        return f"approx_count_distinct({values})" if len(columns) == 1 else f"approx_count_distinct(struct({values}))"

    def _present(self) -> Present:
        held = {name: self._held([name]) for name in self._fields} if self._foreseen else {}
        rest = [name for name in self._fields if held.get(name) is None]
        known = [f"count({self._fields[name].key})" for name in rest]
        if len(rest) < len(self._fields):
            rows, told = self.rows, self.figures(known)
        else:
            (rows, *told), self._about = self._glance(known)
        found = dict(zip(rest, told, strict=True))
        for name, cells in held.items():
            if cells is not None:
                found[name] = int(cells.sizes[cells.keys[cells.columns.index(name)].codes >= 0].sum())
        return Present(rows, {name: found[name] for name in self._fields})

    def _glance(self, known: Sequence[str]) -> tuple[list[int], dict[str, int]]:
        """Return the number of rows and what else is asked, and about how many values columns have: one pass for both."""
        unknown = [name for name in self._fields if name not in self._about]
        found = self.figures(["count(1)", *known, *map(self._many, unknown)])
        return found[: len(known) + 1], self._about | dict(zip(unknown, found[len(known) + 1 :], strict=True))

    @property
    def rows(self) -> int:
        held = self._held(self._foreseen) if self._foreseen else None
        return super().rows if held is None else int(held.sizes.sum())

    def _count(self, columns: Sequence[str]) -> Cells:
        self._refuse_strange(columns)
        held = self._held(columns, needed=True)
        if held is not None:
            return held.rolled_up(columns)
        if len(columns) > 1 and self._beyond(tuple(columns)):
            raise Unsupported(
                f"needs more than {_MOST_CELLS:,} combinations of {', '.join(columns)} in this process; rows stay in Spark",
                thing=self.engine,
                alternatives=["duckdb", "polars"],
            )
        (cells,) = self._counted([columns])
        self._cells += [cells] if columns else []
        return cells

    def _beyond(self, columns: Sequence[str]) -> bool:
        """Tell whether there are more combinations than this process should be given, asking only where there may be."""
        if prod(self._about.get(name, _MOST_CELLS + 1) for name in columns) <= _MOST_CELLS:
            return False
        return self._asked_about(tuple(columns)) > _MOST_CELLS

    def about(self, columns: Sequence[str]) -> int:
        asked = tuple(columns)
        return super().about(asked) if not asked or self._held(asked) is not None else self._asked_about(asked)

    def _asked_about(self, columns: tuple[str, ...]) -> int:
        asked = self._many(*columns)
        return self._answers.get(("about", columns), lambda: self.figures([asked])[0], lambda _: 1)

    def _counted(self, asked: Sequence[Sequence[str]]) -> list[Cells]:
        """Count combinations of several choices of columns in one job."""
        import pyarrow as pa
        from pyspark.sql import functions as F

        names = list(dict.fromkeys(name for columns in asked for name in columns))
        key = {name: f"k{at}" for at, name in enumerate(names)}
        frame = self._frame.selectExpr(
            *([f"{self._fields[name].value} AS {key[name]}" for name in names] or ["1 AS one"])
        )
        if len(asked) == 1:
            counted = frame.groupBy(*key.values()).agg(F.count("*").alias("count"), F.lit(0).alias("which"))
        else:
            sets = [[F.col(key[name]) for name in columns] for columns in asked]
            which = F.grouping_id().alias("which")
            counted = frame.groupingSets(sets, *key.values()).agg(F.count("*").alias("count"), which)
        slots = self._slots(asked)
        shared = [F.coalesce(*(key[name] for name in held)).alias(key[held[0]]) for held in slots]
        found = self._asked(counted.select(*shared, "count", F.col("which").cast("int").alias("which")))
        which, sizes = found["which"].to_numpy(), found["count"].to_numpy()
        coded = {held[0]: _coded(found[key[held[0]]]) for held in slots}
        coded |= {name: coded[first] for first, *others in slots for name in others}
        del found
        pa.default_memory_pool().release_unused()  # Arrow keeps what it was given, and a run counts twice
        out = []
        for columns in asked:
            # A bit for each column that is not among those that were grouped by, the first column's the highest.
            left_out = sum(1 << (len(names) - 1 - at) for at, name in enumerate(names) if name not in columns)
            part = np.flatnonzero((sizes > 0) & ((which == left_out) | (len(asked) == 1)))
            keys = [coded[name].take(part) for name in columns]
            order = np.lexsort([held.codes for held in reversed(keys)]) if keys else np.arange(len(part))
            out.append(Cells.of(columns, [held.take(order) for held in keys], sizes[part[order]]))
        return out

    def _slots(self, asked: Sequence[Sequence[str]]) -> list[list[str]]:
        """Return columns that come to this process as one: they have one type and are never counted together.

        Else every combination would bring a place for each column that it lacks.
        """
        slots: list[list[str]] = []
        for name in dict.fromkeys(name for columns in asked for name in columns):
            along = {other for columns in asked if name in columns for other in columns}
            alike = (slot for slot in slots if self._fields[slot[0]].type is self._fields[name].type)
            slot = next((slot for slot in alike if along.isdisjoint(slot)), None)
            if slot is None:
                slots.append([name])
            else:
                slot.append(name)
        return slots

    def _asked(self, frame: DataFrame) -> pa.Table:
        """Return a result that is small by nature."""
        with refusals("the table"):
            return frame.toArrow()

    def distinct(self, columns: Sequence[str]) -> int:
        asked = tuple(columns)
        if not asked or self._held(asked) is not None:
            return super().distinct(asked)
        return self._answers.get(("distinct", asked), lambda: self._number_of(asked, "1 = 1"), lambda _: 1)

    def repeated(self, columns: Sequence[str]) -> int:
        asked = tuple(columns)
        if not asked or self._held(asked) is not None:
            return super().repeated(asked)
        return self._answers.get(("repeated", asked), lambda: self._number_of(asked, "count > 1"), lambda _: 1)

    def _number_of(self, columns: Sequence[str], which: str) -> int:
        """Count the combinations of some columns for which something holds; none of them leaves Spark."""
        self._refuse_strange(columns)
        counted = self._frame.selectExpr(*(f"{self._fields[name].value} AS k{at}" for at, name in enumerate(columns)))
        counted = counted.groupBy(*(f"k{at}" for at in range(len(columns)))).count()
        return int(self._asked(counted.selectExpr(f"count_if({which}) AS n"))["n"][0].as_py())

    def look(self, count: int, asked: Sequence[Sequence[str]]) -> list[Look]:
        from pyspark.sql import functions as F

        if not asked:
            return []
        texts = [", ".join(f"cast({self._fields[name].value} AS string)" for name in columns) for columns in asked]
        keys = ", ".join(f"named_struct('which', {at}, 'key', array({text}))" for at, text in enumerate(texts))
        rows = self._frame.limit(count).selectExpr(f"inline(array({keys}))").groupBy("which", "key").count()
        totals = map(F.expr, ("sum(count) AS n", "count(1) AS d", "count_if(count > 1) AS r"))
        found = self._asked(rows.groupBy("which").agg(*totals)).to_pydict()
        told = {
            which: Look(*one) for which, *one in zip(*(found[name] for name in ["which", "n", "d", "r"]), strict=True)
        }
        return [told.get(at, Look(0, 0, 0)) for at in range(len(asked))]

    def some_values(self, column: str, count: int) -> Dictionary:
        field = {column: self._fields[column]}
        found = type(self)(self._home, self._frame.limit(count), field).dictionary(column)
        order = sorted(range(len(found)), key=lambda at: to_text(found.values[at]))
        return Dictionary(column, tuple(found.values[at] for at in order), found.counts[order], 0)

    def figures(self, asked: Sequence[str]) -> list[int]:
        """Return what some aggregates, as SQL over fields, come to over all rows: several questions in one job."""
        if not asked:
            return []
        found = self._asked(self._frame.selectExpr(*(f"{one} AS a{at}" for at, one in enumerate(asked))))
        return [int(found[f"a{at}"][0].as_py()) for at in range(len(asked))]

    def bucket_hashes(self) -> Iterator[bytes]:
        """Return the lines of the buckets that rows fall into, in order; rows are counted and hashed where they are."""
        from pyspark.sql import functions as F

        frame, runs = packed(self._frame, self._fields, self._values, self._small, spelled=True)
        cells: list[Column] = []
        for run in runs:
            if run.digits:
                cells += run.cells(cell_text)
            else:
                frame, text = self._lines(frame, {name: self._fields[name] for name in run.names})
                frame = frame.withColumn(run.key, text)  # one text is shorter than its cells side by side
                cells.append(F.col(run.key))
        counted = frame.groupBy(*(run.key for run in runs)).count()
        line = F.concat_ws("\t", *cells)
        leaf = F.sha2(F.concat(line, F.lit("\n"), F.expr("cast(count AS string)")), 256)
        # A bucket is a number: it is sent, sorted and compared sooner than a text.
        leaves = counted.select(leaf.alias("leaf")).selectExpr(
            "leaf", "cast(conv(substring(leaf, 1, 4), 16, 10) AS int) AS bucket"
        )
        # Leaves go to their bucket before any list of them is begun: a list that is sent on is sorted and written twice.
        buckets = leaves.repartition("bucket").groupBy("bucket")
        held = F.sha2(F.concat_ws("", F.sort_array(F.collect_list("leaf"))), 256)
        found = self._asked(buckets.agg(held.alias("digest")))
        # One batch after the other: all as Python's texts take several times the room.
        for batch in found.sort_by("bucket").to_batches(_BATCH):
            for name, digest in zip(batch["bucket"].to_pylist(), batch["digest"].to_pylist(), strict=True):
                yield bucket_line(name, digest)

    def _bare(self, name: str) -> bool:
        """Tell whether it was counted that no text of a column has to be escaped, which takes long."""
        held = next((one for one in self._cells if name in one.columns), None)
        if held is None or self._fields[name].type is not ColumnType.TEXT:
            return False
        return not any(set("\\\t\n\r") & set(str(text)) for text in held.keys[held.columns.index(name)].values)

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
                cells.append(F.expr(field.key if self._bare(name) else field.cell))
        return frame, F.concat_ws("\t", *(F.coalesce(cell, F.lit(MISSING_CELL)) for cell in cells))

    def _small(self, table: pa.Table) -> DataFrame:
        """Return a table of this process as one that rows are joined with, wherever they are."""
        from pyspark.sql import functions as F

        with refusals("the table"):
            held = self._spark.createDataFrame(table)
        return F.broadcast(held) if table.num_rows <= _BROADCAST else held


def _coded(column: pa.ChunkedArray) -> CodedKeys:
    """Return the values of a column once each, in order, and which of them each row has."""
    import pyarrow.compute as pc

    held = column.combine_chunks().dictionary_encode()
    order = pc.array_sort_indices(held.dictionary)
    place = np.full(len(order) + 1, -1, np.int32)  # the last one answers for missing
    place[order.to_numpy()] = np.arange(len(order))
    return CodedKeys(tuple(held.dictionary.take(order).to_pylist()), place[held.indices.fill_null(-1).to_numpy()])
