"""Path suppression: leave pairs out of all paths until every path that is left is shared by enough persons."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.errors import Infeasible, Unsupported
from sfumato.kernels.arrays import Bools, Codes, Ints
from sfumato.trajectories.algorithms._violations import suppressed
from sfumato.trajectories.models.path_k_anonymity import PathKAnonymity
from sfumato.trajectories.task import TrajectoryTask
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["PathSuppression"]


class PathSuppression(Search[TrajectoryTask]):
    """Leave pairs out of all paths so that whole paths are k-anonymous, as few points as can be.

    Up to ``exact`` different pairs all choices are tried, cheapest first. With more, the pair goes that most of the persons in
    too small groups have for the points it costs, ``persons / points``, until no group is too small; ties go to the first pair
    in time. Leaving a pair out only ever merges groups of equal paths, so that this ends; nothing may be left.

    Examples
    --------
    >>> paths = Trajectories.of([[("a", 1), ("b", 2)], [("a", 1)], [("a", 1), ("c", 3)]])
    >>> outcome = PathSuppression().run(TrajectoryTask(paths, [PathKAnonymity(k=3)]), Run())
    >>> [str(pair) for pair in outcome.facts.suppressed], outcome.optimal
    (['b@2', 'c@3'], True)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.1.2, Table 14.2.
    """

    id: ClassVar[str] = "path-suppression"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="recoded-trajectories",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="pairs x points; two to the number of pairs where it is exact",
    )

    exact: int = param(ge=0, le=20, default=12, doc="up to so many different pairs every choice is tried")

    def run(self, task: TrajectoryTask, run: Run) -> Outcome:
        paths = task.trajectories
        for model in task.models:
            if not isinstance(model, PathKAnonymity):
                raise Unsupported(
                    f"{self.id} works for path-k-anonymity", thing=model.id, alternatives=["trajectory-anonymizer"]
                )
            if model.necessary(len(paths)) is not None:
                raise Infeasible(
                    str(model.necessary(len(paths))), measured=len(paths), bound=str(model.k), requirement=model.id
                )
        k = max(model.k for model in task.models if isinstance(model, PathKAnonymity))
        count = len(paths.pairs)
        proven = count <= self.exact
        out = _cheapest(paths, k, run) if proven else _greedy(paths, k, run)
        pairs = [paths.pairs[code] for code in np.flatnonzero(out).tolist()]
        outcome = suppressed(task, paths.without(pairs), pairs, None)
        return Outcome(built=outcome.built, facts=outcome.facts, optimal=proven)


def _too_small(starts: Ints, codes: Codes, out: Bools, k: int, hashes: Ints) -> Bools:
    """Tell whose path is shared by too few when some pairs are left out."""
    # Wrapping sums of random numbers tell sets apart: two different paths agree with a probability of 2^-64.
    marks = np.concatenate(([0], np.cumsum(np.where(out[codes], 0, hashes[codes]))))
    sums = marks[starts[1:]] - marks[starts[:-1]]
    _, group, sizes = np.unique(sums, return_inverse=True, return_counts=True)
    small: Bools = sizes[group] < k
    return small


def _hashes(count: int) -> Ints:
    return np.random.default_rng(20100614).integers(np.iinfo(np.int64).min, np.iinfo(np.int64).max, count)


def _cheapest(paths: Trajectories, k: int, run: Run) -> Bools:
    count, hashes = len(paths.pairs), _hashes(len(paths.pairs))
    choices = (np.arange(1 << count)[:, None] >> np.arange(count)) & 1
    for at in np.argsort(choices @ paths.supports, kind="stable").tolist():
        run.checkpoint()
        out: Bools = choices[at].astype(np.bool_)
        if not _too_small(paths.starts, paths.codes, out, k, hashes).any():
            return out
    raise AssertionError("without any pair all paths are alike")


def _greedy(paths: Trajectories, k: int, run: Run) -> Bools:
    out, hashes = np.zeros(len(paths.pairs), np.bool_), _hashes(len(paths.pairs))
    while True:
        run.checkpoint()
        small = _too_small(paths.starts, paths.codes, out, k, hashes)
        if not small.any():
            return out
        held = np.bincount(paths.codes[small[paths.owners]], minlength=len(out))
        score = np.where(out, -1.0, held / np.maximum(paths.supports, 1))
        out[int(score.argmax())] = True
