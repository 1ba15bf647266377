"""Synthetic records: moments and shares within sampling error, domains respected, noise with its guarantee."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.perturbations import SyntheticMarginals, SyntheticMoments

RNG = np.random.default_rng
N = 40_000


def source(count: int = 3000) -> sfumato.Table:
    rng = RNG(1)
    body = rng.multivariate_normal([170, 70], [[80, 45], [45, 120]], count)
    towns = rng.choice(["Rome", "Bari", "Pisa"], count, p=[0.6, 0.3, 0.1])
    columns = {
        "height": body[:, 0].tolist(),
        "weight": body[:, 1].tolist(),
        "age": rng.integers(18, 90, count).tolist(),
        "town": towns.tolist(),
        "name": [f"person {i}" for i in range(count)],
    }
    return sfumato.read(columns)


# ---- moments ---------------------------------------------------------------------------------------------------------


def test_means_and_covariances_within_sampling_error(near: Callable[..., None]) -> None:
    table = source()
    data = np.array(table.select(["height", "weight"]).to_rows())
    made = SyntheticMoments(columns=("height", "weight"), records=N).apply(table, RNG(2))
    drawn = np.column_stack([made.columns["height"], made.columns["weight"]])
    cov = np.cov(data, rowvar=False)
    for i in (0, 1):
        near(drawn[:, i].mean(), data[:, i].mean(), (cov[i, i] / N) ** 0.5)
        for j in (0, 1):
            error = ((cov[i, i] * cov[j, j] + cov[i, j] ** 2) / N) ** 0.5
            near(np.cov(drawn, rowvar=False)[i, j], cov[i, j], error)
    assert made.rows == N
    assert made.private["share_of_records_that_equal_an_original"] == 0.0


def test_categories_from_their_histogram(shares: Callable[..., None]) -> None:
    table = source()
    dictionary = table.dictionary("town")
    made = SyntheticMoments(columns=("town", "age"), records=N).apply(table, RNG(2))
    found = Counter(made.values("town"))
    shares([found[town] for town in dictionary.values], dictionary.counts / dictionary.counts.sum() * N)
    assert list(made.columns) == ["town", "age"]


def test_domains_are_respected() -> None:
    table = source()
    asked = SyntheticMoments(columns=("age", "height"), records=5000, bounds={"age": (17.5, 90), "height": (150, 190)})
    made = sfumato.perturb(table, asked, seed=1)
    ages, heights = zip(*made.table.to_rows(), strict=True)
    assert all(isinstance(age, int) for age in ages)
    assert (min(ages), max(ages)) == (18, 90)
    assert (min(heights), max(heights)) == (150, 190)
    assert made.table.types["age"] == table.types["age"]


def test_rare_values_are_not_drawn_and_names_are_refused() -> None:
    rows = [("x",)] * 50 + [("y",)] * 3 + [("rare",)] * 2
    table = sfumato.from_rows(["v"], rows)
    made = SyntheticMoments(columns=("v",), records=5000).apply(table, RNG(1))
    assert set(made.values("v")) == {"x", "y"}
    assert made.private["records_with_a_category_left_out"] == {"v": 2}
    assert set(SyntheticMoments(columns=("v",), records=5000, fewest=1).apply(table, RNG(1)).values("v")) == {
        "x",
        "y",
        "rare",
    }
    with pytest.raises(sfumato.BadRequest, match="no value occurs in 3 records") as refused:
        SyntheticMoments(columns=("name",)).apply(source(), RNG(1))
    assert "person" not in str(refused.value)


def test_copies_are_counted() -> None:
    table = sfumato.from_rows(["a", "b"], [("x", "y")] * 9 + [("x", "z")] * 3)
    made = SyntheticMoments(columns=("a", "b")).apply(table, RNG(1))
    assert made.rows == 12
    assert made.private["share_of_records_that_equal_an_original"] == 1.0


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"columns": ()}, "at least one column"),
        ({"columns": ("age",), "records": 0}, "records: must be >= 1"),
        ({"columns": ("age",), "bounds": {"town": (0, 1)}}, "not a drawn column"),
        ({"columns": ("age",), "bounds": {"age": (1, 1)}}, "that rise"),
        ({"columns": ("age",), "bounds": {"age": "wide"}}, "that rise"),
    ],
)
def test_wrong_moments(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(sfumato.BadRequest, match=words):
        SyntheticMoments(**asked)


def test_moments_refuse_tables_that_do_not_fit() -> None:
    with pytest.raises(sfumato.BadRequest, match="missing value"):
        SyntheticMoments(columns=("a",)).apply(sfumato.from_rows(["a"], [(1,), (None,)]), RNG(1))
    with pytest.raises(sfumato.BadRequest, match="two records"):
        SyntheticMoments(columns=("a",)).apply(sfumato.from_rows(["a"], [(1,)]), RNG(1))
    with pytest.raises(sfumato.BadRequest, match="bounds are for numbers"):
        SyntheticMoments(columns=("town",), bounds={"town": (0, 1)}).apply(source(), RNG(1))


# ---- marginals -------------------------------------------------------------------------------------------------------

DOMAINS: dict[str, Any] = {
    "town": ["Rome", "Bari", "Pisa", "Oslo"],
    "age": {"low": 0, "high": 99, "bins": 9},
    "height": {"low": 100, "high": 240, "bins": 14},
}


def test_without_opendp_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(sfumato.Unsupported, match=r"pip install 'sfumato\[dp\]'") as refused:
        SyntheticMarginals(epsilon=1.0, domains=DOMAINS).apply(source(), RNG(1))
    assert refused.value.alternatives


def test_the_guarantee_is_the_one_of_the_noise() -> None:
    opendp = pytest.importorskip("opendp.prelude")
    asked = SyntheticMarginals(epsilon=0.7, domains=DOMAINS)
    told = asked.apply(source(), RNG(1)).facts["guarantee"]
    assert (told["model"], told["epsilon"], told["adjacency"], told["seedable"]) == (
        "differential-privacy",
        0.7,
        "add-remove",
        False,
    )
    assert told["scale"] == pytest.approx(asked.scale)
    opendp.enable_features("contrib")
    space = opendp.vector_domain(opendp.atom_domain(T="i64")), opendp.l1_distance(T="i64")
    loss = opendp.m.make_laplace(*space, scale=told["scale"]).map(1)
    assert 3 * loss <= 0.7 < 3 * loss * (1 + 1e-9)


def test_noise_has_its_scale(near: Callable[..., None]) -> None:
    """Discrete Laplace noise of scale b: mean 0, variance 2 q / (1 - q)^2 with q = exp(-1/b)."""
    pytest.importorskip("opendp")
    count, rows = 4000, 500
    domain = [str(i) for i in range(count)]
    table = sfumato.from_rows(["v"], [(str(i % 10),) for i in range(rows)])
    made = SyntheticMarginals(epsilon=0.5, domains={"v": domain}, records=5).apply(table, RNG(1))
    noise = np.array(made.facts["noisy_counts"]["v"], float)
    noise[:10] -= rows / 10
    q = np.exp(-0.5)
    variance = 2 * q / (1 - q) ** 2
    near(noise.mean(), 0.0, (variance / count) ** 0.5)
    near((noise**2).mean(), variance, (noise**2).std() / count**0.5)


def test_records_follow_the_noisy_counts(shares: Callable[..., None]) -> None:
    pytest.importorskip("opendp")
    table = source()
    made = SyntheticMarginals(epsilon=2.0, domains=DOMAINS, records=N).apply(table, RNG(1))
    noisy = np.clip(made.facts["noisy_counts"]["town"], 0, None)
    drawn = Counter(made.values("town"))
    possible = [i for i in range(4) if noisy[i] > 0]
    shares([drawn[DOMAINS["town"][i]] for i in possible], noisy[possible] / noisy.sum() * N)
    ages = np.array(made.values("age"))
    assert ages.dtype.kind == "i"
    assert 0 <= ages.min() <= ages.max() <= 99
    weights = np.clip(made.facts["noisy_counts"]["age"], 0, None)
    cells = np.bincount(np.minimum(ages // 11, 8), minlength=9)
    kept = weights > 0
    shares(cells[kept], weights[kept] / weights.sum() * N)
    heights = made.columns["height"]
    assert 100 <= min(heights) <= max(heights) <= 240


def test_the_number_of_records_is_the_noisy_total() -> None:
    pytest.importorskip("opendp")
    made = SyntheticMarginals(epsilon=3.0, domains=DOMAINS).apply(source(), RNG(1))
    noisy = made.facts["noisy_counts"].values()
    assert made.rows == round(sum(map(sum, noisy)) / 3)
    assert abs(made.rows - 3000) < 300


def test_values_outside_of_the_domain() -> None:
    pytest.importorskip("opendp")
    table = sfumato.from_rows(["town", "age"], [("Rome", 30), ("Nowhere", 130)] * 5)
    for domains in ({"town": ["Rome"]}, {"age": {"low": 0, "high": 99, "bins": 3}}):
        with pytest.raises(sfumato.BadRequest, match="outside of the declared domain") as refused:
            SyntheticMarginals(epsilon=1.0, domains=domains).apply(table, RNG(1))
        assert "Nowhere" not in str(refused.value)
        made = SyntheticMarginals(epsilon=50.0, domains=domains, outside="leave-out").apply(table, RNG(1))
        assert made.rows == pytest.approx(5, abs=3)


def test_the_upper_edge_belongs_to_the_last_interval() -> None:
    pytest.importorskip("opendp")
    table = sfumato.from_rows(["n"], [(0,), (9,), (10,)] * 200)
    made = SyntheticMarginals(epsilon=50.0, domains={"n": {"low": 0, "high": 10, "bins": 2}}).apply(table, RNG(1))
    assert made.facts["noisy_counts"]["n"] == pytest.approx([200, 400], abs=5)
    assert set(made.values("n")) == set(range(11))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"epsilon": 0.0, "domains": DOMAINS}, r"epsilon: must be > 0"),
        ({"epsilon": float("inf"), "domains": DOMAINS}, "must be finite"),
        ({"epsilon": 1.0, "domains": {}}, "at least one column"),
        ({"epsilon": 1.0, "domains": {"a": []}}, "list of different categories"),
        ({"epsilon": 1.0, "domains": {"a": ["x", "x"]}}, "list of different categories"),
        ({"epsilon": 1.0, "domains": {"a": {"low": 0}}}, "low, high and bins"),
        ({"epsilon": 1.0, "domains": {"a": {"low": 5, "high": 5, "bins": 2}}}, "low < high"),
        ({"epsilon": 1.0, "domains": {"a": {"low": 0, "high": 5, "bins": 0}}}, "low < high"),
    ],
)
def test_wrong_marginals(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(sfumato.BadRequest, match=words):
        SyntheticMarginals(**asked)
