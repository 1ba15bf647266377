"""Generalization of paths: larger places and longer times for everybody, no more than the requirements ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.facts import Facts
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.tree import Tree
from sfumato.errors import Infeasible
from sfumato.kernels.arrays import Codes
from sfumato.trajectories.built import BuiltTrajectories, refuse_loss
from sfumato.trajectories.coordinates import cells
from sfumato.trajectories.releases.generalized_trajectories import GeneralizedTrajectories
from sfumato.trajectories.task import TrajectoryTask
from sfumato.trajectories.times import binned
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["GeneralizationFacts", "TrajectoryGeneralization"]


@frozen(eq=False, repr=False, kw_only=True)
class GeneralizationFacts(Facts):
    """How many steps places and times were generalized, of how many, and how many different pairs that leaves."""

    place_level: int
    time_level: int
    place_levels: int
    time_levels: int
    pairs_before: int
    pairs_after: int

    def words(self, *, chosen: bool = False) -> list[str]:
        return [
            say(
                "moving.generalized",
                place=self.place_level,
                places=self.place_levels,
                time=self.time_level,
                times=self.time_levels,
                before=self.pairs_before,
                after=self.pairs_after,
            )
        ]


class TrajectoryGeneralization(Search[TrajectoryTask]):
    """Make places larger and times longer, the same for everybody, until all requirements hold; every point stays true.

    Places climb the taxonomy where there is one, level by level; places with coordinates go through ``cells`` of growing width.
    Times go through ``bins`` of growing length. Of all choices of a level of places and a level of times, fewer steps come
    first, then fewer steps of places; the first that meets every requirement is taken. Of several points of a person in one
    bin the first stays. Nothing is moved and nobody is left out.

    Examples
    --------
    >>> from sfumato.trajectories.models import LKCPrivacy
    >>> paths = Trajectories.of([[("a", 1)], [("a", 2)], [("b", 11)], [("b", 12)]])
    >>> task = TrajectoryTask(paths, [LKCPrivacy(L=1, K=2)])
    >>> built = TrajectoryGeneralization(bins=(10,)).run(task, Run()).built
    >>> built.tables["points"].to_rows()
    [(1, 'a', 0), (2, 'a', 0), (3, 'b', 10), (4, 'b', 10)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 14.2 and 14.6.
    """

    id: ClassVar[str] = "trajectory-generalization"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release=GeneralizedTrajectories.id,
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="levels of places x levels of times x a judgement",
    )

    cells: tuple[float, ...] = param(
        default=(500.0, 1000.0, 2000.0, 4000.0, 8000.0),
        doc="widths of cells in metres, rising, where places have coordinates",
    )
    bins: tuple[str | float, ...] = param(
        default=(), doc="lengths of bins such as 1h or numbers, rising; times stay if none"
    )

    def run(self, task: TrajectoryTask, run: Run) -> Outcome:
        """Try levels, few steps first."""
        run.stage("generalizing")
        paths = task.trajectories
        places, times = list(self._places(paths)), list(self._times(paths))
        choices = sorted(
            ((up, later) for up in range(len(places)) for later in range(len(times))),
            key=lambda one: (sum(one), one[0]),
        )
        for up, later in choices:
            run.checkpoint()
            masked = _first_of_each(places[up], times[later])
            if not all(model.judge(masked, worst=0).satisfied for model in task.models):
                continue
            refuse_loss(task, masked)
            plain = tuple(name for name in masked.columns if name not in task.sensitive)
            kind = GeneralizedTrajectories(sensitive=tuple(task.sensitive), plain=plain)
            facts = GeneralizationFacts(
                place_level=up,
                time_level=later,
                place_levels=len(places) - 1,
                time_levels=len(times) - 1,
                pairs_before=len(paths.pairs),
                pairs_after=len(masked.pairs),
            )
            return Outcome(built=BuiltTrajectories(kind, kind.parts_of(masked), masked=masked), facts=facts)
        raise Infeasible(say("moving.not_coarse_enough", choices=len(choices)), measured=None, bound=None)

    def _places(self, paths: Trajectories) -> Iterator[Trajectories]:
        """Yield the paths with places of each level, the given ones first."""
        yield paths
        if paths.tree is not None:
            for height in range(1, int(paths.tree.depth.max()) + 1):
                yield _renamed(paths, [_above(paths.tree, name, height) for name in paths.names])
        elif paths.x is not None and paths.y is not None:
            for width in sorted(self.cells):
                codes, names, centres = cells(paths.x, paths.y, grid=width, h3=None, unit=paths.unit)
                middle = centres[codes] if len(codes) else np.empty((0, 2))
                yield replace(
                    paths,
                    places=codes,
                    names=tuple(names),
                    centres=centres,
                    x=middle[:, 0].copy(),
                    y=middle[:, 1].copy(),
                )

    def _times(self, paths: Trajectories) -> Iterator[tuple[tuple[object, ...], Codes]]:
        """Yield the times of each level, as what they are and the number of each given one among them."""
        yield paths.moments, np.arange(len(paths.moments), dtype=np.int32)
        for length in self.bins:
            starts = binned(paths.moments, length)
            number = {one: at for at, one in enumerate(dict.fromkeys(starts))}
            yield tuple(number), np.array([number[one] for one in starts], np.int32)


def _first_of_each(paths: Trajectories, times: tuple[tuple[object, ...], Codes]) -> Trajectories:
    """Return the paths with other times; of several points in one the first stays."""
    moments, number = times
    later = number[paths.times]
    again = np.zeros(len(later), np.bool_)
    again[1:] = (paths.owners[1:] == paths.owners[:-1]) & (later[1:] == later[:-1])
    return replace(paths, moments=moments, times=later).thinned(~again)  # type: ignore[arg-type]  # bins are times


def _renamed(paths: Trajectories, shown: Sequence[str]) -> Trajectories:
    """Return the paths with other names of places, the same for several."""
    names = sorted(set(shown))
    number = {name: code for code, name in enumerate(names)}
    codes = np.array([number[name] for name in shown], np.int32)
    return replace(paths, places=codes[paths.places], names=tuple(names), centres=None, x=None, y=None, tree=None)


def _above(tree: Tree, name: str, height: int) -> str:
    """Return the node so many levels above a place, the root at most."""
    at = tree.node_of[name]
    for _ in range(height):
        at = max(int(tree.parent[at]), 0)
    return tree.labels[at]
