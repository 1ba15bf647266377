"""Top-Down Refinement on German credit: Fung, Wang, Yu 2007, figure 9(b), and the same by repeated cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

import numpy as np

from sfumato.contracts.progress import Progress
from sfumato.contracts.thing import param
from sfumato.datasets.german import GERMAN_TOP9, german
from sfumato.experiments.claims import Claim, bound_claim, error_claim
from sfumato.experiments.error_curves import Curve, ErrorCurves
from sfumato.experiments.experiment import Experiment
from sfumato.experiments.result import ExperimentResult
from sfumato.utility.classification import Classifier, DecisionTree, NaiveBayes, fold_numbers

__all__ = ["TdrGerman"]

_FIGURE = "Fig. 9(b)"


class TdrGerman(Experiment):
    """Top-Down Refinement on German credit: categories suppressed, numbers cut into intervals.

    The paper's split has 334 test records, too few to tell a difference of 4 points from chance. The same errors are
    therefore also measured by repeated cross-validation on the whole masked table, with the same folds for every error.

    References
    ----------
    Fung, Wang, Yu, "Anonymizing classification data for privacy preservation", IEEE TKDE 19(5), 2007, section V-A,
    figure 9(b), doi:10.1109/TKDE.2007.1015.
    """

    id: ClassVar[str] = "tdr-german"
    title: ClassVar[str] = "Top-Down Refinement on German credit, error against k"
    deviations: ClassVar[tuple[str, ...]] = (
        "334 test records mean a standard error near 2.5 points, so the single split decides little and no bar is set on it: "
        "with 5, 10, 20 or 50 records in a leaf BE is 29.9, 30.2, 31.4 or 28.4 and UE Top7 is 39.8, 37.4, 33.2 or 28.7, where "
        "the paper has 28.8 and 36. With small leaves even the order of the columns moves BE by two points.",
        "By cross-validation, which the paper does not have, the same leaf sizes give BE 30.4, 28.9, 28.8 or 28.7, UE Top7 "
        "38.7, 36.3, 34.7 or 31.6, and a largest Top7 AE-BE up to k=100 of 3.3, 3.4, 1.1 or 0.8 points: the claim of less than "
        "4 points holds with each of them.",
        "The leaf size 20 is the one chosen for crx; nothing was tuned on this table. The paper's tree is C4.5, ours is a "
        "binary entropy tree.",
    )
    hasty: ClassVar[Mapping[str, object]] = {"ks": (50, 500), "tops": (7,)}

    classifier: Literal["decision-tree", "naive-bayes"] = param(
        default="decision-tree", choices=("decision-tree", "naive-bayes"), doc="what is trained; the paper has a tree"
    )
    min_leaf: int = param(default=20, ge=1, doc="fewest records in a leaf of the decision tree")
    repeats: int = param(default=5, ge=0, doc="cross-validations to average; 0 for the single split alone")
    folds: int = param(default=10, ge=2, doc="folds of each cross-validation")
    seed: int = param(default=0, ge=0, doc="seed of the folds")

    def measure(self, progress: Progress) -> ExperimentResult:
        """Measure the curves on the split and by cross-validation and compare them with what the paper states."""
        progress.stage("loading German credit")
        data = german(download=self.download)
        classifier: Classifier = (
            NaiveBayes() if self.classifier == "naive-bayes" else DecisionTree(min_leaf=self.min_leaf)
        )
        rng = np.random.default_rng(self.seed)
        folds = tuple(fold_numbers(len(data), self.folds, rng) for _ in range(self.repeats))
        runs = [ErrorCurves(_FIGURE, data, classifier)]
        if folds:
            runs.append(ErrorCurves(f"{_FIGURE}, cross-validated", data, classifier, folds=folds))
        ks, tops = sorted(set(self.ks)), sorted(set(self.tops))
        curves = [run.curve(top, GERMAN_TOP9, ks, progress) for run in runs for top in tops]
        train = data.train or 0
        return ExperimentResult(
            self.id,
            self.title,
            self.paper,
            (
                f"Data: {data.source}; {train} training and {len(data) - train} test records",
                f"{_FIGURE}: suppress and discretize",
                *(
                    [f"Cross-validated: mean of {self.repeats} times {self.folds} folds, seed {self.seed}"]
                    if folds
                    else []
                ),
                f"Classifier: {curves[0].baseline.classifier}",
            ),
            tuple(_claims(curves)) if self.classifier == "decision-tree" else (),
            tuple(curves),
            self.known_deviations,
        )


def _claims(curves: Sequence[Curve]) -> list[Claim]:
    claims = []
    for curve in curves:
        if curve.top == 7:
            claims.append(error_claim(curve.figure, "BE", 28.8, curve.baseline))
            claims.append(error_claim(curve.figure, "UE, Top7", 36.0, curve.upper))
            if (cost := curve.largest_cost(100)) is not None:
                claims.append(
                    bound_claim(curve.figure, "largest AE-BE, Top7, k <= 100, points", 4.0, cost, strict=True)
                )
    return claims
