"""Unicity: how many persons a few points of a path single out, by how coarse places and times are."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.kernels.arrays import Bools, Ints
from sfumato.trajectories.attack import TrajectoryAttack, TrajectoryKnowledge
from sfumato.trajectories.attacks._knowledge_kernels import only_ones
from sfumato.trajectories.attacks._mobility import mobility_traits
from sfumato.trajectories.coarser import coarse_places, coarse_times
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["UnicityCurve", "UnicityPoint", "UnicityShares"]


class UnicityPoint(NamedTuple):
    """The share of persons who are alone with so many points, places in cells of so many metres, times in such bins."""

    points: int
    cell: float | None
    bin: str | float | None
    alone: float

    def resolution(self) -> str:
        """Return cells and bins in words; nothing where points are as they are."""
        told = ([] if self.cell is None else [f"{self.cell:g} m"]) + ([] if self.bin is None else [to_text(self.bin)])
        return f" ({', '.join(told)})" if told else ""


@frozen
class UnicityShares(Details):
    """The curve: a share for each number of points and each resolution; ``sampled`` persons were tried."""

    curve: tuple[UnicityPoint, ...]
    sampled: int


class UnicityCurve(TrajectoryAttack):
    """Draw p points of a path at random and count the persons whom nobody else shares them with, for p = 1, 2, ...

    Unicity is the share of persons who are the only ones with their p points; whoever has fewer points is tried with all of
    them. ``cells`` and ``bins`` make points coarser, every width with every length; without them points are as they are. At
    most ``sample`` persons are tried, drawn at random, against everybody.

    Adversary: knows some points of a person's path, drawn at random.

    Examples
    --------
    >>> paths = Trajectories.of([[("a", 1), ("b", 2)], [("a", 1), ("c", 2)], [("a", 1), ("c", 2)]])
    >>> found = UnicityCurve(points=2).on(paths, TrajectoryKnowledge(), Run(rng=np.random.default_rng(1)))
    >>> [round(one.alone, 2) for one in found.details["curve"]][-1]
    0.33

    References
    ----------
    de Montjoye, Hidalgo, Verleysen, Blondel, "Unique in the crowd: the privacy bounds of human mobility", 2013,
    doi:10.1038/srep01376.
    """

    id: ClassVar[str] = "unicity-curve"
    traits: ClassVar[AttackTraits] = mobility_traits("some points of a path, drawn at random")
    adversary: ClassVar[str] = say("adversary.unicity-curve")
    title: ClassVar[str] = "unicity"

    points: int = param(ge=1, le=20, default=4, doc="largest number of points that are known")
    cells: tuple[float, ...] = param(default=(), doc="widths of cells in metres; places as they are if none is given")
    bins: tuple[str | float, ...] = param(
        default=(), doc="lengths of bins such as 1h; times as they are if none is given"
    )
    sample: int = param(ge=1, default=10_000, doc="largest number of persons that are tried")

    def on(self, trajectories: Trajectories, knowledge: TrajectoryKnowledge, run: Run) -> Risk:
        """Return the curve; the risk of a person is 1 if the most points at the finest resolution are nobody else's."""
        count = len(trajectories)
        tried = np.sort(run.rng.permutation(count)[: self.sample])
        curve: list[UnicityPoint] = []
        finest: Bools = np.zeros(len(tried), np.bool_)
        for cell in self.cells or (None,):
            for length in self.bins or (None,):
                run.checkpoint()
                starts, codes = _distinct(
                    trajectories, coarse_places(trajectories, cell), coarse_times(trajectories, length)
                )
                drawn = _drawn(starts, codes, tried, self.points, run.rng)
                holder_starts, holders = _holders(starts, codes)
                for points in range(1, self.points + 1):
                    alone = only_ones(starts, codes, holder_starts, holders, tried, drawn[:, :points].copy())
                    share = float(alone.mean()) if len(alone) else 0.0
                    curve.append(UnicityPoint(points, cell, length, share))
                if len(curve) == self.points:
                    finest = alone
        risk = finest.astype(np.float64)
        highest, mean = spread(risk)
        return Risk(
            attack=self.id,
            per_victim=risk,
            highest=highest,
            mean=mean,
            reading=say(
                "reading.unicity",
                points=self.points,
                share=mean,
                curve=", ".join(f"{one.points}: {one.alone:.1%}" + one.resolution() for one in curve),
            ),
            details=UnicityShares(tuple(curve), len(tried)),
        )


def _distinct(paths: Trajectories, places: Ints, times: Ints) -> tuple[Ints, Ints]:
    """Return in compressed rows the distinct points of each person, rising; points of other classes are others."""
    points = times * (int(places.max(initial=0)) + 1) + places
    if paths.known:
        points += (int(points.max(initial=0)) + 1) * paths.classes[0][paths.owners]
    codes = np.unique(points, return_inverse=True)[1].astype(np.int64)
    width = int(codes.max(initial=0)) + 1
    keys = np.unique(paths.owners * np.int64(width) + codes)
    owners, held = np.divmod(keys, width)
    return np.concatenate(([0], np.cumsum(np.bincount(owners, minlength=len(paths))))).astype(np.int64), held


def _drawn(starts: Ints, codes: Ints, persons: Ints, points: int, rng: np.random.Generator) -> Ints:
    """Return points of some persons, drawn without putting back; -1 where there is none left."""
    lengths = np.diff(starts)
    owners = np.repeat(np.arange(len(lengths)), lengths)
    order = np.lexsort((rng.random(len(codes)), owners))
    at = starts[:-1][persons][:, None] + np.arange(points)
    there = np.arange(points) < lengths[persons][:, None]
    if not len(codes):
        return np.full(at.shape, -1, np.int64)
    return np.where(there, codes[order][np.minimum(at, len(codes) - 1)], -1)


def _holders(starts: Ints, codes: Ints) -> tuple[Ints, Ints]:
    """Return in compressed rows the persons who have each point, rising."""
    owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.argsort(codes, kind="stable")
    counts = np.bincount(codes, minlength=int(codes.max(initial=-1)) + 1)
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64), owners[order]
