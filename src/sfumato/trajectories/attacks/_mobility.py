"""Attacks that users of scikit-mobility know: the most telling h things of everybody's trace, and how many persons fit them."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.kernels.arrays import Floats, Ints
from sfumato.trajectories.attack import TrajectoryAttack, TrajectoryKnowledge
from sfumato.trajectories.attacks._knowledge_sets import fewest, persons_by_set, persons_within
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["FrequencyAttack", "KnownTraces", "MobilityAttack", "fitting_sets", "mobility_traits", "visits"]


@frozen
class KnownTraces(Details):
    """What was found: the fewest persons who fit what is known of somebody, how many are alone, and how much is known."""

    smallest: int
    alone: int
    power: int


def mobility_traits(knowledge: str) -> AttackTraits:
    """Return what these attacks have in common: they look for records and need nothing beside the release."""
    return AttackTraits(
        aims_at=frozenset({"record"}), knowledge=knowledge, needs=frozenset(), victims="records", compared=True
    )


class MobilityAttack(TrajectoryAttack):
    """The risk of a person is the largest 1 / |persons who fit| over all that can be known of so many things of the trace."""

    power: int = param(ge=1, default=2, doc="how many things are known of a trace; all of it where it has fewer")

    @abstractmethod
    def fitting(self, paths: Trajectories, power: int) -> Ints:
        """Return how many persons, the own one among them, fit the most telling knowledge of each person."""

    def on(self, trajectories: Trajectories, knowledge: TrajectoryKnowledge, run: Run) -> Risk:
        """Try everybody with the most telling knowledge, among those who share the known columns."""
        power = knowledge.power or self.power
        own = trajectories.classes[0]
        fewest_found = np.minimum(self.fitting(trajectories.apart(), power), np.bincount(own)[own])
        risk = 1 / np.maximum(fewest_found, 1)
        highest, mean = spread(risk)
        smallest, alone = int(fewest_found.min(initial=len(trajectories))), int((fewest_found == 1).sum())
        return Risk(
            attack=self.id,
            per_victim=risk,
            highest=highest,
            mean=mean,
            reading=say(
                "reading.traces",
                smallest=smallest,
                alone=alone,
                persons=len(trajectories),
                share=alone / max(len(risk), 1),
            ),
            details=KnownTraces(smallest, alone, power),
        )


class FrequencyAttack(MobilityAttack):
    """Knows places with a value of each, which may be off by a share of it."""

    tolerance: float = param(ge=0, lt=1, default=0.0, doc="share of a value by which what is known may be off")

    @abstractmethod
    def values(self, counts: Ints, totals: Ints) -> Floats:
        """Return the values of sets of places: visits by place in each row, and of the person in all."""

    def fitting(self, paths: Trajectories, power: int) -> Ints:
        """Count persons with the same places, whose values are near enough."""
        starts, places, counts = visits(paths)
        totals = paths.lengths

        def counted(owners: Ints, members: Ints) -> Ints:
            return persons_within(places[members], self.values(counts[members], totals[owners]), self.tolerance)

        return fewest(starts, power, counted)


def visits(paths: Trajectories) -> tuple[Ints, Ints, Ints]:
    """Return in compressed rows the distinct places of each person, rising, and how often the person was there."""
    keys, counts = np.unique(paths.owners * np.int64(max(len(paths.names), 1)) + paths.places, return_counts=True)
    owners, places = np.divmod(keys, max(len(paths.names), 1))
    starts = np.concatenate(([0], np.cumsum(np.bincount(owners, minlength=len(paths))))).astype(np.int64)
    return starts, places, counts.astype(np.int64)


def fitting_sets(starts: Ints, codes: Ints, power: int, *, ordered: bool = False) -> Ints:
    """Return the fewest persons whose traces contain the same codes, as often; in the same order if ``ordered``."""

    def counted(owners: Ints, members: Ints) -> Ints:
        known = codes[members]
        return persons_by_set(owners, known if ordered else np.sort(known, axis=1))

    return fewest(starts, power, counted)
