"""Data swapping and rank swapping: what stays is exact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.perturbations import DataSwapping, RankSwapping
from sfumato.perturbations.data_swapping import partners
from sfumato.perturbations.rank_swapping import rank_window, swap_ranks

RNG = np.random.default_rng

# ---- data swapping ---------------------------------------------------------------------------------------------------


def people(count: int, seed: int = 1) -> sfumato.Table:
    rng = RNG(seed)
    return sfumato.from_rows(
        ["sex", "town", "disease", "cost", "name"],
        [
            (str(rng.choice(["f", "m"])), int(rng.integers(4)), str(rng.choice(["a", "b", "c"])), i, f"n{i}")
            for i in range(count)
        ],
    )


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_counts_over_keys_and_swapped_columns_are_exact(share: float) -> None:
    table = people(300)
    asked = DataSwapping(columns=("disease", "cost"), keys=("sex", "town"), share=share)
    made = sfumato.perturb(table, asked, seed=5)
    together = ["sex", "town", "disease", "cost"]
    assert Counter(made.table.select(together).to_rows()) == Counter(table.select(together).to_rows())
    assert made.table.select(["name", "sex", "town"]).to_rows() == table.select(["name", "sex", "town"]).to_rows()
    moved = sum(a != b for a, b in zip(made.table.to_rows(), table.to_rows(), strict=True))
    sizes = Counter(table.select(["sex", "town"]).to_rows()).values()
    # Costs are all different, so every exchange shows.
    assert moved == sum(2 * int(share * size // 2) for size in sizes)
    assert made.steps[0].private["records_exchanged"] == moved


def test_partners_are_drawn_evenly(shares: Callable[..., None]) -> None:
    rng, runs = RNG(3), 6000
    took = Counter(int(partners(np.zeros(5, np.int64), 1.0, rng)[0]) for _ in range(runs))
    # Of five records one stays, each with the same probability; a record's partner is any other one.
    shares([took[i] for i in range(5)], [runs / 5] * 5)


def test_missing_values_travel_and_keys_may_be_missing() -> None:
    table = sfumato.from_rows(["sex", "disease"], [(None, "a"), (None, None), ("f", "b")])
    made = DataSwapping(columns=("disease",), keys=("sex",)).apply(table, RNG(1))
    assert made.values("disease") == [None, "a", "b"]


def test_without_keys_the_column_alone_stays() -> None:
    table = people(100)
    made = DataSwapping(columns=("disease",)).apply(table, RNG(1))
    assert Counter(made.values("disease")) == Counter(value for (value,) in table.select(["disease"]).to_rows())
    assert made.keeps == ("every count over disease, exactly",)


def test_wrong_swaps() -> None:
    with pytest.raises(sfumato.BadRequest, match="exchanged already"):
        DataSwapping(columns=("a",), keys=("a",))
    with pytest.raises(sfumato.BadRequest, match=r"share: must be >= 0 and <= 1"):
        DataSwapping(columns=("a",), share=1.5)
    with pytest.raises(sfumato.BadRequest, match=r"data-swapping\.keys: is not a column"):
        DataSwapping(columns=("sex",), keys=("no",)).apply(people(3), RNG(1))


# ---- rank swapping ---------------------------------------------------------------------------------------------------


@given(
    values=st.lists(st.integers(-20, 20), min_size=1, max_size=40),
    p=st.floats(0, 100),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_values_stay_and_ranks_move_within_the_window(values: list[int], p: float, seed: int) -> None:
    table = sfumato.from_rows(["x"], [(value,) for value in values])
    made = RankSwapping(column="x", p=p).apply(table, RNG(seed))
    new, window = made.values("x"), rank_window(p, len(values))
    assert sorted(new) == sorted(values)
    assert made.facts["window"] == window
    assert made.private["largest_shift"] <= window
    # With equal values a rank is a range: the new value must occur within the window around the old one's range.
    ranked = sorted(values)
    for before, after in zip(values, new, strict=True):
        low, high = ranked.index(before), len(ranked) - 1 - ranked[::-1].index(before)
        assert after in ranked[max(0, low - window) : high + window + 1]


def test_p_zero_changes_nothing_and_p_hundred_may_change_all() -> None:
    table = people(50)
    column = [value for (value,) in table.select(["cost"]).to_rows()]
    assert RankSwapping(column="cost", p=0).apply(table, RNG(1)).values("cost") == column
    far = RankSwapping(column="cost", p=100).apply(table, RNG(1)).values("cost")
    assert all(a != b for a, b in zip(far, column, strict=True))


def test_partners_in_the_window_are_drawn_evenly(shares: Callable[..., None]) -> None:
    rng, runs = RNG(5), 5000
    took = Counter(int(swap_ranks(20, 5, rng)[0]) for _ in range(runs))
    shares([took[i] for i in range(1, 6)], [runs / 5] * 5)


def test_every_swap_is_mutual_and_nobody_free_is_left_over() -> None:
    for seed in range(50):
        source = swap_ranks(101, 4, RNG(seed))
        assert (source[source] == np.arange(101)).all()
        stayed = np.flatnonzero(source == np.arange(101))
        assert (np.diff(stayed) > 4).all(), "two neighbours that stayed could have been exchanged"


def test_the_window_is_a_rounded_down_percentage() -> None:
    assert [rank_window(p, n) for p, n in ((20, 10), (29, 10), (0.7, 1000), (100, 7), (10, 9))] == [2, 2, 7, 7, 0]


def test_dates_and_large_numbers_are_exchanged_exactly() -> None:
    days = [date(2020, 1, 1) + timedelta(days=3 * i) for i in range(10)]
    large = [2**60 + i for i in range(10)]
    table = sfumato.from_rows(["day", "large"], list(zip(days, large, strict=True)))
    asked = [{"id": "rank-swapping", "column": name, "p": 50} for name in ("day", "large")]
    made = sfumato.perturb(table, asked, seed=2)
    assert sorted(value for value, _ in made.table.to_rows()) == days
    assert sorted(value for _, value in made.table.to_rows()) == large
    assert dict(made.table.types) == dict(table.types)
    assert len(made.steps) == 2


def test_missing_values_keep_their_place() -> None:
    table = sfumato.from_rows(["x"], [(3,), (None,), (1,), (2,)])
    with pytest.raises(sfumato.BadRequest, match="1 missing value;"):
        RankSwapping(column="x", p=50).apply(table, RNG(1))
    new = RankSwapping(column="x", p=100, missing="keep").apply(table, RNG(1)).values("x")
    assert new[1] is None
    assert sorted(value for value in new if value is not None) == [1, 2, 3]


@pytest.mark.parametrize("p", [-1, 100.5, 101])
def test_p_must_be_a_percentage(p: float) -> None:
    with pytest.raises(sfumato.BadRequest, match=r"rank-swapping\.p: must be >= 0 and <= 100"):
        RankSwapping(column="x", p=p)


def test_texts_have_no_ranks() -> None:
    with pytest.raises(sfumato.BadRequest, match="numbers or dates") as refused:
        RankSwapping(column="sex", p=5).apply(people(4), RNG(1))
    assert refused.value.column == "sex"
