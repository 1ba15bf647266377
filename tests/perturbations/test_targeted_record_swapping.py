"""Targeted record swapping: who stands out moves, once, to another area; everything else stays."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.perturbations import TargetedRecordSwapping

RNG = np.random.default_rng
COLUMNS = ["home", "region", "town", "sex", "rooms"]


def town(homes: int, seed: int) -> list[tuple[Any, ...]]:
    rng = RNG(seed)
    rows = []
    for home in range(homes):
        region = int(rng.integers(2))
        place, rooms = (f"r{region}", f"r{region}t{int(rng.integers(2))}"), int(rng.integers(2))
        rows += [(home, *place, "fm"[int(rng.random() < 0.8)], rooms) for _ in range(int(rng.integers(1, 4)))]
    return rows


def test_the_worked_example_of_the_method() -> None:
    rows = [(i, area, sex) for i, (area, sex) in enumerate(zip("AAAABBBB", "mmmfmfff", strict=True))]
    table = sfumato.from_rows(["home", "area", "sex"], rows)
    asked = TargetedRecordSwapping(household="home", geography=("area",), risk=("sex",), k=2)
    made = asked.apply(table, RNG(0))
    held = Counter(zip(made.values("area"), "mmmfmfff", strict=True))
    assert held == {("A", "m"): 4, ("B", "f"): 4}
    alone = TargetedRecordSwapping(geography=("area",), risk=("sex",), k=2).apply(table, RNG(0))
    assert alone.values("area") == made.values("area"), "without a column of households everybody lives alone"
    assert made.private == {"households_moved": 2, "share_moved": 0.25, "households_at_risk_left": 0}


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(4, 25), st.integers(1, 4), st.sampled_from([0.0, 0.3, 1.0]))
def test_what_stays_is_exact(seed: int, homes: int, k: int, rate: float) -> None:
    rows = town(homes, seed)
    if len({row[1:3] for row in rows}) < 2:
        return
    asked = TargetedRecordSwapping(
        household="home", geography=("region", "town"), risk=("sex",), k=k, rate=rate, profiles=(("rooms",), ())
    )
    made = asked.apply(sfumato.from_rows(COLUMNS, rows), RNG(seed))
    places = list(zip(made.values("region"), made.values("town"), strict=True))
    sizes = Counter(row[0] for row in rows)
    old = {row[0]: row[1:3] for row in rows}
    new: dict[int, tuple[Any, ...]] = {}
    for row, place in zip(rows, places, strict=True):
        assert new.setdefault(row[0], place) == place, "a household stays together"
    assert Counter((old[h], sizes[h]) for h in old) == Counter((new[h], sizes[h]) for h in new)
    moved = sum(old[h] != new[h] for h in old)
    assert moved == made.private["households_moved"], "nobody changes places inside an area"


def test_partners_agree_on_the_first_profile_that_has_one() -> None:
    rows = [(0, "A", "f", 3), (1, "A", "m", 1), (2, "A", "m", 1), (3, "B", "m", 3), (4, "B", "m", 1), (5, "B", "m", 1)]
    table = sfumato.from_rows(["home", "area", "sex", "rooms"], rows)
    asked = TargetedRecordSwapping(household="home", geography=("area",), risk=("sex",), k=2, profiles=(("rooms",),))
    for seed in range(5):
        assert asked.apply(table, RNG(seed)).values("area") == ["B", "A", "A", "A", "B", "B"]


def test_columns_move_along() -> None:
    rows = [(0, "A", "f", "north"), (1, "A", "m", "north"), (2, "A", "m", "north"), (3, "B", "m", "south")]
    table = sfumato.from_rows(["home", "area", "sex", "wind"], rows)
    asked = TargetedRecordSwapping(household="home", geography=("area",), risk=("sex",), k=2, along=("wind",))
    made = asked.apply(table, RNG(1))
    assert set(zip(made.values("area"), made.values("wind"), strict=True)) == {("A", "north"), ("B", "south")}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"profiles": [["sex"]]}, "differs inside"),
        ({"geography": ["rooms"]}, "differs inside|two areas"),
        ({"profiles": "rooms"}, "must be a list"),
        ({"rate": 1.5}, "rate"),
        ({"risk": ["town"]}, "moves with the place"),
        ({"along": ["town"]}, "moves already"),
        ({"geography": ["nowhere"]}, "not a column"),
    ],
)
def test_what_makes_no_sense_is_refused(asked: dict[str, object], said: str) -> None:
    rows = [(0, "r", "a", "f", 1), (0, "r", "a", "m", 2), (1, "r", "b", "m", 1)]
    spec = {"household": "home", "geography": ["region", "town"], "risk": ["sex"], **asked}
    with pytest.raises(sfumato.BadRequest, match=said):
        TargetedRecordSwapping.from_spec(spec).apply(sfumato.from_rows(COLUMNS, rows), RNG(1))


def test_one_area_alone_is_refused() -> None:
    table = sfumato.from_rows(["home", "area", "sex"], [(0, "A", "f"), (1, "A", "m")])
    with pytest.raises(sfumato.BadRequest, match="two areas"):
        TargetedRecordSwapping(household="home", geography=("area",), risk=("sex",)).apply(table, RNG(1))
