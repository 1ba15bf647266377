"""Groups that are put together as numbers are those that are put together text by text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data.schema import ColumnType
from sfumato.engines import from_rows
from sfumato.errors import BadRequest
from sfumato.publishing import counted_texts
from sfumato.publishing.counted_texts import CountedTexts
from sfumato.recounts import Key, Shared
from sfumato.recounts._level import Level, highest, lowest
from sfumato.recounts._written import grouped, listed, refuse_unfit, sized
from sfumato.recounts.kinds.anatomy_pair import counted
from sfumato.recounts.l_diversity_distinct import level as distinct
from sfumato.recounts.t_closeness import level as closeness

NAMES = ("group", "site", "ill", "count")
ROWS = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(-1, 6)),
        st.sampled_from(["a", "b", None]),
        st.sampled_from("abcdefghijkl"),
        st.sampled_from([None, 1, 2, 0.5, 1.0]),
    ),
    min_size=1,
    max_size=60,
)


@dataclass
class Counting:
    """A part of rows; what was counted is told as numbers, or text by text."""

    rows: Sequence[tuple[Any, ...]]
    names: Sequence[str] = NAMES
    plain: bool = False
    types: Mapping[str, ColumnType] = field(default_factory=dict)

    @property
    def columns(self) -> Sequence[str]:
        return self.names

    def counts(self, columns: Sequence[str]) -> Mapping[Key, int]:
        found = CountedTexts(from_rows(self.names, self.rows).counts(columns), self.types)
        return dict(found.items()) if self.plain else found


@settings(max_examples=150)
@given(rows=ROWS, known=st.integers(0, 3), at_once=st.sampled_from([1, 2, 1 << 20]), wide=st.sampled_from([8, 1 << 62]))
def test_grouped_and_listed_as_text_by_text(rows: list[tuple[Any, ...]], known: int, at_once: int, wide: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counted_texts, "_GROUPS", at_once)
        patch.setattr(counted_texts, "_FEW", 3)
        patch.setattr(counted_texts, "_NARROW", min(wide, 1 << 20))
        numbers, texts = Counting(rows), Counting(rows, plain=True)
        names, read = NAMES[:known], NAMES[known:3]
        found, plain = grouped(numbers, names, read), grouped(texts, names, read)
        assert isinstance(found, Shared)
        assert (list(found), list(found.values())) == (list(plain), list(plain.values()))
        assert all(found[key] == held for key, held in plain.items())
        said, plainly = listed(numbers, names, read, "count"), listed(texts, names, read, "count")
        assert list(said.items()) == list(plainly.items())
        assert [type(many) for held in said.values() for many in held.values()] == [
            type(many) for held in plainly.values() for many in held.values()
        ]
        assert sized(numbers, names) == sized(texts, names)


def test_values_that_are_written_alike_are_one() -> None:
    rows = [(2**53, 1), (2**53 + 1, 2), (2**53 + 1, 3)]
    types = {"g": ColumnType.NUMBER}
    numbers, texts = Counting(rows, "gv", types=types), Counting(rows, "gv", plain=True, types=types)
    found = grouped(numbers, "g", "v")
    assert not isinstance(found, Shared)
    assert found.keys() == {("9007199254740992.0",)}
    assert grouped(numbers, "v", "g") == grouped(texts, "v", "g")
    assert grouped(numbers, (), "g") == {(): {("9007199254740992.0",): 3}}


def test_contents_are_held_once() -> None:
    rows = [(group, value) for group in range(50) for value in "abc"]
    found = grouped(Counting(rows, "gv"), "g", "v")
    assert isinstance(found, Shared)
    assert found.contents == [{("a",): 1, ("b",): 1, ("c",): 1}]


PAIRS = st.dictionaries(
    st.tuples(st.integers(1, 5), st.sampled_from("abcdef")), st.integers(1, 3), min_size=1, max_size=25
)


def pair(counts: Mapping[tuple[int, str], int], groups: Sequence[int], *, plain: bool) -> dict[str, Counting]:
    qit = [(30 + at, group) for at, group in enumerate(groups)]
    rows = [(*cell, many) for cell, many in counts.items()]
    return {"qit": Counting(qit, ("Age", "g"), plain), "st": Counting(rows, ("g", "v", "n"), plain)}


@settings(max_examples=150)
@given(
    counts=PAIRS,
    turn=st.sampled_from(["fits", "one more", "one less", "another group", "moved"]),
    at=st.integers(0, 99),
)
def test_pairs_fit_or_are_refused_as_text_by_text(counts: dict[tuple[int, str], int], turn: str, at: int) -> None:
    groups = [group for (group, _), many in sorted(counts.items()) for _ in range(many)]
    at %= len(groups)
    changed = {
        "fits": groups,
        "one more": [*groups, groups[at]],
        "one less": groups[:at] + groups[at + 1 :],
        "another group": [*groups, 9],
        "moved": [*groups[:at], *groups[at + 1 :], next(one for one in (*groups, 9) if one != groups[at] or one == 9)],
    }[turn]
    asked: dict[str, Any] = {"known": (), "read": ["v"], "group": "g", "count": "n", "form": "pair"}
    if turn != "fits" and changed:
        for plain in (False, True):
            with pytest.raises(BadRequest, match="other counts in the one table"):
                counted(pair(counts, changed, plain=plain), **asked)
        return
    numbers, texts = (counted(pair(counts, groups, plain=plain), **asked).groups for plain in (False, True))
    assert isinstance(numbers, Shared)
    assert not isinstance(texts, Shared)
    assert numbers == texts
    for l in (1, 2, 3):
        assert distinct(numbers, l=l, missing="refuse") == distinct(texts, l=l, missing="refuse")
    told: dict[str, Any] = {"t": 0.3, "missing": "refuse", "ground_distance": "equal"}
    told |= dict.fromkeys(("values", "taxonomy", "matrix", "whole"))
    assert closeness(numbers, **told) == closeness(texts, **told)


def test_sizes_of_other_groups_do_not_fit() -> None:
    found = grouped(Counting([(1, "a"), (2, "b")], "gv"), "g", "v")
    refuse_unfit(found, sized(Counting([(1,), (2,)], "g"), "g"))
    refuse_unfit(found, {("2",): 1, ("1",): 1})
    for rows in ([(1,), (3,)], [(1,)], [("1",), ("3",)], [(1,), (1,)], [(1,), (2,), (2,)]):
        with pytest.raises(BadRequest, match="other counts"):
            refuse_unfit(found, sized(Counting(rows, "g"), "g"))
    refuse_unfit(found, sized(Counting([("1",), ("2",)], "g"), "g"))  # what is written counts, not its type


def test_values_of_many_groups_are_judged_like_a_list() -> None:
    values = [3, 1, 2, 1, 3]
    assert lowest(values, 2) == Level(1, 2, False)
    assert highest(values, 2) == Level(3, 2, False)
    assert lowest([], 2) == Level(None, 0, True)
