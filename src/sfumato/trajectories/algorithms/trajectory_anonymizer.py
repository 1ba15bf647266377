"""The trajectory anonymizer: leave out the pair that ends most violations for the frequent sequences that it costs."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.itemsets import greedy_trade
from sfumato.kernels.arrays import Codes
from sfumato.trajectories.algorithms._violations import (
    WAYS,
    by_size,
    items,
    minimal_violations,
    sequence_models,
    suppressed,
)
from sfumato.trajectories.metrics.maximal_frequent_sequences import MaximalFrequentSequences
from sfumato.trajectories.task import TrajectoryTask
from sfumato.trajectories.trajectories import Pair, Trajectories

__all__ = ["Score", "TrajectoryAnonymizer", "Turn"]


@frozen
class Score:
    """What leaving a pair out would end and cost: minimal violating sequences, and maximal frequent ones, that hold it."""

    gain: int
    loss: int

    @property
    def value(self) -> Fraction:
        """``gain / (loss + 1)``."""
        return Fraction(self.gain, self.loss + 1)


@frozen
class Turn:
    """One turn: the scores of all pairs in a violating sequence, and the pair that was left out."""

    scores: dict[Pair, Score]
    winner: Pair


class TrajectoryAnonymizer(Search[TrajectoryTask]):
    """Leave pairs out of all paths until no sequence of few pairs gives anybody away.

    V are the minimal violating sequences, U the maximal frequent ones. The pair with the highest ``PrivGain / (UtilityLoss +
    1)`` goes, where PrivGain counts the sequences of V that hold it and UtilityLoss those of U; all these fall, and so on. Ties
    go to the higher PrivGain, then to fewer points, then to the earlier time, then to the first name. The trees of the book
    are an index from pairs to sequences here, which touches the same sequences. Supports of all sequences that remain are
    those of the original, so that leaving a pair out never makes another sequence violate. Against who knows places or times
    alone whole places or times are left out in the same way; where several ways of knowing are asked for, in turn, until none
    is left to leave out.

    Examples
    --------
    >>> from sfumato.trajectories import Trajectories
    >>> from sfumato.trajectories.models import LKCPrivacy
    >>> paths = Trajectories.of([[("a", 1), ("b", 2), ("c", 3)], [("a", 1), ("b", 2)], [("a", 1), ("c", 3)]])
    >>> task = TrajectoryTask(paths, [LKCPrivacy(L=2, K=2)])
    >>> [str(pair) for pair in TrajectoryAnonymizer(support=2).run(task, Run()).facts.suppressed]
    ['b@2']

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.2.2.2, Algorithm 14.2.14.
    Mohammed, Fung, Debbabi, "Walking in the crowd: anonymizing trajectory data for pattern analysis", 2009,
    doi:10.1145/1645953.1646140.
    """

    id: ClassVar[str] = "trajectory-anonymizer"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="recoded-trajectories",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="minimal violating and maximal frequent sequences x pairs",
    )

    support: int | float = param(
        gt=0, default=0.01, doc="smallest number of persons of a frequent sequence, or their share if it is below 1"
    )

    def run(self, task: TrajectoryTask, run: Run) -> Outcome:
        models = sequence_models(task, self.id)
        ways = [way for way in WAYS if any(way in model.ways() for model in models)]
        masked, chosen, count, left = task.trajectories, list[Pair](), 0, set(ways)
        while left:
            for way in ways:
                violating = minimal_violations(masked, models, way, run) if way in left else []
                left.discard(way)
                if not violating:
                    continue
                count += sum(map(len, violating))
                gone = self._chosen(masked, violating, way, run)
                chosen += gone
                masked = masked.without(gone)
                # Other supports stay, but what is known in another way may have had more of them.
                left |= set(ways) - {way}
        return suppressed(task, masked, chosen, count)

    def _chosen(self, paths: Trajectories, violating: list[Codes], way: str, run: Run) -> list[Pair]:
        """Return the pairs to leave out so that no violating sequence is left: single ones, all of a place, or of a time."""
        run.stage("frequent sequences")
        good = MaximalFrequentSequences(support=self.support).families(paths)
        known = items(paths, way)
        if way != "pair":
            own = np.zeros(len(paths.pairs), np.int64)
            own[paths.codes] = known
            good = by_size(row for sets in good for row in own[sets].tolist())
        width = {"location": len(paths.names), "time": len(paths.moments), "pair": len(paths.pairs)}[way]
        run.stage("choosing")
        steps = greedy_trade(violating, good, np.bincount(known, minlength=width).astype(np.int64))
        if way == "pair":
            return [paths.pairs[step.item] for step in steps]
        gone = np.isin(own, [step.item for step in steps])
        return [paths.pairs[code] for code in np.flatnonzero(gone).tolist()]

    def turns(self, task: TrajectoryTask, run: Run) -> list[Turn]:
        """Return every turn with the scores of all pairs, for small data."""
        paths, out = task.trajectories, []
        found = minimal_violations(paths, sequence_models(task, self.id, ("pair",)), "pair", run)
        violating = [tuple(row) for sets in found for row in sets.tolist()]
        good = [
            tuple(row)
            for sets in MaximalFrequentSequences(support=self.support).families(paths)
            for row in sets.tolist()
        ]
        families = [np.array([one], np.int32) for one in violating], [np.array([one], np.int32) for one in good]
        for step in greedy_trade(*families, paths.supports):
            held = sorted({code for one in violating for code in one})
            scores = {
                paths.pairs[code]: Score(sum(code in one for one in violating), sum(code in one for one in good))
                for code in held
            }
            out.append(Turn(scores, paths.pairs[step.item]))
            violating = [one for one in violating if step.item not in one]
            good = [one for one in good if step.item not in one]
        return out
