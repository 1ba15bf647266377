"""Progressive local recoding against plain recursion, by an independent count, and at its edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from algorithms.boxes.test_local_recoding_greedy import boxes_of, compare, policy_of
from oracles.naive_local_recoding import Group, NaiveBoxes, attempt, naive_merging, naive_progressive, size
from sfumato.algorithms.boxes.progressive_local_recoding import ProgressiveLocalRecoding
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.testing.strategies import DrawnTable, tables

DIRECTIONS = ("top-down", "bottom-up")


def safety(boxes: NaiveBoxes, k: int, alpha: float, values: tuple[str, ...] | None) -> Callable[[Group], bool]:
    def safe(group: Group) -> bool:
        held = Counter(boxes.rows[row][-1] for row, count in group.items() for _ in range(count))
        shares = [count / size(group) for value, count in held.items() if values is None or value in values]
        return size(group) >= k and max(shares, default=0) <= alpha * (1 + 1e-9)

    return safe


def asked(drawn: DrawnTable, k: int, alpha: float, values: tuple[str, ...] | None, **algorithm: Any) -> dict[str, Any]:
    policy = policy_of(drawn, k)
    policy["columns"][drawn.target] = {"role": "sensitive"}
    policy["algorithm"] = {"id": "progressive-local-recoding", **algorithm}
    policy["requirements"] = [
        {"id": "alpha-k-anonymity", "alpha": alpha, "k": k, "sensitive": drawn.target, "values": values}
    ]
    if values is None:
        del policy["requirements"][0]["values"]
    return policy


@settings(max_examples=60, deadline=None)
@given(
    drawn=tables(max_rows=24, max_leaves=7, max_attributes=3),
    k=st.integers(1, 4),
    alpha=st.sampled_from([0.5, 0.6, 0.75, 1.0]),
    values=st.sampled_from([None, ("c0",), ("c1", "c2")]),
    direction=st.sampled_from(DIRECTIONS),
)
def test_the_groups_of_the_naive_twin(
    drawn: DrawnTable, k: int, alpha: float, values: tuple[str, ...] | None, direction: str
) -> None:
    k = min(k, len(drawn.rows))
    boxes = boxes_of(drawn, secret=True)
    safe = safety(boxes, k, alpha, values)
    table = sfumato.from_rows(drawn.columns, drawn.rows)
    policy = asked(drawn, k, alpha, values, direction=direction)
    if not safe(boxes.whole):
        with pytest.raises(Infeasible):
            sfumato.anonymize(table, policy)
        return
    release = sfumato.anonymize(table, policy)

    def bounded(value: Any) -> bool:
        return alpha < 1 and (values is None or value in values)

    groups = naive_progressive(boxes, safe, bounded) if direction == "top-down" else naive_merging(boxes, safe)
    compare(drawn, release, boxes, groups)
    assert sfumato.check(release.table, policy=release.private.policy).satisfied
    assert all(map(safe, groups))
    if direction == "top-down":
        # No single attempt succeeds any more.
        assert all(attempt(boxes, group, at, safe, bounded) is None for group in groups for at in range(boxes.wide))


JOB = {"any": [{"craft": ["Cook", "Smith"]}, {"art": ["Dancer", "Writer"]}]}


def policy(alpha: float = 0.5, k: int = 2, **algorithm: Any) -> dict[str, Any]:
    return {
        "columns": {
            "job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": JOB}},
            "illness": {"role": "sensitive"},
        },
        "requirements": [
            {"id": "alpha-k-anonymity", "alpha": alpha, "k": k, "sensitive": "illness", "values": ["hiv"]}
        ],
        "algorithm": {"id": "progressive-local-recoding", **algorithm},
    }


def test_a_child_that_is_not_safe_is_handed_back_with_help() -> None:
    """Smiths alone have too high a share; a cook with the flu goes back with them, the other cooks stay cooks."""
    rows = [("Cook", "flu")] * 4 + [("Cook", "hiv")] + [("Smith", "hiv")]
    release = sfumato.anonymize(sfumato.from_rows(["job", "illness"], rows), policy())
    assert Counter(release.table.to_rows()) == {
        ("Cook", "flu"): 3,
        ("Cook", "hiv"): 1,
        ("craft", "flu"): 1,
        ("craft", "hiv"): 1,
    }
    assert release.private.facts["steps"] == 1


def test_an_attempt_without_a_way_out_is_cancelled() -> None:
    rows = [("Cook", "flu")] * 2 + [("Smith", "hiv")] * 2
    release = sfumato.anonymize(sfumato.from_rows(["job", "illness"], rows), policy())
    assert {row[0] for row in release.table.to_rows()} == {"craft"}
    assert (release.private.facts["steps"], release.private.facts["cancelled"]) == (0, 1)


def test_distortion_decides_before_penalty() -> None:
    """A deep tree is specialized before a flat one, although the flat one would give back more of its domain."""
    deep = {"any": [{"l": [{"ll": ["a"]}]}, {"r": [{"rr": ["b", "c", "d", "e", "f"]}]}]}
    flat = {"all": ["x", "y"]}
    columns = {
        name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": tree}}
        for name, tree in (("deep", deep), ("flat", flat))
    }
    rows = [(a, b) for a in "ab" for b in "xy"]
    asking = {
        "columns": columns,
        "requirements": [{"id": "k-anonymity", "k": 2}],
        "algorithm": {"id": "progressive-local-recoding"},
    }
    made = sfumato.anonymize(sfumato.from_rows(["deep", "flat"], rows), asking)
    assert set(made.table.to_rows()) == {("a", "all"), ("b", "all")}
    light = {**asking, "algorithm": {"id": "progressive-local-recoding", "weights": {"deep": 0.1}}}
    other = sfumato.anonymize(sfumato.from_rows(["deep", "flat"], rows), light)
    assert set(other.table.to_rows()) == {("any", "x"), ("any", "y")}


def test_several_requirements_on_one_sensitive_column() -> None:
    rng = np.random.default_rng(1)
    rows = [
        (["Cook", "Smith", "Dancer", "Writer"][rng.integers(4)], ["flu", "hiv", "cold"][rng.integers(3)])
        for _ in range(90)
    ]
    table = sfumato.from_rows(["job", "illness"], rows)
    several = policy(0.5, 3)
    several["requirements"] += [
        {"id": "alpha-k-anonymity", "alpha": 0.45, "k": 2, "sensitive": "illness", "values": ["cold"]},
        {"id": "k-anonymity", "k": 7},
        {"id": "lkc-privacy", "L": 1, "K": 4, "C": 0.6, "sensitive": "illness", "values": ["flu"]},
    ]
    for direction in DIRECTIONS:
        several["algorithm"]["direction"] = direction
        release = sfumato.anonymize(table, several)
        assert release.verdict.satisfied
        assert release.private.facts["smallest_group"] >= 7


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_whole_thread(direction: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    jobs, ills = ["Cook", "Smith", "Dancer", "Writer"], ["flu", "hiv", "cold"]
    rows = [(jobs[rng.integers(4)], int(rng.integers(20, 70)), ills[rng.integers(3)]) for _ in range(150)]
    table = sfumato.from_rows(["job", "age", "illness"], rows)
    asking = policy(0.5, 4, direction=direction)
    columns = asking["columns"]
    asking["columns"] = {"job": columns["job"], "age": {"role": "quasi-identifier"}, "illness": columns["illness"]}
    asking["metrics"] = ["normalized-certainty-penalty", "discernibility"]
    release = sfumato.anonymize(table, asking)
    assert release.measured["normalized-certainty-penalty"].value == pytest.approx(release.private.facts["ncp"])
    assert release.measured["discernibility"].value == release.private.facts["dm"]
    out = sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(out)
    assert sfumato.apply(out, table).table.to_rows() == release.table.to_rows()
    shuffled = sfumato.from_rows(table.columns, table.to_rows()[::-1])
    assert sfumato.anonymize(shuffled, asking).table.to_rows() == release.table.to_rows()


def test_refusals() -> None:
    table = sfumato.from_rows(["job", "illness"], [("Cook", "flu"), ("Smith", "hiv"), ("Smith", "hiv")])
    with pytest.raises(Infeasible) as caught:
        sfumato.anonymize(table, policy(0.5))
    assert caught.value.measured == pytest.approx(2 / 3)
    with pytest.raises(Infeasible) as few:
        sfumato.anonymize(table, policy(1.0, 4))
    assert (few.value.measured, few.value.bound) == (3, 4)
    other = policy(1.0)
    other["requirements"] = [{"id": "l-diversity-entropy", "l": 1.5, "sensitive": "illness"}]
    with pytest.raises(Unsupported, match="cannot promise l-diversity-entropy"):
        sfumato.anonymize(table, other)
    two = policy(1.0)
    two["columns"]["wing"] = {"role": "sensitive"}
    two["requirements"].append({"id": "alpha-k-anonymity", "alpha": 0.9, "k": 2, "sensitive": "wing"})
    wings = sfumato.from_rows(["job", "illness", "wing"], [("Cook", "flu", "n"), ("Smith", "hiv", "s")])
    with pytest.raises(Unsupported, match="illness and wing"):
        sfumato.anonymize(wings, two)
    with pytest.raises(BadRequest, match=r"progressive-local-recoding\.weights"):
        ProgressiveLocalRecoding(weights={"job": 0})
    with pytest.raises(BadRequest, match="direction"):
        ProgressiveLocalRecoding(direction="both")
