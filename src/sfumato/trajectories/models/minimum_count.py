"""Minimum count: every published number of persons at a place and time is of k persons or more."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Verdict, Violation
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.trajectories.flows import FlowModel, Flows
from sfumato.trajectories.traits import TrajectoryTraits
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["MinimumCount"]


class MinimumCount(FlowModel):
    """Every number that is published, of persons at a place or on a way at a time, is k or more.

    For each published row r with its number of different persons n(r): ``n(r) >= k``. It is a rule of thumb of official
    statistics and no formal promise: whoever knows all persons of a row but one learns of that one, and rows of several
    releases can be subtracted from each other.

    Adversary: knows some points of a person and looks for numbers so small that they tell of few.

    Examples
    --------
    >>> paths = Trajectories.of([[("a", 1)], [("a", 1)], [("b", 1)]])
    >>> MinimumCount(k=2).judge(paths).strongest
    1

    References
    ----------
    Hundepool et al., *Statistical Disclosure Control*, 2012, section 4.2 (minimum frequency).
    """

    id: ClassVar[str] = "minimum-count"
    traits: ClassVar[TrajectoryTraits] = TrajectoryTraits(
        frozenset({"record"}), "group", knows="pairs", truthful=True, exact_supports=True
    )
    adversary: ClassVar[str] = say("adversary.minimum-count")
    level: ClassVar[str] = "k"

    k: int = param(ge=1, doc="smallest number of persons that is published")

    def necessary(self, records: int) -> str | None:
        """Fewer persons than must be counted together can never do."""
        return f"k={self.k} is larger than the number of persons, {records}" if records < self.k else None

    def judge(self, view: Flows | Trajectories, *, worst: int = 10) -> Verdict:
        """Judge published numbers; of paths as they stand, how many persons have each pair of place and time."""
        if isinstance(view, Trajectories):
            known: list[tuple[str, ...]] = [(str(pair),) for pair in view.pairs]
            persons = view.supports
        else:
            known = [(*row.places, to_text(row.time)) for row in view.rows]
            persons = np.array([row.persons for row in view.rows], np.int64)
        broken = np.flatnonzero(persons < self.k)
        told = broken[np.argsort(persons[broken], kind="stable")][:worst].tolist()
        return self.verdict(
            satisfied=not len(broken),
            strongest=int(persons.min()) if len(persons) else None,
            groups=len(persons),
            records=int(persons.sum()),
            bound=say("bound.records", k=self.k),
            violations=[Violation(known[at], int(persons[at]), int(persons[at])) for at in told],
            violating_groups=len(broken),
            violating_records=int(persons[broken].sum()),
        )
