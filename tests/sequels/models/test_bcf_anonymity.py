"""BCF-anonymity: levels of whole series, verdicts, what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from oracles import naive_bcf
from oracles.naive_bcf import Plain
from sequels.opened import opened
from sfumato.errors import BadRequest
from sfumato.sequels import Series
from sfumato.sequels.models import BCFAnonymity, bcf_levels
from sfumato.sequels.recounts import bcf_anonymity as recount


@given(naive_bcf.series())
def test_verdicts_of_two_releases(plain: Plain) -> None:
    series = opened(plain)
    fa, ca, ba = naive_bcf.levels(*plain.releases())
    found = bcf_levels(series)
    assert (found.FA, found.CA, found.BA, found.level) == (fa, ca, ba, "closed")
    smallest = min(held.total() for rows in plain.releases() for held in naive_bcf.classes(rows).values())
    strongest = min(one for one in (fa, ca, ba, smallest) if one is not None)
    assert found.strongest == strongest
    for k in (1, 2, 3):
        verdict = BCFAnonymity(k=k).judge(series)
        assert verdict.satisfied == (strongest >= k)
        assert verdict.strongest == strongest
        assert bool(verdict.violations) == (not verdict.satisfied)
        assert verdict.violating_groups <= verdict.groups
        assert verdict.violating_records <= verdict.records
        if verdict.violations:
            assert verdict.violations[0].measured == strongest
            assert [one.measured for one in verdict.violations] == sorted(one.measured for one in verdict.violations)


@settings(max_examples=40)
@given(naive_bcf.series(releases=3, largest=4))
def test_levels_of_three_releases(plain: Plain) -> None:
    series = opened(plain)
    cheap = bcf_levels(series, level="pairwise")
    assert cheap.level == "pairwise"
    pairs = [naive_bcf.levels(plain.release(i), plain.release(j)) for j in range(3) for i in range(j)]
    for at, name in enumerate(("FA", "CA", "BA")):
        assert getattr(cheap, name) == min((one[at] for one in pairs if one[at] is not None), default=None)
    pytest.importorskip("highspy")
    found = bcf_levels(series)
    assert found.level == "exact"
    wanted = [
        left for since, held in enumerate(naive_bcf.most_alike(plain)) for left in held.values() if plain.batches[since]
    ]
    assert found.anonymity == min(wanted)
    assert cheap.anonymity is not None
    assert found.anonymity <= cheap.anonymity


@given(naive_bcf.series())
def test_the_recount_of_two_releases(plain: Plain) -> None:
    releases = [{key: dict(held) for key, held in naive_bcf.classes(rows).items()} for rows in plain.releases()]
    verdict = BCFAnonymity(k=2).judge(opened(plain))
    again = recount.level(releases, parents=naive_bcf.PARENTS, k=2)
    assert (again.measured, again.satisfied) == (verdict.strongest, verdict.satisfied)


@settings(max_examples=40)
@given(naive_bcf.series(releases=3, largest=4))
def test_the_recount_of_three_releases(plain: Plain) -> None:
    releases = [{key: dict(held) for key, held in naive_bcf.classes(rows).items()} for rows in plain.releases()]
    verdict = BCFAnonymity(k=2, attacks="pairwise").judge(opened(plain))
    again = recount.level(releases, parents=naive_bcf.PARENTS, k=2)
    assert (again.measured, again.satisfied) == (verdict.strongest, verdict.satisfied)


def test_where_the_recount_knows_no_answer() -> None:
    assert recount.applies(2, "published", "auto")
    assert recount.applies(3, "published", "pairwise")
    assert not recount.applies(3, "published", "auto")
    assert not recount.applies(2, "actual", "auto")
    assert not recount.applies(3, "published", "exact")
    bare = [{("a",): {"x": 1}, ("b",): {"x": 1}}, {("*",): {"x": 2}}]
    assert recount.level(bare, parents=[{}], k=1).measured == 1
    with pytest.raises(BadRequest, match="not about everybody"):
        recount.level([{("a",): {"x": 1}}, {("a",): {"y": 1}}], parents=[{}], k=1)
    with pytest.raises(BadRequest, match="another one above it"):
        recount.level([{("a",): {"x": 1}, ("*",): {"x": 1}}], parents=[{}], k=1)


def test_the_verdict_says_which_attacks_were_tried() -> None:
    table = {"Q": ["a", "a"], "S": ["x", "y"]}
    two, three = (Series.of([table] * count, qid=["Q"], sensitive="S") for count in (2, 3))
    assert "closed forms" in BCFAnonymity(k=2).judge(two).adversary
    assert "best release beside it" in BCFAnonymity(k=2, attacks="pairwise").judge(three).adversary


def test_one_release_is_as_anonymous_as_its_smallest_class() -> None:
    verdict = BCFAnonymity(k=2).judge(
        Series.of([{"Q": ["a", "a", "b"], "S": ["x", "y", "x"]}], qid=["Q"], sensitive="S")
    )
    assert (verdict.satisfied, verdict.strongest) == (False, 1)


def test_bad_requests() -> None:
    with pytest.raises(BadRequest, match="k"):
        BCFAnonymity(k=0)
    with pytest.raises(BadRequest, match="targets"):
        BCFAnonymity(k=2, targets="everybody")  # type: ignore[arg-type]
    first, second = {"Q": ["a"], "S": ["x"]}, {"P": ["a"], "S": ["x"]}
    with pytest.raises(BadRequest, match="release 2 lacks a column"):
        BCFAnonymity(k=1).judge(Series.of([first, second], qid=["Q"], sensitive="S"))
