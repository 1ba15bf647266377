"""k-anonymity: counting, covering, refusing; the worked values are in the golden tests."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.groups.stats import GroupStats
from sfumato.models import KAnonymity
from sfumato.models.k_anonymity import reduce_by_cover

CELLS = st.sampled_from("xyz")
NAMES = ("a", "b", "c")
QIDS = st.sets(st.sampled_from(NAMES), min_size=1).map(lambda names: tuple(sorted(names)))


@given(rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=20), qid=QIDS, k=st.integers(1, 6))
def test_counts_like_anybody_would(rows: list[tuple[str, ...]], qid: tuple[str, ...], k: int) -> None:
    sizes = Counter(tuple(row[NAMES.index(name)] for name in qid) for row in rows)
    (verdict,) = sfumato.check(sfumato.from_rows(NAMES, rows), KAnonymity(k=k, qid=qid), worst=100)
    small = {key: size for key, size in sizes.items() if size < k}
    assert verdict.satisfied == (not small)
    assert verdict.strongest == min(sizes.values())
    assert (verdict.groups, verdict.records) == (len(sizes), len(rows))
    assert (verdict.violating_groups, verdict.violating_records) == (len(small), sum(small.values()))
    assert {violation.group: violation.size for violation in verdict.violations} == small
    assert all(v.witness == {"record_link_probability": 1 / v.size} for v in verdict.violations)
    assert [v.size for v in verdict.violations] == sorted(small.values())


@given(rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=20), small=QIDS, large=QIDS)
def test_fewer_columns_make_larger_groups(
    rows: list[tuple[str, ...]], small: tuple[str, ...], large: tuple[str, ...]
) -> None:
    table = sfumato.from_rows(NAMES, rows)
    union = tuple(sorted({*small, *large}))
    wide, narrow = (KAnonymity(k=1).check(table.groups(qid)).strongest for qid in (union, small))
    assert wide is not None
    assert narrow is not None
    assert wide <= narrow


REQUIREMENTS = st.lists(st.builds(KAnonymity, k=st.integers(1, 4), qid=QIDS), min_size=1, max_size=6)


@given(rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=20), requirements=REQUIREMENTS)
def test_covered_requirements_change_nothing(rows: list[tuple[str, ...]], requirements: list[KAnonymity]) -> None:
    table = sfumato.from_rows(NAMES, rows)
    kept, removed = reduce_by_cover(requirements)
    assert sorted([*map(repr, kept), *map(repr, removed)]) == sorted(map(repr, requirements))
    assert bool(sfumato.check(table, kept)) == bool(sfumato.check(table, requirements))
    for model in kept:
        others = [other for other in kept if other is not model]
        assert not any(set(model.qid or ()) <= set(o.qid or ()) and model.k <= o.k for o in others)


def test_a_subset_with_a_larger_k_stays() -> None:
    wide, narrow = KAnonymity(k=2, qid=("a", "b")), KAnonymity(k=3, qid=("a",))
    assert reduce_by_cover([wide, narrow]) == ([wide, narrow], [])


def test_of_equal_requirements_the_first_stays() -> None:
    first, second = KAnonymity(k=2, qid=("a", "b")), KAnonymity(k=2, qid=("b", "a"))
    kept, removed = reduce_by_cover([first, second])
    assert kept[0] is first
    assert removed[0] is second


def test_a_requirement_without_columns_speaks_of_all_of_them() -> None:
    everything, part = KAnonymity(k=3), KAnonymity(k=2, qid=("a",))
    assert reduce_by_cover([part, everything], NAMES) == ([everything], [part])


@pytest.mark.parametrize(
    ("given", "parameter", "rule"),
    [
        ({"k": 0}, "k-anonymity.k", ">= 1"),
        ({"k": -2}, "k-anonymity.k", ">= 1"),
        ({"k": 2.5}, "k-anonymity.k", "whole number"),
        ({"k": "2"}, "k-anonymity.k", "whole number"),
        ({"k": True}, "k-anonymity.k", "whole number"),
        ({"k": 2, "qid": ()}, "k-anonymity.qid", "at least one"),
        ({"k": 2, "qid": ("a", "a")}, "k-anonymity.qid", "twice"),
        ({"k": 2, "qid": "a"}, "k-anonymity.qid", "a list"),
        ({"k": 2, "qid": (1,)}, "k-anonymity.qid", "a text"),
    ],
)
def test_wrong_parameters_name_the_rule(given: dict[str, object], parameter: str, rule: str) -> None:
    with pytest.raises(sfumato.BadRequest, match=rule) as caught:
        KAnonymity(**given)
    assert caught.value.parameter == parameter


def test_a_table_smaller_than_k_is_hopeless() -> None:
    assert KAnonymity(k=4).necessary(3) == "k=4 is larger than the number of records, 3"
    assert KAnonymity(k=4).necessary(4) is None


def test_no_groups_satisfy_everything() -> None:
    verdict = KAnonymity(k=5).check(GroupStats.from_sizes([]))
    assert verdict.satisfied
    assert verdict.strongest is None


def test_worst_limits_what_is_listed_not_what_is_counted() -> None:
    verdict = KAnonymity(k=9).check(GroupStats.from_sizes([5, 1, 3, 2]), worst=2)
    assert [violation.size for violation in verdict.violations] == [1, 2]
    assert verdict.violating_groups == 4
    assert verdict.violating_records == 11
