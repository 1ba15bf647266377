"""r-gather: radius and lower bound against all clusterings, its kernels against naive twins, its release through verbs."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.linked_records import records_by_group
from oracles.naive_groupings import best_gather, can_share
from sfumato.algorithms.groupings._gathering import Gathered, gather, gather_most
from sfumato.algorithms.groupings._gathering_kernels import cover, scan, share_out
from sfumato.contracts.progress import Silent
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.groups.distinct import distinct_rows

POINTS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=7)


def policy(r: int = 2, **changes: Any) -> dict[str, Any]:
    return {
        "columns": {"x": {"role": "quasi-identifier"}, "y": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-anonymity", "k": r}],
        "algorithm": {"id": "r-gather", "distance": "euclidean"},
        "seed": 5,
        **changes,
    }


def folded(points: Any) -> tuple[Any, Any]:
    """Return distinct points and how many records stand on each."""
    distinct, place = distinct_rows(np.array(points, np.float64))
    return distinct, np.bincount(place)


def far(points: Any, found: Gathered) -> float:
    return float(np.sqrt(((points[found.point] - points[found.centres[found.cluster]]) ** 2).sum(axis=1)).max())


# ---- the guarantees ------------------------------------------------------------------------------------------------------


@settings(max_examples=120)
@given(points=POINTS, r=st.integers(1, 4))
def test_radius_is_at_most_twice_the_least(points: list[Any], r: int) -> None:
    r = min(r, len(points))
    optimum = best_gather(points, r)
    assert optimum is not None
    distinct, weights = folded(points)
    found = gather(distinct, weights, r, Silent())
    assert np.bincount(found.cluster, found.records).min() >= r
    assert np.bincount(found.point, found.records).tolist() == weights.tolist()
    assert far(distinct, found) <= found.length + 1e-12
    assert found.length <= 2 * optimum + 1e-9  # so half of it bounds the optimum from below
    for cluster, centre in enumerate(found.centres.tolist()):
        assert centre in found.point[found.cluster == cluster]


@settings(max_examples=40)
@given(points=POINTS, r=st.integers(1, 4), leave=st.integers(1, 3))
def test_with_outliers_at_most_four_times(points: list[Any], r: int, leave: int) -> None:
    leave = min(leave, len(points) - 1)
    r = min(r, len(points) - leave)
    optimum = best_gather(points, r, leave)
    assert optimum is not None
    distinct, weights = folded(points)
    found = gather_most(distinct, weights, r, leave)
    sizes = np.bincount(found.cluster, found.records)
    assert sizes.min() >= r
    assert sizes.sum() >= len(points) - leave
    assert len(found.point) == len(set(found.point.tolist()))
    assert far(distinct, found) <= 4 * optimum + 1e-9
    assert found.length <= 2 * optimum + 1e-9


@settings(max_examples=25)
@given(points=POINTS, r=st.integers(1, 3), seed=st.integers(0, 9))
def test_the_published_radius_keeps_the_guarantee(points: list[Any], r: int, seed: int) -> None:
    r = min(r, len(points))
    optimum = best_gather(points, r)
    assert optimum is not None
    release = sfumato.anonymize(sfumato.from_rows(["x", "y"], points), policy(r, seed=seed))
    rows = release.tables["clusters"].to_rows()
    assert min(row[3] for row in rows) >= r
    assert sum(row[3] for row in rows) == len(points)
    radius = max(row[4] for row in rows)
    assert radius <= 2 * optimum + 1e-9
    facts = release.private.facts
    assert facts["radius"] == pytest.approx(radius)
    assert facts["optimum_at_least"] <= optimum + 1e-9
    assert facts["guarantee"] == 2
    assert radius <= 2 * facts["optimum_at_least"] + 1e-9


# ---- kernels against twins -----------------------------------------------------------------------------------------------


@settings(max_examples=120)
@given(points=POINTS, r=st.integers(1, 4), length=st.sampled_from([0.0, 1.0, 2.5, 5.0, 20.0]))
def test_cover_against_a_twin(points: list[Any], r: int, length: float) -> None:
    distinct, weights = folded(points)
    fits, centres, start, member, away, near, beyond = cover(distinct, weights, r, length)
    covered: set[int] = set()
    wanted: list[tuple[int, list[int]]] = []
    good = True
    for i in range(len(distinct)):
        if i in covered or not good:
            continue
        ball = [j for j in range(len(distinct)) if math.dist(distinct[i], distinct[j]) <= length]
        covered |= set(ball)
        wanted.append((i, ball))
        good = sum(weights[ball]) >= r and len(wanted) * r <= weights.sum()
    assert fits == good
    balls = [member[a:b].tolist() for a, b in pairwise(start)]
    assert list(zip(centres.tolist(), balls, strict=True)) == wanted
    lengths = [math.dist(distinct[i], other) for i, _ in wanted for other in distinct]
    assert near == pytest.approx(max(d for d in lengths if d <= length))
    assert beyond == pytest.approx(min((d for d in lengths if d > length), default=math.inf))
    assert away.tolist() == pytest.approx([math.dist(distinct[i], distinct[j]) for i, ball in wanted for j in ball])
    # The run repeats itself for every length in between.
    again = cover(distinct, weights, r, near)
    assert (again[0], again[1].tolist(), again[3].tolist()) == (fits, centres.tolist(), member.tolist())


@settings(max_examples=120)
@given(
    weights=st.lists(st.integers(1, 4), min_size=1, max_size=6),
    masks=st.lists(st.integers(1, 63), min_size=1, max_size=5),
    r=st.integers(1, 5),
)
def test_share_out_by_halls_condition(weights: list[int], masks: list[int], r: int) -> None:
    balls = [[i for i in range(len(weights)) if mask >> i & 1] for mask in masks]
    start = np.cumsum([0, *map(len, balls)]).astype(np.int64)
    member = np.array([i for ball in balls for i in ball], np.int64)
    fits, given_, left = share_out(np.array(weights, np.int64), start, member, r)
    assert fits == can_share(weights, balls, r)
    assert given_.min(initial=0) >= 0
    assert left.min() >= 0
    taken = np.bincount(member, given_, len(weights)) if len(member) else np.zeros(len(weights))
    assert (taken + left).tolist() == weights
    if fits:
        assert [int(given_[a:b].sum()) for a, b in pairwise(start)] == [r] * len(balls)


@settings(max_examples=100)
@given(points=POINTS, r=st.integers(1, 4), length=st.sampled_from([0.0, 1.5, 4.0]), mask=st.integers(0, 127))
def test_scan_against_a_twin(points: list[Any], r: int, length: float, mask: int) -> None:
    distinct, weights = folded(points)
    outlier = np.array([bool(mask >> i & 1) for i in range(len(distinct))])
    centres, cluster = scan(distinct, weights, outlier, r, length)
    wanted, chosen = [-1] * len(distinct), []
    for i in range(len(distinct)):
        if outlier[i] or wanted[i] >= 0:
            continue
        ball = [j for j in range(len(distinct)) if wanted[j] < 0 and math.dist(distinct[i], distinct[j]) <= length]
        if sum(weights[ball]) >= r:
            for j in ball:
                wanted[j] = len(chosen)
            chosen.append(i)
    assert (centres.tolist(), cluster.tolist()) == (chosen, wanted)


def test_a_flow_is_needed() -> None:
    """Points in two balls must be shared well: the first centre may not take all of what only the second can reach."""
    weights = np.array([1, 1, 1, 1], np.int64)
    start, member = np.array([0, 4, 6], np.int64), np.array([0, 1, 2, 3, 0, 1], np.int64)
    fits, given_, _ = share_out(weights, start, member, 2)
    assert fits
    assert given_.tolist() == [0, 0, 1, 1, 1, 1]


# ---- the release ---------------------------------------------------------------------------------------------------------


RNG = np.random.default_rng(8)
ROWS = [
    (int(x), int(y), f"d{i % 4}")
    for i, (x, y) in enumerate(np.concatenate([RNG.normal(m, 6, (40, 2)) for m in (0, 100, 300)]).round())
]


def listed(r: int = 4, **changes: Any) -> dict[str, Any]:
    asked = policy(r, **changes)
    asked["columns"]["disease"] = {"role": "sensitive"}
    return asked


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("centre", ["member", "mean"])
def test_release_keeps_its_promise(centre: str, engine: str) -> None:
    source = sfumato.from_rows(["x", "y", "disease"], ROWS)
    asked = listed(engine=engine, algorithm={"id": "r-gather", "centre": centre})
    release = sfumato.anonymize(sfumato.read(source.to_native(), engine=engine), asked)
    assert release.kind == "cluster-release"
    assert release.verdict
    assert release.certificate["release"]["truthful"] is True
    assert release.certificate["guarantee"]["smallest_cluster"] >= 4
    grouped = records_by_group(release)
    assert Counter(row[:3] for row in grouped) == Counter(ROWS)
    held = Counter((group, disease) for _, _, disease, group in grouped)
    assert {row[:2]: row[2] for row in release.tables["sensitive"].to_rows()} == held
    x, y = zip(*(row[:2] for row in ROWS), strict=True)
    scales = (max(x) - min(x), max(y) - min(y))
    for number, cx, cy, size, radius in release.tables["clusters"].to_rows():
        inside = [row for row in grouped if row[-1] == number]
        assert size == len(inside)
        away = [math.hypot((row[0] - cx) / scales[0], (row[1] - cy) / scales[1]) for row in inside]
        assert max(away) == pytest.approx(radius)
        assert ((cx, cy) in {row[:2] for row in inside}) or centre == "mean"
    assert any("centre" in text for text in release.warnings) == (centre == "member")
    limit = 2 * release.private.facts["optimum_at_least"] * (1 if centre == "member" else 2)
    assert max(row[4] for row in release.tables["clusters"].to_rows()) <= limit + 1e-9


def test_a_declared_range_scales_the_distance() -> None:
    asked = policy(algorithm={"id": "r-gather"})
    asked["columns"]["x"]["range"] = [0, 1000]
    rows = [(0, 0), (10, 0), (0, 10), (10, 10)]
    release = sfumato.anonymize(sfumato.from_rows(["x", "y"], rows), asked)
    assert release.certificate["release"]["parameters"]["scales"] == [1000.0, 10.0]
    assert sorted(row[1:4] for row in release.tables["clusters"].to_rows()) == [(0.0, 0.0, 2), (0.0, 10.0, 2)]


def test_outliers_are_left_out_within_the_limit() -> None:
    rows = [*ROWS[:80], (5000, 5000, "d0"), (-4000, 90, "d1")]
    source = sfumato.from_rows(["x", "y", "disease"], rows)
    whole = sfumato.anonymize(source, listed())
    release = sfumato.anonymize(source, listed(limits={"suppress_at_most": 0.03}))
    assert release.private.facts["records_suppressed"] == 2
    assert release.certificate["counts"]["records_suppressed"] == 2
    assert release.private.facts["guarantee"] == 4
    assert release.private.facts["radius"] < whole.private.facts["radius"] / 10
    assert sum(row[3] for row in release.tables["clusters"].to_rows()) == 80
    assert any("2 records" in text for text in release.warnings)
    narrow = listed(limits={"suppress_at_most": 0.03}, algorithm={"id": "r-gather", "epsilon": 0.01})
    assert sfumato.anonymize(source, narrow).private.facts["records_suppressed"] == 0


def test_equal_points_may_be_shared_and_r_may_be_one() -> None:
    rows = [(0, 0)] * 5 + [(3, 0)] * 5
    release = sfumato.anonymize(sfumato.from_rows(["x", "y"], rows), policy(5))
    assert release.private.facts["radius"] == 0
    every = sfumato.anonymize(sfumato.from_rows(["x", "y"], [(0, 0), (1, 1), (2, 5)]), policy(1))
    assert (every.private.facts["clusters"], every.private.facts["radius"]) == (3, 0)
    one = sfumato.anonymize(sfumato.from_rows(["x", "y"], rows), policy(10))
    assert (one.private.facts["clusters"], one.private.facts["radius"]) == (1, 3)
    split = sfumato.anonymize(sfumato.from_rows(["x", "y"], [(0, 0)] * 9 + [(3, 0)]), policy(5))
    assert split.private.facts["radius"] <= 3


def test_cluster_numbers_are_drawn() -> None:
    source = sfumato.from_rows(["x", "y", "disease"], ROWS)
    first = {
        tuple(sfumato.anonymize(source, listed(seed=seed)).tables["clusters"].to_rows()[0][1:3]) for seed in range(8)
    }
    assert len(first) > 1


def test_through_the_commands(commands: Callable[..., Path]) -> None:
    out = commands(["x", "y", "disease"], ROWS, listed(limits={"suppress_at_most": 0.05}))
    certificate = json.loads((out / "public" / "certificate.json").read_text())
    assert certificate["guarantee"]["smallest_cluster"] >= 4
    assert {path.stem for path in (out / "public").glob("*.csv")} == {"clusters", "sensitive"}


def test_a_thousand_points_in_the_plane() -> None:
    points = np.random.default_rng(3).random((3000, 2))
    found = gather(points, np.ones(len(points), np.int64), 10, Silent())
    assert np.bincount(found.cluster, found.records).min() >= 10
    assert far(points, found) <= found.length


# ---- refusals ------------------------------------------------------------------------------------------------------------


def test_r_above_the_number_of_records() -> None:
    source = sfumato.from_rows(["x", "y"], [(0, 0), (1, 1), (2, 5), (3, 3)])
    with pytest.raises(Infeasible) as caught:
        sfumato.anonymize(source, policy(5))
    assert (caught.value.measured, caught.value.bound) == (4, 5)
    with pytest.raises(Infeasible) as caught:
        sfumato.anonymize(source, policy(3, limits={"suppress_at_most": 0.5}))
    assert (caught.value.measured, caught.value.bound) == (2, 3)


def test_epsilon_is_a_share_within_the_limit() -> None:
    source = sfumato.from_rows(["x", "y"], [(0, 0), (1, 1), (2, 5), (3, 3)])
    with pytest.raises(BadRequest) as caught:
        sfumato.anonymize(source, policy(algorithm={"id": "r-gather", "epsilon": 0.1}))
    assert caught.value.parameter == "r-gather.epsilon"
    for wrong in (-0.1, 1, 1.5):
        with pytest.raises(BadRequest, match=r"epsilon"):
            sfumato.anonymize(source, policy(algorithm={"id": "r-gather", "epsilon": wrong}))
    with pytest.raises(BadRequest, match="below 1"):
        sfumato.anonymize(source, policy(limits={"suppress_at_most": 1.0}))


def test_columns_must_be_numbers() -> None:
    source = sfumato.from_rows(["x", "y"], [(0, "a"), (1, "b"), (2, "a")])
    with pytest.raises(BadRequest) as caught:
        sfumato.anonymize(source, policy())
    assert caught.value.column == "y"
    with pytest.raises(BadRequest, match="infinite"):
        sfumato.anonymize(sfumato.from_rows(["x", "y"], [(0, 1.0), (1, math.inf), (2, 2.0)]), policy())


def test_other_requirements_and_two_sensitive_columns_are_refused() -> None:
    source = sfumato.from_rows(["x", "y", "disease"], ROWS)
    asked = listed()
    asked["requirements"].append({"id": "l-diversity-distinct", "l": 2, "sensitive": "disease"})
    with pytest.raises(Unsupported) as caught:
        sfumato.anonymize(source, asked)
    assert caught.value.thing == "l-diversity-distinct"
    asked = listed()
    asked["columns"]["y"] = {"role": "sensitive"}
    with pytest.raises(Unsupported, match="y, disease"):
        sfumato.anonymize(source, asked)
