"""Minimal violating sequences: the smallest knowledge of points that gives somebody away."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.itemsets import Database, exposures
from sfumato.itemsets.violations import levels
from sfumato.trajectories.attack import TrajectoryAttack, TrajectoryKnowledge
from sfumato.trajectories.models.lkc_privacy import LKCPrivacy
from sfumato.trajectories.trajectories import Path, Trajectories

__all__ = ["Generated", "MVSGenerator", "MVSLevel"]


@frozen
class Generated(Details):
    """How many minimal violating sequences there are, how many of each length, and how many persons hold one."""

    sequences: int
    by_length: dict[int, int]
    persons: int


@frozen
class MVSLevel:
    """One length: the candidates that were looked at, those that violate, and those that occur and do not."""

    candidates: tuple[Path, ...]
    violating: tuple[Path, ...]
    going_on: tuple[Path, ...]


class MVSGenerator(TrajectoryAttack):
    """Mine the sequences of at most L pairs that violate while no part of them does.

    Level by level: sequences that occur and do not violate are joined with those that agree in all pairs but the last, at a
    later time, and looked at if every part of the result goes on. (The book asks for fewer parts, which lets sequences through
    that hold a shorter violating one.) A sequence violates if fewer than K persons have it, or if a sensitive value is that
    of more than C of them. Whoever has one has the risk of the best L pairs of the path.

    Adversary: knows at most L pairs of a path, the best ones there are.

    Examples
    --------
    >>> paths = Trajectories.of([[("a", 1), ("b", 2)], [("a", 1)], [("a", 1), ("b", 2)], [("b", 2), ("c", 3)]])
    >>> found = MVSGenerator(K=2, L=2).on(paths, TrajectoryKnowledge(), Run())
    >>> found.details["by_length"], found.details["persons"]
    ({1: 1}, 1)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.2.2.1, Algorithm 14.2.13.
    """

    id: ClassVar[str] = "mvs-generator"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record", "attribute"}),
        knowledge="the best pairs of a path",
        needs=frozenset(),
        victims="records",
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.mvs-generator")
    title: ClassVar[str] = "minimal violating sequences"

    L: int = param(ge=1, default=2, doc="largest number of pairs in a sequence")
    K: int = param(ge=1, default=2, doc="smallest number of persons that is no violation")
    C: float = param(
        gt=0, le=1, default=1.0, doc="largest share of persons with one sensitive value that is no violation"
    )

    def on(self, trajectories: Trajectories, knowledge: TrajectoryKnowledge, run: Run) -> Risk:
        rows, _ = trajectories.secrets(dict.fromkeys(knowledge.learn))
        database = Database(trajectories.within_classes(trajectories.database().items)[0], rows)
        # What C means follows from a column that is protected; which one, the adversary says.
        rule = LKCPrivacy(L=self.L, K=self.K, C=self.C, sensitive=next(iter(knowledge.learn), None)).rule()
        held = np.zeros(len(trajectories), np.bool_)
        counts: dict[int, int] = {}
        for level in levels(database, rule, self.L):
            run.checkpoint()
            if len(level.broken):
                counts[level.broken.size] = len(level.broken)
                held[level.owners()] = True
        rarest, surest = exposures(database, self.L)
        risk = np.where(held, np.maximum(1 / np.maximum(rarest, 1), surest if self.C < 1 else 0.0), 0.0)
        highest, mean = spread(risk)
        persons = int(held.sum())
        return Risk(
            attack=self.id,
            per_victim=risk,
            highest=highest,
            mean=mean,
            reading=say("reading.sequences", count=sum(counts.values()), length=self.L, persons=persons),
            details=Generated(sum(counts.values()), counts, persons),
        )

    @staticmethod
    def levels(paths: Trajectories, model: LKCPrivacy) -> Iterator[MVSLevel]:
        """Yield every length with all its candidates, those that do not occur too: for small data, they are very many."""
        before: set[tuple[int, ...]] = {()}
        at = [paths.moments.index(pair.time) for pair in paths.pairs]
        for level in levels(model.database(paths), model.rule(), model.L):
            singles: list[tuple[int, ...]] = [(code,) for code in range(len(paths.pairs))]
            joined = (
                (*one, other[-1])
                for one in sorted(before)
                for other in sorted(before)
                if one and one[:-1] == other[:-1] and at[one[-1]] < at[other[-1]]
            )
            size = level.good.size
            looked = singles if size == 1 else [one for one in joined if set(combinations(one, size - 1)) <= before]
            good = [tuple(row) for row in level.good.members.tolist()]
            yield MVSLevel(_named(paths, looked), _named(paths, level.broken.members.tolist()), _named(paths, good))
            before = set(good)


def _named(paths: Trajectories, sequences: list[tuple[int, ...]] | list[list[int]]) -> tuple[Path, ...]:
    return tuple(tuple(paths.pairs[code] for code in one) for one in sequences)
