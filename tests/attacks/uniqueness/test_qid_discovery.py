"""Sets of columns that identify, against brute force over all subsets and all pairs."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles.naive_qid_discovery import all_ratios, greedy, minimal
from sfumato.attacks.uniqueness.qid_discovery import Identifying, QidDiscovery
from sfumato.errors import BadRequest

NAMES = ("a", "b", "c", "d", "e")


@st.composite
def drawn(draw: st.DrawFn) -> tuple[list[tuple[str | None, ...]], int]:
    columns = draw(st.integers(1, 5))
    cells = [st.sampled_from([None, *"xyzuvw"[: draw(st.integers(1, 6))]]) for _ in range(columns)]
    rows = draw(st.lists(st.tuples(*cells), min_size=1, max_size=16))
    return rows + draw(st.lists(st.sampled_from(rows), max_size=4)), columns


def attacked(rows: Any, columns: int, **asked: Any) -> Identifying:
    found = sfumato.attack(sfumato.from_rows(NAMES[:columns], rows), QidDiscovery(**asked), qid=NAMES[:columns])
    assert isinstance(found, Identifying)
    return found


def named(places: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(NAMES[at] for at in places)


ALPHAS = st.sampled_from([0.2, 0.5, 0.7, 0.9, 0.99, 1.0])


@given(drawn(), ALPHAS, ALPHAS, st.sampled_from([None, 1, 2, 3]))
def test_against_brute_force(table: Any, distinct: float, separation: float, largest: int | None) -> None:
    rows, columns = table
    found = attacked(rows, columns, alpha_distinct=distinct, alpha_separation=separation, max_size=largest)
    wanted = all_ratios(rows, columns)
    limit = columns if largest is None else min(largest, columns)
    for names, held in found.ratios.items():
        both = wanted[tuple(NAMES.index(name) for name in names)]
        assert (held.distinct_ratio, held.separation_ratio) == (float(both[0]), float(both[1]))
    assert found.minimal_alpha_distinct == tuple(named(one) for one in minimal(wanted, 0, distinct, limit))
    assert found.minimal_alpha_separation == tuple(named(one) for one in minimal(wanted, 1, separation, limit))
    for which, alpha, told in (
        (0, distinct, found.greedy_alpha_distinct),
        (1, separation, found.greedy_alpha_separation),
    ):
        places = greedy(rows, columns, which, alpha, limit)
        assert told == (None if places is None else named(places))
    # Single columns and the whole list are always told; small sets come first.
    assert {(name,) for name in NAMES[:columns]} | {NAMES[:columns]} <= set(found.ratios)
    assert all(len(one) <= len(other) for one, other in pairwise(found.ratios))
    assert found.verified == found.ratios
    same = [sum(other == row for other in rows) for row in rows]
    assert found.victims == len(rows)
    assert found.mean == pytest.approx(sum(1 / size for size in same) / len(rows))
    assert found.highest == pytest.approx(1 / min(same))


@given(drawn(), st.integers(2, 10), st.integers(0, 3))
def test_what_a_sample_finds_holds_on_the_whole_table(table: Any, sample: int, seed: int) -> None:
    rows, columns = table
    found = attacked(rows, columns, alpha_distinct=0.7, alpha_separation=0.9, sample=sample, seed=seed)
    wanted = all_ratios(rows, columns)
    for which, alpha, sets in (
        (0, Fraction(7, 10), [*found.minimal_alpha_distinct, found.greedy_alpha_distinct]),
        (1, Fraction(9, 10), [*found.minimal_alpha_separation, found.greedy_alpha_separation]),
    ):
        for names in sets:
            assert names is None or wanted[tuple(NAMES.index(name) for name in names)][which] >= alpha
    for names, held in found.verified.items():
        both = wanted[tuple(NAMES.index(name) for name in names)]
        assert (held.distinct_ratio, held.separation_ratio) == (float(both[0]), float(both[1]))
    assert found.details["searched_records"] == min(sample, len(rows))
    again = attacked(rows, columns, alpha_distinct=0.7, alpha_separation=0.9, sample=sample, seed=seed)
    assert again.ratios == found.ratios


def test_a_sample_is_drawn_without_replacement() -> None:
    rows = [(str(number),) for number in range(50)]
    found = attacked(rows, 1, sample=40)
    assert found.ratios["a",].distinct_ratio == 1
    many = attacked(rows * 20, 1, sample=40)
    assert many.ratios["a",].distinct_ratio > many.verified["a",].distinct_ratio == 1 / 20
    assert any("drawn at random" in text for text in many.warnings)


def test_parts_of_a_hopeless_set_and_supersets_are_not_tried() -> None:
    rng = np.random.default_rng(1)
    rows = [(number, *rng.integers(0, 2, 4).tolist()) for number in range(200)]
    found = attacked(rows, 5, alpha_distinct=1.0, alpha_separation=1.0)
    assert found.minimal_alpha_distinct == found.minimal_alpha_separation == (("a",),)
    assert len(found.ratios) < 16


@pytest.mark.parametrize("rows", [[], [("x", "y")]])
def test_fewer_than_two_records(rows: Any) -> None:
    table = sfumato.from_rows(["a", "b"], rows or [("x", "y")])
    if not rows:
        table = table.drop_groups(["a"], [("x",)])
    found = sfumato.attack(table, "qid-discovery", qid=["a", "b"])
    assert isinstance(found, Identifying)
    assert {held.separation_ratio for held in found.ratios.values()} == {1}
    assert found.victims == len(rows)


def test_missing_is_a_value_of_its_own() -> None:
    found = attacked([(None,), (None,), ("x",)], 1)
    assert found.ratios["a",].distinct_ratio == 2 / 3


def test_wide_tables_are_searched_greedily_and_that_is_said() -> None:
    names = [f"c{at}" for at in range(30)]
    rng = np.random.default_rng(2)
    table = sfumato.from_rows(names, rng.integers(0, 3, (80, 30)).tolist())
    found = sfumato.attack(table, "qid-discovery", qid=names)
    assert isinstance(found, Identifying)
    assert found.searched == "greedy"
    assert found.minimal_alpha_separation == ()
    assert found.greedy_alpha_separation is not None
    assert any("greedy" in text for text in found.warnings)
    with pytest.raises(BadRequest, match="too many"):
        sfumato.attack(table, {"id": "qid-discovery", "method": "exact"}, qid=names)
    few = sfumato.attack(table, {"id": "qid-discovery", "method": "exact", "max_size": 2}, qid=names)
    assert isinstance(few, Identifying)
    assert few.searched == "exact"


def test_the_caveat_is_always_there() -> None:
    found = attacked([("x", "y"), ("x", "z")], 2)
    assert "not a safe quasi-identifier" in found.warnings[0]
    assert "no safe choice" in found.reading


def test_engines_agree() -> None:
    rng = np.random.default_rng(4)
    rows = [tuple(None if rng.random() < 0.1 else int(rng.integers(0, 4)) for _ in range(4)) for _ in range(40)]
    table = sfumato.from_rows(NAMES[:4], rows)
    other = sfumato.attack(sfumato.read(table.to_native(), engine="duckdb"), "qid-discovery", qid=NAMES[:4])
    one = sfumato.attack(table, "qid-discovery", qid=NAMES[:4])
    assert isinstance(one, Identifying)
    assert isinstance(other, Identifying)
    assert (one.ratios, one.details) == (other.ratios, other.details)


@pytest.mark.parametrize(
    "asked",
    [
        {"alpha_distinct": 0.0},
        {"alpha_distinct": 1.1},
        {"alpha_separation": 0},
        {"alpha_separation": float("nan")},
        {"method": "quick"},
        {"max_size": 0},
        {"sample": 1},
        {"seed": -1},
    ],
)
def test_parameters_out_of_range_are_refused(asked: Any) -> None:
    with pytest.raises(BadRequest):
        QidDiscovery(**asked)


def test_bad_columns_are_refused() -> None:
    table = sfumato.from_rows(["a", "b"], [("x", "y")])
    for qid, told in ((["a", "nowhere"], "nowhere"), (["b", "b"], "twice"), ([], "columns to link by")):
        with pytest.raises(BadRequest, match=told):
            sfumato.attack(table, "qid-discovery", qid=qid)
