"""Worlds that are too many to be counted, sampled: how often each person carries the value, with an interval."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import exp, inf, log, sqrt
from typing import Protocol

import numpy as np

from sfumato.data.frozen import frozen

__all__ = ["Sampled", "sampled_linkage"]

State = tuple[int, ...]
_MOST_STATES = 100


@frozen
class Sampled:
    """The share of worlds in which a person carries the value, estimated, and the ends of its interval at 95 per cent."""

    share: float
    low: float
    high: float


class Choice(Protocol):
    """One way to decide a unit of persons."""

    @property
    def ways(self) -> int: ...
    @property
    def carriers(self) -> int: ...


class Part(Protocol):
    """Persons that groups link, decided unit by unit."""

    @property
    def units(self) -> Sequence[Sequence[Hashable]]: ...
    @property
    def choices(self) -> Sequence[Sequence[Choice]]: ...
    def step(self, state: State, unit: int, choice: int) -> State | None:
        """Return what groups lack after a choice; nothing if it does not fit."""


def sampled_linkage(part: Part, samples: int, rng: np.random.Generator, most: int) -> dict[Hashable, Sampled]:
    """Return what samples say of each person of a part; nothing if none of them came to an end.

    Each sample goes through the states that exact counting goes through, but keeps ``most`` at once. A state is kept with a
    probability in proportion to its number of worlds, and what is kept counts for those that are not (its number over that
    probability): so the numbers of worlds are right on average, and shares are those of all samples together,
    ``sum W x / sum W``. The interval is that of such a quotient, 1.96 times ``sqrt(sum W^2 (x - share)^2) / sum W``.

    References
    ----------
    Horvitz, Thompson, "A generalization of sampling without replacement from a finite universe", 1952.
    Cochran, *Sampling Techniques*, 3rd edition, 1977, sections 2.11 and 9A.7.
    """
    found = [_sample(part, rng, min(most, _MOST_STATES)) for _ in range(samples)]
    runs = [(size, shares) for size, shares in found if size > -inf]
    if not runs:
        return {}
    largest = max(size for size, _ in runs)
    weight = np.array([exp(size - largest) for size, _ in runs])
    out: dict[Hashable, Sampled] = {}
    for unit, persons in enumerate(part.units):
        shares = np.array([held[unit] for _, held in runs])
        share = float((weight * shares).sum() / weight.sum())
        spread = 1.96 * sqrt(float((weight**2 * (shares - share) ** 2).sum())) / float(weight.sum())
        # Few samples that agree are no certainty: with n of them, what is in one world of n may have been missed.
        spread = max(spread, 1 / len(runs)) if len(runs) < samples or spread == 0 else spread
        out |= dict.fromkeys(persons, Sampled(share, max(0.0, share - spread), min(1.0, share + spread)))
    return out


def _sample(part: Part, rng: np.random.Generator, most: int) -> tuple[float, list[float]]:
    """Return the logarithm of the number of worlds by one sample, and the share in which one of each unit carries."""
    size = 0.0
    layers: list[dict[State, float]] = [{(): 1.0}]
    weights = [_relative(choices) for choices in part.choices]
    kept: list[Mapping[State, float]] = []  # one over the probability with which a state was kept
    for unit, ways in enumerate(weights):
        after: dict[State, float] = {}
        for state, count in layers[-1].items():
            for choice, way in enumerate(ways):
                state_after = part.step(state, unit, choice)
                if state_after is not None:
                    after[state_after] = after.get(state_after, 0.0) + count * way
        total = sum(after.values())
        if not total:
            return -inf, []
        size += log(total) + log(max(choice.ways for choice in part.choices[unit]))
        kept.append(_thinned(after, most, rng))
        layers.append({state: after[state] / total * times for state, times in kept[-1].items()})
    size += log(layers[-1][()])
    shares: list[float] = []
    below: dict[State, float] = {(): 1.0}
    for unit in range(len(weights) - 1, -1, -1):
        before: dict[State, float] = {}
        worlds = carried = 0.0
        for state, count in layers[unit].items():
            for choice, way in enumerate(weights[unit]):
                state_after = part.step(state, unit, choice)
                if state_after in below:
                    reached = way * kept[unit][state_after] * below[state_after]
                    before[state] = before.get(state, 0.0) + reached
                    worlds += count * reached
                    carried += count * reached * part.choices[unit][choice].carriers
        shares.insert(0, carried / worlds / len(part.units[unit]))
        top = max(before.values())
        below = {state: reached / top for state, reached in before.items()}
    return size, shares


def _relative(choices: Sequence[Choice]) -> list[float]:
    """Return the ways of choices over the largest of them: whole numbers may be longer than a float holds."""
    largest = max(choice.ways for choice in choices)
    return [choice.ways / largest for choice in choices]


def _thinned(counts: Mapping[State, float], most: int, rng: np.random.Generator) -> dict[State, float]:
    """Return the states that are kept, about ``most`` of them, each with one over the probability that it was."""
    if len(counts) <= most:
        return dict.fromkeys(counts, 1.0)
    states, held = list(counts), np.fromiter(counts.values(), float, len(counts))
    sure, chance = np.zeros(len(held), bool), held * most / held.sum()
    while (chance[~sure] > 1).any():  # who would be kept more than once is kept for sure; the others share what is left
        sure |= chance > 1
        chance = np.where(sure, 1.0, held * (most - int(sure.sum())) / held[~sure].sum())
    # Systematic: one throw for all keeps as many as there should be.
    ends = rng.random() + np.append(0.0, np.cumsum(np.minimum(chance, 1.0)))
    taken = np.floor(ends[1:]) > np.floor(ends[:-1])
    return {states[at]: 1 / float(chance[at]) for at in np.flatnonzero(taken).tolist()}
