"""MDAV and V-MDAV: the groups of a plain search over all records, their sizes, and the trees that find them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.naive_microaggregation import NaiveEuclid, NaiveGower, naive_mdav, naive_v_mdav
from sfumato.data.tree import Tree
from sfumato.groups.representatives import Shape, middle_leaves
from sfumato.kernels.covers import cover_price, cover_prices
from sfumato.perturbations._near_tree_kernels import build_tree, farthest, nearest, take_off
from sfumato.perturbations.near_groups import Categories, NearRecords, Numbers, mdav, sums_of_squares, v_mdav
from sfumato.testing.strategies import trees

RNG = np.random.default_rng


def parted(groups: Any) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(groups == number).tolist()) for number in range(int(groups.max()) + 1)}


def as_sets(groups: list[list[int]]) -> set[frozenset[int]]:
    return {frozenset(group) for group in groups}


@st.composite
def numbers(draw: st.DrawFn) -> Any:
    """Draw a few columns of whole numbers with many ties, or of reals without any."""
    rows, wide = draw(st.integers(1, 45)), draw(st.integers(1, 3))
    if draw(st.booleans()):
        top = draw(st.sampled_from([2, 6, 40]))
        return np.array(draw(st.lists(st.integers(0, top), min_size=rows * wide, max_size=rows * wide)), float).reshape(
            rows, wide
        )
    return RNG(draw(st.integers(0, 1000))).normal(size=(rows, wide))


@settings(max_examples=120, deadline=None)
@given(data=numbers(), k=st.integers(1, 6), scale=st.sampled_from(["range", "deviation"]))
def test_euclidean_groups_of_the_naive_twin(data: Any, k: int, scale: str) -> None:
    near = NearRecords.euclidean(data, scale)
    units = np.ptp(data, axis=0) if scale == "range" else data.std(axis=0)
    space = NaiveEuclid(data.tolist(), np.where(np.ptp(data, axis=0) > 0, units, 0.0).tolist())
    if scale == "deviation":
        space.rows = near.points.tolist()  # deviations of tied numbers differ in their last digit
    found = mdav(near, k)
    assert parted(found) == as_sets(naive_mdav(space, k))
    if len(data) >= k:
        sizes = np.bincount(found)
        assert k <= sizes.min() <= sizes.max() <= 2 * k - 1


@settings(max_examples=120, deadline=None)
@given(data=numbers(), k=st.integers(1, 5), gamma=st.sampled_from([0.0, 0.2, 0.9, 1.1, 3.0]))
def test_variable_groups_of_the_naive_twin(data: Any, k: int, gamma: float) -> None:
    near = NearRecords.euclidean(data)
    space = NaiveEuclid(data.tolist(), np.ptp(data, axis=0).tolist())
    space.rows = near.points.tolist()
    found = v_mdav(near, k, gamma)
    assert parted(found) == as_sets(naive_v_mdav(space, k, gamma))
    if len(data) >= k:
        sizes = np.bincount(found)
        assert k <= sizes.min() <= sizes.max() <= 2 * k - 1


@st.composite
def mixed(draw: st.DrawFn) -> tuple[list[tuple[Any, ...]], dict[str, Any]]:
    """Draw rows of a number, a value of a tree, and a bare value."""
    tree = draw(trees(6, 3))
    leaves = list(Tree.from_nested(tree).leaves)
    row = st.tuples(st.integers(0, 8), st.sampled_from(leaves), st.sampled_from("xyz"))
    return draw(st.lists(row, min_size=1, max_size=35)), tree


def gower(rows: list[tuple[Any, ...]], nested: dict[str, Any]) -> tuple[NearRecords, NaiveGower]:
    tree = Tree.from_nested(nested)
    bare = {value: ("*", value) for value in "xyz"}
    columns = [
        Numbers(np.array([float(row[0]) for row in rows])),
        Categories(tree.encode([row[1] for row in rows]).astype(np.int64), Shape.of(tree)),
        Categories(np.array(["xyz".index(row[2]) for row in rows]), Shape.flat(3)),
    ]
    paths = {leaf: levels[::-1] for leaf, levels in zip(tree.leaves, tree.to_levels(), strict=True)}
    return NearRecords.gower(columns), NaiveGower(rows, [None, paths, bare])


@settings(max_examples=100, deadline=None)
@given(drawn=mixed(), k=st.integers(1, 5), gamma=st.sampled_from([0.2, 1.1]))
def test_gower_groups_of_the_naive_twin(drawn: Any, k: int, gamma: float) -> None:
    near, space = gower(*drawn)
    assert parted(mdav(near, k)) == as_sets(naive_mdav(space, k))
    assert parted(v_mdav(near, k, gamma)) == as_sets(naive_v_mdav(space, k, gamma))


@settings(max_examples=60, deadline=None)
@given(drawn=mixed())
def test_middle_values_of_the_naive_twin(drawn: Any) -> None:
    near, space = gower(*drawn)
    groups = np.arange(len(near)) % 3
    groups = np.unique(groups, return_inverse=True)[1]
    tree = Tree.from_nested(drawn[1])
    leaves = near.points[:, 1].astype(np.int64)
    found = middle_leaves(leaves, groups, Shape.of(tree)).tolist()
    parts = [np.flatnonzero(groups == number).tolist() for number in range(int(groups.max()) + 1)]
    assert [tree.leaves[leaf] for leaf in found] == [space.centre(part)[1] for part in parts]
    assert near.centres(groups)[:, 1].tolist() == found


@settings(max_examples=60, deadline=None)
@given(nested=trees(12, 4))
def test_the_price_of_the_lowest_cover(nested: dict[str, Any]) -> None:
    tree = Tree.from_nested(nested)
    shape = Shape.of(tree)
    maxima = shape.maxima(shape.price.astype(float))
    pairs = [(low, high) for low in range(shape.leaves) for high in range(low, shape.leaves)]
    low, high = (np.array(side) for side in zip(*pairs, strict=True))
    wanted = []
    for first, last in pairs:
        node = int(tree.leaf_nodes[first])
        while tree.leaf_last[node] <= last:
            node = int(tree.parent[node])
        wanted.append(0 if first == last else int(tree.leaf_count[node]) - 1)
    assert cover_prices(maxima, shape.leaves - 1, low, high).tolist() == wanted
    apart = [pair for pair in pairs if pair[0] < pair[1]]
    assert [cover_price(maxima, 0, shape.leaves - 1, *pair) for pair in apart] == [
        price for price, (first, last) in zip(wanted, pairs, strict=True) if first < last
    ]


def test_piles_hold_equal_records_from_low_to_high() -> None:
    near = NearRecords.euclidean(np.array([[3.0, 1.0], [0.0, 0.0], [3.0, 1.0], [3.0, 0.0], [3.0, 1.0]]), "none")
    piles = near.piles()
    assert np.array_equal(piles.points[piles.place], near.points)
    assert len(piles.points) == 3
    held = {}
    for pile, record in enumerate(piles.top.tolist()):
        held[pile] = list[int]()
        while record >= 0:
            held[pile].append(record)
            record = int(piles.under[record])
    assert sorted(held.values()) == [[0, 2, 4], [1], [3]]
    assert all(piles.place[record] == pile for pile, records in held.items() for record in records)


@pytest.mark.parametrize("kind", ["euclidean", "whole", "gower"])
def test_the_tree_finds_what_a_scan_finds(kind: str) -> None:
    """Records leave one by one, and the nearest and farthest of what is left are those of a scan."""
    rng = RNG(3)
    if kind == "gower":
        rows = [(int(rng.integers(9)), "abcd"[rng.integers(4)], "xyz"[rng.integers(3)]) for _ in range(400)]
        near = gower(rows, {"any": [{"p": ["a", "b"]}, {"q": ["c", "d"]}]})[0]
    else:
        cloud = rng.normal(size=(400, 2))
        near = NearRecords.euclidean(np.round(cloud * 3) if kind == "whole" else cloud)
    piles = near.piles()
    tree = build_tree(near.metric, piles, np.arange(len(piles.points)))
    left = set(range(400))
    found, away = np.empty(5, np.int64), np.empty(5)
    for _ in range(395):
        tops = piles.top[piles.top >= 0]
        asked = int(rng.choice(tops))
        scan = near.away(np.arange(400), near.points[asked])
        held = nearest(near.metric, tree, piles.under, near.points[asked], 5, asked, found, away)
        wanted = sorted((round(scan[row], 9), row) for row in left if row != asked)[:5]
        assert [(round(gap, 9), int(row)) for gap, row in zip(away[:held], found[:held], strict=True)] == wanted
        assert farthest(near.metric, tree, near.points[asked]) == max(left, key=lambda row: (round(scan[row], 9), -row))
        gone = int(rng.choice(tops))
        left.remove(gone)
        take_off(tree, piles, int(piles.place[gone]))
    assert piles.left[0] == len(left)
    assert tree.count[0] == len({int(piles.place[row]) for row in left})


def test_a_far_outlier_does_not_blur_the_others() -> None:
    """Bounds of a tree that was built around an outlier hold for the small cloud that is left."""
    data = np.concatenate([RNG(5).normal(size=(300, 3)), [[1e7, 1e7, 1e7]]])
    near = NearRecords.euclidean(data, "none")
    space = NaiveEuclid(data.tolist(), [1.0] * 3)
    space.rows = near.points.tolist()
    assert parted(mdav(near, 4)) == as_sets(naive_mdav(space, 4))


def test_sums_of_squares() -> None:
    inside, whole = sums_of_squares(np.array([[0.0], [2.0], [10.0], [12.0]]), np.array([0, 0, 1, 1]))
    assert (inside, whole) == (4.0, 104.0)


def test_variable_groups_fit_clusters_of_uneven_size() -> None:
    """Clusters of 3 to 5 records are found whole with a large gamma, and MDAV must cut them."""
    rng = RNG(8)
    sizes = [3, 4, 5, 3, 5, 4]
    data = np.concatenate([rng.normal(10.0 * at, 0.1, size=(size, 2)) for at, size in enumerate(sizes)])
    near = NearRecords.euclidean(data)
    variable, fixed = v_mdav(near, 3, 5.0), mdav(near, 3)
    assert sorted(np.bincount(variable).tolist()) == sorted(sizes)
    assert sums_of_squares(near.points, variable)[0] < 0.01 * sums_of_squares(near.points, fixed)[0]


@pytest.mark.parametrize("whole", [False, True])
def test_many_records_and_many_rounds(whole: bool) -> None:
    data = RNG(11).normal(size=(500, 3))
    data = np.round(data * 3) if whole else data
    near = NearRecords.euclidean(data)
    space = NaiveEuclid(data.tolist(), np.ptp(data, axis=0).tolist())
    space.rows = near.points.tolist()
    assert parted(mdav(near, 3)) == as_sets(naive_mdav(space, 3))
    assert parted(v_mdav(near, 3, 1.1)) == as_sets(naive_v_mdav(space, 3, 1.1))
