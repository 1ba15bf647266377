"""The contract of engines: what is worked out from counts equals what engines do by themselves, to the digest."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sfumato
from engines.plain_engine import ARROW, PlainTable, in_order
from engines.same_releases import digests_of
from sfumato.catalogue import things
from sfumato.contracts.engine import RowTable, Table
from sfumato.data.compressed import Dictionary
from sfumato.data.schema import ColumnType
from sfumato.data.text import to_text, written_text
from sfumato.datasets import hospital, sample_policy
from sfumato.engines import read
from sfumato.engines.polars_engine import PolarsTable
from sfumato.errors import BadRequest, Infeasible, InternalError, Unsupported
from sfumato.releases.recoded_table import RecodedTable
from sfumato.testing import check_algorithm, check_grouping
from sfumato.testing.draws import random_table
from sfumato.testing.examples import example_of

TYPES = {
    "t": ColumnType.TEXT,
    "i": ColumnType.INTEGER,
    "f": ColumnType.NUMBER,
    "b": ColumnType.BOOLEAN,
    "d": ColumnType.DATE,
    "m": ColumnType.DATETIME,
}
NAMES = tuple(TYPES)
Rows = list[tuple[Any, ...]]

VALUES = (
    st.one_of(
        st.sampled_from(["", "a", "\t", "a\tb", "\n", "\r", "\\N", "\\", "\\t", "é", "\U0001f600"]), st.text(max_size=3)
    ),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.booleans(),
    st.dates(),
    st.datetimes(),
)
FEW = (
    st.sampled_from(["", "a", "b", "x\ty"]),
    st.integers(-2, 2),
    st.sampled_from([-1.5, 0.0, 0.5, 3.0, 1e20]),
    st.booleans(),
    st.sampled_from([dt.date(1999, 1, 2), dt.date(2020, 5, 6)]),
    st.sampled_from([dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 0, 0, 0, 500_000)]),
)
ANY = st.lists(st.tuples(*(st.one_of(st.none(), values) for values in VALUES)), min_size=1, max_size=12)
TABLES = st.lists(st.tuples(*(st.one_of(st.none(), values) for values in FEW)), min_size=1, max_size=25)
LOOK = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def arrow(rows: Rows) -> Any:
    return pa.table(
        {name: pa.array([row[at] for row in rows], ARROW[kind]) for at, (name, kind) in enumerate(TYPES.items())}
    )


def plain(rows: Rows) -> PlainTable:
    return PlainTable(
        TYPES, [tuple(0.0 if value == 0 and type(value) is float else value for value in row) for row in rows]
    )


MAKERS: dict[str, Callable[[Rows], Table]] = {
    "plain": plain,
    "polars": lambda rows: read(arrow(rows), "polars"),
    "duckdb": lambda rows: read(arrow(rows), "duckdb"),
}


@pytest.fixture(params=MAKERS)
def made(request: pytest.FixtureRequest) -> Callable[[Rows], Table]:
    """Each engine's way to hold rows, in turn."""
    return MAKERS[str(request.param)]


def rows_of(table: Table) -> Counter[tuple[Any, ...]]:
    """The rows of a table, by nothing but its counts."""
    cells = table.counts(table.columns)
    return Counter(dict(zip(zip(*cells.keys, strict=True), cells.sizes.tolist(), strict=True)))


def keys_of(cells: Any) -> list[tuple[Hashable, ...]]:
    return list(zip(*cells.keys, strict=True))


# ---- what an engine must offer, against plain Python -----------------------------------------------------------------


@LOOK
@given(rows=TABLES)
def test_counts_and_present(made: Any, rows: Rows) -> None:
    table = made(rows)
    cells = table.counts(["f", "t", "m"])
    expected = Counter((row[2], row[0], row[5]) for row in rows)
    assert keys_of(cells) == sorted(expected, key=in_order)
    assert cells.sizes.tolist() == [expected[key] for key in keys_of(cells)]
    for held in cells.keys:
        assert list(held.values) == sorted({value for value in held if value is not None})
    assert table.present().rows == table.rows == len(rows)
    assert table.present().known == {name: sum(row[at] is not None for row in rows) for at, name in enumerate(NAMES)}
    assert table.counts([]).sizes.tolist() == [len(rows)]


@LOOK
@given(rows=TABLES, data=st.data())
def test_relabel_and_without(made: Any, rows: Rows, data: st.DataObject) -> None:
    table = made(rows)
    cells = table.counts(["i", "b"])
    texts = st.one_of(st.none(), st.sampled_from(["*", "x", ""]))
    labels = {name: [data.draw(texts) for _ in range(len(cells))] for name in ("b", "t")}
    number = {key: at for at, key in enumerate(keys_of(cells))}
    shown = Counter(
        (labels["t"][number[row[1], row[3]]], row[1], row[2], labels["b"][number[row[1], row[3]]], *row[4:])
        for row in rows
    )
    relabelled = table.relabel(["i", "b"], cells.keys, labels)
    assert rows_of(relabelled) == shown
    assert relabelled.types["b"] is relabelled.types["t"] is ColumnType.TEXT
    assert rows_of(table.relabel(["i", "b"], [list(held) for held in cells.keys], labels)) == shown
    keys = data.draw(st.lists(st.tuples(*(st.one_of(st.none(), FEW[at]) for at in (0, 4))), min_size=1, max_size=4))
    left = table.without(["t", "d"], list(zip(*keys, strict=True)))
    assert rows_of(left) == Counter(row for row in rows if (row[0], row[4]) not in keys)
    assert rows_of(table.known(["t", "f"])) == Counter(row for row in rows if None not in (row[0], row[2]))
    if len(cells) > 1:
        with pytest.raises(InternalError, match="no label by i, b"):
            table.relabel(["i", "b"], [list(held)[1:] for held in cells.keys], {"b": ["x"] * (len(cells) - 1)})


@LOOK
@given(rows=TABLES, data=st.data())
def test_rows_alike_are_shared_out_the_same_way_everywhere(rows: Rows, data: st.DataObject) -> None:
    cells = plain(rows).counts(["t", "b"])
    keys, labels, take = [], [], []
    for key, size in zip(keys_of(cells), cells.sizes.tolist(), strict=True):
        cut = data.draw(st.integers(0, size))
        keys += [key, key]
        labels += [f"{key[0]}-1", None]
        take += [cut, size - cut]
    order = data.draw(st.permutations(range(len(keys))))
    keys, labels, take = [keys[at] for at in order], [labels[at] for at in order], [take[at] for at in order]
    found = []
    for make in MAKERS.values():
        table = make(rows)
        shared = table.share(["t", "b"], list(zip(*keys, strict=True)), {"t": labels, "i": labels}, take, secret="s'1")
        found.append(shared.content_digest())
        expected: Counter[tuple[Any, Any]] = Counter()
        for key, label, count in zip(keys, labels, take, strict=True):
            expected[label, key[1]] += count
        counted = shared.counts(["t", "b"])
        assert dict(zip(keys_of(counted), counted.sizes.tolist(), strict=True)) == {
            key: count for key, count in expected.items() if count
        }
        if isinstance(table, RowTable):
            # Rows keep their place: what was not relabelled stands where it stood.
            assert [row[2:] for row in shared.as_rows().to_rows()] == [row[2:] for row in table.to_rows()]
        with pytest.raises(InternalError, match="does not add up"):
            table.share(["t", "b"], list(zip(*keys, strict=True)), {"t": labels}, [take[0] + 1, *take[1:]], secret="s")
    assert len(set(found)) == 1


# ---- what is derived, against what engines do by themselves ----------------------------------------------------------


def same_compressed(one: Any, two: Any) -> bool:
    return (
        one.columns == two.columns
        and one.extra == two.extra
        and one.codes.dtype == two.codes.dtype == np.int32
        and np.array_equal(one.codes, two.codes)
        and np.array_equal(one.extra_codes, two.extra_codes)
        and np.array_equal(one.weights, two.weights)
        and {name: held.values for name, held in one.dictionaries.items()}
        == {name: held.values for name, held in two.dictionaries.items()}
    )


def same_groups(one: Any, two: Any) -> bool:
    return (
        one.as_dict() == two.as_dict()
        and list(one.as_dict()) == list(two.as_dict())
        and all(
            held.values == two.histograms[name].values
            and np.array_equal(held.start, two.histograms[name].start)
            and np.array_equal(held.code, two.histograms[name].code)
            and np.array_equal(held.count, two.histograms[name].count)
            for name, held in one.histograms.items()
        )
    )


@LOOK
@given(rows=TABLES, data=st.data())
@pytest.mark.parametrize("name", ["polars", "duckdb"])
def test_derived_methods_equal_the_fast_ones(name: str, rows: Rows, data: st.DataObject) -> None:
    table = MAKERS[name](rows)
    for column in NAMES:
        one, two = Table.dictionary(table, column), table.dictionary(column)
        assert one.values == two.values
        assert one.counts.tolist() == two.counts.tolist()
        assert one.missing == two.missing == Table.missing(table)[column]
    assert Table.distinct(table, ["t", "f"]) == table.distinct(["t", "f"])
    assert same_groups(Table.groups(table, ["b", "t"], ["f", "m"]), table.groups(["b", "t"], ["f", "m"]))
    full = table.drop_missing(["t", "i", "f"])
    assert same_compressed(Table.compress(full, ["i", "t"], ["f"]), full.compress(["i", "t"], ["f"]))
    backwards = tuple(reversed(full.dictionary("i").values))
    held = {"i": Dictionary("i", (99, *backwards), np.zeros(len(backwards) + 1, np.int64))}
    assert same_compressed(Table.compress(full, ["i", "t"], (), held), full.compress(["i", "t"], (), held))
    texts = st.sampled_from(["*", "x", None])
    mappings = {column: {value: data.draw(texts) for value in table.dictionary(column).values} for column in ("f", "d")}
    assert rows_of(Table.recode(table, mappings)) == rows_of(table.recode(mappings))
    assert Table.recode(table, mappings).content_digest() == table.recode(mappings).content_digest()
    for column in NAMES:
        assert rows_of(Table.fill_missing(table, column, "?")) == rows_of(table.fill_missing(column, "?"))
    keys = [(row[0], row[3]) for row in rows[:3]]
    assert rows_of(Table.drop_groups(table, ["t", "b"], keys)) == rows_of(table.drop_groups(["t", "b"], keys))
    # Joins by place, which Polars and DuckDB do in ways of their own.
    cells = table.counts(["i", "b"])
    labels = {"b": [str(at % 3) for at in range(len(cells))]}
    by_place = RowTable.relabel(table.as_rows(), ["i", "b"], cells.keys, labels)
    assert by_place.to_rows() == table.relabel(["i", "b"], cells.keys, labels).to_rows()
    assert RowTable.known(table.as_rows(), ["f"]).to_rows() == table.known(["f"]).to_rows()
    gone = [["a", None], [True, False]]
    assert RowTable.without(table.as_rows(), ["t", "b"], gone).to_rows() == table.without(["t", "b"], gone).to_rows()
    places = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=6))
    assert table.as_rows().take(places).to_rows() == [rows[at] for at in places]
    assert table.sort().as_rows().take([0]).codes(["i"]).shape == (1, 1)


@given(value=st.one_of(*VALUES[2:]))
def test_derived_texts_are_those_that_are_written(value: Any) -> None:
    import polars as pl

    from sfumato.engines.texts import as_text

    assert written_text(0.0 if value == 0 and type(value) is float else value) == as_text(pl.Series([value]))[
        0
    ].replace("-0.0", "0.0" if value == 0 else "-0.0")


def test_unknown_columns_and_wrong_keys_are_named(made: Any) -> None:
    table = made([("a", 1, 1.0, True, None, None)])
    for call in (
        lambda: table.dictionary("ii"),
        lambda: table.counts(["ii"]),
        lambda: table.select(["ii"]),
        lambda: table.groups(["ii"]),
        lambda: table.compress(["ii"]),
        lambda: table.recode({"ii": {}}),
        lambda: table.drop_missing(["ii"]),
        lambda: table.fill_missing("ii", "x"),
        lambda: table.drop_groups(["ii"], [(1,)]),
        lambda: table.relabel(["i"], [[1]], {"ii": ["x"]}),
    ):
        with pytest.raises(BadRequest, match=r"'ii'.*did you mean 'i'"):
            call()
    with pytest.raises(BadRequest, match="one value per column"):
        table.drop_groups(["i", "t"], [(1,)])
    with pytest.raises(BadRequest, match=r"'d'.*1 value is missing"):
        table.compress(["d"])
    with pytest.raises(InternalError, match="'t'"):
        table.recode({"t": {}})


def test_rows_without_a_place_are_refused_and_not_guessed() -> None:
    table = plain([("a", 1, 1.0, True, None, None)])
    for call in (table.as_rows, table.to_rows, lambda: table.head(1), table.batches):
        with pytest.raises(Unsupported, match="rows that have a place"):
            call()
    assert table.sort() is table


# ---- one identity ----------------------------------------------------------------------------------------------------


def digest_by_definition(rows: Rows) -> str:
    """The definition, from texts on without a line of ours."""

    def sha(text: str) -> str:
        return sha256(text.encode()).hexdigest()

    def cell(value: Any) -> str:
        escaped = "" if value is None else to_text(value).replace("\\", "\\\\").replace("\t", "\\t")
        return "\\N" if value is None else escaped.replace("\n", "\\n").replace("\r", "\\r")

    buckets: dict[str, list[str]] = {}
    for row, count in Counter("\t".join(map(cell, row)) for row in rows).items():
        leaf = sha(f"{row}\n{count}")
        buckets.setdefault(leaf[:4], []).append(leaf)
    header = "".join(f"{name}\t{kind.value}\n" for name, kind in TYPES.items())
    listed = "".join(f"\n{bucket} {sha(''.join(sorted(buckets[bucket])))}" for bucket in sorted(buckets))
    return sha(header + listed)


@LOOK
@given(rows=ANY, data=st.data())
def test_every_engine_gives_the_digest(rows: Rows, data: st.DataObject) -> None:
    expected = digest_by_definition(plain(rows).held)
    mixed = data.draw(st.permutations(rows))
    for make in MAKERS.values():
        assert make(rows).content_digest() == expected
        assert make(mixed).content_digest() == expected


@pytest.mark.parametrize("columns", [1, 2, 3, 6])
def test_many_rows_are_hashed_portion_by_portion(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows in order, rows in any order that fit into a number, and rows that do not: the digest of what is counted at once."""
    rng = np.random.default_rng(columns)
    frame = pl.DataFrame({str(at): rng.integers(0, 3000, 4000) for at in range(columns)})
    tables = [PolarsTable.from_frame(one) for one in (frame, frame.sort(frame.columns))]
    at_once = [table.content_digest() for table in tables]
    monkeypatch.setattr("sfumato.engines.polars_engine.KEPT_NUMBERS", 0)
    monkeypatch.setattr("sfumato.engines.writers.PORTION", 300)
    assert [table.select(table.columns).content_digest() for table in tables] == at_once
    assert len(set(at_once)) == 1


def test_the_digest_tells_tables_apart() -> None:
    row = ("a", 1, 1.0, True, None, None)
    digests = [
        plain(rows).content_digest()
        for rows in (
            [row],
            [row, row],
            [("", *row[1:])],
            [(None, *row[1:])],
            [("\\N", *row[1:])],
            [("a\t1", *row[1:])],
            [("a", 1, None, True, None, None)],
        )
    ]
    named = [plain([row]).select(names).content_digest() for names in (["t", "i"], ["i", "t"], ["t"])]
    text = PlainTable({"i": ColumnType.TEXT}, [("1",)]), PlainTable({"i": ColumnType.INTEGER}, [(1,)])
    assert len({*digests, *named, *(table.content_digest() for table in text)}) == len(digests) + len(named) + 2


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl", "arrow"])
def test_the_digest_does_not_depend_on_the_format(tmp_path: Path, suffix: str) -> None:
    table = read({"a": [3, 1, 1], "t": ["x,y", "é", None], "f": [0.1, 2.0, -7.25]})
    table.write(tmp_path / f"x.{suffix}")
    plain_copy = PlainTable(table.types, table.to_rows())
    plain_copy.write(tmp_path / f"sorted.{suffix}")
    for name in ("polars", "duckdb"):
        assert read(tmp_path / f"x.{suffix}", name).content_digest() == table.content_digest()
        assert read(tmp_path / f"sorted.{suffix}", name).content_digest() == table.content_digest()
    table.sort().write(tmp_path / f"again.{suffix}")
    assert (tmp_path / f"again.{suffix}").read_bytes() == (tmp_path / f"sorted.{suffix}").read_bytes()


def test_the_digest_is_the_one_it_was() -> None:
    table = read({"Age": [30, 30, 41], "Job": ["Dancer", "Dancer", None], "Pay": [1.5, 1.5, 3.0]})
    assert table.content_digest() == "f2ea68ad7e670177589ff4d29f1e3013a0e98e7a9ab209beb8bdf4c582d732e6"


# ---- the contract is thin --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["tdr", "optimal", "incognito", "bottom-up-generalization"])
@pytest.mark.parametrize("limit", [0.0, 0.05])
def test_the_smallest_engine_gives_the_release_of_polars(algorithm: str, limit: float) -> None:
    patients = read(hospital(400).to_polars())
    policy = sample_policy() | {
        "requirements": [{"id": "k-anonymity", "k": 5}],
        "algorithm": {"id": algorithm},
        "limits": {"suppress_at_most": limit},
    }
    held = PlainTable(patients.types, patients.to_rows())
    try:
        expected = sfumato.anonymize(patients, policy)
    except Unsupported as error:
        with pytest.raises(Unsupported, match=str(error)[:30]):
            sfumato.anonymize(held, policy)
        return
    release = sfumato.anonymize(held, policy)
    assert isinstance(release.table, PlainTable)
    assert release.table.content_digest() == expected.table.content_digest()
    assert release.verdict == expected.verdict
    assert release.counts == expected.counts
    assert {name: value.value for name, value in release.measured.items()} == {
        name: value.value for name, value in expected.measured.items()
    }


@pytest.mark.parametrize("algorithm", things("algorithm", "table"), ids=lambda thing: thing.id)
def test_algorithms_read_what_they_say(algorithm: Any) -> None:
    assert (algorithm.traits.most_rows is None) == (algorithm.traits.works_on == "counts")
    if algorithm.traits.release != RecodedTable.id:
        assert algorithm.traits.works_on in ("rows", "groups"), (
            "what is published of single records is found for all of them"
        )
        if algorithm.traits.works_on == "groups":
            _check_groups(algorithm)
        return
    rng = np.random.default_rng(7)
    configured = next(built for built in example_of(algorithm).built if isinstance(built, algorithm))
    kinds = check_algorithm._accepted(configured, random_table(rng))
    refused = False
    for rows in (30, 20, 12, 8):
        drawn = random_table(rng, rows=rows)
        policy = check_algorithm._policy(configured, drawn, kinds, [check_algorithm.promised(configured, 3)])
        held = PlainTable(drawn.table.types, drawn.table.to_rows())
        asks = any(model.traits.evaluation == "external" for model in policy.models())
        if algorithm.traits.works_on == "rows":
            try:
                sfumato.anonymize(held, policy, external=held if asks else None)
            except Unsupported as error:
                refused |= "rows that have a place" in str(error)
            continue
        release = sfumato.anonymize(held, policy, external=held if asks else None)
        expected = sfumato.anonymize(drawn.table, policy, external=drawn.table if asks else None)
        assert release.table.content_digest() == expected.table.content_digest()
        assert release.measured == expected.measured
    assert refused == (algorithm.traits.works_on == "rows")


def _check_groups(algorithm: Any) -> None:
    """Insist that counted rows are enough: rows without a place, in another order, give the tables that Polars gives."""
    rng, compared = np.random.default_rng(7), 0
    configured = next(built for built in example_of(algorithm).built if isinstance(built, algorithm))
    kinds = check_grouping._accepted(configured, random_table(rng))
    for rows in (30, 20, 12, 8):
        drawn = random_table(rng, rows=rows)
        policy = check_grouping._policy(configured, drawn, kinds, check_grouping.promised(configured, 2), seed=3)
        held = PlainTable(drawn.table.types, drawn.table.to_rows()[::-1])
        try:
            expected = sfumato.anonymize(drawn.table, policy)
        except Infeasible:
            continue
        release = sfumato.anonymize(held, policy)
        assert isinstance(release.table, PlainTable)
        assert digests_of(release) == digests_of(expected)
        assert release.verdict == expected.verdict
        compared += 1
    assert compared


# ---- answers are remembered ------------------------------------------------------------------------------------------


def test_a_question_is_answered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Sequence[str]] = []
    count = PlainTable._count

    def counted(self: PlainTable, columns: Sequence[str]) -> Any:
        asked.append(tuple(columns))
        return count(self, columns)

    monkeypatch.setattr(PlainTable, "_count", counted)
    table = plain([("a", 1, 1.0, True, None, None), ("b", 2, 1.0, True, None, None)])
    for _ in range(3):
        table.groups(["t"], ["i"])
        table.counts(["t", "i"])
        table.compress(["t", "i"])
        table.content_digest()
    assert sorted(asked) == sorted([("t", "i"), ("t",), ("i",), NAMES])
    monkeypatch.setattr("sfumato.contracts.engine.KEPT_NUMBERS", 8)
    few = plain([("a", 1, 1.0, True, None, None), ("b", 2, 1.0, True, None, None)])
    asked.clear()
    few.counts(["t"])
    few.counts(["i"])
    few.counts(["t"])
    few.counts(["f"])  # the oldest question, about i, is forgotten
    few.counts(["t"])
    few.counts(["i"])
    assert asked == [("t",), ("i",), ("f",), ("i",)]


def test_a_digest_makes_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    table = plain([("a", at, 1.0, True, None, None) for at in range(3)])
    digest = table.content_digest()
    monkeypatch.setattr(PlainTable, "bucket_hashes", lambda self: pytest.fail("worked out again"))
    for at in range(5):
        table._answers.get(at, lambda: "large", lambda answer: 1 << 22)
    assert table._answers.kept(0) is None
    assert table.content_digest() == digest
