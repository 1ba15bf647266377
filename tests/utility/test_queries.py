"""Count queries: estimates equal counting by hand, anatomy is unbiased, workloads follow their seed."""

from __future__ import annotations

import json
import math
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.data.schema import ColumnType
from sfumato.data.tree import Tree
from sfumato.datasets import hospital, sample_policy
from sfumato.errors import BadRequest, Unsupported
from sfumato.recodings import Discretization, SubtreeGeneralization, ValueSuppression
from sfumato.releases import AnatomyPair, HistogramRelease, PermutedTable, RecodedTable, SyntheticTable
from sfumato.tables.build import given_release
from sfumato.tables.recode import recode_table
from sfumato.testing.draws import random_table
from sfumato.utility.queries import (
    Among,
    Between,
    CountQuery,
    GroupedCounter,
    QueryErrors,
    RawCounter,
    RecodedCounter,
    counter_of,
    query_errors,
    relative_errors,
    workload,
)

RECORDS = st.lists(
    st.tuples(
        st.integers(1, 3),
        st.one_of(st.none(), st.integers(20, 25)),
        st.sampled_from(["cook", "nurse", None]),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=15,
)
QUERIES = st.tuples(st.integers(20, 25), st.integers(0, 3), st.sampled_from(["cook", "nurse"]), st.integers(0, 3))


def asked(low: int, width: int, job: str, dose: int) -> CountQuery:
    return CountQuery({"Age": Between(low, low + width), "Job": Among([job]), "Dose": Among([dose, 2])})


@given(records=RECORDS, ask=QUERIES)
def test_raw_and_grouped_answers_equal_counting(records: list[Any], ask: Any) -> None:
    records = [*records, (7, 23, "cook", 1)]  # keeps the types of columns that are all missing otherwise
    table = sfumato.from_rows(["Age", "Job", "Dose"], [row[1:] for row in records])
    numbers = [row[0] for row in records]
    low, width, job, dose = ask
    query = asked(*ask)

    def fits(row: Any) -> bool:
        return row[1] is not None and low <= row[1] <= low + width and row[2] == job

    assert RawCounter(table).count(query) == sum(fits(row) and row[3] in (dose, 2) for row in records)
    by_hand = 0.0
    for group in set(numbers):
        inside = [row for row in records if row[0] == group]
        by_hand += sum(map(fits, inside)) * sum(row[3] in (dose, 2) for row in inside) / len(inside)
    rng = np.random.default_rng(0)
    for made in (
        AnatomyPair.build(table, numbers, ["Age", "Job"], "Dose", rng),
        AnatomyPair.build(table, numbers, ["Age", "Job"], "Dose", rng, form="bucketized"),
        PermutedTable.build(table, numbers, ["Age", "Job"], "Dose", rng),
    ):
        assert GroupedCounter(made.kind, made.tables).count(query) == pytest.approx(by_hand)


def test_the_anatomy_estimate_is_the_mean_over_all_ways_the_values_could_lie() -> None:
    """Unbiased: of all assignments of a group's values to its records, the estimate is the average true answer."""
    ages, values, numbers = [20, 21, 22, 30, 31], ["a", "a", "b", "b", "c"], [1, 1, 1, 2, 2]
    query = CountQuery({"Age": Between(21, 30), "S": Among(["a", "c"])})
    answers = [
        RawCounter(sfumato.from_rows(["Age", "S"], list(zip(ages, (*first, *second), strict=True)))).count(query)
        for first, second in product(permutations(values[:3]), permutations(values[3:]))
    ]
    table = sfumato.from_rows(["Age", "S"], list(zip(ages, values, strict=True)))
    made = AnatomyPair.build(table, numbers, ["Age"], "S", np.random.default_rng(0))
    assert len(answers) == 12
    assert GroupedCounter(made.kind, made.tables).count(query) == pytest.approx(np.mean(answers))


def test_estimates_from_random_groupings_scatter_around_their_mean() -> None:
    rng = np.random.default_rng(5)
    rows = [(int(age), str(rng.choice(["a", "b", "c"]))) for age in rng.integers(20, 60, 60)]
    table = sfumato.from_rows(["Age", "S"], rows)
    query = CountQuery({"Age": Between(25, 40), "S": Among(["a"])})
    chosen, fitting = sum(25 <= age <= 40 for age, _ in rows), sum(s == "a" for _, s in rows)
    truth, n, m = RawCounter(table).count(query), 60, 30
    # Groups of m out of n drawn at random: a record meets its own value surely, any other with (m - 1) / (n - 1).
    expected = (truth + (chosen * fitting - truth) * (m - 1) / (n - 1)) / m
    draws = []
    for _ in range(400):
        made = AnatomyPair.build(table, rng.permutation(np.arange(n) // m), ["Age"], "S", rng)
        draws.append(GroupedCounter(made.kind, made.tables).count(query))
    assert abs(np.mean(draws) - expected) < 4 * np.std(draws) / math.sqrt(len(draws))


@pytest.mark.parametrize("seed", range(12))
def test_recoded_answers_equal_spreading_every_record(seed: int) -> None:
    """Every record is replaced by all raw records its labels allow, in equal parts; then one counts."""
    rng = np.random.default_rng(seed)
    drawn = random_table(rng, rows=12)
    published = recode_table(drawn.table, drawn.recodings).table
    domains = {
        "tree": list(Tree.from_nested(drawn.trees["tree"]).leaves),
        "number": list(range(50)),
        "bare": list(drawn.table.dictionary("bare").values),
    }
    labels = {name: drawn.recodings[name].map(values, column=name).labels for name, values in domains.items()}
    behind = {
        name: {
            label: [value for value, its in zip(domains[name], labels[name], strict=True) if its == label]
            for label in labels[name]
        }
        for name in domains
    }
    counter = RecodedCounter(published, drawn.recodings, types=drawn.table.types)
    for query in workload(drawn.table, 20, 2, 0.3, rng, qid=["tree", "number", "bare"], sensitive="class"):
        by_hand = 0.0
        for row in published.to_rows():
            shown = dict(zip(published.columns, row, strict=True))
            share = float(query.where["class"].holds(shown["class"]))
            for name, condition in query.where.items():
                if name != "class":
                    members = behind[name][shown[name]]
                    share *= sum(condition.holds(value) for value in members) / len(members)
            by_hand += share
        assert counter.count(query) == pytest.approx(by_hand)


def test_an_untouched_table_is_answered_exactly() -> None:
    drawn = random_table(np.random.default_rng(2))
    queries = workload(drawn.table, 50, 2, 0.4, np.random.default_rng(1), qid=["tree", "bare"], sensitive="class")
    errors = query_errors(drawn.table, RecodedCounter(drawn.table, drawn.untouched()), queries)
    assert errors.queries == 50
    assert errors.median == errors.above == errors.mean == 0
    assert set(errors.quantiles.values()) == {0.0}


def one(label: Any, condition: Any, **known: Any) -> float:
    return RecodedCounter(sfumato.from_rows(["A"], [(label,)]), **known).count(CountQuery({"A": condition}))


def test_what_a_label_stands_for() -> None:
    tree = Tree.from_nested({"ANY": [{"Artist": ["Dancer", "Writer"]}, "Cook"]})
    whole, real = {"A": ColumnType.INTEGER}, {"A": ColumnType.NUMBER}
    assert one("[35-40)", Among([38, 40]), types=whole) == 0.2
    assert one("[35-40]", Among([38, 40]), types=whole) == pytest.approx(2 / 6)
    assert one("[35-40)", Between(38, 50), types=whole) == 0.4
    assert one("[35-40)", Between(38.5, 50), types=whole) == 0.2
    assert one("[35-40)", Between(38.5, 50), types=real) == pytest.approx(0.3)
    assert one("[35-40)", Between(1, 9), types=real) == 0
    assert one("[3-3]", Between(1, 9), types=real) == 1
    assert one("[0.5-1.5)", Among([1.0]), domains={"A": [0.5, 1.0, 2.0]}) == 0.5
    assert one("[0.2-0.7)", Between(0, 1), types=whole) == 0
    assert one("Artist", Among(["Dancer", "Cook"]), trees={"A": tree}) == 0.5
    assert one("ANY", Among(["Dancer", "Cook"]), trees={"A": tree}) == pytest.approx(2 / 3)
    assert one("*", Among(["x"]), domains={"A": ["x", "y", "z"]}) == pytest.approx(1 / 3)
    hidden = ValueSuppression(suppressed=("y", "z"), domain=("x", "y", "z"))
    assert one("*", Among(["x", "y"]), recodings={"A": hidden}) == 0.5
    assert one("x", Among(["x", "y"]), recodings={"A": hidden}) == 1
    assert one("38", Between(30, 40), types=whole) == 1
    assert one(38, Between(30, 40)) == 1
    cut = SubtreeGeneralization(tree=tree, cut=("Artist", "Cook"))
    assert one("Artist", Among(["Writer"]), recodings={"A": cut}) == 0.5
    ends = Discretization(edges=(0, 10, 20), closed=True)
    assert one("[10-20]", Among([20]), recodings={"A": ends}, types=whole) == pytest.approx(1 / 11)
    # A text that looks like an interval is no interval in a column of texts.
    assert one("[1-3)", Among(["[1-3)"]), types={"A": ColumnType.TEXT}) == 1


def test_what_cannot_be_answered_is_refused() -> None:
    with pytest.raises(BadRequest, match="suppressed value stands for"):
        one("*", Among(["x"]))
    with pytest.raises(BadRequest, match="no share in an interval"):
        one("[0.5-1.5)", Among([1.0]))
    with pytest.raises(BadRequest, match="stand for nothing known"):
        one("young", Among([3]), types={"A": ColumnType.INTEGER})
    with pytest.raises(BadRequest, match="asked about"):
        RawCounter(sfumato.from_rows(["A"], [(1,)])).count(CountQuery({"B": Among([1])}))
    table = sfumato.from_rows(["A", "S", "P"], [(1, 2, 3)])
    made = AnatomyPair.build(table, [1], ["A"], "S", np.random.default_rng(0))
    with pytest.raises(BadRequest, match="asked about"):
        GroupedCounter(made.kind, made.tables).count(CountQuery({"P": Among([1])}))
    with pytest.raises(BadRequest, match="rise"):
        Between(3, 1)
    with pytest.raises(BadRequest, match="at least one value"):
        Among([])
    with pytest.raises(BadRequest, match="Among or Between"):
        CountQuery({"A": 3})  # type: ignore[dict-item]


def test_the_kind_decides_how_to_answer() -> None:
    table = sfumato.from_rows(["A", "S"], [(1, "a"), (2, "b")])
    query = CountQuery({"A": Among([1]), "S": Among(["a"])})
    made = AnatomyPair.build(table, [1, 1], ["A"], "S", np.random.default_rng(0))
    assert counter_of(made.kind, made.tables).count(query) == 0.5
    assert counter_of(RecodedTable(), table).count(query) == 1
    drawn = SyntheticTable.build(table, mechanism="copula")
    assert counter_of(drawn.kind, drawn.tables).count(query) == 1
    boxes = HistogramRelease.build(table, [1, 1], ["A"])
    with pytest.raises(Unsupported, match="histogram-release"):
        counter_of(boxes.kind, boxes.tables)
    with pytest.raises(Unsupported, match="no groups"):
        GroupedCounter(RecodedTable(), table)


# ---- workloads and errors ------------------------------------------------------------------------------------------------


def test_workloads_have_the_shape_that_was_asked() -> None:
    rows = [(age, f"j{age % 8}", f"s{age % 4}") for age in range(100)]
    table = sfumato.from_rows(["Age", "Job", "S"], rows)
    queries = workload(table, 300, 1, 0.25, np.random.default_rng(1), qid=["Age", "Job"], sensitive="S")
    assert queries == workload(table, 300, 1, 0.25, np.random.default_rng(1), qid=["Age", "Job"], sensitive="S")
    assert queries != workload(table, 300, 1, 0.25, np.random.default_rng(2), qid=["Age", "Job"], sensitive="S")
    first = [query.columns[0] for query in queries]
    assert 100 < first.count("Age") < 200
    starts = set()
    for query in queries:
        assert query.columns[1:] == ("S",)
        assert len(query.where["S"].values) == 2  # 4 * 0.25^(1/2)
        if "Age" in query.where:
            condition = query.where["Age"]
            assert condition.high - condition.low + 1 == 50
            starts.add(condition.low)
        else:
            assert len(query.where["Job"].values) == 4
    assert {0, 50} <= starts
    # Independent columns: about a quarter of the records.
    answers = [RawCounter(table).count(query) for query in queries]
    assert 20 < np.mean(answers) < 30
    whole = workload(table, 3, 2, 1.0, np.random.default_rng(0), qid=["Age", "Job"])
    assert {RawCounter(table).count(query) for query in whole} == {100.0}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"size": 0}, "at least 1"),
        ({"dimensions": 0}, r"1\.\.2"),
        ({"dimensions": 3}, r"1\.\.2"),
        ({"selectivity": 0.0}, r"\(0, 1\]"),
        ({"selectivity": 1.5}, r"\(0, 1\]"),
        ({"qid": ["A", "X"]}, "not a column"),
        ({"sensitive": "X"}, "not a column"),
        ({"sensitive": "N"}, "has no value"),
    ],
)
def test_wrong_workloads_are_refused(change: dict[str, Any], says: str) -> None:
    frame = pl.DataFrame({"A": [1, 2], "B": ["x", "y"], "N": pl.Series([None, None], dtype=pl.String)})
    options: dict[str, Any] = {"size": 5, "dimensions": 1, "selectivity": 0.5, "qid": ["A", "B"], **change}
    with pytest.raises(BadRequest, match=says):
        workload(sfumato.read(frame), rng=np.random.default_rng(0), **options)


def test_errors_are_summarised() -> None:
    errors = relative_errors([10, 10, 10, 10, 0], [10, 11, 15, 30, 2])
    assert errors[:4].tolist() == [0.0, pytest.approx(0.1), 0.5, 2.0]
    found = QueryErrors.of(errors, threshold=0.5)
    assert (found.queries, found.undefined, found.above) == (5, 1, 0.25)
    assert (found.median, found.mean) == (pytest.approx(0.3), pytest.approx(0.65))
    assert found.quantiles[0.5] == pytest.approx(0.3)
    nothing = QueryErrors.of(relative_errors([0, 0], [1, 2]))
    assert (nothing.undefined, nothing.median, nothing.above) == (2, None, None)
    with pytest.raises(BadRequest, match="one estimate per answer"):
        relative_errors([1, 2], [1])


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_both_engines_answer_alike(engine: str) -> None:
    frame = pl.DataFrame({"A": [1, 2, 2, None], "S": ["x", "y", None, "x"]})
    table = sfumato.read(frame, engine=engine)
    query = CountQuery({"A": Between(1, 2), "S": Among(["x"])})
    assert RawCounter(table).count(query) == 1
    made = AnatomyPair.build(table, [1, 1, 2, 2], ["A"], "S", np.random.default_rng(0))
    assert GroupedCounter(made.kind, made.tables).count(query) == pytest.approx(2 * 1 / 2 + 1 * 1 / 2)


def test_anatomy_answers_better_than_generalization() -> None:
    """What the form is for: on the same groups exact quasi-identifiers answer counts more closely than intervals."""
    rng = np.random.default_rng(3)
    ages = np.sort(rng.normal(40, 4, 600).round().astype(int))
    rows = [(int(age), str(rng.choice(["a", "b", "c", "d"]))) for age in ages]
    table = sfumato.from_rows(["Age", "S"], rows)
    edges = (int(ages[0]), 39, 45, int(ages[-1]) + 1)
    numbers = np.digitize(ages, edges[1:-1])
    recoding = Discretization(edges=edges)
    queries = workload(table, 200, 1, 0.1, rng, qid=["Age"], sensitive="S")
    made = AnatomyPair.build(table, numbers, ["Age"], "S", rng)
    recoded = RecodedCounter(recode_table(table, {"Age": recoding}).table, {"Age": recoding}, types=table.types)
    exact = query_errors(table, GroupedCounter(made.kind, made.tables), queries)
    coarse = query_errors(table, recoded, queries)
    assert exact.median is not None
    assert coarse.median is not None
    assert exact.median < coarse.median


# ---- on the command line -------------------------------------------------------------------------------------------------


def run(*arguments: str) -> tuple[int, str]:
    from typer.testing import CliRunner

    from sfumato.cli.main import app
    from sfumato.cli.queries import queries

    assert queries is not None, "importing the command registers it"
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    return result.exit_code, result.output


def test_the_command(tmp_path: Path) -> None:
    raw = str(hospital(300, seed=2).write_csv(tmp_path / "raw.csv"))
    sfumato.publish(sfumato.anonymize(raw, sample_policy()), tmp_path / "out", input_path=raw)
    code, text = run("queries", raw, str(tmp_path / "out"), "--size", "50", "--seed", "3")
    assert code == 0
    assert "50 queries" in text
    assert "select no record" in text
    code, told = run("queries", raw, str(tmp_path / "out"), "--size", "50", "--seed", "3", "--json")
    found = json.loads(told)
    assert (code, found["queries"]) == (0, 50)
    assert 0 < found["quantiles"]["0.5"] == found["median"]
    assert run("queries", raw, str(tmp_path / "out"), "--size", "50", "--seed", "4", "--json")[1] != told
    # A bare file of the same rows, read with the hierarchies of the policy, answers like the folder.
    policy = str(tmp_path / "out" / "private" / "policy.yaml")
    file = str(tmp_path / "out" / "public" / "data.csv")
    assert run("queries", raw, file, "--policy", policy, "--size", "50", "--seed", "3", "--json")[0] == 0
    with pytest.raises(BadRequest, match="give the policy"):
        run("queries", raw, file)


def test_the_command_on_an_anatomized_release(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [(int(rng.integers(20, 30)), "FM"[at % 2], f"s{rng.integers(4)}") for at in range(80)]
    table = sfumato.from_rows(["Age", "Sex", "S"], rows)
    table.write(tmp_path / "raw.csv")
    (tmp_path / "policy.yaml").write_text(
        "columns:\n  Age: {role: quasi-identifier}\n  Sex: {role: quasi-identifier}\n  S: {role: sensitive}\n"
        "requirements:\n  - {id: l-diversity-distinct, l: 2, sensitive: S}\n"
    )
    release = given_release(AnatomyPair.build(table, np.arange(80) // 8, ["Age", "Sex"], "S", rng))
    out = sfumato.publish(release, tmp_path / "out")
    arguments = ("--policy", str(tmp_path / "policy.yaml"), "--size", "40", "--dimensions", "2", "--json")
    code, told = run("queries", str(tmp_path / "raw.csv"), str(out), *arguments)
    assert code == 0
    assert json.loads(told)["queries"] == 40
