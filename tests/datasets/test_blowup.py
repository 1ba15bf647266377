"""Blowing up: originals stay, variations differ as far as the style allows, values stay in their domain."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.datasets import blow_up, blow_up_codes, education_work, hospital
from sfumato.errors import BadRequest

SIZES = [2, 5, 9, 100, 1000, 3]


def table(n: int = 500) -> npt.NDArray[np.int32]:
    rng = np.random.default_rng(0)
    return np.column_stack([rng.integers(0, size, n) for size in SIZES]).astype(np.int32)


@given(st.integers(1, 5), st.sampled_from(["tdr", "bug"]), st.integers(1, 6), st.integers(0, 2**32))
def test_originals_first_and_domains_respected(factor: int, style: str, rho: int, seed: int) -> None:
    codes = table(40)
    before = codes.copy()
    out = blow_up_codes(codes, SIZES, factor=factor, rng=np.random.default_rng(seed), style=style, rho=rho)  # type: ignore[arg-type]
    assert out.shape == (factor * 40, len(SIZES))
    assert out.dtype == codes.dtype
    assert (out[:40] == before).all()
    assert (codes == before).all()
    assert (out >= 0).all()
    assert (out < np.array(SIZES)).all()
    changed = (out != np.tile(codes, (factor, 1))).sum(axis=1)
    assert (changed <= (rho if style == "bug" else len(SIZES))).all()


def test_tdr_style_changes_one_to_all_columns_equally_often() -> None:
    codes = np.zeros((1, 6), np.int64)
    out = blow_up_codes(codes, [10**9] * 6, factor=60_001, rng=np.random.default_rng(1))
    counts = Counter((out[1:] != 0).sum(axis=1).tolist())
    assert set(counts) == {1, 2, 3, 4, 5, 6}
    # 60,000 draws from six values: 10,000 each, standard deviation about 91.
    assert all(abs(count - 10_000) < 500 for count in counts.values())
    by_column = (out[1:] != 0).mean(axis=0)
    assert np.abs(by_column - 3.5 / 6).max() < 0.02


def test_bug_style_changes_exactly_rho_columns_and_all_subsets_alike() -> None:
    codes = np.zeros((1, 5), np.int64)
    out = blow_up_codes(codes, [10**9] * 5, factor=50_001, rng=np.random.default_rng(2), style="bug", rho=3)
    changed = out[1:] != 0
    assert (changed.sum(axis=1) == 3).all()
    subsets = Counter(map(tuple, changed.tolist()))
    assert len(subsets) == 10
    assert all(abs(count - 5000) < 400 for count in subsets.values())


def test_only_the_named_columns_vary() -> None:
    codes = table()
    out = blow_up_codes(codes, SIZES, factor=4, columns=[1, 4], rng=np.random.default_rng(3))
    differs = (out != np.tile(codes, (4, 1))).any(axis=0)
    assert differs.tolist() == [False, True, False, False, True, False]


def test_exact_number_of_rows() -> None:
    codes = table()
    out = blow_up_codes(codes, SIZES, rows=1234, columns=[4], rng=np.random.default_rng(4))
    assert len(out) == 1234
    rest = [0, 1, 2, 3, 5]
    assert (out[1000:, rest] == codes[:234, rest]).all()


def test_same_seed_same_rows() -> None:
    first, second, other = (
        blow_up_codes(table(), SIZES, factor=3, rng=np.random.default_rng(seed)) for seed in (5, 5, 6)
    )
    assert (first == second).all()
    assert (first != other).any()


@pytest.mark.slow
def test_adult_size_to_a_million_in_seconds() -> None:
    codes = np.random.default_rng(0).integers(0, 16, (45_222, 14)).astype(np.int32)
    start = time.perf_counter()
    assert len(blow_up_codes(codes, [16] * 14, factor=23, rng=np.random.default_rng(7))) == 1_040_106
    assert time.perf_counter() - start < 20


def test_dataset_keeps_originals_and_the_class_of_each_record() -> None:
    source = education_work()
    out = blow_up(source, factor=5, columns=["Education", "Sex", "Work_Hrs"], rng=np.random.default_rng(8))
    assert out.to_rows()[:34] == source.to_rows()
    assert out.values("Class") == source.values("Class") * 5
    assert out.roles == source.roles
    assert out.to_rows()[34:68] != source.to_rows()
    assert set(out.values("Work_Hrs")) == set(source.values("Work_Hrs"))


def test_dataset_draws_from_the_leaves_of_a_tree() -> None:
    source = hospital(20)
    out = blow_up(source, rows=3000, columns=["occupation", "birth_date"], rng=np.random.default_rng(9))
    assert len(set(source.values("occupation"))) < len(set(out.values("occupation"))) == 33
    assert set(out.values("birth_date")) == set(source.values("birth_date"))
    assert out.to_polars().schema == source.to_polars().schema
    assert out.to_rows()[:20] == source.to_rows()


@pytest.mark.parametrize(
    "wrong, text",
    [
        ({}, "give either factor or rows"),
        ({"factor": 2, "rows": 1000}, "give either factor or rows"),
        ({"factor": 0}, "factor: must be at least 1"),
        ({"rows": 499}, "rows: must keep all original rows"),
        ({"factor": 2, "columns": [0, 6]}, "columns: must name different columns"),
        ({"factor": 2, "columns": [0, 0]}, "columns: must name different columns"),
        ({"factor": 2, "style": "bug", "rho": 7}, "rho: must be from 1 to the 6 columns"),
        ({"factor": 2, "style": "tds"}, "style: .* available: tdr, bug"),
    ],
)
def test_wrong_requests_name_the_rule(wrong: dict[str, object], text: str) -> None:
    with pytest.raises(BadRequest, match=text):
        blow_up_codes(table(), SIZES, rng=np.random.default_rng(0), **wrong)  # type: ignore[arg-type]


def test_unknown_column_of_a_dataset_is_refused() -> None:
    with pytest.raises(BadRequest, match=r"got 'Eduction'.*did you mean 'Education'"):
        blow_up(education_work(), factor=2, columns=["Eduction"], rng=np.random.default_rng(0))
