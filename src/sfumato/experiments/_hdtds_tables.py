"""Adult masked by High-Dimensional Top-Down Specialization: errors of trees that learn from it, discernibility, time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from time import perf_counter

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.facts import StepFacts
from sfumato.data.frozen import frozen
from sfumato.datasets.blowup import blow_up
from sfumato.datasets.dataset import Dataset
from sfumato.tables.open import from_dataset
from sfumato.utility.classification import ColumnKind, DecisionTree, ErrorRate, classification_error
from sfumato.verbs.anonymize import anonymize

__all__ = ["PROTECTED", "SENSITIVE", "MaskedAdult", "Point"]

_TARGET = "class"
SENSITIVE = "marital-status"
PROTECTED = ("Divorced", "Separated")


@frozen(eq=False)
class Point:
    """One requirement L (``length``), K (``least``), C (``most``): the error of a tree, and how the table came about.

    ``ratio`` is the discernibility of the table that the same requirement leads to where nothing is predicted.
    """

    length: int
    least: int
    most: float
    error: ErrorRate
    ratio: float
    smallest: int
    confidence: float | None
    steps: int
    seconds: float


class MaskedAdult:
    """The table, what a tree makes of it raw, and masked tables of it."""

    def __init__(self, data: Dataset, classifier: DecisionTree) -> None:
        self.data = data
        self.classifier = classifier
        self.train = data.train or 0
        self.qid = tuple(name for name in data.columns if name not in (_TARGET, SENSITIVE))
        self.raw: dict[str, list[object]] = {name: data.values(name) for name in data.columns}
        self.table: Table = from_dataset(data)
        self.kinds: dict[str, ColumnKind] = {
            name: "number" if kind.numeric else "category" for name, kind in self.table.types.items() if name != _TARGET
        }

    @cached_property
    def baseline(self) -> ErrorRate:
        return self._error(self.raw, self.kinds)

    @cached_property
    def upper(self) -> ErrorRate:
        return self._error(self.raw, self.kinds, self.qid)

    def _error(
        self, columns: dict[str, list[object]], kinds: dict[str, ColumnKind], without: Sequence[str] = ()
    ) -> ErrorRate:
        return classification_error(
            columns, kinds, target=_TARGET, train=self.train, classifier=self.classifier, without=without
        )

    def policy(self, L: int, K: int, C: float, **more: object) -> dict[str, object]:
        columns: dict[str, dict[str, object]] = {}
        for name in self.data.columns:
            columns[name] = {"role": "quasi-identifier"}
            if name in self.data.taxonomies:
                columns[name]["hierarchy"] = {"id": "taxonomy", "tree": self.data.taxonomies[name]}
            elif name in self.data.ranges:
                columns[name]["range"] = self.data.ranges[name]
        columns |= {_TARGET: {"role": "target"}, SENSITIVE: {"role": "sensitive"}}
        lkc = {"id": "lkc-privacy", "L": L, "K": K, "C": C, "sensitive": SENSITIVE, "values": list(PROTECTED)}
        return {"columns": columns, "requirements": [lkc], "algorithm": {"id": "hdtds"}, "metrics": [], **more}

    def _ratio(self, L: int, K: int, C: float) -> float:
        """Return the discernibility ratio of a table masked for general analysis."""
        general = {"id": "hdtds", "need": "general"}
        release = anonymize(self.table, self.policy(L, K, C, metrics=["discernibility-ratio"], algorithm=general))
        return release.measured["discernibility-ratio"].value

    def point(self, L: int, K: int, C: float) -> Point:
        # The split is by position, so the released rows must stay where they were.
        policy = self.policy(L, K, C, output={"row_order": "keep"})
        begun = perf_counter()
        release = anonymize(self.table, policy)
        seconds = perf_counter() - begun
        shown = dict(zip(release.table.columns, map(list, zip(*release.table.to_rows(), strict=True)), strict=True))
        kinds = self.kinds | {
            name: "interval" if recoding.id == "discretization" else "category"
            for name, recoding in release.recodings.items()
        }
        facts = release.private.facts
        assert isinstance(facts, StepFacts)
        assert facts.exposure is not None
        (exposure,) = facts.exposure
        return Point(
            L,
            K,
            C,
            self._error(shown, kinds),
            self._ratio(L, K, C),
            exposure.smallest,
            exposure.confidence,
            len(release.private.trace),
            seconds,
        )

    def timed(self, rows: int, seed: int) -> float:
        """Return the seconds that masking an enlarged table takes, with L=4, K=20 and no bound on confidence."""
        varied = [name for name in self.data.columns if name != _TARGET]
        large = from_dataset(blow_up(self.data, rows=rows, rng=np.random.default_rng(seed), columns=varied))
        begun = perf_counter()
        anonymize(large, self.policy(4, 20, 1.0))
        return perf_counter() - begun

    def cost(self, point: Point) -> float:
        return point.error.percent - self.baseline.percent

    def benefit(self, point: Point) -> float:
        return self.upper.percent - point.error.percent

    def row(self, point: Point) -> tuple[str, ...]:
        return (
            str(point.length),
            str(point.least),
            f"{point.most:.0%}",
            f"{self.baseline.percent:.2f}",
            f"{point.error.percent:.2f}",
            f"{self.upper.percent:.2f}",
            f"{self.cost(point):.2f}",
            f"{self.benefit(point):.2f}",
            f"{point.ratio:.4f}",
            str(point.smallest),
            "" if point.confidence is None else f"{point.confidence:.3f}",
            str(point.steps),
            f"{point.seconds:.2f}",
        )
