"""Owners who ask for protection, on 400 records of Adult: what it costs beside k-anonymity and l-diversity for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from time import perf_counter
from typing import ClassVar

import numpy as np

from sfumato.algorithms.owners.qidb_anonymization import QidbAnonymization
from sfumato.contracts.algorithm import Algorithm, Task
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import OwnerFacts
from sfumato.contracts.progress import Progress
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.tree import Tree
from sfumato.datasets.adult import adult
from sfumato.engines import from_rows
from sfumato.errors import BadRequest, Infeasible
from sfumato.experiments.claims import OWN_TARGET, Claim, bound_claim, fact_claim
from sfumato.experiments.course import each_of
from sfumato.experiments.experiment import Reproduction
from sfumato.experiments.line_plot import Line, Panel
from sfumato.experiments.series_result import SeriesResult
from sfumato.kernels.arrays import Bools, Floats
from sfumato.tables.policy import Policy
from sfumato.tables.prepare import prepare
from sfumato.verbs.anonymize import anonymize
from sfumato.verbs.measure import measure

__all__ = ["Adult400", "Cost"]

COLUMNS = ("age", "education", "marital-status", "occupation")
#: Share and weight of each disease: 1 for those that owners may mind.
DISEASES: Mapping[str, tuple[float, int]] = {
    "Gastric ulcer": (0.1, 0),
    "Stomach cancer": (0.2, 1),
    "Flu": (0.5, 0),
    "Heart disease": (0.2, 1),
}
_METRICS: tuple[object, ...] = ({"id": "minimal-distortion", "penalty": 10}, "discernibility", "precision", "iloss")
_PRECISE = 0.2  # the share of protected owners that our own bars speak of
_TOLERANCES = ("0.01", "0.2")

EDUCATION: Mapping[str, object] = {
    "Any education": [
        {
            "School": [
                {"Elementary": ["Preschool", "1st-4th", "5th-6th", "7th-8th"]},
                {"Secondary": ["9th", "10th", "11th", "12th", "HS-grad"]},
            ]
        },
        {
            "After school": [
                {"College": ["Some-college", "Assoc-acdm", "Assoc-voc"]},
                {"University": ["Bachelors", "Masters", "Prof-school", "Doctorate"]},
            ]
        },
    ]
}
MARITAL: Mapping[str, object] = {
    "Any status": [
        {"Married": ["Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent"]},
        {"Was married": ["Divorced", "Separated", "Widowed"]},
        {"Single": ["Never-married"]},
    ]
}


@frozen
class Cost:
    """What one release of the 400 records costs; ``seconds`` for the whole call, ``search`` for the search alone."""

    distortion: float
    discernibility: float
    precision: float
    iloss: float
    seconds: float
    search: float


class Adult400(Reproduction):
    """Protect the owners who ask for it, on 400 records of Adult, beside k-anonymity and l-diversity for everybody.

    The first 400 complete records, with age, education, marital status and occupation as quasi-identifiers (hierarchies of
    heights 3, 3, 2 and 2). The income is replaced by a disease, drawn with fixed shares; owners of the two diseases of
    weight 1 ask for protection with a given chance. Rivals are the best full-domain recodings that satisfy k-anonymity or
    distinct l-diversity, without leaving records out and with at most 5 per cent left out. All figures are medians over
    seeds; time is that of the algorithm alone, and that of the whole call, verification included.

    References
    ----------
    The thresholds and claims are those of a published experiment with sensitive weights and disclosure flags, of which
    only curves are printed; compare Xiao, Tao, "Personalized privacy preservation", 2006, doi:10.1145/1142473.1142500.
    """

    id: ClassVar[str] = "adult-400"
    title: ClassVar[str] = "Owners who ask for protection, 400 records of Adult"
    paper: ClassVar[str] = "sensitive weights and disclosure flags, experiment on 400 records of Adult (curves only)"
    deviations: ClassVar[tuple[str, ...]] = (
        "The paper prints curves without numbers: its claims can only be compared as lower or not lower.",
        "Not stated and chosen here: k and l, the shares of diseases, the chance of asking, the hierarchies, the measure of "
        "information loss (precision loss and ILoss are both compared).",
        "The paper demands th_disc > th_acct and then runs 0.01 against 0.1; with 0.01 rows are hardly ever added and the "
        "run often ends without a release. Both 0.01 and 0.2 are run.",
        "The paper measured time in another language on another machine; here both sides are this library.",
    )

    hasty: ClassVar[Mapping[str, object]] = {"seeds": 1, "shares": (0.2, 0.05), "ks": (5,), "ls": (2,)}

    seeds: int = param(default=12, ge=1, doc="how many draws of diseases and answers")
    shares: tuple[float, ...] = param(
        default=(0.5, 0.2, 0.05), doc="chances that an owner of a disease of weight 1 asks for protection"
    )
    ks: tuple[int, ...] = param(default=(2, 5, 10), doc="group sizes of the rivals")
    ls: tuple[int, ...] = param(default=(2, 3), doc="numbers of distinct diseases of the rivals")
    records: int = param(default=400, ge=20, doc="how many records, from the first")

    def validate(self) -> None:
        """Refuse empty lists and chances that are none."""
        if not self.shares or any(not 0 <= share <= 1 for share in self.shares):
            raise BadRequest("must hold chances from 0 to 1", parameter=f"{self.id}.shares", value=self.shares)
        for name, least in (("ks", 1), ("ls", 1)):
            values = getattr(self, name)
            if not values or min(values) < least:
                raise BadRequest(f"must hold numbers from {least} up", parameter=f"{self.id}.{name}", value=values)

    def measure(self, progress: Progress) -> SeriesResult:
        """Publish every draw in every way and compare the medians with what the paper claims."""
        progress.stage("loading Adult")
        data = adult(download=self.download)
        people = {name: data.values(name)[: self.records] for name in COLUMNS}
        trees = _trees(data.taxonomies["occupation"])
        ours: dict[tuple[float, str], list[Cost]] = {
            (share, tolerance): [] for share in self.shares for tolerance in _TOLERANCES
        }
        rivals: dict[str, list[Cost]] = {}
        # What is compiled or loaded on first use is no part of anybody's time.
        diseases, draws = _drawn(0, self.records)
        _published(_table(people, diseases, draws < max(self.shares)), _own_policy(trees, _TOLERANCES[-1]))
        for _, policy in self._rivals(trees):
            _published(_table(people, diseases, None), policy)

        def published(seed: int) -> int:
            diseases, draws = _drawn(seed, self.records)
            for share, tolerance in ours:
                table = _table(people, diseases, draws < share)
                found = _published(table, _own_policy(trees, tolerance))
                if found is not None:
                    ours[share, tolerance].append(found)
            for name, policy in self._rivals(trees):
                found = _published(_table(people, diseases, None), policy)
                if found is not None:
                    rivals.setdefault(name, []).append(found)
            return sum(len(costs) == seed + 1 for costs in (*ours.values(), *rivals.values()))

        each_of(
            progress,
            "publishing",
            range(self.seeds),
            lambda seed: f"seed {seed}",
            published,
            lambda count: f"{count} ways published all draws",
        )
        settings = (
            f"Data: {data.source}; the first {self.records} complete records; {self.seeds} seeds",
            "Thresholds: th_acct 0.1, th_suppr 1, th_iter 10; 10 for each level climbed",
        )
        return SeriesResult(
            self.id,
            self.title,
            self.paper,
            settings,
            tuple(self._claims(ours, rivals)),
            (),
            self.known_deviations,
            header=("way", "published", "distortion", "discernibility", "precision loss", "ILoss", "search", "seconds"),
            values=tuple(_rows(ours, rivals, self.seeds)),
            heading="Medians over seeds",
            panels=_panels(ours, rivals, self.shares),
            x="chance of asking for protection",
            y="of what the costliest way costs",
        )

    def _rivals(self, trees: Mapping[str, object]) -> list[tuple[str, dict[str, object]]]:
        out = []
        for allowed in (0.0, 0.05):
            left = "" if not allowed else ", 5 % left out"
            wanted: dict[str, dict[str, object]] = {f"{k}-anonymity": {"id": "k-anonymity", "k": k} for k in self.ks}
            for many in self.ls:
                wanted[f"{many}-diversity"] = {"id": "l-diversity-distinct", "l": many, "sensitive": "disease"}
            out += [(f"{name}{left}", _rival(trees, spec, "optimal", allowed)) for name, spec in wanted.items()]
        middle = sorted(self.ks)[len(self.ks) // 2]
        asked = {"id": "k-anonymity", "k": middle}
        out.append((_samarati(middle), _rival(trees, asked, "samarati-binary-search", 0.0)))
        return out

    def _claims(
        self, ours: Mapping[tuple[float, str], Sequence[Cost]], rivals: Mapping[str, Sequence[Cost]]
    ) -> list[Claim]:
        out: list[Claim] = []
        searched = [name for name in rivals if not name.startswith("Samarati")]
        for (share, tolerance), costs in ours.items():
            who = f"{share:.0%} ask, th_disc {tolerance}"
            enough = len(costs) >= max(self.seeds - 1, 1)
            out.append(
                fact_claim(
                    "Sec. V", f"published, {who}", "always", f"{len(costs)} of {self.seeds}", len(costs) == self.seeds
                )
            )
            if not costs:
                continue
            for field, word in (
                ("precision", "information loss"),
                ("iloss", "ILoss"),
                ("distortion", "distortion"),
                ("discernibility", "discernibility"),
                ("search", "time"),
            ):
                mine = _median(costs, field)
                beaten = [name for name in searched if mine < _median(rivals[name], field)]
                lost = [name for name in searched if name not in beaten]
                said = f"than {len(beaten)} of {len(searched)}" + (f"; not than {', '.join(lost)}" if lost else "")
                out.append(fact_claim("Sec. V", f"{word} is lower, {who}", "than every rival", said, not lost))
            if share == _PRECISE and tolerance == "0.2":
                out += self._bars(costs, rivals, enough=enough)
        return out

    def _bars(self, costs: Sequence[Cost], rivals: Mapping[str, Sequence[Cost]], *, enough: bool) -> list[Claim]:
        """Return our own bars at 20 per cent: cheaper than k-anonymity for all, and no slower than Samarati's search."""
        out = [fact_claim(OWN_TARGET, "published, 20 % ask", "in all draws but one", str(len(costs)), enough)]
        plain = [f"{k}-anonymity" for k in self.ks if f"{k}-anonymity" in rivals]
        for field, word in (("precision", "information loss"), ("distortion", "distortion"), ("discernibility", "DM")):
            least = min((_median(rivals[name], field) for name in plain), default=0.0)
            what = f"{word} over the least of k-anonymity without suppression"
            out.append(bound_claim(OWN_TARGET, what, 1.0, _median(costs, field) / max(least, 1e-9), strict=True))
        slow = next((name for name in rivals if name.startswith("Samarati")), None)
        if slow is not None:
            for field, word in (("search", "time of the search"), ("seconds", "time of the whole call")):
                ratio = _median(costs, field) / _median(rivals[slow], field)
                out.append(bound_claim(OWN_TARGET, f"{word} over that of Samarati's search", 1.0, ratio))
        return out


def _samarati(k: int) -> str:
    return f"Samarati's search, {k}-anonymity"


def _trees(occupation: Mapping[str, object]) -> dict[str, object]:
    """Return the hierarchy of each column: heights 3, 3, 2 and 2."""
    return {
        "age": {"id": "intervals", "lower": 10, "width": 10, "upper": 100, "fan_out": [3, 3]},
        "education": {"id": "taxonomy", "tree": EDUCATION},
        "marital-status": {"id": "taxonomy", "tree": MARITAL},
        "occupation": {"id": "taxonomy", "tree": Tree.from_nested(occupation).to_nested()},
    }


def _drawn(seed: int, records: int) -> tuple[list[str], Floats]:
    """Return a disease for each record, and a number below which its owner asks for protection."""
    rng = np.random.default_rng(seed)
    names = list(DISEASES)
    drawn = rng.choice(len(names), size=records, p=[share for share, _ in DISEASES.values()])
    return [names[at] for at in drawn], rng.random(records)


def _table(people: Mapping[str, Sequence[object]], diseases: Sequence[str], asks: Bools | None) -> Table:
    columns: dict[str, object] = {**people, "disease": diseases}
    if asks is not None:
        columns["answer"] = [
            (0 if ask else 1) if DISEASES[disease][1] else None for disease, ask in zip(diseases, asks, strict=True)
        ]
    return from_rows(list(columns), list(zip(*columns.values(), strict=True)))


def _roles(trees: Mapping[str, object]) -> dict[str, object]:
    quasi = {name: {"role": "quasi-identifier", "hierarchy": trees[name]} for name in COLUMNS}
    return {**quasi, "disease": {"role": "sensitive"}}


def _own_policy(trees: Mapping[str, object], tolerance: str) -> dict[str, object]:
    weights = {disease: weight for disease, (_, weight) in DISEASES.items()}
    return {
        "columns": {**_roles(trees), "answer": {"role": "private"}},
        "requirements": [{"id": "personal-frequency", "sensitive": "disease", "th_acct": "0.1"}],
        "limits": {"suppress_at_most": 1.0},
        "algorithm": {
            "id": "qidb-anonymization",
            "weights": weights,
            "flags": "answer",
            "th_disc": tolerance,
            "th_suppr": 1,
            "th_iter": 10,
        },
        "metrics": [],
    }


def _rival(
    trees: Mapping[str, object], asked: Mapping[str, object], algorithm: str, allowed: float
) -> dict[str, object]:
    return {
        "columns": _roles(trees),
        "requirements": [dict(asked)],
        "limits": {"suppress_at_most": allowed},
        "algorithm": {"id": algorithm},
        "metrics": [],
    }


def _published(table: Table, policy: Mapping[str, object]) -> Cost | None:
    """Publish and measure; ``None`` if nothing may be published."""
    began = perf_counter()
    try:
        release = anonymize(table, policy)
    except Infeasible:
        return None
    seconds = perf_counter() - began
    asked = Policy.of(policy)
    task = prepare(table, asked).task()
    search = _search_seconds(asked.search(), task)
    facts = release.private.facts
    found = measure(
        table.select([*COLUMNS]),
        release.table.select([*COLUMNS]),
        list(_METRICS),
        qid=COLUMNS,
        hierarchies={name: entry.hierarchy for name, entry in asked.columns.items() if entry.hierarchy is not None},
        added=facts.added_rows if isinstance(facts, OwnerFacts) else (),
    )
    return Cost(
        found["minimal-distortion"].value,
        found["discernibility"].value,
        found["precision"].value,
        found["iloss"].value,
        seconds,
        search,
    )


def _search_seconds(algorithm: Algorithm, task: Task) -> float:
    """Time the search, best of three; what is built of its result is not searching, whoever builds it."""
    times = []
    for _ in range(3):
        began = perf_counter()
        if isinstance(algorithm, QidbAnonymization):
            algorithm.prepare(task).run()
        else:
            algorithm.run(task, Run.seeded(0))
        times.append(perf_counter() - began)
    return min(times)


def _median(costs: Sequence[Cost], field: str) -> float:
    return float(median(getattr(cost, field) for cost in costs))


def _rows(
    ours: Mapping[tuple[float, str], Sequence[Cost]], rivals: Mapping[str, Sequence[Cost]], seeds: int
) -> list[tuple[str, ...]]:
    named = {f"{share:.0%} ask, th_disc {tolerance}": costs for (share, tolerance), costs in ours.items()}
    out: list[tuple[str, ...]] = []
    for name, costs in {**named, **rivals}.items():
        figures = (
            ("", "", "", "", "", "")
            if not costs
            else (
                f"{_median(costs, 'distortion'):.0f}",
                f"{_median(costs, 'discernibility'):.0f}",
                f"{_median(costs, 'precision'):.3f}",
                f"{_median(costs, 'iloss'):.1f}",
                f"{_median(costs, 'search'):.4f}",
                f"{_median(costs, 'seconds'):.3f}",
            )
        )
        out.append((name, f"{len(costs)}/{seeds}", *figures))
    return out


def _panels(
    ours: Mapping[tuple[float, str], Sequence[Cost]], rivals: Mapping[str, Sequence[Cost]], shares: Sequence[float]
) -> tuple[Panel, ...]:
    """Return a panel for each measure; rivals do not depend on who asks and are level lines."""
    ends = (min(shares), max(shares))
    panels = []
    for field, title in (
        ("distortion", "distortion"),
        ("discernibility", "discernibility"),
        ("precision", "loss"),
        ("search", "execution time"),
    ):
        every = [costs for costs in (*ours.values(), *rivals.values()) if costs]
        most = max((_median(costs, field) for costs in every), default=1.0) or 1.0
        lines = [
            Line(
                "those who ask",
                tuple(
                    (share, _median(ours[share, "0.2"], field) / most)
                    for share in sorted(set(shares))
                    if ours[share, "0.2"]
                ),
            )
        ]
        shown = [name for name in rivals if "left out" not in name and not name.startswith("Samarati")]
        for number, name in enumerate(shown[:5], start=1):
            level = _median(rivals[name], field) / most
            lines.append(Line(name, ((ends[0], level), (ends[1], level)), number, dashed=True))
        panels.append(Panel(title, tuple(lines)))
    return tuple(panels)
