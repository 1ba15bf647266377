"""Log-linear risk: the worked example, its fits against plain likelihood, and populations that are known."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.attacks.uniqueness._log_linear import fit

CELLS = {("a", "x"): 1, ("a", "y"): 3, ("a", "z"): 2, ("b", "x"): 4, ("b", "y"): 1, ("b", "z"): 5}


def table(weights: dict[tuple[str, str], list[float]] | None = None) -> sfumato.Table:
    rows = [
        (*cell, (weights or {}).get(cell, [10.0] * count)[i]) for cell, count in CELLS.items() for i in range(count)
    ]
    return sfumato.from_rows(["P", "Q", "w"], rows)


def asked(**more: object) -> Any:
    return sfumato.attack(table(), {"id": "log-linear-risk", "population": 160, **more}, qid=["P", "Q"])


def test_the_worked_example_of_the_method() -> None:
    found = asked()
    assert found.uniques == 2
    assert sorted(found.fitted.tolist()) == pytest.approx([18.75, 25.0])
    assert sorted(found.unseen.tolist()) == pytest.approx([16.875, 22.5])
    assert found.tau1 == pytest.approx(4.708083e-8, rel=1e-6)
    assert found.tau2 == pytest.approx(0.103703701, abs=1e-9)
    assert (found.share1, found.share2) == (found.tau1 / 2, found.tau2 / 2)


def test_equal_weights_change_nothing() -> None:
    plain = asked()
    for method in ("ce", "plm", "weighted"):
        assert asked(method=method, weight="w").tau2 == pytest.approx(plain.tau2, rel=1e-6), method


def test_fits_maximise_the_likelihood() -> None:
    rng = np.random.default_rng(1)
    counts = rng.poisson(3.0, (3, 4, 2)).astype(float)
    start, slope = rng.uniform(0.5, 1.5, counts.shape), rng.uniform(0, 1, counts.shape)
    terms = [[0], [1], [2], [0, 1]]
    fitted = fit(counts, terms, start, slope)
    for axes in terms:
        rest = tuple(axis for axis in range(3) if axis not in axes)
        assert fitted.sum(axis=rest) == pytest.approx(counts.sum(axis=rest))
    assert (fitted * slope).sum() == pytest.approx((counts * slope).sum())

    # Whatever else the same terms could make of the cells is less likely.
    def likelihood(mean: Any) -> float:
        return float((counts * np.log(mean) - mean).sum())

    for axis, size in itertools.product(range(3), (0.9, 1.1)):
        shape = [1, 1, 1]
        shape[axis] = counts.shape[axis]
        factor = np.ones(counts.shape[axis])
        factor[0] = size
        assert likelihood(fitted * factor.reshape(shape)) < likelihood(fitted)
    for step in (-0.1, 0.1):
        assert likelihood(fitted * np.exp(step * slope)) < likelihood(fitted)


@pytest.mark.parametrize("seed", range(6))
def test_a_slope_that_hardly_varies_is_fitted_as_newton_fits_it(seed: int) -> None:
    """Mean weights of 8 to 12 are nearly a constant, which the margins know already; the maximum is still the same."""
    rng = np.random.default_rng(seed)
    shape = (2, 3) if seed % 2 else (3, 4)
    # Every cell holds records: without, there may be no maximum.
    counts, slope = rng.integers(1, 7, shape).astype(float), rng.uniform(8, 12, shape)
    cells = list(np.ndindex(shape))
    design = np.array(
        [
            [1.0, *(i == at for at in range(1, shape[0])), *(j == at for at in range(1, shape[1])), slope[i, j] - 10]
            for i, j in cells
        ]
    )
    beta = np.zeros(design.shape[1])
    beta[0] = np.log(counts.mean())
    for _ in range(100):
        expected = np.exp(design @ beta)
        step = np.linalg.solve(design.T @ (expected[:, None] * design), design.T @ (counts.ravel() - expected))
        beta += step / max(1.0, np.abs(step).max())
    assert fit(counts, [[0], [1]], slope=slope / slope.max()).ravel() == pytest.approx(np.exp(design @ beta), rel=1e-7)


def test_a_known_population_is_found_again() -> None:
    rng = np.random.default_rng(2)
    people = np.column_stack([rng.integers(0, 12, 6000), rng.integers(0, 12, 6000), rng.integers(0, 12, 6000)])
    sampled = rng.random(6000) < 0.2
    everybody = {
        tuple(cell): int(count) for cell, count in zip(*np.unique(people, axis=0, return_counts=True), strict=True)
    }
    cells, counts = np.unique(people[sampled], axis=0, return_counts=True)
    alone = [everybody[tuple(cell)] for cell in cells[counts == 1]]
    published = sfumato.from_rows(["a", "b", "c"], [tuple(map(int, row)) for row in people[sampled]])
    found: Any = sfumato.attack(published, {"id": "log-linear-risk", "population": 6000}, qid=["a", "b", "c"])
    assert found.uniques == len(alone)
    assert found.tau1 == pytest.approx(sum(count == 1 for count in alone), rel=0.25)
    assert found.tau2 == pytest.approx(sum(1 / count for count in alone), rel=0.1)


def test_impossible_cells_interactions_and_the_habit_of_a_tool() -> None:
    whole = asked(terms=[["P", "Q"]])
    # With the interaction every cell is fitted by itself: ten persons for each record.
    assert whole.fitted.tolist() == pytest.approx([10, 10])
    assert asked(as_sdcmicro=True, weight="w", bound=1).tau2 != pytest.approx(asked().tau2)
    rows = [("a", "x"), ("a", "y"), ("b", "x")]
    open_, closed = (
        sfumato.attack(
            sfumato.from_rows(["P", "Q"], rows),
            {"id": "log-linear-risk", "population": 30, "impossible": impossible},
            qid=["P", "Q"],
        )
        for impossible in ([], [["b", "y"]])
    )
    assert closed.fitted.sum() == pytest.approx(30)  # type: ignore[attr-defined]
    assert open_.fitted.sum() < 30  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"population": 3}, "smaller than the number of records"),
        ({"method": "ce"}, "needs weights"),
        ({"as_sdcmicro": True}, "needs weights"),
        ({"terms": [["Z"]]}, "no column to link by"),
        ({"terms": ["P"]}, "list"),
        ({"impossible": [["a", "x"]]}, "holds records"),
        ({"impossible": [["a"]]}, "not a cell"),
    ],
)
def test_what_cannot_be_fitted_is_refused(more: dict[str, object], said: str) -> None:
    with pytest.raises(sfumato.BadRequest, match=said):
        asked(**more)


def test_wrong_weights_and_too_many_cells_are_refused() -> None:
    odd = table({("a", "y"): [1.0, -1.0, 2.0]})
    with pytest.raises(sfumato.BadRequest, match="positive"):
        sfumato.attack(
            odd, {"id": "log-linear-risk", "population": 160, "weight": "w", "method": "plm"}, qid=["P", "Q"]
        )
    worded = sfumato.from_rows(["P", "Q", "w"], [("a", "x", "2"), ("a", "y", "many"), ("b", "x", "2")])
    for weight in ("w", "v"):
        with pytest.raises(sfumato.BadRequest, match="must be a column of numbers") as caught:
            sfumato.attack(worded, {"id": "log-linear-risk", "population": 160, "weight": weight}, qid=["P", "Q"])
        assert "many" not in str(caught.value)
    wide = sfumato.from_rows(["a", "b", "c"], [(i, i, i) for i in range(200)])
    with pytest.raises(sfumato.BadRequest, match="cells"):
        sfumato.attack(wide, {"id": "log-linear-risk", "population": 500}, qid=["a", "b", "c"])
    told = sfumato.audit(wide, qid=["a", "b", "c"], population=500)
    assert any(one.attack == "log-linear-risk" and "fewer combinations" in one.reason for one in told.untried)
