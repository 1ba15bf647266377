"""Cluster releases: centre, size and radius as counted by hand, sensitive values by cluster."""

from __future__ import annotations

from collections import Counter
from math import dist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.errors import BadRequest
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.releases import ClusterRelease

POINT = st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.sampled_from(["a", "b", None]))


@given(
    records=st.lists(st.tuples(st.integers(1, 3), POINT), min_size=1, max_size=14),
    centre=st.sampled_from(["member", "mean"]),
)
def test_clusters_describe_their_records(records: list[Any], centre: Any) -> None:
    records = [*records, (9, (0, 0, "a"))]
    table = sfumato.from_rows(["X", "Y", "S"], [point for _, point in records])
    numbers = [number for number, _ in records]
    made = ClusterRelease.build(table, numbers, ["X", "Y"], "S", scales=[1, 3], centre=centre)
    for number, x, y, size, radius in made.tables["clusters"].to_rows():
        inside = [point[:2] for group, point in records if group == number]
        assert size == len(inside)

        def far(middle: Any, inside: list[Any] = inside) -> float:
            return max(dist((middle[0], middle[1] / 3), (a, b / 3)) for a, b in inside)

        assert radius == pytest.approx(far((x, y)))
        if centre == "member":
            assert (x, y) in inside
            assert radius == pytest.approx(min(far(member) for member in inside))
        else:
            assert (x, y) == pytest.approx(tuple(np.mean(inside, axis=0)))
    listed = {(number, value): count for number, value, count in made.tables["sensitive"].to_rows()}
    assert listed == Counter((number, point[2]) for number, point in records)
    groups = made.kind.groups(made.tables)
    assert groups.as_dict() == {(number,): count for number, count in sorted(Counter(numbers).items())}


def test_requirements_mean_what_they_say() -> None:
    table = sfumato.from_rows(["X", "S"], [(0, "a"), (1, "b"), (2, "a"), (9, "b"), (11, "b")])
    made = ClusterRelease.build(table, [1, 1, 1, 2, 2], ["X"], "S")
    size, values = made.kind.verify(made.tables, [KAnonymity(k=2), DistinctLDiversity(l=2, sensitive="S")], ["X"])
    assert (bool(size), size.strongest, bool(values), values.strongest) == (True, 2, False, 1)
    assert made.kind.prevented([KAnonymity(k=2)]) == ["record"]
    assert made.guarantee() == {"smallest_cluster": 2}


def test_centres_may_be_given() -> None:
    table = sfumato.from_rows(["X"], [(0,), (1,), (2,), (9,)])
    made = ClusterRelease.build(table, [1, 1, 1, 2], ["X"], centres={1: 0, 2: 3})
    assert made.tables["clusters"].to_rows() == [(1, 0.0, 3, 2.0), (2, 9.0, 1, 0.0)]
    assert made.kind.part_names() == ("clusters",)
    for centres in ({1: 0}, {1: 3, 2: 3}):
        with pytest.raises(BadRequest, match="record of every cluster"):
            ClusterRelease.build(table, [1, 1, 1, 2], ["X"], centres=centres)
    with pytest.raises(BadRequest, match="mean"):
        ClusterRelease.build(table, [1, 1, 1, 2], ["X"], centre="mean", centres={1: 0, 2: 3})


def test_large_clusters_are_compared_in_blocks() -> None:
    points = np.random.default_rng(0).integers(0, 10_000, 1500)
    table = sfumato.from_rows(["X"], [(int(value),) for value in points])
    ((_, centre, size, radius),) = ClusterRelease.build(table, [1] * 1500, ["X"]).tables["clusters"].to_rows()
    best = min(max(value - points.min(), points.max() - value) for value in points)
    assert (size, radius) == (1500, best)
    assert centre in points


@pytest.mark.parametrize(
    ("clusters", "says"),
    [
        ([(1, 0.0, 3, 1.0), (1, 9.0, 2, 1.0)], "twice"),
        ([(1, 0.0, 0, 1.0), (2, 9.0, 2, 1.0)], "positive"),
        ([(1, 0.0, 3, -1.0), (2, 9.0, 2, 1.0)], "negative"),
        ([(1, 0.0, 4, 1.0), (2, 9.0, 2, 1.0)], "4 records in the one table and 3"),
        ([(1, 0.0, 3, 1.0)], "groups without records"),
        ([(1, 0.0, 3, None), (2, 9.0, 2, 1.0)], "missing"),
    ],
)
def test_tables_that_do_not_fit_are_refused(clusters: list[Any], says: str) -> None:
    table = sfumato.from_rows(["X", "S"], [(0, "a"), (1, "b"), (2, "a"), (9, "b"), (11, "b")])
    made = ClusterRelease.build(table, [1, 1, 1, 2, 2], ["X"], "S")
    bad = sfumato.from_rows(made.tables["clusters"].columns, clusters)
    with pytest.raises(BadRequest, match=says):
        made.kind.verify({**made.tables, "clusters": bad}, [], [])


def test_wrong_requests_are_refused() -> None:
    table = sfumato.from_rows(["X", "S"], [(0, "a"), (1, "b")])
    with pytest.raises(BadRequest, match="must hold numbers"):
        ClusterRelease.build(table, [1, 1], ["S"])
    with pytest.raises(BadRequest, match="positive number per column"):
        ClusterRelease.build(table, [1, 1], ["X"], scales=[0.0])
    with pytest.raises(BadRequest, match="not a column"):
        ClusterRelease.build(table, [1, 1], ["X"], "T")
