"""The engine of itemsets beside a brute force over all combinations."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from sfumato.itemsets import (
    Database,
    Rule,
    frequent_sets,
    greedy_hitting_set,
    greedy_trade,
    maximal_frequent_sets,
    optimal_hitting_set,
    violations,
)
from sfumato.itemsets.violations import levels

Sets = list[frozenset[int]]


def _random(rng: np.random.Generator) -> tuple[Sets, int, int]:
    width, private = int(rng.integers(1, 9)), int(rng.integers(0, 3))
    chance = rng.uniform(0.1, 0.9)
    records = int(rng.integers(0, 13))
    drawn = rng.random((records, width + private)) < chance
    return [frozenset(np.flatnonzero(row).tolist()) for row in drawn], width, private


def _database(records: Sets, width: int, private: int) -> Database:
    starts = np.concatenate(([0], np.cumsum([len(one) for one in records]))).astype(np.int64)
    codes = np.array([code for one in records for code in sorted(one)], np.int32)
    return Database.of(starts, codes, width + private, np.arange(width + private) >= width)


def _broken(records: Sets, width: int, private: int, rule: Rule, most: int) -> dict[tuple[int, ...], int]:
    out = {}
    for size in range(1, most + 1):
        for chosen in combinations(range(width), size):
            holding = [one for one in records if set(chosen) <= one]
            sharing = max(
                (sum(secret in one for one in holding) for secret in range(width, width + private)), default=0
            )
            over = rule.share is not None and sharing * rule.share[1] > rule.share[0] * len(holding)
            if holding and (len(holding) < rule.least or over):
                out[chosen] = len(holding)
    return out


@pytest.mark.parametrize("seed", range(150))
def test_minimal_violations_are_those_of_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    records, width, private = _random(rng)
    rule = Rule(int(rng.integers(1, 5)), (int(rng.integers(1, 5)), 4) if seed % 2 else None)
    most = int(rng.integers(1, 6))
    every = _broken(records, width, private, rule, most)
    minimal = {one: count for one, count in every.items() if not any(set(other) < set(one) for other in every)}
    database = _database(records, width, private)
    found = violations(database, rule, most)
    listed = [
        (tuple(members), support)
        for sets in found
        for members, support in zip(sets.members.tolist(), sets.supports.tolist(), strict=True)
    ]
    assert listed == sorted(minimal.items(), key=lambda entry: (len(entry[0]), entry[0]))
    whole = [
        tuple(members)
        for level in levels(database, rule, most, minimal=False)
        for members in level.broken.members.tolist()
    ]
    assert whole == sorted(every, key=lambda one: (len(one), one))
    owners = {one for level in levels(database, rule, most) for one in level.owners().tolist()}
    assert owners == {at for at, one in enumerate(records) if any(set(broken) <= one for broken in minimal)}


@pytest.mark.parametrize("width", [60, 65, 3000])
def test_pairs_of_many_items_come_in_order_whether_records_hold_few_or_many(width: int) -> None:
    rng = np.random.default_rng(width)
    records = [frozenset(rng.choice(width, int(rng.integers(0, 25)), replace=False).tolist()) for _ in range(40)]
    counts = Counter(pair for one in records for pair in combinations(sorted(one), 2))
    held = Counter(code for one in records for code in one)
    wanted = {pair: count for pair, count in counts.items() if count < 3 and min(held[code] for code in pair) >= 3}
    found = violations(_database(records, width, 0), Rule(3), 2)[1:]
    pairs = [tuple(row) for sets in found for row in sets.members.tolist()]
    assert pairs == sorted(wanted)
    assert [count for sets in found for count in sets.supports.tolist()] == [wanted[pair] for pair in pairs]


@pytest.mark.parametrize("seed", range(40))
def test_frequent_and_maximal_sets_are_those_of_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    records, width, _ = _random(rng)
    records = [frozenset(code for code in one if code < width) for one in records]
    least = int(rng.integers(1, 4))
    counts = {
        chosen: sum(set(chosen) <= one for one in records)
        for size in range(1, width + 1)
        for chosen in combinations(range(width), size)
    }
    frequent = {chosen for chosen, count in counts.items() if count >= least}
    database = _database(records, width, 0)
    assert {tuple(row) for sets in frequent_sets(database, least, width) for row in sets.members.tolist()} == frequent
    maximal = {one for one in frequent if not any(set(one) < set(other) for other in frequent)}
    assert dict(maximal_frequent_sets(database, least)) == {one: counts[one] for one in maximal}


@pytest.mark.parametrize("seed", range(40))
def test_the_cheapest_hitting_set_is_that_of_brute_force(seed: int) -> None:
    pytest.importorskip("highspy")
    rng = np.random.default_rng(seed)
    width = int(rng.integers(3, 9))
    family = [
        np.array([np.sort(rng.choice(width, size, replace=False)) for _ in range(int(rng.integers(0, 6)))], np.int32)
        for size in (2, 3)
    ]
    costs = rng.integers(1, 6, width).astype(float)
    sets = [set(row) for one in family for row in one.tolist()]
    best = min(
        sum(costs[list(chosen)])
        for size in range(width + 1)
        for chosen in combinations(range(width), size)
        if all(one & set(chosen) for one in sets)
    )
    exact = optimal_hitting_set(family, costs)
    assert all(one & set(exact) for one in sets)
    assert sum(costs[exact]) == best
    greedy = [step.item for step in greedy_hitting_set(family, costs, np.ones(width, np.int64))]
    assert all(one & set(greedy) for one in sets)
    assert sum(costs[greedy]) >= best
    assert sum(step.hit for step in greedy_hitting_set(family, costs, np.ones(width, np.int64))) == len(sets)


@pytest.mark.parametrize("seed", range(60))
def test_the_greedy_choice_of_the_naive_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    width = int(rng.integers(3, 9))
    family = [
        np.array([np.sort(rng.choice(width, size, replace=False)) for _ in range(int(rng.integers(0, 8)))], np.int32)
        for size in (2, 3)
    ]
    costs, supports = rng.integers(0, 4, width).astype(float), rng.integers(1, 4, width)
    left = [set(row) for one in family for row in one.tolist()]
    wanted = []
    while left:
        counts = {item: sum(item in one for one in left) for item in sorted(set().union(*left))}
        score = {item: count / costs[item] if costs[item] else np.inf for item, count in counts.items()}
        best = min(counts, key=lambda item: (-score[item], -counts[item], supports[item], item))
        wanted.append((best, counts[best]))
        left = [one for one in left if best not in one]
    assert [(step.item, step.hit) for step in greedy_hitting_set(family, costs, supports)] == wanted


@pytest.mark.parametrize("seed", range(60))
def test_the_greedy_trade_of_the_naive_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    width = int(rng.integers(3, 9))
    family, good = (
        [
            np.array(
                [np.sort(rng.choice(width, size, replace=False)) for _ in range(int(rng.integers(0, 8)))], np.int32
            )
            for size in (1, 2, 3)
        ]
        for _ in range(2)
    )
    supports = rng.integers(1, 4, width)
    left, kept = ([set(row) for one in sets for row in one.tolist()] for sets in (family, good))
    wanted = []
    while left:
        gain = {item: sum(item in one for one in left) for item in sorted(set().union(*left))}
        loss = {item: sum(item in one for one in kept) for item in gain}
        best = min(gain, key=lambda item: (-gain[item] / (loss[item] + 1), -gain[item], supports[item], item))
        wanted.append((best, gain[best], loss[best]))
        left, kept = ([one for one in sets if best not in one] for sets in (left, kept))
    assert [(step.item, step.hit, step.lost) for step in greedy_trade(family, good, supports)] == wanted
