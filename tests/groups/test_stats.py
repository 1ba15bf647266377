"""Group statistics: histograms and merging against plain counting."""

from __future__ import annotations

import doctest
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato.groups.stats
from sfumato.errors import BadRequest
from sfumato.groups.stats import CodedKeys, GroupStats, Histogram

TRIPLES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 5)), max_size=30)
VALUES = ("a", "b", "c", "d")


def histogram(triples: list[tuple[int, int, int]]) -> Histogram:
    group, code, count = np.array(triples, np.int64).reshape(-1, 3).T
    return Histogram.from_pairs(5, VALUES, group, code, count)


def counted(triples: list[tuple[int, int, int]]) -> Counter[tuple[int, int]]:
    found: Counter[tuple[int, int]] = Counter()
    for group, code, count in triples:
        found[group, code] += count
    return +found


def test_examples_run() -> None:
    assert doctest.testmod(sfumato.groups.stats).failed == 0


@given(triples=TRIPLES)
def test_histogram_adds_up_equal_pairs(triples: list[tuple[int, int, int]]) -> None:
    made = histogram(triples)
    wanted = counted(triples)
    dense = made.dense()
    assert dense.shape == (5, 4)
    assert {(g, c): int(dense[g, c]) for g in range(5) for c in range(4) if dense[g, c]} == dict(wanted)
    assert (made.count > 0).all()
    for g in range(5):
        codes = made.code[made.start[g] : made.start[g + 1]].tolist()
        assert codes == sorted(set(codes))


@given(triples=TRIPLES, target=st.permutations([0, 1, 1, 2, 2]))
def test_histogram_merge(triples: list[tuple[int, int, int]], target: list[int]) -> None:
    merged = histogram(triples).merge(np.array(target), 3).dense()
    wanted = np.zeros((3, 4), np.int64)
    for group, code, count in triples:
        wanted[target[group], code] += count
    assert np.array_equal(merged, wanted)


@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=8), data=st.data())
def test_merge_adds_sizes_and_keeps_the_first_key(sizes: list[int], data: st.DataObject) -> None:
    groups = GroupStats.from_sizes(sizes)
    raw = data.draw(st.lists(st.integers(0, 3), min_size=len(sizes), max_size=len(sizes)))
    numbers: dict[int, int] = {}
    target = [numbers.setdefault(entry, len(numbers)) for entry in raw]
    merged = groups.merge(target)
    assert merged.sizes.tolist() == [
        sum(size for size, sent in zip(sizes, target, strict=True) if sent == number) for number in range(len(numbers))
    ]
    assert [merged.key(i) for i in range(len(merged))] == [(target.index(number),) for number in range(len(numbers))]
    assert groups.sizes.tolist() == sizes


def test_as_dict() -> None:
    groups = GroupStats(("a", "b"), (["x", "y"], [1, 2]), np.array([3, 4]))
    assert groups.as_dict() == {("x", 1): 3, ("y", 2): 4}
    assert len(groups) == 2


@pytest.mark.parametrize("sizes", [[0], [2, -1], [[1, 2]]])
def test_sizes_that_are_no_counts_are_refused(sizes: list[int]) -> None:
    with pytest.raises(BadRequest, match="positive whole numbers"):
        GroupStats.from_sizes(sizes)


@pytest.mark.parametrize(("target", "rule"), [([0], "one target per group"), ([0, 2], "without gaps")])
def test_wrong_targets_are_refused(target: list[int], rule: str) -> None:
    with pytest.raises(BadRequest, match=rule):
        GroupStats.from_sizes([1, 2]).merge(target)


@given(st.lists(st.sampled_from(["a", "b", "c", None])))
def test_coded_keys_are_the_values_they_stand_for(keys: list[str | None]) -> None:
    coded = CodedKeys.of(keys)
    assert list(coded) == keys
    assert [coded[at] for at in range(len(coded))] == keys
    assert list(coded[1:]) == keys[1:]
    assert CodedKeys.of(coded) is coded


def test_what_is_in_order_already_is_only_copied() -> None:
    triples = [(0, 1, 2), (1, 0, 3), (1, 1, 1), (2, 0, 4)]
    arrays = [np.array(part, np.int64) for part in zip(*triples, strict=True)]
    turned = [np.array(part, np.int64) for part in zip(*reversed(triples), strict=True)]
    one, other = (Histogram.from_pairs(3, ("x", "y"), *given) for given in (arrays, turned))
    for name in ("start", "code", "count"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    assert one.row(1) == {"x": 3, "y": 1}
