"""Linkage by places and times: who knows where somebody was when, up to a precision, looks for traces that were there then."""

from __future__ import annotations

from datetime import date
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.kernels.arrays import Ints
from sfumato.trajectories.attacks._mobility import MobilityAttack, fitting_sets, mobility_traits
from sfumato.trajectories.trajectories import Moment, Trajectories

__all__ = ["LocationTimeAttack"]


class LocationTimeAttack(MobilityAttack):
    """Try all sets of ``power`` points of a trace, of which place and time are known, the time up to ``precision``.

    Times that are numbers are known as they are. A person fits a set if the trace has each of its pairs of place and time as
    often; the risk is the largest ``1 / |persons who fit|``. Whoever knows more points than a trace has knows all of it.

    Adversary: knows where a person was at some times, the times up to a precision.

    Examples
    --------
    >>> from sfumato.trajectories.attack import TrajectoryKnowledge
    >>> from sfumato.contracts.run import Run
    >>> paths = Trajectories.of([[("a", 1), ("b", 2)], [("a", 1), ("b", 3)], [("a", 1), ("b", 3)]])
    >>> LocationTimeAttack(power=2).on(paths, TrajectoryKnowledge(), Run()).per_victim.tolist()
    [1.0, 0.5, 0.5]

    References
    ----------
    Pellungrini, Pappalardo, Pratesi, Monreale, "A data mining approach to assess privacy risk in human mobility data", 2017,
    doi:10.1145/3106774.
    Pappalardo, Simini, Barlacchi, Pellungrini, "scikit-mobility: a Python library for the analysis, generation, and risk
    assessment of mobility data", 2022, doi:10.18637/jss.v103.i04.
    """

    id: ClassVar[str] = "location-time-attack"
    traits: ClassVar[AttackTraits] = mobility_traits("places of a trace with their times")
    adversary: ClassVar[str] = say("adversary.location-time-attack")
    title: ClassVar[str] = "linkage by places and times"

    precision: str = param(
        default="hour",
        choices=("year", "month", "day", "hour", "minute", "second"),
        doc="how precisely times are known that are days, or days with their time",
    )

    def fitting(self, paths: Trajectories, power: int) -> Ints:
        """Count persons who were at the same places at the same times."""
        known = {moment: self._known(moment) for moment in paths.moments}
        number = {one: at for at, one in enumerate(dict.fromkeys(known.values()))}
        times = np.array([number[known[moment]] for moment in paths.moments], np.int64)[paths.times]
        return fitting_sets(paths.starts, times * max(len(paths.names), 1) + paths.places, power)

    def _known(self, moment: Moment) -> Moment | tuple[int, ...]:
        """Return what is known of a time."""
        if not isinstance(moment, date):
            return moment
        parts = moment.timetuple()[:6]
        return tuple(parts[: ("year", "month", "day", "hour", "minute", "second").index(self.precision) + 1])
