"""The join of a series, counted by classes, against the join written out; and what generalizing does to it."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_join import ABOVE, TREES, counted, joined, levels, random_tables
from sfumato.errors import BadRequest, Unsupported
from sfumato.sequels.join import Inconsistency, SequentialJoin
from sfumato.sequels.models import SeqMonotonicity, XYPrivacyJoin
from sfumato.sequels.series import Series


def opened(rows: list[dict[str, Any]]) -> Any:
    return sfumato.from_rows(list(rows[0]), [list(row.values()) for row in rows])


def grouped(join: SequentialJoin, x: list[str], y: list[str]) -> dict[Any, dict[Any, int]]:
    groups = join.groups(x, y)
    (histogram,) = groups.histograms.values()
    rows = (histogram.row(at) for at in range(len(groups)))
    parts = ({value if isinstance(value, tuple) else (value,): count for value, count in row.items()} for row in rows)
    return {groups.key(at): row for at, row in enumerate(parts)}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from([2, 3, 4]))
def test_the_join_is_the_one_written_out(seed: int, releases: int) -> None:
    rng = random.Random(seed)
    tables = random_tables(rng, releases)
    impossible = [("T1.y", rng.choice("uvw"), "T2.A", rng.choice(["a", "bb"])), ("T2.c", "u", "T1.B", "p")]
    impossible = rng.sample(impossible, rng.randint(0, 2))
    wanted = joined(tables, ["A", "B"], impossible)
    join = SequentialJoin.of(list(map(opened, tables)), hierarchies=TREES, inconsistent=impossible)
    assert join.size == len(wanted)
    assert join.matches() == wanted
    columns = [f"T{at + 1}.{name}" for at, table in enumerate(tables) for name in table[0]]
    rng.shuffle(columns)
    cut = rng.randint(1, len(columns) - 1)
    x, y = columns[:cut], columns[cut : cut + rng.randint(1, 2)]
    plain = counted(tables, wanted, x, y)
    assert grouped(join, x, y) == plain
    wide = [str(one) for one in join.expanded(x)]
    if not set(wide) & set(y):
        found = join.linkage(x, y)
        assert (found.anonymity, found.linkability) == levels(counted(tables, wanted, wide, y))
        pieces = list(join.pieces(join.columns(x), join.columns(y), most=3))
        assert sum(int(piece.sizes.sum()) for piece in pieces) == len(wanted)
        assert len({piece.key(at) for piece in pieces for at in range(len(piece))}) == len(plain)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9))
def test_generalizing_keeps_matches_and_verdicts_follow_the_join(seed: int) -> None:
    rng = random.Random(seed)
    tables = random_tables(rng, 2)
    row, name = rng.choice(tables[1]), rng.choice("AB")
    before = set(joined(tables, ["A", "B"], []))
    alone = SequentialJoin.of(list(map(opened, tables)), hierarchies=TREES).dangling()
    met = [{match[side] for match in before} for side in (0, 1)]
    assert alone == tuple(len(table) - len(found) for table, found in zip(tables, met, strict=True))
    if row[name] is not None:
        row[name] = rng.choice(ABOVE[name][row[name]])
    join = SequentialJoin.of(list(map(opened, tables)), hierarchies=TREES)
    assert before <= set(join.matches())
    assert all(now <= then for now, then in zip(join.dangling(), alone, strict=True))
    series = Series.of(list(map(opened, tables)), qid=["A", "c"], sensitive="y", hierarchies=TREES)
    least, most = levels(counted(tables, join.matches(), ["T1.A", "T2.A", "T2.c"], ["T1.y"]))
    for k, h in ((2, None), (None, 0.5), (2, 0.75)):
        verdict = XYPrivacyJoin(k=k, h=h).judge(series)
        assert verdict.satisfied == (
            least is None or most is None or ((k is None or least >= k) and (h is None or most <= h))
        )
        if verdict.groups and h is None:
            assert verdict.strongest == least
    assert SeqMonotonicity().judge(series).strongest == sum(join.dangling())


def test_wider_x_and_narrower_y_ask_for_more() -> None:
    rng = random.Random(5)
    for _ in range(30):
        tables = [opened(table) for table in random_tables(rng, 2)]
        join = SequentialJoin.of(tables, hierarchies=TREES)
        wide, narrow = join.linkage(["A", "c"], ["y"]), join.linkage(["A"], ["y"])
        if wide.anonymity is not None and narrow.anonymity is not None:
            assert narrow.anonymity >= wide.anonymity
            assert narrow.linkability is not None
            assert wide.linkability is not None
            assert narrow.linkability <= wide.linkability


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"join": ["y"]}, "not a column of two releases"),
        ({"inconsistent": [("T1.y", "u", "T1.A", "a")]}, "two different columns of two releases"),
        ({"inconsistent": [("y", "u", "T2.A", "a")]}, "not a column of the join"),
        ({"inconsistent": [("T1.y", "u")]}, "must be two columns"),
        ({"inconsistent": [Inconsistency("T1.y", "zz", "T2.A", "zz")]}, "not a node"),
        ({"hierarchies": {"A": {"*": ["a1"]}}}, "no leaf in the hierarchy"),
    ],
)
def test_bad_joins_are_refused(given_: dict[str, Any], words: str) -> None:
    tables = [opened([{"A": "a1", "y": "u"}, {"A": "a2", "y": "v"}]), opened([{"A": "a1", "c": "u"}])]
    with pytest.raises(BadRequest, match=words):
        _ = SequentialJoin.of(tables, **{"hierarchies": TREES, **given_}).size


def test_tables_that_share_nothing_but_numbers_are_refused() -> None:
    one, two = opened([{"Age": 3, "y": "u"}]), opened([{"Age": 3, "c": "u"}])
    with pytest.raises(BadRequest, match="share no categorical column"):
        SequentialJoin.of([one, two])


def test_requirements_that_cannot_be_read_are_refused() -> None:
    series = Series.of([opened([{"A": "a1", "y": "u"}]), opened([{"A": "a1", "c": "u"}])], qid=["c"], sensitive="y")
    for model, words in [
        (XYPrivacyJoin(k=2, y=("c",)), "must not share"),
        (XYPrivacyJoin(k=2, x=("T2.y",)), "not a column of the join"),
        (XYPrivacyJoin(h=0.5, values=(("u", "v"),)), "one part for each"),
    ]:
        with pytest.raises(BadRequest, match=words):
            model.judge(series)
    for wrong in ({}, {"k": 2, "x": ()}, {"k": 2, "values": ("u",)}):
        with pytest.raises(BadRequest):
            XYPrivacyJoin(**wrong)


def test_an_empty_join_satisfies_everything_and_long_lists_are_refused() -> None:
    one, two = opened([{"A": "a1", "y": "u"}]), opened([{"A": "c", "c": "u"}])
    verdict = XYPrivacyJoin(k=5).judge(Series.of([one, two], qid=["c"], sensitive="y", hierarchies=TREES))
    assert verdict.satisfied
    assert (verdict.groups, verdict.records, verdict.strongest) == (0, 0, None)
    with pytest.raises(Unsupported, match="more than 0 rows"):
        SequentialJoin.of([one, one]).matches(most=0)
