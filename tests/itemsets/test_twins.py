"""Items that share their records stand for each other: what is judged, listed and exposed is what it is without that."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np
import pytest

from sfumato.itemsets import Database, Rule, exposures, twins
from sfumato.itemsets.judging import judged_sets
from sfumato.itemsets.twins import Twins, broken_sets
from sfumato.recounts import minimal_sets
from sfumato.transactions import Baskets
from sfumato.transactions.models import KMAnonymity


@pytest.fixture
def no_twins(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Find no twins while the patch stands."""
    with monkeypatch.context() as patch:
        patch.setattr(twins, "_first_twins", lambda rows: np.arange(rows.width, dtype=np.int32))
        yield patch


def _drawn(rng: np.random.Generator) -> Database:
    """Return few records of items most of which have twins, and up to two secrets."""
    records, width, private = int(rng.integers(1, 7)), int(rng.integers(1, 12)), int(rng.integers(0, 3))
    patterns = rng.random((int(rng.integers(1, 5)), records)) < rng.uniform(0.3, 0.95)
    held = np.column_stack((patterns[rng.integers(0, len(patterns), width)].T, rng.random((records, private)) < 0.5))
    starts = np.concatenate(([0], np.cumsum(held.sum(axis=1))))
    return Database.of(
        starts, np.nonzero(held)[1].astype(np.int32), width + private, np.arange(width + private) >= width
    )


@pytest.mark.parametrize("seed", range(120))
def test_what_is_judged_is_the_same_with_and_without_twins(seed: int, no_twins: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    database = _drawn(rng)
    rule = Rule(int(rng.integers(1, 5)), (int(rng.integers(1, 4)), 4) if seed % 2 else None)
    most, worst = int(rng.integers(3, 6)), int(rng.integers(0, 12))
    plain = judged_sets(database, rule, most, worst), [sets.tolist() for sets in broken_sets(database, rule, most)]
    alone = exposures(database, most)
    no_twins.undo()
    found = judged_sets(database, rule, most, worst)
    assert (found.smallest, found.looked, found.broken) == (plain[0].smallest, plain[0].looked, plain[0].broken)
    assert found.worst == plain[0].worst
    assert (found.touched == plain[0].touched).all()
    listed = [sets.tolist() for sets in broken_sets(database, rule, most)]
    assert [one for one in listed if one] == [one for one in plain[1] if one]
    for ours, theirs in zip(exposures(database, most), alone, strict=True):
        assert np.allclose(ours, theirs)


@pytest.mark.parametrize("seed", range(20))
def test_twins_are_the_items_with_equal_records(seed: int) -> None:
    database = _drawn(np.random.default_rng(seed))
    rows = database.items
    holders = [frozenset(rows.owners[rows.codes == code].tolist()) for code in range(rows.width)]
    made = Twins.of(database, 3)
    groups = [made.codes[first:last].tolist() for first, last in zip(made.starts[:-1], made.starts[1:], strict=True)]
    wanted: dict[frozenset[int], list[int]] = {}
    for code, held in enumerate(holders):
        wanted.setdefault(held, []).append(code)
    assert groups == list(wanted.values())


def test_equal_baskets_of_many_items_are_judged_at_once() -> None:
    baskets = Baskets.of([{f"i{number:02}" for number in range(60)} for _ in range(5)])
    looked = sum(comb(60, size) for size in range(1, 7))
    good = KMAnonymity(k=5, m=6).judge(baskets)
    assert (good.satisfied, good.strongest, good.groups) == (True, 5, looked)
    bad = KMAnonymity(k=6, m=6).judge(baskets)
    assert (bad.violating_groups, bad.violations[1].group) == (60, ("i01",))
    groups = {tuple(sorted(one)): {(): 1} for one in [frozenset(baskets.items)]}
    assert minimal_sets({next(iter(groups)): {(): 5}}, 6, 5, KMAnonymity(k=5, m=6).confidence()).satisfied


def test_more_sets_than_a_long_number_holds_are_counted() -> None:
    first, last = [f"a{number}" for number in range(3000)], [f"b{number}" for number in range(3000)]
    verdict = KMAnonymity(k=2, m=8).judge(Baskets.of([first, first + last, last, last]))
    assert verdict.violating_groups == 3000 * 3000
    good = sum(2 * comb(3000, size) for size in range(1, 9))
    assert verdict.groups == good + 3000 * 3000
    assert [one.group for one in verdict.violations[:2]] == [("a0", "b0"), ("a0", "b1")]


def test_pairs_of_patterns_are_listed_in_full() -> None:
    records = [{0, 1, 2, 3}, {0, 1}, {2, 3}]
    starts, codes = np.array([0, 4, 6, 8]), np.array([0, 1, 2, 3, 0, 1, 2, 3], np.int32)
    found = [sets.tolist() for sets in broken_sets(Database.of(starts, codes, 4), Rule(2), 3)]
    wanted = [list(pair) for pair in combinations(range(4), 2) if sum(set(pair) <= one for one in records) < 2]
    assert found[:2] == [[], wanted]
