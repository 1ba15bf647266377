"""Coded rows of labels behave like the list of tuples that they stand for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.groups.label_rows import LabelRows
from sfumato.recodings import GroupSuppression

ROWS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[st.sampled_from(["b", "", "a", "ä", "10", "9"])] * width))
)


@given(ROWS)
def test_they_are_the_rows_they_were_made_of(rows: list[tuple[str, ...]]) -> None:
    coded = LabelRows.of(rows)
    assert list(coded) == rows == [coded[at] for at in range(len(coded))]
    assert coded == rows
    assert coded == LabelRows.of(rows)
    assert hash(coded) == hash(LabelRows.of(list(coded)))
    assert list(coded.sorted()) == sorted(rows)
    assert list(coded[1:]) == rows[1:]
    assert (coded == rows[1:]) is (not rows)


@given(ROWS, ROWS)
def test_a_count_of_what_is_left_out_is_what_goes(held: list[tuple[str, ...]], gone: list[tuple[str, ...]]) -> None:
    gone = [row for row in gone if held and len(row) == len(held[0])]
    if not held:
        return
    names = tuple("wxyz"[: len(held[0])])
    table, left_out = sfumato.from_rows(names, held), GroupSuppression(qid=names, groups=gone)
    going = [row for row in held if row in gone]
    assert left_out.records(table) == len(going) == table.rows - left_out.apply(table).rows
