"""(X,Y)-anonymity against counting rows, with one and with several columns in Y."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles.naive_diversity import distinct_with, merges
from sfumato import BadRequest, GroupStats, Unsupported
from sfumato.models import DistinctLDiversity, KAnonymity, XYAnonymity
from sfumato.models._xy_model import joint_name

ROWS = st.lists(
    st.tuples(st.sampled_from("pq"), st.sampled_from("rst"), st.sampled_from("uv"), st.sampled_from("xyz")),
    min_size=1,
    max_size=25,
)
COLUMNS = ["A", "B", "C", "D"]


def strongest(rows: Any, x: list[str], y: list[str]) -> Any:
    (verdict,) = sfumato.check(sfumato.from_rows(COLUMNS, rows), XYAnonymity(y=tuple(y), k=1), qid=x)
    return verdict.strongest


def least(rows: Any, x: list[str], y: list[str]) -> int:
    return min(distinct_with(rows, [COLUMNS.index(n) for n in x], [COLUMNS.index(n) for n in y]).values())


@given(ROWS, st.integers(1, 4))
def test_agrees_with_counting(rows: Any, k: int) -> None:
    for x, y in ((["A"], ["D"]), (["A", "B"], ["C"]), (["A"], ["C", "D"]), (["B"], ["D", "A", "C"])):
        (verdict,) = sfumato.check(sfumato.from_rows(COLUMNS, rows), XYAnonymity(y=tuple(y), k=k), qid=x)
        assert verdict.strongest == least(rows, x, y)
        assert verdict.satisfied == (verdict.strongest >= k)
        assert verdict.records == len(rows)


@given(ROWS)
def test_a_larger_x_or_a_smaller_y_is_stricter(rows: Any) -> None:
    assert strongest(rows, ["A", "B"], ["D"]) <= strongest(rows, ["A"], ["D"]) <= strongest(rows, ["A"], ["C", "D"])


@given(ROWS, st.integers(1, 6))
def test_a_key_as_y_is_k_anonymity(rows: Any, k: int) -> None:
    table = sfumato.from_rows([*COLUMNS, "Key"], [(*row, at) for at, row in enumerate(rows)])
    mine, other = sfumato.check(table, [XYAnonymity(y=("Key",), k=k), KAnonymity(k=k)], qid=["A", "B"])
    assert (mine.satisfied, mine.strongest) == (other.satisfied, other.strongest)


@given(ROWS, st.integers(1, 4))
def test_implies_k_anonymity_and_with_a_sensitive_y_is_distinct_diversity(rows: Any, k: int) -> None:
    table = sfumato.from_rows(COLUMNS, rows)
    mine, plain, diverse = sfumato.check(
        table, [XYAnonymity(y=("D",), k=k), KAnonymity(k=k), DistinctLDiversity(l=k, sensitive="D")], qid=["A", "B"]
    )
    assert plain.satisfied or not mine.satisfied
    assert (mine.satisfied, mine.strongest) == (diverse.satisfied, diverse.strongest)


@given(merges(), st.integers(1, 5))
def test_merging_never_hurts(draw: tuple[list[dict[str, int]], list[int]], k: int) -> None:
    model, before = XYAnonymity(y=("Y",), k=k), GroupStats.from_histograms(draw[0], column="Y")
    after = before.merge(draw[1])
    assert model.check(after) or not model.check(before)
    assert model.check(after).violating_records <= model.check(before).violating_records


def test_witness_does_not_name_people() -> None:
    table = sfumato.from_rows(["Job", "Person"], [("Artist", "Ann"), ("Artist", "Ann"), ("Lawyer", "Bob")])
    (verdict,) = sfumato.check(table, XYAnonymity(y=("Person",), k=2), qid=["Job"])
    assert {tuple(found.witness.items()) for found in verdict.violations} == {
        (("records", 2), ("distinct", 1)),
        (("records", 1), ("distinct", 1)),
    }
    assert "Ann" not in repr(verdict)


def test_missing_values_in_y() -> None:
    table = sfumato.from_rows(["Job", "P", "Q"], [("Artist", "Ann", "u"), ("Artist", None, "u"), ("Artist", None, "w")])
    for y in (("P",), ("P", "Q")):
        with pytest.raises(BadRequest, match="has missing values"):
            sfumato.check(table, XYAnonymity(y=y, k=2), qid=["Job"])
        (verdict,) = sfumato.check(table, XYAnonymity(y=y, k=2, missing="count"), qid=["Job"])
        assert verdict.strongest == 1 + len(y)


def test_x_and_y_must_not_overlap() -> None:
    with pytest.raises(BadRequest, match="X and Y must not share a column") as refused:
        XYAnonymity(y=("P", "Job"), k=2, qid=("Job",))
    assert (refused.value.parameter, refused.value.value) == ("xy-anonymity.y", "Job")
    table = sfumato.from_rows(["Job", "P"], [("Artist", "Ann")])
    with pytest.raises(BadRequest, match="X and Y must not share a column"):
        sfumato.check(table, XYAnonymity(y=("P",), k=2), qid=["Job", "P"])


def test_separate_counts_of_two_columns_are_refused() -> None:
    """(p, q) pairs cannot be told from counts of p and of q; guessing would promise too much or too little."""
    table = sfumato.from_rows(["Job", "P", "Q"], [("Artist", "p", "q"), ("Artist", "r", "s")])
    with pytest.raises(Unsupported, match="together"):
        XYAnonymity(y=("P", "Q"), k=2).check(table.groups(["Job"], ["P", "Q"]))
    joint = GroupStats.from_histograms([{("p", "q"): 1, ("r", "s"): 1}], column=joint_name(["P", "Q"]))
    assert sfumato.check(joint, XYAnonymity(y=("P", "Q"), k=2))


@pytest.mark.parametrize(
    ("given_", "rule"),
    [
        ({"y": ()}, "at least one column"),
        ({"y": ("P", "P")}, "twice"),
    ],
)
def test_bad_parameters(given_: dict[str, Any], rule: str) -> None:
    with pytest.raises(BadRequest, match=rule):
        XYAnonymity(**{"y": ("P",), "k": 2, **given_})


def test_saved_and_rebuilt() -> None:
    model = XYAnonymity(y=("P", "Q"), k=2, qid=("Job",), missing="count")
    assert XYAnonymity.from_spec(model.spec()) == model
