"""Hashes of words are read by another log: every assignment for few words, swaps for many."""

from __future__ import annotations

from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.contracts.run import Run
from sfumato.engines import from_rows
from sfumato.errors import BadRequest
from sfumato.transactions import Baskets
from sfumato.transactions.attack import BasketKnowledge, BasketSeen
from sfumato.transactions.attacks.token_hash_attack import (
    TokenHashAttack,
    _gains,
    _statistics,
    assigned,
    inseparable,
    token_frequencies,
)

logs = st.lists(st.frozensets(st.sampled_from("abcd"), min_size=1, max_size=3), min_size=1, max_size=8)
Log = list[frozenset[str]]


def plain_cost(hashed: Log, reference: Log, mapping: dict[str, str], weight: float) -> float:
    """Return the cost of an assignment, token -> hash, from the logs alone."""
    total = 0.0
    for token, name in mapping.items():
        total += abs(
            sum(token in one for one in reference) / len(reference) - sum(name in one for one in hashed) / len(hashed)
        )
    for first, second in combinations(mapping, 2):
        there = sum({mapping[first], mapping[second]} <= one for one in hashed) / len(hashed)
        total += weight * abs(sum({first, second} <= one for one in reference) / len(reference) - there)
    return total


@given(reference=logs, hashed=logs, weight=st.sampled_from([0.0, 1.0, 2.5]))
def test_the_cheapest_of_all_assignments(reference: Log, hashed: Log, weight: float) -> None:
    hashed = [frozenset(name.upper() for name in one) for one in hashed]
    found = TokenHashAttack(weight=weight).invert(hashed, reference)
    names, words = "ABCD", "abcd"
    costs = sorted(
        plain_cost(hashed, reference, dict(zip(words, order, strict=True)), weight) for order in permutations(names)
    )
    assert found.exact
    assert found.cost == pytest.approx(costs[0])


@given(seed=st.integers(0, 200), weight=st.sampled_from([0.5, 1.0]))
def test_what_a_swap_changes(seed: int, weight: float) -> None:
    rng = np.random.default_rng(seed)
    size = 6
    halves = [rng.integers(0, 9, (size, size)) for _ in range(2)]
    known, there = (half + half.T for half in halves)
    weights = np.where(np.eye(size, dtype=bool), 1.0, weight / 2)

    def cost(order: list[int]) -> float:
        return float((weights * np.abs(known - there[np.ix_(order, order)])).sum())

    start = list(range(size))
    for token in range(size):
        gains = _gains(known, there, weights, token)
        for other in range(size):
            turned = start.copy()
            turned[token], turned[other] = turned[other], turned[token]
            assert gains[other] == pytest.approx(cost(turned) - cost(start))


@given(seed=st.integers(0, 300), size=st.integers(1, 5))
def test_the_cheapest_match_of_rows_and_columns(seed: int, size: int) -> None:
    costs = np.random.default_rng(seed).integers(0, 9, (size, size)).astype(float)
    found = assigned(costs)
    assert sorted(found.tolist()) == list(range(size))
    least = min(sum(costs[row, order[row]] for row in range(size)) for order in permutations(range(size)))
    assert costs[np.arange(size), found].sum() == least


def test_many_words_are_read_by_swaps() -> None:
    rng = np.random.default_rng(7)
    words = [f"w{at}" for at in range(25)]
    chances = 1 / np.arange(1, 26)
    plain = [
        frozenset(rng.choice(words, size=int(rng.integers(1, 4)), p=chances / chances.sum(), replace=False).tolist())
        for _ in range(3000)
    ]
    truth = {word: f"h{number}" for word, number in zip(words, rng.permutation(25).tolist(), strict=True)}
    hashed = [frozenset(truth[word] for word in one) for one in plain]
    found = TokenHashAttack().invert(hashed, plain, Run())
    assert not found.exact
    assert found.cost == 0
    assert found.correct(truth) == 1.0
    # Another half of the same interests reads the frequent words as well.
    half = TokenHashAttack().invert(hashed[1500:], plain[:1500])
    assert half.correct({word: truth[word] for word in words[:6]}) >= 0.8


def test_confidence_and_candidates() -> None:
    found = TokenHashAttack(tolerance=0.0).invert([["x"], ["y"]], [["a"], ["b"]])
    assert not found.unique
    assert found.confidence == {"x": 0.5, "y": 0.5}
    assert found.candidates == {"x": ("a", "b"), "y": ("a", "b")}
    assert inseparable([["a"], ["b"], ["c", "a"]]) == [["b", "c"]]
    assert token_frequencies([]) == {}
    assert _statistics([["a", "a"]], ["a"], 1).tolist() == [[1]]


def test_as_an_attack_on_baskets() -> None:
    plain = [{"tom", "hanks"}, {"tom", "cruise"}, {"tom", "hanks"}, {"ship", "cruise"}, {"ship"}]
    hashed = [{"h4", "h1"}, {"h4", "h5"}, {"h4", "h1"}, {"h6", "h5"}, {"h6"}]
    table = from_rows(["basket"], [(0,)])
    seen, other = (BasketSeen(table, baskets=Baskets.of(one)) for one in (hashed, plain))
    risk = TokenHashAttack().run(seen, BasketKnowledge(other=other), Run())
    assert risk.highest == 1.0
    assert risk.details["certain"] == 4
    assert "4 hashes of 4" in risk.reading
    with pytest.raises(BadRequest, match="plain queries"):
        TokenHashAttack().run(seen, BasketKnowledge(), Run())
    with pytest.raises(BadRequest, match="both logs"):
        TokenHashAttack().invert([], [["a"]])
    with pytest.raises(BadRequest, match="empty"):
        TokenHashAttack().invert([["x"]], [["a"]]).correct({})


def test_a_reference_log_is_told_by_its_file(tmp_path: Path) -> None:
    queries = [{"flu", "doctor"}, {"flu"}, {"flu", "cure"}, {"doctor"}, {"flu", "doctor"}]
    name = {"flu": "h1", "doctor": "h2", "cure": "h3"}
    asked = {"shape": "transactions", "requirements": [{"id": "km-anonymity", "k": 1, "m": 1}]}
    release = sfumato.anonymize([{name[word] for word in one} for one in queries], asked)
    log = tmp_path / "log.txt"
    log.write_text("\n".join(" ".join(sorted(one)) for one in queries) + "\n", encoding="utf-8")
    found = sfumato.attack(release, "token-hash-attack", other=log)
    assert found.highest == 1.0
    assert sfumato.attack(release, "token-hash-attack", other=Baskets.of(queries)).highest == found.highest
    with pytest.raises(BadRequest, match="no such file"):
        sfumato.attack(release, "token-hash-attack", other=tmp_path / "nowhere.txt")
