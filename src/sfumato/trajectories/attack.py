"""Attacks on paths: what an adversary has who reads published paths, and what she knows of her victim's."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

import numpy as np

from sfumato.contracts.attack import Attack, Risk
from sfumato.contracts.knowledge import Knowledge, Names, Seen, knows
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.trajectories.known import fitting
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["TrajectoryAttack", "TrajectoryKnowledge", "TrajectorySeen"]


@frozen(eq=False, kw_only=True)
class TrajectorySeen(Seen):
    """How an adversary reads published paths; as a table she has one row for each person."""

    trajectories: Trajectories


@frozen(kw_only=True, eq=False)
class TrajectoryKnowledge(Knowledge):
    """What an adversary of published paths may know.

    ``known`` are points of the victim, in the order of time: ``place@time``, ``place`` alone where she does not know when, or
    ``@time`` where she does not know where. ``qid`` are columns of persons that she knows of everybody, ``values`` what she
    knows of her victim: only those are looked at whose columns show it, or something that stands for it.
    """

    known: Names = knows((), say("known.points"), said="points")
    learn: Names = knows((), say("known.person_columns"), said="sensitive")
    power: int | None = knows(None, say("known.power_points"), own=True)
    qid: Names = knows((), say("known.person_qid"), unsaid="the quasi-identifiers, unless values are told")
    values: Mapping[str, object] | None = knows(None, say("known.person_values"), rest=True)

    @property
    def linked_by(self) -> Names:
        """Points and columns."""
        return (*self.known, *(self.values or ()), *self.qid)


class TrajectoryAttack(Attack[TrajectoryKnowledge]):
    """An attack on published paths."""

    @abstractmethod
    def on(self, trajectories: Trajectories, knowledge: TrajectoryKnowledge, run: Run) -> Risk:
        """Return the risk that the paths leave to the persons behind them."""

    def run(self, seen: Seen, knowledge: TrajectoryKnowledge, run: Run) -> Risk:
        """Try it on the paths that are seen; a table is refused."""
        if not isinstance(seen, TrajectorySeen):
            raise BadRequest(f"{self.id} reads paths: give a release of the shape trajectories", parameter="release")
        paths = fitting(seen.trajectories, knowledge.values or {}, seen.readings)
        if knowledge.values and not len(paths):
            nobody = say("reading.nobody_fits", columns=list(knowledge.values))
            return Risk(attack=self.id, per_victim=np.empty(0), highest=0.0, mean=0.0, reading=nobody)
        return self.on(paths, knowledge, run)
