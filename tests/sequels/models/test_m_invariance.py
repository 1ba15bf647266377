"""m-invariance and its plain recount: the same verdict on random series, with persons and without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BadRequest
from sfumato.sequels import Series
from sfumato.sequels.models import MInvariance
from sfumato.sequels.recounts import m_invariance as recount

Row = tuple[str | None, str, str]
"""Person (nobody: a counterfeit), group, value."""


@st.composite
def releases(draw: st.DrawFn, most: int = 3) -> list[list[Row]]:
    """Draw releases in which each person has one row at most; many keep their group and value."""
    home = {person: (draw(st.sampled_from("ab")), draw(st.sampled_from("xyz"))) for person in "12345"}
    out: list[list[Row]] = []
    for _ in range(draw(st.integers(1, most))):
        here = draw(st.lists(st.sampled_from("12345"), unique=True, min_size=1))
        rows: list[Row] = [(person, *home[person]) for person in here]
        rows += [
            (None, *one) for one in draw(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), max_size=4))
        ]
        out.append(rows)
    return out


def grouped(rows: Sequence[Row]) -> recount.Groups:
    """Return rows by group."""
    found: dict[tuple[str | None, ...], list[tuple[str | None, str]]] = {}
    for person, group, value in rows:
        found.setdefault((group,), []).append((person, value))
    return found


def series(plain: Sequence[Sequence[Row]], person: str | None = "Id") -> Series:
    frames: list[Mapping[str, object]] = [
        dict(zip(("Id", "Q", "S"), map(list, zip(*rows, strict=True)), strict=True)) for rows in plain
    ]
    return Series.of(frames, qid=["Q"], sensitive="S", person=person)


@given(releases(), st.sampled_from([2, 3]), st.sampled_from(["refuse", "same-signature"]))
def test_the_recount(plain: list[list[Row]], m: int, returning: str) -> None:
    model, groups = MInvariance(m=m, returning=returning), [grouped(rows) for rows in plain]
    try:
        verdict = model.judge(series(plain))
    except BadRequest:
        with pytest.raises(BadRequest, match="came back"):
            recount.level(groups, m=m, returning=returning)
        return
    again = recount.level(groups, m=m, returning=returning)
    found = (verdict.strongest, verdict.violating_groups, verdict.satisfied)
    assert (again.measured, again.violating, again.satisfied) == found


@given(releases(most=1), st.sampled_from([2, 3]))
def test_a_stranger_recounts_one_release(plain: list[list[Row]], m: int) -> None:
    verdict = MInvariance(m=m).judge(series(plain, person=None))
    again = recount.level([grouped([(None, group, value) for _, group, value in plain[0]])], m=m)
    assert (again.measured, again.satisfied) == (verdict.strongest, verdict.satisfied)


def test_who_can_tell() -> None:
    assert recount.applies(1, persons=False)
    assert recount.applies(3, persons=True)
    assert not recount.applies(2, persons=False)
    with pytest.raises(BadRequest, match="several rows"):
        recount.level([{("a",): [("1", "x"), ("1", "y")]}], m=2)
