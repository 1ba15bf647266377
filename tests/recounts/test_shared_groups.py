"""Groups of texts that hold the same share it; rows may come in any order, and counts may be written in several ways."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import BadRequest
from sfumato.recounts._level import counts_of
from sfumato.recounts._written import grouped, listed, refuse_unfit

Row = tuple[str, str, str]
ROWS = st.dictionaries(
    st.tuples(st.sampled_from("123"), st.sampled_from("abcdefghijkl"), st.sampled_from(["1", "2", "1.0", "0.5"])),
    st.integers(1, 3),
    max_size=40,
)


class Stub:
    """A part of three columns."""

    columns = ("group", "value", "count")

    def __init__(self, rows: Mapping[Row, int]) -> None:
        self.rows = rows

    def counts(self, columns: Sequence[str]) -> Mapping[tuple[str | None, ...], int]:
        places = [self.columns.index(name) for name in columns]
        out: dict[tuple[str | None, ...], int] = defaultdict(int)
        for row, many in self.rows.items():
            out[tuple(row[at] for at in places)] += many
        return out


@settings(max_examples=150)
@given(rows=ROWS, in_order=st.booleans())
def test_groups_are_added_up_whatever_the_order_of_rows(rows: dict[Row, int], in_order: bool) -> None:
    part = Stub(dict(sorted(rows.items())) if in_order else rows)
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    sums: dict[str, dict[str, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for (group, value, stated), many in rows.items():
        counts[group][value] += many
        sums[group][value] += Fraction(stated) * many
    found = grouped(part, ["group"], ["value"])
    assert found == {(group,): {(value,): many for value, many in held.items()} for group, held in counts.items()}
    assert counts_of(found) == [counts[str(group)] for (group,) in found]
    stated_counts = listed(part, ["group"], ["value"], "count")
    assert stated_counts == {(group,): {(value,): many for value, many in held.items()} for group, held in sums.items()}
    sizes = {(group,): sum(held.values()) for group, held in counts.items()}
    refuse_unfit(found, sizes)
    for wrong in ({**sizes, ("4",): 1}, {group: many + 1 for group, many in sizes.items()}):
        if wrong != sizes:
            with pytest.raises(BadRequest):
                refuse_unfit(found, wrong)


def test_small_groups_that_hold_the_same_are_held_once() -> None:
    part = Stub({(str(group), value, "1"): 1 for group in range(50) for value in "abc"})
    assert len({id(held) for held in grouped(part, ["group"], ["value"]).values()}) == 1
