"""What the algorithms on paths take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from sfumato.contracts.model import Requirement
from sfumato.data.frozen import frozen
from sfumato.tables.person_columns import PersonColumns
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["TrajectoryTask"]


@frozen(eq=False)
class TrajectoryTask:
    """The paths, what must hold, what may be lost, and which columns must not be learnt.

    ``lose_at_most`` is the largest share of points that may be left out or changed, ``suppress_at_most`` that of persons who
    may be left out. ``sensitive`` names columns of the paths. ``columns`` are those of persons that an adversary knows.
    ``cell`` is the width of the cells of the policy's grid, in metres.
    """

    trajectories: Trajectories
    models: Sequence[Requirement]
    lose_at_most: float = 1.0
    suppress_at_most: float = 0.0
    sensitive: tuple[str, ...] = field(default=())
    columns: PersonColumns | None = None
    cell: float | None = None
