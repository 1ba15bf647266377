"""Plain ways to publish again: the increment as if alone, everything and never finer than before."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import naive_bcf
from oracles.naive_bcf import Plain
from sequels.algorithms.growing_series import cuts_of, growing, task, with_next
from sfumato.contracts.run import Run
from sfumato.errors import Infeasible, Unsupported
from sfumato.models import KAnonymity, PopulationUniqueness
from sfumato.sequels.algorithms import IncrementalBaselines
from sfumato.sequels.models import BCFAnonymity


@settings(max_examples=50)
@given(growing(), st.integers(1, 3), st.booleans())
def test_the_increment_alone(plain: Plain, k: int, bcf: bool) -> None:
    asked = task(plain, BCFAnonymity(k=k) if bcf else KAnonymity(k=k))
    new = Plain((plain.batches[-1],), ())
    try:
        outcome = IncrementalBaselines(way="independent").run(asked, Run())
    except Infeasible:
        assert len(plain.batches[-1]) < k
        return
    wanted = naive_bcf.anonymized(new, k)
    assert wanted is not None
    found = with_next(new, outcome).release(0)
    assert sorted(found) == sorted(Plain(new.batches, (wanted,)).release(0))
    held = naive_bcf.classes(found).values()
    assert (outcome.facts["records"], outcome.facts["dm"]) == (len(found), sum(one.total() ** 2 for one in held))


@settings(max_examples=50)
@given(growing(), st.integers(1, 3))
def test_never_finer_than_before(plain: Plain, k: int) -> None:
    try:
        outcome = IncrementalBaselines(way="monotone").run(task(plain, KAnonymity(k=k)), Run())
    except Infeasible:
        return
    found = with_next(plain, outcome)
    for before, after in zip(plain.release(0), found.release(1), strict=False):
        assert all(after[at] in naive_bcf.path(at, before[at]) for at in (0, 1))
    assert min(held.total() for held in naive_bcf.classes(found.release(1)).values()) >= k


def test_bad_requests() -> None:
    plain = Plain(((("a1", "b1", "x"), ("a2", "b2", "y")), (("a1", "b1", "x"),)), ((("A",), ("B",)),))
    with pytest.raises(Unsupported, match="cannot promise population-uniqueness"):
        IncrementalBaselines(way="monotone").run(
            task(plain, PopulationUniqueness(threshold=0.5, population=100)), Run()
        )
    outcome = IncrementalBaselines(way="monotone", deadline=1e-9).run(task(plain, KAnonymity(k=1)), Run())
    assert (outcome.stopped, cuts_of(outcome)) == (None, [("A",), ("B",)])
