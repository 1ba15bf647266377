"""Anatomized pairs as groups: counted like the records they came from, refused when the two tables do not fit."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.errors import BadRequest
from sfumato.groups.anatomy import anatomy_groups
from sfumato.groups.stats import GroupStats
from sfumato.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity

NAMES = {"group": "GroupID", "sensitive": "Disease", "count": "Count"}

# Patients of the worked example: two groups of ages, two diseases in each.
QIT = [(age, "Male", 1) for age in (30, 30, 30, 32, 32, 32)] + [(age, "Female", 2) for age in (36, 38, 38, 38)]
ST = [(1, "HIV", 3), (1, "Hepatitis", 3), (2, "Flu", 2), (2, "Heart", 2)]


def pair(qit: list[Any], st_rows: list[Any]) -> GroupStats:
    return anatomy_groups(
        sfumato.from_rows(["Age", "Sex", "GroupID"], qit),
        sfumato.from_rows(["GroupID", "Disease", "Count"], st_rows),
        **NAMES,
    )


def test_the_worked_example() -> None:
    groups = pair(QIT, ST)
    assert groups.as_dict() == {(1,): 6, (2,): 4}
    assert groups.histograms["Disease"].row(0) == {"HIV": 3, "Hepatitis": 3}
    assert groups.histograms["Disease"].row(1) == {"Flu": 2, "Heart": 2}
    judged = sfumato.check(
        groups,
        [KAnonymity(k=4), DistinctLDiversity(l=2, sensitive="Disease"), FrequencyLDiversity(l=2, sensitive="Disease")],
    )
    assert [verdict.strongest for verdict in judged] == [4, 2, 2]
    assert judged
    assert not sfumato.check(groups, FrequencyLDiversity(l=2.1, sensitive="Disease"))


RECORDS = st.lists(
    st.tuples(st.integers(1, 3), st.sampled_from(["Flu", "HIV", "Heart", None])), min_size=1, max_size=15
)


@given(records=RECORDS, turn=st.randoms(use_true_random=False))
def test_like_the_records_it_came_from(records: list[tuple[int, str | None]], turn: Any) -> None:
    counted = Counter(records)
    rows = [(group, value, count) for (group, value), count in counted.items()]
    turn.shuffle(rows)
    st_table = sfumato.from_rows(["g", "s", "n"], [*rows, (9, "none", 0)]).drop_groups(["g"], [(9,)])
    found = anatomy_groups(
        sfumato.from_rows(["age", "g"], [(20, group) for group, _ in records]),
        st_table,
        group="g",
        sensitive="s",
        count="n",
    )
    # The text in the last record keeps the type of the column where all values are missing.
    plain = sfumato.from_rows(["g", "s"], [*records, (9, "none")]).drop_groups(["g"], [(9,)]).groups(["g"], ["s"])
    assert found.as_dict() == plain.as_dict()
    rows_of = [[groups.histograms["s"].row(at) for at in range(len(groups))] for groups in (found, plain)]
    assert rows_of[0] == rows_of[1]
    for model in (
        DistinctLDiversity(l=2, sensitive="s", missing="count"),
        FrequencyLDiversity(l=1.5, sensitive="s", missing="count"),
    ):
        assert model.check(found).strongest == model.check(plain).strongest


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_both_engines(engine: str) -> None:
    qit = sfumato.read(pl.DataFrame(QIT, schema=["Age", "Sex", "GroupID"], orient="row"), engine=engine)
    sensitive = sfumato.read(pl.DataFrame(ST, schema=["GroupID", "Disease", "Count"], orient="row"), engine=engine)
    groups = anatomy_groups(qit, sensitive, **NAMES)
    assert groups.as_dict() == {(1,): 6, (2,): 4}
    assert groups.histograms["Disease"].dense().tolist() == [[0, 3, 0, 3], [2, 0, 2, 0]]


@pytest.mark.parametrize(
    ("qit", "rows", "says"),
    [
        (QIT[1:], ST, "has 5 records in the one table and 6"),
        (QIT, [*ST[:-1], (2, "Heart", 3)], "has 4 records in the one table and 5"),
        (QIT, ST[:2], "groups without sensitive values"),
        (QIT[:6], ST, "groups without records"),
        ([*QIT, (50, "Male", None)], ST, "group is missing"),
        (QIT, [*ST, (None, "Flu", 1)], "group is missing"),
        (QIT, [(1, "HIV", 3), (1, "HIV", 3), *ST[2:]], "twice"),
        (QIT, [(1, "HIV", 2), (1, "HIV", 4), *ST[2:]], "twice"),
        (QIT, [(1, "HIV", 6), (1, "Flu", 0), *ST[2:]], "positive whole"),
        (QIT, [(1, "HIV", 7), (1, "Flu", -1), *ST[2:]], "positive whole"),
        (QIT, [(1, "HIV", 3.5), (1, "Flu", 2.5), *ST[2:]], "positive whole"),
        (QIT, [(1, "HIV", 6), (1, "Flu", None), *ST[2:]], "positive whole"),
    ],
)
def test_pairs_that_do_not_fit_are_refused(qit: list[Any], rows: list[Any], says: str) -> None:
    with pytest.raises(BadRequest, match=says):
        pair(qit, rows)


def test_wrong_columns_are_refused() -> None:
    qit = sfumato.from_rows(["Age", "Sex", "GroupID"], QIT)
    rows = sfumato.from_rows(["GroupID", "Disease", "Count"], ST)
    for changed in ({"group": "Group"}, {"sensitive": "Illness"}, {"count": "N"}):
        with pytest.raises(BadRequest, match="not a column"):
            anatomy_groups(qit, rows, **{**NAMES, **changed})
    with pytest.raises(BadRequest, match="twice"):
        anatomy_groups(qit, rows, **{**NAMES, "count": "Disease"})
    with pytest.raises(BadRequest, match="beside the quasi-identifiers"):
        anatomy_groups(sfumato.from_rows(["Disease", "GroupID"], [("Flu", 1)]), rows, **NAMES)


def test_the_groups_that_do_not_fit_are_named() -> None:
    with pytest.raises(BadRequest) as error:
        pair(QIT, [*ST, (9, "Flu", 1), (7, "Flu", 1), (9, "HIV", 1)])
    assert error.value.value == [7, 9]
    with pytest.raises(BadRequest) as error:
        pair([*QIT, (50, "Male", 8), (51, "Male", 4)], ST)
    assert error.value.value == [4, 8]


def test_whole_counts_may_be_written_as_decimals() -> None:
    groups = pair(QIT, [(number, value, float(count)) for number, value, count in ST])
    assert groups.histograms["Disease"].count.dtype == "int64"
    assert groups.as_dict() == pair(QIT, ST).as_dict()
