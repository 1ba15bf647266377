"""Bottom-Up Generalization on Adult: the error against K of Wang, Yu, Chakraborty 2004, figure 3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import ClassVar

from sfumato.contracts.engine import Table
from sfumato.contracts.progress import Progress
from sfumato.contracts.thing import param
from sfumato.datasets.adult import adult
from sfumato.datasets.dataset import Dataset
from sfumato.engines import from_rows
from sfumato.errors import BadRequest
from sfumato.experiments.claims import OWN_TARGET, Claim, bound_claim, error_claim, points_claim
from sfumato.experiments.course import each_of
from sfumato.experiments.error_curves import Curve, Point
from sfumato.experiments.experiment import Reproduction
from sfumato.experiments.result import ExperimentResult
from sfumato.utility.classification import ErrorRate, classification_error
from sfumato.utility.classifiers import DecisionTree
from sfumato.verbs.anonymize import anonymize
from sfumato.verbs.apply import apply

__all__ = ["BUG_COLUMNS", "BUG_PAPER", "BugAdult"]

#: The seven columns of the paper's experiments, in the order of its Table 1.
BUG_COLUMNS = ("occupation", "education", "native-country", "marital-status", "sex", "race", "workclass")
BUG_PAPER = (
    'Wang, Yu, Chakraborty, "Bottom-up generalization: a data mining solution to privacy protection", ICDM 2004, section 6, '
    "doi:10.1109/ICDM.2004.10110"
)

_FIGURE = "Fig. 3"
_TARGET = "class"
# Our trees let the claim hold up to here; beyond it the errors are recorded and not judged by a bar of our own.
_LARGEST_GATED = 100
_LONGEST = 5.0


class BugAdult(Reproduction):
    """Bottom-Up Generalization on Adult: what k-anonymity on seven categorical columns costs a decision tree.

    The training part is generalized, what was learned is applied to the test part, and the tree sees these seven columns
    only. In the result ``BE`` is the paper's baseline error B, ``AE`` its error E, and ``UE`` its worst error W, that of no
    column at all.

    References
    ----------
    Wang, Yu, Chakraborty, "Bottom-up generalization: a data mining solution to privacy protection", ICDM 2004, section 6.1,
    figure 3, doi:10.1109/ICDM.2004.10110.
    """

    id: ClassVar[str] = "bug-adult"
    title: ClassVar[str] = "Bottom-Up Generalization on Adult, error against K"
    paper: ClassVar[str] = BUG_PAPER
    deviations: ClassVar[tuple[str, ...]] = (
        "The paper's tree is C4.5, ours is a binary entropy tree with 50 records in a leaf, a size chosen for another table's "
        "sake (tdr-adult) and kept here.",
        "The paper claims E-B <= 1.1 points for every K from 10 to 500. We measure that up to K=100, with "
        "errors 0.5 to 0.8 points below theirs; from K=150 on E is 23.3 to 24.6, near the error W of no column at all.",
        "Where it breaks: at a smallest group of 85 records, lifting marital-status to ANY loses 0.148 bits and gains 65 "
        "records, the smallest ratio of all steps, although no column predicts the class better. The score does what its "
        "formula says.",
        "The paper's hierarchies came from the authors of an earlier paper and are not available. Ours have their numbers of "
        "leaves; how much of the gap they explain is unknown.",
        "The quality of a genetic algorithm (17.3 to 18.5, 18 hours) is quoted by the paper and not measured here.",
    )
    hasty: ClassVar[Mapping[str, object]] = {"ks": (10, 100)}

    ks: tuple[int, ...] = param(
        default=(10, 25, 50, 75, 100, 150, 200, 250, 500), doc="smallest group sizes to ask for"
    )
    min_leaf: int = param(default=50, ge=1, doc="fewest records in a leaf of the decision tree")

    def validate(self) -> None:
        """Refuse an empty list and a K below 1."""
        wrong = [k for k in self.ks if k < 1]
        if wrong or not self.ks:
            raise BadRequest("must hold numbers from 1 up", parameter=f"{self.id}.ks", value=wrong)

    def measure(self, progress: Progress) -> ExperimentResult:
        """Measure the curve and compare it with what the paper states."""
        progress.stage("loading Adult")
        data = adult(download=self.download)
        split = _Split(data, DecisionTree(min_leaf=self.min_leaf))
        ks = sorted(set(self.ks))
        points = each_of(
            progress,
            f"{data.name}, {_FIGURE}",
            ks,
            lambda k: f"K={k}",
            split.point,
            lambda point: f"E {point.error.percent:.2f}",
        )
        curve = Curve(_FIGURE, len(BUG_COLUMNS), BUG_COLUMNS, split.baseline(), split.worst(), tuple(points))
        return ExperimentResult(
            self.id,
            self.title,
            self.paper,
            (
                f"Data: {data.source}; {split.train} training and {len(data) - split.train} test records",
                f"{_FIGURE}: {', '.join(BUG_COLUMNS)}; training part generalized, test part recoded likewise",
                "BE is the paper's B, AE its E, UE its W",
                f"Classifier: {curve.baseline.classifier}",
            ),
            tuple(_claims(curve)),
            (curve,),
            self.known_deviations,
        )


class _Split:
    """The two parts of the table, and the errors of trees that learn from one and are tested on the other."""

    def __init__(self, data: Dataset, classifier: DecisionTree) -> None:
        self.data = data
        self.classifier = classifier
        self.train = data.train or 0
        names = (*BUG_COLUMNS, _TARGET)
        self.raw = {name: data.values(name) for name in names}
        rows = list(zip(*self.raw.values(), strict=True))
        self.parts: tuple[Table, Table] = from_rows(names, rows[: self.train]), from_rows(names, rows[self.train :])

    def _error(self, columns: dict[str, list[object]], without: Sequence[str] = ()) -> ErrorRate:
        return classification_error(
            columns,
            dict.fromkeys(BUG_COLUMNS, "category"),
            target=_TARGET,
            train=self.train,
            classifier=self.classifier,
            without=without,
        )

    def baseline(self) -> ErrorRate:
        return self._error(self.raw)

    def worst(self) -> ErrorRate:
        return self._error(self.raw, BUG_COLUMNS)

    def point(self, k: int) -> Point:
        columns: dict[str, object] = {
            name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": self.data.taxonomies[name]}}
            for name in BUG_COLUMNS
        }
        policy = {
            "columns": {**columns, _TARGET: {"role": "target"}},
            "requirements": [{"id": "k-anonymity", "k": k}],
            "algorithm": {"id": "bottom-up-generalization"},
            "metrics": [],
            # Training and test rows are put together by position.
            "output": {"row_order": "keep"},
        }
        begun = perf_counter()
        release = anonymize(self.parts[0], policy)
        seconds = perf_counter() - begun
        rows = [*release.table.to_rows(), *apply(release, self.parts[1]).table.to_rows()]
        masked = dict(zip(release.table.columns, map(list, zip(*rows, strict=True)), strict=True))
        return Point(k, self._error(masked), release.recodings, seconds)


def _claims(curve: Curve) -> list[Claim]:
    claims = [
        error_claim(_FIGURE, "B, the error on the raw columns", 17.4, curve.baseline),
        error_claim(_FIGURE, "W, the error without any column", 24.6, curve.upper),
        points_claim(_FIGURE, "W-B, points", 7.2, curve.upper.percent - curve.baseline.percent),
    ]
    if (cost := curve.largest_cost(500)) is not None:
        claims.append(bound_claim(_FIGURE, "largest E-B, K <= 500, points", 1.1, cost))
    if (cost := curve.largest_cost(_LARGEST_GATED)) is not None:
        claims.append(bound_claim(OWN_TARGET, f"largest E-B, K <= {_LARGEST_GATED}, points", 1.1, cost))
    # The paper's errors all lie between 18.4 and 18.5.
    claims += [
        bound_claim(_FIGURE, f"E, K={point.k}", 18.5, point.error.percent) for point in curve.points if point.k <= 500
    ]
    slowest = max(point.seconds for point in curve.points)
    claims.append(bound_claim("Sec. 6.1", "longest index and generalization", 29.0, slowest, unit=" s"))
    claims.append(bound_claim(OWN_TARGET, "longest index and generalization", _LONGEST, slowest, unit=" s"))
    return claims
