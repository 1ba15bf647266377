"""Greedy local recoding against plain loops, by an independent count, and at its edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_local_recoding import Group, NaiveBoxes, naive_bottom_up, naive_top_down, size
from oracles.naive_tdr import NaiveAttribute
from sfumato.algorithms.boxes.local_recoding_greedy import LocalRecodingGreedy
from sfumato.contracts.published import Release
from sfumato.data.text import interval_label, to_text
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.testing.strategies import DrawnTable, tables

DIRECTIONS = ("bottom-up", "top-down")


def policy_of(drawn: DrawnTable, k: int, **algorithm: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {drawn.target: {"role": "plain", "publish_anyway": "invented"}}
    for one in drawn.attributes:
        columns[one.name] = {"role": "quasi-identifier"}
        if one.tree is not None:
            columns[one.name]["hierarchy"] = {"id": "taxonomy", "tree": one.tree}
        if one.range is not None and one.range[0] < one.range[1]:
            columns[one.name]["range"] = one.range
    return {
        "columns": columns,
        "requirements": [{"id": "k-anonymity", "k": k}],
        "algorithm": {"id": "local-recoding-greedy", **algorithm},
        "output": {"row_order": "keep"},
        "seed": 5,
    }


def boxes_of(drawn: DrawnTable, weights: dict[str, float] | None = None, *, secret: bool = False) -> NaiveBoxes:
    wide = len(drawn.attributes)
    return NaiveBoxes(
        [row[:wide] + (row[-1:] if secret else ()) for row in drawn.rows],
        [NaiveAttribute(one.name, one.kind, one.tree) for one in drawn.attributes],
        ranges={one.name: one.range for one in drawn.attributes if one.range and one.range[0] < one.range[1]},
        weights=weights,
    )


def labels(boxes: NaiveBoxes, group: Group) -> tuple[str, ...]:
    out = []
    for at, found in enumerate(boxes.space.box(list(group))):
        if isinstance(found, str):
            out.append(found)
        elif found[0] == found[1]:
            out.append(to_text(found[0]))
        elif boxes.space.attributes[at].kind == "interval":
            out.append(interval_label(*found, closed=True))
        else:
            out.append(f"{found[0]}..{found[1]}")
    return tuple(out)


def compare(drawn: DrawnTable, release: Release, boxes: NaiveBoxes, groups: Sequence[Group]) -> None:
    """Compare what each raw record is published as, and the costs that are told, with the groups of a twin."""
    wide, all_of_it = len(drawn.attributes), len(boxes.rows[0])
    # A twin that looks at the sensitive value tells records apart by it.
    found = Counter(
        (raw[:wide] + raw[-1:] if all_of_it > wide else raw[:wide], tuple(map(to_text, shown[:wide])))
        for raw, shown in zip(drawn.rows, release.table.to_rows(), strict=True)
    )
    wanted: Counter[Any] = Counter()
    alike: Counter[Any] = Counter()
    for group in groups:
        alike[labels(boxes, group)] += size(group)
        for row, count in group.items():
            wanted[boxes.rows[row], labels(boxes, group)] += count
    assert found == wanted
    facts = release.private.facts
    assert facts["ncp"] == pytest.approx(sum(map(boxes.cost, groups)))
    assert facts["dm"] == sum(count**2 for count in alike.values())
    assert facts["groups"] == len(groups)


@settings(max_examples=60, deadline=None)
@given(
    drawn=tables(max_rows=22, max_leaves=7),
    k=st.integers(1, 5),
    direction=st.sampled_from(DIRECTIONS),
    weight=st.sampled_from([None, 0.5, 3.0]),
)
def test_the_groups_of_the_naive_twin(drawn: DrawnTable, k: int, direction: str, weight: float | None) -> None:
    k = min(k, len(drawn.rows))
    weights = None if weight is None else {"a0": weight}
    boxes = boxes_of(drawn, weights)
    release = sfumato.anonymize(
        sfumato.from_rows(drawn.columns, drawn.rows), policy_of(drawn, k, direction=direction, weights=weights)
    )
    groups = (
        naive_bottom_up(boxes, k) if direction == "bottom-up" else naive_top_down(boxes, k, np.random.default_rng(5))
    )
    compare(drawn, release, boxes, groups)
    assert sfumato.check(release.table, policy=release.private.policy).satisfied
    for group in groups:
        assert size(group) >= k
        assert size(group) < 2 * k or len(group) == 1


def people(count: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    job = [f"{field}{number}" for field in "abc" for number in range(4)]
    rows = []
    for _ in range(count):
        field = int(rng.integers(3))
        rows.append((int(rng.normal(30 + 12 * field, 6)), job[4 * field + int(rng.integers(4))], int(rng.gamma(2, 9))))
    return sfumato.from_rows(["age", "job", "pay"], rows)


TREE = {"any": [{field: [f"{field}{number}" for number in range(4)]} for field in "abc"]}


def asked(algorithm: dict[str, Any], k: int = 5, **more: Any) -> dict[str, Any]:
    return {
        "columns": {
            "age": {"role": "quasi-identifier"},
            "job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": TREE}},
            "pay": {"role": "quasi-identifier"},
        },
        "requirements": [{"id": "k-anonymity", "k": k}],
        "algorithm": algorithm,
        "metrics": ["normalized-certainty-penalty", "discernibility"],
        **more,
    }


def test_cells_cost_less_than_boxes_that_do_not_overlap() -> None:
    """Section 5.1.2.6 claims that cell generalization loses less than Mondrian: so it is, in the median of random tables."""
    ratios: dict[str, list[float]] = {direction: [] for direction in DIRECTIONS}
    for seed in range(7):
        table = people(250, seed)
        rival = sfumato.anonymize(table, asked({"id": "mondrian"})).measured["normalized-certainty-penalty"].value
        for direction, found in ratios.items():
            release = sfumato.anonymize(table, asked({"id": "local-recoding-greedy", "direction": direction}))
            found.append(release.measured["normalized-certainty-penalty"].value / rival)
    assert all(median(found) < 1 for found in ratios.values())


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_the_whole_thread(direction: str, engine: str, tmp_path: Path) -> None:
    table = people(120, 3)
    given = sfumato.read(table.to_native(), engine=engine)
    release = sfumato.anonymize(given, asked({"id": "local-recoding-greedy", "direction": direction}))
    facts = release.private.facts
    assert release.measured["normalized-certainty-penalty"].value == pytest.approx(facts["ncp"])
    assert release.measured["discernibility"].value == facts["dm"]
    assert facts["smallest_group"] >= 5
    assert facts["largest_group"] <= 9
    assert any("side by side" in text for text in release.warnings)
    out = sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(out)
    assert sfumato.apply(out, table).table.to_rows() == release.table.to_rows()


def test_the_seed_decides_top_down_only() -> None:
    def rows(direction: str, seed: int) -> list[Any]:
        policy = asked({"id": "local-recoding-greedy", "direction": direction}, seed=seed)
        return sfumato.anonymize(people(80, 1), policy).table.to_rows()

    assert rows("top-down", 1) == rows("top-down", 1)
    assert rows("top-down", 1) != rows("top-down", 2)
    assert rows("bottom-up", 1) == rows("bottom-up", 2)


def test_order_of_records_makes_no_difference() -> None:
    table = people(60, 2)
    other = sfumato.from_rows(table.columns, table.to_rows()[::-1])
    for direction in DIRECTIONS:
        policy = asked({"id": "local-recoding-greedy", "direction": direction}, seed=3)
        assert sfumato.anonymize(table, policy).table.to_rows() == sfumato.anonymize(other, policy).table.to_rows()


def test_weights_decide_what_is_spared() -> None:
    def lost(weights: dict[str, float] | None) -> float:
        policy = asked({"id": "local-recoding-greedy", **({"weights": weights} if weights else {})})
        release = sfumato.anonymize(people(150, 4), policy)
        return release.measured["normalized-certainty-penalty"].by_attribute["age"]

    assert lost({"age": 20.0}) < 0.7 * lost(None)


def test_equal_records_may_look_different() -> None:
    """Nine equal records lend one to the record that stands alone; the others stay as they are."""
    rows = [(10, 1)] * 9 + [(50, 1)]
    policy: dict[str, Any] = {
        "columns": {"x": {"role": "quasi-identifier"}, "y": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-anonymity", "k": 2}],
    }
    for direction in DIRECTIONS:
        policy["algorithm"] = {"id": "local-recoding-greedy", "direction": direction}
        release = sfumato.anonymize(sfumato.from_rows(["x", "y"], rows), policy)
        assert release.table.groups(["x"]).as_dict() == {("10",): 8, ("[10-50]",): 2}


def test_a_heavy_group_is_not_looked_through_in_vain() -> None:
    """Many equal records are one group, whatever k is; there is nothing to cut."""
    policy = {
        "columns": {"x": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-anonymity", "k": 3}],
        "algorithm": {"id": "local-recoding-greedy"},
    }
    release = sfumato.anonymize(sfumato.from_rows(["x"], [("a",)] * 40 + [("b",)] * 2 + [("c",)] * 5), policy)
    assert release.table.groups(["x"]).as_dict() == {("a",): 40, ("b..c",): 3, ("c",): 4}
    assert release.private.facts["largest_group"] == 40


def test_progress_is_told() -> None:
    told: list[tuple[float, str]] = []

    class Watch:
        def stage(self, name: str, total: float | None = None) -> None: ...

        def tick(self, done: float, note: str = "") -> None:
            told.append((done, note))

    sfumato.anonymize(people(300, 5), asked({"id": "local-recoding-greedy"}), progress=Watch())
    notes = [note for _, note in told if "groups" in note]
    assert len(notes) >= 2
    assert all(0 <= done <= 3 for done, _ in told)


def test_refusals() -> None:
    for wrong in ({"age": 0}, {"age": -1}, {"age": float("inf")}, {"age": True}, ["age"]):
        with pytest.raises(BadRequest, match=r"local-recoding-greedy\.weights"):
            LocalRecodingGreedy(weights=wrong)  # type: ignore[arg-type]
    with pytest.raises(BadRequest, match="direction"):
        LocalRecodingGreedy(direction="sideways")
    with pytest.raises(BadRequest, match="is not a quasi-identifier") as refused:
        sfumato.anonymize(people(20, 1), asked({"id": "local-recoding-greedy", "weights": {"wage": 1.0}}))
    assert refused.value.available == ["age", "job", "pay"]
    with pytest.raises(Infeasible) as caught:
        sfumato.anonymize(people(4, 1), asked({"id": "local-recoding-greedy"}))
    assert (caught.value.measured, caught.value.bound) == (4, 5)
    policy = asked({"id": "local-recoding-greedy"})
    policy["columns"]["pay"] = {"role": "sensitive"}
    policy["requirements"].append({"id": "l-diversity-distinct", "l": 2, "sensitive": "pay"})
    with pytest.raises(Unsupported, match="by size alone"):
        sfumato.anonymize(people(20, 1), policy)
