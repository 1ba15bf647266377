"""What suppression of pairs has in common: requirements it can work for, their violations, and what is published."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.run import Run
from sfumato.errors import Infeasible, Unsupported
from sfumato.itemsets.violations import levels
from sfumato.kernels.arrays import Codes
from sfumato.trajectories.built import TrajectoryFacts, built_trajectories, refuse_loss
from sfumato.trajectories.models.lkc_privacy import LKCPrivacy
from sfumato.trajectories.task import TrajectoryTask
from sfumato.trajectories.trajectories import Pair, Trajectories

__all__ = ["minimal_violations", "sequence_models", "suppressed"]


def sequence_models(task: TrajectoryTask, thing: str) -> list[LKCPrivacy]:
    """Return the requirements; refuse those that do not speak of sequences of few pairs, and those that nothing can meet."""
    out = []
    for model in task.models:
        if not isinstance(model, LKCPrivacy):
            raise Unsupported(f"{thing} works for requirements on sequences of few pairs: lkc-privacy", thing=model.id)
        if model.knowledge != "pair":
            raise Unsupported(
                f"{thing} works against who knows pairs of place and time, not for knowledge: {model.knowledge}",
                thing=model.id,
                alternatives=["trajectory-generalization"],
            )
        reason = model.empty_violation(task.trajectories)
        if reason is not None:
            raise Infeasible(reason, measured=len(task.trajectories), bound=str(model.K), requirement=model.id)
        out.append(model)
    return out


def minimal_violations(task: TrajectoryTask, thing: str, run: Run) -> list[Codes]:
    """Return the codes of the minimal violating sequences of all requirements, those of one length together."""
    out = []
    for model in sequence_models(task, thing):
        run.stage("violating sequences")
        database = model.database(task.trajectories)
        # There may be millions, and no choice among pairs asks for their order.
        found = (level.members(level.violating) for level in levels(database, model.rule(), model.L))
        out += [members for members in found if len(members)]
    return out


def suppressed(
    task: TrajectoryTask, masked: Trajectories, pairs: Sequence[Pair], violations: int | None, *, local: bool = False
) -> Outcome:
    """Return the masked paths as a release; refuse to lose more than may be."""
    refuse_loss(task, masked)
    facts = TrajectoryFacts(
        suppressed=tuple(pairs),
        points_before=len(task.trajectories.places),
        points_after=len(masked.places),
        violations=violations,
    )
    return Outcome(built=built_trajectories(masked, task.sensitive, local=local), facts=facts)
