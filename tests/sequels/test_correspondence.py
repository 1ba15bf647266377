"""Crack sizes of two releases: those of the book, by definition and by trying every possible world."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import naive_bcf
from oracles.naive_bcf import Plain
from sequels.opened import opened
from sfumato.engines import from_rows
from sfumato.errors import BadRequest, Unsupported
from sfumato.sequels.correspondence import Correspondence
from sfumato.sequels.correspondence_kernels import least_shared, shared_by_pair
from sfumato.sequels.series import Series


@given(naive_bcf.series())
def test_levels_by_definition(plain: Plain) -> None:
    found = Correspondence.of(opened(plain))
    assert naive_bcf.levels(*plain.releases()) == (found.FA, found.CA, found.BA)
    assert found.FA == found.CA


@given(naive_bcf.series(largest=4))
def test_levels_of_all_possible_worlds(plain: Plain) -> None:
    found = Correspondence.of(opened(plain))
    before, newcomers = naive_bcf.most_alike(plain)
    assert min(before.values()) == found.FA
    if plain.batches[1]:
        assert min(newcomers.values()) == found.BA


@given(naive_bcf.series())
def test_bounds_and_order(plain: Plain) -> None:
    found = Correspondence.of(opened(plain))
    assert found.FA is not None
    assert found.earlier.sizes.min() >= found.FA
    assert found.BA is None or found.later.sizes.min() >= found.BA
    turned = Plain(tuple(batch[::-1] for batch in plain.batches), plain.cuts)
    again = Correspondence.of(opened(turned))
    assert (again.FA, again.CA, again.BA) == (found.FA, found.CA, found.BA)


@given(naive_bcf.series())
def test_a_release_beside_itself_is_as_anonymous_as_alone(plain: Plain) -> None:
    twice = Plain((plain.batches[0], ()), (plain.cuts[0], plain.cuts[0]))
    found = Correspondence.of(opened(twice))
    assert found.earlier.sizes.min() == found.FA
    assert found.BA is None


@given(naive_bcf.series())
def test_real_persons_are_at_most_as_exposed_as_possible_ones(plain: Plain) -> None:
    series = opened(plain)
    published, actual = Correspondence.of(series), Correspondence.of(series, targets="actual")
    one, two = (naive_bcf.classes(rows) for rows in plain.releases())
    pairs = set(zip(*_labels(plain), strict=False))  # persons of before come first in both
    assert min(sum(min(one[p][s], two[q][s]) for s in "xyz") for p, q in pairs) == actual.FA
    assert actual.FA is not None
    assert published.FA is not None
    assert max(published.FA, 1) <= actual.FA


def _labels(plain: Plain) -> list[list[tuple[str, str]]]:
    return [[(a, b) for a, b, _ in rows] for rows in plain.releases()]


@given(st.integers(0, 2**32), st.integers(1, 3), st.booleans())
def test_kernels(seed: int, most: int, positive: bool) -> None:
    rng = np.random.default_rng(seed)
    dense = [rng.integers(0, 4, (int(rng.integers(1, 6)), 3)) for _ in range(2)]
    component = [rng.integers(0, 3, len(one)) for one in dense]
    runs = []
    for one in dense:
        group, code = np.nonzero(one)
        runs += [np.searchsorted(group, np.arange(len(one) + 1)), code.copy(), one[group, code]]
    shared = np.minimum(np.minimum(dense[0][:, None], dense[1][None]), most).sum(axis=2)
    alike = component[0][:, None] == component[1][None]
    far = np.iinfo(np.int64).max
    least = [np.full(len(one), far) for one in dense]
    partner = [np.full(len(one), -1) for one in dense]
    order = [np.argsort(part, kind="stable") for part in component]
    begin = [np.searchsorted(part[turn], np.arange(4)) for part, turn in zip(component, order, strict=True)]
    least_shared(*order, *begin, *runs, 3, most, positive, *least, *partner)
    met = alike & ((shared > 0) | (not positive))
    wanted = np.where(met, shared, far)
    assert least[0].tolist() == wanted.min(axis=1).tolist()
    assert least[1].tolist() == wanted.min(axis=0).tolist()
    for a, b in enumerate(partner[0].tolist()):
        assert (b < 0) == (not met[a].any())
        assert b < 0 or (met[a, b] and shared[a, b] == least[0][a])
    one, two = np.argwhere(alike).T.copy()
    assert shared_by_pair(one, two, *runs, 3, most).tolist() == shared[one, two].tolist()


def test_a_release_that_lost_somebody_is_refused() -> None:
    series = Series.of(
        [{"Q": ["a", "b"], "S": ["x", "y"]}, {"Q": ["a", "b"], "S": ["x", "x"]}], qid=["Q"], sensitive="S"
    )
    with pytest.raises(BadRequest, match="1 of the 2 records of release 1 have no place in release 2"):
        Correspondence.of(series)


def test_a_release_that_is_no_cut_is_refused_by_column() -> None:
    table = {"Q": ["a", "*"], "S": ["x", "y"]}
    with pytest.raises(Unsupported, match="column 'Q' shows a value and another one above it"):
        Correspondence.of(Series.of([table, table], qid=["Q"], sensitive="S"))


def test_overlapping_intervals_are_refused() -> None:
    tables = [{"Q": ["[1-5)"], "S": ["x"]}, {"Q": ["[3-7)"], "S": ["x"]}]
    with pytest.raises(Unsupported, match="overlap"):
        Correspondence.of(Series.of(tables, qid=["Q"], sensitive="S"))


def test_nested_intervals_and_numbers_are_compared_by_what_they_contain() -> None:
    tables = [{"Q": ["[1-5)", "[5-9]"], "S": ["x", "y"]}, {"Q": ["3", "[5-6)", "[6-9]"], "S": ["x", "y", "y"]}]
    found = Correspondence.of(Series.of(tables, qid=["Q"], sensitive="S"))
    assert [(one.earlier[0], one.later[0]) for one in found.pairs()] == [
        ("[1-5)", "3"),
        ("[5-9]", "[5-6)"),
        ("[5-9]", "[6-9]"),
    ]


def test_nobody_before() -> None:
    later = from_rows(["Q", "S"], [("a", "x"), ("a", "y"), ("b", "x")])
    tables = [later.as_rows().take([]), later]
    found = Correspondence.of(Series.of(tables, qid=["Q"], sensitive="S"))
    assert (found.FA, found.CA, found.BA) == (None, None, 1)


def test_actual_targets_need_raw_records() -> None:
    table = {"Q": ["a"], "S": ["x"]}
    with pytest.raises(BadRequest, match="batches"):
        Correspondence.of(Series.of([table, table], qid=["Q"], sensitive="S"), targets="actual")


def test_missing_labels_are_refused() -> None:
    table = {"Q": ["a", None], "S": ["x", "y"]}
    with pytest.raises(BadRequest, match="missing values"):
        Correspondence.of(Series.of([table, table], qid=["Q"], sensitive="S"))


def test_raw_records_that_a_release_does_not_cover_are_refused() -> None:
    first, then = {"Q": ["a"], "S": ["x"]}, {"Q": ["a", "b"], "S": ["x", "y"]}
    trees = {"Q": {"*": ["a", "b", "c"]}}
    for batches in ([{"Q": ["c"], "S": ["x"]}, then], [first, {"Q": ["c"], "S": ["y"]}]):
        series = Series.of([first, then], qid=["Q"], sensitive="S", hierarchies=trees, batches=batches)
        with pytest.raises(BadRequest, match="in no class of a release that covers them"):
            Correspondence.of(series, targets="actual")
