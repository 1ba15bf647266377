"""What a whole series leaves of everybody: each release beside another one, and all of them together."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings

from oracles import naive_bcf
from oracles.naive_bcf import LEAVES, Plain
from sequels.opened import opened
from sfumato.contracts.run import Cancel, Run
from sfumato.errors import BadRequest, Cancelled, Unsupported
from sfumato.sequels.classes import SeriesClasses
from sfumato.sequels.correspondence import Correspondence
from sfumato.sequels.oracle import exact, fits
from sfumato.sequels.series import Series
from sfumato.sequels.targets import Attacked, pairwise, target_classes


def by_leaves(whole: SeriesClasses, attacked: Attacked) -> dict[tuple[str, ...], int]:
    """Return the anonymity of whoever has some raw values, for those that classes of every release cover."""
    keys = [attacked.key(whole, at) for at in range(len(attacked.classes))]
    left = dict(zip(keys, attacked.anonymity.tolist(), strict=True))
    out = {}
    for leaves in product(*LEAVES):
        for key in keys:
            if all(all(label in naive_bcf.path(at, leaves[at]) for at, label in enumerate(one)) for one in key):
                out[leaves] = left[key]
    return out


@settings(max_examples=60)
@given(naive_bcf.series(releases=3, largest=3))
def test_exactly_what_all_possible_worlds_leave(plain: Plain) -> None:
    pytest.importorskip("highspy")
    whole = SeriesClasses.of(opened(plain))
    assert fits(whole)
    found = exact(whole, Run())
    for since, wanted in enumerate(naive_bcf.most_alike(plain)):
        assert by_leaves(whole, found[since]) == (wanted if plain.batches[since] else {})


@given(naive_bcf.series())
def test_two_releases_have_the_closed_forms(plain: Plain) -> None:
    pytest.importorskip("highspy")
    whole = SeriesClasses.of(opened(plain))
    closed = Correspondence.of(whole)
    for level in (exact(whole, Run()), pairwise(whole)):
        assert level[0].anonymity.min() == closed.FA
        assert level[1].anonymity.min(initial=10**9) == (10**9 if closed.BA is None else closed.BA)


@settings(max_examples=60)
@given(naive_bcf.series(releases=3, largest=6))
def test_exact_is_at_most_pairwise_is_at_most_the_class(plain: Plain) -> None:
    pytest.importorskip("highspy")
    whole = SeriesClasses.of(opened(plain))
    for one, two in zip(exact(whole, Run()), pairwise(whole), strict=True):
        assert (one.anonymity <= two.anonymity).all()
        for at in range(one.classes.members.shape[1]):
            sizes = whole.releases[one.classes.since + at].sizes
            assert (two.anonymity <= sizes[two.classes.members[:, at]]).all()


@settings(max_examples=60)
@given(naive_bcf.series(releases=3, largest=6))
def test_actual_targets_are_some_of_the_published_ones(plain: Plain) -> None:
    pytest.importorskip("highspy")
    whole = SeriesClasses.of(opened(plain))
    for since, (one, two) in enumerate(zip(exact(whole, Run(), targets="actual"), exact(whole, Run()), strict=True)):
        mine, theirs = by_leaves(whole, one), by_leaves(whole, two)
        assert mine.items() <= theirs.items()
        assert {row[:2] for row in plain.batches[since]} <= mine.keys()
        assert (one.anonymity >= 1).all()


def test_all_releases_together_can_tell_more_than_any_two() -> None:
    """Found by trying random series of three releases."""
    pytest.importorskip("highspy")
    batches = ((("a3", "b2", "x"),), (("a3", "b1", "x"),), (("a3", "b1", "x"), ("a3", "b2", "x"), ("a2", "b2", "x")))
    cuts = ((("A",), ("b1", "b2")), (("A1", "A2"), ("B",)), (("A1", "A2"), ("b1", "b2")))
    whole = SeriesClasses.of(opened(Plain(batches, cuts)))
    together, apart = exact(whole, Run()), pairwise(whole)
    assert any((one.anonymity < two.anonymity).any() for one, two in zip(together, apart, strict=True))


def test_boxes_that_are_no_cuts_are_counted_too() -> None:
    pytest.importorskip("highspy")
    before = {"Age": ["[20-30)", "[20-30)", "[30-40]"], "S": ["x", "y", "x"]}
    after = {"Age": ["[20-35)", "[20-35)", "[20-35)", "[35-40]"], "S": ["x", "y", "z", "x"]}
    whole = SeriesClasses.of(Series.of([before, after], qid=["Age"], sensitive="S"))
    first, then = exact(whole, Run())
    assert {first.key(whole, at): left for at, left in enumerate(first.anonymity.tolist())} == {
        (("[20-30)",), ("[20-35)",)): 2,
        (("[30-40]",), ("[20-35)",)): 0,  # x of the young is taken by the one before
        (("[30-40]",), ("[35-40]",)): 1,
    }
    assert then.anonymity.tolist() == [1, 0]


def test_classes_of_one_release_must_not_overlap() -> None:
    table = {"Age": ["[20-30)", "[25-40]"], "S": ["x", "y"]}
    with pytest.raises(Unsupported, match="classes of release 1 overlap"):
        target_classes(SeriesClasses.of(Series.of([table, table], qid=["Age"], sensitive="S")))


def test_what_is_no_growing_table_is_refused() -> None:
    pytest.importorskip("highspy")
    tables = [{"Q": ["a", "b"], "S": ["x", "y"]}, {"Q": ["a", "b"], "S": ["x", "x"]}]
    with pytest.raises(BadRequest, match="no world fits"):
        exact(SeriesClasses.of(Series.of(tables, qid=["Q"], sensitive="S")), Run())
    with pytest.raises(BadRequest, match="fewer records"):
        exact(SeriesClasses.of(Series.of([tables[0], {"Q": ["a"], "S": ["x"]}], qid=["Q"], sensitive="S")), Run())


def test_a_run_that_is_cancelled_ends() -> None:
    pytest.importorskip("highspy")
    cancel = Cancel()
    cancel.set()
    table = {"Q": ["a", "b"], "S": ["x", "y"]}
    with pytest.raises(Cancelled):
        exact(SeriesClasses.of(Series.of([table, table], qid=["Q"], sensitive="S")), Run(cancel=cancel))
