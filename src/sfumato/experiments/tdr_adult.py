"""Top-Down Refinement on Adult: the error curves of Fung, Wang, Yu 2007, figures 5, 6(a), 6(b) and 7."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sfumato.contracts.progress import Progress
from sfumato.contracts.thing import param
from sfumato.datasets.adult import ADULT_TOP9, adult
from sfumato.errors import BadRequest
from sfumato.experiments.claims import OWN_TARGET, Claim, bound_claim, error_claim, fact_claim, points_claim
from sfumato.experiments.error_curves import Curve, ErrorCurves
from sfumato.experiments.experiment import Experiment
from sfumato.experiments.result import ExperimentResult
from sfumato.utility.classification import DecisionTree, NaiveBayes

__all__ = ["TdrAdult"]

# Option -> what the figure shows.
_FIGURES: Mapping[str, str] = {
    "5": "suppress and discretize, decision tree",
    "6a": "generalize and discretize, decision tree",
    "6b": "generalize and discretize, naive Bayes",
}
_HIDDEN_AT_500 = ("age", "capital-gain", "relationship", "sex")
# The paper's 10 seconds include about 8 of reading and writing, which do not happen here.
_LONGEST = 2.0


class TdrAdult(Experiment):
    """Top-Down Refinement on Adult: what k-anonymity costs a decision tree and naive Bayes.

    The 5, 7 or 9 columns that say most about the class are the quasi-identifier; training and test part are masked
    together for each k. Figure 5 suppresses categories, figure 6 generalizes them along trees; numbers are always cut into
    intervals on the fly.

    References
    ----------
    Fung, Wang, Yu, "Anonymizing classification data for privacy preservation", IEEE TKDE 19(5), 2007, section V-A,
    figures 5 to 7, doi:10.1109/TKDE.2007.1015.
    """

    id: ClassVar[str] = "tdr-adult"
    title: ClassVar[str] = "Top-Down Refinement on Adult, error against k"
    deviations: ClassVar[tuple[str, ...]] = (
        "The paper's tree is C4.5, ours is a binary entropy tree. Its leaf size 50 was chosen among 1 to 100 because its BE is "
        "the printed 14.7, so agreement of BE is by construction; UE, AE and the structural facts are independent checks.",
        "Figure 5 claims AE-BE < 2.5 points everywhere; we measure up to 2.76 (2.56 with 100 records in a leaf).",
        "AE is not monotone in k here either, but the fall printed from k=180 to 200 is not there; ours lie elsewhere and are "
        "smaller than one standard error (0.3 points).",
        "Figure 6(a) claims AE-BE < 2 points up to k=600; we measure 2.6 to 2.7 from k=180 on. How much of that is C4.5 and "
        "how much their trees, which we do not have, is unknown; our trees have their numbers of leaves and levels.",
        "Naive Bayes: BE is 19.3, not 18.07 (numbers in 10 quantile bins are our choice). AE-BE stays within 1.5 points, and "
        "AE < BE holds for small k as claimed, for Top7 up to k=100 and not up to 180.",
        "Figures 8 (several quasi-identifiers), 10 (against a genetic algorithm) and 11 (time against rows) are not part of "
        "this experiment.",
    )
    hasty: ClassVar[Mapping[str, object]] = {"ks": (60, 500), "tops": (7,), "figures": ("5",)}

    figures: tuple[str, ...] = param(default=tuple(_FIGURES), doc="figures of the paper to run: 5, 6a, 6b")
    min_leaf: int = param(default=50, ge=1, doc="fewest records in a leaf of the decision tree")

    def validate(self) -> None:
        """Refuse figures that are not part of this experiment."""
        super().validate()
        wrong = [figure for figure in self.figures if figure not in _FIGURES]
        if wrong or not self.figures:
            raise BadRequest(
                "must name figures of this experiment", parameter=f"{self.id}.figures", value=wrong, available=_FIGURES
            )

    def measure(self, progress: Progress) -> ExperimentResult:
        """Measure the curves of every figure and compare them with what the paper states."""
        progress.stage("loading Adult")
        data = adult(download=self.download)
        ks = sorted(set(self.ks))
        curves: list[Curve] = []
        claims: list[Claim] = []
        for figure in self.figures:
            classifier = NaiveBayes() if figure == "6b" else DecisionTree(min_leaf=self.min_leaf)
            measured = ErrorCurves(_name(figure), data, classifier, generalize=figure != "5")
            found = [measured.curve(top, ADULT_TOP9, ks, progress) for top in sorted(set(self.tops))]
            curves += found
            claims += _claims(figure, {curve.top: curve for curve in found})
        slowest = max(point.seconds for curve in curves for point in curve.points)
        claims.append(
            bound_claim(
                "Sec. V-A", "longest masking of the table, without reading and writing", _LONGEST, slowest, unit=" s"
            )
        )
        train = data.train or 0
        return ExperimentResult(
            self.id,
            self.title,
            self.paper,
            (
                f"Data: {data.source}; {train} training and {len(data) - train} test records",
                *(f"{_name(figure)}: {_FIGURES[figure]}" for figure in self.figures),
                *sorted({f"Classifier: {curve.baseline.classifier}" for curve in curves}),
            ),
            tuple(claims),
            tuple(curves),
            self.known_deviations,
        )


def _name(figure: str) -> str:
    return f"Fig. {figure}" if figure.isdigit() else f"Fig. {figure[:-1]}({figure[-1]})"


def _claims(figure: str, curves: Mapping[int, Curve]) -> list[Claim]:
    """Return what the paper says about a figure; it speaks of Top7 unless it says otherwise."""
    if 7 not in curves:
        return []
    name, top7 = _name(figure), curves[7]
    if figure == "6b":
        return _naive_bayes_claims(name, curves)
    up_to, bound = (1000, 2.5) if figure == "5" else (600, 2.0)
    claims = [
        error_claim(name, "BE", 14.7, top7.baseline, note="by choice of the leaf size"),
        error_claim(name, "UE, Top7", 21.5, top7.upper),
    ]
    if (cost := top7.largest_cost(up_to)) is not None:
        claims.append(bound_claim(name, f"largest AE-BE, Top7, k <= {up_to}, points", bound, cost, strict=True))
    if (cost := top7.largest_cost(1000)) is not None:
        claims.append(bound_claim(OWN_TARGET, f"largest AE-BE, Top7, {name}, k <= 1000, points", 3.0, cost))
    claims.append(
        bound_claim(OWN_TARGET, f"least UE-AE, Top7, {name}, points", 3.0, top7.least_benefit(), at_least=True)
    )
    if figure == "5":
        falls = top7.falls()
        claims.append(fact_claim(name, "AE is not monotone in k, Top7: it falls", "somewhere", falls, bool(falls)))
    return claims + _structure_claims(name, top7, figure)


def _structure_claims(name: str, top7: Curve, figure: str) -> list[Claim]:
    """Compare how the table was masked: which columns vanish at k=500, where education is cut at k=60."""
    claims = []
    if (point := top7.at(500)) is not None:
        gone = sorted(column for column, recoding in point.recodings.items() if len(recoding.published()) == 1)
        claims.append(
            fact_claim(name, "nothing left of, Top7, k=500", ", ".join(_HIDDEN_AT_500), gone, gone == [*_HIDDEN_AT_500])
        )
        if figure == "6a":
            claims.append(points_claim(name, "AE-BE, Top7, k=500, points", 2.0, top7.cost(point)))
    if (point := top7.at(60)) is not None:
        labels = point.recodings["education-num"].published()
        cut = [label for label in labels if label.startswith("[13-")]
        claims.append(fact_claim("Fig. 7", f"education-num is cut at 13, Top7, k=60, {name}", "13", labels, bool(cut)))
    return claims


def _naive_bayes_claims(name: str, curves: Mapping[int, Curve]) -> list[Claim]:
    claims = [error_claim(name, "BE", 18.07, curves[7].baseline)]
    if (cost := curves[7].largest_cost(1000)) is not None:
        claims.append(bound_claim(name, "largest AE-BE, Top7, k <= 1000, points", 1.5, cost))
    for top in (5, 7):
        if top in curves:
            asked = [point.k for point in curves[top].points if point.k <= 180]
            lower = [k for k in curves[top].below_baseline() if k <= 180]
            if asked:
                claims.append(
                    fact_claim(
                        name,
                        f"AE < BE, Top{top}",
                        "every k <= 180",
                        ", ".join(f"k={k}" for k in lower),
                        lower == asked,
                    )
                )
    return claims
