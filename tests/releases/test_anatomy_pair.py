"""Anatomized releases: the groups keep their values, the order tells nothing, pairs that do not fit are refused."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.contracts.engine import Table
from sfumato.data.schema import ColumnType
from sfumato.errors import BadRequest
from sfumato.models import AlphaKAnonymity, DistinctLDiversity, FrequencyLDiversity, KAnonymity
from sfumato.releases import AnatomyPair

ROWS = [
    (30, "Male", "Hepatitis"),
    (30, "Male", "HIV"),
    (32, "Male", "HIV"),
    (36, "Female", "Flu"),
    (38, "Female", "Heart"),
    (38, "Female", "Heart"),
]
GROUPS = [1, 1, 1, 2, 2, 2]
FORMS = ["pair", "bucketized"]


def patients(engine: str = "polars") -> Table:
    return sfumato.read(pl.DataFrame(ROWS, schema=["Age", "Sex", "Disease"], orient="row"), engine=engine)


def anatomized(seed: int = 0, **options: Any) -> Any:
    return AnatomyPair.build(
        patients(options.pop("engine", "polars")),
        GROUPS,
        ["Age", "Sex"],
        "Disease",
        np.random.default_rng(seed),
        **options,
    )


RECORDS = st.lists(
    st.tuples(st.integers(1, 3), st.integers(20, 23), st.sampled_from(["Flu", "HIV", "Heart", None])),
    min_size=1,
    max_size=15,
)


@given(records=RECORDS, seed=st.integers(0, 5))
def test_groups_keep_their_records_and_their_values(records: list[Any], seed: int) -> None:
    # One text keeps the type of the column where all other values are missing.
    records = [*records, (9, 50, "Flu")]
    table = sfumato.from_rows(["Age", "Disease"], [row[1:] for row in records])
    numbers = [row[0] for row in records]
    for form in FORMS:
        made = AnatomyPair.build(table, numbers, ["Age"], "Disease", np.random.default_rng(seed), form=form)
        exact = made.kind.records(made.tables).select(["Age", "GroupID"])
        assert Counter(exact.to_rows()) == Counter((age, group) for group, age, _ in records)
        cells = made.kind.cells(made.tables)
        assert cells.as_dict() == Counter((group, value) for group, _, value in records)
        sizes, largest = Counter(numbers), Counter((group, value) for group, _, value in records)
        bound = max(count / sizes[group] for (group, _), count in largest.items())
        assert made.guarantee() == {
            "max_link_probability": bound,
            "l": min(sizes[group] // count for (group, _), count in largest.items()),
        }
        assert {row[:-1]: row[-1] for row in made.links.to_rows()} == Counter((*row[1:], row[0]) for row in records)


@pytest.mark.parametrize("form", FORMS)
def test_same_generator_same_release(form: Any) -> None:
    for name in anatomized(form=form).tables:
        one, two = (anatomized(5, form=form).tables[name].to_rows() for _ in range(2))
        assert one == two


def test_every_order_inside_a_group_is_equally_likely() -> None:
    """Three records of a group come out in each of their six orders, and values are free of them."""
    table = sfumato.from_rows(["Age", "Disease"], [(1, "a"), (2, "b"), (3, "c")])
    draws = 3000
    orders: Counter[Any] = Counter()
    joint: Counter[Any] = Counter()
    rng = np.random.default_rng(11)
    for _ in range(draws):
        made = AnatomyPair.build(table, [1, 1, 1], ["Age"], "Disease", rng, form="bucketized")
        rows = made.tables["data"].to_rows()
        orders[tuple(row[0] for row in rows)] += 1
        joint.update((row[0], row[2]) for row in rows)
    expected = draws / 6
    assert len(orders) == 6
    assert sum((count - expected) ** 2 / expected for count in orders.values()) < 20.5  # chi-square, 5 degrees, 0.1 %
    assert all(abs(count - draws / 3) < 5 * (draws * 2 / 9) ** 0.5 for count in joint.values())
    assert len(joint) == 9


def test_order_of_groups_is_that_of_their_numbers() -> None:
    table = sfumato.from_rows(["Age", "Disease"], [(age, "a") for age in range(20)])
    numbers = [7, 3] * 10
    made = AnatomyPair.build(table, numbers, ["Age"], "Disease", np.random.default_rng(1))
    found = [row[-1] for row in made.tables["qit"].to_rows()]
    assert found == sorted(numbers)
    ages = [row[0] for row in made.tables["qit"].to_rows()[:10]]
    assert sorted(ages) == list(range(1, 20, 2))
    assert any(a > b for a, b in pairwise(ages)), "the order inside a group must not be that of the input"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_requirements_are_asked_where_they_mean_something(form: Any, engine: str) -> None:
    made = anatomized(form=form, engine=engine)
    models = [
        FrequencyLDiversity(l=1.5, sensitive="Disease"),
        DistinctLDiversity(l=2, sensitive="Disease"),
        KAnonymity(k=2),
    ]
    first, second, exact = made.kind.verify(made.tables, models, ["Age", "Sex"])
    assert (bool(first), first.strongest, first.qid) == (True, 1.5, ("GroupID",))
    assert (bool(second), second.strongest) == (True, 2)
    # A person of 36 is alone: groups do not hide who is published.
    assert (bool(exact), exact.strongest, exact.qid) == (False, 1, ("Age", "Sex"))
    assert made.kind.prevented(models[:2]) == ["attribute"]
    assert made.kind.prevented([AlphaKAnonymity(alpha=0.7, k=2, sensitive="Disease")]) == ["attribute"]
    assert "record" in made.kind.prevented([KAnonymity(k=1)])
    made.kind.verify(made.tables, models[:2], [])
    assert type(made.tables[made.kind.part_names()[0]]).engine == engine


def test_several_sensitive_columns_act_as_one() -> None:
    rows = [(20, "Flu", "rich"), (21, "Flu", "poor"), (22, "HIV", "poor"), (23, "Flu", "rich")]
    table = sfumato.from_rows(["Age", "Disease", "Income"], rows)
    made = AnatomyPair.build(table, [1, 1, 1, 1], ["Age"], ["Disease", "Income"], np.random.default_rng(0))
    assert made.tables["st"].to_rows() == [(1, "Flu", "poor", 1), (1, "Flu", "rich", 2), (1, "HIV", "poor", 1)]
    assert made.guarantee() == {"max_link_probability": 0.5, "l": 2}
    models = [FrequencyLDiversity(l=4 / 3, sensitive="Disease"), FrequencyLDiversity(l=2, sensitive="Income")]
    assert [verdict.strongest for verdict in made.kind.verify(made.tables, models, [])] == [4 / 3, 2]
    for changed, says in [
        ([(1, "Flu", "poor", 1), (1, "Flu", "rich", 3), (1, "HIV", "poor", 1)], "records in the one table"),
        ([(1, "Flu", "poor", 2), (1, "Flu", "poor", 2)], "twice"),
        ([(1, "Flu", "poor", 5), (1, "Flu", "rich", -1)], "positive"),
    ]:
        bad = sfumato.from_rows(made.tables["st"].columns, changed)
        with pytest.raises(BadRequest, match=says):
            made.kind.verify({"qit": made.tables["qit"], "st": bad}, [], [])
    moved = AnatomyPair.build(
        table, [1, 1, 1, 1], ["Age"], ["Disease", "Income"], np.random.default_rng(0), form="bucketized"
    )
    pairs = Counter(row[2:] for row in moved.tables["data"].to_rows())
    assert pairs == Counter(row[1:] for row in rows), "several columns are moved together"


@given(
    st.lists(
        st.tuples(st.integers(1, 3), st.sampled_from(["Flu", "HIV", None]), st.sampled_from([True, False])),
        min_size=1,
        max_size=12,
    )
)
def test_each_of_several_columns_has_its_own_counts(records: list[Any]) -> None:
    table = sfumato.from_rows(["Age", "Disease", "Poor"], [(at, *rest) for at, (_, *rest) in enumerate(records)])
    if table.types["Disease"] is not ColumnType.TEXT:
        return  # nothing but missing values
    numbers = [number for number, _, _ in records]
    made = AnatomyPair.build(table, numbers, ["Age"], ["Disease", "Poor"], np.random.default_rng(0))
    groups = made.kind.groups(made.tables)
    assert groups.as_dict() == {(number,): count for number, count in sorted(Counter(numbers).items())}
    for at, name in ((1, "Disease"), (2, "Poor")):
        for group, number in enumerate(sorted(set(numbers))):
            held = Counter(record[at] for record in records if record[0] == number)
            assert groups.histograms[name].row(group) == held
    cells = made.kind.cells(made.tables)
    assert cells.as_dict() == Counter(records)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([(1, "HIV", 2), (1, "Hepatitis", 1), (2, "Flu", 1), (2, "Heart", 1)], "3 records in the one table and 2"),
        ([(1, "HIV", 2), (1, "Hepatitis", 1)], "groups without sensitive values"),
        ([(1, "HIV", 3), (2, "Flu", 3), (3, "Flu", 1)], "groups without records"),
        ([(1, "HIV", 1), (1, "HIV", 2), (2, "Flu", 3)], "twice"),
    ],
)
def test_pairs_that_do_not_fit_are_refused(rows: list[Any], says: str) -> None:
    made = anatomized()
    bad = sfumato.from_rows(["GroupID", "Disease", "Count"], rows)
    for call in (lambda t: made.kind.verify(t, [], []), made.kind.guarantee):
        with pytest.raises(BadRequest, match=says):
            call({"qit": made.tables["qit"], "st": bad})


def test_other_parts_and_columns_are_refused() -> None:
    made = anatomized()
    qit, listed = made.tables["qit"], made.tables["st"]
    for parts in ({"qit": qit}, {"qit": qit, "st": listed, "more": qit}, qit):
        with pytest.raises(BadRequest, match="exactly the parts"):
            made.kind.verify(parts, [], [])
    with pytest.raises(BadRequest, match="columns of this kind"):
        made.kind.verify({"qit": qit.select(["Age", "GroupID"]), "st": listed}, [], [])
    with pytest.raises(BadRequest, match="columns of this kind"):
        made.kind.verify({"qit": patients(), "st": listed}, [], [])
    texts = listed.recode({"GroupID": {1: "one", 2: "two"}})
    with pytest.raises(BadRequest, match="whole numbers"):
        made.kind.verify({"qit": qit, "st": texts}, [], [])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"groups": [1, 1, 1]}, "one group for each of the 6"),
        ({"groups": [1.0] * 6}, "whole numbers"),
        ({"groups": [True] * 6}, "whole numbers"),
        ({"groups": [[1] * 6]}, "one group for each"),
        ({"qid": ["Age", "Job"]}, "not a column"),
        ({"sensitive": "Illness"}, "not a column"),
        ({"qid": []}, "at least one column"),
        ({"qid": ["Age", "Disease"]}, "two published columns"),
        ({"qid": ["Age", "Age"]}, "two published columns"),
        ({"group": "Age"}, "two published columns"),
        ({"count": "Disease"}, "two published columns"),
        ({"form": "triple"}, "not one of the choices"),
    ],
)
def test_wrong_requests_are_refused(change: dict[str, Any], says: str) -> None:
    asked = {"groups": GROUPS, "qid": ["Age", "Sex"], "sensitive": "Disease", "rng": np.random.default_rng(0), **change}
    with pytest.raises(BadRequest, match=says):
        AnatomyPair.build(patients(), **asked)


@pytest.mark.parametrize(("known", "secret"), [("GroupID", "Disease"), ("Age", "Count"), ("Count", "GroupID")])
def test_columns_may_be_called_like_ours(known: str, secret: str, tmp_path: Path) -> None:
    rows = [(30 + at, value) for at, value in enumerate(["Flu", "HIV", "Ulcer"] * 3)]
    asked = {
        "columns": {known: {"role": "quasi-identifier"}, secret: {"role": "sensitive"}},
        "requirements": [{"id": "l-diversity-frequency", "l": 3, "sensitive": secret}],
        "algorithm": {"id": "anatomize"},
        "seed": 1,
    }
    release = sfumato.anonymize(sfumato.from_rows([known, secret], rows), asked)
    assert {known, secret} <= {name for table in release.tables.values() for name in table.columns}
    assert sfumato.verify(sfumato.publish(release, tmp_path / "out"))
    assert sfumato.audit(release).of("attack-attribute-linkage").after.highest == pytest.approx(1 / 3)
