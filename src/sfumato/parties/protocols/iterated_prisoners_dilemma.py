"""Iterated prisoners' dilemma: why holders that meet again contribute, and what strategies earn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from sfumato.contracts.picture import Cells
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.parties.conversation.protocol import Joint

__all__ = ["STRATEGIES", "Game", "IteratedPrisonersDilemma", "Strategy"]

Strategy = Literal["all-c", "all-d", "tft", "gtft"]
STRATEGIES: tuple[Strategy, ...] = ("all-c", "all-d", "tft", "gtft")
Pair = tuple[float, float]


@frozen
class Game:
    """What two players did, round by round (``C`` contribute, ``D`` do not), and what each earned in all."""

    moves: tuple[str, ...]
    payoffs: Pair


class IteratedPrisonersDilemma(Joint):
    """Why holders that meet again contribute: two players choose in each round whether to contribute.

    Payoffs are given as (first, second) for what both do. In a single round nobody gains by contributing alone, so the only
    pure Nash equilibrium is that nobody does. Repeated, ``tft`` (tit for tat) does what the other did last and contributes
    first; ``gtft`` forgives with the probability ``generosity``; ``all-c`` and ``all-d`` never change.

    Examples
    --------
    >>> game = IteratedPrisonersDilemma()
    >>> game.equilibria()
    ['DD']
    >>> game.play("tft", "all-d", rounds=5).payoffs
    (-5, 10)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 11.2.5.2 and 11.2.5.3, figure 11.8.
    Axelrod, *The Evolution of Cooperation*, 1984.
    """

    id: ClassVar[str] = "iterated-prisoners-dilemma"

    cc: tuple[float, float] = param(default=(5, 5), doc="what both earn if both contribute")
    cd: tuple[float, float] = param(default=(-5, 10), doc="what both earn if only the first contributes")
    dc: tuple[float, float] = param(default=(10, -5), doc="what both earn if only the second contributes")
    dd: tuple[float, float] = param(default=(0, 0), doc="what both earn if nobody contributes")
    generosity: float = param(default=0.1, ge=0, le=1, doc="how likely gtft forgives")

    def payoff(self, moves: str) -> Pair:
        """Return what both earn in a round, such as ``CD``."""
        table = {"CC": self.cc, "CD": self.cd, "DC": self.dc, "DD": self.dd}
        if moves not in table:
            raise BadRequest("is not what two players do", parameter=f"{self.id}.moves", value=moves, available=table)
        return table[moves]

    def equilibria(self) -> list[str]:
        """Return the pure Nash equilibria of one round: nobody earns more by changing alone."""
        other = {"C": "D", "D": "C"}
        return [
            one + two
            for one in "CD"
            for two in "CD"
            if self.payoff(one + two)[0] >= self.payoff(other[one] + two)[0]
            and self.payoff(one + two)[1] >= self.payoff(one + other[two])[1]
        ]

    def play(self, first: Strategy, second: Strategy, *, rounds: int, rng: np.random.Generator | None = None) -> Game:
        """Play so many rounds; a generator is needed where a player forgives by chance."""
        if rounds < 0 or rounds > 1_000_000:
            raise BadRequest("must be a number of rounds up to a million", parameter=f"{self.id}.rounds", value=rounds)
        for one in (first, second):
            if one not in STRATEGIES:
                raise BadRequest("is not a strategy", parameter=f"{self.id}.strategy", value=one, available=STRATEGIES)
            if one == "gtft" and rng is None and 0 < self.generosity < 1:
                raise BadRequest("needs a generator: gtft forgives by chance", parameter="rng")
        moves: list[str] = []
        earned = [0.0, 0.0]
        for _ in range(rounds):
            before = moves[-1] if moves else "CC"
            moves.append(self._move(first, before[1], rng) + self._move(second, before[0], rng))
            earned = [sum(pair) for pair in zip(earned, self.payoff(moves[-1]), strict=True)]
        return Game(tuple(moves), (_whole(earned[0]), _whole(earned[1])))

    def _move(self, strategy: Strategy, other: str, rng: np.random.Generator | None) -> str:
        if strategy in ("all-c", "all-d"):
            return strategy[-1].upper()
        forgives = (
            strategy == "gtft"
            and other == "D"
            and (self.generosity == 1 or (rng is not None and rng.random() < self.generosity))
        )
        return "C" if forgives else other

    def picture(
        self, strategies: Sequence[Strategy] = STRATEGIES, *, rounds: int = 50, rng: np.random.Generator | None = None
    ) -> Cells:
        """Return what each strategy (row) earns on average in a round against each other, as shares of the best payoff."""
        rng = np.random.default_rng(0) if rng is None else rng
        pairs = (self.cc, self.cd, self.dc, self.dd)
        low, high = min(map(min, pairs)), max(map(max, pairs))
        values = [
            [
                (self.play(one, two, rounds=rounds, rng=rng).payoffs[0] / max(rounds, 1) - low) / ((high - low) or 1)
                for two in strategies
            ]
            for one in strategies
        ]
        return Cells(
            title=say("party.picture.payoffs"),
            caption=say("party.picture.payoffs_told", low=low, high=high),
            rows=list(strategies),
            columns=list(strategies),
            values=values,
        )


def _whole(number: float) -> float:
    return int(number) if float(number).is_integer() else number
