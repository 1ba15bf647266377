"""The five classifiers by name, confidence intervals, and what kind a published column is."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from sfumato.errors import BadRequest
from sfumato.utility.classification import ErrorRate, classification_error, pooled
from sfumato.utility.classifiers import CLASSIFIERS, DecisionTree, classifier_of
from sfumato.utility.features import as_numbers, readable

pytest.importorskip("sklearn", reason="scikit-learn is not installed (pip install sfumato[experiments])")


def columns(rows: int = 300) -> tuple[dict[str, object], dict[str, str]]:
    """Return a table whose class follows from a number and a category."""
    rng = np.random.default_rng(3)
    x, colour = rng.integers(0, 100, rows), rng.choice(["red", "blue"], rows)
    label = np.where(x >= 50, "high", np.where(colour == "red", "red", "blue"))
    return {"x": x, "colour": colour, "class": label}, {"x": "number", "colour": "category"}


@pytest.mark.parametrize("name", list(CLASSIFIERS))
def test_each_learns_three_classes(name: str) -> None:
    table, kinds = columns()
    classifier = classifier_of(name, seed=1, records=200)
    error = classification_error(table, kinds, target="class", train=200, classifier=classifier)  # type: ignore[arg-type]
    assert error.rate < 0.15  # half of the records have the most frequent class
    again = classification_error(table, kinds, target="class", train=200, classifier=classifier)  # type: ignore[arg-type]
    assert error == again
    assert error.classifier == str(classifier)


@pytest.mark.parametrize("name", list(CLASSIFIERS))
def test_a_training_part_of_one_class_predicts_it(name: str) -> None:
    table = {"x": list(range(10)), "class": ["a"] * 8 + ["a", "b"]}
    error = classification_error(table, {"x": "number"}, target="class", train=8, classifier=classifier_of(name))
    assert error.rate == 0.5


def test_leaves_follow_the_number_of_records() -> None:
    leaves = [classifier_of("decision-tree", records=records) for records in (10, 465, 30_162)]
    assert leaves == [DecisionTree(min_leaf=5), DecisionTree(min_leaf=18), DecisionTree(min_leaf=50)]


def test_names_and_objects() -> None:
    own = DecisionTree(min_leaf=3)
    assert classifier_of(own) is own
    with pytest.raises(BadRequest, match="did you mean 'naive-bayes'"):
        classifier_of("naive-base")
    with pytest.raises(BadRequest, match="method predict"):
        classifier_of(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("module, name", [("linear_model", "logistic-regression"), ("ensemble", "random-forest")])
def test_scikit_learn_missing(monkeypatch: pytest.MonkeyPatch, module: str, name: str) -> None:
    import sys

    table, kinds = columns(30)
    monkeypatch.setitem(sys.modules, f"sklearn.{module}", None)
    with pytest.raises(BadRequest, match=r"pip install sfumato\[experiments\]"):
        classification_error(table, kinds, target="class", train=20, classifier=classifier_of(name))  # type: ignore[arg-type]


class TestInterval:
    @pytest.mark.parametrize("wrong, n", [(0, 10), (10, 10), (3, 50), (147, 1000)])
    def test_ends_solve_the_quadratic_equation(self, wrong: int, n: int) -> None:
        # Wilson: the ends are the rates p whose own standard error reaches the observed rate in z steps.
        observed, z = wrong / n, 1.959963984540054
        for end in ErrorRate(observed, n, "x").interval():
            if 0 < end < 1:
                assert abs(observed - end) == pytest.approx(z * (end * (1 - end) / n) ** 0.5)

    def test_it_is_never_empty_and_grows_with_confidence(self) -> None:
        error = ErrorRate(0.0, 50, "x")
        assert error.interval()[0] == 0 < error.interval()[1] < error.interval(0.99)[1]

    @pytest.mark.parametrize("confidence", [0, 1, 95])
    def test_refusals(self, confidence: float) -> None:
        with pytest.raises(BadRequest, match="> 0 and < 1"):
            ErrorRate(0.1, 50, "x").interval(confidence)

    def test_it_holds_as_often_as_it_says(self) -> None:
        rng = np.random.default_rng(0)
        held = 0
        for wrong in rng.binomial(200, 0.15, 2000):
            low, high = ErrorRate(wrong / 200, 200, "x").interval(0.9)
            held += low <= 0.15 <= high
        assert 0.87 < held / 2000 < 0.93


def test_pooled_errors_count_every_record_once() -> None:
    assert pooled([ErrorRate(1 / 3, 3, "x"), ErrorRate(0.5, 4, "x")]) == ErrorRate(3 / 7, 7, "x")


class TestKinds:
    @pytest.mark.parametrize(
        "values, kind",
        [
            ([1, 2.5], "number"),
            ([date(2024, 1, 1), date(2023, 1, 1)], "number"),
            (["[1-3)", "[3-9]"], "interval"),
            (["[1-3)", "7"], "interval"),
            (["[1-3)", "*"], "category"),
            (["17", "18"], "category"),
            ([True, False], "category"),
            ([1, None], "category"),
            ([None, None], "category"),
            ([], "category"),
        ],
    )
    def test_of_published_columns(self, values: list[object], kind: str) -> None:
        assert readable(values)[0] == kind

    def test_numbers_that_a_file_holds_as_text(self) -> None:
        assert readable(["17", "18.5"], numeric=True) == ("number", [17.0, 18.5])
        assert readable(["17", "*"], numeric=True)[0] == "category"

    def test_dates_keep_their_order(self) -> None:
        _, values = readable([date(2024, 1, 2), date(2023, 12, 31)])
        assert values[0] - values[1] == 2

    def test_many_categories_are_capped_by_frequency(self) -> None:
        values = [f"v{i}" for i in range(800)] + ["often"] * 5
        hot = as_numbers("x", "category", values, np.ones(805, bool))
        assert hot.shape == (805, 500)
        assert hot[-5:].sum() == 5
