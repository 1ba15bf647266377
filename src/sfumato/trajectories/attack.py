"""Attacks on paths: what an adversary has who reads published paths, and what she knows of her victim's."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from sfumato.contracts.attack import Attack, Risk
from sfumato.contracts.knowledge import Knowledge, Names, Seen, knows
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["TrajectoryAttack", "TrajectoryKnowledge", "TrajectorySeen"]


@dataclass(frozen=True, eq=False, kw_only=True)
class TrajectorySeen(Seen):
    """How an adversary reads published paths; as a table she has one row for each person."""

    trajectories: Trajectories


@dataclass(frozen=True, kw_only=True, eq=False)
class TrajectoryKnowledge(Knowledge):
    """What an adversary of published paths may know.

    ``known`` are points of the victim, in the order of time: ``place@time``, ``place`` alone where she does not know when, or
    ``@time`` where she does not know where.
    """

    known: Names = knows((), say("known.points"), said="points")
    learn: Names = knows((), say("known.person_columns"), said="sensitive")
    power: int | None = knows(None, say("known.power_points"), own=True)


class TrajectoryAttack(Attack[TrajectoryKnowledge]):
    """An attack on published paths."""

    @abstractmethod
    def on(self, trajectories: Trajectories, knowledge: TrajectoryKnowledge, run: Run) -> Risk:
        """Return the risk that the paths leave to the persons behind them."""

    def run(self, seen: Seen, knowledge: TrajectoryKnowledge, run: Run) -> Risk:
        """Try it on the paths that are seen; a table is refused."""
        if not isinstance(seen, TrajectorySeen):
            raise BadRequest(f"{self.id} reads paths: give a release of the shape trajectories", parameter="release")
        return self.on(seen.trajectories, knowledge, run)
