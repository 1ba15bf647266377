"""High-Dimensional Top-Down Specialization on Adult: the errors and times that Mohammed et al. 2009 print for LKC-privacy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from sfumato.contracts.progress import Progress
from sfumato.contracts.thing import param
from sfumato.datasets.adult import adult
from sfumato.errors import BadRequest
from sfumato.experiments._hdtds_tables import PROTECTED, SENSITIVE, MaskedAdult, Point
from sfumato.experiments.claims import OWN_TARGET, Claim, bound_claim, error_claim, fact_claim
from sfumato.experiments.course import each_of
from sfumato.experiments.experiment import Reproduction
from sfumato.experiments.line_plot import Line, Panel
from sfumato.experiments.series_result import SeriesResult
from sfumato.utility.classification import DecisionTree

__all__ = ["HdtdsAdult"]

_SECTION = "Sec. 6.7"
_SCALE = "Fig. scalability"
_COLUMNS = ("L", "K", "C", "BE", "CE", "UE", "CE-BE", "UE-CE", "DR", "smallest", "confidence", "steps", "seconds")


class HdtdsAdult(Reproduction):
    """High-Dimensional Top-Down Specialization on Adult: what LKC-privacy costs a decision tree.

    Divorced and Separated are the protected values of marital-status; the other thirteen columns are the quasi-identifier.
    Training and test part are masked together, for each L and K with one C, and for several C with each L and one K. CE is
    the error on the masked table, BE on the raw one, UE without the quasi-identifier. DR is the discernibility ratio of a
    table that is masked for the same requirement and for general analysis, where no class leads the search. For comparison
    an adversary who knows all thirteen columns is asked about too: k-anonymity with the same bound C.

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
        "keep C below that; we begin at 15 per cent. From 20 per cent on neither CE nor DR moves; at 15 per cent DR rises from "
        "0.004 to 0.10 for L=2 and from 0.035 to 0.17 for L=4 and 6, and CE falls by 0.5 points for L=2.",
        "DR is that of tables masked for general analysis; of tables masked for the class it would say little, since their "
        "search does not look at it.",
        "DR of k-anonymity is taken with the same C, as LKC-privacy with all thirteen columns known; without C the tables "
        "differ.",
        "The Blood data of the paper are private. Its machine had four cores at 2.4 GHz; our times are without reading and "
        "writing, and with the check of the published rows, which takes most of the time for a million of them.",
    )

    hasty: ClassVar[Mapping[str, object]] = {"Ls": (2, 4), "Ks": (100,), "Cs": (0.2, 0.3), "rows": 0}

    Ls: tuple[int, ...] = param(default=(2, 4, 6), doc="how many values the adversary may know")
    Ks: tuple[int, ...] = param(default=(20, 40, 60, 80, 100), doc="fewest records that a combination must fit")
    Cs: tuple[float, ...] = param(
        default=(0.15, 0.2, 0.25, 0.3), doc="largest confidences to ask for with every L and the largest K"
    )
    C: float = param(default=0.2, gt=0, le=1, doc="largest confidence while L and K vary")
    min_leaf: int = param(default=50, ge=1, doc="fewest records in a leaf of the decision tree")
    rows: int = param(default=1_000_000, ge=0, doc="size of the largest enlarged table to be timed; 0 for none")
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
        masked = MaskedAdult(adult(download=self.download), DecisionTree(min_leaf=self.min_leaf))
        Ls, Ks, Cs = sorted(set(self.Ls)), sorted(set(self.Ks)), sorted(set(self.Cs))
        everything = len(masked.qid)
        asked = [(L, K, self.C) for L in Ls for K in Ks]
        asked += [(L, Ks[-1], C) for L in Ls for C in Cs if (L, Ks[-1], C) not in asked]
        asked += [(everything, K, self.C) for K in Ks if everything not in Ls]
        points = each_of(
            progress,
            "masking Adult",
            asked,
            lambda one: f"L={one[0]}, K={one[1]}, C={one[2]:.0%}",
            lambda one: masked.point(*one),
            lambda point: f"CE {point.error.percent:.2f}, DR {point.ratio:.3f}",
        )
        sizes = sorted({self.rows // 5, self.rows * 3 // 5, self.rows} - {0})
        times = each_of(
            progress,
            "masking enlarged tables",
            sizes,
            lambda rows: f"{rows:,} rows",
            lambda rows: masked.timed(rows, self.seed),
            lambda seconds: f"{seconds:.1f} s",
        )
        claims = _claims(masked, points, Cs, self.C)
        if self.rows:
            claims += _scale_claims(self.rows, times[-1])
        return SeriesResult(
            self.id,
            self.title,
            self.paper,
            (
                f"Data: {masked.data.source}; {masked.train} training and {len(masked.data) - masked.train} test records",
                f"Protected: {', '.join(PROTECTED)} of {SENSITIVE}; {len(masked.qid)} quasi-identifiers",
                f"Classifier: {masked.baseline.classifier}",
                "Times are without reading and writing and with the check of the published rows",
            ),
            tuple(claims),
            (),
            self.known_deviations,
            header=_COLUMNS,
            values=tuple(masked.row(point) for point in points),
            heading=f"Errors in per cent, differences in points; L={everything} is k-anonymity with the same bound C:",
            panels=(
                *_panels(masked, points, Ls, self.C),
                *_book_panels(points, Ls, Ks[-1], self.C),
                *_scale_panels(sizes, times),
            ),
            x="K, C in per cent, or rows",
            y="error in per cent, DR, or seconds",
        )


def _claims(masked: MaskedAdult, points: Sequence[Point], Cs: Sequence[float], C: float) -> list[Claim]:
    private = [point for point in points if point.length < len(masked.qid)] or list(points)
    largest = max(point.least for point in points)
    claims = [
        error_claim(_SECTION, "BE", 14.7, masked.baseline, note="by choice of the leaf size"),
        error_claim(_SECTION, "UE", 24.5, masked.upper),
    ]
    for name, chosen, cost, benefits in (
        ("L=2", [p for p in private if p.length == 2 and p.most == C], (1.0, True), (8.9, 9.5)),
        ("L=4, 6", [p for p in private if p.length in (4, 6) and p.most == C], (4.1, False), (5.8, 8.8)),
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
    claims += _ratio_claims([point for point in points if point.most == C], len(masked.qid))
    for L in sorted({point.length for point in private}):
        varied = [point for point in private if (point.length, point.least) == (L, largest) and point.most in Cs]
        if len(varied) < 2:
            continue
        errors = [point.error.percent for point in varied]
        ratios = [point.ratio for point in varied]
        shown = f"CE {min(errors):.2f} to {max(errors):.2f}, DR {min(ratios):.2f} to {max(ratios):.2f}"
        steady = max(errors) - min(errors) <= 0.5 and max(ratios) - min(ratios) <= 0.05
        where = f"{min(point.most for point in varied):.0%} to {max(point.most for point in varied):.0%}"
        what = f"C from {where} hardly matters, L={L}, K={largest}"
        claims.append(fact_claim("Figs. 6.13, 6.15", what, "CE and DR", shown, steady))
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


def _ratio_claims(points: Sequence[Point], everything: int) -> list[Claim]:
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


def _panels(masked: MaskedAdult, points: Sequence[Point], Ls: Sequence[int], C: float) -> list[Panel]:
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


def _book_panels(points: Sequence[Point], Ls: Sequence[int], K: int, C: float) -> list[Panel]:
    """Draw the figures of the book that have all L in one panel: against C for the largest K, against K for one C."""
    by_K = {L: [point for point in points if (point.length, point.most) == (L, C)] for L in Ls}
    by_C = {L: sorted((p for p in points if (p.length, p.least) == (L, K)), key=lambda p: p.most) for L in Ls}
    drawn: tuple[tuple[str, list[tuple[int, list[tuple[float, float]]]]], ...] = (
        ("Fig. 6.13: CE against C", [(L, [(100 * p.most, p.error.percent) for p in by_C[L]]) for L in Ls]),
        ("Fig. 6.14: DR against K", [(L, [(p.least, p.ratio) for p in by_K[L]]) for L in Ls]),
        ("Fig. 6.15: DR against C", [(L, [(100 * p.most, p.ratio) for p in by_C[L]]) for L in Ls]),
    )
    return [
        Panel(title, tuple(_line(f"L={L}", places, colour) for colour, (L, places) in enumerate(lines)))
        for title, lines in drawn
    ]


def _scale_panels(sizes: Sequence[int], times: Sequence[float]) -> list[Panel]:
    line = _line("L=4, K=20, C=100%", zip(sizes, times, strict=True))
    return [Panel("Fig. 6.16: seconds against rows", (line,))] if times else []


def _line(name: str, places: Iterable[tuple[float, float]], colour: int = 0) -> Line:
    return Line(name, tuple((float(x), float(y)) for x, y in places), colour=colour)
