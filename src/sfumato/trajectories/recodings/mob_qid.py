"""Quasi-identifiers of moving objects: at which times an adversary may know where each was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.contracts.thing import Thing, param
from sfumato.errors import BadRequest
from sfumato.trajectories.moving_objects import MovingObjects
from sfumato.trajectories.trajectories import Moment

__all__ = ["MobQid"]


class MobQid(Thing):
    """Mark the points of each object that an adversary may know: its own set of times, QID(O).

    Objects that are not named have the default: all times at which they were seen, or none, which is refused. Every object
    must have been seen at all times of any quasi-identifier, because it may have to hide another one there.

    Examples
    --------
    >>> objects = MovingObjects.of({"A": [(0, 0), (1, 1)], "B": [(5, 5), (2, 2)]}, times=["t1", "t2"])
    >>> MobQid().mark(objects, {"A": ["t1"]}).qid.tolist()
    [[True, False], [True, True]]

    References
    ----------
    Yarovoy, Bonchi, Lakshmanan, Wang, "Anonymizing moving objects: how to hide a MOB in a crowd?", 2009,
    doi:10.1145/1516360.1516370.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.4.1.
    """

    id: ClassVar[str] = "mob-qid"
    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = True

    default: str = param(default="all", choices=("all", "none"), doc="what may be known of objects that are not named")

    def mark(
        self, objects: MovingObjects, known: Mapping[str, Sequence[Moment | str]] | Sequence[tuple[str, Moment | str]]
    ) -> MovingObjects:
        """Return the objects with what may be known of each: times by object, or rows of object and time."""
        asked: dict[str, list[Moment | str]] = {}
        for name, times in known.items() if isinstance(known, Mapping) else ((name, [time]) for name, time in known):
            asked.setdefault(name, []).extend(times)
        column = {time: at for at, time in enumerate(objects.times)}
        marked = objects.seen.copy() if self.default == "all" else np.zeros_like(objects.seen)
        for name, times in asked.items():
            if name not in objects.number_of:
                raise BadRequest("names an object that there is not", parameter="known", value=len(asked))
            strange = [time for time in times if time not in column]
            if strange:
                raise BadRequest("is not a time of the objects", parameter="known", value=strange[0], available=column)
            row = objects.number_of[name]
            marked[row] = False
            marked[row, [column[time] for time in times]] = True
        refuse_unseen(replace(objects, known=marked))
        return replace(objects, known=marked)


def refuse_unseen(objects: MovingObjects) -> None:
    """Refuse objects of which nothing may be known, and times of a quasi-identifier at which somebody was not seen."""
    nothing = int((~objects.qid.any(axis=1)).sum())
    if nothing:
        raise BadRequest(f"{nothing} objects have no time that may be known", parameter="mob-qid")
    gaps = int((objects.qid.any(axis=0) & ~objects.seen).sum())
    if gaps:
        raise BadRequest(
            f"{gaps} points are missing at times that may be known: everybody must have been seen there",
            parameter="mob-qid",
        )
