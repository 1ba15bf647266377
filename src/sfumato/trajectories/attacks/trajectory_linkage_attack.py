"""Linkage by points: who knows some points of a person looks for the paths that have them, and what else these tell."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.itemsets import Database, exposures
from sfumato.trajectories.attack import TrajectoryAttack, TrajectoryKnowledge
from sfumato.trajectories.known import known_points, matching
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["Linked", "TrajectoryLinkageAttack"]


@frozen
class Linked(Details):
    """What was found: paths that have what is known, and how sure a sensitive value is.

    ``support`` persons have what is known or, where nothing special is, the rarest of a path. ``probabilities`` are the shares
    of values among them, by column; ``breach`` is the largest. ``power`` points are known at most.
    """

    support: int
    breach: float
    probabilities: dict[str, dict[str, float]]
    power: int


class TrajectoryLinkageAttack(TrajectoryAttack):
    """Find the paths that have the known points; conclude on a sensitive value from its share among these.

    ``T(q)`` are the persons whose paths contain the known sequence q, so a person is found with probability ``1 / |T(q)|``
    and has the value s with ``P(s|q)``, its share in T(q). Points may be known as ``place@time``, as a place without a time,
    or as ``@time``; their order counts, so that paths are searched for a true subsequence. If no points are told, every
    person is attacked with the best ``power`` pairs of the path, and with all columns that are quasi-identifiers.

    Adversary: knows some points of a person's path.

    Examples
    --------
    >>> paths = Trajectories.of([[("b", 2), ("f", 6)], [("b", 2), ("f", 6)], [("b", 2)]], columns={"ill": ["x", "x", "y"]})
    >>> knowledge = TrajectoryKnowledge(known=("b@2",), learn=("ill",))
    >>> found = TrajectoryLinkageAttack().on(paths, knowledge, Run())
    >>> found.details["support"], round(found.details["breach"], 2)
    (3, 0.67)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.1.2, Example 14.1.
    """

    id: ClassVar[str] = "trajectory-linkage-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record", "attribute"}),
        knowledge="some points of a path",
        needs=frozenset(),
        victims="records",
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.trajectory-linkage-attack")
    title: ClassVar[str] = "linkage by points"

    power: int = param(ge=1, default=2, doc="how many points are known of a path, where nothing special is told")

    def on(self, trajectories: Trajectories, knowledge: TrajectoryKnowledge, run: Run) -> Risk:
        """Look for what is known, or try the best points of everybody."""
        if knowledge.known:
            return self._known(trajectories, knowledge)
        power = knowledge.power or self.power
        rows, _ = trajectories.secrets(dict.fromkeys(knowledge.learn))
        rarest, surest = exposures(Database(trajectories.within_classes(trajectories.database().items)[0], rows), power)
        risk = np.maximum(1 / np.maximum(rarest, 1), surest)
        highest, mean = spread(risk)
        found, alone = int(rarest.min(initial=len(trajectories))), int((rarest == 1).sum())
        sure = float(surest.max(initial=0))
        return Risk(
            attack=self.id,
            per_victim=risk,
            highest=highest,
            mean=mean,
            reading=say("reading.points", power=power, smallest=found, alone=alone, surest=sure),
            details=Linked(found, sure, {}, power),
        )

    def _known(self, paths: Trajectories, knowledge: TrajectoryKnowledge) -> Risk:
        known = known_points(knowledge.known, paths)
        fitting = matching(paths, known)
        strange = sum(one.strange(paths) for one in known)
        probabilities: dict[str, dict[str, float]] = {}
        for name in knowledge.learn:
            keys = paths.column(name)
            codes = keys.codes[fitting]
            counts = np.bincount(codes[codes >= 0], minlength=len(keys.values)).tolist()
            probabilities[name] = {
                to_text(value): count / len(fitting)
                for value, count in zip(keys.values, counts, strict=True)
                if len(fitting)
            }
        breach = max((share for shares in probabilities.values() for share in shares.values()), default=0.0)
        risk = np.full(len(fitting), max(breach, 1 / max(len(fitting), 1)))
        highest, mean = spread(risk)
        return Risk(
            attack=self.id,
            per_victim=risk,
            highest=highest,
            mean=mean,
            reading=say("reading.strange_points", known=len(known), count=strange)
            if strange
            else say("reading.known_points", known=len(known), count=len(fitting), surest=breach),
            details=Linked(len(fitting), breach, probabilities, len(knowledge.known)),
        )
