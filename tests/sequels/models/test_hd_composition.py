"""HD-composition and its plain recount: the same linkage on random series, with persons and without."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import BadRequest
from sfumato.sequels import Series
from sfumato.sequels.models import HDComposition
from sfumato.sequels.recounts import hd_composition as recount

Row = tuple[str | None, str, str]
"""Person (nobody: a counterfeit), group, value."""


def drawn(seed: int, most: int = 3) -> list[list[Row]]:
    """Draw releases in which some acquire the value that nobody loses, and others change theirs."""
    rng = random.Random(seed)
    held = {person: rng.choice("sxy") for person in "12345"}
    out: list[list[Row]] = []
    for _ in range(rng.randint(1, most)):
        here = rng.sample(sorted(held), rng.randint(2, 5))
        rows: list[Row] = [(person, rng.choice("ab"), held[person]) for person in here]
        rows += [(None, rng.choice("ab"), rng.choice("sx")) for _ in range(rng.randint(0, 2))]
        out.append(rows)
        held = {person: value if value == "s" else rng.choice("sxxyy") for person, value in held.items()}
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


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from([2, 3]))
def test_the_recount(seed: int, l: int) -> None:
    plain = drawn(seed)
    found = HDComposition(permanent=("s",), l=l).judge(series(plain))
    again = recount.level([grouped(rows) for rows in plain], permanent=("s",), l=l)
    assert again.measured == pytest.approx(found.strongest)
    assert (again.violating, again.satisfied) == (found.violating_groups, found.satisfied)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from([2, 3]))
def test_a_stranger_recounts_one_release(seed: int, l: int) -> None:
    plain = drawn(seed, most=1)
    found = HDComposition(permanent=("s", "x"), l=l).judge(series(plain, person=None))
    alone = grouped([(None, group, value) for _, group, value in plain[0]])
    again = recount.level([alone], permanent=("s", "x"), l=l)
    assert (again.measured, again.satisfied) == (found.strongest, found.satisfied)


def test_who_can_tell() -> None:
    assert recount.applies(1, persons=False)
    assert recount.applies(3, persons=True)
    assert not recount.applies(2, persons=False)
    lost = [grouped([("1", "a", "s")]), grouped([("1", "a", "x")])]
    with pytest.raises(BadRequest, match="not permanent"):
        recount.level(lost, permanent=["s"], l=2)
    with pytest.raises(BadRequest, match="too many"):
        recount.level([grouped([(str(at), "a", "s") for at in range(30)])], permanent=["s"], l=2)
