"""From what a search made of paths to what is published of them, and what is told of the way there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from sfumato.contracts.built import Built
from sfumato.contracts.facts import Facts
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import Infeasible
from sfumato.trajectories.metric import Masked
from sfumato.trajectories.releases.locally_recoded_trajectories import LocallyRecodedTrajectories
from sfumato.trajectories.releases.recoded_trajectories import RecodedTrajectories
from sfumato.trajectories.task import TrajectoryTask
from sfumato.trajectories.trajectories import Pair, Trajectories

__all__ = ["BuiltTrajectories", "NothingLeft", "TrajectoryFacts", "built_trajectories", "refuse_loss"]


class NothingLeft(Infeasible):
    """No path would have a point: there is nothing to publish."""


@frozen(eq=False)
class BuiltTrajectories(Built):
    """Public tables of paths; ``masked`` are the same paths in the order of the input, which stays."""

    masked: Trajectories = field(kw_only=True)

    def compared(self, before: Trajectories) -> Masked:
        """Return the paths before and after masking, as metrics read them."""
        return Masked(before, self.masked)


def built_trajectories(
    masked: Trajectories, sensitive: Sequence[str], *, local: bool = False, columns: Mapping[str, str] | None = None
) -> BuiltTrajectories:
    """Return the public tables of masked paths; ``local`` if what was done to a pair differs from path to path.

    ``columns`` says what was done to columns of persons that an adversary knows.
    """
    form = LocallyRecodedTrajectories if local else RecodedTrajectories
    plain = tuple(name for name in masked.columns if name not in (*sensitive, *(columns or ())))
    kind = form(sensitive=tuple(sensitive), plain=plain, columns=columns)
    return BuiltTrajectories(kind, kind.parts_of(masked), masked=masked)


@frozen(eq=False, repr=False, kw_only=True)
class TrajectoryFacts(Facts):
    """What was done to points.

    ``suppressed`` pairs are left out of every path, in the order in which they were chosen. ``violations`` is how many minimal
    sequences gave somebody away before.
    """

    suppressed: Sequence[Pair] = ()
    points_before: int
    points_after: int
    violations: int | None = None

    def words(self, *, chosen: bool = False) -> list[str]:
        """Say how many points are left, and of how many."""
        said: list[str] = [say("trails.points_left", after=self.points_after, before=self.points_before)]
        if self.violations is not None:
            said.append(say("trails.violations", count=self.violations))
        return said


def refuse_loss(task: TrajectoryTask, masked: Trajectories) -> None:
    """Refuse a result that loses more points than the limit allows, or all of them: nobody wants a release of nothing."""
    points = len(task.trajectories.places)
    if not len(masked.places):
        raise NothingLeft(say("trails.nothing_left"), measured=0, bound=">= 1")
    lost = points - len(masked.places)
    if lost > task.lose_at_most * points + 1e-9:
        raise Infeasible(
            say("trails.too_much_lost", lost=lost, points=points, share=lost / points, most=task.lose_at_most),
            measured=lost / points,
            bound=f"<= {task.lose_at_most:g}",
        )
