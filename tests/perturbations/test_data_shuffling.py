"""Data shuffling: values stay, relations stay on average, the order tells nothing beyond the given columns."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest

import sfumato
from sfumato.perturbations import DataShuffling
from sfumato.perturbations.data_shuffling import conditional_deviation, in_order_of, normal_correlation, normal_scores

RNG = np.random.default_rng


def related(count: int, seed: int = 1) -> sfumato.Table:
    rng = RNG(seed)
    age = rng.integers(20, 80, count)
    pay = (age * 40 + rng.normal(0, 400, count)).round().astype(int)
    return sfumato.from_rows(
        ["age", "pay", "size", "born", "sex"],
        [
            (int(a), int(p), ("S", "M", "L")[int(a) % 3], date(1950, 1, 1) + timedelta(int(p)), "fm"[i % 2])
            for i, (a, p) in enumerate(zip(age, pay, strict=True))
        ],
    )


def spearman(a: list[float], b: list[float]) -> float:
    ranks = [np.argsort(np.argsort(np.asarray(values, float), kind="stable")) for values in (a, b)]
    return float(np.corrcoef(*ranks)[0, 1])


def test_the_worked_example_of_the_method() -> None:
    assert in_order_of([5, 9, 1, 7], [0.3, -1.2, 2.0, 0.1]) == [7, 1, 9, 5]
    assert normal_correlation(0.8) == pytest.approx(0.813473, abs=1e-6)
    assert conditional_deviation(normal_correlation(0.8)) == pytest.approx(0.581602, abs=1e-6)
    scores = normal_scores(101)
    assert scores[50] == pytest.approx(0, abs=1e-12)
    assert scores + scores[::-1] == pytest.approx(np.zeros(101), abs=1e-9)


def test_values_stay_and_relations_stay_on_average() -> None:
    table = related(3000)
    made = DataShuffling(columns=("pay", "born"), given=("age",)).apply(table, RNG(2))
    old = {name: [row[at] for row in table.to_rows()] for at, name in enumerate(table.columns)}
    for name in ("pay", "born"):
        assert sorted(made.values(name)) == sorted(old[name])  # type: ignore[type-var]
    before, after = spearman(old["age"], old["pay"]), spearman(old["age"], made.values("pay"))  # type: ignore[arg-type]
    assert after == pytest.approx(before, abs=0.05)
    days = [d.toordinal() for d in made.values("born")]  # type: ignore[union-attr, attr-defined]
    assert spearman(made.values("pay"), days) == pytest.approx(1, abs=0.01)  # type: ignore[arg-type]
    assert made.private["records_changed"] > 2900  # type: ignore[operator]


def test_given_the_other_columns_the_order_tells_nothing() -> None:
    # What is left of pay after age has no relation to what is left of the shuffled pay.
    table = related(4000)
    rows = np.array([row[:2] for row in table.to_rows()], float)
    shuffled = np.array(DataShuffling(columns=("pay",), given=("age",)).apply(table, RNG(3)).values("pay"), float)
    left = [values - np.polyval(np.polyfit(rows[:, 0], values, 1), rows[:, 0]) for values in (rows[:, 1], shuffled)]
    assert abs(np.corrcoef(*left)[0, 1]) < 0.05


def test_words_with_an_order_are_dealt_out_too() -> None:
    table = related(300)
    asked = DataShuffling(columns=("size",), given=("age", "sex"), orders={"size": ["S", "M", "L"], "sex": ["f", "m"]})
    made = asked.apply(table, RNG(4))
    assert sorted(made.values("size")) == sorted(row[2] for row in table.to_rows())  # type: ignore[type-var]


@pytest.mark.parametrize(
    ("asked", "rows", "said"),
    [
        ({"columns": ["pay"], "given": ["pay"]}, 9, "already"),
        ({"columns": ["size"]}, 9, "without an order"),
        ({"columns": ["size"], "orders": {"size": ["S", "M"]}}, 9, "not in the order"),
        ({"columns": ["size"], "orders": {"size": ["S", "S"]}}, 9, "each value once"),
        ({"columns": ["size"], "orders": {"pay": [1]}}, 9, "not one of the columns"),
        ({"columns": ["pay"]}, 2, "at least 3"),
    ],
)
def test_what_cannot_be_shuffled_is_refused(asked: dict[str, object], rows: int, said: str) -> None:
    with pytest.raises(sfumato.BadRequest, match=said):
        DataShuffling.from_spec(asked).apply(related(rows), RNG(1))


def test_a_constant_column_and_missing_values_are_refused() -> None:
    for held, said in (([1, 1, 1], "one value only"), ([1, None, 2], "missing")):
        table = sfumato.from_rows(["pay"], [(value,) for value in held])
        with pytest.raises(sfumato.BadRequest, match=said):
            DataShuffling(columns=("pay",)).apply(table, RNG(1))


def test_columns_that_contradict_each_other_are_still_drawn() -> None:
    # Three equal columns have a correlation matrix without an inverse.
    table = sfumato.from_rows(["a", "b", "c"], [(i, i, i) for i in range(20)])
    made = DataShuffling(columns=("a",), given=("b", "c")).apply(table, RNG(5))
    assert spearman(made.values("a"), list(range(20))) > 0.99  # type: ignore[arg-type]
