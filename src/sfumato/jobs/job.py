"""What a job is: what was asked by whom, how far it is, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from sfumato.data.frozen import frozen
from sfumato.data.json import Json

__all__ = ["ENDED", "Event", "Job", "State"]

State = Literal["waiting", "running", "done", "failed", "cancelled"]

ENDED: tuple[State, ...] = ("done", "failed", "cancelled")


@frozen
class Job:
    """One piece of long work.

    ``fence`` counts how often somebody took it on: only the last one may tell of it. ``stop`` is what somebody asked for
    meanwhile: ``keep`` ends a search with the best it has, ``discard`` ends all. ``error`` is a sentence without values.
    """

    number: int
    owner: str
    task: str
    asked: Mapping[str, Json]
    state: State
    fence: int
    stop: Literal["", "keep", "discard"]
    stage: str
    done: float
    total: float | None
    note: str
    made: float
    begun: float | None
    ended: float | None
    result: Mapping[str, Json]
    error: str

    @property
    def over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in ENDED

    @property
    def share(self) -> float | None:
        """How much of the stage is done, if that is known."""
        return None if not self.total else min(self.done / self.total, 1.0)


@frozen
class Event:
    """Something that happened to a job; numbers grow, so that whoever was away asks for what came after the last one seen."""

    number: int
    job: int
    at: float
    told: Mapping[str, Json]
