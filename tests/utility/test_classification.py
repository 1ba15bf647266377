"""Classification errors: hand-made tables with known errors, encodings, refusals, cross-validation."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from sfumato.errors import BadRequest
from sfumato.utility.classification import (
    DecisionTree,
    ErrorRate,
    Errors,
    NaiveBayes,
    area_under_curve,
    classification_error,
    classification_errors,
    fold_numbers,
    lower_bound,
    repeated_error,
)

pytest.importorskip("sklearn", reason="scikit-learn is not installed (pip install sfumato[experiments])")

TREE = DecisionTree(min_leaf=1)
# Training rows first; the class follows the colour, except in the last of the four test rows.
COLOUR = ["red", "blue"] * 6
LABEL = ["yes", "no"] * 5 + ["yes", "yes"]
TRAIN = 8


class TestErrorRate:
    def test_standard_error_is_binomial(self) -> None:
        assert ErrorRate(0.5, 100, "x").standard_error == pytest.approx(0.05)
        assert ErrorRate(0.0, 100, "x").standard_error == 0

    def test_percent(self) -> None:
        assert ErrorRate(0.147, 15060, "x").percent == pytest.approx(14.7)


class TestOneSplit:
    @pytest.mark.parametrize("classifier", [TREE, NaiveBayes()])
    def test_counts_the_wrong_test_records(self, classifier: DecisionTree | NaiveBayes) -> None:
        error = classification_error(
            {"colour": COLOUR, "class": LABEL},
            {"colour": "category"},
            target="class",
            train=TRAIN,
            classifier=classifier,
        )
        assert (error.rate, error.n_test) == (0.25, 4)
        assert error.classifier == str(classifier)

    def test_mask_and_count_of_leading_rows_are_the_same_split(self) -> None:
        columns = {"colour": COLOUR, "class": LABEL}
        kinds = {"colour": "category"}
        mask = np.arange(12) < TRAIN
        by_count = classification_error(columns, kinds, target="class", train=TRAIN, classifier=TREE)  # type: ignore[arg-type]
        assert by_count == classification_error(columns, kinds, target="class", train=mask, classifier=TREE)  # type: ignore[arg-type]

    def test_without_any_column_the_majority_is_predicted(self) -> None:
        label = ["no"] * 5 + ["yes"] * 3 + ["yes", "yes", "yes", "no"]
        error = classification_error(
            {"colour": COLOUR, "class": label}, {}, target="class", train=TRAIN, without=["colour"], classifier=TREE
        )
        assert error.rate == 0.75

    def test_numbers_and_intervals_are_ordered(self) -> None:
        # 9 < 10 as numbers and not as texts: one cut separates the classes only if the order is that of numbers.
        low, high = ["[2-9)", "[9-10)"], ["[10-30)", "[30-99]"]
        labels = (low + high) * 3
        classes = ["low", "low", "high", "high"] * 3
        stump = DecisionTree(min_leaf=4)
        as_interval = classification_error(
            {"x": labels, "class": classes}, {"x": "interval"}, target="class", train=8, classifier=stump
        )
        as_number = classification_error(
            {"x": [lower_bound(label) for label in labels], "class": classes},
            {"x": "number"},
            target="class",
            train=8,
            classifier=stump,
        )
        as_category = classification_error(
            {"x": labels, "class": classes}, {"x": "category"}, target="class", train=8, classifier=stump
        )
        assert as_interval.rate == as_number.rate == 0
        assert as_category.rate > 0

    def test_leaf_size_is_kept(self) -> None:
        error = classification_error(
            {"colour": COLOUR, "class": LABEL},
            {"colour": "category"},
            target="class",
            train=TRAIN,
            classifier=DecisionTree(min_leaf=5),
        )
        assert (
            error.rate == 0.75
        )  # no split leaves five of the eight on both sides: all become "no", the first of a tie

    @pytest.mark.parametrize("classifier", [TREE, NaiveBayes()])
    def test_values_new_in_the_test_part_are_taken(self, classifier: DecisionTree | NaiveBayes) -> None:
        columns = {"colour": [*COLOUR[:-1], "green"], "size": list(range(12)), "class": LABEL}
        error = classification_error(
            columns, {"colour": "category", "size": "number"}, target="class", train=TRAIN, classifier=classifier
        )
        assert 0 <= error.rate <= 1

    def test_naive_bayes_bins_are_cut_on_the_training_part(self) -> None:
        # The class is the upper half of the training numbers; a huge test number must not move the cut.
        x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 1e9, 2.0]
        label = ["no"] * 4 + ["yes"] * 4 + ["yes", "no"]
        error = classification_error(
            {"x": x, "class": label}, {"x": "number"}, target="class", train=8, classifier=NaiveBayes(bins=2)
        )
        assert error.rate == 0

    def test_same_input_same_error_and_inputs_untouched(self) -> None:
        rng = np.random.default_rng(3)
        columns = {
            "x": rng.normal(size=300),
            "c": rng.integers(0, 4, 300).astype(str),
            "class": rng.integers(0, 2, 300),
        }
        copies = {name: values.copy() for name, values in columns.items()}
        state = np.random.get_state()[1].copy()  # type: ignore[index, union-attr]  # noqa: NPY002
        kinds = {"x": "number", "c": "category"}
        first = classification_error(columns, kinds, target="class", train=200, classifier=DecisionTree(min_leaf=5))  # type: ignore[arg-type]
        again = classification_error(columns, kinds, target="class", train=200, classifier=DecisionTree(min_leaf=5))  # type: ignore[arg-type]
        assert first == again
        assert all(np.array_equal(columns[name], copies[name]) for name in columns)
        assert np.array_equal(np.random.get_state()[1], state)  # type: ignore[index]  # noqa: NPY002


class TestThreeErrors:
    def test_cost_and_benefit(self) -> None:
        raw = {"colour": COLOUR, "noise": ["a"] * 12, "class": ["yes", "no"] * 6}
        masked = {**raw, "colour": ["*"] * 12}
        kinds = {"colour": "category", "noise": "category"}
        errors = classification_errors(
            raw,
            masked,
            raw_kinds=kinds,  # type: ignore[arg-type]
            masked_kinds=kinds,  # type: ignore[arg-type]
            qid=["colour"],
            target="class",
            train=TRAIN,
            classifier=TREE,
        )
        assert (errors.baseline.rate, errors.anonymity.rate, errors.upper.rate) == (0, 0.5, 0.5)
        assert (errors.cost, errors.benefit) == (0.5, 0)


class TestCrossValidation:
    def test_folds_are_equal_and_reproducible(self) -> None:
        numbers = fold_numbers(103, 10, np.random.default_rng(1))
        assert sorted(np.bincount(numbers)) == [10] * 7 + [11] * 3
        assert np.array_equal(numbers, fold_numbers(103, 10, np.random.default_rng(1)))

    def test_every_record_is_tested_once(self) -> None:
        # The class of every record is its colour, except for three: whatever the folds, these three are wrong.
        colour, label = ["red", "blue"] * 20, ["yes", "no"] * 20
        for wrong in (3, 10, 21):
            label[wrong] = "no" if label[wrong] == "yes" else "yes"
        folds = [fold_numbers(40, 5, np.random.default_rng(seed)) for seed in range(3)]
        error = repeated_error(
            {"colour": colour, "class": label}, {"colour": "category"}, target="class", folds=folds, classifier=TREE
        )
        assert (error.rate, error.n_test, error.repeats, error.spread) == (pytest.approx(3 / 40), 40, 3, 0)

    @pytest.mark.parametrize("folds", [1, 41])
    def test_wrong_number_of_folds(self, folds: int) -> None:
        with pytest.raises(BadRequest, match="must be from 2 to the 40 rows"):
            fold_numbers(40, folds, np.random.default_rng(0))

    def test_no_repeat(self) -> None:
        with pytest.raises(BadRequest, match="at least one repeat"):
            repeated_error({"class": LABEL}, {}, target="class", folds=[])


class TestLowerBound:
    @pytest.mark.parametrize(
        "label, bound",
        [
            ("[1-37)", 1),
            ("[37-99]", 37),
            ("[-5..3)", -5),
            ("[0.5-1.25)", 0.5),
            ("[1e-05-0.5)", 1e-05),
            ("[1e+20-2e+20]", 1e20),
        ],
    )
    def test_reads_labels(self, label: str, bound: float) -> None:
        assert lower_bound(label) == bound

    @pytest.mark.parametrize("label", ["*", "17", "[17)", ""])
    def test_refuses_the_rest_by_name(self, label: str) -> None:
        with pytest.raises(BadRequest, match="is not an interval") as refused:
            lower_bound(label, column="age")
        assert refused.value.column == "age"


class TestRefusals:
    COLUMNS = {"x": [1, 2, 3, 4], "class": ["a", "b", "a", "b"]}

    def test_unknown_target(self) -> None:
        with pytest.raises(BadRequest, match="is not a column") as refused:
            classification_error(self.COLUMNS, {"x": "number"}, target="klass", train=2)
        assert refused.value.available == ["x", "class"]

    def test_unknown_column_to_leave_out(self) -> None:
        with pytest.raises(BadRequest, match="without: is not a column"):
            classification_error(self.COLUMNS, {"x": "number"}, target="class", train=2, without=["y"])

    @pytest.mark.parametrize("kinds", [{}, {"x": "nominal"}])
    def test_column_without_a_kind(self, kinds: dict[str, str]) -> None:
        with pytest.raises(BadRequest, match="needs a kind") as refused:
            classification_error(self.COLUMNS, kinds, target="class", train=2)  # type: ignore[arg-type]
        assert refused.value.column == "x"

    @pytest.mark.parametrize("train", [0, 4, np.ones(4, bool)])
    def test_empty_part(self, train: int) -> None:
        with pytest.raises(BadRequest, match="both sides"):
            classification_error(self.COLUMNS, {"x": "number"}, target="class", train=train)

    @pytest.mark.parametrize("train", [np.ones(3, bool), np.array([0, 1, 1, 0])])
    def test_mask_of_another_shape_or_type(self, train: np.ndarray) -> None:  # type: ignore[type-arg]
        with pytest.raises(BadRequest, match="must be a mask of the 4 rows"):
            classification_error(self.COLUMNS, {"x": "number"}, target="class", train=train)

    def test_columns_of_different_length(self) -> None:
        with pytest.raises(BadRequest, match="has 3 values, the target has 4"):
            classification_error({**self.COLUMNS, "x": [1, 2, 3]}, {"x": "number"}, target="class", train=2)

    @pytest.mark.parametrize("values, rule", [([1, None, 3, 4], "missing"), (["a", "b", "c", "d"], "not numbers")])
    def test_numbers_that_are_none(self, values: list[object], rule: str) -> None:
        with pytest.raises(BadRequest, match=rule) as refused:
            classification_error({**self.COLUMNS, "x": values}, {"x": "number"}, target="class", train=2)
        assert refused.value.column == "x"

    def test_scikit_learn_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "sklearn.tree", None)
        with pytest.raises(BadRequest, match=r"pip install sfumato\[experiments\]"):
            classification_error(self.COLUMNS, {"x": "number"}, target="class", train=2)


def test_scikit_learn_is_imported_only_when_used() -> None:
    code = "import sys, sfumato.utility.classification; print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


class TestAreasAndTheZeroRule:
    def test_area_is_the_share_of_pairs_in_order(self) -> None:
        rng = np.random.default_rng(1)
        scores, positive = rng.integers(0, 5, 40) / 4, rng.random(40) < 0.4
        pairs = [(a > b) + (a == b) / 2 for a in scores[positive] for b in scores[~positive]]
        assert area_under_curve(scores, positive) == pytest.approx(np.mean(pairs))
        with pytest.raises(BadRequest, match="needs records"):
            area_under_curve(scores, np.ones(40, bool))

    def test_the_worked_example(self) -> None:
        scores = np.array([0.9, 0.6, 0.4, 0.8, 0.4, 0.2, 0.1])
        assert area_under_curve(scores, np.arange(7) < 3) == pytest.approx(0.791667, abs=5e-7)

    def test_what_is_left_of_what_raw_columns_teach(self) -> None:
        raw, released, none = (ErrorRate(rate, 100, "x", zero=0.6) for rate in (0.2, 0.3, 0.4))
        assert Errors(raw, released, none).relative_accuracy == pytest.approx(0.5)
        assert Errors(none, released, none).relative_accuracy is None
        assert Errors(ErrorRate(0.2, 100, "x"), released, none).relative_accuracy is None

    def test_a_column_that_tells_everything_ranks_all(self) -> None:
        columns = {"x": [at % 2 for at in range(80)], "y": ["ab"[at % 2] for at in range(80)]}
        told = classification_error(columns, {"x": "number"}, target="y", train=60, classifier=DecisionTree(min_leaf=5))
        assert (told.rate, told.zero, told.auc) == (0.0, 0.5, 1.0)
        blind = classification_error(columns, {"x": "number"}, target="y", train=60, without=["x"])
        assert (blind.zero, blind.auc) == (0.5, None)
