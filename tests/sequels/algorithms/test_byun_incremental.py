"""Waiting records: the release of the plain algorithm, nobody lost, no comparison that leaves fewer than l values."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import naive_bcf
from oracles.naive_bcf import Plain
from sequels.algorithms.growing_series import growing, task, with_next
from sequels.opened import opened
from sfumato.contracts.run import Run
from sfumato.engines import from_rows
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.sequels.algorithms import ByunIncremental
from sfumato.sequels.attack import SeriesKnowledge
from sfumato.sequels.attacks import IncrementalAttack
from sfumato.sequels.models import BCFAnonymity
from sfumato.sequels.task import SeriesTask


@settings(max_examples=100)
@given(growing(releases=2, largest=10), st.integers(1, 3))
def test_the_release_of_the_plain_algorithm(plain: Plain, l: int) -> None:
    new = plain.batches[-1]
    enters = len({row[2] for row in new}) >= l
    entered = plain if enters else Plain((*plain.batches[:-1], ()), plain.cuts)
    wanted = naive_bcf.delayed(entered, l)
    model = DistinctLDiversity(l=l, sensitive="S")
    if wanted is None:
        with pytest.raises(Infeasible, match="fully masked"):
            ByunIncremental().run(task(plain, model), Run())
        return
    outcome = ByunIncremental().run(task(plain, model), Run())
    facts = outcome.facts
    assert facts["entered"].to_rows() + facts["queue"].to_rows() == list(new)
    assert (facts["inserted"], facts["delayed"]) == ((len(new), 0) if enters else (0, len(new)))
    assert list(facts["difference"]) == sorted({row[2] for row in new})
    found = with_next(entered, outcome)
    shown = Plain(entered.batches, (*plain.cuts, wanted))
    assert sorted(found.release(2)) == sorted(shown.release(2))
    assert naive_bcf.diverse(entered, found.cuts[-1], l)
    attacked = IncrementalAttack(l=l).on(opened(found), SeriesKnowledge(), Run())
    assert attacked.details["by_intersection"] >= l
    left = attacked.details["by_difference"]
    assert left is None or left >= 1  # a class may hold few of the values that newcomers near it have


def test_the_first_release_needs_l_values() -> None:
    rows = [("a", "x"), ("b", "x")]
    model = DistinctLDiversity(l=2, sensitive="S")
    asked = SeriesTask(from_rows(["Q", "S"], rows), None, [model], qid=("Q",), sensitive="S")
    with pytest.raises(Infeasible, match="needs 2 sensitive values"):
        ByunIncremental().run(asked, Run())
    rows += [("a", "y"), ("b", "y")]
    asked = SeriesTask(from_rows(["Q", "S"], rows), None, [model], qid=("Q",), sensitive="S")
    assert ByunIncremental().run(asked, Run()).recodings["Q"].published() == ("a", "b")  # type: ignore[attr-defined]


def test_bad_requests() -> None:
    plain = Plain(((("a1", "b1", "x"), ("a2", "b2", "y")), (("a1", "b1", "x"),)), ((("A",), ("B",)),))
    with pytest.raises(BadRequest, match="needs the requirement l-diversity-distinct"):
        ByunIncremental().run(task(plain, KAnonymity(k=2)), Run())
    with pytest.raises(Unsupported, match="cannot promise bcf-anonymity"):
        ByunIncremental().run(task(plain, DistinctLDiversity(l=2, sensitive="S"), BCFAnonymity(k=2)), Run())
