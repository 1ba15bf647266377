"""The greedy eraser against a plain one that counts everything anew at each step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.contracts.run import Run
from sfumato.text import Contexts, Problem
from sfumato.text.algorithms import EraseGreedy
from sfumato.text.algorithms._erasing_kernels import covers_without


def naive(problem: Problem) -> tuple[str, ...]:
    """Score every deletion by its definition, delete the best, then put back what can stay."""
    contexts, kept = problem.contexts, problem.document

    def score(terms: int) -> int:
        return sum(min(contexts.cover(entity, terms).bit_count(), problem.k) for entity in problem.entities)

    def spread(bit: int) -> int:
        return sum(1 for entity in problem.entities if contexts.held[entity] & bit)

    while not problem.is_safe(kept):
        kept &= ~max((bit for bit in problem.order if bit & kept), key=lambda bit: (score(kept & ~bit), spread(bit)))
    return problem.named(problem.put_back(kept))


@given(st.integers(0, 2**32), st.integers(2, 90), st.integers(1, 9), st.integers(1, 4))
def test_what_the_naive_twin_keeps(seed: int, entities: int, terms: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    names = [f"t{at}" for at in range(terms)]
    contexts = {f"e{at}": [name for name in names if rng.random() < 0.5] for at in range(entities)}
    protected = [name for name in contexts if rng.random() < 0.6]
    problem = Problem(Contexts.of(contexts, protected), names, min(k, entities - 1))
    assert EraseGreedy().solve(problem, Run()).kept == naive(problem)


@pytest.mark.parametrize("seed", range(20))
def test_covers_without_each_term(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count, width = int(rng.integers(1, 200)), int(rng.integers(1, 8))
    member = rng.random((count, width)) < 0.6
    alive = rng.random(width) < 0.8
    words = (count + 63) // 64
    holders = np.zeros((width, words), np.uint64)
    everyone = np.zeros(words, np.uint64)
    for entity in range(count):
        everyone[entity >> 6] |= np.uint64(1) << np.uint64(entity & 63)
        for term in np.flatnonzero(member[entity]):
            holders[term, entity >> 6] |= np.uint64(1) << np.uint64(entity & 63)
    starts = np.concatenate(([0], np.cumsum(member.sum(axis=1)))).astype(np.int64)
    terms = np.nonzero(member)[1].astype(np.int32)
    asked = np.arange(count)
    covers, without = covers_without(asked, asked, starts, terms, alive, holders, everyone, count + 1)
    for entity in range(count):
        own = [term for term in np.flatnonzero(member[entity]) if alive[term]]

        def others(wanted: list[int], entity: int = entity) -> int:
            return int(member[:, wanted].all(axis=1).sum()) - 1 if wanted else count - 1

        assert covers[entity] == others(own)
        for place in range(starts[entity], starts[entity + 1]):
            left = [term for term in own if term != terms[place]]
            assert without[place] == (others(left) if alive[terms[place]] else 0)
            assert member[entity, terms[place]]
