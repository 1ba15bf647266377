"""Worlds of a permanent value against all subsets of persons, tried one by one."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import BadRequest
from sfumato.sequels.worlds import CarrierGroup, possible_worlds


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9))
def test_every_set_of_carriers_is_tried(seed: int) -> None:
    rng = random.Random(seed)
    people = list("abcdefg")[: rng.randint(2, 7)]
    carriers = {who for who in people if rng.random() < 0.3}
    groups = []
    for release in range(rng.randint(1, 3)):
        here = rng.sample(people, rng.randint(1, len(people)))
        while here:
            size = rng.randint(1, len(here))
            members, here = tuple(here[:size]), here[size:]
            groups.append(CarrierGroup(members, len(carriers & set(members)), release))
    order = list(dict.fromkeys(who for group in groups for who in group.members))
    worlds = [
        set(chosen)
        for size in range(len(order) + 1)
        for chosen in combinations(order, size)
        if all(len(set(group.members) & set(chosen)) == group.count for group in groups)
    ]
    found = possible_worlds(groups, acquired="never")
    assert possible_worlds(groups).linkage == found.linkage
    assert found.count == len(worlds)
    assert sorted(map(sorted, found.sets())) == sorted(map(sorted, worlds))
    assert found.linkage == {who: Fraction(sum(who in world for world in worlds), len(worlds)) for who in order}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9))
def test_every_time_of_acquiring_is_tried(seed: int) -> None:
    rng = random.Random(seed)
    people, releases = list("abcd"), 3
    begun = {who: rng.randint(0, releases) for who in people}
    groups: list[CarrierGroup] = []
    for release in range(releases):
        here = rng.sample(people, 4)
        cut = rng.randint(1, 4)
        groups += [
            CarrierGroup(tuple(members), sum(begun[who] <= release for who in members), release)
            for members in (here[:cut], here[cut:])
            if members
        ]
    order = list(dict.fromkeys(who for group in groups for who in group.members))
    worlds = [
        dict(zip(order, times, strict=True))
        for times in product(range(releases + 1), repeat=len(order))
        if all(
            sum(times[order.index(who)] <= group.release for who in group.members) == group.count for group in groups
        )
    ]
    found = possible_worlds(groups, acquired="anytime")
    assert found.count == len(worlds)
    carried = {who: Fraction(sum(world[who] < releases for world in worlds), len(worlds)) for who in order}
    assert found.linkage == carried


def test_large_parts_are_counted_where_persons_are_alike_and_unknown_where_they_are_not() -> None:
    crowd = tuple(range(2000))
    found = possible_worlds([CarrierGroup(crowd, 3), CarrierGroup((0, -1), 1, 1)])
    assert found.linkage[5] < Fraction(1, 500)
    rng = random.Random(0)
    tangled = []
    for release in range(4):
        mixed = rng.sample(range(200), 200)
        tangled += [CarrierGroup(tuple(mixed[at : at + 5]), 1, release) for at in range(0, 200, 5)]
    lost = possible_worlds(tangled, most=1000)
    assert len(lost.unknown) == 200
    assert not lost.linkage
    drawn = possible_worlds(tangled, most=20, samples=2, rng=np.random.default_rng(1))
    again = possible_worlds(tangled, most=20, samples=2, rng=np.random.default_rng(1))
    assert drawn.sampled == again.sampled
    assert len(drawn.sampled) + len(drawn.unknown) == 200


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_samples_are_near_what_is_counted(seed: int) -> None:
    rng = random.Random(seed)
    people = range(rng.randint(8, 12))
    carriers = {who for who in people if rng.random() < 0.3}
    groups = []
    for release in range(3):
        here = rng.sample(people, len(people))
        while here:
            members, here = tuple(here[:4]), here[4:]
            groups.append(CarrierGroup(members, len(carriers & set(members)), release))
    exact = possible_worlds(groups, acquired="never")
    drawn = possible_worlds(groups, acquired="never", most=3, samples=100, rng=np.random.default_rng(seed))
    assert drawn.linkage.items() <= exact.linkage.items()
    for who, one in drawn.sampled.items():
        assert one.low <= one.share <= one.high
        slack = one.high - one.low  # 1.96 standard deviations to each side: twice as far away is never met
        assert one.low - slack <= exact.linkage[who] <= one.high + slack


def test_groups_that_cannot_be_are_refused() -> None:
    for group in (CarrierGroup(("a",), 2), CarrierGroup(("a", "a"), 1), CarrierGroup(("a",), -1)):
        with pytest.raises(BadRequest, match="cannot have"):
            possible_worlds([group])
    contradiction = possible_worlds([CarrierGroup(("a", "b"), 1), CarrierGroup(("a", "b"), 0, 1)])
    assert contradiction.count == 0
    assert contradiction.sets() == []
    later = [CarrierGroup(("a", "b"), 0), CarrierGroup(("a", "b"), 1, 1)]
    assert possible_worlds(later, acquired="never").count == 0
    assert possible_worlds(later).linkage == {"a": Fraction(1, 2), "b": Fraction(1, 2)}
    with pytest.raises(BadRequest, match="there are 2 worlds"):
        possible_worlds([CarrierGroup(("a", "b"), 1)]).sets(most=1)
