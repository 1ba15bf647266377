"""What attacks leave of a class, judged by requirements on values: by definition, and in the next release."""

from __future__ import annotations

from collections import Counter
from math import isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import naive_bcf
from oracles.naive_bcf import Plain
from sequels.algorithms.growing_series import growing, task, with_next
from sequels.opened import opened
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Infeasible
from sfumato.publishing.recounting import judged
from sfumato.recounts import Counted
from sfumato.sequels.algorithms import BCFAnonymizer
from sfumato.sequels.models import BCFAnonymity, BCFBeyondAnonymity, residual_groups
from sfumato.sequels.recounts import bcf_beyond_anonymity as recount

BOUND = {"id": "confidence-bounding", "h": 0.7, "sensitive": "S", "value": "x"}
INNER = [
    BOUND,
    {"id": "l-diversity-distinct", "l": 2, "sensitive": "S"},
    {"id": "l-diversity-entropy", "l": 1.5, "sensitive": "S"},
    {"id": "l-diversity-recursive", "c": 2.0, "l": 2, "sensitive": "S"},
    {"id": "alpha-k-anonymity", "alpha": 0.7, "k": 2, "sensitive": "S"},
    {"id": "t-closeness", "t": 0.4, "ground_distance": "equal", "sensitive": "S"},
]


def residuals(plain: Plain) -> list[Counter[str]]:
    """Return what two releases leave of each pair of classes, and of each class to newcomers, by the closed forms."""
    before, after = plain.releases()
    one, two = naive_bcf.classes(before), naive_bcf.classes(after)
    out = [one[p] & two[q] for p in one for q in two if naive_bcf.comparable(p, q)]
    if len(after) == len(before):
        return out
    for q, held in two.items():
        near = [p for p in one if naive_bcf.comparable(p, q)]
        region = [r for r in two if any(naive_bcf.comparable(p, r) for p in near)]
        room = sum((two[r] for r in region), Counter()) - sum((one[p] for p in near), Counter())
        met = sum((one[p] for p in near), Counter())
        out.append(Counter({s: min(count, room[s]) if met[s] else count for s, count in held.items()}))
    return out


def bounded(left: list[Counter[str]], h: float) -> bool:
    return all(one["x"] <= h * one.total() for one in left if one.total())


@given(naive_bcf.series())
def test_residual_histograms(plain: Plain) -> None:
    found = [one.histograms["S"].row(at) for one in residual_groups(opened(plain)) for at in range(len(one))]
    wanted = [{value: count for value, count in one.items() if count} for one in residuals(plain)]
    assert sorted(map(sorted, (one.items() for one in found))) == sorted(sorted(one.items()) for one in wanted if one)


@given(naive_bcf.series(largest=10), st.integers(1, 3))
def test_verdicts(plain: Plain, k: int) -> None:
    model = BCFBeyondAnonymity(k=k, requirement=BOUND)
    verdict = model.judge(opened(plain))
    counted = BCFAnonymity(k=k).judge(opened(plain)).satisfied
    assert verdict.satisfied == (counted and bounded(residuals(plain), 0.7))
    assert bool(verdict.violations) == (not verdict.satisfied)


def plainly(model: BCFBeyondAnonymity) -> recount.Inner:
    """Return the plain judgement of the requirement inside."""
    inner = model.inner("S")
    return lambda groups, whole: judged(inner, Counted(groups, {"S": whole}), ("classes",))  # type: ignore[arg-type,return-value]


@settings(max_examples=60)
@given(st.integers(2, 3).flatmap(lambda count: naive_bcf.series(releases=count, largest=5)), st.sampled_from(INNER))
def test_the_recount(plain: Plain, requirement: dict[str, object]) -> None:
    model = BCFBeyondAnonymity(k=1, requirement=requirement, attacks="pairwise")
    releases = [{key: dict(held) for key, held in naive_bcf.classes(rows).items()} for rows in plain.releases()]
    verdict = model.judge(opened(plain))
    again = recount.level(releases, parents=naive_bcf.PARENTS, k=1, inner=plainly(model))
    assert again.satisfied == verdict.satisfied
    assert (again.measured is None) == (verdict.strongest is None)
    assert again.measured is None or isclose(again.measured, verdict.strongest)  # type: ignore[arg-type]


@settings(max_examples=40)
@given(growing(), st.integers(1, 2))
def test_the_next_release_keeps_it(plain: Plain, k: int) -> None:
    model = BCFBeyondAnonymity(k=k, requirement=BOUND)
    masked = Plain(plain.batches, (*plain.cuts, (("A",), ("B",))))
    try:
        outcome = BCFAnonymizer().run(task(plain, model), Run())
    except Infeasible:
        assert not model.judge(opened(masked)).satisfied
        return
    found = with_next(plain, outcome)
    assert model.judge(opened(found)).satisfied
    assert bounded(residuals(found), 0.7)
    wanted = naive_bcf.refined(
        plain,
        lambda cuts: (
            naive_bcf.withstands(plain, cuts, k, False)
            and bounded(residuals(Plain(plain.batches, (*plain.cuts, cuts))), 0.7)
        ),
    )
    assert wanted is not None
    assert sorted(found.release(1)) == sorted(Plain(plain.batches, (*plain.cuts, wanted)).release(1))


def test_requirements_that_groups_do_not_decide_are_refused() -> None:
    plain = Plain(((("a1", "b1", "x"),), ()), ((("A",), ("B",)), (("A",), ("B",))))
    other = BCFBeyondAnonymity(k=1, requirement={"id": "l-diversity-distinct", "l": 2, "sensitive": "T"})
    with pytest.raises(BadRequest, match="groups with S alone decide"):
        other.judge(opened(plain))
    for wrong in (
        {"id": "differential-privacy", "epsilon": 1},
        {"id": "l-diversity-distinct"},
        {"l": 2},
        "k-anonymity",
    ):
        with pytest.raises(BadRequest, match=r"bcf-beyond-anonymity\.requirement"):
            BCFBeyondAnonymity(k=1, requirement=wrong)  # type: ignore[arg-type]
