"""Spark behind the contract of engines: what Polars gives, to the digest, with one session for all of this file."""

from __future__ import annotations

import datetime as dt
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sfumato
from engines.same_releases import ASKED, GROUPED, MIXED, digests_of, grouped_policy, mixed_policy, outcome_of, policy_of
from engines.test_engine_contract import NAMES, TABLES, Rows, arrow, keys_of, plain, rows_of
from sfumato.contracts.engine import Engine, SourceOptions, Table
from sfumato.data.schema import ColumnType
from sfumato.datasets import hospital, sample_policy
from sfumato.engines import get_engine, open_source, read
from sfumato.engines.spark_counts import SparkCounts
from sfumato.engines.spark_engine import SparkTable
from sfumato.engines.spark_session import NANOSECONDS, refusals, session
from sfumato.errors import BadRequest, InternalError, Unsupported

pytest.importorskip("pyspark")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("java") is None, reason="no Java on this machine (make system)"),
]

DRIVER = Path("/usr/share/java/postgresql.jar")  # where Debian's libpostgresql-jdbc-java puts it

ROWS: list[tuple[Any, ...]] = [
    ("a", 1, 0.5, True, dt.date(1999, 1, 2), dt.datetime(2020, 1, 1)),
    ("a", 1, 0.5, True, dt.date(1999, 1, 2), dt.datetime(2020, 1, 1)),
    ("x\ty\\\n\r", -(2**63), -0.0, False, dt.date(1, 1, 1), dt.datetime(2020, 3, 29, 2, 30, 0, 500_000)),
    (None,) * 6,
    ("", 2, 1e20, None, dt.date(9999, 12, 31), dt.datetime(1, 1, 1, 0, 0, 0, 5)),
    ("\U0001f600", 2**63 - 1, 2e23, True, None, dt.datetime(9999, 12, 31, 23, 59, 59, 999_999)),
    ("é", 0, 5e-324, False, None, None),
    ("\\N", 3, 1.1e-7, False, None, None),
]


@pytest.fixture(scope="module")
def spark() -> Iterator[Engine]:
    """One session; a short-lived machine of Java that compiles little, with the driver of PostgreSQL where there is one."""
    told = {"SPARK_SUBMIT_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", "PYSPARK_PYTHON": sys.executable}
    told |= {"PYSPARK_SUBMIT_ARGS": f"--jars {DRIVER} pyspark-shell"} if DRIVER.exists() else {}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in told.items():
            patch.setenv(name, value)
        yield get_engine("spark", master="local[1]")
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    assert active is not None
    active.stop()


@pytest.fixture(scope="module")
def table(spark: Engine) -> Table:
    return read(arrow(ROWS), spark)


EXPECTED = plain(ROWS)


def test_counts_are_those_of_plain_python(table: Table) -> None:
    found, expected = table.counts(NAMES), EXPECTED.counts(NAMES)
    assert keys_of(found) == keys_of(expected)
    assert found.sizes.tolist() == expected.sizes.tolist()
    assert table.present() == EXPECTED.present()
    assert table.content_digest() == EXPECTED.content_digest()
    assert table.distinct(["t", "b"]) == EXPECTED.distinct(["t", "b"])
    assert table.repeated(["t", "b"]) == EXPECTED.repeated(["t", "b"]) == 1
    assert table.look(99, [["t"], ["t", "b"]]) == EXPECTED.look(99, [["t"], ["t", "b"]])
    assert len(table.some_values("t", 3)) <= 3
    with pytest.raises(Unsupported, match="rows that have a place"):
        table.head(1)
    with pytest.raises(BadRequest, match="did you mean 'i'"):
        table.counts(["ii"])


def test_one_question_answers_those_that_were_foreseen(spark: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    held = read(arrow(ROWS), spark).select(["t", "i", "f"])
    held.foresee(["t", "i", "f"])
    asked = []
    count = type(held)._asked  # type: ignore[attr-defined]
    monkeypatch.setattr(type(held), "_asked", lambda self, frame: asked.append(1) or count(self, frame))
    assert held.dictionary("f").values == EXPECTED.dictionary("f").values
    assert held.missing() == EXPECTED.select(["t", "i", "f"]).missing()
    assert held.rows == 8
    assert held.select(["i", "t"]).groups(["i"]).as_dict() == EXPECTED.groups(["i"]).as_dict()
    assert len(asked) == 1


def test_what_was_counted_is_added_up_for_masked_rows(spark: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    held = read(arrow(ROWS), spark)
    held.foresee(["t", "i"])
    mappings = {"t": {value: None if value == "" else "*" for value in EXPECTED.dictionary("t").values}}
    gone: list[list[Any]] = [["*", None], [1, None]]
    assert held.present().rows == 8
    held.counts(["i", "t"])
    asked = []
    count = type(held)._asked  # type: ignore[attr-defined]
    monkeypatch.setattr(type(held), "_asked", lambda self, frame: asked.append(1) or count(self, frame))
    masked, expected = held.recode(mappings), EXPECTED.recode(mappings)
    left, still = masked.without(["t", "i"], gone), expected.without(["t", "i"], gone)
    for one, other in ((masked, expected), (left, still)):
        assert keys_of(one.counts(["i", "t"])) == keys_of(other.counts(["i", "t"]))
        assert one.counts(["i", "t"]).sizes.tolist() == other.counts(["i", "t"]).sizes.tolist()
    assert masked.present() == expected.present()
    assert not asked, "nothing of this needs another look at the rows"
    assert left.present() == still.present()
    assert left.content_digest() == still.content_digest()


def test_columns_that_are_never_counted_together_come_as_one(spark: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    values = {
        "a": [1, None, 2, 1],
        "b": [7, 8, None, 7],
        "c": [None, 5, 5, None],
        "d": [1, 1, None, 3],
        "t": list("xyxx"),
    }
    held, expected = read(pa.table(values), spark), read(pa.table(values), "polars")
    held.present()
    held.foresee(["a", "t"], ["b", "c"])
    widths = []
    count = type(held)._asked  # type: ignore[attr-defined]

    def asked(table: SparkCounts, frame: Any) -> Any:
        found = count(table, frame)
        widths.append(found.num_columns)
        return found

    monkeypatch.setattr(type(held), "_asked", asked)
    for names in (["a", "t"], ["a", "t", "b"], ["c", "t", "a"], ["d"]):
        assert keys_of(held.counts(names)) == keys_of(expected.counts(names))
        assert held.counts(names).sizes.tolist() == expected.counts(names).sizes.tolist()
    assert widths == [5], "a and d, t, b and c; how often, and which of them"


def test_a_damaged_file_is_refused_or_holds_what_it_held(spark: Engine, tmp_path: Path) -> None:
    at = range(200)
    pq.write_table(
        pa.table({"age": [20 + i % 7 for i in at], "job": [f"job {i % 5}" for i in at]}), tmp_path / "a.parquet"
    )
    whole, expected = (tmp_path / "a.parquet").read_bytes(), read(tmp_path / "a.parquet", spark).content_digest()
    refused = 0
    for number in range(12):
        rng, held = Random(number), bytearray(whole)
        for _ in range(4):
            place = rng.randrange(len(held))
            held[place : place + 8] = rng.choice([bytes(8), b"\xff" * 8, rng.randbytes(8), b""])
        (tmp_path / f"{number}.parquet").write_bytes(held)
        try:
            assert read(tmp_path / f"{number}.parquet", spark).content_digest() == expected
        except BadRequest:
            refused += 1
    assert refused > 6


def test_a_folder_that_was_written_here_is_asked_at_once(
    spark: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = read(arrow(ROWS), spark)
    held.present()
    held.write(tmp_path / "data.parquet")
    asked = []
    count = type(held)._asked  # type: ignore[attr-defined]
    monkeypatch.setattr(type(held), "_asked", lambda self, frame: asked.append(1) or count(self, frame))
    again = read(tmp_path / "data.parquet", spark)
    again.foresee(["t", "i"], ["b"])
    assert again.present() == EXPECTED.present()
    assert keys_of(again.counts(["t", "i", "b"])) == keys_of(EXPECTED.counts(["t", "i", "b"]))
    assert len(asked) == 1


def test_labels_are_joined_by_key(table: Table) -> None:
    cells = EXPECTED.counts(["i", "m"])
    labels = {"b": [str(at % 3) for at in range(len(cells))], "t": [None] * len(cells)}
    keys = [list(held) for held in cells.keys]
    shown = table.relabel(["i", "m"], keys, labels).without(["d"], [[dt.date(1, 1, 1), "no date"]])
    expected = EXPECTED.relabel(["i", "m"], keys, labels).without(["d"], [[dt.date(1, 1, 1), "no date"]])
    assert rows_of(shown) == rows_of(expected)
    assert shown.types["b"] is ColumnType.TEXT
    with pytest.raises(InternalError, match="no label by i"):
        table.relabel(["i"], [[1]], {"b": ["x"]})


def test_rows_alike_are_shared_out_as_everywhere(table: Table) -> None:
    cells = EXPECTED.counts(["b"])
    keys = [[key[0] for key in keys_of(cells) for _ in range(2)]]
    take = [part for size in cells.sizes.tolist() for part in (size // 2, size - size // 2)]
    labels = {"t": ["1", "2"] * len(cells)}
    shared = table.share(["b"], keys, labels, take, secret="s'1")
    assert shared.content_digest() == EXPECTED.share(["b"], keys, labels, take, secret="s'1").content_digest()
    with pytest.raises(InternalError, match="does not add up"):
        table.share(["b"], keys, labels, [take[0] + 1, *take[1:]], secret="s")


def test_what_is_written_is_read_by_every_engine(table: Table, tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    table.write(path)
    assert all(one.name.startswith("part-") for one in path.iterdir())
    for name in ("polars", "duckdb"):
        assert read(path, name).content_digest() == EXPECTED.content_digest()
    assert read(path).sort().to_rows() == read(path).to_rows(), "parts are in order"
    assert [one.name for one in tmp_path.iterdir()] == ["data.parquet"]
    with pytest.raises(Unsupported, match="folders of Parquet"):
        table.write(tmp_path / "data.csv")


@pytest.mark.parametrize("name", ["my rows", "rows[1] {a,b}", "100%", "a%20b", "größe*?"])
def test_a_place_may_be_called_anything(spark: Engine, table: Table, tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    table.write(tmp_path / name / "rows.parquet")
    assert spark.open(tmp_path / name / "rows.parquet").content_digest() == table.content_digest()
    (tmp_path / name / "rows.csv").write_text("a,b\n1,x\n2,y\n")
    assert spark.open(tmp_path / name / "rows.csv").rows == 2


def test_rows_whose_values_were_counted_are_written_in_order(spark: Engine, tmp_path: Path) -> None:
    held = read(arrow(ROWS), spark)
    held.foresee(["t", "i"])
    for name in NAMES:
        held.dictionary(name)
    gone: list[list[Any]] = [["é"]]
    for table, expected in ((held, EXPECTED), (held.without(["t"], gone), EXPECTED.without(["t"], gone))):
        cells, place = expected.counts(NAMES), tmp_path / f"{expected.rows}.parquet"
        table.write(place)
        rows = zip(*cells.keys, strict=True)
        assert read(place).to_rows() == [row for row, many in zip(rows, cells.sizes, strict=True) for _ in range(many)]
        assert table.content_digest() == expected.content_digest()


def test_a_value_that_appears_after_its_column_was_counted_ends_the_job(spark: Engine, tmp_path: Path) -> None:
    few, more = read({"a": [1, 2], "b": ["x", "y"]}, spark), read({"a": [1, 3], "b": ["x", "z"]}, spark)
    assert isinstance(few, SparkTable)
    assert isinstance(more, SparkTable)
    for name in ("a", "b"):
        few.dictionary(name)
        table = SparkTable(spark, more._frame, more._fields, few.counted).select([name])
        with pytest.raises(BadRequest, match="USER_RAISED_EXCEPTION"):
            table.content_digest()
        with pytest.raises(BadRequest, match="USER_RAISED_EXCEPTION"):
            table.write(tmp_path / f"{name}.parquet")
        assert not [*tmp_path.iterdir()]


def test_whole_numbers_without_a_sign_have_one(spark: Engine, tmp_path: Path) -> None:
    """Spark reads 64 bits without a sign as decimal numbers, whose digest is another; what it cannot hold is refused."""
    held = pa.table({"n.1": pa.array([2**63 - 1, None, 0], pa.uint64()), "u": pa.array([1, 2, 3], pa.uint32())})
    pq.write_table(held, tmp_path / "x.parquet")
    assert read(tmp_path / "x.parquet", spark).content_digest() == read(held).content_digest()
    pq.write_table(pa.table({"n": pa.array([2**63], pa.uint64())}), tmp_path / "y.parquet")
    with pytest.raises(BadRequest, match=r"2\^63") as refused:
        read(tmp_path / "y.parquet", spark)
    assert "use duckdb or polars" in str(refused.value)


def test_moments_in_nanoseconds_and_columns_of_nothing_are_read_as_everywhere(spark: Engine, tmp_path: Path) -> None:
    """Pandas writes the former; Spark has a type for neither."""
    moments = [
        dt.datetime(2020, 1, 1, 1, 2, 3, 4),
        None,
        dt.datetime(1969, 12, 31, 23, 59, 59, 999_999),
        dt.datetime(1677, 9, 22),
    ]
    held = pa.table(
        {
            "a.t": pa.array(moments, pa.timestamp("ns")),
            "z": pa.array(moments, pa.timestamp("ns", tz="Europe/Paris")),
            "parts": pa.array([1, -1, -1001, 1_699_999_999_123_456_999], pa.int64()).cast(pa.timestamp("ns")),
            "nothing": pa.nulls(4),
        }
    )
    pq.write_table(held, tmp_path / "x.parquet")
    ours, theirs = read(tmp_path / "x.parquet", spark), read(tmp_path / "x.parquet")
    assert ours.types == theirs.types
    assert ours.content_digest() == theirs.content_digest()
    spark_session = session()
    spark_session.conf.set(NANOSECONDS, "false")
    try:
        with pytest.raises(BadRequest, match="nanoseconds") as refused:
            read(tmp_path / "x.parquet", spark)
        assert NANOSECONDS in str(refused.value)
    finally:
        spark_session.conf.set(NANOSECONDS, "true")


def test_what_spark_does_not_read_is_refused_by_name(spark: Engine, tmp_path: Path) -> None:
    for name, held in {"half": pa.array([1.5], pa.float16()), "at": pa.array([dt.time(1)], pa.time64("us"))}.items():
        pq.write_table(pa.table({"a": [1], name: held}), tmp_path / "x.parquet")
        with pytest.raises(BadRequest, match=f"column '{name}'"):
            read(tmp_path / "x.parquet", spark)


def test_names_differ_by_their_letters(spark: Engine, tmp_path: Path) -> None:
    held = pa.table({"Age": [1, 2], "age": ["a", "b"]})
    pq.write_table(held, tmp_path / "x.parquet")
    assert read(tmp_path / "x.parquet", spark).content_digest() == read(held).content_digest()


def test_delimited_text_has_the_types_that_polars_finds(spark: Engine, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(
        'code,n,x,flag,day,at,note,odd\n01,1,1.50,true,2020-02-29,2020-01-01T10:00,"a ""b"", c",1\n'
        '02,-3,nan,False,2021-01-01,2020-01-01 10:00:00.5,"two\nlines",2020-02-30\n03,?,1e3,,,,,\n'
    )
    tokens = ("", "?")
    expected, found = read(path, missing=tokens), read(path, spark, missing=tokens)
    assert found.types == expected.types
    assert found.content_digest() == expected.content_digest()
    told = {"n": "number", "code": "integer"}
    assert (
        read(path, spark, missing=tokens, types=told).content_digest()
        == read(path, missing=tokens, types=told).content_digest()
    )
    with pytest.raises(BadRequest, match="'odd'"):
        read(path, spark, types={"odd": "integer"})


def test_frames_come_out_as_they_came_in(spark: Engine) -> None:
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    assert session is not None
    frame = session.sql(
        "SELECT cast(id % 3 AS int) AS Age, concat('t', id % 2) AS Job, cast(id % 2 AS decimal(4,1)) AS pay, "
        "timestamp_seconds(1700000000) AS at FROM range(12)"
    )
    assert [str(kind) for kind in read(frame).types.values()] == ["integer", "text", "number", "datetime"]
    policy = {
        "columns": {
            "Age": {"role": "quasi-identifier"},
            "Job": {"role": "quasi-identifier"},
            "pay": {"role": "plain"},
            "at": {"role": "plain"},
        },
        "requirements": [{"id": "k-anonymity", "k": 3}],
        "algorithm": {"id": "tdr"},
        "engine": "spark",
    }
    release = sfumato.anonymize(frame, policy)
    expected = sfumato.anonymize(frame.toArrow(), {**policy, "engine": "polars"})
    assert release.table.content_digest() == expected.table.content_digest()
    assert release.public.columns == ["Age", "Job", "pay", "at"]
    assert type(release.public).__module__.startswith("pyspark")


def test_a_release_is_published_and_verified_where_the_rows_are(spark: Engine, tmp_path: Path) -> None:
    policy = sample_policy() | {"requirements": [{"id": "k-anonymity", "k": 5}], "algorithm": {"id": "tdr"}}
    patients = hospital(300).to_polars()
    expected = sfumato.anonymize(patients, policy)
    release = sfumato.anonymize(read(patients, spark), policy)
    assert release.measured == expected.measured
    out = sfumato.publish(release, tmp_path / "out")
    (entry,) = sfumato.verify(out).certificate.release.files
    assert entry.content_digest == expected.table.content_digest()
    assert (out / "public" / "data.parquet").is_dir()
    expected.table.write(tmp_path / "copy.csv")
    assert sfumato.verify(out, engine="duckdb", copy=tmp_path / "copy.csv")
    part = next((out / "public" / "data.parquet").iterdir())
    part.rename(part.with_name("part-00009.parquet"))
    with pytest.raises(BadRequest, match="was changed"):
        sfumato.verify(out)


@pytest.mark.parametrize(
    "names", [[*ASKED][::3], pytest.param([*ASKED], marks=pytest.mark.nightly)], ids=["some", "all"]
)
def test_policies_give_the_digest_of_polars(spark: Engine, names: list[str]) -> None:
    patients = hospital(200).to_polars()
    held = read(patients, spark)
    for name in names:
        release = sfumato.anonymize(held, policy_of(name))
        expected = sfumato.anonymize(patients, policy_of(name))
        assert release.table.content_digest() == expected.table.content_digest(), name


def test_groups_of_records_are_those_of_polars(spark: Engine, tmp_path: Path) -> None:
    patients = hospital(200).to_polars()
    held = read(patients.reverse(), spark)
    for number, name in enumerate(GROUPED):
        release = sfumato.anonymize(held, grouped_policy(name))
        assert digests_of(release) == digests_of(sfumato.anonymize(patients, grouped_policy(name))), name
        assert sfumato.verify(sfumato.publish(release, tmp_path / str(number)))


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_work_that_was_ended_is_no_fault_of_the_table(end: type[BaseException]) -> None:
    """PySpark asks for the result of a job that is given up, is told that it was cancelled, and says only that."""
    from py4j.protocol import Py4JError

    def given_up() -> None:
        try:
            raise end
        finally:
            raise Py4JError("cancelled")

    with pytest.raises(end), refusals("the table"):
        given_up()
    with pytest.raises(BadRequest, match="Spark cannot do this"), refusals("the table"):
        raise Py4JError("cancelled")


def test_a_write_that_breaks_off_leaves_nothing(spark: Engine, tmp_path: Path) -> None:
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    assert session is not None
    broken = "if(id = 4000, raise_error(concat('person ', id)), id)"
    frame = session.range(0, 5000, 1, 4).selectExpr("id % 7 AS a", f"{broken} AS b")
    with pytest.raises(BadRequest, match="Spark cannot do this") as refused:
        read(frame, spark).write(tmp_path / "data.parquet")
    assert "person" not in str(refused.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.nightly
def test_runs_and_executors_that_are_killed_leave_nothing_bad() -> None:
    from engines.trial import kill

    assert not kill(4, seed=7)


@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(rows=TABLES, times=st.integers(1, 3), name=st.sampled_from([*MIXED]))
def test_spark_agrees_on_whatever_is_drawn(spark: Engine, rows: Rows, times: int, name: str) -> None:
    held = arrow(rows * times)
    assert outcome_of(read(held, spark), mixed_policy(name)) == outcome_of(read(held), mixed_policy(name))


def test_nothing_but_counts_leaves_spark(spark: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.publishing.recounting.MOST_ROWS", 10)  # as for a table that is large
    patients = hospital(300).to_polars()
    told = list[tuple[int, list[str]]]()
    asked = SparkCounts._asked

    def watched(self: SparkCounts, frame: Any) -> Any:
        found = asked(self, frame)
        told.append((found.num_rows, found.column_names))
        return found

    monkeypatch.setattr(SparkCounts, "_asked", watched)
    policy = sample_policy() | {"requirements": [{"id": "k-anonymity", "k": 5}], "algorithm": {"id": "tdr"}}
    release = sfumato.anonymize(read(patients, spark), policy)
    prepared = len(told)
    out = sfumato.publish(release, tmp_path / "out")
    assert all("count" in names or "digest" in names or rows == 1 or "which" in names for rows, names in told)
    assert prepared <= 8, "questions to the raw and to the masked table go together"
    (entry,) = sfumato.verify(out, engine="spark").certificate.requirements
    assert entry.recounted == "the same engine"


def test_too_many_combinations_are_refused_before_they_come(
    spark: Engine, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sfumato.engines.spark_counts._MOST_CELLS", 3)
    held = read(arrow(ROWS), spark)
    with pytest.raises(Unsupported, match="rows stay in Spark"):
        held.counts(["t", "i"])
    held.foresee(["t", "i"])  # what a search needs is bounded by its policy
    assert len(held.counts(["t", "i"])) == len(EXPECTED.counts(["t", "i"]))


def test_a_table_beyond_its_limits_is_refused_before_combinations_come(
    spark: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sfumato.engines.spark_counts._MOST_CELLS", 50)
    monkeypatch.setattr("sfumato.engines.spark_counts._COUNTED_TOGETHER", 12)  # a quarter of that, as it is
    wide = {"a": [n % 60 for n in range(600)], "b": [n % 11 for n in range(600)], "c": [n % 2 for n in range(600)]}
    policy = {
        "columns": {"a": {"role": "quasi-identifier"}, "b": {"role": "quasi-identifier"}, "c": {"role": "plain"}},
        "requirements": [{"id": "k-anonymity", "k": 2}],
        "algorithm": {"id": "tdr"},
    }
    came = list[int]()
    asked = SparkCounts._asked

    def watched(self: SparkCounts, frame: Any) -> Any:
        found = asked(self, frame)
        came.append(found.num_rows)
        return found

    monkeypatch.setattr(SparkCounts, "_asked", watched)
    with pytest.raises(BadRequest, match=r"allows 100 distinct rows, and this table has about [0-9,]+"):
        sfumato.anonymize(read(wide, spark), {**policy, "limits": {"distinct_rows": 100}})
    assert max(came) <= 60 + 11 + 2, "columns by themselves, and no combination"
    release = sfumato.anonymize(read(wide, spark), policy)
    assert release.table.content_digest() == sfumato.anonymize(wide, policy).table.content_digest()


def test_tables_of_a_database_are_read_where_they_lie(spark: Engine, tmp_path: Path) -> None:
    """Derby comes with Spark; what is between the address and the rows is the same for every JDBC driver."""
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    assert session is not None
    address = f"jdbc:derby:{tmp_path / 'base'};create=true"
    rows = session.sql("SELECT cast(id % 3 AS int) AS AGE, concat('t', id % 2) AS JOB FROM range(12)")
    rows.write.format("jdbc").option("url", address).option("dbtable", "PEOPLE").save()
    held = read(address, spark, table="PEOPLE")
    assert held.content_digest() == read(rows.toArrow()).content_digest()
    with pytest.raises(BadRequest, match="name the table") as refused:
        read(f"{address};password=secret", spark)
    assert "secret" not in str(refused.value)
    with pytest.raises(BadRequest, match="Spark cannot do this") as missing:
        read(f"{address};password=secret", spark, table="NOBODY")
    assert "secret" not in str(missing.value)
    with pytest.raises(BadRequest):
        read("jdbc:nothing://host/db;password=secret", spark, table="PEOPLE")


@pytest.mark.postgres
@pytest.mark.skipif(not DRIVER.exists(), reason="no JDBC driver of PostgreSQL on this machine (make system)")
def test_tables_of_postgresql_hold_what_other_engines_read(spark: Engine, postgres: str, tmp_path: Path) -> None:
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(postgres, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute('CREATE SCHEMA "my shop"')
        cursor.execute(
            'CREATE TABLE "my shop"."odd ""name" AS SELECT n::int % 4 AS age, chr(97 + n % 2) AS "Job", '
            "(n % 3) * 1.1::numeric AS pay, 'raw'::bytea AS photo, timestamp '2020-03-29 02:30:00.5' AS at, "
            "timestamptz '2020-03-29 02:30:00+02' AS told, date '0044-03-15' AS day, "
            "md5((n % 2)::text)::uuid AS code, n % 2 = 0 AS flag, NULLIF(n % 5, 0) AS gaps "
            "FROM generate_series(1, 4000) AS n"
        )
    address = postgres.replace("tester@", "tester:hun%40ter2@") + "?sslmode=disable"
    options = SourceOptions(table='my shop.odd "name', unread=frozenset({"photo"}))
    held, expected = open_source(address, spark, options), open_source(postgres, "polars", options)
    assert held.types == expected.types
    assert held.content_digest() == expected.content_digest()
    roles = {"age": "quasi-identifier", "Job": "quasi-identifier", "photo": "drop", "code": "identifier"}
    policy = {
        "columns": {name: {"role": roles.get(name, "plain")} for name in expected.columns},
        "requirements": [{"id": "k-anonymity", "k": 2}],
        "algorithm": {"id": "tdr"},
        "source": {"table": 'my shop.odd "name'},
    }
    out = sfumato.publish(sfumato.anonymize(address, {**policy, "engine": "spark"}), tmp_path / "out")
    (entry,) = sfumato.verify(out).certificate.release.files
    assert entry.content_digest == sfumato.anonymize(postgres, policy).table.content_digest()
    assert not any(b"ter2" in path.read_bytes() for path in out.rglob("*") if path.is_file())
    with pytest.raises(BadRequest, match="is not a table"):
        read(address, spark, table="nobody")
    with pytest.raises(BadRequest, match="cannot be grouped"):
        read(address, spark, table='my shop.odd "name')
    with pytest.raises(BadRequest, match="Spark cannot do this") as refused:
        read("postgresql://me:hunter2@127.0.0.1:1/x", spark, table="visits")
    assert "hunter2" not in str(refused.value)


def test_two_cores_give_the_digest_of_one(spark: Engine, tmp_path: Path) -> None:
    """The last one of this file: it ends the session and begins another."""
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    assert active is not None
    active.stop()
    two = get_engine("spark", master="local[2]")
    patients = hospital(200).to_polars()
    patients.write_parquet(tmp_path / "people.parquet")
    for name in [*ASKED][1::4]:
        expected = sfumato.anonymize(patients, policy_of(name))
        release = sfumato.anonymize(read(tmp_path / "people.parquet", two), policy_of(name))
        assert release.table.content_digest() == expected.table.content_digest(), name
    begun = SparkSession.getActiveSession()
    assert begun is not None
    context = begun.sparkContext
    assert context.master == "local[2]"
    assert context.getConf().get("spark.driver.bindAddress") == "127.0.0.1"
    assert context.uiWebUrl is None
    release.table.write(tmp_path / "out.parquet")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["out.parquet", "people.parquet"]
    assert not Path("spark-warehouse").exists()
    assert not Path("metastore_db").exists()
