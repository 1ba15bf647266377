"""Error curves on a table made for it: the ends of the curve are known, the published table is what is measured."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from sfumato.contracts.progress import Silent
from sfumato.data.schema import Role
from sfumato.datasets.dataset import Dataset
from sfumato.errors import BadRequest, Infeasible
from sfumato.experiments.error_curves import ErrorCurves
from sfumato.utility.classification import DecisionTree, fold_numbers

pytest.importorskip("sklearn", reason="scikit-learn is not installed (pip install sfumato[experiments])")

ROWS, TRAIN = 300, 200
TREE = DecisionTree(min_leaf=5)


@pytest.fixture(scope="module")
def table() -> Dataset:
    """Return a table whose class is told by age and town together, and by nothing else."""
    rng = np.random.default_rng(11)
    age = rng.integers(20, 60, ROWS)
    town = rng.choice(["a", "b", "c"], ROWS)
    label = np.where((age >= 40) & (town != "c"), "yes", "no")
    return Dataset(
        "towns",
        {"age": age, "town": town.tolist(), "noise": rng.normal(size=ROWS), "class": label.tolist()},
        roles={"age": Role.PLAIN, "town": Role.PLAIN, "noise": Role.PLAIN, "class": Role.TARGET},
        taxonomies={"town": {"ANY": ["c", {"north": ["a", "b"]}]}},
        train=TRAIN,
    )


def test_between_baseline_and_upper_error(table: Dataset) -> None:
    curve = ErrorCurves("Fig. 0", table, TREE).curve(2, ("age", "town"), (1, 20, ROWS), Silent())
    assert curve.qid == ("age", "town")
    # Nothing needs to be masked for k=1 that the class depends on; nothing can stay for k=n.
    assert curve.at(1).error.rate == pytest.approx(curve.baseline.rate, abs=0.02)  # type: ignore[union-attr]
    assert curve.at(ROWS).error == curve.upper  # type: ignore[union-attr]
    assert curve.baseline.rate < 0.05 < curve.upper.rate
    assert curve.at(7) is None
    assert curve.baseline.n_test == ROWS - TRAIN


def test_masking_meets_its_k_and_uses_the_asked_operation(table: Dataset) -> None:
    def operations(generalize: bool) -> set[str]:
        curve = ErrorCurves("Fig. 0", table, TREE, generalize=generalize).curve(2, ("age", "town"), (20,), Silent())
        return {recoding.id for recoding in curve.points[0].recodings.values()}

    assert operations(False) == {"discretization", "value-suppression"}
    assert operations(True) == {"discretization", "subtree-generalization"}


def test_costs_and_falls(table: Dataset) -> None:
    curve = ErrorCurves("Fig. 0", table, TREE).curve(2, ("age", "town"), (1, 20, ROWS), Silent())
    costs = [curve.cost(point) for point in curve.points]
    assert curve.largest_cost(ROWS) == max(costs)
    assert curve.largest_cost(20) == max(costs[:2])
    assert curve.largest_cost(0) is None
    assert curve.least_benefit() == pytest.approx(0)
    rates = [point.error.rate for point in curve.points]
    assert len(curve.falls()) == sum(b < a for a, b in pairwise(rates))
    assert curve.below_baseline() == [point.k for point in curve.points if curve.cost(point) < 0]


def test_cross_validation_takes_the_same_folds_for_all_errors(table: Dataset) -> None:
    folds = tuple(fold_numbers(ROWS, 5, np.random.default_rng(seed)) for seed in range(2))
    curve = ErrorCurves("Fig. 0", table, TREE, folds=folds).curve(2, ("age", "town"), (ROWS,), Silent())
    assert curve.points[0].error == curve.upper
    assert (curve.baseline.n_test, curve.baseline.repeats) == (ROWS, 2)


def test_progress_is_told(table: Dataset) -> None:
    class Watcher:
        def __init__(self) -> None:
            self.stages: list[tuple[str, float | None]] = []
            self.ticks: list[float] = []

        def stage(self, name: str, total: float | None = None) -> None:
            self.stages.append((name, total))

        def tick(self, done: float, note: str = "") -> None:
            self.ticks.append(done)

    watcher = Watcher()
    ErrorCurves("Fig. 0", table, TREE).curve(1, ("age",), (2, 10), watcher)
    assert watcher.stages == [("towns, Fig. 0, Top1", 2)]
    assert list(dict.fromkeys(watcher.ticks)) == [0, 1, 2]  # what was measured is told before the next begins


def test_more_than_the_table_is_infeasible(table: Dataset) -> None:
    with pytest.raises(Infeasible):
        ErrorCurves("Fig. 0", table, TREE).curve(1, ("age",), (ROWS + 1,), Silent())


def test_a_table_without_parts_is_refused(table: Dataset) -> None:
    with pytest.raises(BadRequest, match="no training and test part"):
        ErrorCurves("Fig. 0", table.part(0, 50), TREE).curve(1, ("age",), (5,), Silent())
