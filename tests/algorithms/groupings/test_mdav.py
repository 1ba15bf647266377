"""MDAV and V-MDAV as algorithms: what is published is counted anew, and comes from the groups of the naive twin."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_microaggregation import NaiveGower, naive_mdav, naive_v_mdav
from sfumato.algorithms.groupings.mdav import MDAV, VMDAV
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.releases.aggregated_table import AggregatedTable
from sfumato.testing.strategies import DrawnTable, tables


def policy(k: int, algorithm: dict[str, Any], columns: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "columns": columns or {"age": {"role": "quasi-identifier"}, "pay": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-anonymity", "k": k}],
        "algorithm": algorithm,
        **more,
    }


def numbers(rows: int = 60) -> Any:
    rng = np.random.default_rng(2)
    return sfumato.from_rows(
        ["age", "pay"], [(int(rng.integers(18, 90)), float(rng.normal(50, 9))) for _ in range(rows)]
    )


def columns_of(drawn: DrawnTable) -> dict[str, Any]:
    columns: dict[str, Any] = {drawn.target: {"role": "sensitive"}}
    for one in drawn.attributes:
        columns[one.name] = {"role": "quasi-identifier"}
        if one.tree is not None:
            columns[one.name]["hierarchy"] = {"id": "taxonomy", "tree": one.tree}
        if one.range is not None:
            columns[one.name]["range"] = one.range
    return columns


@settings(max_examples=50, deadline=None)
@given(drawn=tables(max_rows=30), k=st.integers(1, 5), gamma=st.sampled_from([None, 0.2, 1.1]))
def test_what_is_published_stands_for_the_groups_of_the_twin(drawn: DrawnTable, k: int, gamma: float | None) -> None:
    k = min(k, len(drawn.rows))
    algorithm = (
        {"id": "mdav", "distance": "gower"} if gamma is None else {"id": "v-mdav", "gamma": gamma, "distance": "gower"}
    )
    release = sfumato.anonymize(sfumato.from_rows(drawn.columns, drawn.rows), policy(k, algorithm, columns_of(drawn)))
    wide = len(drawn.attributes)
    paths: list[Any] = []
    for at, one in enumerate(drawn.attributes):
        if one.tree is not None:
            tree = Tree.from_nested(one.tree)
            paths.append({leaf: row[::-1] for leaf, row in zip(tree.leaves, tree.to_levels(), strict=True)})
        else:
            values = sorted({row[at] for row in drawn.rows})
            paths.append(None if one.kind == "interval" else {value: ("*", value) for value in values})
    space = NaiveGower([row[:wide] for row in drawn.rows], paths)
    for at, one in enumerate(drawn.attributes):
        if one.range is not None:
            space.widths[at] = one.range[1] - one.range[0]
    groups = naive_mdav(space, k) if gamma is None else naive_v_mdav(space, k, gamma)
    wanted: Counter[tuple[Any, ...]] = Counter()
    for group in groups:
        shown = [
            round(fmean(drawn.rows[row][at] for row in group), 9) if known is None else space.centre(group)[at]
            for at, known in enumerate(paths)
        ]
        wanted.update((*shown, drawn.rows[row][-1]) for row in group)
    found = Counter(
        tuple(round(cell, 9) if isinstance(cell, float) else cell for cell in row) for row in release.table.to_rows()
    )
    assert found == wanted
    assert sfumato.check(release.table, policy=release.private.policy).satisfied
    assert (release.private.facts["groups"], release.private.facts["smallest_group"]) == (
        len(groups),
        min(map(len, groups)),
    )


@pytest.mark.parametrize("algorithm", [{"id": "mdav"}, {"id": "v-mdav", "gamma": 1.1}])
def test_the_whole_thread(algorithm: dict[str, Any], tmp_path: Path) -> None:
    table = numbers()
    release = sfumato.anonymize(table, policy(5, algorithm))
    assert (release.kind, release.certificate["release"]["truthful"]) == ("aggregated-table", False)
    sizes = Counter(release.table.to_rows())
    assert 5 <= min(sizes.values()) <= max(sizes.values()) <= 9
    for at in range(2):
        raw, shown = ([row[at] for row in some.to_rows()] for some in (table, release.table))
        assert fmean(shown) == pytest.approx(fmean(raw))
    facts = release.private.facts
    assert 0 < facts["sse"] < 0.2 * facts["sst"]
    out = sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(out)
    assert "[18" not in (out / "private" / "report.html").read_text()


def test_distances_statistics_and_decimals() -> None:
    table = sfumato.from_rows(["age", "pay"], [(20, 1000), (30, 1001), (60, 5000), (70, 1002), (71, 1003), (73, 5001)])

    def groups(some: Any, **more: Any) -> set[tuple[Any, ...]]:
        return set(sfumato.anonymize(some, policy(2, {"id": "mdav", **more})).table.to_rows())

    corners = sfumato.from_rows(["age", "pay"], [(0, 0), (100, 0), (0, 1), (100, 1)])
    assert groups(corners, distance="euclidean") == {(0.0, 0.5), (100.0, 0.5)}
    assert groups(corners, distance="scaled") == groups(corners) == {(50.0, 0.0), (50.0, 1.0)}
    raw = table.to_rows()
    whole = sfumato.anonymize(table, policy(6, {"id": "mdav", "statistic": "median"})).table.to_rows()
    assert whole == [(median(row[0] for row in raw), median(row[1] for row in raw))] * 6
    assert sfumato.anonymize(table, policy(6, {"id": "mdav", "decimals": 0})).table.to_rows()[0] == (54.0, 2334.0)


def test_groups_that_look_alike_are_one() -> None:
    rows = [(0,), (10,), (4,), (6,)]
    made = AggregatedTable.build(sfumato.from_rows(["x"], rows), [1, 1, 2, 2], ["x"])
    assert made.tables["data"].to_rows() == [(5.0,)] * 4
    assert made.links.to_rows() == [(x, 1, 1) for x in (0, 4, 6, 10)]  # type: ignore[union-attr]
    assert made.kind.guarantee(made.tables) == {"smallest_group": 4}
    with pytest.raises(BadRequest, match="is not a statistic"):
        AggregatedTable.build(sfumato.from_rows(["x"], rows), [1, 1, 2, 2], ["x"], statistic="mode")
    with pytest.raises(BadRequest, match="at least one column"):
        AggregatedTable(aggregated=())


def test_a_gamma_of_zero_never_lets_a_group_grow() -> None:
    facts = sfumato.anonymize(numbers(60), policy(5, {"id": "v-mdav", "gamma": 0})).private.facts
    assert (facts["groups"], facts["largest_group"]) == (12, 5)
    assert sfumato.anonymize(numbers(60), policy(5, {"id": "v-mdav", "gamma": 2.0})).private.facts["largest_group"] > 5


def test_refusals() -> None:
    with pytest.raises(Infeasible) as caught:
        sfumato.anonymize(numbers(4), policy(5, {"id": "mdav"}))
    assert (caught.value.measured, caught.value.bound) == (4, 5)
    diverse = policy(2, {"id": "mdav"}, {"age": {"role": "quasi-identifier"}, "pay": {"role": "sensitive"}})
    diverse["requirements"].append({"id": "l-diversity-distinct", "l": 2, "sensitive": "pay"})
    with pytest.raises(Unsupported, match="by size alone"):
        sfumato.anonymize(numbers(), diverse)
    mixed = sfumato.from_rows(["age", "pay"], [(1, "a"), (2, "b")])
    with pytest.raises(BadRequest, match="for numbers without a hierarchy") as refused:
        sfumato.anonymize(mixed, policy(1, {"id": "mdav", "distance": "scaled"}))
    assert refused.value.column == "pay"
    for wrong in ({"distance": "manhattan"}, {"statistic": "mode"}, {"decimals": -1}):
        with pytest.raises(BadRequest):
            MDAV(**wrong)
    with pytest.raises(BadRequest, match=r"v-mdav\.gamma"):
        VMDAV(gamma=-0.1)


def test_every_record_alike_and_k_of_one() -> None:
    same = sfumato.from_rows(["age", "pay"], [(7, 1.5)] * 9)
    assert sfumato.anonymize(same, policy(2, {"id": "mdav"})).table.to_rows() == [(7.0, 1.5)] * 9
    assert sfumato.anonymize(same, policy(2, {"id": "v-mdav"})).private.facts["largest_group"] <= 3
    fine = sfumato.anonymize(numbers(9), policy(1, {"id": "mdav"})).table.to_rows()
    assert np.array(fine) == pytest.approx(np.array(sorted(numbers(9).to_rows())))
