"""Top-Down Refinement against the genetic algorithm on Adult: Fung, Wang, Yu 2007, figure 10."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import hypot
from time import perf_counter
from typing import ClassVar

import numpy as np

from sfumato.contracts.progress import Progress
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.schema import Role
from sfumato.datasets.adult import adult
from sfumato.datasets.dataset import Dataset
from sfumato.errors import BadRequest
from sfumato.experiments.claims import OWN_TARGET, Claim, bound_claim, error_claim, fact_claim
from sfumato.experiments.error_curves import Curve, Point
from sfumato.experiments.experiment import Reproduction
from sfumato.experiments.line_plot import Line, Panel, line_plot
from sfumato.experiments.result import ExperimentResult
from sfumato.kernels.arrays import Bools
from sfumato.tables.open import from_dataset
from sfumato.tables.recode import recode_table
from sfumato.utility.classification import ColumnKind, DecisionTree, ErrorRate, classification_error, fold_numbers
from sfumato.verbs.anonymize import anonymize

__all__ = ["ComparisonResult", "GaComparison"]

_FIGURE = "Fig. 10"
_TDR, _LEAVING, _CM, _LM = "TDR", "TDR leaving out", "genetic CM", "genetic LM"
# The book prints the errors of the genetic algorithm for k up to 500, the paper 7 seconds against 18 hours.
_LOW, _HIGH = 17.3, 18.5
_PAPER_RATIO = 18 * 3600 / 7
_RATIO = 100.0


class GaComparison(Reproduction):
    """Top-Down Refinement against the genetic algorithm: error and time on Adult, ten-fold.

    The eight columns of Iyengar's experiment are the quasi-identifier and all that the classifier sees. In each fold the nine
    other parts are masked, the recoding is applied to the tenth, and a tree learned on the masked nine is tested on it. The
    genetic algorithm may leave records out, at the price that its metric puts on them; what it left out is not learned from.
    TDR runs twice: as in the paper, where it leaves nobody out, and with the freedom that the genetic algorithm has, up to
    ``suppress_at_most`` of the records.

    References
    ----------
    Fung, Wang, Yu, "Anonymizing classification data for privacy preservation", IEEE TKDE 19(5), 2007, section V-A,
    figure 10, doi:10.1109/TKDE.2007.1015.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 6.6.
    Iyengar, "Transforming data to satisfy privacy constraints", 2002, doi:10.1145/775047.775089.
    """

    id: ClassVar[str] = "ga-comparison"
    title: ClassVar[str] = "Top-Down Refinement against the genetic algorithm on Adult, error and time"
    deviations: ClassVar[tuple[str, ...]] = (
        "The paper's tree is C4.5, ours a binary entropy tree; the leaf size 50 is the one chosen for the other Adult figures. "
        "BE is 17.5 by ten folds, where the book prints 17.1.",
        "The following figures are those of 20,000 evaluations, which take half an hour; the default is 3,000, for minutes.",
        "The genetic algorithm is our own, with our trees and a population of 100. Its AE with CM is 18.2 "
        "to 19.0 for k up to 500, where the book prints 17.3 to 18.5; with 5,000 evaluations it is the same within 0.1.",
        "TDR is a few hundred to two thousand times as fast, not nine thousand times: an evaluation counts compressed rows in "
        "compiled code and takes about a millisecond.",
        "TDR as in the paper, leaving nobody out, is not better than the genetic algorithm with CM here. At k=10 and 50 the "
        "two are equal within one standard error; at k=100 TDR is 0.7 points worse, at k=500 3.0 points. At k=500 it cuts age "
        "first, after which the split of education would leave a group just below k (545 records in the whole table, about "
        "490 in nine tenths of it), and it never takes a step back.",
        "The genetic algorithm may leave out any number of records: 11 to 16 per cent of the training records with LM, at most "
        "0.2 per cent with CM, which the test does not charge. TDR leaving out has that freedom up to 10 per cent and uses it: "
        "17.6 to 18.8, below both at every k. With a limit of 2 per cent it is 17.4, 17.8, 18.3 and 19.2 for k=10, 50, 100 and "
        "500: below CM at 10 and 50, equal within one standard error at 100 and 500.",
    )

    hasty: ClassVar[Mapping[str, object]] = {"ks": (10, 50), "folds": 2, "evaluations": 100, "rows": 2000}

    ks: tuple[int, ...] = param(default=(10, 50, 100, 500), doc="smallest group sizes to ask for")
    folds: int = param(default=10, ge=2, doc="parts of the cross-validation")
    evaluations: int = param(default=3000, ge=1, doc="strings that the genetic algorithm tries in each run")
    population: int = param(default=100, ge=2, doc="strings that it keeps")
    suppress_at_most: float = param(default=0.1, gt=0, lt=1, doc="share of the records that TDR may leave out")
    rows: int | None = param(default=None, ge=100, doc="use this many records only, for a quick look")
    min_leaf: int = param(default=50, ge=1, doc="fewest records in a leaf of the decision tree")
    seed: int = param(default=0, ge=0, doc="seed of the folds and of the genetic algorithm")

    def validate(self) -> None:
        """Refuse an empty list of ks and a k below 1."""
        wrong = [k for k in self.ks if k < 1]
        if wrong or not self.ks:
            raise BadRequest("must hold numbers from 1 up", parameter=f"{self.id}.ks", value=wrong)

    def measure(self, progress: Progress) -> ExperimentResult:
        """Measure errors and times and compare them with what the paper and the book state."""
        progress.stage("loading Adult")
        whole = adult("train", download=self.download)
        data = whole.select([name for name in whole.columns if whole.roles[name] is not Role.PLAIN])
        if self.rows is not None:
            data = data.part(0, self.rows)
        comparison = _Comparison(self, data)
        comparison.warm()
        ks = sorted(set(self.ks))
        curves = [comparison.curve(way, ks, progress) for way in (_TDR, _LEAVING, _CM, _LM)]
        return ComparisonResult(
            self.id,
            self.title,
            self.paper,
            (
                f"Data: {data.source}; the first {len(data)} complete training records"
                if self.rows
                else f"Data: {data.source}; its {len(data)} complete training records",
                f"Quasi-identifier and features: {', '.join(curves[0].qid)}",
                f"{self.folds} folds, seed {self.seed}; genetic algorithm: population {self.population}, "
                f"{self.evaluations} evaluations",
                f"Classifier: {curves[0].baseline.classifier}",
                *(f"Seconds of search, mean over folds, {curve.figure}: {_seconds(curve)}" for curve in curves),
                *(
                    f"Records left out of training, {way}: "
                    + ", ".join(f"k={k} {share:.1%}" for k, share in comparison.left_out[way].items())
                    for way in (_LEAVING, _CM, _LM)
                ),
            ),
            tuple(_claims(*curves)),
            tuple(curves),
            self.known_deviations,
        )


@frozen(eq=False)
class ComparisonResult(ExperimentResult):
    """The errors of three ways to mask, in one panel."""

    def series(self) -> list[tuple[str, ...]]:
        """Return every measured error as texts; all curves have the same columns."""
        return [(row[0], f"{len(self.curves[0].qid)} columns", *row[2:]) for row in super().series()]

    def to_svg(self) -> str:
        """Return the error against k of all ways in one panel, with ``BE`` as a dashed level."""
        ends = (self.curves[0].points[0].k, self.curves[0].points[-1].k)
        lines = [Line("BE", tuple((k, self.curves[0].baseline.percent) for k in ends), colour=5, dashed=True)]
        for number, curve in enumerate(self.curves):
            points = tuple((point.k, point.error.percent) for point in curve.points)
            lines.append(Line(f"AE {curve.figure}", points, colour=number))
        return line_plot([Panel(_FIGURE, tuple(lines))], x="k", y="classification error, per cent")


class _Clock:
    """Times the search alone: reading, recoding and verifying are the same for every algorithm."""

    def __init__(self) -> None:
        self.began: float | None = None
        self.seconds = 0.0

    def stage(self, name: str, total: float | None = None) -> None:
        now = perf_counter()
        if self.began is not None:
            self.seconds, self.began = now - self.began, None
        if name.startswith("searching"):
            self.began = now

    def tick(self, done: float, note: str = "") -> None:
        pass


class _Comparison:
    """One table cut into folds; masks the training part of each in one of three ways."""

    def __init__(self, asked: GaComparison, data: Dataset) -> None:
        self.asked = asked
        self.data = data
        self.qid = data.of(Role.QUASI_IDENTIFIER)
        (self.target,) = data.of(Role.TARGET)
        self.classifier = DecisionTree(min_leaf=asked.min_leaf)
        self.fold = fold_numbers(len(data), asked.folds, np.random.default_rng(asked.seed))
        self.left_out: dict[str, dict[int, float]] = {}
        raw = {name: data.values(name) for name in data.columns}
        kinds: dict[str, ColumnKind] = {name: "category" if name in data.taxonomies else "number" for name in self.qid}
        self.baseline = self._pooled([self._error(raw, kinds, self.fold != fold) for fold in range(asked.folds)])
        self.upper = self._pooled(
            [self._error(raw, kinds, self.fold != fold, without=self.qid) for fold in range(asked.folds)]
        )

    def _error(
        self,
        columns: Mapping[str, list[object]],
        kinds: Mapping[str, ColumnKind],
        train: Bools,
        without: Sequence[str] = (),
    ) -> ErrorRate:
        return classification_error(
            columns, kinds, target=self.target, train=train, classifier=self.classifier, without=without
        )

    def _pooled(self, parts: Sequence[ErrorRate]) -> ErrorRate:
        """Return the error over all folds: every record is tested once."""
        tested = sum(part.n_test for part in parts)
        return ErrorRate(sum(part.rate * part.n_test for part in parts) / tested, tested, parts[0].classifier)

    def curve(self, way: str, ks: Sequence[int], progress: Progress) -> Curve:
        """Mask every fold for every k in one way."""
        progress.stage(f"Adult, {way}", len(ks) * self.asked.folds)
        points = []
        for at, k in enumerate(ks):
            errors, seconds, gone = [], [], []
            for fold in range(self.asked.folds):
                progress.tick(at * self.asked.folds + fold, f"k={k}, fold {fold + 1}")
                error, recodings, took, left = self._masked(way, k, fold)
                progress.tick(
                    at * self.asked.folds + fold + 1, f"k={k}, fold {fold + 1}: AE {error.percent:.2f}, {took:.3g} s"
                )
                errors.append(error)
                seconds.append(took)
                gone.append(left)
            self.left_out.setdefault(way, {})[k] = sum(gone) / sum(len(self.data) - error.n_test for error in errors)
            points.append(Point(k, self._pooled(errors), recodings, sum(seconds) / len(seconds)))
        return Curve(way, len(self.qid), self.qid, self.baseline, self.upper, tuple(points))

    def warm(self) -> None:
        """Run every search once on a few records, so that loading and compiling are not counted as searching."""
        few = from_dataset(self.data.part(0, 100))
        for way in (_TDR, _LEAVING, _CM, _LM):
            anonymize(few, self._policy(way, 2, 0, 2))

    def _part(self, wanted: Bools) -> Dataset:
        rows = np.flatnonzero(wanted).tolist()
        values = {name: self.data.values(name) for name in self.data.columns}
        return replace(self.data, data={name: [column[row] for row in rows] for name, column in values.items()})

    def _masked(self, way: str, k: int, fold: int) -> tuple[ErrorRate, Mapping[str, ColumnRecoding], float, int]:
        """Mask one training part, apply the recoding to the test part; return the error, the recoding, time, losses."""
        clock = _Clock()
        train, test = self._part(self.fold != fold), self._part(self.fold == fold)
        release = anonymize(from_dataset(train), self._policy(way, k, fold, self.asked.evaluations), progress=clock)
        # The recoding of the columns alone: nobody is left out of the test.
        learned, tested = release.table, recode_table(from_dataset(test), release.recodings).table
        rows = learned.to_rows() + tested.select(learned.columns).to_rows()
        columns = dict(zip(learned.columns, map(list, zip(*rows, strict=True)), strict=True))
        kinds: dict[str, ColumnKind] = {
            name: "interval" if recoding.id == "discretization" else "category"
            for name, recoding in release.recodings.items()
        }
        error = self._error(columns, kinds, np.arange(len(rows)) < learned.rows)
        return error, release.recodings, clock.seconds, len(train) - learned.rows

    def _policy(self, way: str, k: int, fold: int, evaluations: int) -> dict[str, object]:
        columns: dict[str, dict[str, object]] = {self.target: {"role": "target"}}
        for name in self.qid:
            columns[name] = {"role": "quasi-identifier"}
            if name in self.data.taxonomies:
                columns[name]["hierarchy"] = {"id": "taxonomy", "tree": self.data.taxonomies[name]}
            elif name in self.data.ranges:
                columns[name]["range"] = self.data.ranges[name]
        algorithm: dict[str, object] = {"id": "tdr"}
        if way in (_CM, _LM):
            algorithm = {
                "id": "genetic-algorithm",
                "metric": "loss" if way == _LM else "classification-metric",
                "evaluations": evaluations,
                "population": self.asked.population,
            }
        return {
            "columns": columns,
            "requirements": [{"id": "k-anonymity", "k": k}],
            "limits": {"suppress_at_most": {_TDR: 0.0, _LEAVING: self.asked.suppress_at_most}.get(way, 1.0)},
            "algorithm": algorithm,
            "metrics": [],
            "seed": self.asked.seed + fold,
        }


def _seconds(curve: Curve) -> str:
    return ", ".join(f"k={point.k} {point.seconds:.3g}" for point in curve.points)


def _claims(tdr: Curve, leaving: Curve, cm: Curve, lm: Curve) -> list[Claim]:
    """Return what paper and book say of TDR, and our own bar where both may leave out: much faster at no larger error."""
    claims = [error_claim("book 6.6", "BE", 17.1, tdr.baseline)]
    within = [point.error.percent for point in cm.points if point.k <= 500]
    if within:
        claims.append(bound_claim("book 6.6", "largest AE, genetic CM, k <= 500", _HIGH, max(within)))
        claims.append(bound_claim("book 6.6", "least AE, genetic CM, k <= 500", _LOW, min(within), at_least=True))
    better = _better(tdr, lm)
    large = [point.k for point in tdr.points if point.k >= 100]
    if large:
        claims.append(
            fact_claim(
                _FIGURE,
                "AE of TDR below that of genetic LM",
                "every k >= 100",
                ", ".join(f"k={k}" for k in better),
                all(k in better for k in large),
            )
        )
    claims.append(
        bound_claim(_FIGURE, "AE of TDR minus genetic CM, mean over k, points", 0.0, _mean_gap(tdr, cm), strict=True)
    )
    ratios = _ratios(tdr, cm, lm)
    claims.append(
        fact_claim(
            _FIGURE,
            "search time, genetic over TDR",
            f"{_PAPER_RATIO:.0f} (18 hours, 7 seconds)",
            f"{min(ratios):.0f} to {max(ratios):.0f}",
            min(ratios) >= _PAPER_RATIO,
        )
    )
    freely = _ratios(leaving, cm, lm)
    claims.append(bound_claim(OWN_TARGET, "least search time, genetic over TDR", _RATIO, min(freely), at_least=True))
    for curve in (cm, lm):
        worse = _worse(leaving, curve)
        claims.append(
            fact_claim(
                OWN_TARGET,
                f"AE of {_LEAVING} above {curve.figure} by more than two standard errors",
                "no k",
                ", ".join(f"k={k}" for k in worse),
                not worse,
            )
        )
        gap = _mean_gap(leaving, curve)
        claims.append(bound_claim(OWN_TARGET, f"AE of {_LEAVING} minus {curve.figure}, mean over k, points", 0.0, gap))
    return claims


def _ratios(quick: Curve, *slow: Curve) -> list[float]:
    """Return how many times as long each slow search took."""
    return [
        long.seconds / max(short.seconds, 1e-9)
        for curve in slow
        for long, short in zip(curve.points, quick.points, strict=True)
    ]


def _better(one: Curve, other: Curve) -> list[int]:
    return [a.k for a, b in zip(one.points, other.points, strict=True) if a.error.rate < b.error.rate]


def _worse(one: Curve, other: Curve) -> list[int]:
    """Return the ks at which one error is clearly larger; both are taken for independent, which makes the bar wider."""
    return [
        a.k
        for a, b in zip(one.points, other.points, strict=True)
        if a.error.rate - b.error.rate > 2 * hypot(a.error.standard_error, b.error.standard_error)
    ]


def _mean_gap(one: Curve, other: Curve) -> float:
    gaps = [a.error.percent - b.error.percent for a, b in zip(one.points, other.points, strict=True)]
    return sum(gaps) / len(gaps)
