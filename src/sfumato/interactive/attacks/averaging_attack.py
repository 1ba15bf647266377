"""Ask the same again and again: fresh noise averages out."""

from __future__ import annotations

from collections import defaultdict
from math import erf, exp, sqrt
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import Unsupported
from sfumato.interactive.attack import DeskAttack, DeskKnowledge, DeskSeen

__all__ = ["AveragingAttack", "AveragingDetails"]


@frozen(eq=False)
class AveragingDetails(Details):
    """How many noisy counts there are, how many were drawn more than once, and the most draws of one."""

    counts: int
    repeated: int
    draws: int


class AveragingAttack(DeskAttack):
    """Average the noisy answers that different draws gave to one question, and round to the next whole number.

    Draws with the budgets ``epsilon_i`` have the variances ``2 q / (1 - q)^2``, ``q = exp(-epsilon_i)``; their average,
    weighted by the inverse variances, has the variance ``1 / sum(1 / v_i)``. The risk of a count is the probability that the
    rounded average is the true one: exactly for one draw, ``(1 - q) / (1 + q)``, by the normal law for several. A desk that
    serves repeats from its log gives one draw for each question and price, so that the risk is no higher than what was paid
    for.

    Adversary: an asker, or several, who repeat a question.

    Examples
    --------
    >>> round(AveragingAttack().rounded([1.0]), 3), round(AveragingAttack().rounded([1.0] * 100), 3)
    (0.462, 1.0)

    References
    ----------
    Dwork, Roth, *The algorithmic foundations of differential privacy*, 2014, section 1.1, doi:10.1561/0400000042.
    Asghar, Kaafar, "Averaging attacks on bounded noise-based disclosure control algorithms", 2020.
    """

    id: ClassVar[str] = "averaging-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}), knowledge="every noisy answer", needs=frozenset(), victims="records"
    )
    adversary: ClassVar[str] = say("adversary.averaging-attack")

    def rounded(self, epsilons: list[float]) -> float:
        """Return with which probability the rounded average of draws at these prices is the true count."""
        laws = [exp(-one) for one in epsilons]
        if len(laws) == 1:
            return (1 - laws[0]) / (1 + laws[0])
        deviation = sqrt(1 / sum((1 - q) ** 2 / (2 * q) for q in laws))
        return erf(0.5 / deviation / sqrt(2))

    def on_log(self, seen: DeskSeen, knowledge: DeskKnowledge, run: Run) -> Risk:
        """Put draws of the same count together."""
        if seen.mode != "noisy":
            raise Unsupported(say("desk.bad.no_fresh_noise"), thing=self.id)
        run.stage("averaging")
        draws: dict[tuple[str, bool, int], list[float]] = defaultdict(list)
        for part in seen.logged():
            if part.aggregate.function == "count":
                for at in range(len(part.values)):
                    draws[part.canonical, part.current, at].append(part.epsilon)
        beliefs = np.array([self.rounded(one) for one in draws.values()], np.float64)
        highest, mean = spread(beliefs)
        sizes = [len(one) for one in draws.values()]
        details = AveragingDetails(len(sizes), sum(size > 1 for size in sizes), max(sizes, default=0))
        reading = say("reading.averaging", counts=details.counts, repeated=details.repeated, highest=highest)
        return Risk(attack=self.id, per_victim=beliefs, highest=highest, mean=mean, reading=reading, details=details)
