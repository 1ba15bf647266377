"""Erasing against all subsets: what is kept is safe, maximal, and as large as it is said to be."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.contracts.run import Run
from sfumato.text import Contexts, Problem
from sfumato.text.algorithms import EraseBestFirst, EraseGreedy, EraseLevelwise

TERMS = [f"t{at}" for at in range(7)]


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    count = draw(st.integers(2, 6))
    contexts = {f"e{at}": draw(st.sets(st.sampled_from(TERMS), max_size=5)) for at in range(count)}
    protected = draw(st.sets(st.sampled_from(sorted(contexts))))
    document = draw(st.lists(st.sampled_from(TERMS), unique=True))
    return Problem(Contexts.of(contexts, protected), document, draw(st.integers(1, count - 1)))


def safe(problem: Problem, terms: set[str]) -> bool:
    """The definition, read aloud."""
    contexts = {
        name: {term for at, term in enumerate(problem.contexts.terms) if held >> at & 1}
        for name, held in zip(problem.contexts.entities, problem.contexts.held, strict=True)
    }
    return all(
        sum(contexts[name] & terms <= contexts[other] for other in contexts if other != name) >= problem.k
        for name in problem.contexts.protected
    )


def telling(problem: Problem) -> list[str]:
    return list(problem.named(problem.document))


@given(problems())
def test_all_three_against_every_subset(problem: Problem) -> None:
    terms = telling(problem)
    every = [set(some) for size in range(len(terms) + 1) for some in combinations(terms, size)]
    good = [some for some in every if safe(problem, some)]
    largest = max(map(len, good))
    level = EraseLevelwise().solve(problem, Run())
    assert dict(level.per_level) == {size: sum(len(some) == size for some in good) for size in range(len(terms) + 1)}
    maximal = [some for some in good if not any(some < other for other in good)]
    assert sorted(map(sorted, level.maximal)) == sorted(map(sorted, maximal))
    for search in (EraseBestFirst(), EraseBestFirst(order="constrained")):
        best = search.solve(problem, Run())
        assert best.optimal
        assert len(best.kept) == len(level.kept) == largest
        assert safe(problem, set(best.kept))
    assert safe(problem, set(level.kept))
    greedy = set(EraseGreedy().solve(problem, Run()).kept)
    assert greedy in maximal


@given(problems())
def test_a_part_of_a_safe_set_is_safe(problem: Problem) -> None:
    kept = EraseGreedy().solve(problem, Run()).kept
    assert all(problem.is_safe(problem.contexts.mask(kept) & ~bit) for bit in problem.order)


def test_greedy_is_rarely_more_than_one_term_below_the_largest() -> None:
    rng = np.random.default_rng(0)
    short = total = 0
    for _ in range(400):
        names = [f"t{at}" for at in range(int(rng.integers(4, 13)))]
        contexts = {f"e{at}": [t for t in names if rng.random() < 0.45] for at in range(int(rng.integers(5, 12)))}
        protected = [name for name in contexts if rng.random() < 0.5]
        problem = Problem(Contexts.of(contexts, protected), names, int(rng.integers(1, 4)))
        best = len(EraseBestFirst().solve(problem, Run()).kept)
        found = len(EraseGreedy().solve(problem, Run()).kept)
        total += 1
        short += best - found > 1
    assert short <= 0.05 * total


def test_a_search_that_is_cut_short_still_ends_safe_and_maximal() -> None:
    contexts = Contexts.of({f"e{at}": [f"t{(at * 3 + by) % 11}" for by in range(5)] for at in range(9)})
    problem = Problem(contexts, [f"t{at}" for at in range(11)], 1)
    found = EraseBestFirst(states=3).solve(problem, Run())
    assert not found.optimal
    assert problem.is_safe(contexts.mask(found.kept))
