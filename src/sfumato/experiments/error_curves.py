"""How the classification error moves with k: mask the whole table for each k, split it, train, test.

The publisher releases one file and leaves the split to the recipient, so training and test part are masked together; all
columns, masked or not, go to the classifier. Fung, Wang, Yu 2007, section V-A, doi:10.1109/TKDE.2007.1015.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from time import perf_counter

from sfumato.contracts.engine import Table
from sfumato.contracts.progress import Progress
from sfumato.contracts.published import Release
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.data.frozen import frozen
from sfumato.data.schema import Role
from sfumato.datasets.dataset import Dataset
from sfumato.errors import BadRequest, InternalError
from sfumato.experiments.course import each_of
from sfumato.kernels.arrays import Ints
from sfumato.tables.open import from_dataset
from sfumato.utility.classification import (
    Classifier,
    ColumnKind,
    ErrorRate,
    classification_error,
    repeated_error,
)
from sfumato.verbs.anonymize import anonymize

__all__ = ["Curve", "ErrorCurves", "Point"]


@frozen(eq=False)
class Point:
    """The error of one masked table, how it was masked, and how long that took."""

    k: int
    error: ErrorRate
    recodings: Mapping[str, ColumnRecoding]
    seconds: float


@frozen(eq=False)
class Curve:
    """``AE`` for rising k between ``BE`` and ``UE``, for one quasi-identifier of the ``top`` most telling columns."""

    figure: str
    top: int
    qid: tuple[str, ...]
    baseline: ErrorRate
    upper: ErrorRate
    points: tuple[Point, ...]

    def at(self, k: int) -> Point | None:
        """Return the point of this k, if it was measured."""
        return next((point for point in self.points if point.k == k), None)

    def cost(self, point: Point) -> float:
        """Return ``AE - BE`` in per cent points."""
        return point.error.percent - self.baseline.percent

    def largest_cost(self, up_to: int) -> float | None:
        """Return the largest ``AE - BE`` over the points up to this k, if there are any."""
        costs = [self.cost(point) for point in self.points if point.k <= up_to]
        return max(costs) if costs else None

    def least_benefit(self) -> float:
        """Return the smallest ``UE - AE`` in per cent points."""
        return min(self.upper.percent - point.error.percent for point in self.points)

    def falls(self) -> list[str]:
        """Name the steps to a larger k at which the error became smaller."""
        return [f"k={a.k} to {b.k}" for a, b in pairwise(self.points) if b.error.rate < a.error.rate]

    def below_baseline(self) -> list[int]:
        """Return the ks at which the masked table gives a smaller error than the raw one."""
        return [point.k for point in self.points if point.error.rate < self.baseline.rate]


@frozen(eq=False)
class ErrorCurves:
    """Measures curves on one split table with one classifier.

    ``generalize`` uses the dataset's taxonomies; otherwise categories are suppressed. Numbers are discretized either way.
    With ``folds`` the error is that of repeated cross-validation instead of the given split.
    """

    figure: str
    dataset: Dataset
    classifier: Classifier
    generalize: bool = False
    folds: tuple[Ints, ...] = ()

    def curve(self, top: int, ranking: Sequence[str], ks: Sequence[int], progress: Progress) -> Curve:
        """Mask the ``top`` first columns of the ranking for each k and measure the error."""
        qid = tuple(ranking[:top])
        points = each_of(
            progress,
            f"{self.dataset.name}, {self.figure}, Top{top}",
            ks,
            lambda k: f"k={k}",
            lambda k: self._point(k, qid),
            lambda point: f"AE {point.error.percent:.2f}",
        )
        return Curve(self.figure, top, qid, self.baseline, self._error(self._raw, self._kinds, qid), tuple(points))

    @cached_property
    def baseline(self) -> ErrorRate:
        """``BE``: the error on the raw table."""
        return self._error(self._raw, self._kinds)

    @cached_property
    def _target(self) -> str:
        return self.dataset.of(Role.TARGET)[0]

    @cached_property
    def _table(self) -> Table:
        return from_dataset(self.dataset)

    @cached_property
    def _raw(self) -> dict[str, list[object]]:
        return {name: self.dataset.values(name) for name in self.dataset.columns}

    @cached_property
    def _kinds(self) -> dict[str, ColumnKind]:
        return {
            name: "number" if kind.numeric else "category"
            for name, kind in self._table.types.items()
            if name != self._target
        }

    def _policy(self, k: int, qid: Sequence[str]) -> dict[str, object]:
        columns: dict[str, dict[str, object]] = {name: {"role": "plain"} for name in self.dataset.columns}
        columns[self._target] = {"role": "target"}
        for name in qid:
            columns[name] = {"role": "quasi-identifier"}
            if self.generalize and name in self.dataset.taxonomies:
                columns[name]["hierarchy"] = {"id": "taxonomy", "tree": self.dataset.taxonomies[name]}
            elif name in self.dataset.ranges:
                columns[name]["range"] = self.dataset.ranges[name]
        return {
            "columns": columns,
            "requirements": [{"id": "k-anonymity", "k": k}],
            "algorithm": {"id": "tdr"},
            "metrics": [],
            # The split is by position, so the released rows must stay where they were.
            "output": {"row_order": "keep"},
        }

    def _point(self, k: int, qid: Sequence[str]) -> Point:
        begun = perf_counter()
        release = anonymize(self._table, self._policy(k, qid))
        seconds = perf_counter() - begun
        masked = _columns(release)
        if masked[self._target] != self._raw[self._target]:
            raise InternalError("the release does not keep the rows in their order; the split would be another one")
        kinds = self._kinds | {
            name: "interval" if recoding.id == "discretization" else "category"
            for name, recoding in release.recodings.items()
        }
        return Point(k, self._error(masked, kinds), release.recodings, seconds)

    def _error(
        self, columns: Mapping[str, list[object]], kinds: Mapping[str, ColumnKind], without: Sequence[str] = ()
    ) -> ErrorRate:
        if self.folds:
            return repeated_error(
                columns, kinds, target=self._target, folds=self.folds, classifier=self.classifier, without=without
            )
        if self.dataset.train is None:
            raise BadRequest(f"dataset {self.dataset.name!r} has no training and test part", parameter="dataset")
        return classification_error(
            columns,
            kinds,
            target=self._target,
            train=self.dataset.train,
            classifier=self.classifier,
            without=without,
        )


def _columns(release: Release) -> dict[str, list[object]]:
    return dict(zip(release.table.columns, map(list, zip(*release.table.to_rows(), strict=True)), strict=True))
