"""SUDA2 against brute force over all sets of columns, with missing values, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles.naive_suda2 import hitting_msus, msus, scored
from sfumato.attacks.uniqueness.suda2 import SpecialUniques, Suda2
from sfumato.errors import BadRequest

NAMES = ("a", "b", "c", "d", "e")


@st.composite
def drawn(draw: st.DrawFn) -> tuple[list[tuple[str | None, ...]], int]:
    columns = draw(st.integers(1, 5))
    cells = [st.sampled_from([None, *"xyzuvw"[: draw(st.integers(1, 6))]]) for _ in range(columns)]
    # Duplicates on purpose: a table without pairs is the rare case in practice.
    rows = draw(st.lists(st.tuples(*cells), min_size=1, max_size=18))
    return rows + draw(st.lists(st.sampled_from(rows), max_size=6)), columns


def attacked(rows: Any, columns: int, engine: str | None = None, **asked: Any) -> SpecialUniques:
    table: Any = sfumato.from_rows(NAMES[:columns], rows)
    if engine is not None:
        table = sfumato.read(table.to_native(), engine=engine)
    found = sfumato.attack(table, Suda2(**asked), qid=NAMES[:columns])
    assert isinstance(found, SpecialUniques)
    return found


@given(drawn(), st.integers(1, 5), st.sampled_from(["elliot", "ihsn"]), st.sampled_from([0.01, 0.1, 0.7]))
def test_against_brute_force(table: Any, largest: int, kind: str, fraction: float) -> None:
    rows, columns = table
    found = attacked(rows, columns, max_size=largest, score=kind, sampling_fraction=fraction)
    wanted = scored(rows, columns, min(largest, columns), fraction, kind)
    assert found.msus() == [[tuple(NAMES[at] for at in places) for places in held] for held in wanted.msus]
    assert found.in_table_order(found.score).tolist() == pytest.approx(wanted.score)
    assert found.in_table_order(found.dis_score).tolist() == pytest.approx(wanted.risk)
    assert found.in_table_order(found.contribution) == pytest.approx(np.array(wanted.contribution))
    assert list(found.attribute_contribution_percent.values()) == pytest.approx(wanted.percent)
    assert (found.sample_uniques, found.records_in_pairs, found.special_uniques) == (
        wanted.uniques,
        wanted.in_pairs,
        wanted.special,
    )
    assert found.dis == pytest.approx(wanted.dis)
    assert found.victims == len(rows)
    assert found.mean == pytest.approx(sum(wanted.risk) / len(rows))
    assert found.details["minimal_sample_uniques"] == sum(map(len, wanted.msus)) == sum(found.details["by_size"])


@given(drawn())
def test_the_oracle_agrees_with_minimal_hitting_sets(table: Any) -> None:
    rows, columns = table
    assert msus(rows, columns, columns) == hitting_msus(rows, columns)


@given(drawn())
def test_the_order_of_columns_does_not_matter(table: Any) -> None:
    rows, columns = table
    turned = [row[::-1] for row in rows]
    names = NAMES[:columns][::-1]
    one = attacked(rows, columns)
    other = sfumato.attack(sfumato.from_rows(names, turned), Suda2(), qid=names)
    assert isinstance(other, SpecialUniques)
    assert [{frozenset(places) for places in held} for held in one.msus()] == [
        {frozenset(places) for places in held} for held in other.msus()
    ]


def test_engines_agree() -> None:
    rng = np.random.default_rng(3)
    rows = [tuple(None if rng.random() < 0.1 else rng.choice(list("xyz")).item() for _ in range(4)) for _ in range(60)]
    one, other = attacked(rows, 4, max_size=4), attacked(rows, 4, "duckdb", max_size=4)
    assert one.msus() == other.msus()
    assert one.per_victim.tolist() == other.per_victim.tolist()
    assert one.details == other.details


def test_many_rows_take_the_way_over_bits() -> None:
    rng = np.random.default_rng(5)
    rows = [tuple(rng.choice(list("uvwxyz"), 4).tolist()) for _ in range(300)]
    found = attacked(rows, 4, max_size=4)
    assert found.msus() == [[tuple(NAMES[at] for at in places) for places in held] for held in msus(rows, 4, 4)]


def test_a_missing_value_takes_no_part() -> None:
    found = attacked([("x", None), ("x", "y"), ("x", "z")], 2)
    assert found.msus() == [[], [("b",)], [("b",)]]
    # The first record differs from the others on both columns together, by what is missing alone.
    assert found.sample_uniques == 3
    assert found.special_uniques == 2


def test_without_pairs_the_risk_is_one_and_that_is_said() -> None:
    found = attacked([("x",), ("y",), ("z",), ("z",), ("z",)], 1)
    assert found.in_table_order(found.dis_score).tolist() == [1, 1, 0, 0, 0]
    assert found.dis == 1
    assert any("whatever the sampling fraction" in text for text in found.warnings)


def test_without_uniques_nothing_is_scored() -> None:
    found = attacked([("x", "y")] * 2 + [("x", "z")] * 2, 2)
    assert (found.sample_uniques, found.dis, found.highest, found.mean) == (0, 0, 0, 0)
    assert set(found.attribute_contribution_percent.values()) == {0}


def test_larger_sets_are_not_looked_for_and_that_is_said() -> None:
    rows = [(*row, "q") for row in [("x", "x", "x"), ("x", "x", "y"), ("x", "y", "x"), ("y", "x", "x")]]
    rows += [("y", "y", "y", "q"), ("y", "y", "x", "q"), ("y", "x", "y", "q"), ("x", "y", "y", "q")]
    small, large = attacked(rows, 4, max_size=2), attacked(rows, 4, max_size=None)
    assert small.highest == 0
    assert any("more than 2 columns" in text for text in small.warnings)
    assert large.msus() == [[("a", "b", "c")]] * 8
    assert not any("not looked for" in text for text in large.warnings)


def test_an_empty_table_has_no_victims() -> None:
    table = sfumato.from_rows(["a", "b"], [("x", "y")]).drop_groups(["a"], [("x",)])
    found = sfumato.attack(table, "suda2", qid=["a", "b"])
    assert (found.victims, found.highest, found.mean) == (0, 0, 0)


@pytest.mark.parametrize(
    "asked",
    [
        {"sampling_fraction": 0.0},
        {"sampling_fraction": 1.0},
        {"sampling_fraction": -0.1},
        {"sampling_fraction": float("nan")},
        {"max_size": 0},
        {"max_size": 2.5},
        {"score": "other"},
    ],
)
def test_parameters_out_of_range_are_refused(asked: Any) -> None:
    with pytest.raises(BadRequest):
        Suda2(**asked)


def test_bad_columns_are_refused() -> None:
    table = sfumato.from_rows(["a", "b"], [("x", "y")])
    for qid, told in ((["a", "nowhere"], "nowhere"), (["a", "a"], "twice"), ([], "columns to link by")):
        with pytest.raises(BadRequest, match=told):
            sfumato.attack(table, "suda2", qid=qid)


def test_too_many_columns_or_sets_are_refused() -> None:
    names = [f"c{at}" for at in range(28)]
    table = sfumato.from_rows(names, [["x"] * 28])
    with pytest.raises(BadRequest, match="at most 27"):
        sfumato.attack(table, "suda2", qid=names)
    with pytest.raises(BadRequest, match="too many"):
        sfumato.attack(table, {"id": "suda2", "max_size": 12}, qid=names[:27])
    assert sfumato.attack(table, "suda2", qid=names[:27]).victims == 1


def test_sets_that_need_too_much_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.attacks.uniqueness.suda2.ROOM", 10)
    rows = [(a, b, c) for a in "xyz" for b in "xyz" for c in "xyz"]
    with pytest.raises(BadRequest, match="memory"):
        attacked(rows, 3)
