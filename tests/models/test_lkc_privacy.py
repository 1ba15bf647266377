"""LKC-privacy: agreement with counting every combination, its special cases, its traits, and what it refuses."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_worlds import lkc
from sfumato import BadRequest, GroupStats
from sfumato.models import AlphaKAnonymity, KAnonymity, LKCPrivacy
from sfumato.models.lkc_privacy import subsets, sufficient_subsets

QID = ["A", "B", "C"]
NAMES = [*QID, "S"]
CELL = st.sampled_from(["x", "y", "z"])
RECORDS = st.lists(st.tuples(CELL, CELL, CELL, st.sampled_from(["s", "t", "u"])), min_size=1, max_size=14)


def table(rows: list[tuple[Any, ...]]) -> Any:
    return sfumato.from_rows(NAMES, rows)


@given(RECORDS, st.integers(1, 5), st.sampled_from([None, (), ("s",), ("s", "t")]))
def test_exact_size_finds_what_all_sizes_show(
    rows: list[tuple[Any, ...]], L: int, values: tuple[str, ...] | None
) -> None:
    model = LKCPrivacy(L=L, K=1, sensitive="S", values=values)
    found = model.exposure(table(rows).groups(QID, ["S"]))
    smallest, surest = lkc(rows, range(3), L, 3, values)
    assert found.smallest == smallest
    assert found.confidence == pytest.approx(float(surest))


@given(
    st.lists(st.tuples(*[st.sampled_from(["x", "y", None])] * 3, st.sampled_from(["s", "t"])), min_size=1, max_size=12),
    st.integers(1, 3),
)
def test_absent_cells_cannot_be_known(rows: list[tuple[Any, ...]], L: int) -> None:
    if any(all(row[i] is None for row in rows) for i in range(3)):
        return
    model = LKCPrivacy(L=L, K=1, sensitive="S", values=("s",), cells="absent")
    found = model.exposure(table(rows).groups(QID, ["S"]))
    smallest, surest = lkc(rows, range(3), L, 3, ["s"])
    assert found.smallest == smallest
    assert found.confidence == pytest.approx(float(surest))


def test_with_absent_cells_a_shorter_combination_may_be_the_surest() -> None:
    """The shortcut would look at pairs only, of which the record with the breach has none."""
    rows = [("a", None, None, "s"), ("b", "x", None, "s"), ("b", "x", None, "t")]
    groups = table(rows).groups(QID, ["S"])
    assert LKCPrivacy(L=2, K=1, sensitive="S", values=("s",), cells="absent").exposure(groups).confidence == 1.0
    assert LKCPrivacy(L=2, K=2, sensitive="S", cells="absent").check(groups).violations[0].group == ("a",)


@given(RECORDS, st.integers(1, 4), st.sampled_from([0.25, 1 / 3, 0.5, 0.75, 1.0]))
def test_special_cases(rows: list[tuple[Any, ...]], k: int, alpha: float) -> None:
    """All attributes known: k-anonymity with C = 1, (alpha,k)-anonymity with C = alpha."""
    source = table(rows)
    assert bool(sfumato.check(source, LKCPrivacy(L=9, K=k), qid=QID)) == bool(
        sfumato.check(source, KAnonymity(k=k), qid=QID)
    )
    assert bool(sfumato.check(source, LKCPrivacy(L=9, K=k, C=alpha, sensitive="S"), qid=QID)) == bool(
        sfumato.check(source, AlphaKAnonymity(k=k, alpha=alpha, sensitive="S"), qid=QID)
    )


@given(RECORDS, st.integers(1, 3), st.integers(1, 4), st.sampled_from([0.4, 0.5, 0.75]), st.integers(0, 2))
def test_merging_values_of_an_attribute_keeps_it(
    rows: list[tuple[Any, ...]], L: int, K: int, C: float, column: int
) -> None:
    model = LKCPrivacy(L=L, K=K, C=C, sensitive="S")
    merged = [tuple("xy" if i == column and v in "xy" else v for i, v in enumerate(row)) for row in rows]
    if sfumato.check(table(rows), model, qid=QID):
        assert sfumato.check(table(merged), model, qid=QID)


@given(RECORDS, st.integers(1, 2))
def test_less_knowledge_is_never_worse(rows: list[tuple[Any, ...]], L: int) -> None:
    groups = table(rows).groups(QID, ["S"])
    less, more = (LKCPrivacy(L=size, K=1, sensitive="S").exposure(groups) for size in (L, L + 1))
    assert less.smallest >= more.smallest
    assert less.confidence <= more.confidence


def test_merging_may_add_violating_records() -> None:
    """The stored counter-example to violations_shrink_under_merge."""
    model = LKCPrivacy(L=1, K=1, C=0.5, sensitive="S")
    groups = GroupStats.from_histograms([{"HIV": 1}, {"HIV": 5, "Flu": 5}], column="S")
    assert model.check(groups).violating_records == 1
    assert model.check(groups.merge([0, 0])).violating_records == 11
    assert not LKCPrivacy.traits.violations_shrink_under_merge


def test_witness_names_the_combination() -> None:
    rows = [("a", "x", "p", "s"), ("a", "y", "p", "s"), ("b", "x", "p", "t"), ("b", "y", "p", "t")]
    (verdict,) = sfumato.check(table(rows), LKCPrivacy(L=1, K=2, C=0.5, sensitive="S"), qid=QID)
    assert [violation.group for violation in verdict.violations] == [("a",), ("b",)]
    first = verdict.violations[0]
    assert first.witness == {
        "columns": ("A",),
        "records": 2,
        "record_link_probability": 0.5,
        "value": "s",
        "confidence": 1.0,
    }
    assert (verdict.violating_groups, verdict.violating_records, verdict.strongest) == (2, 4, 2)
    assert verdict.bound == ">= 2 records and confidence <= 0.5"


def test_violations_come_worst_first_and_no_more_than_asked() -> None:
    rows = [("a", "x", "p", "s")] + [("b", "x", "p", "s")] * 2 + [("c", "x", "p", "t")] * 3
    (verdict,) = sfumato.check(table(rows), LKCPrivacy(L=3, K=3), qid=QID, worst=1)
    assert [violation.size for violation in verdict.violations] == [1]
    assert verdict.violating_groups == 2


@given(RECORDS, st.integers(1, 3), st.integers(1, 4), st.sampled_from([0.4, 0.5, 1.0]), st.integers(1, 4))
def test_violations_are_those_of_every_set(rows: list[tuple[Any, ...]], L: int, K: int, C: float, worst: int) -> None:
    """Of all sizes, rarest first, then surest; of equal ones those of late columns, and there the last column upwards."""
    columns = [at for at in range(3) if len({row[at] for row in rows}) > 1] or [0]
    found, touched = [], set()
    sizes = range(1, min(L, len(columns)) + 1)
    for chosen in (chosen for size in sizes for chosen in combinations(columns, size)):
        for key in sorted({tuple(row[at] for at in chosen) for row in rows}):
            fit = [number for number, row in enumerate(rows) if tuple(row[at] for at in chosen) == key]
            held = Counter(rows[number][3] for number in fit)
            surest = min(held, key=lambda value: (-held[value], value))
            if len(fit) < K or held[surest] / len(fit) > C:
                touched.update(fit)
                turn = tuple(-at for at in chosen[:-1]), chosen[-1]
                share = held[surest] / len(fit)
                found.append(((min(len(fit), K), -share, turn, key), (key, len(fit), surest, share)))
    model = LKCPrivacy(L=L, K=K, C=C, sensitive="S")
    verdict = model.check(table(rows).groups(QID, ["S"]), worst=worst)
    shown = [(one.group, one.size, one.witness["value"], one.witness["confidence"]) for one in verdict.violations]
    assert shown == [entry for _, entry in sorted(found)][:worst]
    assert (verdict.violating_groups, verdict.violating_records) == (len(found), len(touched))


def test_constant_columns_do_not_take_the_place_of_others() -> None:
    """Two of four columns never change; pairs of the other two are what L = 2 is about."""
    source = sfumato.from_rows(["A", "B", "C", "D"], [("k", "x", "k", "p"), ("k", "x", "k", "q"), ("k", "y", "k", "p")])
    (verdict,) = sfumato.check(source, LKCPrivacy(L=2, K=2), qid=["A", "B", "C", "D"])
    assert verdict.strongest == 1


def test_everything_masked_and_nothing_there() -> None:
    groups = table([("k", "k", "k", "s")] * 3).groups(QID, ["S"])
    assert LKCPrivacy(L=2, K=3, sensitive="S").exposure(groups).smallest == 3
    empty = LKCPrivacy(L=2, K=3, sensitive="S", C=0.1).check(GroupStats.from_histograms([], column="S"))
    assert (empty.satisfied, empty.strongest) == (True, None)


def test_weights_count_persons() -> None:
    source = sfumato.from_rows(["A", "S", "w"], [("a", "s", 1.5), ("a", "t", 3.0), ("b", "t", 2.0)])
    model = LKCPrivacy(L=1, K=2, C=0.5, sensitive="S", values=("s",))
    (verdict,) = sfumato.check(source, model, qid=["A"], weights="w")
    assert verdict.satisfied
    assert verdict.strongest == 2.0
    (strict,) = sfumato.check(source, LKCPrivacy(L=1, K=2, C=0.3, sensitive="S", values=("s",)), qid=["A"], weights="w")
    assert strict.violations[0].measured == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    "asked, name",
    [
        ({"L": 1, "K": 1, "values": ["s"]}, "sensitive"),
        ({"L": 1, "K": 1, "sensitive": "S", "qid": ["A", "S"]}, "qid"),
    ],
)
def test_bad_parameters(asked: dict[str, Any], name: str) -> None:
    with pytest.raises(BadRequest) as caught:
        LKCPrivacy.from_spec(asked)
    assert caught.value.parameter == f"lkc-privacy.{name}"


def test_sensitive_columns_are_kept_apart_and_complete() -> None:
    model = LKCPrivacy(L=1, K=1, C=0.5, sensitive="S")
    with pytest.raises(BadRequest, match="protects"):
        sfumato.check(table([("a", "b", "c", "s")]), model, qid=NAMES)
    with pytest.raises(BadRequest, match="missing"):
        sfumato.check(table([("a", "b", "c", "s"), ("a", "b", "c", None)]), model, qid=QID)
    counted = LKCPrivacy(L=1, K=1, C=0.5, sensitive="S", missing="count")
    assert sfumato.check(table([("a", "b", "c", "s"), ("a", "b", "c", None)]), counted, qid=QID)


def test_json_and_hopeless_tables() -> None:
    model = LKCPrivacy(L=2, K=5, C=0.5, sensitive="S", values=("s", 3))
    assert LKCPrivacy.from_spec(model.spec()) == model
    assert model.necessary(5) is None
    assert "K=5" in (model.necessary(4) or "")


@settings(max_examples=20)
@given(st.integers(1, 5), st.integers(1, 6))
def test_sufficient_subsets_are_the_largest(columns: int, L: int) -> None:
    qid = [f"q{i}" for i in range(columns)]
    largest = max(len(names) for names in subsets(qid, L))
    assert sufficient_subsets(qid, L) == [names for names in subsets(qid, L) if len(names) == largest]


def test_what_is_broken_is_told_of_every_size() -> None:
    rows = [("a", "x", "p", "s"), *[("b", "x", "p", "s"), ("b", "y", "q", "t")] * 2]
    (verdict,) = sfumato.check(table(rows), LKCPrivacy(L=2, K=2), qid=QID)
    told = {(one.witness["columns"], one.group) for one in verdict.violations}
    assert told == {((QID[0],), ("a",)), (tuple(QID[:2]), ("a", "x")), ((QID[0], QID[2]), ("a", "p"))}
    assert verdict.violating_groups == 3
