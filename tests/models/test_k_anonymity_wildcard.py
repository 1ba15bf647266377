"""k-anonymity with wildcards against comparing every pair of records: empty cells on either side, weights, what it says."""

from __future__ import annotations

from collections.abc import Hashable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_local_suppression import frequencies
from sfumato.contracts.publication import Publication
from sfumato.models import KAnonymity, KAnonymityWildcard

COLUMNS = ("a", "b", "c")
Rows = list[tuple[Hashable, ...]]
cells = st.sampled_from(["x", "y", "z", "*", "?", None])
drawn = st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=15)


@settings(max_examples=150, deadline=None)
@given(rows=drawn, k=st.integers(1, 6))
def test_counts_what_comparing_every_pair_counts(rows: Rows, k: int) -> None:
    plain = [tuple(None if cell in ("*", "?", None) else str(cell) for cell in row) for row in rows]
    found = frequencies(plain)
    table = sfumato.from_rows(list(COLUMNS), rows)
    verdict = KAnonymityWildcard(k=k).judge(Publication(table=table, qids=COLUMNS))
    assert verdict.strongest == min(found)
    assert verdict.satisfied == (min(found) >= k)
    assert verdict.violating_records == sum(count < k for count in found)


@settings(max_examples=50, deadline=None)
@given(rows=drawn, k=st.integers(1, 4), at=st.integers(0, 14), column=st.integers(0, 2))
def test_emptying_a_cell_never_breaks_it(rows: Rows, k: int, at: int, column: int) -> None:
    before = KAnonymityWildcard(k=k).judge(Publication(table=sfumato.from_rows(list(COLUMNS), rows), qids=COLUMNS))
    more = [
        tuple("*" if (number, place) == (at % len(rows), column) else cell for place, cell in enumerate(row))
        for number, row in enumerate(rows)
    ]
    after = KAnonymityWildcard(k=k).judge(Publication(table=sfumato.from_rows(list(COLUMNS), more), qids=COLUMNS))
    assert after.strongest is not None
    assert before.strongest is not None
    assert after.strongest >= before.strongest


def test_is_k_anonymity_where_nothing_is_empty() -> None:
    rows = [("x", 1), ("x", 1), ("y", 2)]
    publication = Publication(table=sfumato.from_rows(["a", "b"], rows), qids=("a", "b"))
    for k in (1, 2):
        strict, loose = KAnonymity(k=k).judge(publication), KAnonymityWildcard(k=k).judge(publication)
        assert (strict.satisfied, strict.strongest) == (loose.satisfied, loose.strongest)
    assert loose.violations[0].witness == {"record_link_probability": 1}


def test_the_verb_sums_weights_of_those_who_match() -> None:
    table = sfumato.from_rows(["a", "w"], [("x", 2), ("*", 3), ("y", 4)])
    (verdict,) = sfumato.check(table, {"id": "k-anonymity-wildcard", "k": 5}, qid=["a"], weights="w")
    assert verdict.strongest == pytest.approx(5)
    assert verdict
