"""High-Dimensional Top-Down Specialization on Adult: the errors and times that Mohammed et al. 2009 print for LKC-privacy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.facts import StepFacts
from sfumato.contracts.progress import Progress
from sfumato.contracts.thing import param
from sfumato.datasets.adult import adult
from sfumato.datasets.blowup import blow_up
from sfumato.datasets.dataset import Dataset
from sfumato.errors import BadRequest
from sfumato.experiments.claims import OWN_TARGET, Claim, bound_claim, error_claim, fact_claim
from sfumato.experiments.experiment import Reproduction
from sfumato.experiments.line_plot import Line, Panel
from sfumato.experiments.series_result import SeriesResult
from sfumato.tables.open import from_dataset
from sfumato.utility.classification import ColumnKind, DecisionTree, ErrorRate, classification_error
from sfumato.verbs.anonymize import anonymize

__all__ = ["HdtdsAdult"]

_TARGET = "class"
_SENSITIVE = "marital-status"
_PROTECTED = ("Divorced", "Separated")
_SECTION = "Sec. 6.7"
_SCALE = "Fig. scalability"
_COLUMNS = ("L", "K", "C", "BE", "CE", "UE", "CE-BE", "UE-CE", "DR", "smallest", "confidence", "steps", "seconds")


@dataclass(frozen=True, eq=False)
class _Point:
    """One masked table under L (``length``), K (``least``) and C (``most``): the error of a tree, and how it came about."""

    length: int
    least: int
    most: float
    error: ErrorRate
    ratio: float
    smallest: int
    confidence: float | None
    steps: int
    seconds: float


class HdtdsAdult(Reproduction):
    """High-Dimensional Top-Down Specialization on Adult: what LKC-privacy costs a decision tree.

    Divorced and Separated are the protected values of marital-status; the other thirteen columns are the quasi-identifier.
    Training and test part are masked together, for each L and K with one C, and for several C with one L and K. CE is the
    error on the masked table, BE on the raw one, UE without the quasi-identifier; DR is the discernibility ratio. For
    comparison an adversary who knows all thirteen columns is asked about too: k-anonymity with the same bound C.

    References
    ----------
    Mohammed, Fung, Hung, Lee, "Anonymizing healthcare data: a case study on the blood transfusion service", 2009,
    doi:10.1145/1557019.1557157.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 6.7.
    """

    id: ClassVar[str] = "hdtds-adult"
    title: ClassVar[str] = "High-Dimensional Top-Down Specialization on Adult, error against L, K and C"
    paper: ClassVar[str] = (
        'Mohammed, Fung, Hung, Lee, "Anonymizing healthcare data: a case study on the blood transfusion service", KDD 2009, '
        "doi:10.1145/1557019.1557157; Fung, Wang, Fu, Yu 2010, section 6.7"
    )
    deviations: ClassVar[tuple[str, ...]] = (
        "The paper's tree is C4.5, ours is a binary entropy tree. Its leaf size 50 was chosen for another experiment on this "
        "table (tdr-adult) because its BE is the printed one, so agreement of BE is by construction; UE and CE are not.",
        "For L=2 the paper has CE-BE < 1 point for every K; we measure 0.6 up to K=40 and 1.5 from K=60 on, where age is not "
        "cut, so UE-CE is 8.3 to 9.2 where it prints 8.9 to 9.5.",
        "For L=4 and 6 CE-BE is 0.8 to 4.0 points where the paper prints 1.1 to 4.1; UE-CE reaches 9.0 at K=20, above 8.8. "
        "CE is not monotone in K: the worst is K=40, where capital-loss is cut twice and education-num not at all. How much is "
        "due to their taxonomies, which we do not have, and how much to the tree learner is unknown.",
        "L=4 and L=6 give the same tables here: few columns can be specialized at all, since relationship, sex and most others "
        "say too much about the protected values.",
        "The paper varies C from 5 to 30 per cent. Divorced has a share of 13.9 per cent in the whole table, so no masking can "
        "keep C below that; we begin at 15 per cent, where DR doubles and CE stays.",
        "DR of k-anonymity is taken with the same C, as LKC-privacy with all thirteen columns known; without C the tables "
        "differ.",
        "The Blood data of the paper are private. Its machine had four cores at 2.4 GHz; our times are without reading and "
        "writing, and with the check of the published rows, which takes most of the time for a million of them.",
    )

    Ls: tuple[int, ...] = param(default=(2, 4, 6), doc="how many values the adversary may know")
    Ks: tuple[int, ...] = param(default=(20, 40, 60, 80, 100), doc="fewest records that a combination must fit")
    Cs: tuple[float, ...] = param(
        default=(0.15, 0.2, 0.25, 0.3), doc="largest confidences to ask for with L=4 and the largest K"
    )
    C: float = param(default=0.2, gt=0, le=1, doc="largest confidence while L and K vary")
    min_leaf: int = param(default=50, ge=1, doc="fewest records in a leaf of the decision tree")
    rows: int = param(default=1_000_000, ge=0, doc="size of the enlarged table to be timed; 0 for none")
    seed: int = param(default=1, ge=0, doc="seed of the enlarged table")

    def validate(self) -> None:
        """Refuse empty lists and numbers that no requirement can have."""
        for name, values in (("Ls", self.Ls), ("Ks", self.Ks)):
            wrong = [value for value in values if value < 1]
            if wrong or not values:
                raise BadRequest("must hold numbers from 1 up", parameter=f"{self.id}.{name}", value=wrong)
        if any(not 0 < value <= 1 for value in self.Cs):
            raise BadRequest("must hold numbers > 0 and <= 1", parameter=f"{self.id}.Cs", value=list(self.Cs))

    def measure(self, progress: Progress) -> SeriesResult:
        """Measure every table and compare with what the paper states."""
        progress.stage("loading Adult")
        masked = _Masked(adult(download=self.download), DecisionTree(min_leaf=self.min_leaf))
        Ls, Ks, Cs = sorted(set(self.Ls)), sorted(set(self.Ks)), sorted(set(self.Cs))
        everything = len(masked.qid)
        asked = [(L, K, self.C) for L in Ls for K in Ks]
        asked += [(4, Ks[-1], C) for C in Cs if (4, Ks[-1], C) not in asked]
        asked += [(everything, K, self.C) for K in Ks if everything not in Ls]
        progress.stage("masking Adult", len(asked))
        points = []
        for done, (L, K, C) in enumerate(asked):
            progress.tick(done, f"L={L}, K={K}, C={C:.0%}")
            points.append(masked.point(L, K, C))
        progress.tick(len(asked))
        claims = _claims(masked, points, Cs)
        if self.rows:
            progress.stage(f"masking {self.rows:,} rows")
            claims += _scale_claims(self.rows, masked.timed(self.rows, self.seed))
        return SeriesResult(
            self.id,
            self.title,
            self.paper,
            (
                f"Data: {masked.data.source}; {masked.train} training and {len(masked.data) - masked.train} test records",
                f"Protected: {', '.join(_PROTECTED)} of {_SENSITIVE}; {len(masked.qid)} quasi-identifiers",
                f"Classifier: {masked.baseline.classifier}",
                "Times are without reading and writing and with the check of the published rows",
            ),
            tuple(claims),
            (),
            self.known_deviations,
            header=_COLUMNS,
            values=tuple(masked.row(point) for point in points),
            heading=f"Errors in per cent, differences in points; L={everything} is k-anonymity with the same bound C:",
            panels=tuple(_panels(masked, points, Ls, self.C)),
            x="K",
            y="classification error, per cent",
        )


class _Masked:
    """The table, what a tree makes of it raw, and masked tables of it."""

    def __init__(self, data: Dataset, classifier: DecisionTree) -> None:
        self.data = data
        self.classifier = classifier
        self.train = data.train or 0
        self.qid = tuple(name for name in data.columns if name not in (_TARGET, _SENSITIVE))
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
        columns |= {_TARGET: {"role": "target"}, _SENSITIVE: {"role": "sensitive"}}
        lkc = {"id": "lkc-privacy", "L": L, "K": K, "C": C, "sensitive": _SENSITIVE, "values": list(_PROTECTED)}
        return {"columns": columns, "requirements": [lkc], "algorithm": {"id": "hdtds"}, "metrics": [], **more}

    def point(self, L: int, K: int, C: float) -> _Point:
        # The split is by position, so the released rows must stay where they were.
        policy = self.policy(L, K, C, metrics=["discernibility-ratio"], output={"row_order": "keep"})
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
        return _Point(
            L,
            K,
            C,
            self._error(shown, kinds),
            release.measured["discernibility-ratio"].value,
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

    def cost(self, point: _Point) -> float:
        return point.error.percent - self.baseline.percent

    def benefit(self, point: _Point) -> float:
        return self.upper.percent - point.error.percent

    def row(self, point: _Point) -> tuple[str, ...]:
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


def _claims(masked: _Masked, points: Sequence[_Point], Cs: Sequence[float]) -> list[Claim]:
    private = [point for point in points if point.length < len(masked.qid)] or list(points)
    largest = max(point.least for point in points)
    claims = [
        error_claim(_SECTION, "BE", 14.7, masked.baseline, note="by choice of the leaf size"),
        error_claim(_SECTION, "UE", 24.5, masked.upper),
    ]
    for name, chosen, cost, benefits in (
        ("L=2", [p for p in private if p.length == 2], (1.0, True), (8.9, 9.5)),
        ("L=4, 6", [p for p in private if p.length in (4, 6)], (4.1, False), (5.8, 8.8)),
    ):
        if chosen:
            worst = max(masked.cost(point) for point in chosen)
            claims.append(bound_claim(_SECTION, f"largest CE-BE, {name}, points", cost[0], worst, strict=cost[1]))
            found = sorted(masked.benefit(point) for point in chosen)
            inside = benefits[0] <= found[0] and found[-1] <= benefits[1]
            claims.append(
                fact_claim(
                    _SECTION,
                    f"UE-CE, {name}, points",
                    f"{benefits[0]:g} to {benefits[1]:g}",
                    f"{found[0]:.1f} to {found[-1]:.1f}",
                    inside,
                )
            )
    claims += _ratio_claims(points, len(masked.qid))
    varied = [point for point in private if (point.length, point.least) == (4, largest) and point.most in Cs]
    if len(varied) > 1:
        errors = [point.error.percent for point in varied]
        ratios = [point.ratio for point in varied]
        shown = f"CE {min(errors):.2f} to {max(errors):.2f}, DR {min(ratios):.2f} to {max(ratios):.2f}"
        steady = max(errors) - min(errors) <= 0.5 and max(ratios) - min(ratios) <= 0.05
        where = f"{min(point.most for point in varied):.0%} to {max(point.most for point in varied):.0%}"
        claims.append(
            fact_claim(_SECTION, f"C from {where} hardly matters, K={varied[0].least}", "CE and DR", shown, steady)
        )
    claims.append(
        bound_claim(OWN_TARGET, "least UE-CE, points", 4.0, min(masked.benefit(p) for p in private), at_least=True)
    )
    two = [masked.cost(point) for point in private if point.length == 2]
    if two:
        claims.append(bound_claim(OWN_TARGET, "largest CE-BE, L=2, points", 2.0, max(two)))
    claims.append(
        bound_claim(_SECTION, "longest masking", 30.0, max(point.seconds for point in points), strict=True, unit=" s")
    )
    return claims


def _ratio_claims(points: Sequence[_Point], everything: int) -> list[Claim]:
    """Compare discernibility: near 0 for L=2, that of k-anonymity for L=6."""
    claims = []
    two = [point.ratio for point in points if point.length == 2]
    if two:
        near = max(two) < 0.1
        claims.append(fact_claim(_SECTION, "DR, L=2", "near 0", f"{min(two):.3f} to {max(two):.3f}", near))
    plain = {(point.least, point.most): point.ratio for point in points if point.length == everything}
    apart = [
        abs(point.ratio - plain[point.least, point.most])
        for point in points
        if point.length == 6 and (point.least, point.most) in plain
    ]
    if apart:
        shown = f"at most {max(apart):.3f} apart"
        claims.append(fact_claim(_SECTION, "DR, L=6, against k-anonymity", "equal", shown, max(apart) < 0.001))
    return claims


def _scale_claims(rows: int, seconds: float) -> list[Claim]:
    # The paper's 107 seconds for a million records are 50 of reading, 33 of masking, 24 of writing.
    claims = [bound_claim(_SCALE, f"masking {rows:,} rows, L=4, K=20, C=100%", 33.0 * rows / 1e6, seconds, unit=" s")]
    return [
        *claims,
        bound_claim(OWN_TARGET, f"masking {rows:,} rows, L=4", 120.0 * max(rows / 1e6, 1), seconds, unit=" s"),
    ]


def _panels(masked: _Masked, points: Sequence[_Point], Ls: Sequence[int], C: float) -> list[Panel]:
    panels = []
    for L in Ls:
        curve = [point for point in points if point.length == L and point.most == C]
        ends = (curve[0].least, curve[-1].least)
        panels.append(
            Panel(
                f"L={L}, C={C:.0%}",
                (
                    Line("BE", tuple((K, masked.baseline.percent) for K in ends), colour=5, dashed=True),
                    Line("CE", tuple((point.least, point.error.percent) for point in curve)),
                    Line("UE", tuple((K, masked.upper.percent) for K in ends), dashed=True),
                ),
            )
        )
    return panels
