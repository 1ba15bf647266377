"""Paths through a city: what suppression for LKC-privacy and moving points for never walk alone cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Search
from sfumato.contracts.progress import Progress
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.datasets.city import city
from sfumato.errors import BadRequest, Infeasible
from sfumato.experiments.claims import fact_claim
from sfumato.experiments.course import each_of
from sfumato.experiments.experiment import Reproduction
from sfumato.experiments.line_plot import Line, Panel
from sfumato.experiments.result import ExperimentResult
from sfumato.experiments.series_result import SeriesResult
from sfumato.trajectories.algorithms.local_pair_suppression import LocalPairSuppression
from sfumato.trajectories.algorithms.never_walk_alone import NeverWalkAlone
from sfumato.trajectories.algorithms.trajectory_anonymizer import TrajectoryAnonymizer
from sfumato.trajectories.built import BuiltTrajectories
from sfumato.trajectories.metric import Masked
from sfumato.trajectories.metrics.lost_points import LostPoints
from sfumato.trajectories.metrics.maximal_frequent_sequences import MaximalFrequentSequences
from sfumato.trajectories.models.k_delta_anonymity import KDeltaAnonymity
from sfumato.trajectories.models.lkc_privacy import LKCPrivacy
from sfumato.trajectories.moving_objects import metres
from sfumato.trajectories.task import TrajectoryTask
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["CityPaths"]

_SECRET = ("Depression", "HIV")
_TIMES = 24
_WAYS = (("global", 1, 1.0), ("global", 2, 1.0), ("global", 3, 1.0), ("global", 2, 0.1), ("local", 2, 1.0))


class CityPaths(Reproduction):
    """Passengers of an invented city: maximal frequent sequences lost by L, K and C, local against global suppression.

    Beside it, how far never walk alone moves points by k and delta: the mean distance that a point is moved, in per cent of
    the mean distance of all points from their middle.

    References
    ----------
    Fung, Cao, Desai, Xu, "Privacy protection for RFID data", 2009, doi:10.1145/1529282.1529626.
    Abul, Bonchi, Nanni, "Never walk alone: uncertainty for anonymity in moving objects databases", 2008,
    doi:10.1109/ICDE.2008.4497446.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 14.2.2 and 14.3.2.
    """

    id: ClassVar[str] = "city-paths"
    title: ClassVar[str] = "Paths through a city: what suppressed pairs and moved points cost"
    paper: ClassVar[str] = (
        'Fung, Cao, Desai, Xu, "Privacy protection for RFID data", SAC 2009, doi:10.1145/1529282.1529626; Abul, Bonchi, Nanni, '
        '"Never walk alone", ICDE 2008, doi:10.1109/ICDE.2008.4497446'
    )
    deviations: ClassVar[tuple[str, ...]] = (
        "The passengers of the papers are not public: an invented city stands in, so that no figure is compared with a printed "
        "one, only its direction: more is lost with a larger K, L and k, and with a smaller C and delta. The choice is greedy, "
        "so that neighbouring K may come in another order.",
    )
    hasty: ClassVar[Mapping[str, object]] = {"persons": 400, "ks": (2, 4), "walkers": 120}

    persons: int = param(default=20_000, ge=50, doc="passengers of the city")
    ks: tuple[int, ...] = param(default=(10, 20, 30, 40, 50), doc="smallest numbers of persons, rising")
    share: float = param(default=0.01, gt=0, le=1, doc="smallest share of persons with a frequent sequence")
    walkers: int = param(default=1000, ge=20, doc="persons whose points are moved")
    deltas: tuple[float, ...] = param(default=(200.0, 1000.0), doc="largest distances in a group, in metres")
    seed: int = param(default=0, ge=0, doc="seed of the city")

    def validate(self) -> None:
        """Refuse an empty or falling list of numbers of persons."""
        if not self.ks or list(self.ks) != sorted(set(self.ks)) or self.ks[0] < 2:
            raise BadRequest("must hold rising numbers from 2 up", parameter=f"{self.id}.ks", value=list(self.ks))

    def measure(self, progress: Progress) -> ExperimentResult:
        """Suppress and move paths for every setting."""
        progress.stage("inventing the city")
        town = city(self.persons, seed=self.seed).to_polars()
        lines = town.with_columns(line=town["station"].str.slice(0, 1))
        # Stations by the hour leave next to nothing: who knows two of them knows the person.
        paths = Trajectories.of(
            lines,
            person="card",
            place="line",
            time="read_at",
            bin="2h",
            columns=["diagnosis"],
            repair={"two-places": "first"},
        )
        settings = [(ways, length, most, k) for ways, length, most in _WAYS for k in self.ks]
        found = each_of(
            progress,
            "suppressing",
            settings,
            lambda one: f"{one[0]}, L={one[1]}, C={one[2]:g}, K={one[3]}",
            lambda one: self._suppressed(paths, *one),
            lambda held: "impossible" if held is None else f"{held[0]:.1%} of the sequences lost",
        )
        lost = {one: held for one, held in zip(settings, found, strict=True) if held is not None}
        walks = self._walks()
        middle = float(np.mean(np.hypot(*(held - held.mean() for held in metres(walks)))))
        moves = [(delta, k) for delta in self.deltas for k in self.ks]
        moved = dict(
            zip(
                moves,
                each_of(
                    progress,
                    "walking together",
                    moves,
                    lambda one: f"delta={one[0]:g}, k={one[1]}",
                    lambda one: self._moved(walks, *one) / middle,
                    lambda held: f"moved by {held:.1%}",
                ),
                strict=True,
            )
        )
        sequences = {one: held[0] for one, held in lost.items()}
        points = {one: held[1] for one, held in lost.items()}
        local = [k for k in self.ks if ("local", 2, 1.0, k) in points and ("global", 2, 1.0, k) in points]
        worse = [f"K={k}" for k in local if points["local", 2, 1.0, k] > points["global", 2, 1.0, k] + 1e-9]
        longer = [
            f"L={length}, K={k}"
            for length in (1, 2)
            for k in self.ks
            if points.get(("global", length, 1.0, k), 0.0) > points.get(("global", length + 1, 1.0, k), 1.0) + 1e-9
        ]
        tighter = [
            f"k={k}"
            for k in self.ks
            if len(self.deltas) > 1 and moved[min(self.deltas), k] < moved[max(self.deltas), k]
        ]
        return SeriesResult(
            experiment=self.id,
            title=self.title,
            paper=self.paper,
            setting=(
                f"Data: invented, {self.persons:,} passengers, {len(paths.names)} lines by two hours; {len(walks):,} walks of "
                f"{_TIMES} points; seed {self.seed}",
                f"A sequence is frequent if {self.share:g} of the persons have it; C bounds {' and '.join(_SECRET)}",
            ),
            claims=(
                fact_claim(
                    "section 14.2.1.4", "K for which local suppression loses more points", "none", worse, not worse
                ),
                fact_claim(
                    "section 14.2.1.2", "L and K for which one pair more loses fewer points", "none", longer, not longer
                ),
                fact_claim(
                    "section 14.3.2", "k for which a smaller delta moves points less", "none", tighter, not tighter
                ),
            ),
            curves=(),
            deviations=self.known_deviations,
            header=(
                "method",
                "L or delta",
                "C",
                "K or k",
                "sequences lost, per cent",
                "points lost or moved, per cent",
            ),
            values=(
                *(
                    (
                        f"{way} suppression",
                        str(length),
                        f"{most:g}",
                        str(k),
                        f"{100 * held[0]:.1f}",
                        f"{100 * held[1]:.1f}",
                    )
                    for (way, length, most, k), held in lost.items()
                ),
                *(
                    ("never walk alone", f"{delta:g} m", "", str(k), "", f"{100 * held:.2f}")
                    for (delta, k), held in moved.items()
                ),
            ),
            heading="Every setting:",
            panels=(
                _panel("maximal frequent sequences lost", sequences, self.ks),
                _panel("points lost", points, self.ks),
                Panel(
                    "points moved",
                    tuple(
                        Line(
                            f"delta={delta:g} m",
                            tuple((float(k), 100 * moved[delta, k]) for k in self.ks),
                            colour=number,
                        )
                        for number, delta in enumerate(self.deltas)
                    ),
                ),
            ),
            x="K or k",
            y="per cent",
        )

    def _suppressed(
        self, paths: Trajectories, way: str, length: int, most: float, k: int
    ) -> tuple[float, float] | None:
        """Return the shares of frequent sequences and of points that are lost; nothing if it cannot be met."""
        model = LKCPrivacy(L=length, K=k)
        if most < 1.0:
            model = LKCPrivacy(L=length, K=k, C=most, sensitive="diagnosis", values=_SECRET)
        task = TrajectoryTask(paths, [model])
        search: Search[TrajectoryTask] = TrajectoryAnonymizer() if way == "global" else LocalPairSuppression()
        try:
            built = search.run(task, Run(rng=np.random.default_rng(self.seed))).built
        except Infeasible:
            return None
        assert isinstance(built, BuiltTrajectories)
        masked = Masked(paths, built.masked)
        frequent = MaximalFrequentSequences(support=self.share)
        return frequent.measure(masked).value, LostPoints().measure(masked).value

    def _walks(self) -> Trajectories:
        """Return walks of a day between home and work."""
        rng = np.random.default_rng(self.seed)
        homes, works = rng.normal(0, 5000, (2, self.walkers, 2))
        hours = np.minimum(np.abs(np.arange(_TIMES) - 12) / 8, 1)[None, :, None]
        points = works[:, None] + (homes - works)[:, None] * hours + rng.normal(0, 150, (self.walkers, _TIMES, 2))
        return Trajectories.of(
            [[(x, y, at) for at, (x, y) in enumerate(path)] for path in points.tolist()], unit="metres", grid=500
        )

    def _moved(self, walks: Trajectories, delta: float, k: int) -> float:
        """Return how far a published point was moved on average, in metres."""
        task = TrajectoryTask(walks, [KDeltaAnonymity(k=k, delta=delta)], suppress_at_most=1.0)
        outcome = NeverWalkAlone().run(task, Run(rng=np.random.default_rng(self.seed)))
        assert outcome.built is not None
        return float(outcome.facts.translation / max(outcome.built.tables["points"].rows, 1))  # type: ignore[attr-defined]


def _panel(title: str, held: Mapping[tuple[str, int, float, int], float], ks: tuple[int, ...]) -> Panel:
    kinds = list(dict.fromkeys(one[:3] for one in held))
    return Panel(
        title,
        tuple(
            Line(
                f"{way}, L={length}" + ("" if most == 1.0 else f", C={most:g}"),
                tuple((float(k), 100 * held[way, length, most, k]) for k in ks if (way, length, most, k) in held),
                colour=number,
            )
            for number, (way, length, most) in enumerate(kinds)
        ),
    )
