"""Adult as a table that people join and leave: counterfeits of m-invariant releases, and the error of counts on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.progress import Progress
from sfumato.contracts.thing import param
from sfumato.data.text import parse_interval
from sfumato.datasets.adult import adult
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.experiments.claims import OWN_TARGET, bound_claim, fact_claim
from sfumato.experiments.course import each_of
from sfumato.experiments.experiment import Reproduction
from sfumato.experiments.line_plot import Line, Panel
from sfumato.experiments.result import ExperimentResult
from sfumato.experiments.series_result import SeriesResult
from sfumato.kernels.arrays import Floats, Ints
from sfumato.sequels.algorithms.m_invariance_anonymize import MInvarianceAnonymize
from sfumato.sequels.models.m_invariance import MInvariance
from sfumato.sequels.series import Series
from sfumato.sequels.task import SeriesTask

__all__ = ["MInvarianceAdult"]

_QID = ("age", "education-num", "hours-per-week")
_SECRET, _PERSON = "occupation", "person"


class MInvarianceAdult(Reproduction):
    """People of Adult who come and go, published again and again: how many rows are invented, and how wrong counts are.

    A tenth of the records leaves before each release and others take their place. A question counts the records of one
    occupation whose age, years of education and hours lie in ranges that each cover about ``width`` of the column; on a release
    each row counts by the share of its box that the ranges cover. The error is the median of ``|estimate - count| / count``
    over questions that somebody fits.

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", 2007,
    doi:10.1145/1247480.1247556.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.3.2.
    """

    id: ClassVar[str] = "m-invariance-adult"
    title: ClassVar[str] = "Adult records that come and go: counterfeits and the error of counts"
    paper: ClassVar[str] = (
        'Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007, '
        "doi:10.1145/1247480.1247556"
    )
    deviations: ClassVar[tuple[str, ...]] = (
        "The paper's tables (a census of 400,000 people) are not public: Adult stands in, with our own questions. What the "
        "paper states in words is compared: few counterfeits, and an error that does not grow with the releases.",
        "m = 8 is more than the occupations of Adult carry: one in seven people has the most frequent one, so that the first "
        "release needs 7 per cent of counterfeits and the later ones 9 to 12. Up to m = 6 there are at most 0.1 per cent.",
    )
    hasty: ClassVar[Mapping[str, object]] = {"ms": (2, 4), "releases": 3, "rows": 1000, "questions": 100}

    ms: tuple[int, ...] = param(default=(2, 4, 6, 8), doc="fewest different values of a group")
    releases: int = param(default=10, ge=2, doc="how many releases there are")
    rows: int = param(default=20_000, ge=100, doc="records of each release")
    churn: float = param(default=0.1, gt=0, lt=1, doc="share of the records that leaves before each release")
    questions: int = param(default=1000, ge=1, doc="counts that are asked of each release")
    width: float = param(default=0.4, gt=0, le=1, doc="share of a column that a range covers")
    seed: int = param(default=0, ge=0, doc="seed of who leaves and of the questions")

    def validate(self) -> None:
        """Refuse an m that hides nothing."""
        if not self.ms or min(self.ms) < 2:
            raise BadRequest("must hold numbers from 2 up", parameter=f"{self.id}.ms", value=list(self.ms))

    def measure(self, progress: Progress) -> ExperimentResult:
        """Publish the same people for every m."""
        progress.stage("loading Adult")
        data = adult(missing="drop", download=self.download)
        leaving = round(self.rows * self.churn)
        needed = self.rows + (self.releases - 1) * leaving
        if needed > len(data):
            raise BadRequest(
                f"needs {needed} records, Adult has {len(data)}", parameter=f"{self.id}.rows", value=self.rows
            )
        columns = {name: np.array(data.values(name)) for name in (*_QID, _SECRET)}
        rng, present = np.random.default_rng(self.seed), np.arange(self.rows)
        months = [present]
        for number in range(1, self.releases):
            first = self.rows + (number - 1) * leaving
            present = np.concatenate([rng.permutation(present)[leaving:], np.arange(first, first + leaving)])
            months.append(present)
        found = each_of(
            progress,
            "publishing again",
            sorted(set(self.ms)),
            lambda m: f"m={m}",
            lambda m: self._published(m, columns, months),
            lambda held: f"{held[0][-1]:.2%} counterfeits, error {held[1][-1]:.1%}",
        )
        ms = sorted(set(self.ms))
        invented = {m: held[0] for m, held in zip(ms, found, strict=True)}
        wrong = {m: held[1] for m, held in zip(ms, found, strict=True)}
        most = max(max(held) for m, held in invented.items() if m <= 4) if min(ms) <= 4 else None
        growing = [f"m={m}" for m, held in wrong.items() if held[-1] > 1.5 * held[0]]
        claims = [fact_claim("SIGMOD 2007", "m whose error grew by half or more", "none", growing, not growing)]
        if most is not None:
            claims.append(bound_claim(OWN_TARGET, "largest share of counterfeits in a release, m <= 4", 0.01, most))
        return SeriesResult(
            experiment=self.id,
            title=self.title,
            paper=self.paper,
            setting=(
                f"Data: {data.source}; {self.releases} releases of {self.rows} records, {leaving} of them new",
                f"Quasi-identifiers: {', '.join(_QID)}; sensitive: {_SECRET}; {self.questions} questions, seed {self.seed}",
            ),
            claims=tuple(claims),
            curves=(),
            deviations=self.known_deviations,
            header=("m", "release", "counterfeits, per cent of rows", "median error of counts, per cent"),
            values=tuple(
                (str(m), str(at + 1), f"{100 * invented[m][at]:.3f}", f"{100 * wrong[m][at]:.2f}")
                for m in ms
                for at in range(self.releases)
            ),
            heading="Every m and release:",
            panels=tuple(
                Panel(
                    title,
                    tuple(
                        Line(f"m={m}", tuple((at + 1.0, 100 * one) for at, one in enumerate(held[m])), colour=number)
                        for number, m in enumerate(ms)
                    ),
                )
                for title, held in (("counterfeits", invented), ("median error of counts", wrong))
            ),
            x="release",
            y="per cent",
        )

    def _published(
        self, m: int, columns: Mapping[str, Ints], months: Sequence[Ints]
    ) -> tuple[list[float], list[float]]:
        """Return the share of counterfeits and the error of counts in each release."""
        model = MInvariance(m=m, group="group")
        series: Series | None = None
        invented, wrong = [], []
        for number, present in enumerate(months):
            held = {name: values[present] for name, values in columns.items()}
            batch = read({**{name: values.tolist() for name, values in held.items()}, _PERSON: present.tolist()})
            named = {} if series else {"qid": _QID, "sensitive": _SECRET, "person": _PERSON}
            task = SeriesTask(batch, series, [model], **named)  # type: ignore[arg-type]
            made = MInvarianceAnonymize().publish(task)
            series = task.after(made.copy)
            invented.append(made.facts.counterfeits / made.data.rows)
            wrong.append(self._error(made.data, held, np.random.default_rng([self.seed, number])))
        return invented, wrong

    def _error(self, release: Table, raw: Mapping[str, Ints], rng: np.random.Generator) -> float:
        """Return the median relative error of counts on a release."""
        low, high, value = _boxes(release)
        kinds, spans = np.unique(raw[_SECRET]), [np.unique(raw[name]) for name in _QID]
        errors = []
        for _ in range(self.questions):
            asked = kinds[rng.integers(len(kinds))]
            fits, share = raw[_SECRET] == asked, (value == asked).astype(float)
            for at, (name, span) in enumerate(zip(_QID, spans, strict=True)):
                first = int(rng.integers(max(1, round(len(span) * (1 - self.width)))))
                begin, end = span[first], span[min(len(span) - 1, first + round(len(span) * self.width))]
                fits &= (raw[name] >= begin) & (raw[name] <= end)
                # Whole numbers: a box from 20 to 29 holds ten of them.
                inside = np.minimum(high[at], end) - np.maximum(low[at], begin) + 1
                share *= np.maximum(inside, 0) / (high[at] - low[at] + 1)
            if fits.any():
                errors.append(abs(float(share.sum()) - int(fits.sum())) / int(fits.sum()))
        return float(np.median(errors)) if errors else 0.0


def _boxes(release: Table) -> tuple[list[Floats], list[Floats], Ints]:
    """Return from where to where each row reaches in each quasi-identifier, and its sensitive value."""
    rows = release.select([*_QID, _SECRET]).as_rows()
    codes = rows.codes([*_QID, _SECRET])
    low, high = [], []
    for at, name in enumerate(_QID):
        spans = [parse_interval(str(label)) for label in rows.dictionary(name).values]
        ends = np.array([(span[0], span[1]) for span in spans if span is not None], float)
        low.append(ends[codes[:, at], 0])
        high.append(ends[codes[:, at], 1])
    return low, high, np.array(rows.dictionary(_SECRET).values)[codes[:, -1]]
