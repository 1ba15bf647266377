"""The next release of a growing table: that of the plain algorithm, safe beside all releases before, refused where none is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import naive_bcf
from oracles.naive_bcf import Plain
from sequels.algorithms.growing_series import ROW, cuts_of, growing, table, task, with_next
from sequels.opened import QID, opened
from sfumato.contracts.run import Run
from sfumato.engines import from_rows
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.models import DistinctLDiversity, KAnonymity, PopulationUniqueness
from sfumato.sequels import Series
from sfumato.sequels.algorithms import BCFAnonymizer
from sfumato.sequels.models import BCFAnonymity, bcf_levels
from sfumato.sequels.task import SeriesTask


@settings(max_examples=100)
@given(growing(), st.integers(1, 3), st.booleans())
def test_the_release_of_the_plain_algorithm(plain: Plain, k: int, actual: bool) -> None:
    asked = BCFAnonymity(k=k, targets="actual" if actual else "published")
    wanted = naive_bcf.anonymized(plain, k, actual)
    if wanted is None:
        with pytest.raises(Infeasible, match="fully masked"):
            BCFAnonymizer().run(task(plain, asked), Run())
        return
    outcome = BCFAnonymizer().run(task(plain, asked), Run())
    found = with_next(plain, outcome)
    shown = Plain(plain.batches, (*plain.cuts, wanted))
    last = len(plain.cuts)
    assert sorted(found.release(last)) == sorted(shown.release(last))
    verdict = asked.judge(opened(found))
    assert verdict.satisfied
    assert outcome.facts["levels"] == bcf_levels(opened(found), targets=asked.targets)
    assert outcome.facts["dm"] == sum(held.total() ** 2 for held in naive_bcf.classes(found.release(last)).values())


@pytest.mark.slow
@settings(max_examples=8)
@given(st.lists(st.lists(ROW, min_size=3, max_size=10), min_size=5, max_size=5), st.integers(1, 3))
def test_five_releases_in_a_row(batches: list[list[tuple[str, str, str]]], k: int) -> None:
    """Every release is made by the algorithm; after each step the whole series holds, exactly where that can be told."""
    pytest.importorskip("highspy")
    asked = BCFAnonymity(k=k)
    plain = Plain((tuple(batches[0]),), ())
    for number in range(5):
        asking = SeriesTask(
            table(plain.batches[-1]),
            opened(Plain(plain.batches[:-1], plain.cuts)) if number else None,
            [asked],
            [table(rows) for rows in plain.batches[:-1]],
            qid=tuple(QID),
            sensitive="S",
            trees={} if number else opened(Plain(plain.batches, ((("A",), ("B",)),))).trees,
        )
        try:
            outcome = BCFAnonymizer().run(asking, Run())
        except Infeasible:
            return
        plain = with_next(plain, outcome)
        verdict = asked.judge(opened(plain))
        assert verdict.satisfied
        assert verdict.strongest is not None
        if number >= 2:
            assert "everything that follows" in verdict.adversary
        if number < 4:
            plain = Plain((*plain.batches, tuple(batches[number + 1])), plain.cuts)


@settings(max_examples=50)
@given(growing(releases=2, largest=8), st.integers(1, 2))
def test_two_releases_before(plain: Plain, k: int) -> None:
    asked = BCFAnonymity(k=k, attacks="pairwise")
    try:
        outcome = BCFAnonymizer().run(task(plain, asked), Run())
    except Infeasible:
        return
    assert asked.judge(opened(with_next(plain, outcome))).satisfied
    wanted = naive_bcf.anonymized(plain, k)
    assert wanted is not None
    if not outcome.facts["taken_back"]:
        shown = Plain(plain.batches, (*plain.cuts, wanted))
        assert sorted(with_next(plain, outcome).release(2)) == sorted(shown.release(2))


@settings(max_examples=30)
@given(growing(), st.integers(1, 2))
def test_requirements_of_the_table_itself_hold_as_well(plain: Plain, k: int) -> None:
    models = BCFAnonymity(k=k), KAnonymity(k=3), DistinctLDiversity(l=2, sensitive="S")
    try:
        outcome = BCFAnonymizer().run(task(plain, *models), Run())
    except Infeasible:
        return
    held = naive_bcf.classes(with_next(plain, outcome).release(1)).values()
    assert min(one.total() for one in held) >= 3
    assert min(map(len, held)) >= 2


def test_the_first_release_is_k_anonymous() -> None:
    rows = [
        ("a1", "b1", "x"),
        ("a1", "b1", "y"),
        ("a2", "b2", "x"),
        ("a2", "b2", "x"),
        ("a3", "b1", "z"),
        ("a3", "b1", "z"),
    ]
    trees = opened(Plain((tuple(rows),), ((("A",), ("B",)),))).trees
    asking = SeriesTask(table(rows), None, [BCFAnonymity(k=2)], qid=tuple(QID), sensitive="S", trees=trees)
    outcome = BCFAnonymizer().run(asking, Run())
    assert cuts_of(outcome) == [("a1", "a2", "a3"), ("b1", "b2")]
    assert outcome.facts["smallest_group"] == {"QA|QB": 2}


def test_columns_without_a_hierarchy_are_shown_or_masked() -> None:
    series = Series.of([{"Q": ["*", "*"], "S": ["x", "y"]}], qid=["Q"], sensitive="S")
    old, new = (
        from_rows(["Q", "S"], rows) for rows in ([("a", "x"), ("a", "y")], [("a", "x"), ("b", "y"), ("b", "x")])
    )
    outcome = BCFAnonymizer().run(SeriesTask(new, series, [BCFAnonymity(k=1)], [old]), Run())
    assert outcome.recodings["Q"].published() == ("a", "b")  # type: ignore[attr-defined]
    outcome = BCFAnonymizer().run(SeriesTask(new, series, [BCFAnonymity(k=2)], [old]), Run())
    assert outcome.facts["levels"].strongest >= 2


def test_a_deadline_ends_with_a_release_that_holds() -> None:
    plain = Plain(((("a1", "b1", "x"), ("a2", "b2", "y")), (("a1", "b1", "x"),)), ((("A",), ("B",)),))
    outcome = BCFAnonymizer().run(task(plain, BCFAnonymity(k=1)), Run().within(0))
    assert outcome.stopped == "deadline"
    assert cuts_of(outcome) == [("A",), ("B",)]


def test_bad_requests() -> None:
    plain = Plain(((("a1", "b1", "x"), ("a2", "b2", "y")), (("a1", "b1", "y"),)), ((("A",), ("B",)),))
    good = task(plain, BCFAnonymity(k=1))
    with pytest.raises(BadRequest, match="needs the requirement bcf-anonymity"):
        BCFAnonymizer().run(task(plain, KAnonymity(k=2)), Run())
    with pytest.raises(Unsupported, match="cannot promise"):
        BCFAnonymizer().run(task(plain, BCFAnonymity(k=1), PopulationUniqueness(threshold=0.5, population=100)), Run())
    with pytest.raises(BadRequest, match="as many batches"):
        BCFAnonymizer().run(SeriesTask(good.batch, good.earlier, good.models), Run())
    other = table([("a1", "b1", "x"), ("a2", "b2", "x")])
    with pytest.raises(BadRequest, match="are not those of release 1: 2 differ"):
        BCFAnonymizer().run(SeriesTask(good.batch, good.earlier, good.models, [other]), Run())
    with pytest.raises(BadRequest, match="differs from that of the series"):
        SeriesTask(good.batch, good.earlier, good.models, qid=("QA",))
    strange = table([("a9", "b1", "x")])
    with pytest.raises(BadRequest, match="no leaf in the hierarchy"):
        BCFAnonymizer().run(SeriesTask(strange, good.earlier, good.models, good.history), Run())
    without = from_rows(["QA", "S"], [("a1", "x")])
    with pytest.raises(BadRequest, match="batch 2 lacks a column"):
        BCFAnonymizer().run(SeriesTask(without, good.earlier, good.models, good.history), Run())
