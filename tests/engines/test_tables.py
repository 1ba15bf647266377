"""Every method of a table, on both engines, against plain Python."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.data.compressed import Dictionary
from sfumato.data.schema import ColumnType
from sfumato.engines import from_rows, read
from sfumato.errors import BadRequest, InternalError

COLUMNS = ("age", "sex", "score", "member", "born", "seen")
ROWS: list[tuple[Any, ...]] = [
    (34, "F", 1.5, True, dt.date(1990, 1, 2), dt.datetime(2020, 1, 1, 10, 0)),
    (9, "M", -2.0, False, dt.date(1980, 5, 6), dt.datetime(2020, 1, 1, 9, 30, 0, 250)),
    (34, None, None, None, None, None),
    (100, "F", 1.5, True, dt.date(1990, 1, 2), dt.datetime(2020, 1, 1, 10, 0)),
    (None, "é", 10.0, False, dt.date(2001, 12, 31), dt.datetime(1999, 12, 31, 23, 59, 59)),
    (34, "F", 1.5, True, dt.date(1990, 1, 2), dt.datetime(2020, 1, 1, 10, 0)),
]


def table(engine: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any:
    made = from_rows(columns, rows)
    return made if engine == "polars" else read(made.frame().to_arrow(), engine)


@pytest.fixture
def small(engine: str) -> Any:
    return table(engine, COLUMNS, ROWS)


def ordered(values: set[Any]) -> list[Any]:
    return sorted(values, key=lambda value: (value is not None, 0 if value is None else value))


def row_key(row: Sequence[Any]) -> list[tuple[bool, Any]]:
    return [(value is not None, 0 if value is None else value) for value in row]


# ---- looking ---------------------------------------------------------------------------------------------------------


def test_types_and_rows(small: Any) -> None:
    assert small.rows == 6
    assert small.columns == COLUMNS
    assert list(small.types.values()) == [
        ColumnType.INTEGER,
        ColumnType.TEXT,
        ColumnType.NUMBER,
        ColumnType.BOOLEAN,
        ColumnType.DATE,
        ColumnType.DATETIME,
    ]


def test_missing(small: Any) -> None:
    assert dict(small.missing()) == {"age": 1, "sex": 1, "score": 1, "member": 1, "born": 1, "seen": 1}


def test_rows_come_back(small: Any) -> None:
    assert small.to_rows() == ROWS
    assert small.head(2) == ROWS[:2]
    assert small.head(0) == []
    assert small.head(99) == ROWS


@pytest.mark.parametrize("at", range(len(COLUMNS)))
def test_dictionary(small: Any, at: int) -> None:
    found = small.dictionary(COLUMNS[at])
    values = [row[at] for row in ROWS if row[at] is not None]
    assert found.column == COLUMNS[at]
    assert list(found.values) == sorted(set(values))
    assert [type(value) for value in found.values] == [type(value) for value in sorted(set(values))]
    assert found.counts.tolist() == [values.count(value) for value in found.values]
    assert found.counts.dtype == np.int64
    assert found.missing == 1


def test_texts_are_ordered_by_code_point(engine: str) -> None:
    texts = ["b", "B", "a", "é", "z", "Z", "", "10", "9", "\U0001f600", "\uffff"]
    assert list(table(engine, ["t"], [(text,) for text in texts]).dictionary("t").values) == sorted(texts)


def test_nan_is_missing_and_zero_has_one_sign(engine: str) -> None:
    held = table(engine, ["x"], [(float("nan"),), (0.0,), (-0.0,), (None,)])
    assert dict(held.missing()) == {"x": 2}
    assert held.dictionary("x").values == (0.0,)
    assert held.distinct(["x"]) == 2
    assert len(held.groups(["x"])) == 2


def test_distinct(small: Any) -> None:
    assert small.distinct(["age"]) == 4
    assert small.distinct(["age", "sex"]) == 5
    assert small.distinct(list(COLUMNS)) == 5
    assert small.distinct([]) == 1


def test_unknown_column_is_named(small: Any) -> None:
    for call in (
        lambda: small.dictionary("agee"),
        lambda: small.select(["agee"]),
        lambda: small.groups(["agee"]),
        lambda: small.compress(["agee"]),
        lambda: small.recode({"agee": {}}),
        lambda: small.put({"agee": (np.zeros(6, np.int32), ["x"])}),
        lambda: small.codes(["agee"]),
        lambda: small.drop_missing(["agee"]),
        lambda: small.fill_missing("agee", "x"),
        lambda: small.drop_groups(["agee"], [(1,)]),
        lambda: small.distinct(["agee"]),
    ):
        with pytest.raises(BadRequest, match=r"'agee'.*did you mean 'age'"):
            call()


# ---- choosing --------------------------------------------------------------------------------------------------------


def test_select(small: Any) -> None:
    chosen = small.select(["sex", "age"])
    assert chosen.columns == ("sex", "age")
    assert chosen.to_rows() == [(row[1], row[0]) for row in ROWS]
    with pytest.raises(BadRequest, match="at least one"):
        small.select([])


def test_drop_missing(small: Any) -> None:
    assert small.drop_missing(["age"]).to_rows() == [row for row in ROWS if row[0] is not None]
    assert small.drop_missing(["age", "sex"]).rows == 4
    assert small.drop_missing([]).rows == 6


def test_dictionary_forgets_dropped_values(small: Any) -> None:
    small.dictionary("sex")
    kept = small.drop_groups(["sex"], [("F",)])
    assert kept.dictionary("sex").values == ("M", "é")
    assert kept.drop_missing(["age", "sex"]).compress(["sex"]).dictionaries["sex"].values == ("M",)


def test_fill_missing(small: Any) -> None:
    filled = small.fill_missing("sex", "?")
    assert [row[1] for row in filled.to_rows()] == ["F", "M", "?", "F", "é", "F"]
    numbers = small.fill_missing("score", "none")
    assert numbers.types["score"] is ColumnType.TEXT
    assert [row[2] for row in numbers.to_rows()] == ["1.5", "-2.0", "none", "1.5", "10.0", "1.5"]
    flags = small.fill_missing("member", "none")
    assert flags.dictionary("member").values == ("false", "none", "true")
    dates = small.fill_missing("seen", "never")
    assert [row[5] for row in dates.to_rows()][:3] == ["2020-01-01T10:00:00", "2020-01-01T09:30:00.000250", "never"]
    assert small.missing()["sex"] == 1, "the handle itself does not change"


def test_drop_groups(small: Any) -> None:
    left = small.drop_groups(["age", "sex"], [(34, "F"), (34, None), (9, "F"), ("34", "M")])
    assert left.to_rows() == [ROWS[1], ROWS[3], ROWS[4]]
    assert small.drop_groups(["age"], [(None,)]).rows == 5
    assert small.drop_groups(["age"], []).rows == 6
    assert small.drop_groups(["born", "score"], [(dt.date(1990, 1, 2), 1.5)]).rows == 3
    with pytest.raises(BadRequest, match="one value per column"):
        small.drop_groups(["age", "sex"], [(34,)])


# ---- compress and groups ---------------------------------------------------------------------------------------------


def test_compress(small: Any) -> None:
    full = small.drop_missing(["age", "sex"])
    found = full.compress(["age", "sex"], ["score"])
    assert found.columns == ("age", "sex")
    assert found.extra == ("score",)
    assert found.codes.dtype == np.int32
    assert found.extra_codes.dtype == np.int32
    assert found.weights.dtype == np.int64
    assert found.codes.tolist() == [[0, 1], [1, 0], [2, 0]]
    assert found.extra_codes.tolist() == [[0], [1], [1]]
    assert found.weights.tolist() == [1, 2, 1]
    assert found.records == 4
    assert found.dictionaries["age"].values == (9, 34, 100)


def test_compress_with_given_dictionaries(small: Any) -> None:
    full = small.drop_missing(["sex"])
    given_one = Dictionary("sex", ("A", "F", "M", "é"), np.zeros(4, np.int64))
    found = full.compress(["sex"], dictionaries={"sex": given_one})
    assert found.codes[:, 0].tolist() == [1, 2, 3]
    assert found.dictionaries["sex"] is given_one
    with pytest.raises(BadRequest, match=r"'sex'.*4 values are not in the dictionary"):
        full.compress(["sex"], dictionaries={"sex": Dictionary("sex", ("M",), np.zeros(1, np.int64))})


def test_compress_refuses_missing(small: Any) -> None:
    with pytest.raises(BadRequest, match=r"'age'.*1 value is missing"):
        small.compress(["age"])
    with pytest.raises(BadRequest, match=r"'born'.*1 value is missing"):
        small.drop_missing(["age"]).compress(["age"], ["born"])


def test_compress_without_columns(small: Any) -> None:
    found = small.compress([])
    assert found.codes.shape == (1, 0)
    assert found.weights.tolist() == [6]


def test_compress_when_codes_outgrow_a_word(engine: str) -> None:
    # Eight columns of 300 values need 72 bits.
    rng = np.random.default_rng(5)
    values = rng.integers(0, 300, (2_000, 8))
    rows = [tuple(int(value) for value in row) for row in np.concatenate([values, values[:700]])]
    names = [f"c{at}" for at in range(8)]
    held = table(engine, names, rows)
    found = held.compress(names)
    counts = Counter(rows)
    decoded = [
        tuple(found.dictionaries[name].values[code] for name, code in zip(names, row, strict=True))
        for row in found.codes.tolist()
    ]
    assert decoded == sorted(counts)
    assert found.weights.tolist() == [counts[row] for row in decoded]
    assert held.sort().to_rows() == sorted(rows)


def test_codes(small: Any) -> None:
    found = small.codes(list(COLUMNS))
    assert found.dtype == np.int32
    assert found.flags["C_CONTIGUOUS"]
    values = [small.dictionary(name).values for name in COLUMNS]
    decoded = [
        tuple(None if code < 0 else known[code] for known, code in zip(values, row, strict=True))
        for row in found.tolist()
    ]
    assert decoded == ROWS
    assert small.codes(["sex", "age", "sex"]).tolist() == [[row[1], row[0], row[1]] for row in found.tolist()]
    assert small.codes([]).shape == (6, 0)


def test_codes_follow_the_rows_as_they_stand(small: Any) -> None:
    kept = small.sort().drop_missing(["age"])
    assert kept.codes(["age", "sex"]).tolist() == [[0, 1], [1, -1], [1, 0], [1, 0], [2, 0]]


def test_codes_with_given_dictionaries(small: Any) -> None:
    given_one = Dictionary("sex", ("A", "F", "M", "é"), np.zeros(4, np.int64))
    assert small.codes(["sex"], {"sex": given_one}).ravel().tolist() == [1, 2, -1, 1, 3, 1]
    with pytest.raises(BadRequest, match=r"'sex'.*4 values are not in the dictionary"):
        small.codes(["sex"], {"sex": Dictionary("sex", ("M",), np.zeros(1, np.int64))})


def test_groups(small: Any) -> None:
    found = small.groups(["age", "sex"], ["score", "member"])
    assert found.columns == ("age", "sex")
    assert [found.key(at) for at in range(len(found))] == [
        (None, "é"),
        (9, "M"),
        (34, None),
        (34, "F"),
        (100, "F"),
    ]
    assert found.sizes.tolist() == [1, 1, 1, 2, 1]
    assert found.histograms["score"].values == (None, -2.0, 1.5, 10.0)
    assert found.histograms["score"].dense().tolist() == [
        [0, 0, 0, 1],
        [0, 1, 0, 0],
        [1, 0, 0, 0],
        [0, 0, 2, 0],
        [0, 0, 1, 0],
    ]
    assert found.histograms["member"].values == (None, False, True)


def test_groups_without_columns(small: Any) -> None:
    found = small.groups([], ["sex"])
    assert found.sizes.tolist() == [6]
    assert found.histograms["sex"].dense().tolist() == [[1, 3, 1, 1]]
    assert small.groups([]).sizes.tolist() == [6]


# ---- masking ---------------------------------------------------------------------------------------------------------


def test_recode(small: Any) -> None:
    recoded = small.recode(
        {"age": {9: "[0-50)", 34: "[0-50)", 100: "[50-120)"}, "sex": {"F": "*", "M": None, "é": "*", "never": "x"}}
    )
    assert recoded.types["age"] is ColumnType.TEXT
    assert [row[:2] for row in recoded.to_rows()] == [
        ("[0-50)", "*"),
        ("[0-50)", None),
        ("[0-50)", None),
        ("[50-120)", "*"),
        (None, "*"),
        ("[0-50)", "*"),
    ]
    assert recoded.dictionary("age").values == ("[0-50)", "[50-120)")
    assert recoded.columns == COLUMNS
    assert small.to_rows() == ROWS


def test_recode_of_every_type(small: Any) -> None:
    mappings = {name: {value: f"<{value}>" for value in small.dictionary(name).values} for name in COLUMNS}
    expected = [tuple(None if value is None else f"<{value}>" for value in row) for row in ROWS]
    assert small.recode(mappings).to_rows() == expected


def test_recode_twice_and_after_sort(small: Any) -> None:
    once = small.sort().recode({"sex": {"F": "b", "M": "a", "é": "c"}})
    assert [row[1] for row in once.to_rows()] == ["c", "a", None, "b", "b", "b"]
    twice = once.recode({"sex": {"a": "x", "b": "x", "c": "y"}})
    assert [row[1] for row in twice.to_rows()] == ["y", "x", None, "x", "x", "x"]


def test_recode_without_label_is_our_bug(small: Any) -> None:
    with pytest.raises(InternalError, match=r"'sex'"):
        small.recode({"sex": {"F": "x"}})


def codes(*given: int) -> Any:
    return np.array(given, np.int32)


def test_put(small: Any) -> None:
    labels = {"age": (codes(0, 1, 2, 0, -1, 1), ["[30-40)", "é'", None]), "sex": (codes(1, 1, 1, 0, 0, 0), ["F", "*"])}
    put = small.put(labels)
    assert put.columns == COLUMNS
    assert put.types["age"] is ColumnType.TEXT
    assert put.types["score"] is ColumnType.NUMBER
    shown = [("[30-40)", "*"), ("é'", "*"), (None, "*"), ("[30-40)", "F"), (None, "F"), ("é'", "F")]
    assert [row[:2] for row in put.to_rows()] == shown
    assert [row[2:] for row in put.to_rows()] == [row[2:] for row in ROWS]
    assert put.missing()["age"] == 2
    assert put.dictionary("age").values == ("[30-40)", "é'")
    assert put.groups(["age", "sex"]).as_dict() == Counter(shown)
    assert small.put({}).to_rows() == ROWS
    assert small.to_rows() == ROWS


def test_put_counts_rows_as_they_stand(small: Any) -> None:
    held = small.sort().drop_missing(["age"])
    letters = ["a", "b", "c", "d", "e"]
    put = held.put({"sex": (codes(4, 3, 2, 1, 0), letters)})
    assert [row[:2] for row in put.to_rows()] == [(9, "e"), (34, "d"), (34, "c"), (34, "b"), (100, "a")]
    again = put.drop_groups(["sex"], [("d",)]).put({"age": (codes(0, 1, 2, 3), letters)})
    assert [row[:2] for row in again.to_rows()] == [("a", "e"), ("b", "c"), ("c", "b"), ("d", "a")]
    assert [row[1] for row in again.sort().to_rows()] == ["e", "c", "b", "a"]
    assert again.codes(["age", "sex"]).tolist() == [[0, 3], [1, 2], [2, 1], [3, 0]]


def test_put_is_written_as_it_stands(small: Any, tmp_path: Path) -> None:
    put = small.put({name: (codes(1, 0, -1, 1, 0, 0), ["x,y", "z"]) for name in COLUMNS[1:]}).select(["age", "sex"])
    put.write(tmp_path / "put.csv")
    assert (tmp_path / "put.csv").read_text() == 'age,sex\n34,z\n9,"x,y"\n34,\n100,z\n,"x,y"\n34,"x,y"\n'


@pytest.mark.parametrize(
    ("given_codes", "labels", "rule"),
    [
        (codes(0, 0, 0), ["x"], "each of the 6 rows"),
        (codes(*[0] * 7), ["x"], "each of the 6 rows"),
        (np.zeros((6, 1), np.int32), ["x"], "each of the 6 rows"),
        (codes(0, 0, 0, 0, 0, 1), ["x"], r"-1\.\.0"),
        (codes(0, 0, 0, 0, 0, -2), ["x"], r"-1\.\.0"),
    ],
)
def test_put_refuses_codes_that_do_not_fit(small: Any, given_codes: Any, labels: list[str], rule: str) -> None:
    with pytest.raises(BadRequest, match=rule) as caught:
        small.put({"sex": (given_codes, labels)})
    assert caught.value.column == "sex"


def test_sort(small: Any) -> None:
    assert small.sort().to_rows() == sorted(ROWS, key=row_key)
    assert small.select(["sex", "age"]).sort().to_rows() == sorted([(row[1], row[0]) for row in ROWS], key=row_key)


def test_selecting_after_sorting_keeps_the_order(small: Any) -> None:
    assert small.sort().select(["sex"]).to_rows() == [(row[1],) for row in sorted(ROWS, key=row_key)]


def test_a_table_may_become_empty(small: Any, tmp_path: Path) -> None:
    empty = small.drop_groups(["age"], [(9,), (34,), (100,), (None,)])
    assert empty.rows == 0
    assert empty.to_rows() == []
    assert empty.sort().rows == 0
    assert empty.dictionary("sex").values == ()
    assert len(empty.groups(["age"], ["sex"])) == 0
    assert len(empty.groups([])) == 0
    assert len(empty.compress(["age", "sex"])) == 0
    assert empty.distinct(["age"]) == 0
    assert empty.recode({"sex": {}}).to_rows() == []
    assert empty.codes(["age", "sex"]).shape == (0, 2)
    assert empty.put({"sex": (codes(), ["x"])}).to_rows() == []
    assert empty.put({"sex": (codes(), [])}).types["sex"] is ColumnType.TEXT
    empty.write(tmp_path / "empty.csv")
    assert (tmp_path / "empty.csv").read_text() == "age,sex,score,member,born,seen\n"
    empty.write(tmp_path / "empty.parquet")
    assert sum(batch.num_rows for batch in empty.batches()) == 0


def test_batches(small: Any) -> None:
    batches = list(small.batches())
    assert [str(field.type) for field in batches[0].schema] == [
        "int64",
        "string",
        "double",
        "bool",
        "date32[day]",
        "timestamp[us]",
    ]
    rows = [tuple(record.values()) for batch in batches for record in batch.to_pylist()]
    assert rows == ROWS


def test_names_that_sql_could_take_for_its_own(engine: str) -> None:
    names = ["Age", "age", "select", 'a"b', "r", "c0", "k0", "n", "o'x"]
    rows = [tuple(range(at, at + len(names))) for at in range(3)]
    held = table(engine, names, rows)
    assert held.columns == tuple(names)
    assert held.to_rows() == rows
    assert held.sort().recode({"age": {1: "x'", 2: "y", 3: "z"}}).to_rows()[0][1] == "x'"
    assert len(held.groups(names)) == 3
    assert held.compress(names[:3], names[3:]).weights.tolist() == [1, 1, 1]


# ---- random tables ---------------------------------------------------------------------------------------------------

TEXTS = st.one_of(st.none(), st.sampled_from(["", "a", "B", "b", "é", "01", "x,y", 'q"', "\U0001f600"]))
NUMBERS = st.one_of(st.none(), st.integers(-3, 3))
FLOATS = st.one_of(st.none(), st.sampled_from([-1.5, 0.0, 0.5, 1e20, 1e-7]))
FLAGS = st.one_of(st.none(), st.booleans())
TABLES = st.lists(st.tuples(TEXTS, NUMBERS, FLOATS, FLAGS, TEXTS), min_size=1, max_size=25)
NAMES = ("t", "i", "f", "b", "u")
LOOK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def typed(engine: str, rows: list[tuple[Any, ...]]) -> Any:
    import pyarrow as pa

    kinds = (pa.string(), pa.int64(), pa.float64(), pa.bool_(), pa.string())
    return read(
        pa.table({name: pa.array([row[at] for row in rows], kinds[at]) for at, name in enumerate(NAMES)}), engine
    )


@LOOK
@given(rows=TABLES)
def test_random_groups(engine: str, rows: list[tuple[Any, ...]]) -> None:
    found = typed(engine, rows).groups(["t", "i", "b"], ["f", "u"])
    expected = Counter((row[0], row[1], row[3]) for row in rows)
    assert found.as_dict() == expected
    keys = [found.key(at) for at in range(len(found))]
    assert keys == sorted(expected, key=row_key)
    for name, at in (("f", 2), ("u", 4)):
        histogram = found.histograms[name]
        assert list(histogram.values) == ordered({row[at] for row in rows})
        cells = {
            (keys[group], histogram.values[value]): int(count)
            for group, counts in enumerate(histogram.dense())
            for value, count in enumerate(counts)
            if count
        }
        assert cells == Counter(((row[0], row[1], row[3]), row[at]) for row in rows)


@settings(LOOK, max_examples=12)
@given(rows=TABLES, data=st.data())
def test_random_codes_and_labels(engine: str, rows: list[tuple[Any, ...]], data: st.DataObject) -> None:
    held = typed(engine, rows)
    found = held.codes(NAMES)
    for at, name in enumerate(NAMES):
        values = held.dictionary(name).values
        assert [None if code < 0 else values[code] for code in found[:, at].tolist()] == [row[at] for row in rows]
    labels = data.draw(st.lists(TEXTS, min_size=1, max_size=4))
    given_codes = data.draw(st.lists(st.integers(-1, len(labels) - 1), min_size=len(rows), max_size=len(rows)))
    shown = [None if code < 0 else labels[code] for code in given_codes]
    put = held.put({"i": (np.array(given_codes, np.int32), labels)})
    assert put.to_rows() == [(row[0], label, *row[2:]) for row, label in zip(rows, shown, strict=True)]
    assert put.groups(["i"]).as_dict() == Counter((label,) for label in shown)


@LOOK
@given(rows=TABLES)
def test_random_compress(engine: str, rows: list[tuple[Any, ...]]) -> None:
    kept = [row for row in rows if None not in row]
    found = typed(engine, rows).drop_missing(NAMES).compress(["i", "t"], ["f", "b", "u"])
    expected = Counter((row[1], row[0], row[2], row[3], row[4]) for row in kept)
    names = [*found.columns, *found.extra]
    decoded = [
        tuple(found.dictionaries[name].values[code] for name, code in zip(names, codes, strict=True))
        for codes in np.hstack([found.codes, found.extra_codes]).tolist()
    ]
    assert decoded == sorted(expected)
    assert found.weights.tolist() == [expected[row] for row in decoded]


@LOOK
@given(rows=TABLES)
def test_random_sort_missing_and_dictionaries(engine: str, rows: list[tuple[Any, ...]]) -> None:
    held = typed(engine, rows)
    assert held.to_rows() == rows
    assert held.sort().to_rows() == sorted(rows, key=row_key)
    assert held.distinct(["u", "f"]) == len({(row[4], row[2]) for row in rows})
    for at, name in enumerate(NAMES):
        values = [row[at] for row in rows if row[at] is not None]
        found = held.dictionary(name)
        assert list(found.values) == sorted(set(values))
        assert found.counts.tolist() == [values.count(value) for value in found.values]
        assert found.missing == held.missing()[name] == len(rows) - len(values)


@LOOK
@given(rows=TABLES, data=st.data())
def test_random_masking(engine: str, rows: list[tuple[Any, ...]], data: st.DataObject) -> None:
    held = typed(engine, rows)
    labels = st.one_of(st.none(), st.sampled_from(["*", "x", "yy", ""]))
    mappings: dict[str, dict[Hashable, str | None]] = {
        name: {value: data.draw(labels) for value in held.dictionary(name).values} for name in ("t", "i", "b")
    }
    keys = data.draw(st.lists(st.tuples(TEXTS, NUMBERS), max_size=5))
    recoded = [
        (mappings["t"].get(row[0]), mappings["i"].get(row[1]), row[2], mappings["b"].get(row[3]), row[4])
        for row in rows
    ]
    assert held.recode(mappings).to_rows() == recoded
    assert held.recode(mappings).sort().to_rows() == sorted(recoded, key=row_key)
    assert held.drop_groups(["t", "i"], keys).to_rows() == [row for row in rows if (row[0], row[1]) not in set(keys)]
    filled = [(*row[:4], "?" if row[4] is None else row[4]) for row in rows]
    assert held.fill_missing("u", "?").to_rows() == filled


@LOOK
@given(rows=TABLES)
def test_random_tables_give_the_same_bytes(tmp_path: Path, rows: list[tuple[Any, ...]]) -> None:
    for suffix in ("csv", "parquet", "jsonl"):
        for name in ("polars", "duckdb"):
            held = typed(name, rows)
            held.sort().fill_missing("f", "?").write(tmp_path / f"{name}.{suffix}")
        assert (tmp_path / f"polars.{suffix}").read_bytes() == (tmp_path / f"duckdb.{suffix}").read_bytes()


def test_an_estimate_of_distinct_rows_is_near_their_number(engine: str) -> None:
    rows = {"a": [n % 400 for n in range(20_000)], "b": [None if n % 5 == 0 else n % 30 for n in range(20_000)]}
    table = read(rows, engine)
    for columns in ([], ["a"], ["a", "b"]):
        assert 0.8 <= table.about(columns) / table.distinct(columns) <= 1.25
