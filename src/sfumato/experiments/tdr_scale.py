"""Top-Down Refinement on enlarged Adult tables: the run times of Fung, Wang, Yu 2007, figure 11."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean
from time import perf_counter
from typing import ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.progress import Progress
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.schema import Role
from sfumato.datasets.adult import adult
from sfumato.datasets.blowup import blow_up
from sfumato.datasets.dataset import Dataset
from sfumato.errors import BadRequest
from sfumato.experiments.claims import OWN_TARGET, Claim, bound_claim, fact_claim
from sfumato.experiments.course import each_of
from sfumato.experiments.experiment import Reproduction
from sfumato.experiments.line_plot import Line, Panel
from sfumato.experiments.multi_qid import random_requirement
from sfumato.experiments.series_result import SeriesResult
from sfumato.tables.open import from_dataset
from sfumato.verbs.anonymize import anonymize

__all__ = ["TdrScale"]

_FIGURE = "Fig. 11"
_ALL, _SEVERAL, _SUPPRESSED = "AllAttQID", "MultiQID", "AllAttQID, suppression"
_PAPER_SECONDS = 80.0
_OWN_SECONDS = 60.0
_STRAIGHT = 2.6  # two times as many rows may take this many times as long

Qids = tuple[tuple[str, ...], ...]


@frozen
class _Timed:
    """One way to mask a table of some size: mean seconds over its requirements, and over how many quasi-identifiers."""

    way: str
    rows: int
    seconds: float
    qids: float


class TdrScale(Reproduction):
    """Top-Down Refinement on enlarged Adult tables: time against rows, with one and with several quasi-identifiers.

    Each of the 45,222 records is joined by variations of itself, in which a random number of random columns take random
    values. AllAttQID is one quasi-identifier of all fourteen columns; MultiQID is the mean over random requirements of several
    quasi-identifiers, drawn as for figure 8. Both generalize and discretize; AllAttQID also suppresses and discretizes.

    References
    ----------
    Fung, Wang, Yu, "Anonymizing classification data for privacy preservation", IEEE TKDE 19(5), 2007, section V-C,
    figure 11, doi:10.1109/TKDE.2007.1015.
    """

    id: ClassVar[str] = "tdr-scale"
    title: ClassVar[str] = "Top-Down Refinement on enlarged Adult tables, time against rows"
    deviations: ClassVar[tuple[str, ...]] = (
        "The paper ran on a machine of 2007; times are compared with its bound and with its ratios, not with its curves.",
        "MultiQID is a mean over a few requirements, where the paper takes 30; how many is an option.",
        "Times are without reading and writing, and with the check of the published rows.",
    )
    hasty: ClassVar[Mapping[str, object]] = {"sizes": (50_000, 100_000), "requirements": 1}

    sizes: tuple[int, ...] = param(default=(200_000, 400_000, 600_000, 800_000, 1_000_000), doc="rows of the tables")
    k: int = param(default=50, ge=1, doc="smallest group size to ask for on every quasi-identifier")
    requirements: int = param(default=2, ge=0, doc="how many random requirements MultiQID is a mean of; 0 for none")
    seed: int = param(default=1, ge=0, doc="seed of the tables and of the requirements")

    def validate(self) -> None:
        """Refuse an empty list, and tables smaller than the one that is enlarged."""
        wrong = [size for size in self.sizes if size < 45_222]
        if wrong or not self.sizes:
            raise BadRequest("must hold numbers from 45222 up", parameter=f"{self.id}.sizes", value=wrong)

    def measure(self, progress: Progress) -> SeriesResult:
        """Time every table and compare with what the paper states."""
        progress.stage("loading Adult")
        data = adult(download=self.download)
        names = tuple(name for name in data.columns if data.roles[name] is not Role.TARGET)
        rng = np.random.default_rng(self.seed)
        drawn = [random_requirement(names, rng) for _ in range(self.requirements)]
        ways: list[tuple[str, bool, list[Qids]]] = [(_ALL, True, [(names,)]), (_SUPPRESSED, False, [(names,)])]
        ways += [(_SEVERAL, True, drawn)] if drawn else []
        for _, generalize, asked in ways:  # compiles the kernels
            _seconds(from_dataset(data), _policy(data, asked[0], self.k, generalize))

        def timed(rows: int) -> list[_Timed]:
            table = from_dataset(blow_up(data, rows=rows, rng=np.random.default_rng(self.seed), columns=names))
            return [
                _Timed(
                    way,
                    rows,
                    mean(_seconds(table, _policy(data, qids, self.k, generalize)) for qids in asked),
                    mean(len(qids) for qids in asked),
                )
                for way, generalize, asked in ways
            ]

        found = each_of(
            progress,
            "masking",
            sorted(set(self.sizes)),
            lambda rows: f"{rows:,} rows",
            timed,
            lambda runs: ", ".join(f"{run.way} {run.seconds:.1f} s" for run in runs),
        )
        runs = [run for one in found for run in one]
        return SeriesResult(
            self.id,
            self.title,
            self.paper,
            (
                "Data: Adult, training and test part, enlarged at random",
                f"{_FIGURE}: k={self.k}, seed {self.seed}; {self.requirements} random requirements of several of them",
            ),
            tuple(_claims(runs)),
            (),
            self.known_deviations,
            header=("way", "rows", "quasi-identifiers", "seconds"),
            values=tuple((run.way, f"{run.rows:,}", f"{run.qids:g}", f"{run.seconds:.2f}") for run in runs),
            heading="Times in seconds, without reading and writing:",
            panels=(_panel(runs),),
            x="rows",
            y="seconds",
        )


def _policy(data: Dataset, qids: Qids, k: int, generalize: bool) -> dict[str, object]:
    columns: dict[str, dict[str, object]] = {name: {"role": "plain"} for name in data.columns}
    columns[data.of(Role.TARGET)[0]] = {"role": "target"}
    for name in dict.fromkeys(name for qid in qids for name in qid):
        columns[name] = {"role": "quasi-identifier"}
        if generalize and name in data.taxonomies:
            columns[name]["hierarchy"] = {"id": "taxonomy", "tree": data.taxonomies[name]}
        elif name in data.ranges:
            columns[name]["range"] = data.ranges[name]
    return {
        "columns": columns,
        "requirements": [{"id": "k-anonymity", "k": k, "qid": list(qid)} for qid in qids],
        "algorithm": {"id": "tdr"},
        "metrics": [],
    }


def _seconds(table: Table, policy: Mapping[str, object]) -> float:
    begun = perf_counter()
    anonymize(table, policy)
    return perf_counter() - begun


def _claims(runs: Sequence[_Timed]) -> list[Claim]:
    largest = max(run.rows for run in runs)
    at_most = {run.way: run.seconds for run in runs if run.rows == largest}
    whole = f"{_ALL}, {largest:,} rows"
    claims = [
        bound_claim(_FIGURE, whole, _PAPER_SECONDS * largest / 1e6, at_most[_ALL], unit=" s"),
        bound_claim(OWN_TARGET, whole, _OWN_SECONDS * max(largest / 1e6, 1), at_most[_ALL], unit=" s"),
    ]
    by_rows = {run.rows: run.seconds for run in runs if run.way == _ALL}
    small = min(by_rows)
    if small < largest:
        growth = (by_rows[largest] / by_rows[small]) / (largest / small)
        shown = f"{growth:.2f} times as long a row"
        straight = growth <= _STRAIGHT / 2
        claims.append(fact_claim(_FIGURE, f"time is linear, {small:,} to {largest:,} rows", "yes", shown, straight))
    if _SEVERAL in at_most:
        several = next(run for run in runs if (run.way, run.rows) == (_SEVERAL, largest))
        ratio = several.seconds / at_most[_ALL]
        shown = f"{ratio:.2f} times as long, {several.qids:g} quasi-identifiers"
        claims.append(
            fact_claim(_FIGURE, f"{_SEVERAL} is slower, {largest:,} rows", "by the number of them", shown, ratio > 1)
        )
    apart = at_most[_SUPPRESSED] / at_most[_ALL]
    claims.append(
        fact_claim(_FIGURE, "suppression takes", "roughly as long", f"{apart:.2f} times as long", 0.5 <= apart <= 2)
    )
    return claims


def _panel(runs: Sequence[_Timed]) -> Panel:
    ways = dict.fromkeys(run.way for run in runs)
    lines = [
        Line(way, tuple((float(run.rows), run.seconds) for run in runs if run.way == way), colour=number)
        for number, way in enumerate(ways)
    ]
    return Panel(_FIGURE, tuple(lines))
