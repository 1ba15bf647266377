"""What suppression of points has in common: requirements it can work for, their violations, and what is published."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

import numpy as np

from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.run import Run
from sfumato.errors import Infeasible, Unsupported
from sfumato.itemsets.violations import levels
from sfumato.kernels.arrays import Codes
from sfumato.trajectories.built import TrajectoryFacts, built_trajectories, refuse_loss
from sfumato.trajectories.models.lkc_privacy import LKCPrivacy
from sfumato.trajectories.place_sequences import judged_places
from sfumato.trajectories.task import TrajectoryTask
from sfumato.trajectories.trajectories import Pair, Trajectories

__all__ = ["WAYS", "by_size", "items", "minimal_violations", "sequence_models", "suppressed"]


WAYS = ("location", "time", "pair")
"""What may be known of a point: what is left out then is a place, a time, or a pair."""


def sequence_models(task: TrajectoryTask, thing: str, ways: Sequence[str] = WAYS) -> list[LKCPrivacy]:
    """Return the requirements; refuse those that do not speak of sequences of few points, and those that nothing can meet."""
    out = []
    for model in task.models:
        if not isinstance(model, LKCPrivacy):
            raise Unsupported(f"{thing} works for requirements on sequences of few pairs: lkc-privacy", thing=model.id)
        if not set(model.ways()) <= set(ways):
            known = " or ".join({"pair": "pairs of place and time", "time": "times"}[way] for way in reversed(ways))
            raise Unsupported(
                f"{thing} works against who knows {known}, not for knowledge: {model.knowledge}",
                thing=model.id,
                alternatives=["trajectory-anonymizer", "trajectory-generalization"],
            )
        reason = model.empty_violation(task.trajectories)
        if reason is not None:
            raise Infeasible(reason, measured=len(task.trajectories), bound=str(model.K), requirement=model.id)
        out.append(model)
    return out


def items(paths: Trajectories, way: str) -> Codes:
    """Return what may be known of each point: the code of its place, of its time, or of its pair."""
    return {"location": paths.places, "time": paths.times}.get(way, paths.codes)


def minimal_violations(paths: Trajectories, models: Sequence[LKCPrivacy], way: str, run: Run) -> list[Codes]:
    """Return the codes of the minimal violating sequences of all requirements, those of one length together."""
    out: list[Codes] = []
    for model in models:
        run.stage("violating sequences")
        if way not in model.ways():
            continue
        if way == "location":
            # The same place may be met twice: leaving it out once for all ends the sequence all the same.
            told = judged_places(paths, model.secrets(paths)[0], model.rule(), model.L, sys.maxsize).worst
            out += by_size(one.members for one in told)
            continue
        # There may be millions, and no choice among pairs asks for their order.
        found = (level.members(level.violating) for level in levels(model.database(paths, way), model.rule(), model.L))
        out += [members for members in found if len(members)]
    return out


def by_size(rows: Iterable[Iterable[int]]) -> list[Codes]:
    """Return sets of codes, those of one size together.

    >>> [sets.tolist() for sets in by_size([(1, 2), (3, 3), (4,)])]
    [[[3], [4]], [[1, 2]]]
    """
    held: dict[int, list[list[int]]] = {}
    for one in map(set, rows):
        held.setdefault(len(one), []).append(sorted(one))
    return [np.array(sets, np.int32) for _, sets in sorted(held.items())]


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
