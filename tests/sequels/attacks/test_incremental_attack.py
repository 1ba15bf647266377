"""Intersections and differences of two releases: for one victim by sets, for everybody by counting."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given

from oracles import naive_bcf
from oracles.naive_bcf import LEAVES, Plain
from sequels.opened import opened
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest
from sfumato.sequels import Series
from sfumato.sequels.attack import SeriesKnowledge
from sfumato.sequels.attacks import IncrementalAttack, candidates_of


def matching(rows: list[naive_bcf.Row], leaves: tuple[str, ...]) -> Counter[str]:
    """Return the values of the rows that cover raw values."""
    return Counter(row[2] for row in rows if all(row[at] in naive_bcf.path(at, leaves[at]) for at in (0, 1)))


@given(naive_bcf.series())
def test_one_victim(plain: Plain) -> None:
    series = opened(plain)
    before, after = plain.releases()
    for leaves in product(*LEAVES):
        one, two = matching(before, leaves), matching(after, leaves)
        found = candidates_of(series, leaves, in_earlier=True)
        assert (found.earlier, found.later) == (tuple(sorted(one)), tuple(sorted(two)))
        assert found.candidates == tuple(sorted(set(one) & set(two)))
        assert found.fits == bool(found.candidates)
        new = candidates_of(series, leaves, in_earlier=False)
        outer = [row[:2] for row in after if matching([row], leaves)]
        inside = Counter(
            row[2] for row in before if outer and all(outer[0][at] in naive_bcf.path(at, row[at]) for at in (0, 1))
        )
        assert new.candidates == tuple(sorted(two - inside))
        assert new.earlier is None


@given(naive_bcf.series())
def test_real_people_have_their_value_among_the_candidates(plain: Plain) -> None:
    series = opened(plain)
    for number, batch in enumerate(plain.batches):
        for *leaves, value in batch:
            found = candidates_of(series, leaves, in_earlier=number == 0)
            assert value in found.candidates
            assert found.fits


@given(naive_bcf.series())
def test_everybody(plain: Plain) -> None:
    found = IncrementalAttack(l=2).on(opened(plain), SeriesKnowledge(), Run())
    one, two = (naive_bcf.classes(rows) for rows in plain.releases())
    left = {}
    for q, held in two.items():
        near = [p for p in one if naive_bcf.comparable(p, q)]
        both = [len(one[p].keys() & held.keys()) for p in near]
        region = [r for r in two if any(naive_bcf.comparable(p, r) for p in near)] or [q]
        more = sum((two[r] for r in region), Counter()) - sum((one[p] for p in near), Counter())
        new = len(more.keys() & held.keys())
        left[q] = min([count for count in (*both, new) if count] + [len(held)])
    assert found.highest == 1 / min(left.values())
    assert found.details["below"] == sum(two[q].total() for q, count in left.items() if count < 2)
    assert found.details["odd"] == 0
    assert found.victims == sum(map(len, plain.batches))


def test_where_somebody_left_nothing_is_taken_away() -> None:
    before = {"Q": ["a", "a"], "S": ["x", "y"]}
    after = {"Q": ["a", "a"], "S": ["x", "z"]}
    series = Series.of([before, after], qid=["Q"], sensitive="S")
    found = IncrementalAttack().on(series, SeriesKnowledge(), Run())
    assert (found.details["odd"], found.details["by_difference"], found.details["by_intersection"]) == (1, None, 1)
    assert not candidates_of(series, ["a"], in_earlier=False).fits
    gone = candidates_of(series, ["a"], in_earlier=True, in_later=False)
    assert (gone.candidates, gone.fits) == (("y",), False)


def test_bad_requests() -> None:
    table = {"Q": ["a", "a"], "S": ["x", "y"]}
    series = Series.of([table, table], qid=["Q"], sensitive="S")
    with pytest.raises(BadRequest, match="one of the releases"):
        candidates_of(series, ["a"], in_earlier=False, in_later=False)
    with pytest.raises(BadRequest, match="needs a value for each of 1"):
        candidates_of(series, ["a", "b"], in_earlier=True)
    with pytest.raises(BadRequest, match="no leaf"):
        candidates_of(series, ["c"], in_earlier=True)
    with pytest.raises(BadRequest, match="at least two"):
        IncrementalAttack().on(Series.of([table], qid=["Q"], sensitive="S"), SeriesKnowledge(), Run())
