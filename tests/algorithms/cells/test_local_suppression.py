"""Local suppression against all choices of cells, the greedy rule of other tools, and the requirement it promises."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_local_suppression import Row, emptied, frequencies, greedy, least, least_by_pairs
from sfumato.algorithms import LocalSuppression
from sfumato.datasets import adult
from sfumato.errors import BadRequest, Infeasible, Unsupported

pytest.importorskip("highspy")

SIX = [("a", "x"), ("a", "x"), ("a", "y"), ("b", "y"), ("b", "y"), ("c", "x")]
PLACES = [os.environ.get("SFUMATO_DATA"), str(Path(__file__).parents[4] / "shared" / "data")]
PLACE = next((place for place in PLACES if place and (Path(place) / "adult").is_dir()), None)


def policy(width: int, k: int, **algorithm: Any) -> dict[str, Any]:
    return {
        "columns": {f"c{at}": {"role": "quasi-identifier"} for at in range(width)},
        "requirements": [{"id": "k-anonymity-wildcard", "k": k}],
        "algorithm": {"id": "local-suppression", **algorithm},
        "output": {"row_order": "keep"},
    }


def solved(rows: list[Row], k: int, **algorithm: Any) -> Any:
    width = len(rows[0])
    return sfumato.anonymize(sfumato.from_rows([f"c{at}" for at in range(width)], rows), policy(width, k, **algorithm))


def shown(release: Any) -> list[Row]:
    return [tuple(None if value == "*" else value for value in row) for row in release.table.to_rows()]


def test_the_worked_example() -> None:
    assert frequencies(SIX) == [2, 2, 1, 2, 2, 1]
    assert least(SIX, 2, [1, 1], 2) == (2, 25)
    assert least(SIX, 3, [1, 1], 2) == (2, 1)
    assert emptied(shown(solved(SIX, 2))) == 2
    three = solved(SIX, 3)
    assert shown(three) == [("a", "x"), ("a", "x"), (None, "y"), ("b", "y"), ("b", "y"), (None, "x")]
    facts = three.private.facts
    assert (facts.cells, facts.records, facts.cost, facts.gap) == ({"c0": 2, "c1": 0}, 2, 2, 0)
    assert three.verdict


def test_facts_say_who_is_found_in_spite_of_the_empty_cells() -> None:
    """(a, y) fits the record (*, y) alone, as (b, y) is somebody else; the note says how many are like that."""
    release = solved(SIX, 3)
    fitting = [sum(all(b in (a, None) for a, b in zip(v, out, strict=True)) for out in shown(release)) for v in SIX]
    showing = [sum(v == out for out in shown(release)) for v in SIX]
    assert (fitting, showing) == ([3, 3, 1, 3, 3, 1], [2, 2, 0, 2, 2, 0])
    assert (release.private.facts.found, release.private.facts.alone) == (2, 0)
    assert any("2 records fit fewer than 3 of the published ones" in note for note in release.warnings)
    # One record that shows nothing serves everybody: the others are seen as before.
    bare = solved([("a", "x"), ("b", "y"), ("c", "z"), ("d", "w")], 2)
    assert bare.private.facts.records == 1
    assert bare.private.facts.alone == 3


few_rows = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.sampled_from("pq")), min_size=1, max_size=4
)


@settings(max_examples=60, deadline=None)
@given(rows=few_rows, k=st.integers(1, 4), costs=st.tuples(*[st.sampled_from([1, 2, 3.5])] * 3), most=st.integers(1, 3))
def test_costs_what_the_cheapest_of_all_choices_costs(rows: list[Row], k: int, costs: Any, most: int) -> None:
    best, _ = least(rows, k, costs, most)
    importance = {f"c{at}": cost for at, cost in enumerate(costs)}
    if best is None or k > len(rows):
        with pytest.raises(Infeasible):
            solved(rows, k, importance=importance, most_per_record=most)
        return
    release = solved(rows, k, importance=importance, most_per_record=most)
    facts = release.private.facts
    assert facts.cost == pytest.approx(best)
    assert facts.gap == 0
    assert min(frequencies(shown(release))) >= k
    paid = sum(cost for row in shown(release) for cost, value in zip(costs, row, strict=True) if value is None)
    assert paid == pytest.approx(best)


@settings(max_examples=30, deadline=None)
@given(
    rows=st.lists(st.tuples(*[st.sampled_from("abcd")] * 3), min_size=5, max_size=12),
    k=st.integers(2, 4),
    costs=st.tuples(*[st.sampled_from([1, 2, 3])] * 3),
)
def test_costs_what_the_program_over_pairs_of_records_finds(rows: list[Row], k: int, costs: Any) -> None:
    release = solved(rows, k, importance={f"c{at}": cost for at, cost in enumerate(costs)})
    assert release.private.facts.cost == pytest.approx(least_by_pairs(rows, k, costs))


many_rows = st.lists(st.tuples(*[st.sampled_from([*"abcdefgh", *"aaa"])] * 3), min_size=45, max_size=90)


@settings(max_examples=15, deadline=None)
@given(rows=many_rows, k=st.integers(2, 5))
def test_larger_tables_hold_what_is_promised_within_the_gap(rows: list[Row], k: int) -> None:
    release = solved(rows, k)
    facts, out = release.private.facts, shown(release)
    assert min(frequencies(out)) >= k
    assert facts.cost == emptied(out) <= emptied(greedy(rows, k))
    assert facts.bound <= facts.cost
    assert facts.gap == pytest.approx((facts.cost - facts.bound) / facts.cost if facts.cost else 0)
    assert all(
        new in (old, None)
        for before, after in zip(rows, out, strict=True)
        for old, new in zip(before, after, strict=True)
    )


def test_adult_loses_fewer_cells_than_by_the_greedy_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    if PLACE is None:
        pytest.skip("Adult is not on this machine; set SFUMATO_DATA to the folder of the public tables")
    monkeypatch.setenv("SFUMATO_DATA", PLACE)
    table = sfumato.from_dataset(adult()).select(["age", "sex", "race", "marital-status"])
    rows: list[Row] = [tuple(map(str, row)) for row in table.to_rows()]
    peer = emptied(greedy(rows, 3))
    release = solved(rows, 3)
    assert (release.private.facts.cost, release.private.facts.gap) == (8, 0)
    assert emptied(shown(release)) == 8 < peer
    # Two records that show nothing are enough; with at most two empty cells in each it takes more, and still fewer.
    assert emptied(shown(solved(rows, 3, most_per_record=2))) < peer


def test_importance_says_which_column_stays() -> None:
    rows: list[Row] = [("a", "x"), ("a", "x"), ("b", "x"), ("b", "x"), ("a", "y")]
    assert shown(solved(rows, 2, importance={"c0": 5}))[4] == ("a", None)
    rows = [("a", "x"), ("a", "x"), ("b", "y"), ("b", "y"), ("a", "y")]
    assert shown(solved(rows, 2, importance={"c0": 5}))[4] == ("a", None)
    assert shown(solved(rows, 2, importance={"c1": 5}))[4] == (None, "y")
    assert shown(solved(rows, 2, importance=["c1"]))[4] == (None, "y")
    assert shown(solved(rows, 2, importance=["c0", "c1"]))[4] == ("a", None)
    assert shown(solved(rows, 2, keep=["c1"]))[4] == (None, "y")


def test_strata_are_solved_apart() -> None:
    rows = [("a", "n"), ("b", "n"), ("a", "s"), ("a", "s"), ("b", "s"), ("b", "s")]
    asked = policy(1, 2, strata="region")
    asked["columns"]["region"] = {"role": "plain"}
    release = sfumato.anonymize(sfumato.from_rows(["c0", "region"], rows), asked)
    for region in ("n", "s"):
        inside = [(None if row[0] == "*" else row[0],) for row in release.table.to_rows() if row[1] == region]
        assert min(frequencies(inside)) >= 2
    assert release.private.facts.cells == {"c0": 1}
    with pytest.raises(Infeasible, match="one value of region, 2"):
        sfumato.anonymize(
            sfumato.from_rows(["c0", "region"], rows),
            {**asked, "requirements": [{"id": "k-anonymity-wildcard", "k": 3}]},
        )


def test_what_is_missing_matches_everything() -> None:
    rows: list[Row] = [("a", "x"), (None, "x"), ("b", "x"), ("b", "x")]
    asked = policy(2, 2)
    asked["columns"]["c0"]["missing"] = "own-value"
    release = sfumato.anonymize(sfumato.from_rows(["c0", "c1"], rows), asked)
    assert release.private.facts.cost == 0
    assert release.table.to_rows()[1] == ("?", "x")


def test_numbers_need_no_hierarchy() -> None:
    rows = [(30, "x"), (30, "x"), (31, "x")]
    release = sfumato.anonymize(sfumato.from_rows(["c0", "c1"], rows), policy(2, 2))
    assert release.table.to_rows()[2] == ("*", "x")


def test_a_folder_is_verified_by_both_judgements(tmp_path: Path) -> None:
    rows = SIX * 1
    table = sfumato.from_rows(["c0", "c1"], rows)
    release = sfumato.anonymize(table, policy(2, 3))
    sfumato.publish(release, tmp_path / "out")
    verified = sfumato.verify(tmp_path / "out")
    assert verified
    assert "k-anonymity-wildcard" in (tmp_path / "out" / "public" / "certificate.json").read_text()


def test_refusals_name_what_to_change() -> None:
    with pytest.raises(Infeasible, match="larger than the number of records"):
        solved(SIX, 7)
    with pytest.raises(Infeasible, match=r"columns to keep \(c0\) a record matches only 1"):
        solved(SIX, 2, keep=["c0"])
    with pytest.raises(Infeasible, match="most_per_record"):
        solved([("a", "x"), ("b", "y"), ("c", "z")], 3, most_per_record=1)
    with pytest.raises(BadRequest, match="not a quasi-identifier"):
        solved(SIX, 2, keep=["z"])
    with pytest.raises(BadRequest, match="positive number"):
        LocalSuppression(importance={"c0": 0})
    with pytest.raises(BadRequest, match="costs by column, or a list"):
        LocalSuppression(importance="c0")
    with pytest.raises(BadRequest, match="not a column"):
        solved(SIX, 2, strata="z")
    asked = {**policy(2, 2), "requirements": [{"id": "k-anonymity", "k": 2}]}
    with pytest.raises(Unsupported, match="k-anonymity-wildcard"):
        sfumato.anonymize(sfumato.from_rows(["c0", "c1"], SIX), asked)
